import { describe, expect, test } from 'vitest';
import { liveLine } from '../../../src/cli/messages/live.ts';
import { width } from '../../../src/output/width.ts';

const happening = {
  time: '12:00:05',
  what: 'invitee.created',
  subject: '王小明 · Strategy session with a long name of more than sixty letters in all',
  result: '→ 200 in 5 ms',
};

const lineAt = (
  columns: number,
  more: Partial<typeof happening> = {},
  env = {},
  isSpoken = false,
  isTerminal = true,
) => {
  const stdout = { isTerminal, columns, write: async () => {} };
  return liveLine({ ...happening, ...more }, { stdout, env }, { what: 23, result: 15 }, isSpoken);
};

describe('a line of a command that runs', () => {
  test.each([20, 40, 60, 80, 200])('is never wider than a terminal of %i columns', (columns) => {
    for (const more of [{}, { result: '' }, { result: 'x'.repeat(300) }, { what: 'y'.repeat(300) }])
      expect(width(lineAt(columns, more))).toBeLessThanOrEqual(columns);
  });

  test('has its columns at the same place, and cuts the subject before the result', () => {
    const lines = [lineAt(80), lineAt(80, { what: 'x', subject: 'Ada' })];
    expect(lines).toEqual([
      '12:00:05  invitee.created          王小明 · Strategy session w…  → 200 in 5 ms',
      '12:00:05  x                        Ada                           → 200 in 5 ms',
    ]);
  });

  test('leaves room for the subject on a narrow terminal', () => {
    expect(lineAt(40, { result: '' })).toBe('12:00:05  invitee.created  王小明 · Str…');
  });

  test('is whole in a pipe and for a screen reader, and plain where the terminal needs ASCII', () => {
    expect(lineAt(80, {}, {}, false, false)).toMatch(
      / {2}王小明 · Strategy session with a long name of more than sixty letters in all {2}→ 200 in 5 ms$/,
    );
    expect(lineAt(80, { result: '200     5 ms' }, {}, true)).toBe(
      `12:00:05 invitee.created ${happening.subject} 200 5 ms`,
    );
    expect(lineAt(80, { subject: 'Ada · Intro call' }, { LANG: 'C' })).toBe(
      '12:00:05  invitee.created          Ada . Intro call              > 200 in 5 ms',
    );
  });
});
