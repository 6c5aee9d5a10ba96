import { expect, test } from 'vitest';
import { spell } from '../../../src/base/words.ts';
import { createRefusalNotes } from '../../../src/commands/webhooks/refusal-notes.ts';

test('refusal notes report each reason at most every ten seconds, and count the others', () => {
  let now = 0;
  const said: string[] = [];
  const notes = createRefusalNotes(
    () => now,
    (text) => said.push(spell(text)),
  );
  for (let turn = 0; turn < 1200; turn += 1) notes.add('forged');
  notes.add('too slow');
  now = 9_999;
  notes.add('forged');
  now = 10_000;
  notes.add('forged');
  expect(said).toEqual([
    "Refused 1 request: the signature doesn't match the signing key",
    'Refused 1 request: the sender took longer than 10 seconds',
    "Refused 1,201 requests: the signature doesn't match the signing key",
  ]);
  expect(notes.total).toBe(1203);
});
