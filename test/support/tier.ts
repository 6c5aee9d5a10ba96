import { createHash } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { seeded } from './random.ts';

/** `npm run test:deep` runs every cell of a matrix, and repeats as often as promised. `npm test` runs a few. */
export const isDeep = process.env.SCHED_TEST_DEEP !== undefined;

/** How often a test repeats something in `npm test`, and in `npm run test:deep`. */
export const times = (few: number, promised: number): number => (isDeep ? promised : few);

const seedNumber = (): number => createHash('sha1').update(inject('seed')).digest().readInt32BE();

/**
 * How often a property of fast-check is tried, with values that the run's seed chooses: `SCHED_TEST_SEED` repeats them.
 */
export const runs = (few: number, promised: number): { numRuns: number; seed: number } => ({
  numRuns: times(few, promised),
  seed: seedNumber(),
});

/** Random numbers that `SCHED_TEST_SEED` repeats, no matter which files ran before in the same process. */
export const random = (): number => {
  const file = expect.getState().testPath;
  if (generator?.file !== file) generator = { file, next: seeded(seedNumber()) };
  return generator!.next();
};
let generator: { file: string | undefined; next: () => number } | undefined;

/**
 * The cells of a matrix that run: all of them in `npm run test:deep`, else a few of each kind. Another commit chooses
 * others. The run prints its seed, and `SCHED_TEST_SEED` sets it.
 */
export const sample = <Cell>(
  cells: readonly Cell[],
  few: number,
  kindOf: (cell: Cell) => unknown = () => 0,
): Cell[] => {
  if (isDeep || inject('isUpdate')) return [...cells];
  const file = expect.getState().testPath?.replace(/^.*\/test\//, '');
  const rankOf = (index: number) =>
    createHash('sha1')
      .update(`${inject('seed')} ${file} ${cells.length} ${index}`)
      .digest('hex');
  const kinds = new Map<unknown, { cell: Cell; index: number; rank: string }[]>();
  for (const [index, cell] of cells.entries()) {
    const kind = kindOf(cell);
    kinds.set(kind, [...(kinds.get(kind) ?? []), { cell, index, rank: rankOf(index) }]);
  }
  return [...kinds.values()]
    .flatMap((kind) => kind.sort((one, other) => (one.rank < other.rank ? -1 : 1)).slice(0, few))
    .sort((one, other) => one.index - other.index)
    .map(({ cell }) => cell);
};

/** Tests that start real processes for what other tests show in detail: `npm test` runs a few of them. */
export const few = (count: number, tests: Record<string, () => void | Promise<void>>, timeout = 60_000): void => {
  for (const [title, body] of sample(Object.entries(tests), count)) test(title, { timeout }, body);
};
