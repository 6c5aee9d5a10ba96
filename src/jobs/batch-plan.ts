import { createHash } from 'node:crypto';
import type { Entry, Skipped } from './input.ts';

/** A line that holds no item, and why, where that is known. */
export interface Invalid {
  line: number;
  problem?: string;
}

/** What would be done: distinct items as they were typed, and the lines of everything else, so that none is forgotten. */
export interface Plan {
  items: string[];
  duplicates: number[];
  invalid: Invalid[];
  skipped: Record<Skipped, number[]>;
  /** Whether lines are places in a JSON list. */
  isListed: boolean;
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
  const seen = new Set<string>();
  const plan: Omit<Plan, 'digest'> = {
    items: [],
    duplicates: [],
    invalid: [],
    skipped: { header: [], comment: [], blank: [] },
    isListed: false,
  };
  for await (const entry of entries) {
    const { line } = entry;
    plan.isListed ||= entry.isListed === true;
    if ('skipped' in entry) plan.skipped[entry.skipped].push(line);
    else if ('problem' in entry) plan.invalid.push({ line, problem: entry.problem });
    else {
      const folded = fold(entry.text);
      if (folded === undefined) plan.invalid.push({ line });
      else if (seen.has(folded)) plan.duplicates.push(line);
      else {
        seen.add(folded);
        plan.items.push(entry.text);
      }
    }
  }
  return { ...plan, digest: digestOf(seen) };
};

const counted = (count: number, one: string, many = `${one}s`): string[] =>
  count === 0 ? [] : [`${count.toLocaleString('en-US')} ${count === 1 ? one : many}`];

/** `1 duplicate, 2 comments`: everything in the input that isn't sent; nothing where all is. */
export const leftOutText = ({ duplicates, invalid, skipped, isListed }: Plan): string => {
  const line = isListed ? 'item' : 'line';
  return [
    counted(duplicates.length, 'duplicate'),
    counted(invalid.length, `invalid ${line}`),
    counted(skipped.comment.length, 'comment'),
    counted(skipped.header.length, 'header line'),
    counted(skipped.blank.length, `blank ${line}`),
  ]
    .flat()
    .join(', ');
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
