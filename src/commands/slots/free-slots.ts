import type { SentEventType } from '../../api/event-types.ts';
import { events, type SentEvent } from '../../api/events.ts';
import { limits } from '../../api/limits.ts';
import { windowQuery } from '../../api/window.ts';
import { SchedError } from '../../base/errors.ts';
import { isObject } from '../../base/json.ts';
import { minute } from '../../base/milliseconds.ts';
import { isCount } from '../../base/numbers.ts';
import { idIn } from '../../base/uri.ts';
import { the, words } from '../../base/words.ts';
import { addOrganization } from '../../cli/operation/default-scope.ts';
import type { Context } from '../../cli/session/context.ts';
import { rowFilter } from '../../client/filter.ts';
import { mapConcurrent } from '../../client/map-concurrent.ts';
import { gather } from '../../client/paginate.ts';
import { exactSpan } from '../../time/from-records.ts';
import { freeSlots, judge, type Reason, type SlotSearch, type Span } from '../../time/slots.ts';
import { utcText } from '../../time/wall.ts';
import { hostsIn } from '../events/screen.ts';
import { type HostHours, isHostHidden, readHosts, readPeople, type Unchecked } from './hosts.ts';

/** Starts from `since` on and before `until`, in milliseconds since 1970. */
export interface SlotWindow {
  since: number;
  until: number;
}

export interface SlotQuery extends SlotWindow {
  /** The event type, as the service shows it. */
  type: SentEventType;
  /** Minutes between two starts. */
  step?: number | undefined;
  /** URI of a host who must be free. */
  host?: string | undefined;
  /** URIs of people who meet without an event type: `type` then has only a duration. */
  people?: readonly string[] | undefined;
}

/** A free time as a record: a meeting that could be booked. */
export type FreeSlot = SentEvent & { start_time: string; event?: unknown; invitees_remaining?: unknown };

/** A reason with the URI and the name of its host. */
export type JudgedReason = Reason & { user?: string; who?: string };

/** What would be different: these events are left out, by URI, and others count too. */
interface Otherwise {
  without: ReadonlySet<unknown>;
  also?: readonly SentEvent[];
}

export interface FreeTimes {
  /** The free times as records, computed one after another. Throws if the hours of all hosts are unknown. */
  slots: Iterable<FreeSlot>;
  unchecked: Unchecked[];
  /** The hosts' active events around the window that have readable times, as far as the token shows them. */
  events: SentEvent[];
  nameOf(user: unknown): string;
  /** Every reason why the meeting can't start at a time of the window, on the grid or not. None if it is free. */
  judge(start: number, otherwise?: Otherwise): JudgedReason[];
  /** The hosts, and what each of them has against that time. */
  hostsAt(start: number): { user: string; reasons: JudgedReason[] }[];
}

/** What a list of free times needs. */
export type ShownTimes = Pick<FreeTimes, 'slots' | 'unchecked' | 'nameOf'>;

/** A meeting that takes more than a week is a mistake. The documentation limits only the durations of a share. */
const longestMinutes = 7 * 24 * 60;

/** Starts of different hosts can be minutes apart, but people book on a round number. */
export const defaultStep = (duration: number): number => Math.min(duration, 30);

interface TimedEvent {
  event: SentEvent;
  span: Span;
  /** IDs of the hosts. */
  users: Set<string>;
}

/** The active events of the hosts that may overlap a slot. One without readable times is reported as unchecked. */
const readEvents = async (
  context: Context,
  hosts: readonly HostHours[],
  { since, until }: SlotQuery,
  duration: number,
  unchecked: Unchecked[],
): Promise<TimedEvent[]> => {
  const client = await context.client();
  // Assumed (events.longest): no event is longer than the longest duration option of a share, 720 minutes.
  const first = since - limits.durationMinutes.max * minute;
  const window = windowQuery('start_time', { since: utcText(first), until: utcText(until + duration * minute) });
  const byUri = new Map<unknown, Omit<TimedEvent, 'span'>>();
  await mapConcurrent([...hosts], async ({ user }) => {
    const query: Record<string, string> = { user, status: 'active', ...window };
    try {
      await addOrganization(query, context);
      for (const event of await gather(client.pages(events.list, { query }, { keep: rowFilter(events.list, query) }))) {
        const users = [user, ...hostsIn(event).map((each) => each.user)].map(idIn);
        byUri.set(event.uri, { event, users: new Set([...(byUri.get(event.uri)?.users ?? []), ...users]) });
      }
    } catch (error) {
      if (!isHostHidden(error)) throw error;
      unchecked.push({ what: 'events', user, reason: error.facts.reason ?? error.message });
    }
  });
  return [...byUri.values()].flatMap(({ event, users }) => {
    const span = exactSpan(event);
    if (span === undefined) unchecked.push({ what: 'events', reason: `an event has no readable times: ${event.uri}` });
    return span === undefined ? [] : [{ event, span, users }];
  });
};

/** Seats left in an event, or 0 if the service doesn't show them. */
export const seatsIn = ({ invitees_counter: counter }: SentEvent): number =>
  isObject(counter) ? Math.max(0, Number(counter.limit) - Number(counter.active)) || 0 : 0;

/** Finds the free times of an event type, or of people, from its length, its hosts' hours and their active events. */
export const findFreeTimes = async (context: Context, slotQuery: SlotQuery): Promise<FreeTimes> => {
  const { type, since, until, host, people } = slotQuery;
  const uri = String(type.uri);
  const duration = Number(type.duration);
  if (!isCount(duration, longestMinutes) || duration === 0)
    throw new SchedError('integrity', 'The service sent an event type without a usable duration', { reason: uri });
  const unchecked: Unchecked[] = [];
  // Assumed (one-offs.dates-hidden): the service doesn't show the dates of a one-off event type.
  if (type.type === 'AdhocEventType')
    unchecked.push({ what: 'dates', reason: 'the service does not show the dates of a one-off event type' });
  const {
    hosts: all,
    names,
    noHours,
  } = people === undefined ? await readHosts(context, uri, unchecked) : await readPeople(context, people, unchecked);
  const nameOf = (user: unknown): string => names.get(idIn(user)) ?? idIn(user);
  if (host !== undefined && !all.some(({ user }) => idIn(user) === idIn(host)))
    throw new SchedError('usage', words`${the('host')}: user ${idIn(host)} is not a host of this event type`, {
      reason: `its hosts are ${all.map(({ user }) => nameOf(user)).join(', ')}`,
    });
  const needsAll = type.pooling_type !== 'round_robin';
  // Of a host whose hours are unknown, only the events count, and only if all hosts take part.
  const hosts = needsAll
    ? all
    : all.filter(({ user, hours }) => hours.length > 0 && (host === undefined || idIn(host) === idIn(user)));
  const timedEvents = await readEvents(context, hosts, slotQuery, duration, unchecked);
  for (const { user, user_name: name } of timedEvents.flatMap(({ event }) => hostsIn(event)))
    if (typeof name === 'string' && !names.has(idIn(user))) names.set(idIn(user), name);
  // Assumed (event-types.seats): an event of a group event type can be joined while it has seats left.
  const isOwnGroup = (event: SentEvent): boolean => type.kind === 'group' && idIn(event.event_type) === idIn(uri);
  const isJoinable = ({ event, users }: TimedEvent): boolean =>
    isOwnGroup(event) && seatsIn(event) > 0 && (host === undefined || users.has(idIn(host)));
  const searchAmong = (all: readonly TimedEvent[]): SlotSearch => ({
    isActive: type.active !== false,
    now: context.now(),
    hosts: hosts.map(({ user, hours }) => ({
      hours: hours.length === 0 ? undefined : hours,
      busy: all
        .filter(({ users }) => users.has(idIn(user)))
        .map(({ event, span }) => ({ ...span, event, isFull: isOwnGroup(event) && seatsIn(event) === 0 })),
    })),
    needsAll,
    duration,
    step: slotQuery.step ?? defaultStep(duration),
    seats: all.filter(isJoinable).map(({ span }) => span),
    since,
    until,
  });
  const amongOthers = ({ without, also = [] }: Otherwise): TimedEvent[] => [
    ...timedEvents.filter(({ event }) => !without.has(event.uri)),
    ...also.map((event) => ({
      event,
      span: exactSpan(event)!,
      users: new Set(hostsIn(event).map(({ user }) => idIn(user))),
    })),
  ];
  const joinable = timedEvents.filter(isJoinable);
  const search = searchAmong(timedEvents);
  function* slots(): Generator<FreeSlot> {
    if (hosts.every(({ hours }) => hours.length === 0)) throw noHours;
    for (const { start, end, hosts: free, seat } of freeSlots(search)) {
      const event = seat === undefined ? undefined : joinable[seat]!.event;
      const members =
        event === undefined ? free.map((index) => hosts[index]!.user) : hostsIn(event).map(({ user }) => user);
      yield {
        start_time: utcText(start),
        end_time: utcText(end),
        event_type: type.uri ?? null,
        ...(event === undefined ? {} : { event: event.uri, invitees_remaining: seatsIn(event) }),
        event_memberships: members.map((user) => ({ user, user_name: nameOf(user) })),
        ...(unchecked.length === 0 ? {} : { _sched: { unchecked } }),
      };
    }
  }
  const withHostName = (reason: Reason): JudgedReason => {
    if (!('host' in reason)) return reason;
    const { user } = hosts[reason.host]!;
    return { ...reason, user, who: nameOf(user) };
  };
  return {
    slots: { [Symbol.iterator]: slots },
    unchecked,
    events: timedEvents.map(({ event }) => event),
    nameOf,
    judge: (start, otherwise) =>
      judge(otherwise === undefined ? search : searchAmong(amongOthers(otherwise)), start).map(withHostName),
    hostsAt: (start) => {
      const reasons = judge({ ...search, needsAll: true, seats: [] }, start);
      return hosts.map(({ user }, index) => ({
        user,
        reasons: reasons.filter((reason) => 'host' in reason && reason.host === index).map(withHostName),
      }));
    },
  };
};

/** Says what was not taken into account. */
export const noteUnchecked = ({ notes }: Context, { unchecked, nameOf }: ShownTimes): void => {
  for (const { what, user, reason } of unchecked)
    notes.warn(`Not checked: ${what}${user === undefined ? '' : ` of ${nameOf(user)}`} (${reason})`);
};
