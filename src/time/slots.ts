import type { Json } from '../base/json.ts';
import { day, hour, minute } from '../base/milliseconds.ts';
import { dateText } from './days.ts';
import { offsetIn } from './offset.ts';
import { wallClock } from './show.ts';
import { midnightOf, weekdayName } from './wall.ts';
import { changeBetween } from './zoned.ts';

/** A stretch of time in milliseconds since 1970, without its end. */
export interface Span {
  start: number;
  end: number;
}

/** The hours of a weekday or of a date. No intervals mean a day off. */
export interface HoursRule {
  /** A weekday such as `monday`, or a date such as `2026-12-24`. */
  day: string;
  intervals: readonly { from: string; to: string }[];
}

/** The hours of one day, in a time zone. */
export interface DayHours extends HoursRule {
  timezone: string;
}

/** Hours by weekday and date, in a time zone. */
export interface Hours {
  timezone: string;
  rules: readonly HoursRule[];
}

/** The time of a host's event. */
interface Busy extends Span {
  event: Json;
  /** It is an event of this meeting, and all of its seats are taken. */
  isFull: boolean;
}

export interface SlotHost {
  /** Unknown hours limit nothing. */
  hours: readonly Hours[] | undefined;
  busy: readonly Busy[];
}

export interface SlotSearch {
  isActive: boolean;
  now: number;
  hosts: readonly SlotHost[];
  /** Whether all hosts take part in a meeting. If not, one is enough. */
  needsAll: boolean;
  /** Length of the meeting in minutes. */
  duration: number;
  /** Minutes between two starts, counted from the beginning of an interval. */
  step: number;
  /** Existing events of this meeting that more people can join. */
  seats?: readonly Span[];
  /** Starts from `since` on and before `until`. */
  since: number;
  until: number;
}

interface Slot extends Span {
  /** Indexes of the free hosts. Empty for an existing event. */
  hosts: number[];
  /** Index of the existing event, if it is one. */
  seat?: number;
}

/** Why a meeting can't start at a time. `host` is an index. */
export type Reason =
  | { code: 'inactive' }
  | { code: 'past' }
  /** The hours of the host on that day, for each of their schedules. */
  | { code: 'hours'; host: number; hours: DayHours[] }
  | { code: 'seat' | 'busy'; host: number; busy: Busy };

/** A stretch in which a zone's clocks don't change. */
interface Steady extends Span {
  offset: number;
}

/** A zone's stretches without clock changes, in order. */
function steadySpans(zone: string, { start, end }: Span): Steady[] {
  const offset = offsetIn(zone);
  const spans: Steady[] = [];
  let first = start;
  for (let at = start; at < end; at += day) {
    const next = Math.min(at + day, end);
    if (offset(next) === offset(first)) continue;
    const change = changeBetween(zone, at, next);
    spans.push({ start: first, end: change, offset: offset(first) });
    first = change;
  }
  return first < end ? [...spans, { start: first, end, offset: offset(first) }] : spans;
}

const weekdayCalled = (wall: number): string => weekdayName(wall).toLowerCase();

/** The rules for a date replace those of its weekday. */
function rulesOn(midnight: number, rules: readonly HoursRule[]): HoursRule[] {
  const date = dateText(midnight);
  const ofDate = rules.filter((rule) => rule.day === date);
  return ofDate.length > 0 ? ofDate : rules.filter((rule) => rule.day === weekdayCalled(midnight));
}

/** `24:00` is the end of a day. */
const sinceMidnight = (clock: string): number => {
  const [hours, minutes] = clock.split(':').map(Number) as [number, number];
  return hours * hour + minutes * minute;
};

interface OpenHours {
  timezone: string;
  /** The rules of each date, by its midnight. */
  rules: Map<number, HoursRule[]>;
  spans: Span[];
  /** Starts on the grid, not yet checked for the length of the meeting. */
  starts: number[];
}

/**
 * The stretches in which the clocks of a zone show the hours of the rules. A clock change can cut an interval in two or
 * skip a part of it; a time that occurs twice counts twice.
 */
function openHours({ timezone, rules }: Hours, window: Span, step: number): OpenHours {
  const steady = steadySpans(timezone, window);
  const open: OpenHours = { timezone, rules: new Map(), spans: [], starts: [] };
  const [first, last] = [window.start, window.end].map((at) => midnightOf(wallClock(timezone)(at))) as [number, number];
  for (let midnight = first; midnight <= last; midnight += day) {
    const ofDate = rulesOn(midnight, rules);
    open.rules.set(midnight, ofDate);
    for (const { from, to } of ofDate.flatMap(({ intervals }) => intervals)) {
      let previous: Span | undefined;
      for (const stretch of steady) {
        const first = midnight + sinceMidnight(from) - stretch.offset;
        const start = Math.max(first, stretch.start);
        const end = Math.min(midnight + sinceMidnight(to) - stretch.offset, stretch.end);
        if (start >= end) continue;
        // A meeting can last through a clock change.
        if (previous?.end === start) previous.end = end;
        else {
          previous = { start, end };
          open.spans.push(previous);
        }
        const steps = Math.ceil((start - first) / (step * minute));
        for (let at = first + steps * step * minute; at < end; at += step * minute) open.starts.push(at);
      }
    }
  }
  return open;
}

/** The stretches of a window in which somebody's hours allow meetings, in order and without overlaps. */
export const hoursWithin = (hours: readonly Hours[], window: Span): Span[] => {
  // A day more on both sides, because the dates of a zone begin and end at other times.
  const wider = { start: window.start - day, end: window.end + day };
  return mergedSpans(hours.flatMap((each) => openHours(each, wider, 60).spans));
};

/** The same time as few spans, in order. */
export const mergedSpans = (spans: readonly Span[]): Span[] => {
  const merged: Span[] = [];
  for (const { start, end } of spans.toSorted((one, other) => one.start - other.start)) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
};

const isSpanInside = ({ start, end }: Span, outer: Span): boolean => outer.start <= start && end <= outer.end;

export const overlap = (one: Span, other: Span): boolean => one.start < other.end && other.start < one.end;

type ByDay<S extends Span> = (start: number) => readonly S[];

/** The spans that a meeting can touch, by the day on which it starts. So a start isn't compared with all of them. */
function byDay<S extends Span>(spans: readonly S[], window: Span, length: number): ByDay<S> {
  const days = new Map<number, S[]>();
  for (const span of spans) {
    const last = Math.floor(Math.min(span.end, window.end) / day);
    for (let at = Math.floor(Math.max(span.start - length, window.start) / day); at <= last; at += 1)
      days.set(at, [...(days.get(at) ?? []), span]);
  }
  return (start) => days.get(Math.floor(start / day)) ?? [];
}

interface OpenHost {
  hours: OpenHours[] | undefined;
  intervals: ByDay<Span>;
  events: ByDay<Busy>;
}

const openHosts = ({ hosts, duration, step, since, until }: SlotSearch): OpenHost[] => {
  // A day more on both sides, because the dates of a zone begin and end at other times.
  const length = duration * minute;
  const window = { start: since - day, end: until + length + day };
  return hosts.map(({ hours, busy }) => {
    const open = hours?.map((each) => openHours(each, window, step));
    const spans = open?.flatMap((each) => each.spans) ?? [];
    return { hours: open, intervals: byDay(spans, window, length), events: byDay(busy, window, length) };
  });
};

const isHostOpen = ({ hours, intervals }: OpenHost, meeting: Span): boolean =>
  hours === undefined || intervals(meeting.start).some((interval) => isSpanInside(meeting, interval));

/**
 * The meeting that would start at a time, and every reason against it. A meeting needs to be inside one interval of the
 * hours of that day, while its hosts are not busy. Who joins an existing event needs neither. The first reason is the
 * one that decides: if one host is enough, hours decide only if they exclude all hosts.
 */
function judgeOpen(search: SlotSearch, hosts: readonly OpenHost[], start: number): { slot: Slot; reasons: Reason[] } {
  const { isActive, now, needsAll, duration, seats = [] } = search;
  const reasons: Reason[] = [];
  if (!isActive) reasons.push({ code: 'inactive' });
  if (start <= now) reasons.push({ code: 'past' });
  const seat = seats.findIndex((each) => each.start === start);
  if (seat >= 0) return { slot: { ...seats[seat]!, hosts: [], seat }, reasons };
  const meeting = { start, end: start + duration * minute };
  const free: number[] = [];
  for (const [index, host] of hosts.entries())
    if (isHostOpen(host, meeting) && !host.events(start).some((event) => overlap(event, meeting))) free.push(index);
  const slot = { ...meeting, hosts: free };
  if (needsAll ? free.length === hosts.length : free.length > 0) return { slot, reasons };
  const outside = hosts.flatMap((each, host): Reason[] =>
    isHostOpen(each, meeting)
      ? []
      : [{ code: 'hours', host, hours: each.hours!.map((hours) => hoursAt(hours, start)) }],
  );
  const meetings = hosts.flatMap(({ events }, host) =>
    events(start)
      .filter((event) => overlap(event, meeting))
      .map((busy): Reason => ({ code: busy.isFull && busy.start === start ? 'seat' : 'busy', host, busy })),
  );
  const doHoursDecide = needsAll || outside.length === hosts.length;
  return { slot, reasons: [...reasons, ...(doHoursDecide ? [...outside, ...meetings] : [...meetings, ...outside])] };
}

const hoursAt = ({ timezone, rules }: OpenHours, start: number): DayHours => {
  const wall = wallClock(timezone)(start);
  const ofDay = rules.get(midnightOf(wall)) ?? [];
  const name = ofDay[0]?.day ?? weekdayCalled(wall);
  return { timezone, day: name, intervals: ofDay.flatMap(({ intervals }) => intervals) };
};

/** Every reason why a meeting can't start at a time, on the grid or not. None if it is free. */
export const judge = (search: SlotSearch, start: number): Reason[] =>
  judgeOpen(search, openHosts({ ...search, since: start, until: start }), start).reasons;

/** The free start times of a meeting, in order: those of the grid that have nothing against them. */
export function* freeSlots(search: SlotSearch): Generator<Slot> {
  const { seats = [], since, until } = search;
  const hosts = openHosts(search);
  const grid = hosts.flatMap(({ hours = [] }) => hours.flatMap(({ starts }) => starts));
  const starts = new Set([...seats.map(({ start }) => start), ...grid]);
  for (const start of [...starts].filter((at) => since <= at && at < until).sort((a, b) => a - b)) {
    const { slot, reasons } = judgeOpen(search, hosts, start);
    if (reasons.length === 0) yield slot;
  }
}
