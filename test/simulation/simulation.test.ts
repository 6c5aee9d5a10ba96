import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/errors.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { random, sample, times } from '../support/tier.ts';
import { buildSimulator } from './build.js';
import { faultKinds } from './faults.ts';
import { kinds } from './intents/kinds.ts';

type Main = typeof import('./main.ts');

let simulator: Awaited<ReturnType<Main['openSimulator']>>;
beforeAll(async () => {
  const dir = temporaryDirectory('simulator');
  await buildSimulator(dir);
  const { openSimulator } = createRequire(import.meta.url)(join(dir, 'simulator.js')) as Main;
  simulator = await openSimulator(dir);
}, 60_000);

/** Seeds that nobody has tried, and that `SCHED_TEST_SEED` repeats. */
const seeds = (count: number): number[] => Array.from({ length: count }, () => Math.floor(random() * 1e9));

describe('whole commands on simulated machines', { timeout: 900_000 }, () => {
  test('keep all promises', async () => {
    for (const seed of seeds(times(2, 300))) {
      const { violation } = await simulator.commands(seed);
      expect(violation, `npm run simulate -- ${seed}`).toBeUndefined();
    }
  });

  test('do the same again with the same seed', async () => {
    const [seed, another] = seeds(2) as [number, number];
    const digestOf = async (each: number) => (await simulator.commands(each, { intents: times(4, 40) })).digest;
    const first = await digestOf(seed);
    expect(await digestOf(seed)).toBe(first);
    expect(await digestOf(another)).not.toBe(first);
  });
});

describe('jobs on simulated machines, against a model of the service', { timeout: 900_000 }, () => {
  test('keep all promises', async () => {
    for (const seed of seeds(times(2, 600))) {
      const { violation } = await simulator.jobs(seed);
      expect(violation, `npm run simulate -- ${seed} --jobs`).toBeUndefined();
    }
  });

  test('do the same again with the same seed', async () => {
    const [seed] = seeds(1) as [number];
    const digestOf = async () => (await simulator.jobs(seed, { intents: times(8, 40) })).digest;
    expect(await digestOf()).toBe(await digestOf());
  });
});

/*
 * R65: a call of the disk that fails once, at any place of any command that writes. The command says what failed and ends
 * with a documented code, or it works without that file; the same command afterwards does all that is left.
 */
describe('a call of the disk that fails once', () => {
  const calls = ['open', 'read', 'write', 'rename', 'link', 'sync'];
  const documented = [0, ...Object.values(exitCodes)];
  const cells = Object.keys(kinds).flatMap((kind) =>
    calls.flatMap((call) => Array.from({ length: 20 }, (_, index) => ({ kind, call, number: index + 1 }))),
  );

  test.each(sample(cells, 3))('$kind: $call number $number', async ({ kind, call, number }) => {
    const [command] = kinds[kind]!.commands;
    const options = { intents: 3, without: faultKinds, only: kind, failAt: { command: command!, call, number } };
    const { violation, codes } = await simulator.commands(number, options);
    expect(violation).toBeUndefined();
    const ended = Object.keys(codes).map((each) => Number(each.split(' ')[1]));
    expect(ended.filter((code) => !documented.includes(code))).toEqual([]);
  });
});
