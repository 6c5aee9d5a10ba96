import { day, minute } from '../../base/milliseconds.ts';
import { offsetIn } from '../../time/offset.ts';
import { intervalsOn, minutesOf, type Schedule } from '../rules/availability.ts';
import { type Agenda, eventsWithSeats, freeHostsAt, readAgenda } from '../rules/booking-rules.ts';
import type { StoredEventType } from '../rules/event-type.ts';
import { localTime } from '../rules/local-time.ts';
import type { Store } from '../store/store.ts';
import { addDays } from './moment.ts';

/** A time at which a meeting can start. */
export interface Start {
  at: number;
  /** Free seats of a group event. */
  seats?: number;
}

/**
 * The moments at which the hours of a schedule let a meeting start: from the beginning of each interval in equal steps
 * by the clock. A time that the clocks skip is none, and one that they repeat is two.
 */
const gridOf = ({ timezone, rules }: Pick<Schedule, 'timezone' | 'rules'>, step: number, from: number, to: number) => {
  const starts: number[] = [];
  const last = localTime(timezone, to).date;
  for (let { date } = localTime(timezone, from); date <= last; date = addDays(date, 1)) {
    const midnight = Date.parse(date);
    const { weekday } = localTime('UTC', midnight);
    const intervals = intervalsOn(rules, date, weekday);
    if (intervals.length === 0) continue;
    // More than the day in any zone. Two offsets mean that the clocks change in between.
    const offsetAt = offsetIn(timezone);
    const offsets = [midnight - day, midnight + 2 * day].map(offsetAt);
    const isSteady = offsets[0] === offsets[1];
    for (const { from: first, to: end } of intervals)
      for (let minutes = minutesOf(first); minutes < minutesOf(end); minutes += step)
        for (const offset of new Set(offsets)) {
          const at = midnight + minutes * minute - offset;
          if (isSteady || offsetAt(at) === offset) starts.push(at);
        }
  }
  return starts;
};

const gridIn = ({ eventType: { type, dates }, hosts }: Agenda, from: number, to: number): number[] => {
  const step = Math.min(type.duration, 30);
  if (dates?.kind !== 'spots') return hosts.flatMap(({ hours }) => gridOf(hours, step, from, to));
  return dates.spots.flatMap((spot) =>
    Array.from({ length: Math.ceil((spot.to - spot.from) / (step * minute)) }, (_, n) => spot.from + n * step * minute),
  );
};

/** The starts from one moment on and before another that the booking accepts, in order. */
export const startsBetween = (
  store: Store,
  eventType: StoredEventType,
  { from, to, now }: { from: number; to: number; now: number },
  /** Which times to look at. Default: those of the hours, in steps. */
  candidates?: number[],
): Start[] => {
  const agenda = readAgenda(store, eventType, from, to + eventType.type.duration * minute);
  const seats = new Map<number, number>();
  for (const { event } of eventsWithSeats(store, eventType, from, to).reverse())
    seats.set(Date.parse(event.start_time), event.invitees_counter.limit - event.invitees_counter.active);
  const times = new Set(candidates ?? [...seats.keys(), ...gridIn(agenda, from, to)]);
  return [...times]
    .filter((at) => from <= at && at < to && at > now)
    .sort((one, other) => one - other)
    .flatMap((at): Start[] => {
      const left = seats.get(at);
      if (left !== undefined) return [{ at, seats: left }];
      if (!Array.isArray(freeHostsAt(agenda, at))) return [];
      return [eventType.type.kind === 'group' ? { at, seats: eventType.limit } : { at }];
    });
};
