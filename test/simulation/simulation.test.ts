import { describe, expect, test } from 'vitest';
import { random, sample, times } from '../support/tier.ts';
import { expectDocumentedEnd, failingCalls, useSimulator } from './failing-disk.ts';
import { faultKinds } from './faults.ts';
import { kinds } from './intents/kinds.ts';

const simulator = useSimulator();

/** Seeds that nobody has tried, and that `SCHED_TEST_SEED` repeats. */
const seeds = (count: number): number[] => Array.from({ length: count }, () => Math.floor(random() * 1e9));

const levels = [
  { what: 'whole commands', level: 'commands', flag: '', count: times(2, 240), intents: times(6, 20) },
  { what: 'jobs alone', level: 'jobs', flag: ' --jobs', count: times(2, 480), intents: times(10, 20) },
] as const;

describe.each(levels)('$what on simulated machines', { timeout: 900_000 }, ({ level, flag, count, intents }) => {
  test('keep all promises, and do the same again with the same seed', async () => {
    const digests = new Map<number, string>();
    for (const seed of seeds(count)) {
      const { violation, digest } = await simulator()[level](seed, { intents });
      expect(violation, `npm run simulate -- ${seed}${flag} --intents ${intents}`).toBeUndefined();
      digests.set(seed, digest);
    }
    expect(new Set(digests.values()).size).toBe(count);
    const [first] = digests.keys();
    expect((await simulator()[level](first!, { intents })).digest).toBe(digests.get(first!));
  });
});

/** Bookings are followed in this one. */
const followedSeed = 2;

// If the seeded sandbox lacks what a kind needs, only bookings run.
test.each(sample(Object.keys(kinds), 1))('%s is done if nothing fails', { timeout: 60_000 }, async (kind) => {
  const { violation, codes } = await simulator().commands(followedSeed, {
    intents: 10,
    without: faultKinds,
    only: kind,
  });
  expect(violation).toBeUndefined();
  expect(Object.keys(codes)).toContain(`${kind} 0`);
});

// test/torture/failing-disk.torture.ts has all of them.
test('a call of the disk that fails once leads to a documented end', async () => {
  const [seed] = seeds(1) as [number];
  await expectDocumentedEnd(simulator(), failingCalls[seed % failingCalls.length]!);
});
