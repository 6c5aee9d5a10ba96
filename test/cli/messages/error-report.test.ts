import { expect, test } from 'vitest';
import { createWorld } from '../../support/run.ts';

test('an internal error does not claim that nothing was sent before it', async () => {
  const world = await createWorld();
  const { code, stderr } = await world.run('users me --json', {
    send: async () => {
      throw new TypeError('x is undefined');
    },
  });
  expect(code).toBe(1);
  expect(JSON.parse(stderr.trim().split('\n').at(-1)!)).toEqual({
    error: {
      code: 'internal',
      exit: 1,
      message: 'Internal error in sched',
      cause: 'TypeError: x is undefined; run the command with SCHED_DEBUG=1 to see where it failed, and report the bug',
      retryable: false,
      outcome: 'unknown',
    },
  });
});

test('a command to try is on one line and quoted for its shells on Windows', async () => {
  const world = await createWorld({ platform: 'win32', terminals: ['stderr'], columns: 40 });
  const { stderr } = await world.run(['users', 'get', "Ada's & co", '--jsom=uri,name']);
  expect(stderr).toContain(`\ntry: sched users get "Ada's & co" "--json=uri,name"\n`);
});

test.each([
  ['users me', 503, true],
  ['users me', 501, false],
  ['routing-forms submission X', 200, false],
  ['users busy --since 2026-11-16 --until 2026-11-17', 200, false],
])('says whether the same command may work later: %s with %i', async (line, status, retryable) => {
  const world = await createWorld();
  const send = async () => ({ status, headers: {}, body: '{}' });
  const { code, stderr } = await world.run(`${line} --json`, { send });
  expect([code, JSON.parse(stderr.trim().split('\n').at(-1)!).error.retryable]).toEqual([9, retryable]);
});
