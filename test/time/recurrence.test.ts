import ical from 'ical.js';
import { describe, expect, test } from 'vitest';
import { dateText } from '../../src/time/days.ts';
import { expand, type Recurrence } from '../../src/time/recurrence.ts';

const at = (date: string) => Date.parse(`${date}T00:00:00Z`);
const open: Recurrence = { freq: 'YEARLY', interval: 1, months: [], monthDays: [], weekdays: [], positions: [] };
const datesOf = (rule: Partial<Recurrence>, first: string, last = '2030-12-31') =>
  expand({ ...open, ...rule }, at(first), at(first), at(last)).map(dateText);

describe('dates that repeat', () => {
  test('are as in the calendar, year by year', () => {
    expect(datesOf({}, '2026-12-25', '2028-12-31')).toEqual(['2026-12-25', '2027-12-25', '2028-12-25']);
    expect(datesOf({}, '2024-02-29', '2033-01-01')).toEqual(['2024-02-29', '2028-02-29', '2032-02-29']);
    expect(datesOf({ freq: 'MONTHLY' }, '2026-01-31', '2026-07-01')).toEqual([
      '2026-01-31',
      '2026-03-31',
      '2026-05-31',
    ]);
    const thanksgiving = { months: [11], weekdays: [{ weekday: 4, nth: 4 }] };
    expect(datesOf(thanksgiving, '2026-11-26', '2028-12-01')).toEqual(['2026-11-26', '2027-11-25', '2028-11-23']);
    const lastWorkday = {
      freq: 'MONTHLY' as const,
      weekdays: [1, 2, 3, 4, 5].map((weekday) => ({ weekday, nth: 0 })),
      positions: [-1],
    };
    expect(datesOf(lastWorkday, '2026-01-30', '2026-05-31')).toEqual([
      '2026-01-30',
      '2026-02-27',
      '2026-03-31',
      '2026-04-30',
      '2026-05-29',
    ]);
  });

  test('never happen on days that do not exist, and end', () => {
    expect(datesOf({ months: [2], monthDays: [30] }, '2026-01-01')).toEqual(['2026-01-01']);
    expect(datesOf({ freq: 'DAILY', months: [2], monthDays: [30] }, '2026-01-01')).toEqual(['2026-01-01']);
    expect(datesOf({ freq: 'DAILY', interval: 7, weekdays: [{ weekday: 1, nth: 0 }] }, '2026-02-01')).toEqual([
      '2026-02-01',
    ]);
    expect(datesOf({ freq: 'WEEKLY', interval: 20_871, months: [6] }, '2026-02-01')).toEqual(['2026-02-01']);
  });

  test.each([
    'FREQ=DAILY',
    'FREQ=DAILY;INTERVAL=3;COUNT=10',
    'FREQ=DAILY;BYDAY=MO,FR;UNTIL=20270301',
    'FREQ=WEEKLY',
    'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;COUNT=9',
    'FREQ=WEEKLY;BYDAY=SU',
    'FREQ=MONTHLY;BYMONTHDAY=15,-1',
    'FREQ=MONTHLY;BYDAY=2TU',
    'FREQ=MONTHLY;BYDAY=-1FR',
    'FREQ=MONTHLY;INTERVAL=2;BYDAY=1MO,3MO;COUNT=7',
    'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
    'FREQ=YEARLY',
    'FREQ=YEARLY;INTERVAL=4',
    'FREQ=YEARLY;BYMONTH=1,7;BYMONTHDAY=1',
    'FREQ=YEARLY;BYMONTH=5;BYDAY=-1MO',
    'FREQ=YEARLY;BYMONTH=11;BYDAY=4TH',
    'FREQ=YEARLY;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8',
  ])('are those of ical.js: %s', (text) => {
    // The first date must fit the rule: else RFC 5545 leaves open what comes.
    const value = ical.Recur.fromString(text);
    const json = value.toJSON() as Record<string, unknown>;
    const list = (name: string) => [json[name] ?? []].flat();
    const words = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
    const rule: Recurrence = {
      freq: json.freq as Recurrence['freq'],
      interval: Number(json.interval ?? 1),
      count: json.count === undefined ? undefined : Number(json.count),
      until: json.until === undefined ? undefined : at(String(json.until)),
      months: list('bymonth').map(Number),
      monthDays: list('bymonthday').map(Number),
      weekdays: list('byday').map((day) => ({
        weekday: words.indexOf(String(day).slice(-2)),
        nth: Number(String(day).slice(0, -2)),
      })),
      positions: list('bysetpos').map(Number),
    };
    const isLoose = rule.weekdays.length + rule.monthDays.length === 0;
    const endless = { ...rule, count: undefined, until: undefined };
    const day = at('2026-01-01');
    const first = isLoose ? day : expand(endless, day, day, at('2029-01-01'))[1]!;
    const found = expand(rule, first, first, at('2029-06-30')).map(dateText);
    const iterator = value.iterator(ical.Time.fromDateString(dateText(first)));
    const expected: string[] = [];
    for (let next = iterator.next(); next && next.toString() <= '2029-06-30'; next = iterator.next())
      expected.push(next.toString());
    expect(found).toEqual(expected);
    const late = expand(rule, first, at('2027-02-03'), at('2029-06-30')).map(dateText);
    expect(late.slice(1)).toEqual(
      found.filter((date, index) => index > 0 && (rule.count !== undefined || date >= '2027-02-03')),
    );
  });
});
