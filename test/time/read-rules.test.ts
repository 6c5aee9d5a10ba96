import { describe, expect, test } from 'vitest';
import { ruleText } from '../../src/time/availability-rules.ts';
import { readDays, readRule } from '../../src/time/read-rules.ts';

describe('rules as people write them', () => {
  test.each([
    ['monday 09:00-12:00,13:00-17:00', ['monday 09:00-12:00,13:00-17:00']],
    ['Mon 9:00-12:00', ['monday 09:00-12:00']],
    ['tue-thu 10:00-24:00', ['tuesday 10:00-24:00', 'wednesday 10:00-24:00', 'thursday 10:00-24:00']],
    ['2026-12-24 off', ['2026-12-24 off']],
    ['friday 13:00-17:00, 09:00-12:00', ['friday 09:00-12:00,13:00-17:00']],
  ])('reads %s', (typed, expected) => {
    const read = readRule(typed);
    expect(read.ok && read.value.map(ruleText)).toEqual(expected);
  });

  test.each([
    ['monday', 'is not a rule such as'],
    ['mnoday 09:00-10:00', 'Did you mean monday?'],
    ['friday-monday 09:00-10:00', 'is not a day'],
    ['monday 09:00', 'is not a time range'],
    ['monday 12:00-09:00', 'ends before it starts'],
    ['monday 09:00-12:00,11:00-13:00', 'overlaps'],
    ['monday 25:00-26:00', 'is not a time range'],
    ['2026-02-30 09:00-10:00', 'is not a day'],
  ])('rejects %s', (typed, expected) => {
    expect(readRule(typed)).toMatchObject({ ok: false, problem: expect.stringContaining(expected) });
  });

  const today = () => '2026-12-30';
  test.each([
    ['today', ['2026-12-30']],
    ['Tomorrow', ['2026-12-31']],
    ['2026-12-24..2026-12-26', ['2026-12-24', '2026-12-25', '2026-12-26']],
    ['tomorrow..2027-01-01', ['2026-12-31', '2027-01-01']],
    ['2026-03-28..2026-03-30', ['2026-03-28', '2026-03-29', '2026-03-30']],
    ['2028-01-01..2028-12-31', { length: 366 }],
  ])('reads %s as dates', (typed, dates) => {
    const read = readDays(typed, today);
    expect(read.ok && read.value.map(({ date }) => date)).toMatchObject(dates);
  });

  test.each([
    ['2026-12-26..2026-12-24', 'ends before it starts'],
    ['2026-01-01..2027-01-02', 'is longer than a year'],
    ['2026-12-24..2026-12-25..2026-12-26', 'is not a day'],
    ['2026-12-24..', 'is not a day'],
    ['2026-12-24..friday', 'is not a day'],
    ['tomorow', 'Did you mean tomorrow?'],
    ['yesterday', 'is not a day'],
  ])('rejects the days %s', (typed, expected) => {
    expect(readDays(typed, today)).toMatchObject({ ok: false, problem: expect.stringContaining(expected) });
  });

  test('rejects tomorrow where the date of today is unknown', () => {
    expect(readDays('tomorrow')).toMatchObject({ ok: false, problem: expect.stringContaining('is not a day') });
  });
});
