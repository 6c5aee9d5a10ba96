import ical from 'ical.js';
import { isObject } from '../../base/json.ts';
import { day } from '../../base/milliseconds.ts';
import { dateText } from '../../time/days.ts';
import type { CheckResult } from '../../time/reading.ts';
import { expand, type Recurrence } from '../../time/recurrence.ts';
import { wallClock } from '../../time/show.ts';
import { midnightOf, timestampOf } from '../../time/wall.ts';

/** A longer calendar isn't read. */
export const mostBytes = 1024 * 1024;

/** Days of one calendar. */
export const mostDays = 1000;

/** Days that rules are followed through: a calendar can have thousands of rules. */
const mostSteps = 400_000;

/** A property as ical.js reads it (jCal, RFC 7265): name, parameters, type and values. */
type Property = [name: string, parameters: { tzid?: unknown }, type: string, ...values: unknown[]];
type Component = [name: string, properties: Property[], components: Component[]];

interface CalendarChoices {
  /** Events at times of a day count too. */
  timed: boolean;
  /** The first midnight that matters. */
  since: number;
  /** The last midnight up to which events repeat. */
  until: number;
  /** The zone of times in UTC. */
  zone: string;
}

/** The dates of a calendar, and the events that are left out, with the reason. */
interface Holidays {
  dates: string[];
  left: string[];
}

const frequencies = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const;
const weekdayWords = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
const knownParts = ['freq', 'interval', 'until', 'count', 'bymonth', 'bymonthday', 'byday', 'bysetpos', 'wkst'];

/** The midnight of a date, or of the day of a time on its own clock. Undefined if it is neither. */
const midnightIn = (text: unknown, zone: string): { at: number; isAtMidnight: boolean } | undefined => {
  const [, date, time = '', utc] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d)(Z?))?$/.exec(String(text)) ?? [];
  const at = timestampOf(`${date}T${time || '00:00:00'}Z`);
  if (at === undefined || at < 0) return undefined;
  const wall = utc === 'Z' ? wallClock(zone)(at) : at;
  return { at: midnightOf(wall), isAtMidnight: wall === midnightOf(wall) };
};

const numbersIn = (value: unknown): number[] => (value === undefined ? [] : [value].flat().map(Number));

/** What a number in a rule becomes that is none, or below 1: ical.js would take some for 1, and refuse all for others. */
const unreadable = 'unreadable';
const wrongNumber = /(?<=^RRULE\b.*[:;])(?:INTERVAL|COUNT)=(?!0*[1-9]\d*\s*(?:;|$))[^;\r\n]*/gim;

/** Reads a rule. A text says why it can't be followed. */
const readRule = (value: unknown, zone: string): Recurrence | string => {
  if (!isObject(value) || unreadable in value) return 'its rule is unreadable';
  const freq = frequencies.find((each) => each === value.freq);
  const other = Object.keys(value).find((name) => !knownParts.includes(name));
  if (freq === undefined || other !== undefined)
    return `sched can't follow its rule (${other ?? `FREQ=${value.freq}`})`;
  const isMonthly = freq === 'MONTHLY' || freq === 'YEARLY';
  if (value.bysetpos !== undefined && !isMonthly) return "sched can't follow its rule (BYSETPOS)";
  const weekdays = [value.byday ?? []].flat().map((each) => {
    const [, nth = '', word = ''] = /^([+-]?\d{0,2})([A-Z]{2})$/.exec(String(each)) ?? [];
    return { weekday: weekdayWords.indexOf(word), nth: Number(nth) };
  });
  const until = value.until === undefined ? undefined : midnightIn(value.until, zone);
  const [interval, count] = [Number(value.interval ?? 1), value.count === undefined ? undefined : Number(value.count)];
  const numbers = [
    interval,
    count ?? 1,
    ...['bymonth', 'bymonthday', 'bysetpos'].flatMap((name) => numbersIn(value[name])),
  ];
  const mostWeeks = isMonthly ? (freq === 'MONTHLY' ? 5 : 53) : 0;
  const isWrong =
    !numbers.every((number) => Number.isInteger(number) && number !== 0) ||
    weekdays.some(({ weekday, nth }) => weekday < 0 || Math.abs(nth) > mostWeeks);
  if (isWrong || (value.until !== undefined && until === undefined)) return 'its rule is unreadable';
  return {
    freq,
    interval,
    count,
    until: until?.at,
    months: numbersIn(value.bymonth),
    monthDays: numbersIn(value.bymonthday),
    weekdays,
    positions: numbersIn(value.bysetpos),
  };
};

/** How many days an event takes: to its end, which is exclusive, or for its duration. Undefined if it ends before that. */
const daysOf = (start: Property, end: Property | undefined, duration: Property | undefined, zone: string) => {
  const isDate = start[2] === 'date';
  const first = midnightIn(start[3], zone)!;
  if (end !== undefined) {
    const last = midnightIn(end[3], zone);
    const [began, ended] = [String(start[3]), String(end[3])];
    // Elsewhere, an earlier time on the clock may be a later one.
    const isOneClock = start[1].tzid === end[1].tzid && began.endsWith('Z') === ended.endsWith('Z');
    if (last === undefined || (isOneClock && ended < began)) return undefined;
    return Math.max(1, (last.at - first.at) / day + (isDate || last.isAtMidnight ? 0 : 1));
  }
  if (duration === undefined) return 1;
  const [, weeks, days, rest] = /^P(?:(\d{1,3})W)?(?:(\d{1,4})D)?(T.*)?$/.exec(String(duration[3])) ?? [];
  if (weeks === undefined && days === undefined && rest === undefined) return undefined;
  return Math.max(1, Number(weeks ?? 0) * 7 + Number(days ?? 0) + (isDate || rest === undefined ? 0 : 1));
};

const eventsIn = ([name, , components]: Component): Component[] =>
  name === 'vcalendar' ? components.filter(([each]) => each === 'vevent') : [];

/** The days of the events of a calendar (RFC 5545). */
export const readHolidays = (text: string, { timed, since, until, zone }: CalendarChoices): CheckResult<Holidays> => {
  let events: Component[];
  try {
    const unfolded = text.replace(/^\uFEFF/, '').replace(/\r?\n[ \t]/g, '');
    const parsed = ical.parse(unfolded.replace(wrongNumber, `${unreadable}=1`)) as Component | Component[];
    events = (typeof parsed[0] === 'string' ? [parsed as Component] : (parsed as Component[])).flatMap(eventsIn);
  } catch (error) {
    return { ok: false, problem: `is not a calendar: ${(error as Error).message.split('\n')[0]!.slice(0, 200)}` };
  }
  if (events.length === 0) return { ok: false, problem: 'is not a calendar with events' };
  const dates = new Set<number>();
  const left: string[] = [];
  let steps = 0;
  const all = (properties: readonly Property[], name: string) => properties.filter(([each]) => each === name);
  /** Dates on which an event does not repeat as usual, because another one has its place. */
  const moved = new Map<string, number[]>();
  for (const [, properties] of events)
    for (const [, , , value] of all(properties, 'recurrence-id')) {
      const uid = String(all(properties, 'uid')[0]?.[3]);
      moved.set(uid, [...(moved.get(uid) ?? []), midnightIn(value, zone)?.at ?? Number.NaN]);
    }
  for (const [index, [, properties]] of events.entries()) {
    const one = (name: string) => all(properties, name)[0];
    const summary = String(one('summary')?.[3] ?? `event ${index + 1}`).slice(0, 80);
    const start = one('dtstart');
    const first = start && midnightIn(start[3], zone);
    if (String(one('status')?.[3]).toUpperCase() === 'CANCELLED') continue;
    if (start === undefined || first === undefined) {
      left.push(`${summary}: its start is unreadable`);
      continue;
    }
    if (start[2] !== 'date' && !timed) continue;
    const length = daysOf(start, one('dtend'), one('duration'), zone);
    const rules = all(properties, 'rrule').map(([, , , value]) => readRule(value, zone));
    const unread = rules.find((rule) => typeof rule === 'string');
    if (length === undefined || unread !== undefined || rules.length > 1) {
      left.push(`${summary}: ${unread ?? (length === undefined ? 'its end is unreadable' : 'it has several rules')}`);
      continue;
    }
    const values = (name: string) =>
      all(properties, name).flatMap(([, , , ...each]) => each.map((value) => midnightIn(value, zone)?.at));
    if ([...values('exdate'), ...values('rdate')].includes(undefined)) {
      left.push(`${summary}: its other dates are unreadable`);
      continue;
    }
    const excluded = new Set([
      ...values('exdate'),
      ...(one('recurrence-id') ? [] : (moved.get(String(one('uid')?.[3])) ?? [])),
    ]);
    const [rule] = rules as Recurrence[];
    const from = Math.max(first.at, since - length * day);
    steps += rule === undefined ? 1 : Math.max(0, until - (rule.count === undefined ? from : first.at)) / day;
    if (steps > mostSteps) return { ok: false, problem: 'has too many events that repeat' };
    const starts = [...(rule === undefined ? [first.at] : expand(rule, first.at, from, until)), ...values('rdate')];
    for (const at of starts) {
      if (at === undefined || excluded.has(at)) continue;
      for (let each = 0; each < length && dates.size <= 40 * mostDays; each += 1) dates.add(at + each * day);
    }
  }
  return { ok: true, value: { dates: [...dates].sort((a, b) => a - b).map(dateText), left } };
};
