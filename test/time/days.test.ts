import { expect, test } from 'vitest';
import { weeksPast } from '../../src/time/days.ts';
import { readDatesOff } from '../../src/time/read-rules.ts';

const datesIn = (...ranges: string[]): string[] =>
  ranges.flatMap((range) => {
    const read = readDatesOff(range, () => '2026-11-15');
    return read.ok ? read.value : [];
  });

test.each<[string, string[], string[], number]>([
  ['a day', ['2026-12-24'], ['2026-12-24'], 1],
  ['a week', datesIn('2026-12-21..2026-12-27'), ['2026-12-21', '2026-12-27'], 1],
  ['eight days, a meeting on the first', datesIn('2026-12-21..2026-12-28'), ['2026-12-21'], 2],
  ['eight days, a meeting on the second', datesIn('2026-12-21..2026-12-28'), ['2026-12-22'], 1],
  ['two weeks', datesIn('2026-12-21..2027-01-03'), ['2026-12-22', '2026-12-29'], 2],
  ['two weeks, meetings in the second only', datesIn('2026-12-21..2027-01-03'), ['2026-12-29', '2026-12-30'], 1],
  ['two ranges, of which the second has the next week', datesIn('2026-12-21', '2026-12-28'), ['2026-12-21'], 2],
  ['two ranges with room between them', datesIn('2026-12-21', '2027-01-04'), ['2026-12-21'], 1],
  [
    'two ranges with room for one of two meetings',
    datesIn('2026-12-21..2026-12-22', '2026-12-29'),
    ['2026-12-21', '2026-12-22'],
    2,
  ],
  ['a Friday off in every second week', datesIn('2026-12-04', '2026-12-11', '2026-12-25'), ['2026-12-04'], 2],
  ['no day at all', [], ['2026-12-24'], 1],
  ['dates in any order', datesIn('2027-01-04', '2026-12-28', '2026-12-21'), ['2026-12-28', '2026-12-21'], 3],
])('an absence of %s is left behind after the fewest weeks', (_, off, meetings, weeks) => {
  expect(weeksPast(meetings, off)).toBe(weeks);
});
