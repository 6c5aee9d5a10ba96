import * as Instant from 'temporal-polyfill/fns/Instant';
import * as PlainDate from 'temporal-polyfill/fns/PlainDate';
import * as ZonedDateTime from 'temporal-polyfill/fns/ZonedDateTime';
import { weekdays } from '../api/weekdays.ts';
import { minute } from './wall.ts';

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

/** Hours by weekday and date, in a time zone. */
export interface Hours {
  timezone: string;
  rules: readonly HoursRule[];
}

export interface SlotHost {
  /** Unknown hours limit nothing. */
  hours: readonly Hours[] | undefined;
  busy: readonly Span[];
}

export interface SlotSearch {
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

export interface Slot extends Span {
  /** Indexes of the free hosts. Empty for an existing event. */
  hosts: number[];
  /** Index of the existing event, if it is one. */
  seat?: number;
}

/** A stretch in which a zone's clocks don't change. */
interface Steady extends Span {
  offset: string;
}

/** A zone's stretches without clock changes, in order. */
function steadySpans(zone: string, { start, end }: Span): Steady[] {
  const spans: Steady[] = [];
  let at = Instant.toZonedDateTimeISO(Instant.fromEpochMilliseconds(start), zone);
  for (;;) {
    const change = ZonedDateTime.getTimeZoneTransition(at, 'next');
    const isLast = change === null || change.epochMilliseconds >= end;
    spans.push({
      start: at.epochMilliseconds,
      end: isLast ? end : change.epochMilliseconds,
      offset: ZonedDateTime.offset(at),
    });
    if (isLast) return spans;
    at = change;
  }
}

/** The dates that a zone's calendar shows in a stretch of time. */
function datesIn(zone: string, { start, end }: Span): PlainDate.Record[] {
  const dateAt = (at: number) =>
    ZonedDateTime.toPlainDate(Instant.toZonedDateTimeISO(Instant.fromEpochMilliseconds(at), zone));
  const last = dateAt(end);
  const dates: PlainDate.Record[] = [];
  for (let date = dateAt(start); PlainDate.compare(date, last) <= 0; date = PlainDate.addDays(date, 1))
    dates.push(date);
  return dates;
}

/** The rules for a date replace those of its weekday. */
function intervalsOn(date: PlainDate.Record, rules: readonly HoursRule[]): HoursRule['intervals'] {
  const weekday = weekdays[PlainDate.dayOfWeek(date) - 1]!;
  const ofDate = rules.filter((rule) => rule.day === PlainDate.toString(date));
  const chosen = ofDate.length > 0 ? ofDate : rules.filter((rule) => rule.day === weekday);
  return chosen.flatMap(({ intervals }) => intervals);
}

/** The instant of a time of day on a date, if the clocks had this offset. */
function instantOf(date: PlainDate.Record, clock: string, offset: string): number {
  const isMidnight = clock === '24:00';
  const day = PlainDate.toString(isMidnight ? PlainDate.addDays(date, 1) : date);
  return Instant.fromString(`${day}T${isMidnight ? '00:00' : clock}${offset}`).epochMilliseconds;
}

interface OpenHours {
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
  const open: OpenHours = { spans: [], starts: [] };
  for (const date of datesIn(timezone, window)) {
    for (const { from, to } of intervalsOn(date, rules)) {
      let previous: Span | undefined;
      for (const stretch of steady) {
        const first = instantOf(date, from, stretch.offset);
        const start = Math.max(first, stretch.start);
        const end = Math.min(instantOf(date, to, stretch.offset), stretch.end);
        if (start >= end) continue;
        // A meeting can last through a clock change.
        if (previous?.end === start) previous.end = end;
        else {
          previous = { start, end };
          open.spans.push(previous);
        }
        const skipped = Math.ceil((start - first) / (step * minute));
        for (let at = first + skipped * step * minute; at < end; at += step * minute) open.starts.push(at);
      }
    }
  }
  return open;
}

const isInside = ({ start, end }: Span, spans: readonly Span[]): boolean =>
  spans.some((span) => span.start <= start && end <= span.end);

const overlapsAny = ({ start, end }: Span, spans: readonly Span[]): boolean =>
  spans.some((span) => span.start < end && start < span.end);

/**
 * The free start times of a meeting, in order. A start is free if the whole meeting is inside one interval of the hours
 * of that day and no host is busy. If one host is enough, it is free if that is true of any host.
 */
export function* freeSlots(search: SlotSearch): Generator<Slot> {
  const { hosts, needsAll, duration, step, seats = [], since, until } = search;
  const length = duration * minute;
  // A day more on both sides, because the dates of a zone begin and end at other times.
  const window = { start: since - 24 * 60 * minute, end: until + length + 24 * 60 * minute };
  const calendars = hosts.map(({ hours, busy }) => {
    const open = hours?.map((each) => openHours(each, window, step));
    return { spans: open?.flatMap(({ spans }) => spans), starts: open?.flatMap(({ starts }) => starts) ?? [], busy };
  });
  const starts = new Set([...seats.map((seat) => seat.start), ...calendars.flatMap((calendar) => calendar.starts)]);
  for (const start of [...starts].filter((at) => since <= at && at < until).sort((a, b) => a - b)) {
    const seat = seats.findIndex((each) => each.start === start);
    if (seat >= 0) {
      yield { ...seats[seat]!, hosts: [], seat };
      continue;
    }
    const meeting = { start, end: start + length };
    const free = calendars.flatMap(({ spans, busy }, index) =>
      (spans === undefined || isInside(meeting, spans)) && !overlapsAny(meeting, busy) ? [index] : [],
    );
    if (needsAll ? free.length === hosts.length : free.length > 0) yield { ...meeting, hosts: free };
  }
}
