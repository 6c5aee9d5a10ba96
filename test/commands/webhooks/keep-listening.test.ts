import { describe, expect, test } from 'vitest';
import { keepListening } from '../../../src/commands/webhooks/keep-listening.ts';
import type { Receiver } from '../../../src/commands/webhooks/work-receiver.ts';
import { virtualClock } from '../../support/run.ts';

const portInUse = () => Object.assign(new Error('listen EADDRINUSE'), { code: 'EADDRINUSE' });

/** Receivers that a test can lose. `failures` says how often opening one fails before each success. */
const listening = (failures: number[]) => {
  const clock = virtualClock();
  const over = new AbortController();
  const log: string[] = [];
  let lose = (_: Error) => {};
  let left = failures.shift() ?? 0;
  const open = async (port: number): Promise<Receiver> => {
    if (left-- > 0) throw portInUse();
    left = failures.shift() ?? 0;
    const lost = new Promise<Error>((resolve) => {
      lose = resolve;
    });
    const close = async () => void log.push('closed');
    return { url: 'http://127.0.0.1:4242/', port: port || 4242, lost, close };
  };
  let isOpen = () => {};
  const opened = () =>
    new Promise<void>((resolve) => {
      isOpen = resolve;
    });
  const done = keepListening({
    open,
    port: 0,
    clock,
    over: over.signal,
    onOpen: ({ port }) => {
      log.push(`open ${port}`);
      isOpen();
    },
    onLost: (reason) => log.push(`lost: ${reason}`),
  });
  return { done, log, opened, clock, lose: (reason: string) => lose(new Error(reason)), stop: () => over.abort() };
};

describe('keep listening', () => {
  test('ends when it is told to', async () => {
    const { done, log, opened, stop } = listening([]);
    await opened();
    stop();
    await done;
    expect(log).toEqual(['open 4242', 'closed']);
  });

  test('opens a lost socket again at the same port', async () => {
    const { done, log, opened, lose, stop, clock } = listening([0, 2]);
    await opened();
    const again = opened();
    lose('EMFILE');
    await again;
    stop();
    await done;
    expect(log).toEqual(['open 4242', 'closed', 'lost: EMFILE', 'open 4242', 'closed']);
    expect(clock.slept).toEqual([1000, 2000, 4000]);
  });

  test('ends with an error if the port can not be opened again', async () => {
    const { done, opened, lose, clock } = listening([0, 99]);
    await opened();
    lose('the socket was closed');
    await expect(done).rejects.toMatchObject({
      category: 'environment',
      message: "Can't listen on port 4242",
      facts: { reason: 'the port is in use' },
    });
    expect(clock.slept).toEqual([1000, 2000, 4000, 8000, 16_000]);
  });

  test('ends with an error if the port can not be opened at the start', async () => {
    const { done, log } = listening([1]);
    await expect(done).rejects.toMatchObject({ category: 'environment' });
    expect(log).toEqual([]);
  });
});
