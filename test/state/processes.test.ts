import { beforeEach, describe, expect, test } from 'vitest';
import { createLock } from '../../src/state/lock.ts';
import { random } from '../auth/support/memory.ts';
import { temporaryDirectory } from '../support/temporary.ts';

/** When the holder of the lock was started. */
const then = Date.UTC(2026, 10, 17);

let directory: string;
let asked: number[];
beforeEach(async () => {
  directory = temporaryDirectory('windows-lock');
  asked = [];
  await lockOf(100, undefined).acquire();
});

/** The lock as a process on Windows sees it, where the process with the holder's PID was created at this time. */
const lockOf = (pid: number, created: number | undefined, isAlive = true) => {
  let now = then;
  return createLock({
    directory,
    name: 'l',
    machine: {
      platform: 'win32',
      host: 'PC',
      pid,
      startedAt: pid === 100 ? then : then + 60_000,
      isAlive: () => isAlive,
      createdAt: async (other) => {
        asked.push(other);
        return created;
      },
    },
    clock: {
      now: () => now,
      sleep: async (milliseconds) => {
        now += milliseconds;
      },
    },
    randomBytes: random,
    interrupted: new AbortController().signal,
  });
};

describe('a lock on Windows', () => {
  test.each([
    ['was created shortly before the holder started', then - 300],
    ['was created long before the holder took the lock', then - 86_400_000],
    ['was created at a time that differs by less than a second', then + 900],
    ['has an unknown age', undefined],
  ])('is kept if the process with its PID %s', async (_, created) => {
    await expect(lockOf(200, created).acquire()).rejects.toMatchObject({ category: 'environment' });
    expect(new Set(asked)).toEqual(new Set([100]));
  });

  test.each([
    ['belongs to a younger process', then + 5000, true, [100]],
    ['belongs to no process, which needs no question', undefined, false, []],
  ])('is taken over if its PID %s', async (_, created, isAlive, questions) => {
    expect(await lockOf(200, created, isAlive).acquire()).toBeDefined();
    expect(asked).toEqual(questions);
  });
});
