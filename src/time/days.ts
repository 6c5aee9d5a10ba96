import { day } from '../base/milliseconds.ts';
import { twoDigits } from '../base/numbers.ts';
import type { CheckResult } from './reading.ts';
import { daysIn, mondayOf, months, wallText, weekdayNames, weekdayOf } from './wall.ts';

/* Days as people call them, as midnights on the wall clock. */

const nearDays: Record<string, number> = { yesterday: -1, today: 0, tomorrow: 1 };
const shortWeekdays: Record<string, number> = { tues: 2, thur: 4, thurs: 4 };

const monthName = '(?<month>[a-z]{3,9})';
const dayNumber = String.raw`(?<date>\d{1,2})(?:st|nd|rd|th)?`;
/** `dec 1`, `1 December 2026`, `Dec 1st, 2026` */
const monthDays = [`${monthName}\\.? ${dayNumber}`, `${dayNumber} (?:of )?${monthName}\\.?`].map(
  (form) => new RegExp(`^${form}(?:,? (?<year>\\d{4}))?$`, 'i'),
);

const weekdayCalled = (word: string): number | undefined => {
  const index = weekdayNames.findIndex((name) => [name, name.slice(0, 3)].some((form) => form.toLowerCase() === word));
  return index >= 0 ? index : Object.hasOwn(shortWeekdays, word) ? shortWeekdays[word] : undefined;
};

/** `monday` is the first one after today, `next monday` the one of next week, `last monday` the last one before today. */
const weekdayFrom = (today: number, weekday: number, which: string | undefined): number => {
  const sinceMonday = (weekday + 6) % 7;
  if (which === 'next') return mondayOf(today) + (7 + sinceMonday) * day;
  // 1 to 7: a weekday is never today.
  const between = (from: number, to: number): number => ((to - from + 6) % 7) + 1;
  return which === 'last'
    ? today - between(weekday, weekdayOf(today)) * day
    : today + between(weekdayOf(today), weekday) * day;
};

/** `2026-12-01` */
export const dateText = (midnight: number): string => wallText(midnight).slice(0, 10);

/** The date after a date. */
export const nextDate = (date: string): string => dateText(Date.parse(`${date}T00:00:00Z`) + day);

/** The fewest weeks, at least one, by which meetings on these dates move so that none of them is on a day off. */
export const weeksPast = (dates: readonly string[], off: readonly string[]): number => {
  const later = (date: string, weeks: number) => dateText(Date.parse(`${date}T00:00:00Z`) + weeks * 7 * day);
  for (let weeks = 1; ; weeks += 1) if (!dates.some((date) => off.includes(later(date, weeks)))) return weeks;
};

/** Splits a list wherever an item doesn't follow the one before it. */
export const runsOf = <Item>(items: readonly Item[], follows: (item: Item, before: Item) => boolean): Item[][] => {
  const runs: Item[][] = [];
  for (const [index, item] of items.entries())
    if (index > 0 && follows(item, items[index - 1]!)) runs.at(-1)!.push(item);
    else runs.push([item]);
  return runs;
};

/** Dates in a row, as their first and last one. */
export const dateRanges = (dates: readonly string[]): [string, string][] =>
  runsOf([...new Set(dates)].sort(), (date, before) => date === nextDate(before)).map((run) => [run[0]!, run.at(-1)!]);

function checkDate(text: string): CheckResult<number> {
  const [year, month, date] = text.split('-').map(Number) as [number, number, number];
  const refuse = (problem: string): CheckResult<number> => ({ ok: false, problem });
  if (year < 1970) return refuse(`${text} is outside the years 1970 to 9999`);
  if (month < 1 || month > 12) return refuse(`${text} doesn't exist: months go from 01 to 12`);
  const last = daysIn(year, month);
  if (date < 1 || date > last) return refuse(`${text} doesn't exist: ${months[month - 1]} ${year} has ${last} days`);
  return { ok: true, value: Date.UTC(year, month - 1, date) };
}

/** Without a year, the date is the first one from today on. A window can also be about the past, so there it is unclear. */
function monthDay(text: string, today: number, isWindow: boolean): CheckResult<number> | undefined {
  const { month = '', date, year } = monthDays.map((form) => form.exec(text)).find(Boolean)?.groups ?? {};
  const index = months.findIndex((name) => name.toLowerCase().startsWith(month.toLowerCase()));
  if (date === undefined || index < 0) return undefined;
  const inYear = (number: number): string => `${number}-${twoDigits(index + 1)}-${twoDigits(Number(date))}`;
  const thisYear = new Date(today).getUTCFullYear();
  if (year !== undefined) return checkDate(inYear(Number(year)));
  if (inYear(thisYear) >= dateText(today)) return checkDate(inYear(thisYear));
  if (!isWindow) return checkDate(inYear(thisYear + 1));
  return { ok: false, problem: `"${text}" has no year. Use ${inYear(thisYear)} or ${inYear(thisYear + 1)}` };
}

/** Reads a date or a day in words, counted from today. Returns undefined if the text is neither. */
export function dayCalled(text: string, today: number, isWindow = false): CheckResult<number> | undefined {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return checkDate(text);
  const [, which, word = ''] = /^(?:(next|last) )?([a-z]+)$/.exec(text.toLowerCase()) ?? [];
  const weekday = weekdayCalled(word);
  if (weekday !== undefined) return { ok: true, value: weekdayFrom(today, weekday, which) };
  if (which === undefined && Object.hasOwn(nearDays, word)) return { ok: true, value: today + nearDays[word]! * day };
  return monthDay(text, today, isWindow);
}
