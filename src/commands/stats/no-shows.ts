import { events, type SentEvent } from '../../api/events.ts';
import type { SentInvitee } from '../../api/invitees.ts';
import { windowIn, windowQuery } from '../../api/window.ts';
import { isObject } from '../../base/json.ts';
import { second } from '../../base/milliseconds.ts';
import { counted } from '../../base/numbers.ts';
import { type Name, the, words } from '../../base/words.ts';
import type { Context } from '../../cli/session/context.ts';
import { rowFilter } from '../../client/filter.ts';
import { mapConcurrent } from '../../client/map-concurrent.ts';
import type { Input } from '../../client/wire.ts';
import { utcText } from '../../time/wall.ts';
import { inviteesOf } from '../events/read-invitees.ts';
import { shortPage } from '../events/with-invitees.ts';
import type { EventCounts } from './counts.ts';

/** How many of the invitees who were expected didn't come. */
const noShowsOf = (invitees: readonly SentInvitee[]): [noShows: number, expected: number] => {
  const noShows = invitees.filter(({ no_show: noShow }) => isObject(noShow)).length;
  const others = invitees.filter(({ no_show: noShow, status }) => !isObject(noShow) && status !== 'canceled').length;
  return [noShows, noShows + others];
};

/** The query for active events that have started. */
const startedQuery = (query: NonNullable<Input['query']>, now: number): NonNullable<Input['query']> => {
  const { until } = windowIn(query);
  const nextSecond = utcText(now + second);
  const end = until !== undefined && Date.parse(until) < now ? until : nextSecond;
  return { ...query, status: 'active', ...windowQuery('start_time', { until: end }) };
};

/**
 * Reads the invitees of events. The events are listed a second time instead of being kept, so that memory does not grow
 * with their number and the number of requests is known first.
 */
const readInvitees = async (
  context: Context,
  query: NonNullable<Input['query']>,
  keep: (row: SentEvent) => boolean,
  { events: total, requests }: { events: number; requests: number },
  why: Name,
  take: (event: SentEvent, invitees: readonly SentInvitee[]) => void,
): Promise<void> => {
  const { notes } = context;
  if (total === 0) return;
  const { mirror } = await context.connection();
  const all = requests + Math.ceil(total / shortPage);
  if (mirror === undefined)
    notes.info(words`${why}: reading the invitees of ${counted(total, 'event')}, about ${counted(all, 'request')}`);
  const matchesQuery = rowFilter(events.list, query);
  const isWanted = (row: SentEvent) => matchesQuery(row) && keep(row);
  let requestsLeft = all;
  notes.ahead = () => ({ requests: requestsLeft, isMost: false });
  try {
    const pages = (await context.client()).pages(
      events.list,
      { query },
      // Short pages keep several requests under way. A mirror sends none.
      { ...(mirror === undefined ? { pageSize: shortPage } : {}), keep: isWanted },
    );
    for await (const page of pages) {
      await mapConcurrent(page, async (event) => {
        take(event, await inviteesOf(context, event));
        requestsLeft = Math.max(0, requestsLeft - 1);
      });
    }
  } finally {
    notes.ahead = undefined;
  }
};

/** Counts the no-shows of all events that have started. */
export const countNoShows = async (
  context: Context,
  query: NonNullable<Input['query']>,
  keep: (row: SentEvent) => boolean,
  counts: EventCounts,
): Promise<void> =>
  readInvitees(
    context,
    startedQuery(query, counts.now),
    (row) => keep(row) && counts.hasStarted(row),
    counts.started,
    the('noShows'),
    (event, invitees) => counts.addNoShows(event, ...noShowsOf(invitees)),
  );

/** Counts the bookings of people, and whether they came: an event with two invitees is two bookings. */
export const countBookings = async (
  context: Context,
  query: NonNullable<Input['query']>,
  keep: (row: SentEvent) => boolean,
  all: { events: number; requests: number },
  counts: EventCounts,
): Promise<void> =>
  readInvitees(context, query, keep, all, the('by'), (event, invitees) => {
    for (const invitee of invitees) {
      const status = invitee.status === 'canceled' ? 'canceled' : event.status;
      const booking = { ...event, status, invitee };
      counts.add(booking);
      if (counts.hasStarted(event)) counts.addNoShows(booking, ...noShowsOf([invitee]));
    }
  });
