import { describe, expect, test } from 'vitest';
import { SchedError } from '../../src/base/errors.ts';
import type { Clock } from '../../src/base/system.ts';
import { type Change, change } from '../../src/client/change.ts';

/** Makes a change that fails each time. Returns how often it was sent. */
const failingChange = async (
  more: Pick<Change, 'read' | 'isDone'>,
  failure: (attempt: number) => SchedError,
  clock: Pick<Clock, 'sleep'> = { sleep: async () => {} },
) => {
  let sent = 0;
  const send = async () => {
    sent += 1;
    throw failure(sent);
  };
  const outcome = await change(
    { send, ...more },
    {
      clock,
      interrupted: new AbortController().signal,
      random: () => 0.5,
      maxWaitMs: 0,
      onWait: () => {},
      onRepeat: () => {},
    },
  ).catch((error: unknown) => error);
  return { sent, outcome };
};

const lostChange = (more: Pick<Change, 'read' | 'isDone'>, clock?: Pick<Clock, 'sleep'>) =>
  failingChange(
    more,
    (attempt) => new SchedError('outcome-unknown', `No reply to ${attempt}`, { outcome: 'unknown' }),
    clock,
  );

const record = { name: 'A' };
const unread = async () => {
  throw new SchedError('unavailable', 'Cannot reach it');
};

describe('a change whose reply is lost', () => {
  test.each<[string, Pick<Change, 'read' | 'isDone'>, number]>([
    ['is sent again while the record does not show it', { read: async () => record, isDone: () => false }, 3],
    ['is not sent again if no record can show it', { read: async () => record, isDone: () => undefined }, 1],
    ['is not sent again if the record cannot be read', { read: unread, isDone: () => false }, 1],
    ['is not sent again if there is nothing to read', { read: undefined, isDone: () => false }, 1],
  ])('%s', async (_, how, times) => {
    const { sent, outcome } = await lostChange(how);
    expect({ sent, outcome }).toMatchObject({ sent: times, outcome: { message: 'No reply to 1' } });
  });

  test('may be made although an interruption ends the pause before it is sent again', async () => {
    const clock = {
      sleep: async () => {
        throw new SchedError('interrupted', 'Interrupted');
      },
    };
    const { sent, outcome } = await lostChange({ read: async () => record, isDone: () => false }, clock);
    const facts = { outcome: 'unknown' };
    expect({ sent, outcome }).toMatchObject({ sent: 1, outcome: { category: 'interrupted', facts } });
  });

  test('is done if the record shows it', async () => {
    const { sent, outcome } = await lostChange({ read: async () => record, isDone: () => true });
    expect({ sent, outcome }).toEqual({ sent: 1, outcome: { record } });
  });
});

describe('a change that is refused', () => {
  const refusedChange = (status: number, more: Pick<Change, 'read' | 'isDone'>) =>
    failingChange(
      more,
      () =>
        new SchedError(status === 409 ? 'conflict' : 'forbidden', `HTTP ${status}`, {
          outcome: 'not-applied',
          http: { status, method: 'POST', path: '/a' },
        }),
    );

  test.each([409, 403])('with %s was already made if the record shows it', async (status) => {
    const { sent, outcome } = await refusedChange(status, { read: async () => record, isDone: () => true });
    expect({ sent, outcome }).toEqual({ sent: 1, outcome: { record, refused: status } });
  });

  test.each<[string, number, Pick<Change, 'read' | 'isDone'>]>([
    ['does not show it', 403, { read: async () => record, isDone: () => false }],
    ['cannot tell', 409, { read: async () => record, isDone: () => undefined }],
    ['cannot be read', 403, { read: unread, isDone: () => true }],
    ['is not known', 409, { read: undefined, isDone: () => true }],
  ])('fails with the refusal if the record %s', async (_, status, how) => {
    const { sent, outcome } = await refusedChange(status, how);
    expect({ sent, outcome }).toMatchObject({ sent: 1, outcome: { message: `HTTP ${status}` } });
  });
});
