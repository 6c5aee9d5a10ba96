import { expect, test } from 'vitest';
import { SchedError } from '../../../src/base/errors.ts';
import type { CreationLedger } from '../../../src/commands/config/work-creation-record.ts';
import { createOnce } from '../../../src/commands/config/work-creations.ts';

const ledger = {
  find: async () => ({ last: 0, attempts: [] }),
  claim: async () => true,
} as unknown as CreationLedger;

const context = {
  creations: ledger,
  origin: 'https://api.example.com',
  clock: { now: () => 0 },
  serviceTime: () => undefined,
  timeoutMs: 30_000,
  pid: 1,
};

// R42
test.each([
  ['a signal', new SchedError('terminated', 'Terminated'), ['terminated', 'applied']],
  ['a failure', new SchedError('unavailable', 'No reply'), ['outcome-unknown', 'unknown']],
])('%s while a new event type is looked up is told as what it is', async (_, failure, expected) => {
  const answers = [async () => undefined, () => Promise.reject(failure)];
  const type = { owner: 'https://api.example.com/users/U1', name: 'Intro call' };
  const created = createOnce(
    context,
    type,
    () => answers.shift()!(),
    (leaving) => leaving(),
  );
  const error: SchedError = await created.then(
    () => expect.unreachable(),
    (reason) => reason,
  );
  expect([error.category, error.facts.outcome]).toEqual(expected);
});
