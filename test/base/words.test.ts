import { describe, expect, test } from 'vitest';
import { asColumns, asFlags, asProperties, listed, self, spell, the, words } from '../../src/base/words.ts';
import { Problems } from '../../src/cli/messages/problems.ts';

const sentence = words`${self} must be at least ${10}, unless ${the('firstFree')} is given, not "--max"`;
const columns = asColumns({ answer: 'answers' });

test.each([
  [asFlags, '--max must be at least 10, unless --first-free is given, not "--max"'],
  [asProperties, 'max must be at least 10, unless first_free is given, not "--max"'],
  [columns, 'max must be at least 10, unless first_free is given, not "--max"'],
])('each way to call a command names values its own way, and leaves what was typed as it is', (spelling, expected) => {
  expect(spell(sentence, spelling, the('max'))).toBe(expected);
});

test('an argument is known by its place on a command line only', () => {
  const event = { name: 'event', place: 'argument' } as const;
  expect([asFlags, asProperties].map((spelling) => spell(words`${event}`, spelling))).toEqual(['<event>', 'event']);
});

test('a column can have a name of its own', () => {
  expect(spell(words`${the('answer')}`, columns)).toBe('answers');
});

test('names are listed as in a sentence', () => {
  const names = ['day', 'week', 'month'].map(the);
  expect(spell(listed(names, 'and'), asFlags)).toBe('--day, --week and --month');
  expect(spell(listed(names.slice(0, 1), 'or'), asFlags)).toBe('--day');
});

describe('problems', () => {
  test.each([
    [asFlags, ['--max is wrong', 'Missing required flags --email, --name or --first-name']],
    [asProperties, ['max is wrong', 'Missing required arguments email, name or first_name']],
    [columns, ['max is wrong', 'missing email, name or first_name']],
  ])('are written in the words of the call', (spelling, expected) => {
    const problems = new Problems(undefined, spelling);
    problems.missingFlag('email');
    problems.missingFlag('name', words`${the('name')} or ${the('firstName')}`);
    problems.report({ about: the('max'), raw: 'x', words: words`${self} is wrong` });
    expect(problems.texts).toEqual(expected);
    expect(() => problems.check()).toThrow(expected[0]);
  });

  test("don't call a value missing that is wrong", () => {
    const problems = new Problems(undefined, asProperties);
    problems.report({ about: the('baseUrl'), raw: 'x', words: words`${self}: not a URL` });
    problems.missingFlag('base-url');
    expect(problems.texts).toEqual(['base_url: not a URL']);
  });
});
