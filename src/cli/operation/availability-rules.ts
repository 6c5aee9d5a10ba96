import { weekdays } from '../../api/weekdays.ts';
import { isObject, type Json } from '../../client/reading.ts';
import { nearest } from '../../nearest.ts';

/** The hours of a weekday or a date. Typed as `monday 09:00-12:00,13:00-17:00` or `2026-12-24 off`. */
export type Rule = Json;

type Read<T> = { ok: true; value: T } | { ok: false; problem: string };

const dayForm = 'monday, mon, monday-friday or a date such as 2026-12-24';

/** The weekday or date of a rule. */
export const dayOf = (rule: Rule): string => String(rule.type === 'date' ? rule.date : rule.wday);

/** A rule as it could be typed. */
export const ruleText = (rule: Rule): string => {
  const hours = Array.isArray(rule.intervals) ? rule.intervals.filter(isObject) : [];
  return `${dayOf(rule)} ${hours.length === 0 ? 'off' : hours.map(({ from, to }) => `${from}-${to}`).join(',')}`;
};

const hoursOf = (rule: Rule): string => ruleText(rule).slice(dayOf(rule).length + 1);

/** Texts of rules, with consecutive weekdays of the same hours merged: `mon-fri 09:00-17:00`. */
const spans = (rules: readonly Rule[]): string[] => {
  const found: { first: number; last: number; hours: string; text?: string }[] = [];
  for (const rule of rules) {
    const day = weekdayCalled(dayOf(rule));
    const before = found.at(-1);
    if (day < 0 || rule.type === 'date') found.push({ first: -1, last: -1, hours: '', text: ruleText(rule) });
    else if (before?.text === undefined && before?.last === day - 1 && before.hours === hoursOf(rule))
      before.last = day;
    else found.push({ first: day, last: day, hours: hoursOf(rule) });
  }
  const name = (day: number) => weekdays[day]!.slice(0, 3);
  return found.map(
    ({ first, last, hours, text }) => text ?? `${name(first)}${last > first ? `-${name(last)}` : ''} ${hours}`,
  );
};

export const rulesText = (record: object): string => {
  const { rules } = record as Json;
  return Array.isArray(rules) ? spans(rules.filter(isObject)).join('; ') : '';
};

const weekdayCalled = (word: string): number => weekdays.findIndex((day) => day === word || day.slice(0, 3) === word);

export const isDate = (text: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
};

/** Reads `monday`, `mon`, `mon-fri` or a date as the days it names. */
export const readDays = (text: string): Read<Rule[]> => {
  const word = text.trim().toLowerCase();
  if (isDate(word)) return { ok: true, value: [{ type: 'date', date: word }] };
  const [first = '', last = first] = word.split('-');
  const [from, to] = [weekdayCalled(first), weekdayCalled(last)];
  if (from >= 0 && to >= from) {
    return { ok: true, value: weekdays.slice(from, to + 1).map((wday) => ({ type: 'wday', wday })) };
  }
  const meant = nearest(word, weekdays);
  return {
    ok: false,
    problem: `"${text}" is not a day. ${meant === undefined ? `Use ${dayForm}` : `Did you mean ${meant}?`}`,
  };
};

const readInterval = (text: string): Read<Json> => {
  const [, from, to] = /^((?:[01]?\d|2[0-3]):[0-5]\d)-((?:[01]?\d|2[0-3]):[0-5]\d|24:00)$/.exec(text.trim()) ?? [];
  if (from === undefined || to === undefined)
    return { ok: false, problem: `"${text}" is not a time range such as 09:00-12:30` };
  const interval = { from: from.padStart(5, '0'), to: to.padStart(5, '0') };
  if (interval.from >= interval.to) return { ok: false, problem: `"${text}" ends before it starts` };
  return { ok: true, value: interval };
};

/** Reads `DAY HOURS` as rules: one for each day of a range. */
export const readRule = (text: string): Read<Rule[]> => {
  const [, day, hours] = /^\s*(\S+)\s+(\S.*?)\s*$/.exec(text) ?? [];
  if (day === undefined || hours === undefined) {
    return { ok: false, problem: `"${text}" is not a rule such as "monday 09:00-12:00,13:00-17:00"` };
  }
  const days = readDays(day);
  if (!days.ok) return days;
  if (hours.toLowerCase() === 'off') return { ok: true, value: days.value.map((rule) => ({ ...rule, intervals: [] })) };
  const intervals: Json[] = [];
  for (const span of hours.split(',')) {
    const read = readInterval(span);
    if (!read.ok) return read;
    intervals.push(read.value);
  }
  intervals.sort((a, b) => String(a.from).localeCompare(String(b.from)));
  const clash = intervals.find(
    (interval, index) => index > 0 && String(interval.from) < String(intervals[index - 1]!.to),
  );
  if (clash !== undefined)
    return { ok: false, problem: `"${text}": the time range from ${clash.from} overlaps the previous one` };
  return { ok: true, value: days.value.map((rule) => ({ ...rule, intervals })) };
};

/**
 * Returns the rules after a change. Rules of the given days are replaced or removed, all others stay the same. The
 * service may list several rules for one day; the replacement takes the place of the first.
 */
export const changeRules = (rules: readonly Rule[], set: readonly Rule[], removed: readonly Rule[]): Rule[] => {
  const named = new Set([...set, ...removed].map(dayOf));
  const byDay = new Map(set.map((rule) => [dayOf(rule), rule]));
  const kept = rules.flatMap((rule): Rule[] => {
    const day = dayOf(rule);
    if (!named.has(day)) return [rule];
    const replacement = byDay.get(day);
    byDay.delete(day);
    return replacement === undefined ? [] : [replacement];
  });
  return [...kept, ...byDay.values()];
};

/** The difference between two sets of rules, one rule per line: `-` for removed, `+` for added. */
export const rulesDifference = (before: readonly Rule[], after: readonly Rule[]): string[] => {
  const [old, now] = [before.map(ruleText), after.map(ruleText)];
  return [
    ...old.filter((line) => !now.includes(line)).map((line) => `- ${line}`),
    ...now.filter((line) => !old.includes(line)).map((line) => `+ ${line}`),
  ];
};
