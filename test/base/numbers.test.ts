import { expect, test } from 'vitest';
import { counted } from '../../src/base/numbers.ts';

test.each([
  [0, '0 events'],
  [1, '1 event'],
  [2, '2 events'],
  [1200, '1,200 events'],
])('counts %i', (count, text) => expect(counted(count, 'event')).toBe(text));

test('takes an irregular plural', () => {
  expect(counted(1, 'entry', 'entries')).toBe('1 entry');
  expect(counted(2, 'entry', 'entries')).toBe('2 entries');
});
