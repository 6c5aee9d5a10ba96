import { describe, expect, test } from 'vitest';
import { SchedError } from '../../src/errors.ts';
import { type Change, change } from '../../src/jobs/read-back.ts';

/** Makes a change whose replies are all lost. Returns how often it was sent. */
const lostChange = async (more: Pick<Change, 'read' | 'isDone'>) => {
  let sent = 0;
  const send = async () => {
    sent += 1;
    throw new SchedError('outcome-unknown', `No reply to ${sent}`, { outcome: 'unknown' });
  };
  const outcome = await change(
    { send, ...more },
    {
      clock: { sleep: async () => {} },
      interrupted: new AbortController().signal,
      random: () => 0.5,
      maxWaitMs: 0,
      onWait: () => {},
      onRepeat: () => {},
    },
  ).catch((error: unknown) => error);
  return { sent, outcome };
};

describe('a change whose reply is lost', () => {
  const record = { name: 'A' };
  const unread = async () => {
    throw new SchedError('unavailable', 'Cannot reach it');
  };

  test.each<[string, Pick<Change, 'read' | 'isDone'>, number]>([
    ['is sent again while the record does not show it', { read: async () => record, isDone: () => false }, 3],
    ['is not sent again if no record can show it', { read: async () => record, isDone: () => undefined }, 1],
    ['is not sent again if the record cannot be read', { read: unread, isDone: () => false }, 1],
    ['is not sent again if there is nothing to read', { read: undefined, isDone: () => false }, 1],
  ])('%s', async (_, how, times) => {
    const { sent, outcome } = await lostChange(how);
    expect({ sent, outcome }).toMatchObject({ sent: times, outcome: { message: 'No reply to 1' } });
  });

  test('is done if the record shows it', async () => {
    const { sent, outcome } = await lostChange({ read: async () => record, isDone: () => true });
    expect({ sent, outcome }).toEqual({ sent: 1, outcome: { record } });
  });
});
