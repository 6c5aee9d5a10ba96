import { createHash } from 'node:crypto';
import type { Entry } from './input.ts';

/** What would be done: distinct items as they were typed, and what was wrong with the rest. */
export interface Plan {
  items: string[];
  duplicates: number;
  /** Lines, or places in a list, that hold no item. */
  invalid: number[];
  /** `sha256:…` over the distinct items, whatever their order. */
  digest: string;
}

export interface PlanOptions {
  /** What tells it from another item, or nothing where it is none. */
  fold(text: string): string | undefined;
}

/** Over the sorted list, an item a line: the same set is the same input, however the file was written. */
export const digestOf = (folded: Iterable<string>): string =>
  `sha256:${createHash('sha256')
    .update([...folded].sort().join('\n'))
    .digest('hex')}`;

export const makePlan = async (entries: AsyncIterable<Entry>, { fold }: PlanOptions): Promise<Plan> => {
  const items: string[] = [];
  const seen = new Set<string>();
  const invalid: number[] = [];
  let duplicates = 0;
  for await (const { line, text } of entries) {
    const folded = fold(text);
    if (folded === undefined) invalid.push(line);
    else if (seen.has(folded)) duplicates += 1;
    else {
      seen.add(folded);
      items.push(text);
    }
  }
  return { items, duplicates, invalid, digest: digestOf(seen) };
};

/** `4, 17 and 20`, cut where there are too many to read. */
export const linesText = (lines: readonly number[], most = 20): string => {
  const shown = lines.slice(0, most).map((line) => line.toLocaleString('en-US'));
  const left = lines.length - shown.length;
  return `${shown.join(', ')}${left > 0 ? ` and ${left.toLocaleString('en-US')} more` : ''}`;
};

/** A request takes about this long when nothing is waited for. */
const requestSeconds = 0.2;

/** Seconds a run takes: as fast as requests are answered, or as the limit of a fixed window lets them through. */
export const estimatedSeconds = (requests: number, perMinute: number): number =>
  Math.ceil(Math.max(requests * requestSeconds, Math.floor(Math.max(requests - 1, 0) / perMinute) * 60));
