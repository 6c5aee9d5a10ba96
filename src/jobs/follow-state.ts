import { hash } from 'node:crypto';
import { asciiJson, isObject, type Json } from '../json.ts';
import { isCount, isTime } from '../numbers.ts';
import { idIn } from '../uri.ts';

/*
 * What `events follow` remembers, as pure functions on one record. docs/follow.md says why nothing is missed.
 *
 * The rule: every invitee who booked at or after `since` is told once, and so is every cancellation since then. An event
 * is remembered with a digest, so the invitees are read only of events that are new or have changed. A news item is
 * remembered after it was printed, and an event after all its news: a process that is killed in between tells that one
 * item again, and forgets nothing.
 *
 * Events enter the window at its end as time passes. They are news only if they were booked after `since`, so a booking
 * made too far ahead to be seen is told when the window reaches it.
 *
 * Assumed (events.clock): times in records are those of one clock of the service, which isn't set back beyond the first
 * start of a follow, and `updated_at` or `invitees_counter` of an event changes whenever somebody books or cancels.
 */

/** What was told of an invitee last. */
type Told = 'created' | 'canceled';

interface KnownEvent {
  /** Empty until all its news are told. */
  digest: string;
  /** In milliseconds since 1970, or null if it can't be read. */
  start: number | null;
  /** By the ID of the invitee. */
  told: Map<string, Told>;
  /** Complete rounds since its list of invitees didn't match its counter; null if the list matched. */
  waited: number | null;
}

export interface FollowState {
  /** What happened at or after this time is told. In milliseconds since 1970, like all times here. */
  since: number;
  /** When the last complete round began; null before the first one has ended. */
  position: number | null;
  /** Events that start earlier are not read: they were over at the first start, or are forgotten. */
  earliest: number;
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

/** The invitees of an event were read, and all its news are told. */
export interface ReadEvent {
  kind: 'read';
  event: Json;
  /** Whether the invitees don't match the event yet. */
  isShort: boolean;
}

/** What is known of an event, in the file. A later entry of the same event adds to what was told before. */
export type FollowEntry = [
  id: string,
  digest: string,
  start: number | null,
  told: [invitee: string, told: Told][],
  waited: number | null,
];

/** Covers clocks that differ, and cancellations of events that have just started. */
const slackMs = 3_600_000;
/** How far the clocks of the service's machines may differ, and how late one shows what another has stored. */
const lagMs = 120_000;
/** Clocks that are set back show past events again. So many events that are over stay known. */
const mostOver = 1000;
/** The rounds in which an event whose invitees don't match its counter is read again. Then it is read less often. */
export const patience = 10;

/** A state in which everything since that time is news. The service's times may have whole seconds only. */
export const beginState = (time: number): FollowState => {
  const since = Math.max(0, Math.floor(time / 1000) * 1000);
  return { since, position: null, earliest: Math.max(0, since - slackMs), events: new Map() };
};

/**
 * What is news after a first start at that time, given the newest change that it saw. Each of them may be wrong, and the
 * earlier one leads to more reading, but to no loss.
 */
export const newsSince = (newest: number, began: number): number => beginState(Math.min(newest, began) - lagMs).since;

/** Whether the window waits for an event, because its invitees don't match its counter yet. */
const isAwaited = ({ waited }: KnownEvent): boolean => waited !== null && waited < patience;

/**
 * The earliest start of events to read. It depends on the last complete round, however long ago that was, and on events
 * whose invitees must be read again.
 */
export const windowStart = ({ since, position, earliest, events }: FollowState, now: number): number => {
  let from = Math.min(position ?? since, now);
  for (const known of events.values()) if (isAwaited(known)) from = Math.min(from, known.start ?? from);
  return Math.max(earliest, from - slackMs);
};

const timeOf = (text: unknown): number | undefined => {
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return isTime(time) ? time : undefined;
};

/** When an event changed last, or undefined if it doesn't say so. */
export const changeOf = (event: Json): number | undefined => {
  const times = [event.created_at, event.updated_at].map(timeOf).filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.max(...times);
};

const digestOf = ({ status, updated_at: updated, invitees_counter: counter }: Json): string => {
  const { total, active } = isObject(counter) ? counter : {};
  const facts = [status, updated, total, active].map((fact) => String(fact));
  return hash('sha256', JSON.stringify(facts)).slice(0, 16);
};

/** Whether to read an event again after so many rounds: in the first ones, then after ever longer pauses. */
const isDue = (waited: number): boolean => waited < patience || Number.isInteger(Math.log2(waited / patience));

/** Whether the event may have news, so that its invitees must be read. */
export const mayHaveNews = ({ since, position, events }: FollowState, event: Json): boolean => {
  const known = events.get(idIn(event.uri));
  if (known !== undefined) return known.digest !== digestOf(event) || (known.waited !== null && isDue(known.waited));
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
  const isUnseen = known === undefined || known.digest === '' || known.waited !== null;
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
 * Whether the list of invitees doesn't match the event, as with a service that reads from copies of its data. The list
 * must then be read again, however long ago the event changed.
 *
 * Assumed (events.counter): an event has at least one invitee, and `invitees_counter.total` also counts those who
 * canceled.
 */
export const isShort = ({ invitees_counter: counter }: Json, invitees: readonly Json[]): boolean => {
  const { total, active } = isObject(counter) ? counter : {};
  const shown = invitees.filter(({ status }) => status === 'active').length;
  return invitees.length < (isCount(total) ? total : 1) || (isCount(active) && shown > active);
};

const addEntry = ({ events }: FollowState, [id, digest, start, told, waited = null]: FollowEntry): void => {
  const known = events.get(id) ?? { told: new Map<string, Told>() };
  for (const [invitee, kind] of told) known.told.set(invitee, kind);
  events.set(id, Object.assign(known, { digest, start, waited }));
};

const readEntry = ({ events }: FollowState, event: Json, isStillShort: boolean): FollowEntry => {
  const id = idIn(event.uri);
  const known = events.get(id);
  const digest = digestOf(event);
  const waited = known?.digest === digest ? known.waited : null;
  return [id, digest, timeOf(event.start_time) ?? null, [], isStillShort ? (waited ?? 0) : null];
};

const toldEntry = ({ events }: FollowState, { kind, event, invitee }: News): FollowEntry => {
  const id = idIn(event.uri);
  const { digest = '', start = timeOf(event.start_time) ?? null, waited = null } = events.get(id) ?? {};
  return [id, digest, start, [[idIn(invitee.uri), kind]], waited];
};

/** Remembers that a news item was told, or that an event was read. Returns the entry to add to the file. */
export const remember = (state: FollowState, change: News | ReadEvent): FollowEntry => {
  const entry = change.kind === 'read' ? readEntry(state, change.event, change.isShort) : toldEntry(state, change);
  addEntry(state, entry);
  return entry;
};

/** Remembers an event whose invitees need not be read. */
export const rememberQuiet = (state: FollowState, event: Json): void => {
  const waited = state.events.get(idIn(event.uri))?.waited ?? null;
  addEntry(state, readEntry(state, event, waited !== null));
};

/** Whether an event was read so often, and its invitees never matched, that somebody should know. */
export const isOverdue = ({ events }: FollowState, event: Json): boolean =>
  events.get(idIn(event.uri))?.waited === patience - 1;

/** Ends a round that began at that time, and forgets the earliest of the events that are over. */
export const endRound = (state: FollowState, began: number): void => {
  const { events } = state;
  state.position = began;
  for (const known of events.values()) if (known.waited !== null) known.waited += 1;
  const from = windowStart(state, began);
  const over = [...events].flatMap(([id, { start }]) => (start !== null && start < from ? [{ id, start }] : []));
  for (const { id, start } of over.toSorted((a, b) => b.start - a.start).slice(mostOver)) {
    events.delete(id);
    state.earliest = Math.max(state.earliest, start + 1);
  }
};

/**
 * The file: the state in one line, then an entry per line. It has IDs, times and digests, and no names or addresses.
 * Adding an entry takes much less time than writing the whole state.
 */
export const stateText = ({ since, position, earliest, events }: FollowState): string => {
  const entries = [...events].map(
    ([id, known]): FollowEntry => [id, known.digest, known.start, [...known.told], known.waited],
  );
  return `${JSON.stringify({ version: 1, since, position, earliest, events: entries })}\n`;
};

export const entryText = (entry: FollowEntry): string => `${asciiJson(JSON.stringify(entry))}\n`;

const isPair = (value: unknown): value is [string, Told] =>
  Array.isArray(value) && typeof value[0] === 'string' && (value[1] === 'created' || value[1] === 'canceled');

const isEntry = (value: unknown): value is FollowEntry => {
  if (!Array.isArray(value)) return false;
  const [id, digest, start, told, waited = null] = value;
  if (typeof id !== 'string' || typeof digest !== 'string') return false;
  if ((start !== null && !isTime(start)) || (waited !== null && !isCount(waited))) return false;
  return Array.isArray(told) && told.every(isPair);
};

/** Reads a state. Returns undefined if the text isn't one, for example because a newer version wrote it. */
export const readState = (text: string): FollowState | undefined => {
  const [first = '', ...lines] = text.split('\n');
  // What follows the last line break is empty, or an entry that a killed process didn't finish.
  lines.pop();
  try {
    // The first version of this file had neither `earliest` nor `waited`, and no further lines.
    const { version, since, position, earliest = 0, events } = JSON.parse(first) as Record<string, unknown>;
    if (version !== 1 || !isTime(since) || !(position === null || isTime(position)) || !isTime(earliest))
      return undefined;
    const entries: unknown[] = [...(events as unknown[]), ...lines.map((line) => JSON.parse(line))];
    if (!entries.every(isEntry)) return undefined;
    const state: FollowState = { since, position, earliest, events: new Map() };
    for (const entry of entries) addEntry(state, entry);
    return state;
  } catch {
    return undefined;
  }
};
