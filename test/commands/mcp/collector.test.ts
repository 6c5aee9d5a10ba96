import { describe, expect, test } from 'vitest';
import type { ListPlace, ListRest } from '../../../src/cli/session/frontend.ts';
import { Collector } from '../../../src/commands/mcp/collector.ts';

const query = { user: 'me' };

interface Page {
  rows: number[];
  token?: string;
  next?: string;
}

/** A list as `take` gives it to a program: the rest changes with each page. */
const listOf = (pages: Page[]) => {
  const rest: { place?: ListPlace; nextToken?: string | undefined; isCut: boolean } & ListRest = { isCut: false };
  async function* read() {
    for (const { rows, token, next } of pages) {
      rest.place = { count: rows.length, query, ...(token === undefined ? {} : { token }) };
      rest.nextToken = next;
      yield rows.map((row) => ({ row }));
    }
  }
  return { pages: read(), rest };
};

const numbers = ({ records }: Collector) => records.map(({ row }) => row);
const two: Page[] = [
  { rows: [1, 2, 3], next: 'b' },
  { rows: [4, 5], token: 'b', next: 'c' },
];

describe('a collector', () => {
  test('knows where each record can be read again, and where the list goes on', async () => {
    const collector = new Collector(5);
    await collector.take(listOf(two));
    expect(numbers(collector)).toEqual([1, 2, 3, 4, 5]);
    expect(collector.places.slice(2)).toEqual([
      { count: 3, query, skip: 2 },
      { token: 'b', count: 2, query, skip: 0 },
      { token: 'b', count: 2, query, skip: 1 },
      // The next page may have another size.
      { token: 'c', query, skip: 0 },
    ]);
  });

  test('skips the records before the place where it resumes', async () => {
    const collector = new Collector(2, { query, skip: 2 });
    await collector.take(listOf(two));
    expect(numbers(collector)).toEqual([3, 4]);
    expect(collector.places.at(-1)).toEqual({ token: 'b', count: 2, query, skip: 1 });
  });

  test('resumes in a page whose rows the limit left out', async () => {
    const collector = new Collector(3);
    const { pages, rest } = listOf(two.slice(0, 1));
    rest.isCut = true;
    await collector.take({ pages, rest });
    expect(collector.places[3]).toEqual({ count: 3, query, skip: 3 });
  });

  test('counts the records of a list that has no places', async () => {
    const collector = new Collector(4);
    await collector.take({ pages: listOf(two).pages });
    expect([numbers(collector), collector.places[4]]).toEqual([[1, 2, 3, 4], { skip: 4 }]);
    const all = new Collector(5);
    await all.take({ pages: listOf(two).pages });
    expect(all.places[5]).toBeUndefined();
  });
});
