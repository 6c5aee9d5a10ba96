import { expect, test } from 'vitest';
import { createWorld, terminals } from '../../support/run.ts';

/** How often a pager opens for a command whose output is longer than the screen. */
const pagers = async (line: string): Promise<number> => {
  const world = await createWorld();
  let opened = 0;
  const openPager = async () => {
    opened += 1;
    return { write: async () => {}, close: async () => {}, isTerminal: true, columns: 80 };
  };
  const { code } = await world.run(line, { openPager, terminals });
  expect(code).toBe(0);
  return opened;
};

test.each([
  ['events list', 1],
  ['events get JW6SHQTS78SH7TS8', 1],
  ['events cancel JW6SHQTS78SH7TS8 --yes', 0],
  ['event-types update "Intro call" --duration 20', 0],
])('opens a pager for reads, never after a write: %s', async (line, times) => {
  expect(await pagers(line)).toBe(times);
});
