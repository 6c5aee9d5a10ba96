import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ListOptions, type ListPage, paginate, type Rest } from '../../src/client/paginate.ts';
import { gate } from '../support/gate.ts';
import { runs } from '../support/tier.ts';

type Asked = { count: number; page_token?: string };

/** Pages by token; '' is the first. Numbers are the rows. */
const listing = (pages: Record<string, ListPage<number>>, options?: ListOptions<number>) => {
  const asked: Asked[] = [];
  const fetch = async (query: Asked) => {
    asked.push(query);
    if (asked.length > 50) throw new Error('an endless listing');
    return pages[query.page_token ?? '']!;
  };
  return { asked, pages: paginate(fetch, (problem) => new Error(problem), options) };
};

const three = {
  '': { items: [1, 2], nextToken: 'a' },
  a: { items: [3, 4], nextToken: 'b' },
  b: { items: [5] },
};

const gather = async (pages: AsyncIterable<number[]>) => {
  const rows: number[] = [];
  for await (const page of pages) rows.push(...page);
  return rows;
};

describe('paginate', () => {
  test('follows the tokens to the end, with the maximum page size', async () => {
    const { asked, pages } = listing(three);
    expect(await gather(pages)).toEqual([1, 2, 3, 4, 5]);
    expect(asked).toEqual([{ count: 100 }, { count: 100, page_token: 'a' }, { count: 100, page_token: 'b' }]);
  });

  test('begins with a given page, and reports where each page begins', async () => {
    const seen: unknown[] = [];
    const onPage = ({ place, nextToken }: Rest) => seen.push([place.token, place.count, nextToken]);
    const { asked, pages } = listing(three, { from: { token: 'a', count: 7 }, limit: 3, onPage });
    expect(await gather(pages)).toEqual([3, 4, 5]);
    expect(asked).toEqual([
      { count: 7, page_token: 'a' },
      { count: 1, page_token: 'b' },
    ]);
    expect(seen).toEqual([
      ['a', 7, 'b'],
      ['b', 1, undefined],
    ]);
  });

  test('reports a list that leads back to the page it began with', async () => {
    const { pages } = listing({ a: { items: [1], nextToken: 'a' } }, { from: { token: 'a' } });
    await expect(gather(pages)).rejects.toThrow('repeats');
  });

  // R40
  test('continues after an empty page with a token, and yields no empty page', async () => {
    const { pages } = listing({ '': { items: [], nextToken: 'a' }, a: { items: [1] } });
    const given: number[][] = [];
    for await (const page of pages) given.push(page);
    expect(given).toEqual([[1]]);
  });

  test.each<[string, Record<string, ListPage<number>>, number]>([
    ['A → A', { '': { items: [1], nextToken: 'a' }, a: { items: [2], nextToken: 'a' } }, 2],
    [
      'A → B → A',
      {
        '': { items: [1], nextToken: 'a' },
        a: { items: [2], nextToken: 'b' },
        b: { items: [3], nextToken: 'a' },
      },
      3,
    ],
    ['A → A without rows', { '': { items: [], nextToken: 'a' }, a: { items: [], nextToken: 'a' } }, 2],
  ])('ends a list whose tokens repeat: %s', async (_, circle, times) => {
    const { asked, pages } = listing(circle);
    await expect(gather(pages)).rejects.toThrow('next_page_token repeats');
    expect(asked).toHaveLength(times);
  });

  /** The given number of pages with these rows, each with its own token, and then a page with the row 7. */
  const manyPages = (count: number, rows: (page: number) => number[], options?: ListOptions<number>) => {
    let asked = 0;
    const fetch = async ({ page_token: token = '0' }: Asked): Promise<ListPage<number>> => {
      asked += 1;
      const page = Number(token);
      return page === count ? { items: [7] } : { items: rows(page), nextToken: String(page + 1) };
    };
    return { asked: () => asked, pages: paginate(fetch, (problem) => new Error(problem), options) };
  };

  // R40
  test.each([undefined, async () => {}])('ends a list after a hundred empty pages in a row', async (afterSend) => {
    const options = afterSend && { afterSend };
    expect(await gather(manyPages(99, () => [], options).pages)).toEqual([7]);
    const { asked, pages } = manyPages(100, () => [], options);
    await expect(gather(pages)).rejects.toThrow('100 empty pages in a row, each with a next page');
    expect(asked()).toBe(100);
  });

  test('counts empty pages since the last page with rows', async () => {
    const { pages } = manyPages(300, (page) => (page % 100 === 50 ? [1] : []));
    expect(await gather(pages)).toEqual([1, 1, 1, 7]);
  });

  test('continues through any number of pages whose rows are not kept', async () => {
    const { pages } = manyPages(300, () => [1, 2], { keep: (row) => row === 7 });
    expect(await gather(pages)).toEqual([7]);
  });

  test('fetches nothing more after the caller stops', async () => {
    const { asked, pages } = listing(three);
    for await (const page of pages) if (page.includes(2)) break;
    expect(asked).toHaveLength(1);
  });

  test('fetches nothing before the caller asks', async () => {
    const { asked } = listing(three);
    await Promise.resolve();
    expect(asked).toEqual([]);
  });
});

describe('paginate: a list in memory', () => {
  /** How many more or fewer rows a page has than were asked for, and whether the last page names itself as the next one. */
  const service = fc.record({
    size: fc.nat(30),
    more: fc.array(fc.integer({ min: -5, max: 2 }), { maxLength: 5 }),
    isLoop: fc.boolean(),
  });
  const wanted = fc.record({
    /** Rows, none, or as many as the list has. */
    most: fc.oneof(fc.nat(31), fc.constantFrom('no limit', 'its length')),
    pageSize: fc.integer({ min: 1, max: 5 }),
    divisor: fc.integer({ min: 1, max: 3 }),
    begin: fc.option(fc.nat(30), { nil: undefined }),
    isAhead: fc.boolean(),
  });

  // R40
  test('is given whole, up to the limit, and fails only if rows are missing', async () => {
    const property = fc.asyncProperty(service, wanted, async ({ size, more, isLoop }, given) => {
      const { most, pageSize, divisor, begin, isAhead } = given;
      const rows = Array.from({ length: size }, (_, row) => row);
      const keep = (row: number) => row % divisor === 0;
      const wantedRows = rows.slice(begin ?? 0).filter(keep);
      const limits = { 'no limit': Number.POSITIVE_INFINITY, 'its length': wantedRows.length };
      const limit = limits[most as keyof typeof limits] ?? most;
      const tokens = new Map([['begin', begin ?? 0]]);
      let left = limit;
      let pages = 0;
      const counts: { asked: number; needed: number }[] = [];
      const fetch = async ({ count, page_token: token = 'begin' }: Asked): Promise<ListPage<number>> => {
        counts.push({ asked: count, needed: Math.min(pageSize, left) });
        const from = tokens.get(token)!;
        const items = rows.slice(from, from + Math.max(0, count + ([0, ...more][pages++ % (more.length + 1)] ?? 0)));
        left -= items.filter(keep).length;
        const isLast = from + items.length >= size;
        const nextToken = isLast ? token : `token ${pages}`;
        tokens.set(nextToken, from + items.length);
        return isLast && !isLoop ? { items } : { items, nextToken };
      };
      const from = begin === undefined ? {} : { from: { token: 'begin' } };
      const ahead = isAhead ? { afterSend: async () => {} } : {};
      const found: number[] = [];
      const read = async () => {
        const options = { limit, pageSize, keep, ...from, ...ahead };
        for await (const page of paginate(fetch, (problem) => new Error(problem), options)) found.push(...page);
      };
      if (isLoop && wantedRows.length < limit) await expect(read()).rejects.toThrow('next_page_token repeats');
      else await read();
      expect(found).toEqual(wantedRows.slice(0, limit));
      for (const { asked, needed } of counts) expect(asked).toBe(needed || 'no page');
    });
    await fc.assert(property, runs(200, 20_000));
  });
});

describe('paginate: one page ahead', () => {
  /** Pages that arrive when the test resolves their promises. */
  const slowly = (options: ListOptions<number> = {}) => {
    const asked: (Asked & {
      signal: AbortSignal;
      let: (page: ListPage<number>) => void;
      fail: (error: Error) => void;
    })[] = [];
    const fetch = (query: Asked, signal: AbortSignal) =>
      new Promise<ListPage<number>>((resolve, reject) => {
        asked.push({ ...query, signal, let: resolve, fail: reject });
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    return {
      asked,
      pages: paginate(fetch, (problem) => new Error(problem), { afterSend: async () => {}, ...options }),
    };
  };

  const first = async ({ asked, pages }: ReturnType<typeof slowly>, page: ListPage<number>) => {
    const next = pages.next();
    asked[0]!.let(page);
    return (await next).value;
  };

  test('is requested before the caller is done with the current page, but only one', async () => {
    const listing = slowly();
    expect(await first(listing, { items: [1, 2], nextToken: 'a' })).toEqual([1, 2]);
    expect(listing.asked.map(({ page_token: token }) => token)).toEqual([undefined, 'a']);
    await listing.pages.return(undefined);
  });

  test('is not requested without afterSend', async () => {
    const { asked, pages } = listing(three);
    expect((await pages.next()).value).toEqual([1, 2]);
    expect(asked).toHaveLength(1);
  });

  test('fails when its turn comes, after the rows before it', async () => {
    const listing = slowly();
    expect(await first(listing, { items: [1], nextToken: 'a' })).toEqual([1]);
    listing.asked[1]!.fail(new Error('no answer'));
    await expect(listing.pages.next()).rejects.toThrow('no answer');
  });

  test('is aborted if the caller stops', async () => {
    const listing = slowly();
    await first(listing, { items: [1], nextToken: 'a' });
    expect(listing.asked[1]!.signal.aborted).toBe(false);
    await listing.pages.return(undefined);
    expect(listing.asked[1]!.signal.aborted).toBe(true);
  });

  test('is over before the list ends, even if it goes on after the abort', async () => {
    const { promise, release } = gate();
    const fetch = async ({ page_token: token }: Asked): Promise<ListPage<number>> => {
      if (token === undefined) return { items: [1], nextToken: 'a' };
      await promise;
      return { items: [2] };
    };
    const pages = paginate(fetch, (problem) => new Error(problem), { afterSend: async () => {} });
    await pages.next();
    let isEnded = false;
    const ended = pages.return(undefined).then(() => {
      isEnded = true;
    });
    await new Promise(setImmediate);
    expect(isEnded).toBe(false);
    release();
    await ended;
  });

  // R40
  test('is not requested with a repeated token', async () => {
    const { asked, pages } = listing(
      { '': { items: [1], nextToken: 'a' }, a: { items: [2], nextToken: 'a' } },
      { afterSend: async () => {} },
    );
    expect((await pages.next()).value).toEqual([1]);
    expect((await pages.next()).value).toEqual([2]);
    await expect(pages.next()).rejects.toThrow('next_page_token repeats');
    expect(asked).toHaveLength(2);
  });
});
