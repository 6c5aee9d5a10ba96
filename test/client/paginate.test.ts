import { describe, expect, test } from 'vitest';
import { type ListOptions, type Page, paginate } from '../../src/client/paginate.ts';

type Asked = { count: number; page_token?: string };

/** A list of pages by token; '' is the first. Numbers are the rows. */
const listing = (pages: Record<string, Page<number>>, options?: ListOptions<number>) => {
  const asked: Asked[] = [];
  const fetch = async (query: Asked) => {
    asked.push(query);
    if (asked.length > 50) throw new Error('an endless listing');
    return pages[query.page_token ?? '']!;
  };
  return { asked, pages: paginate(fetch, () => new Error('loop'), options) };
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
  test('follows the tokens to the end, with the largest page there is', async () => {
    const { asked, pages } = listing(three);
    expect(await gather(pages)).toEqual([1, 2, 3, 4, 5]);
    expect(asked).toEqual([{ count: 100 }, { count: 100, page_token: 'a' }, { count: 100, page_token: 'b' }]);
  });

  test('stops at the limit, and asks for no more than is left', async () => {
    const { asked, pages } = listing(three, { limit: 3 });
    expect(await gather(pages)).toEqual([1, 2, 3]);
    expect(asked).toEqual([{ count: 3 }, { count: 1, page_token: 'a' }]);
  });

  test('does not ask again when the limit ends with a page', async () => {
    const { asked, pages } = listing(three, { limit: 2 });
    expect(await gather(pages)).toEqual([1, 2]);
    expect(asked).toHaveLength(1);
  });

  test('asks for nothing at all for none', async () => {
    const { asked, pages } = listing(three, { limit: 0 });
    expect(await gather(pages)).toEqual([]);
    expect(asked).toEqual([]);
  });

  test('asks for pages of the size it is told', async () => {
    const { asked, pages } = listing(three, { pageSize: 2 });
    await gather(pages);
    expect(asked.map(({ count }) => count)).toEqual([2, 2, 2]);
  });

  test('counts only the rows that are kept towards the limit', async () => {
    const { pages } = listing(three, { limit: 2, keep: (row) => row % 2 === 1 });
    expect(await gather(pages)).toEqual([1, 3]);
  });

  test('takes no more than the limit from a page larger than asked for', async () => {
    const { pages } = listing({ '': { items: [1, 2, 3, 4, 5] } }, { limit: 2, pageSize: 2 });
    expect(await gather(pages)).toEqual([1, 2]);
  });

  // R40
  test('goes on after an empty page with a token, and gives no empty page', async () => {
    const { pages } = listing({ '': { items: [], nextToken: 'a' }, a: { items: [1] } });
    const given: number[][] = [];
    for await (const page of pages) given.push(page);
    expect(given).toEqual([[1]]);
  });

  test.each<[string, Record<string, Page<number>>, number]>([
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
  ])('ends a listing that goes round in circles: %s', async (_, circle, times) => {
    const { asked, pages } = listing(circle);
    await expect(gather(pages)).rejects.toThrow('loop');
    expect(asked).toHaveLength(times);
  });

  test('fetches nothing more once its consumer stops', async () => {
    const { asked, pages } = listing(three);
    for await (const page of pages) if (page.includes(2)) break;
    expect(asked).toHaveLength(1);
  });

  test('fetches nothing before it is asked', async () => {
    const { asked } = listing(three);
    await Promise.resolve();
    expect(asked).toEqual([]);
  });
});
