import type { Server } from 'node:http';
import { expect, test } from 'vitest';
import { openListener } from '../../src/auth/loopback.ts';
import { closeLater } from '../support/temporary.ts';

/** The servers of this process, as Node lists them. */
const servers = (): Server[] =>
  (process as unknown as { _getActiveHandles(): object[] })
    ._getActiveHandles()
    .filter((handle): handle is Server => 'headersTimeout' in handle);

// R4
test('a connection that is slower than five seconds is dropped', async () => {
  const { redirectUri, close } = await openListener({
    again: 'sched auth login',
    clock: { sleep: async () => {} },
    check: () => ({ kind: 'ignored', status: 404, why: 'nothing' }),
    exchange: async () => {},
  });
  closeLater(() => void close());
  const server = servers().find((each) => JSON.stringify(each.address())?.includes(`:${new URL(redirectUri).port}`));
  // Node drops them by its own clock, which a test can't move.
  expect([server?.headersTimeout, server?.requestTimeout]).toEqual([5_000, 5_000]);
});
