import type { SentSchedule } from '../../api/availability.ts';
import { weekdays } from '../../api/weekdays.ts';
import { dayOf, isDate, isKnown, type Rule } from '../../time/availability-rules.ts';
import { readRule } from '../../time/read-rules.ts';
import type { CheckResult } from '../../time/reading.ts';
import { readWrittenHours } from '../../time/written-hours.ts';
import { canonicalZone, readZone } from '../../time/zone.ts';
import type { WantedHours } from './work-file-schema.ts';
import type { ScheduleChange } from './work-model.ts';

/*
 * One form for both sides of a comparison. What means the same must look the same here, or a difference never ends.
 */

/** Fields of an event type that a file manages. */
export const managedFields = ['name', 'duration', 'active', 'color', 'description_plain'] as const;

export type ManagedField = (typeof managedFields)[number];

/** The events of a webhook, as a set. */
export const normalEvents = (events: unknown): string[] => [...new Set([events].flat().map(String))].sort();

export const isSameZone = (one: unknown, other: unknown): boolean => {
  const [first, second] = [one, other].map((zone) => canonicalZone(String(zone)));
  return one === other || (first !== undefined && first === second);
};

/** Hours by weekday and date, `09:00-12:00,13:00-15:00` or `off`. Weekdays without hours are left out. */
export type Days = ReadonlyMap<string, string>;

const hoursByDay = (rules: readonly unknown[]): Map<string, string> => {
  const knownRules = rules.filter(isKnown);
  const days = [...weekdays, ...new Set(knownRules.map(dayOf).filter(isDate).sort())];
  return new Map(
    days.flatMap((day): [string, string][] => {
      const spans = knownRules
        .filter((rule) => dayOf(rule) === day)
        .flatMap(({ intervals }) => intervals.map(({ from, to }) => `${from}-${to}`));
      return spans.length === 0 && !isDate(day) ? [] : [[day, spans.sort().join(',') || 'off']];
    }),
  );
};

/** The hours of a day in words, also where no rule is about it. */
export const hoursOn = (days: Days, day: string): string => days.get(day) ?? (isDate(day) ? 'usual' : 'no hours');

/** The rule of a day with these hours. None for `usual` and `no hours`. */
const ruleOf = (day: string, hours: string): Rule | undefined => {
  const reading = readRule(`${day} ${hours}`);
  return reading.ok ? reading.value[0] : undefined;
};

/** The rules of a week, Monday to Sunday. */
export const weekOf = (days: Days): Rule[] =>
  weekdays.flatMap((day) => {
    const rule = ruleOf(day, hoursOn(days, day));
    return rule === undefined ? [] : [rule];
  });

/** The rules of dates; undefined removes the rule of a date. */
export const rulesByDate = (days: Days): Map<string, Rule | undefined> =>
  new Map([...days].filter(([day]) => isDate(day)).map(([day, hours]) => [day, ruleOf(day, hours)]));

/** The hours of a schedule, unless a file could not have them: then no change of them could be shown. */
export const readSchedule = ({ rules }: SentSchedule): CheckResult<Days> => {
  if (!Array.isArray(rules)) return { ok: false, problem: 'its rules are not a list' };
  const days = hoursByDay(rules);
  const wrong = [...days].find(([day, hours]) => ruleOf(day, hours) === undefined);
  if (wrong === undefined) return { ok: true, value: days };
  return { ok: false, problem: `its hours overlap or end before they start: ${wrong.join(' ')}` };
};

/** What a file wants of a schedule: `timezone`, each weekday if it manages the week, and the dates that it names. */
export const wantedDays = (wantedHours: WantedHours): Map<string, string> => {
  const { week, set, removed } = readWrittenHours(wantedHours, () => {});
  const hours = hoursByDay([...week, ...set]);
  const zone = wantedHours.timezone === undefined ? undefined : readZone(wantedHours.timezone);
  return new Map([
    ...(zone?.ok ? [['timezone', zone.zone] as const] : []),
    ...(wantedHours.hours === undefined ? [] : weekdays.map((day) => [day, hoursOn(hours, day)] as const)),
    ...set.map((rule) => [dayOf(rule), hoursOn(hours, dayOf(rule))] as const),
    ...removed.map((rule) => [dayOf(rule), 'usual'] as const),
  ]);
};

/** All rules after a change: those that it sets, and the others as they are now. Unreadable rules are among the others. */
export const rulesAfter = (
  current: readonly Rule[],
  { week, dates }: Pick<ScheduleChange, 'week' | 'dates'>,
): Rule[] => {
  const isSet = (rule: Rule) => isKnown(rule) && (isDate(dayOf(rule)) ? dates.has(dayOf(rule)) : week !== undefined);
  return [
    ...(week ?? []),
    ...current.filter((rule) => !isSet(rule)),
    ...[...dates.values()].filter((rule) => rule !== undefined),
  ];
};

/** Items that are the same as an earlier one, with that one. */
export const findRepeats = <Item>(
  items: readonly Item[],
  idOf: (item: Item) => unknown,
): [again: Item, first: Item][] => {
  const seen = new Map<unknown, Item>();
  return items.flatMap((item): [Item, Item][] => {
    const id = idOf(item);
    const first = seen.get(id);
    if (first === undefined) seen.set(id, item);
    return first === undefined ? [] : [[item, first]];
  });
};
