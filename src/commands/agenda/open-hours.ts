import { moreEventTypes, type SentEventType } from '../../api/event-types.ts';
import { minute } from '../../base/milliseconds.ts';
import type { Context } from '../../cli/session/context.ts';
import { hasRoom } from '../../cli/session/network.ts';
import { readIfPossible } from '../../client/change.ts';
import { clipped, type Day } from '../../time/calendar.ts';
import { dateText } from '../../time/days.ts';
import { scheduleHours } from '../../time/from-records.ts';
import { freeSlots, type Hours, hoursWithin, mergedSpans, type Span } from '../../time/slots.ts';
import { ownSchedulesByType } from '../availability/schedule-facts.ts';
import { defaultStep } from '../slots/free-slots.ts';

/** When somebody can be booked for an event type, apart from their events. */
interface TypeHours {
  /** Length of a meeting in minutes. */
  duration: number;
  hours: readonly Hours[];
  /** Minutes between two starts. */
  step: number;
}

/** Minutes between two starts with several hosts. Hours begin on a multiple of it. */
const sharedStep = 5;

/** The hours of more event types cost too many requests. */
const mostTypes = 50;

/**
 * The hours of a user's event types that can be booked: one request each, so only as far as the rate limit has room.
 * Undefined if it has none, if some hours can't be read, or if the service computes free times from more than hours.
 */
export const readHours = (
  context: Context,
  user: string,
  readTypes: () => Promise<SentEventType[]>,
): Promise<TypeHours[] | undefined> =>
  readIfPossible(async () => {
    if ((await context.client()).offers(moreEventTypes['available-times'])) return undefined;
    if (!(await hasRoom(context, 1))) return undefined;
    const types = (await readTypes()).filter(({ active }) => active !== false);
    if (types.length === 0 || types.length > mostTypes || !(await hasRoom(context, types.length))) return undefined;
    const all: TypeHours[] = [];
    for (const { type, schedules } of await ownSchedulesByType(context, types, user)) {
      const hours = schedules.map(scheduleHours).filter((each) => typeof each !== 'string');
      const duration = Number(type.duration);
      if (hours.length < schedules.length || schedules.length === 0 || !(duration > 0)) return undefined;
      // With several hosts, meetings also start on the grids of the others, which begin at any time.
      all.push({ duration, hours, step: type.pooling_type ? sharedStep : defaultStep(duration) });
    }
    return all;
  });

/** What the hours say about days. */
export interface OpenHours {
  /** Apart from events and from now. */
  hoursOn(day: Day): Span[];
  /** Whether a date is off in all schedules. */
  isOff(day: Day): boolean;
  /** The time of all meetings that could be booked, as far as this person decides: their starts are those of `event-types slots`. */
  openOn(day: Day): Span[];
}

/** Works out the open time of days from the hours and the events that are in the way. */
export const openHours = (
  types: readonly TypeHours[],
  days: readonly Day[],
  busy: readonly Span[],
  now: number,
): OpenHours => {
  const window = { start: days[0]!.since, end: days.at(-1)!.until };
  const schedules = types.flatMap(({ hours }) => hours);
  const hours = hoursWithin(schedules, window);
  const host = { busy: busy.map((span) => ({ ...span, event: {}, isFull: false })) };
  const open = mergedSpans(
    types.flatMap(({ duration, hours, step }) => [
      ...freeSlots({
        isActive: true,
        now,
        hosts: [{ ...host, hours }],
        needsAll: true,
        duration,
        step,
        since: Math.max(now + 1, window.start - duration * minute),
        until: window.end,
      }),
    ]),
  );
  const onDay = (spans: readonly Span[], day: Day): Span[] =>
    spans.filter(({ start, end }) => start < day.until && end > day.since).map((span) => clipped(span, day));
  const hoursOn = (day: Day) => onDay(hours, day);
  return {
    hoursOn,
    isOff: (day) =>
      hoursOn(day).length === 0 &&
      schedules.every(({ rules }) => rules.some((rule) => rule.day === dateText(day.midnight))),
    openOn: (day) => onDay(open, day),
  };
};
