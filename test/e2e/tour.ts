import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { execFile, execFileSync } from '../support/processes.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { farMonday } from './program.ts';

const readme = readFileSync(fileURLToPath(new URL('../../README.md', import.meta.url)), 'utf8');

/** The lines that a reader types, in the README's tour. */
const typed = (): string[] => {
  const [, shown = ''] = /## A tour in one screen\n+```console\n([\s\S]*?)```/.exec(readme) ?? [];
  return [...shown.matchAll(/^\$ ((?:.*\\\n)*.*)$/gm)].map(([, line]) => line!);
};

/** Takes the README's tour where the PATH knows a `sched`, the tour's jq, and nothing else but `others`. */
export const takeTour = async (sched: string, others: Record<string, string> = {}): Promise<void> => {
  const home = temporaryDirectory('tour');
  const path = join(home, 'path');
  mkdirSync(path);
  const jq = execFileSync('bash', ['-c', 'type -P jq'], { encoding: 'utf8' }).trim();
  for (const [name, target] of Object.entries({ sched, jq, ...others })) symlinkSync(target, join(path, name));
  const take = async (line: string): Promise<string> =>
    (await execFile('/bin/bash', ['-c', line], { env: { PATH: path, HOME: home }, cwd: home })).stdout;

  const lines = typed();
  expect(lines).toHaveLength(4);
  const [list, create, cancel, count] = lines as [string, string, string, string];
  expect((await take(list)).trim().split('\n')).toHaveLength(3);
  // What the README says is past for some hours of a week.
  const booked = JSON.parse(await take(create.replace(/--start "[^"]+"/, `--start ${farMonday()}`)));
  expect(booked).toEqual({ name: 'Ada Byron', event: expect.stringContaining('/scheduled_events/') });
  expect(await take(cancel.replace(/(?<=cancel )\w+/, booked.event.split('/').at(-1)))).toBe('12\n');
  expect(Number(await take(count))).toBeGreaterThan(10);
};
