import { expect, test } from 'vitest';
import { createWorld } from '../../support/run.ts';

test('a bug of ours does not claim that nothing was done before it', async () => {
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
      message: 'Something went wrong inside sched',
      cause: 'TypeError: x is undefined',
      hint: 'SCHED_DEBUG=1 shows where; please report it',
      retryable: false,
      outcome: 'unknown',
    },
  });
});
