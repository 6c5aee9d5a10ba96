import { expect, test } from 'vitest';
import { SchedError, usageError } from '../../src/base/errors.ts';
import { asProperties, spell, the, words } from '../../src/base/words.ts';

test('an error writes names as flags, and keeps them for other ways to call a command', () => {
  const error = new SchedError('usage', words`More events than ${the('max')} allows`, {
    reason: words`${the('max')} is 3`,
  }).with({ outcome: 'not-sent' });
  expect([error.message, error.facts.reason]).toEqual(['More events than --max allows', '--max is 3']);
  const kept = [error.sentence, error.details.reason!].map((sentence) => spell(sentence, asProperties));
  expect(kept).toEqual(['More events than max allows', 'max is 3']);
});

test('several problems are one sentence, or several after a question and before a capital letter', () => {
  const { message } = usageError([words`${the('to')} is what?`, 'Add one', words`${the('max')} is 3`, 'It ends']);
  expect(message).toBe('--to is what? Add one; --max is 3. It ends');
});
