import { day } from '../base/milliseconds.ts';
import { daysIn, mondayOf, weekdayOf } from './wall.ts';

/** How an all-day event repeats (RFC 5545 §3.3.10), as midnights on the wall clock. */
export interface Recurrence {
  freq: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY';
  interval: number;
  /** The last date, if there is one. */
  until?: number | undefined;
  /** How many dates there are, with the first one. */
  count?: number | undefined;
  months: readonly number[];
  /** From 1, or from -1 for the last day of a month. */
  monthDays: readonly number[];
  /** Weekdays from 0 for Sunday, and which one of the month or year: 0 for all of them. */
  weekdays: readonly { weekday: number; nth: number }[];
  /** Which dates of a period: 1 for the first one, -1 for the last one. */
  positions: readonly number[];
}

const partsOf = (midnight: number): [year: number, month: number, date: number] => {
  const date = new Date(midnight);
  return [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
};

/** Whether a date is the nth one of something that has so many days before and after it. */
const isNth = (nth: number, before: number, after: number): boolean =>
  nth === 0 || (nth > 0 ? Math.floor(before / 7) + 1 === nth : -(Math.floor(after / 7) + 1) === nth);

/** The number of the period of a date: periods of a rule are every `interval` of them. */
const periodOf = ({ freq }: Recurrence, midnight: number): number => {
  const [year, month] = partsOf(midnight);
  if (freq === 'DAILY') return midnight / day;
  if (freq === 'WEEKLY') return mondayOf(midnight) / (7 * day);
  return freq === 'MONTHLY' ? year * 12 + month : year;
};

const matcherOf = (rule: Recurrence, first: number): ((midnight: number) => boolean) => {
  const { freq, months, monthDays, weekdays } = rule;
  const [, firstMonth, firstDate] = partsOf(first);
  const isLoose = weekdays.length === 0 && monthDays.length === 0;
  // What a rule leaves open is as in the first date.
  const ownMonths = months.length === 0 && freq === 'YEARLY' && isLoose ? [firstMonth] : months;
  const ownMonthDays = isLoose && (freq === 'MONTHLY' || freq === 'YEARLY') ? [firstDate] : monthDays;
  const ownWeekdays = isLoose && freq === 'WEEKLY' ? [{ weekday: weekdayOf(first), nth: 0 }] : weekdays;
  const isOfYear = freq === 'YEARLY' && months.length === 0;
  return (midnight) => {
    const [year, month, date] = partsOf(midnight);
    const last = daysIn(year, month);
    if (ownMonths.length > 0 && !ownMonths.includes(month)) return false;
    if (ownMonthDays.length > 0 && !ownMonthDays.includes(date) && !ownMonthDays.includes(date - last - 1))
      return false;
    if (ownWeekdays.length === 0) return true;
    const [start, end] = [Date.UTC(year, 0, 1), Date.UTC(year, 11, 31)];
    const [before, after] = isOfYear ? [(midnight - start) / day, (end - midnight) / day] : [date - 1, last - date];
    return ownWeekdays.some(({ weekday, nth }) => weekday === weekdayOf(midnight) && isNth(nth, before, after));
  };
};

/** The dates of an event that repeats, between two days. The first date of the event is always one of them. */
export const expand = (rule: Recurrence, first: number, since: number, last: number): number[] => {
  const matches = matcherOf(rule, first);
  const { positions, count: most = Number.POSITIVE_INFINITY } = rule;
  const end = Math.min(last, rule.until ?? last);
  const dates = [first];
  let period: number[] = [];
  const endPeriod = () => {
    const chosen = positions.map((place) => period.at(place > 0 ? place - 1 : place));
    dates.push(...period.filter((at) => at > first && (positions.length === 0 || chosen.includes(at))));
    period = [];
  };
  const start = periodOf(rule, first);
  // Dates are counted from the first one.
  let from = rule.count === undefined ? Math.max(first, since) : first;
  // A position counts in a whole period.
  if (positions.length > 0)
    for (const number = periodOf(rule, from); periodOf(rule, from - day) === number; ) from -= day;
  let number = periodOf(rule, from);
  for (let at = from; at <= end && dates.length < most; at += day) {
    if ((number - start) % rule.interval === 0 && matches(at)) period.push(at);
    const next = periodOf(rule, at + day);
    if (next !== number || positions.length === 0 || at === end) endPeriod();
    number = next;
  }
  return dates.slice(0, most);
};
