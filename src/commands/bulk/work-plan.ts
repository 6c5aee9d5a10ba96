import { hash } from 'node:crypto';
import { counted, formatNumber } from '../../base/numbers.ts';
import type { Skipped, SourceEntry } from './work-text-source.ts';

/** A line without an item, and the reason if it is known. */
interface Invalid {
  line: number;
  problem?: string;
}

/** An item as it was given, and its line. */
export interface PlannedItem {
  text: string;
  line: number;
}

/** The distinct items, and the line numbers of everything else, so that every line is accounted for. */
export interface BatchPlan {
  items: PlannedItem[];
  duplicates: number[];
  invalid: Invalid[];
  skipped: Record<Skipped, number[]>;
  /** Whether the line numbers are positions in a JSON list. */
  isListed: boolean;
  /** `sha256:…` of the distinct items, in any order. */
  digest: string;
}

/** Hashes the sorted list, one item per line, so that files with the same set of items have the same digest. */
export const inputDigest = (items: Iterable<string>): string =>
  `sha256:${hash('sha256', [...items].sort().join('\n'))}`;

/** `fold` returns the form in which items are compared, or undefined if the text isn't an item. */
export const makePlan = (
  entries: Iterable<SourceEntry<string>>,
  fold: (text: string) => string | undefined,
): BatchPlan => {
  const distinct = new Set<string>();
  const plan: Omit<BatchPlan, 'digest'> = {
    items: [],
    duplicates: [],
    invalid: [],
    skipped: { header: [], comment: [], blank: [] },
    isListed: false,
  };
  for (const entry of entries) {
    const { line } = entry;
    plan.isListed ||= entry.isListed === true;
    if ('skipped' in entry) plan.skipped[entry.skipped].push(line);
    else if ('problem' in entry) plan.invalid.push({ line, problem: entry.problem });
    else {
      const form = fold(entry.value);
      if (form === undefined) plan.invalid.push({ line });
      else if (distinct.has(form)) plan.duplicates.push(line);
      else {
        distinct.add(form);
        plan.items.push({ text: entry.value, line });
      }
    }
  }
  return { ...plan, digest: inputDigest(distinct) };
};

/** Lists everything in the input that isn't sent, such as `1 duplicate, 2 comments`; empty if all of it is sent. */
export const leftOutText = ({ duplicates, invalid, skipped, isListed }: BatchPlan): string => {
  const line = isListed ? 'item' : 'line';
  const counts: [number, string][] = [
    [duplicates.length, 'duplicate'],
    [invalid.length, `invalid ${line}`],
    [skipped.comment.length, 'comment'],
    [skipped.header.length, 'header line'],
    [skipped.blank.length, `blank ${line}`],
  ];
  return counts
    .filter(([count]) => count > 0)
    .map(([count, what]) => counted(count, what))
    .join(', ');
};

/** Line numbers that a text names. */
const mostLines = 20;

/** Line numbers as text, such as `4, 17, 20 and 3 more`. */
export const linesText = (lines: readonly number[]): string => {
  const firstLines = lines.slice(0, mostLines).map((line) => formatNumber(line));
  const rest = lines.length - firstLines.length;
  return `${firstLines.join(', ')}${rest > 0 ? ` and ${formatNumber(rest)} more` : ''}`;
};

/** The problems of lines, each with all its lines in words: `lines 4, 17`. */
export const groupProblems = (invalid: readonly Invalid[], thing: string) => {
  const groups = new Map<string | undefined, number[]>();
  for (const { line, problem } of invalid) {
    const lines = groups.get(problem);
    if (lines === undefined) groups.set(problem, [line]);
    else lines.push(line);
  }
  return [...groups].map(([problem, lines]) => ({
    problem,
    isOne: lines.length === 1,
    lines: `${thing}${lines.length === 1 ? '' : 's'} ${linesText(lines)}`,
  }));
};

/** How long one request takes without any wait, roughly. */
const requestSeconds = 0.2;

/** Seconds that a run takes, limited by the reply time or by the rate limit of a fixed window. */
export const estimatedSeconds = (requests: number, perMinute: number): number =>
  Math.ceil(Math.max(requests * requestSeconds, Math.floor(Math.max(requests - 1, 0) / perMinute) * 60));
