import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import {
  changeRules,
  datesTakenOff,
  readDays,
  readRule,
  rulesDifference,
  rulesText,
  ruleText,
} from '../../src/time/availability-rules.ts';

const monday = { type: 'wday', wday: 'monday', intervals: [{ from: '09:00', to: '17:00' }] };
const friday = { type: 'wday', wday: 'friday', intervals: [{ from: '09:00', to: '12:00' }], note: 'kept' };

describe('rules', () => {
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

  test('leaves all other days unchanged', () => {
    const off = { type: 'date', date: '2026-12-24', intervals: [] };
    expect(changeRules([monday, friday], [off], [])).toEqual([monday, friday, off]);
    const shorter = { ...monday, intervals: [{ from: '10:00', to: '11:00' }] };
    expect(changeRules([monday, friday], [shorter], [])).toEqual([shorter, friday]);
    expect(changeRules([monday, friday], [], [{ type: 'wday', wday: 'monday' }])).toEqual([friday]);
  });

  test('replaces all the rules of a day that has several', () => {
    const evening = { ...monday, intervals: [{ from: '18:00', to: '20:00' }] };
    const shorter = { ...monday, intervals: [{ from: '10:00', to: '11:00' }] };
    const changed = changeRules([monday, friday, evening], [shorter], []);
    expect(changed).toEqual([shorter, friday]);
    expect(rulesDifference([monday, friday, evening], changed, '2026-11-16')).toEqual([
      'every Monday: 09:00–17:00, 18:00–20:00 → 10:00–11:00',
    ]);
  });

  describe('the difference', () => {
    const difference = (before: object[], after: object[]) =>
      rulesDifference(before as Json[], after as Json[], '2026-11-16');
    const off = (...dates: string[]) => dates.map((date) => ({ type: 'date', date, intervals: [] }));

    test('is shown day by day, with the hours that a date has now', () => {
      expect(difference([monday, friday], [{ ...monday, intervals: [] }, friday])).toEqual([
        'every Monday: 09:00–17:00 → off',
      ]);
      expect(difference([monday], [])).toEqual(['every Monday: 09:00–17:00 → no hours']);
      expect(difference([monday], [monday, ...off('2026-12-21')])).toEqual(['Mon 21 Dec: 09:00–17:00 → off']);
      expect(difference([monday, ...off('2027-12-20')], [monday])).toEqual(['Mon 20 Dec 2027: off → 09:00–17:00']);
      expect(difference([{ odd: 1 }], [monday])).toEqual([
        'every Monday: unknown hours → 09:00–17:00',
        'removed: {"odd":1}',
      ]);
      expect(difference([{ odd: 1 }], [{ odd: 2 }])).toEqual(['removed: {"odd":1}', 'added: {"odd":2}']);
      expect(difference([monday], [monday])).toEqual([]);
    });

    test('of dates in a row is one line', () => {
      const week = [monday, friday];
      const dates = off('2026-12-18', '2026-12-19', '2026-12-20', '2026-12-21', '2026-12-24');
      expect(difference(week, [...week, ...dates])).toEqual([
        '18–21 Dec, 2 working days → off',
        'Thu 24 Dec: no hours → off',
      ]);
      expect(difference(week, [...week, ...off('2026-12-31', '2027-01-01')])).toEqual([
        '31 Dec – 1 Jan 2027, 1 working day: 09:00–12:00 → off',
      ]);
      expect(difference(week, [...week, ...off('2026-12-19', '2026-12-20')])).toEqual([
        '19–20 Dec, no working days → off',
      ]);
      expect(datesTakenOff(week, [...week, ...dates])).toEqual(['2026-12-18', '2026-12-21']);
    });
  });

  test('merges consecutive days with the same hours into one rule', () => {
    const day = (wday: string, ...intervals: object[]) => ({ type: 'wday', wday, intervals });
    const morning = { from: '09:00', to: '12:00' };
    const rules = [
      day('monday', morning),
      day('tuesday', morning),
      day('thursday', morning),
      day('friday'),
      day('saturday'),
      { type: 'date', date: '2026-12-24', intervals: [] },
      day('sunday', morning),
      { wday: 'someday', intervals: 'x' },
    ];
    const text = 'mon-tue 09:00-12:00; thu 09:00-12:00; fri-sat off; 2026-12-24 off; sun 09:00-12:00';
    expect(rulesText({ rules })).toBe(`${text}; can't read {"wday":"someday","intervals":"x"}`);
    for (const rule of text.split('; ')) expect(readRule(rule).ok).toBe(true);
    expect([rulesText({}), rulesText({ rules: [] })]).toEqual(['', '']);
  });

  test('reads days as words, abbreviations and dates', () => {
    expect(readDays('SUN')).toEqual({ ok: true, value: [{ type: 'wday', wday: 'sunday' }] });
    expect(readDays('2026-12-24')).toEqual({ ok: true, value: [{ type: 'date', date: '2026-12-24' }] });
  });
});
