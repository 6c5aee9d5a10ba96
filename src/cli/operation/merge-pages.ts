import type { Json } from '../../json.ts';

/** A list that is being read: the rest of the current page, and where the next one comes from. */
interface Source {
  rows: Json[];
  pages: AsyncIterator<Json[]>;
}

const readNext = async (source: Source): Promise<void> => {
  while (source.rows.length === 0) {
    const { done, value } = await source.pages.next();
    if (done) return;
    source.rows = [...value];
  }
};

/** Compares two records by a time field. `sort` is `field:asc`, `field:desc` or just `field`. */
const byTime = (sort: string): ((one: Json, other: Json) => number) => {
  const [field = '', direction] = sort.split(',')[0]!.split(':');
  const timeOf = (row: Json) => Date.parse(String(row[field])) || 0;
  return direction === 'desc'
    ? (one, other) => timeOf(other) - timeOf(one)
    : (one, other) => timeOf(one) - timeOf(other);
};

/** Merges lists that are each sorted by time into one. Holds one page of each list in memory. */
export async function* mergePages(lists: AsyncIterable<Json[]>[], sort: string): AsyncGenerator<Json[]> {
  const compare = byTime(sort);
  const sources = lists.map((list): Source => ({ rows: [], pages: list[Symbol.asyncIterator]() }));
  try {
    for (;;) {
      for (const source of sources) await readNext(source);
      const open = sources.filter(({ rows }) => rows.length > 0);
      if (open.length === 0) return;
      const merged: Json[] = [];
      while (open.every(({ rows }) => rows.length > 0)) {
        const first = open.reduce((best, each) => (compare(each.rows[0]!, best.rows[0]!) < 0 ? each : best));
        merged.push(first.rows.shift()!);
      }
      yield merged;
    }
  } finally {
    for (const { pages } of sources) await pages.return?.();
  }
}
