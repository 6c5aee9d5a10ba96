import { dayOf, type Rule } from './availability-rules.ts';
import { readDays, readRule } from './read-rules.ts';
import type { CheckResult } from './reading.ts';

/** Hours as people write them in a file. */
interface WrittenHours {
  /** `mon-thu 09:00-12:30`. The whole week: a weekday that no text names has no hours. */
  hours?: readonly string[] | undefined;
  /** By date, or by a range of dates: `off`, hours, or `usual` for the weekly hours. */
  dates?: Readonly<Record<string, string>> | undefined;
}

const weekdayForm = 'a weekday such as mon, or several such as mon-fri';
const dateForm = 'a date such as 2026-12-24, or a range such as 2026-12-24..2026-12-31';

const isWeekday = ({ type }: Rule) => type === 'wday';

const twiceIn = (rules: readonly Rule[]): Rule | undefined =>
  rules.find((rule, index) => rules.findIndex((other) => dayOf(other) === dayOf(rule)) < index);

/** Reads the week and the dates as rules. Mistakes go to `refuse`, with their place. */
export const readWrittenHours = (
  { hours = [], dates = {} }: WrittenHours,
  refuse: (path: (string | number)[], message: string) => void,
): Record<'week' | 'set' | 'removed', Rule[]> => {
  const rulesOf = (read: CheckResult<Rule[]>, path: (string | number)[]): Rule[] => {
    if (read.ok) return read.value;
    refuse(path, read.problem);
    return [];
  };
  const week = hours.flatMap((text, index) => {
    const rules = rulesOf(readRule(text, undefined, weekdayForm), ['hours', index]);
    if (!rules.every(isWeekday)) refuse(['hours', index], `"${text}" is about a date. Write it under dates`);
    return rules;
  });
  const twice = twiceIn(week);
  if (twice) refuse(['hours'], `has more than one line for ${dayOf(twice)}. Write its hours with commas`);
  const usualRules: Rule[] = [];
  const dateRules = Object.entries(dates).flatMap(([date, text]) => {
    const path = ['dates', date];
    const isUsual = text === 'usual';
    if (!isUsual && !/\d|^off$/i.test(text)) {
      refuse(path, `must be hours such as 09:00-12:00, off or usual, not "${text}"`);
      return [];
    }
    const read = isUsual ? readDays(date, undefined, dateForm) : readRule(`${date} ${text}`, undefined, dateForm);
    const rules = rulesOf(read, path);
    if (rules.some(isWeekday)) refuse(path, `"${date}" is a weekday. Write it under hours`);
    if (!isUsual) return rules;
    usualRules.push(...rules);
    return [];
  });
  const again = twiceIn([...dateRules, ...usualRules]);
  if (again) refuse(['dates'], `has more than one line for ${dayOf(again)}. Remove one`);
  return { week, set: dateRules, removed: usualRules };
};
