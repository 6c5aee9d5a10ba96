import { events, type SentEvent } from '../../api/events.ts';
import { invitees, type SentInvitee } from '../../api/invitees.ts';
import { windowQuery } from '../../api/window.ts';
import { hasCategory } from '../../base/errors.ts';
import { idIn } from '../../base/uri.ts';
import type { Client } from '../../client/client.ts';
import { rowFilter } from '../../client/filter.ts';
import type { Input } from '../../client/wire.ts';
import { timestampOf, utcText } from '../../time/wall.ts';
import {
  beginState,
  byChange,
  changedAtOf,
  endRound,
  type FollowState,
  isOverdue,
  isShort,
  mayHaveNews,
  type News,
  newsOf,
  newsSince,
  type ReadEvent,
  rememberNews,
  rememberQuiet,
  windowStart,
} from './work-state.ts';

export interface FollowSource {
  client: Client;
  /** Whose events, without a time window. */
  query: NonNullable<Input['query']>;
  /** A condition on events that the service can't check. */
  keep(event: SentEvent): boolean;
  /** The service's time as of its last reply, or this machine's time. */
  serviceNow(): number;
}

/** A page token expires if the rate limit makes the next request wait for minutes. */
const isStalePage = (error: unknown): boolean => hasCategory(error, 'unavailable') && error.facts.http?.status === 400;

/**
 * The events of a window, in one request per hundred. Some may come twice: if a page token has expired, the list continues
 * at the start time of the last event.
 *
 * Assumed (events.order): without `sort`, events are listed in the order of start times.
 */
export async function* windowPages(
  client: Client,
  query: FollowSource['query'],
  { since, until }: { since: number; until?: number },
  onPage?: () => void,
): AsyncGenerator<SentEvent[]> {
  let reached = since;
  for (;;) {
    const from = reached;
    const edges = { since: utcText(from), ...(until !== undefined && { until: utcText(until) }) };
    const windowedQuery = { ...query, ...windowQuery('start_time', edges) };
    try {
      for await (const page of client.pages(events.list, { query: windowedQuery }, { ...(onPage && { onPage }) })) {
        for (const event of page) reached = Math.max(reached, timestampOf(event.start_time) ?? reached);
        yield page.filter(rowFilter(events.list, windowedQuery));
      }
      return;
    } catch (error) {
      if (!isStalePage(error) || reached === from) throw error;
    }
  }
}

/** Calls `onEvent` for each event of the window. Returns the service's time at the first page. */
export const readWindow = async (
  { client, query, keep, serviceNow }: FollowSource,
  window: { since: number; until?: number },
  onEvent: (event: SentEvent) => void,
): Promise<number> => {
  let startedAt: number | undefined;
  const onPage = () => {
    startedAt ??= serviceNow();
  };
  for await (const page of windowPages(client, query, window, onPage))
    for (const event of page.filter(keep)) onEvent(event);
  return startedAt!;
};

/** The invitees of an event, by URI; none if the event isn't there. */
export const readInvitees = async (
  { client }: Pick<FollowSource, 'client'>,
  event: SentEvent,
): Promise<SentInvitee[]> => {
  const byUri = new Map<unknown, SentInvitee>();
  try {
    // Pages overlap if somebody books or cancels meanwhile.
    for await (const page of client.pages(invitees.list, { path: { event: idIn(event.uri) } }))
      for (const invitee of page) byUri.set(invitee.uri, invitee);
  } catch (error) {
    if (!hasCategory(error, 'not-found')) throw error;
  }
  return [...byUri.values()];
};

/**
 * The first start: remembers all events to come, so that only what happens later is news. Reads the invitees of events
 * that changed last, because their times can't show which of them are already there.
 */
export const readFirst = async (source: FollowSource, now: number): Promise<FollowState> => {
  // One request shows the service's clock.
  for await (const _ of source.client.pages(events.list, { query: source.query }, { limit: 1 })) break;
  const startedAt = Math.min(now, source.serviceNow());
  const state = beginState(startedAt);
  const latest = new Map<string, SentEvent>();
  let newest: number | undefined;
  const isLatest = (event: SentEvent) => (changedAtOf(event) ?? 0) >= newsSince(newest ?? startedAt, startedAt);
  await readWindow(source, { since: state.earliest }, (event) => {
    rememberQuiet(state, event);
    const change = changedAtOf(event);
    if (change !== undefined) newest = Math.max(newest ?? change, change);
    if (isLatest(event)) latest.set(idIn(event.uri), event);
  });
  state.since = newsSince(newest ?? startedAt, startedAt);
  for (const event of latest.values()) {
    if (!isLatest(event)) continue;
    for (const news of newsOf(state, event, await readInvitees(source, event))) rememberNews(state, news);
  }
  endRound(state, startedAt);
  return state;
};

interface Round {
  now: number;
  until: number;
  /** Called with events whose invitees haven't matched their counter for ten rounds. */
  onShort(events: readonly SentEvent[]): void;
}

/**
 * One round: reads the window, then the invitees of each event that is new or has changed. Yields the news one by one,
 * and each event after its news; the caller remembers each of them before it takes the next.
 */
export async function* readRound(
  source: FollowSource,
  state: FollowState,
  { now, until, onShort }: Round,
): AsyncGenerator<News | ReadEvent> {
  const changedEvents = new Map<string, SentEvent>();
  const firstPageAt = await readWindow(source, { since: windowStart(state, now), until }, (event) => {
    if (mayHaveNews(state, event)) changedEvents.set(idIn(event.uri), event);
    else rememberQuiet(state, event);
  });
  const short: SentEvent[] = [];
  for (const event of byChange([...changedEvents.values()])) {
    const people = await readInvitees(source, event);
    yield* newsOf(state, event, people);
    yield { kind: 'read', event, isShort: isShort(event, people) };
    if (isOverdue(state, event)) short.push(event);
  }
  if (short.length > 0) onShort(short);
  // Of two clocks, the earlier one makes the window larger.
  endRound(state, Math.min(now, firstPageAt));
}
