import { weekdays } from '../../api/weekdays.ts';
import { isObject, type Json } from '../../client/reading.ts';
import { nearest } from '../../nearest.ts';

/** The hours of a weekday or of one date, as they are typed: `monday 09:00-12:00,13:00-17:00`, `2026-12-24 off`. */
export type Rule = Json;

type Read<T> = { ok: true; value: T } | { ok: false; problem: string };

const dayForm = 'monday, mon, monday-friday or a date such as 2026-12-24';

/** What a rule is about: its weekday or its date. */
export const dayOf = (rule: Rule): string => String(rule.type === 'date' ? rule.date : rule.wday);

/** A rule in the words it could be typed with. */
export const ruleText = (rule: Rule): string => {
  const hours = Array.isArray(rule.intervals) ? rule.intervals.filter(isObject) : [];
  return `${dayOf(rule)} ${hours.length === 0 ? 'off' : hours.map(({ from, to }) => `${from}-${to}`).join(',')}`;
};

const hoursOf = (rule: Rule): string => ruleText(rule).slice(dayOf(rule).length + 1);

/** Weekdays that follow each other and have the same hours, as the one rule they could be typed as: `mon-fri 09:00-17:00`. */
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

/** `monday`, `mon`, `mon-fri` or a date, as the days it names. */
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
    problem: `'${text}' is not a day${meant === undefined ? `; write ${dayForm}` : `, did you mean ${meant}?`}`,
  };
};

const readInterval = (text: string): Read<Json> => {
  const [, from, to] = /^((?:[01]?\d|2[0-3]):[0-5]\d)-((?:[01]?\d|2[0-3]):[0-5]\d|24:00)$/.exec(text.trim()) ?? [];
  if (from === undefined || to === undefined)
    return { ok: false, problem: `'${text}' is not a time span such as 09:00-12:30` };
  const interval = { from: from.padStart(5, '0'), to: to.padStart(5, '0') };
  if (interval.from >= interval.to) return { ok: false, problem: `'${text}' ends before it begins` };
  return { ok: true, value: interval };
};

/** `DAY HOURS` as rules: several for a span of weekdays. */
export const readRule = (text: string): Read<Rule[]> => {
  const [, day, hours] = /^\s*(\S+)\s+(\S.*?)\s*$/.exec(text) ?? [];
  if (day === undefined || hours === undefined) {
    return { ok: false, problem: `'${text}' is not a rule such as 'monday 09:00-12:00,13:00-17:00'` };
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
    return { ok: false, problem: `'${text}': the span from ${clash.from} overlaps the one before it` };
  return { ok: true, value: days.value.map((rule) => ({ ...rule, intervals })) };
};

/**
 * The rules after a change: those of the days named are replaced or taken out, all others stay as they came. A service
 * may tell the hours of a day in several rules; what replaces them stands where the first of them stood.
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

/** What changed, a line each: `-` for what was, `+` for what is. */
export const rulesDifference = (before: readonly Rule[], after: readonly Rule[]): string[] => {
  const [old, now] = [before.map(ruleText), after.map(ruleText)];
  return [
    ...old.filter((line) => !now.includes(line)).map((line) => `- ${line}`),
    ...now.filter((line) => !old.includes(line)).map((line) => `+ ${line}`),
  ];
};
