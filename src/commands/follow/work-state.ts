import { hash } from 'node:crypto';
import type { SentEvent } from '../../api/events.ts';
import type { SentInvitee } from '../../api/invitees.ts';
import { asciiJson, isObject } from '../../base/json.ts';
import { hour } from '../../base/milliseconds.ts';
import { isCount, isTime } from '../../base/numbers.ts';
import { idIn } from '../../base/uri.ts';

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
type Report = 'created' | 'canceled';

interface KnownEvent {
  /** Empty until all its news are told. */
  digest: string;
  /** In milliseconds since 1970, or null if it can't be read. */
  start: number | null;
  /** By `inviteeKey`. Older versions wrote the ID alone. */
  reports: Map<string, Report>;
  /** Complete rounds since its list of invitees didn't match its counter; null if the list matched. */
  roundsWaited: number | null;
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
  kind: Report;
  /** When it happened, as the service wrote it. */
  at: unknown;
  event: SentEvent;
  invitee: SentInvitee;
}

/** The invitees of an event were read, and all its news are told. */
export interface ReadEvent {
  kind: 'read';
  event: SentEvent;
  /** Whether the invitees don't match the event yet. */
  isShort: boolean;
}

/** What is known of an event, in the file. A later entry of the same event adds to what was told before. */
export type FollowEntry = [
  id: string,
  digest: string,
  start: number | null,
  told: [invitee: string, told: Report][],
  waited: number | null,
];

/** Covers clocks that differ, and cancellations of events that have just started. */
const slackMs = hour;
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
export const newsSince = (newest: number, startedAt: number): number =>
  beginState(Math.min(newest, startedAt) - lagMs).since;

/** Whether the window waits for an event, because its invitees don't match its counter yet. */
const isAwaited = ({ roundsWaited }: KnownEvent): boolean => roundsWaited !== null && roundsWaited < patience;

/**
 * The earliest start of events to read. It depends on the last complete round, however long ago that was, and on events
 * whose invitees must be read again.
 */
export const windowStart = ({ since, position, earliest, events }: FollowState, now: number): number => {
  let from = Math.min(position ?? since, now);
  for (const knownEvent of events.values()) if (isAwaited(knownEvent)) from = Math.min(from, knownEvent.start ?? from);
  return Math.max(earliest, from - slackMs);
};

const timestampIn = (text: unknown): number | undefined => {
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return isTime(time) ? time : undefined;
};

/** When an event changed last, or undefined if it doesn't say so. */
export const changedAtOf = (event: SentEvent): number | undefined => {
  const times = [event.created_at, event.updated_at].map(timestampIn).filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.max(...times);
};

const eventDigest = ({ status, updated_at: updated, invitees_counter: counter }: SentEvent): string => {
  const { total, active } = isObject(counter) ? counter : {};
  const facts = [status, updated, total, active].map(String);
  return hash('sha256', JSON.stringify(facts)).slice(0, 16);
};

/** Whether to read an event again after so many rounds: in the first ones, then after ever longer pauses. */
const isDue = (waited: number): boolean => waited < patience || Number.isInteger(Math.log2(waited / patience));

/** Whether the event may have news, so that its invitees must be read. */
export const mayHaveNews = ({ since, position, events }: FollowState, event: SentEvent): boolean => {
  const knownEvent = events.get(idIn(event.uri));
  if (knownEvent !== undefined)
    return (
      knownEvent.digest !== eventDigest(event) || (knownEvent.roundsWaited !== null && isDue(knownEvent.roundsWaited))
    );
  // Before the first round is complete, an event without readable times counts as an old one.
  const isSince = (text: unknown) =>
    (timestampIn(text) ?? (position === null ? Number.NEGATIVE_INFINITY : since)) >= since;
  return isSince(event.created_at) || isSince(event.updated_at);
};

/** Events in the order of their last change, so that older news come first. */
export const byChange = (events: readonly SentEvent[]): SentEvent[] =>
  events.toSorted((a, b) => (timestampIn(a.updated_at) ?? 0) - (timestampIn(b.updated_at) ?? 0));

/** With the time of the booking: after a reset of the service, another booking may have the ID. */
const inviteeKey = ({ uri, created_at: created }: SentInvitee): string => {
  const time = timestampIn(created);
  return time === undefined ? idIn(uri) : `${idIn(uri)}@${time}`;
};

const newsOfInvitee = ({ since, position, events }: FollowState, event: SentEvent, invitee: SentInvitee): News[] => {
  const knownEvent = events.get(idIn(event.uri));
  const { reports } = knownEvent ?? {};
  const report = reports?.get(inviteeKey(invitee)) ?? reports?.get(idIn(invitee.uri));
  const [bookedAt, changedAt] = [timestampIn(invitee.created_at), timestampIn(invitee.updated_at)];
  // Without readable times, only what the first complete round didn't have is news.
  const isLater = position !== null;
  const isUnseen = knownEvent === undefined || knownEvent.digest === '' || knownEvent.roundsWaited !== null;
  const isNew = report === undefined && (bookedAt === undefined ? isLater && isUnseen : bookedAt >= since);
  const isCanceled =
    invitee.status === 'canceled' &&
    report !== 'canceled' &&
    (report === 'created' || isNew || (changedAt === undefined ? isLater : changedAt >= since));
  return [
    ...(isNew ? [{ kind: 'created' as const, at: invitee.created_at, event, invitee }] : []),
    ...(isCanceled ? [{ kind: 'canceled' as const, at: invitee.updated_at, event, invitee }] : []),
  ];
};

/** A cancellation is never older than its booking, whatever its time says. */
const orderOf = ({ at, invitee }: News): number => Math.max(timestampIn(at) ?? 0, timestampIn(invitee.created_at) ?? 0);

/** The news of an event, oldest first, given all its invitees. A booking comes before its cancellation. */
export const newsOf = (state: FollowState, event: SentEvent, invitees: readonly SentInvitee[]): News[] =>
  invitees.flatMap((invitee) => newsOfInvitee(state, event, invitee)).toSorted((a, b) => orderOf(a) - orderOf(b));

/**
 * Whether the list of invitees doesn't match the event, as with a service that reads from copies of its data. The list
 * must then be read again, however long ago the event changed.
 *
 * Assumed (events.counter): an event has at least one invitee, and `invitees_counter.total` also counts those who
 * canceled.
 */
export const isShort = ({ invitees_counter: counter }: SentEvent, invitees: readonly SentInvitee[]): boolean => {
  const { total, active } = isObject(counter) ? counter : {};
  const activeCount = invitees.filter(({ status }) => status === 'active').length;
  return invitees.length < (isCount(total) ? total : 1) || (isCount(active) && activeCount > active);
};

const addEntry = ({ events }: FollowState, [id, digest, start, reports, roundsWaited = null]: FollowEntry): void => {
  const knownEvent = events.get(id) ?? { reports: new Map<string, Report>() };
  for (const [invitee, kind] of reports) knownEvent.reports.set(invitee, kind);
  events.set(id, Object.assign(knownEvent, { digest, start, roundsWaited }));
};

const readEntry = ({ events }: FollowState, event: SentEvent, isStillShort: boolean): FollowEntry => {
  const id = idIn(event.uri);
  const knownEvent = events.get(id);
  const digest = eventDigest(event);
  const roundsWaited = knownEvent?.digest === digest ? knownEvent.roundsWaited : null;
  return [id, digest, timestampIn(event.start_time) ?? null, [], isStillShort ? (roundsWaited ?? 0) : null];
};

const toldEntry = ({ events }: FollowState, { kind, event, invitee }: News): FollowEntry => {
  const id = idIn(event.uri);
  const { digest = '', start = timestampIn(event.start_time) ?? null, roundsWaited = null } = events.get(id) ?? {};
  return [id, digest, start, [[inviteeKey(invitee), kind]], roundsWaited];
};

/** Remembers that a news item was told, or that an event was read. Returns the entry to add to the file. */
export const rememberNews = (state: FollowState, change: News | ReadEvent): FollowEntry => {
  const entry = change.kind === 'read' ? readEntry(state, change.event, change.isShort) : toldEntry(state, change);
  addEntry(state, entry);
  return entry;
};

/** Remembers an event whose invitees need not be read. */
export const rememberQuiet = (state: FollowState, event: SentEvent): void => {
  const roundsWaited = state.events.get(idIn(event.uri))?.roundsWaited ?? null;
  addEntry(state, readEntry(state, event, roundsWaited !== null));
};

/** Whether an event was read so often, and its invitees never matched, that somebody should know. */
export const isOverdue = ({ events }: FollowState, event: SentEvent): boolean =>
  events.get(idIn(event.uri))?.roundsWaited === patience - 1;

/** Ends a round that began at that time, and forgets the earliest of the events that are over. */
export const endRound = (state: FollowState, startedAt: number): void => {
  const { events } = state;
  state.position = startedAt;
  for (const knownEvent of events.values()) if (knownEvent.roundsWaited !== null) knownEvent.roundsWaited += 1;
  const from = windowStart(state, startedAt);
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
    ([id, knownEvent]): FollowEntry => [
      id,
      knownEvent.digest,
      knownEvent.start,
      [...knownEvent.reports],
      knownEvent.roundsWaited,
    ],
  );
  return `${JSON.stringify({ version: 1, since, position, earliest, events: entries })}\n`;
};

export const entryText = (entry: FollowEntry): string => `${asciiJson(JSON.stringify(entry))}\n`;

const isPair = (value: unknown): value is [string, Report] =>
  Array.isArray(value) && typeof value[0] === 'string' && (value[1] === 'created' || value[1] === 'canceled');

const isEntry = (value: unknown): value is FollowEntry => {
  if (!Array.isArray(value)) return false;
  const [id, digest, start, reports, roundsWaited = null] = value;
  if (typeof id !== 'string' || typeof digest !== 'string') return false;
  if ((start !== null && !isTime(start)) || (roundsWaited !== null && !isCount(roundsWaited))) return false;
  return Array.isArray(reports) && reports.every(isPair);
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
