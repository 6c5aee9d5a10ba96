import { weekdays } from '../api/weekdays.ts';
import { isObject, type Json, jsonText } from '../base/json.ts';
import { counted } from '../base/numbers.ts';
import { dateRanges, nextDate, runsOf } from './days.ts';
import { dayText } from './label.ts';
import { fullDateLabel, timestampOf } from './wall.ts';

/** The hours of a weekday or a date. Typed as `monday 09:00-12:00,13:00-17:00` or `2026-12-24 off`. */
export type Rule = Json;

/** The weekday or date of a rule. */
export const dayOf = (rule: Rule): string => String(rule.type === 'date' ? rule.date : rule.wday);

const clockForm = /^([01]\d|2[0-3]):[0-5]\d$|^24:00$/;

const isInterval = (value: unknown): boolean =>
  isObject(value) && [value.from, value.to].every((time) => typeof time === 'string' && clockForm.test(time));

/** A rule that sched understands. The documentation doesn't show the contents of a rule. */
interface KnownRule extends Rule {
  intervals: { from: string; to: string }[];
}

export const isKnown = (rule: unknown): rule is KnownRule =>
  isObject(rule) &&
  (rule.type === 'date' ? isDate(dayOf(rule)) : weekdays.some((day) => day === dayOf(rule))) &&
  ['date', 'wday', undefined].includes(rule.type as string | undefined) &&
  Array.isArray(rule.intervals) &&
  rule.intervals.every(isInterval);

export const ruleText = (rule: unknown): string => {
  if (!isKnown(rule)) return `can't read ${jsonText(rule)}`;
  const hours = rule.intervals.map(({ from, to }) => `${from}-${to}`);
  return `${dayOf(rule)} ${hours.length === 0 ? 'off' : hours.join(',')}`;
};

const ruleHours = (rule: Rule): string => ruleText(rule).slice(dayOf(rule).length + 1);

const isWeekly = (rule: unknown): rule is KnownRule => isKnown(rule) && rule.type !== 'date';

/** Whether a rule has the hours of another one, for the weekday after it. */
const continuesWeek = (rule: unknown, before: unknown): boolean =>
  isWeekly(rule) &&
  isWeekly(before) &&
  weekdayIndex(dayOf(rule)) === weekdayIndex(dayOf(before)) + 1 &&
  ruleHours(rule) === ruleHours(before);

const shortDay = (day: string): string => `${day[0]!.toUpperCase()}${day.slice(1, 3)}`;

/** The hours of the week, with days in a row that have the same ones: `Mon–Fri` and `09:00–12:30`, `13:00–17:00`. */
export const weekWords = (rules: readonly Rule[]): [days: string, hours: string[]][] => {
  const week = weekdays.map((day) => ({ day, hours: ownHours(rules.filter(isWeekly), day) ?? 'off' }));
  return runsOf(week, (day, before) => day.hours === before.hours)
    .filter(([first]) => first!.hours !== 'off')
    .map((run) => {
      const days = [...new Set([run[0]!, run.at(-1)!].map(({ day }) => shortDay(day)))];
      return [days.join('–'), run[0]!.hours.split(', ')];
    });
};

/** The weekdays without hours, with days in a row as one: `Fri–Sun`, `Wed, Sat–Sun`. Empty if each day has hours. */
export const weekdaysOff = (rules: readonly Rule[]): string =>
  runsOf(
    weekdays.filter((day) => (ownHours(rules.filter(isWeekly), day) ?? 'off') === 'off'),
    (day, before) => weekdayIndex(day) === weekdayIndex(before) + 1,
  )
    .map((run) => [...new Set([run[0]!, run.at(-1)!])].map(shortDay).join('–'))
    .join(', ');

const datesFrom = (rules: readonly Rule[], today: string, isWanted: (rule: Rule) => boolean): string[] =>
  rules.filter((rule) => rule.type === 'date' && isKnown(rule) && dayOf(rule) >= today && isWanted(rule)).map(dayOf);

/** Days off in a row as ranges, from today on: those that take a working day, or the others. */
const rangesOff = (rules: readonly Rule[], today: string, areWorking: boolean): string[] => {
  const dates = new Set(datesFrom(rules, today, isDateOff));
  const usual = rules.filter(isWeekly);
  return runsOf([...dates].sort(), (date, before) => date === nextDate(before))
    .filter((run) => run.some((date) => isWorked(dayHours(usual, date))) === areWorking)
    .map((run) => datesWords(run, today));
};

/** The days off from today on: `Wed 18 Nov`, `24–31 Dec`. */
export const datesOffWords = (rules: readonly Rule[], today: string): string[] => rangesOff(rules, today, true);

const recordRules = (record: object): Rule[] => [(record as Json).rules ?? []].flat().filter(isObject);

/** The same schedule without its days off. */
export const withoutDatesOff = (record: object): object =>
  recordRules(record).some(isDateOff) ? { rules: recordRules(record).filter((rule) => !isDateOff(rule)) } : record;

/** The days off of a schedule from today on, in order: `24–31 Dec off`. */
export const datesOffFrom = (record: object, today: string): string[] =>
  dateRanges(datesFrom(recordRules(record), today, isDateOff)).map(
    ([first, last]) => `${first === last ? datesWords([first], today) : datesText(first, last, today)} off`,
  );

/** All days off of a schedule, in order: `24–31 Dec 2026 off`. */
export const allDatesOff = (record: object): string[] =>
  dateRanges(recordRules(record).filter(isDateOff).map(dayOf)).map(
    ([first, last]) =>
      `${first === last ? fullDateLabel(dateMidnight(first)!) : datesText(first, last, '0001-01-01')} off`,
  );

/** Dates with other hours than their weekday, from today on: `Sat 5 Dec 10:00–12:00`, `Sun 29 Nov off`. */
export const otherDatesWords = (rules: readonly Rule[], today: string): string[] => [
  ...[...new Set(datesFrom(rules, today, (rule) => !isDateOff(rule)))]
    .sort()
    .map((date) => `${datesWords([date], today)} ${ownHours(rules, date)}`),
  ...rangesOff(rules, today, false).map((dates) => `${dates} off`),
];

/** Texts of rules, with consecutive weekdays of the same hours merged: `mon-fri 09:00-17:00`. */
const spans = (rules: readonly unknown[]): string[] =>
  runsOf(rules, continuesWeek).map((run) => {
    const [first, last] = [run[0], run.at(-1)];
    if (!isWeekly(first) || !isWeekly(last)) return ruleText(first);
    const days = new Set([first, last].map((rule) => dayOf(rule).slice(0, 3)));
    return `${[...days].join('-')} ${ruleHours(first)}`;
  });

/** The hours of a schedule, one text for each day or span of days. */
export const rulesTexts = (record: object): string[] => {
  const { rules } = record as Json;
  return rules === null || rules === undefined ? [] : spans([rules].flat());
};

export const rulesText = (record: object): string => rulesTexts(record).join('; ');

export const weekdayIndex = (word: string): number =>
  weekdays.findIndex((day) => day === word || day.slice(0, 3) === word);

export const dateMidnight = (date: string): number | undefined => timestampOf(`${date}T00:00:00Z`);

export const isDate = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text) && dateMidnight(text) !== undefined;

/** Whether a rule takes a date off. */
export const isDateOff = (rule: Rule): boolean => rule.type === 'date' && isKnown(rule) && rule.intervals.length === 0;

/**
 * Returns the rules after a change. Rules of the given days are replaced or removed, all others stay the same. The
 * service may list several rules for one day; the replacement takes the place of the first.
 */
export const changeRules = (
  rules: readonly Rule[],
  newRules: readonly Rule[],
  removedRules: readonly Rule[],
): Rule[] => {
  const days = new Set([...newRules, ...removedRules].map(dayOf));
  const byDay = new Map(newRules.map((rule) => [dayOf(rule), rule]));
  const changedRules = rules.flatMap((rule): Rule[] => {
    const day = dayOf(rule);
    if (!days.has(day)) return [rule];
    const replacement = byDay.get(day);
    byDay.delete(day);
    return replacement === undefined ? [] : [replacement];
  });
  return [...changedRules, ...byDay.values()];
};

/** `every Friday`: elsewhere `friday` can be a date. */
export const dayWords = (rule: Rule): string => {
  const day = weekdays.find((name) => rule.type !== 'date' && name === dayOf(rule));
  return day === undefined ? dayOf(rule) : `every ${day[0]!.toUpperCase()}${day.slice(1)}`;
};

/** `09:00–12:00, 13:00–17:00`, or `off`. Several rules for one day add up. */
const hoursWords = (rules: readonly KnownRule[]): string => {
  const words = rules.flatMap(({ intervals }) => intervals.map(({ from, to }) => `${from}–${to}`)).sort();
  return words.length === 0 ? 'off' : words.join(', ');
};

/** A rule for people: `every Friday: 09:00–17:00`. A rule that sched doesn't know is shown as JSON. */
export const ruleWords = (rule: Rule): string =>
  isKnown(rule) ? `${dayWords(rule)}: ${hoursWords([rule])}` : jsonText(rule);

const ownHours = (rules: readonly Rule[], day: string): string | undefined => {
  const dayRules = rules.filter(isKnown).filter((rule) => dayOf(rule) === day);
  return dayRules.length === 0 ? undefined : hoursWords(dayRules);
};

/** The hours of a day. A date without a rule has those of its weekday. */
const dayHours = (rules: readonly Rule[], day: string): string => {
  const weekday = isDate(day) ? weekdays[(new Date(dateMidnight(day)!).getUTCDay() + 6) % 7]! : day;
  const hours = ownHours(rules, day) ?? ownHours(rules, weekday);
  return hours ?? (rules.every(isKnown) ? 'no hours' : 'unknown hours');
};

interface DayChange {
  /** A weekday or a date. */
  day: string;
  old: string;
  now: string;
}

/** Weekdays and then dates whose rules change, with their hours before and after. */
const changesOf = (before: readonly Rule[], after: readonly Rule[]): DayChange[] => {
  const days = [...new Set([...before, ...after].filter(isKnown).map(dayOf))];
  return [...days.filter((name) => !isDate(name)), ...days.filter(isDate).sort()]
    .filter((name) => ownHours(before, name) !== ownHours(after, name))
    .map((name) => ({ day: name, old: dayHours(before, name), now: dayHours(after, name) }));
};

/** Changes of dates in a row that get the same hours are shown together. */
const isNextDay = (change: DayChange, before: DayChange): boolean =>
  isDate(before.day) && nextDate(before.day) === change.day && before.now === change.now;

/** The dates that have hours now and are taken off. */
export const datesTakenOff = (before: readonly Rule[], after: readonly Rule[]): string[] =>
  changesOf(before, after)
    .filter(({ day: name, old, now }) => isDate(name) && now === 'off' && isWorked(old))
    .map(({ day: name }) => name);

const isWorked = (hours: string): boolean => hours !== 'off' && hours !== 'no hours';

/** `Thu 24 Dec`, or `24–31 Dec` */
export const datesWords = (dates: readonly string[], today: string): string =>
  dateRanges(dates)
    .map(([first, last]) =>
      first === last ? dayText(dateMidnight(first)!, dateMidnight(today)!) : datesText(first, last, today),
    )
    .join(', ');

/** `24–31 Dec`, or `28 Dec – 3 Jan 2027` */
export const datesText = (first: string, last: string, today: string): string => {
  const [from, to] = [first, last].map((date) => dayText(dateMidnight(date)!, dateMidnight(today)!).slice(4)) as [
    string,
    string,
  ];
  const isSameMonth = first.slice(0, 7) === last.slice(0, 7);
  return isSameMonth ? `${from.split(' ')[0]}–${to}` : `${from} – ${to}`;
};

const changeText = (changes: readonly DayChange[], today: string): string => {
  const [{ day: first, old, now }, last] = [changes[0]!, changes.at(-1)!.day];
  if (changes.length === 1) {
    const name = isDate(first) ? dayText(dateMidnight(first)!, dateMidnight(today)!) : dayWords({ wday: first });
    return old === now ? `${name}: ${now} as every week` : `${name}: ${old} → ${now}`;
  }
  if (isWorked(now)) return `${datesText(first, last, today)}, ${counted(changes.length, 'day')} → ${now}`;
  const workDays = changes.filter((change) => isWorked(change.old));
  const [hours, ...others] = new Set(workDays.map((change) => change.old));
  const same = hours !== undefined && others.length === 0 ? `: ${hours}` : '';
  const days = workDays.length === 0 ? 'no working days' : counted(workDays.length, 'working day');
  return `${datesText(first, last, today)}, ${days}${same} → ${now}`;
};

/** The difference between two sets of rules: `every Friday: 09:00–17:00 → off`, `24–31 Dec, 6 working days → off`. */
export const rulesDifference = (before: readonly Rule[], after: readonly Rule[], today: string): string[] => {
  const unknown = (rules: readonly Rule[]) => rules.filter((rule) => !isKnown(rule)).map(ruleWords);
  const [oldRules, newRules] = [unknown(before), unknown(after)];
  return [
    ...runsOf(changesOf(before, after), isNextDay).map((changes) => changeText(changes, today)),
    ...oldRules.filter((rule) => !newRules.includes(rule)).map((rule) => `removed: ${rule}`),
    ...newRules.filter((rule) => !oldRules.includes(rule)).map((rule) => `added: ${rule}`),
  ];
};
