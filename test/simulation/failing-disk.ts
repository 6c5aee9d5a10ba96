import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeAll, expect } from 'vitest';
import { exitCodes } from '../../src/base/errors.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { buildSimulator } from './build.js';
import { faultKinds } from './faults.ts';
import { kinds } from './intents/kinds.ts';

type Main = typeof import('./main.ts');
type Simulator = Awaited<ReturnType<Main['openSimulator']>>;

/** The simulator, built before the first test of a file. */
export const useSimulator = (): (() => Simulator) => {
  let simulator: Simulator;
  beforeAll(async () => {
    const dir = temporaryDirectory('simulator');
    await buildSimulator(dir);
    const { openSimulator } = createRequire(import.meta.url)(join(dir, 'simulator.js')) as Main;
    simulator = await openSimulator(dir);
  }, 60_000);
  return () => simulator;
};

const calls = ['open', 'read', 'list', 'write', 'rename', 'link', 'sync', 'remove'];
const documented = [0, ...Object.values(exitCodes)];

/** For each command that writes: each call of the disk, and which of them fails. */
export const failingCalls = Object.keys(kinds).flatMap((kind) =>
  calls.flatMap((call) => Array.from({ length: 20 }, (_, index) => ({ kind, call, number: index + 1 }))),
);

/**
 * R65: a call of the disk that fails once. The command says what failed and ends with a documented code, or it works
 * without that file; the same command afterwards does all that is left.
 */
export const expectDocumentedEnd = async (
  simulator: Simulator,
  { kind, call, number }: (typeof failingCalls)[number],
): Promise<void> => {
  const [command] = kinds[kind]!.commands;
  const options = { intents: 3, without: faultKinds, only: kind, failAt: { command: command!, call, number } };
  const { violation, codes } = await simulator.commands(number, options);
  expect(violation).toBeUndefined();
  expect(Object.keys(codes).map((each) => each.split(' ')[0])).toContain(kind);
  const ended = Object.keys(codes).map((each) => Number(each.split(' ')[1]));
  expect(ended.filter((code) => !documented.includes(code))).toEqual([]);
};
