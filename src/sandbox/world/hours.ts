import { type Rule as AnyRule, changeRules, dayOf, readDays, readRule } from '../../time/availability-rules.ts';
import type { Rule } from '../rules/availability.ts';
import type { Draft, Path } from './draft.ts';
import type { AvailabilityEntry } from './schema.ts';

const isWeekday = ({ type }: AnyRule) => type === 'wday';

/**
 * The rules of an entry. `hours` are the whole week and start afresh, `dates` change what is inherited, and `rules` are
 * taken as they are.
 */
export const hoursOf = (draft: Draft, entry: AvailabilityEntry, inherited: readonly Rule[], path: Path): Rule[] => {
  if (entry.rules !== undefined) return entry.rules;
  const weekly = (entry.hours ?? []).flatMap((text, index) => {
    const place = [...path, 'hours', index];
    const rules = draft.checked(readRule(text), place) ?? [];
    if (!rules.every(isWeekday)) draft.refuse(place, `"${text}" is about a date. Write it under dates`);
    return rules;
  });
  const twice = weekly.find((rule, index) => weekly.findIndex((other) => dayOf(other) === dayOf(rule)) < index);
  if (twice)
    draft.refuse([...path, 'hours'], `has more than one line for ${dayOf(twice)}. Write its hours with commas`);
  const removed: AnyRule[] = [];
  const set = Object.entries(entry.dates ?? {}).flatMap(([date, text]) => {
    const isUsual = text === 'usual';
    const rules = draft.checked(isUsual ? readDays(date) : readRule(`${date} ${text}`), [...path, 'dates', date]) ?? [];
    if (rules.some(isWeekday)) draft.refuse([...path, 'dates', date], `"${date}" is a weekday. Write it under hours`);
    if (!isUsual) return rules;
    removed.push(...rules);
    return [];
  });
  const start: readonly AnyRule[] = entry.hours === undefined ? inherited : weekly;
  return changeRules(start, set, removed) as unknown as Rule[];
};
