import { describe, expect, test } from 'vitest';
import { random, times } from '../support/tier.ts';
import { expectDocumentedEnd, failingCalls, useSimulator } from './failing-disk.ts';

const simulator = useSimulator();

/** Seeds that nobody has tried, and that `SCHED_TEST_SEED` repeats. */
const seeds = (count: number): number[] => Array.from({ length: count }, () => Math.floor(random() * 1e9));

describe('whole commands on simulated machines', { timeout: 900_000 }, () => {
  test('keep all promises', async () => {
    for (const seed of seeds(times(1, 120))) {
      const { violation } = await simulator().commands(seed);
      expect(violation, `npm run simulate -- ${seed}`).toBeUndefined();
    }
  });

  test('do the same again with the same seed', async () => {
    const [seed, another] = seeds(2) as [number, number];
    const digestOf = async (each: number) => (await simulator().commands(each, { intents: times(4, 40) })).digest;
    const first = await digestOf(seed);
    expect(await digestOf(seed)).toBe(first);
    expect(await digestOf(another)).not.toBe(first);
  });

  // test/torture/failing-disk.torture.ts has all of them.
  test('end with a documented code if a call of the disk fails once', async () => {
    for (const seed of seeds(2)) await expectDocumentedEnd(simulator(), failingCalls[seed % failingCalls.length]!);
  });
});

describe('jobs on simulated machines, against a model of the service', { timeout: 900_000 }, () => {
  test('keep all promises', async () => {
    for (const seed of seeds(times(1, 240))) {
      const { violation } = await simulator().jobs(seed);
      expect(violation, `npm run simulate -- ${seed} --jobs`).toBeUndefined();
    }
  });

  test('do the same again with the same seed', async () => {
    const [seed] = seeds(1) as [number];
    const digestOf = async () => (await simulator().jobs(seed, { intents: times(8, 40) })).digest;
    expect(await digestOf()).toBe(await digestOf());
  });
});
