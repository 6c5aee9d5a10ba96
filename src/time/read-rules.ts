import { weekdays } from '../api/weekdays.ts';
import { nearest } from '../base/nearest.ts';
import { dateMidnight, isDate, type Rule, weekdayIndex } from './availability-rules.ts';
import { dateText, dayCalled, nextDate } from './days.ts';
import type { CheckResult } from './reading.ts';

const dayForm =
  'a date such as 2026-12-24, a range such as 2026-12-24..2026-12-31, or a weekday such as monday, mon or monday-friday';

/** A range of dates becomes one rule per date, so it is limited to a year. */
const longestRange = 366;

/** Reads a date, or `FIRST..LAST`. In words it is today or later. Returns undefined if the text is neither. */
const readDates = (word: string, today: Today | undefined): CheckResult<string[]> | undefined => {
  const dateOf = (part: string): string | undefined => {
    if (isDate(part)) return part;
    const reading = today && dayCalled(part.trim(), dateMidnight(today())!);
    const date = reading?.ok ? dateText(reading.value) : '';
    return today !== undefined && date >= today() ? date : undefined;
  };
  const [start = '', end = start, ...rest] = word.split('..');
  const [first, last] = [dateOf(start), dateOf(end)];
  if (first === undefined || last === undefined || rest.length > 0) return undefined;
  if (last < first) return { ok: false, problem: `"${word}" ends before it starts` };
  const dates: string[] = [];
  for (let date = first; date <= last; date = nextDate(date)) {
    if (dates.length === longestRange) return { ok: false, problem: `"${word}" is longer than a year` };
    dates.push(date);
  }
  return { ok: true, value: dates };
};

/** Today's date. Without it, `today` and `tomorrow` are not days. */
export type Today = () => string;

/**
 * Reads a date, a range of dates, or weekdays (`monday`, `mon`, `mon-fri`), which mean every week. `today` and `tomorrow`
 * are dates.
 */
export const readDays = (text: string, today?: Today, form = dayForm): CheckResult<Rule[]> => {
  const word = text.trim().toLowerCase();
  const [first = '', last = first] = word.split('-');
  const [from, to] = [weekdayIndex(first), weekdayIndex(last)];
  if (from >= 0 && to >= from) {
    return { ok: true, value: weekdays.slice(from, to + 1).map((wday) => ({ type: 'wday', wday })) };
  }
  // A range to a weekday would be unclear where weekdays mean every week.
  const isUnclear = word.split('..').some((part) => weekdayIndex(part) >= 0);
  const dates = isUnclear ? undefined : readDates(word, today);
  if (dates?.ok) return { ok: true, value: dates.value.map((date) => ({ type: 'date', date })) };
  if (dates !== undefined) return dates;
  const suggestion = nearest(word, [...weekdays, ...(today === undefined ? [] : ['today', 'tomorrow'])]);
  return {
    ok: false,
    problem: `"${text}" is not a day. ${suggestion === undefined ? `Use ${form}` : `Did you mean ${suggestion}?`}`,
  };
};

/** Reads dates of days off: one, or `FIRST..LAST`. Here `friday` is the first one after today. */
export const readDatesOff = (text: string, today: Today): CheckResult<string[]> => {
  const dates = readDates(text.trim().toLowerCase(), today);
  if (dates?.ok && dates.value[0]! < today()) return { ok: false, problem: `"${text}" is before today` };
  const forms = '(2026-12-24, dec 24, tomorrow, friday or 2026-12-24..2026-12-31)';
  return dates ?? { ok: false, problem: `"${text}" is not a date from today on ${forms}` };
};

const readInterval = (text: string): CheckResult<{ from: string; to: string }> => {
  const [, from, to] = /^((?:[01]?\d|2[0-3]):[0-5]\d)-((?:[01]?\d|2[0-3]):[0-5]\d|24:00)$/.exec(text.trim()) ?? [];
  if (from === undefined || to === undefined)
    return { ok: false, problem: `"${text}" is not a time range such as 09:00-12:30` };
  const interval = { from: from.padStart(5, '0'), to: to.padStart(5, '0') };
  if (interval.from >= interval.to) return { ok: false, problem: `"${text}" ends before it starts` };
  return { ok: true, value: interval };
};

/** Reads `DAY HOURS` as rules: one for each day of a range. `form` says which days can be written. */
export const readRule = (text: string, today?: Today, form?: string): CheckResult<Rule[]> => {
  const [, day, hours] = /^\s*(\S+)\s+(\S.*?)\s*$/.exec(text) ?? [];
  if (day === undefined || hours === undefined) {
    return { ok: false, problem: `"${text}" is not a rule such as "monday 09:00-12:00,13:00-17:00"` };
  }
  const days = readDays(day, today, form);
  if (!days.ok) return days;
  if (hours.toLowerCase() === 'off') return { ok: true, value: days.value.map((rule) => ({ ...rule, intervals: [] })) };
  const intervals: { from: string; to: string }[] = [];
  for (const span of hours.split(',')) {
    const read = readInterval(span);
    if (!read.ok) return read;
    intervals.push(read.value);
  }
  intervals.sort((a, b) => a.from.localeCompare(b.from));
  const clash = intervals.find((interval, index) => index > 0 && interval.from < intervals[index - 1]!.to);
  if (clash !== undefined)
    return { ok: false, problem: `"${text}": the time range from ${clash.from} overlaps the previous one` };
  return { ok: true, value: days.value.map((rule) => ({ ...rule, intervals })) };
};
