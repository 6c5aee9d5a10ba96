import type { SentEvent } from '../../api/events.ts';
import { recordsIn } from '../../base/json.ts';
import { minute } from '../../base/milliseconds.ts';
import { idIn } from '../../base/uri.ts';
import { exactSpan } from '../../time/from-records.ts';
import { type DayHours, type Hours, judge, overlap, type Span } from '../../time/slots.ts';

/** What is wrong with the time of an event for one of its hosts. */
export type Conflict = { host: string } & (
  | { code: 'overlap'; event: SentEvent }
  /** The hours of that day, for each schedule of the host. */
  | { code: 'day-off' | 'hours'; rules: DayHours[] }
);

interface TimedEvent extends Span {
  event: SentEvent;
  /** URIs of the hosts. */
  hosts: string[];
}

/** The hours in which a host can be booked for the type of an event. Undefined if they are unknown. */
type HoursOf = (event: SentEvent, host: string) => readonly Hours[] | undefined;

const hostsOf = (event: SentEvent): string[] =>
  recordsIn(event.event_memberships).flatMap(({ user }) => (typeof user === 'string' ? [user] : []));

/** Whether an event is outside the hours, or on a day that all schedules have off. Bookings are checked by the same rule. */
const outsideHours = ({ start, end }: Span, host: string, hours: readonly Hours[]): Conflict[] => {
  const facts = { isActive: true, now: Number.NEGATIVE_INFINITY, needsAll: true, duration: (end - start) / minute };
  const [reason] = judge({ ...facts, step: 30, since: start, until: start, hosts: [{ hours, busy: [] }] }, start);
  if (reason?.code !== 'hours') return [];
  const isOff = reason.hours.every(({ day, intervals }) => intervals.length === 0 && /^\d/.test(day));
  return [{ host, code: isOff ? 'day-off' : 'hours', rules: reason.hours }];
};

/** The conflicts of active events, by the ID of the event. `bufferMs` must be between two events of a host. */
export const conflictsIn = (
  events: readonly SentEvent[],
  hoursOf: HoursOf,
  bufferMs: number,
): ReadonlyMap<string, readonly Conflict[]> => {
  const active = events.flatMap((event): TimedEvent[] => {
    const span = exactSpan(event);
    return span === undefined || event.status !== 'active' ? [] : [{ ...span, event, hosts: hostsOf(event) }];
  });
  const conflicts = new Map<string, Conflict[]>();
  const add = ({ event }: TimedEvent, ...more: readonly Conflict[]) => {
    if (more.length > 0) conflicts.set(idIn(event.uri), [...(conflicts.get(idIn(event.uri)) ?? []), ...more]);
  };
  /** Earlier events of each host that have not ended yet. */
  const running = new Map<string, TimedEvent[]>();
  for (const one of active.toSorted((a, b) => a.start - b.start)) {
    for (const host of new Set(one.hosts)) {
      const still = (running.get(idIn(host)) ?? []).filter(({ end }) => end + bufferMs > one.start);
      for (const other of still) {
        if (!overlap({ ...one, end: one.end + bufferMs }, { ...other, end: other.end + bufferMs })) continue;
        add(one, { host, code: 'overlap', event: other.event });
        add(other, { host, code: 'overlap', event: one.event });
      }
      running.set(idIn(host), [...still, one]);
      const hours = hoursOf(one.event, host);
      if (hours !== undefined) add(one, ...outsideHours(one, host, hours));
    }
  }
  return conflicts;
};
