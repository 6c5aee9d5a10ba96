import { createHash } from 'node:crypto';
import { isObject, type Json } from '../client/reading.ts';
import { idIn } from '../uri.ts';

/*
 * What `events follow` remembers, as pure functions on one record.
 *
 * The rule: every invitee who booked at or after `since` is told once, and so is every cancellation since then. An event
 * is remembered with a digest, so the invitees are read only of events that are new or have changed. A news item is
 * remembered after it was printed, and an event after all its news: a process that is killed in between tells that one
 * item again, and forgets nothing.
 *
 * Events enter the window at its end as time passes. They are news only if they were booked after `since`, so a booking
 * made too far ahead to be seen is told when the window reaches it.
 *
 * Assumed: times are those of the service's clock, and `updated_at` or `invitees_counter` of an event changes whenever
 * somebody books or cancels.
 */

/** What was told of an invitee last. */
export type Told = 'created' | 'canceled';

export interface KnownEvent {
  /** Empty until all its news are told. */
  digest: string;
  /** In milliseconds since 1970, or null if it can't be read. */
  start: number | null;
  /** By the ID of the invitee. */
  told: Map<string, Told>;
}

export interface FollowState {
  /** What happened at or after this time is told. In milliseconds since 1970, like all times here. */
  since: number;
  /** When the last complete round began; null before the first one has ended. */
  position: number | null;
  /** By the ID of the event. */
  events: Map<string, KnownEvent>;
}

export interface News {
  kind: Told;
  /** When it happened, as the service wrote it. */
  at: unknown;
  event: Json;
  invitee: Json;
}

/** Covers clocks that differ, and cancellations of events that have just started. */
const slackMs = 3_600_000;
/** A clock that is set back shows past events again. They are known for this long. */
const rememberMs = 24 * 3_600_000;
/** How long the list of invitees may be older than the list of events. */
const lagMs = 120_000;

/** A state in which everything since that time is news. The service's times may have whole seconds only. */
export const beginState = (since: number): FollowState => ({
  since: Math.floor(since / 1000) * 1000,
  position: null,
  events: new Map(),
});

/** The earliest start of events to read. It depends on the last complete round, however long ago that was. */
export const windowStart = ({ since, position }: FollowState, now: number): number =>
  Math.min(position ?? since, now) - slackMs;

const timeOf = (text: unknown): number | undefined => {
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
};

const digestOf = ({ status, updated_at: updated, invitees_counter: counter }: Json): string => {
  const { total, active } = isObject(counter) ? counter : {};
  const facts = [status, updated, total, active].map((fact) => String(fact));
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16);
};

/** Whether the event may have news, so that its invitees must be read. */
export const mayHaveNews = ({ since, position, events }: FollowState, event: Json): boolean => {
  const known = events.get(idIn(event.uri));
  if (known !== undefined) return known.digest !== digestOf(event);
  // Before the first round is complete, an event without readable times counts as an old one.
  const isSince = (text: unknown) => (timeOf(text) ?? (position === null ? Number.NEGATIVE_INFINITY : since)) >= since;
  return isSince(event.created_at) || isSince(event.updated_at);
};

/** Events in the order of their last change, so that older news come first. */
export const byChange = (events: readonly Json[]): Json[] =>
  events.toSorted((a, b) => (timeOf(a.updated_at) ?? 0) - (timeOf(b.updated_at) ?? 0));

const newsOfInvitee = ({ since, position, events }: FollowState, event: Json, invitee: Json): News[] => {
  const known = events.get(idIn(event.uri));
  const told = known?.told.get(idIn(invitee.uri));
  const [booked, changed] = [timeOf(invitee.created_at), timeOf(invitee.updated_at)];
  // Without readable times, only what the first complete round didn't have is news.
  const isLater = position !== null;
  const isUnseen = known === undefined || known.digest === '';
  const isNew = told === undefined && (booked === undefined ? isLater && isUnseen : booked >= since);
  const isCanceled =
    invitee.status === 'canceled' &&
    told !== 'canceled' &&
    (told === 'created' || isNew || (changed === undefined ? isLater : changed >= since));
  return [
    ...(isNew ? [{ kind: 'created' as const, at: invitee.created_at, event, invitee }] : []),
    ...(isCanceled ? [{ kind: 'canceled' as const, at: invitee.updated_at, event, invitee }] : []),
  ];
};

/** A cancellation is never older than its booking, whatever its time says. */
const orderOf = ({ at, invitee }: News): number => Math.max(timeOf(at) ?? 0, timeOf(invitee.created_at) ?? 0);

/** The news of an event, oldest first, given all its invitees. A booking comes before its cancellation. */
export const newsOf = (state: FollowState, event: Json, invitees: readonly Json[]): News[] =>
  invitees.flatMap((invitee) => newsOfInvitee(state, event, invitee)).toSorted((a, b) => orderOf(a) - orderOf(b));

/**
 * Whether an event has just changed and the list of its invitees doesn't show that yet, as with a service that reads
 * from copies of its data. The event must then be read again.
 */
export const isBehind = (event: Json, invitees: readonly Json[], now: number): boolean => {
  const { updated_at: updated, invitees_counter: counter } = event;
  if (!isObject(counter) || !((timeOf(updated) ?? 0) > now - lagMs)) return false;
  const active = invitees.filter(({ status }) => status === 'active').length;
  return invitees.length < Number(counter.total) || active > Number(counter.active);
};

const knownEvent = ({ events }: FollowState, event: Json): KnownEvent => {
  const id = idIn(event.uri);
  const known = events.get(id) ?? { digest: '', start: timeOf(event.start_time) ?? null, told: new Map() };
  events.set(id, known);
  return known;
};

/** Remembers that a news item was told. */
export const rememberTold = (state: FollowState, { kind, event, invitee }: News): void => {
  knownEvent(state, event).told.set(idIn(invitee.uri), kind);
};

/** Remembers an event that has no more news. */
export const rememberEvent = (state: FollowState, event: Json): void => {
  Object.assign(knownEvent(state, event), { digest: digestOf(event), start: timeOf(event.start_time) ?? null });
};

/** Ends a round that began at that time by the service's clock, and forgets events that are long over. */
export const endRound = (state: FollowState, began: number): void => {
  state.position = began;
  for (const [id, { start }] of state.events)
    if (start !== null && start < began - slackMs - rememberMs) state.events.delete(id);
};

/** The state as text. It has IDs, times and digests, and no names or addresses. */
export const stateText = ({ since, position, events }: FollowState): string =>
  JSON.stringify({
    version: 1,
    since,
    position,
    events: [...events].map(([id, { digest, start, told }]) => [id, digest, start, [...told]]),
  });

const isPair = (value: unknown): value is [string, Told] =>
  Array.isArray(value) && typeof value[0] === 'string' && (value[1] === 'created' || value[1] === 'canceled');

const isEntry = (value: unknown): value is [string, string, number | null, [string, Told][]] => {
  if (!Array.isArray(value)) return false;
  const [id, digest, start, told] = value;
  const isTime = start === null || typeof start === 'number';
  return typeof id === 'string' && typeof digest === 'string' && isTime && Array.isArray(told) && told.every(isPair);
};

/** Reads a state. Returns undefined if the text isn't one, for example because a newer version wrote it. */
export const readState = (text: string): FollowState | undefined => {
  try {
    const { version, since, position, events } = JSON.parse(text) as Record<string, unknown>;
    const isPosition = position === null || typeof position === 'number';
    if (version !== 1 || typeof since !== 'number' || !isPosition) return undefined;
    if (!Array.isArray(events) || !events.every(isEntry)) return undefined;
    const known = events.map(([id, digest, start, told]) => [id, { digest, start, told: new Map(told) }] as const);
    return { since, position, events: new Map(known) };
  } catch {
    return undefined;
  }
};
