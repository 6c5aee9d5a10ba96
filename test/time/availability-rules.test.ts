import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import { changeRules, datesTakenOff, rulesDifference, rulesText } from '../../src/time/availability-rules.ts';
import { readDays, readRule } from '../../src/time/read-rules.ts';

const monday = { type: 'wday', wday: 'monday', intervals: [{ from: '09:00', to: '17:00' }] };
const friday = { type: 'wday', wday: 'friday', intervals: [{ from: '09:00', to: '12:00' }], note: 'kept' };

describe('rules', () => {
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
