import { events } from '../../api/events.ts';
import { windowIn, windowQuery } from '../../api/window.ts';
import { isObject, type Json } from '../../base/json.ts';
import { second } from '../../base/milliseconds.ts';
import { counted } from '../../base/numbers.ts';
import { the, words } from '../../base/words.ts';
import type { Context } from '../../cli/session/context.ts';
import { rowFilter } from '../../client/filter.ts';
import { mapConcurrent } from '../../client/map-concurrent.ts';
import type { Input } from '../../client/wire.ts';
import { utcText } from '../../time/wall.ts';
import { inviteesOf } from '../events/read-invitees.ts';
import { shortPage } from '../events/with-invitees.ts';
import type { EventCounts } from './counts.ts';

/** Reads how many of the invitees who were expected didn't come. */
const readNoShows = async (context: Context, event: Json): Promise<[noShows: number, expected: number]> => {
  const tally: [number, number] = [0, 0];
  for (const { no_show: noShow, status } of await inviteesOf(context, event)) {
    if (isObject(noShow)) tally[0] += 1;
    if (isObject(noShow) || status !== 'canceled') tally[1] += 1;
  }
  return tally;
};

/** The query for active events that have started. */
const startedQuery = (query: NonNullable<Input['query']>, now: number): NonNullable<Input['query']> => {
  const { until } = windowIn(query);
  const nextSecond = utcText(now + second);
  const end = until !== undefined && Date.parse(until) < now ? until : nextSecond;
  return { ...query, status: 'active', ...windowQuery('start_time', { until: end }) };
};

/**
 * Reads the invitees of all events that have started. The events are listed a second time instead of being kept, so
 * that memory does not grow with their number and the number of requests is known first.
 */
export const countNoShows = async (
  context: Context,
  query: NonNullable<Input['query']>,
  keep: (row: Json) => boolean,
  counts: EventCounts,
): Promise<void> => {
  const { notes } = context;
  const { events: total, requests } = counts.started;
  if (total === 0) return;
  const { mirror } = await context.connection();
  const all = requests + Math.ceil(total / shortPage);
  if (mirror === undefined) {
    notes.info(
      words`${the('noShows')}: reading the invitees of ${counted(total, 'event')}, about ${counted(all, 'request')}`,
    );
    await notes.flush();
  }
  const pastQuery = startedQuery(query, counts.now);
  const matchesQuery = rowFilter(events.list, pastQuery);
  const isWanted = (row: Json) => matchesQuery(row) && keep(row) && counts.hasStarted(row);
  let requestsLeft = all;
  notes.ahead = () => ({ requests: requestsLeft, isMost: false });
  try {
    const pages = (await context.client()).pages(
      events.list,
      { query: pastQuery },
      // Short pages keep several requests under way. A mirror sends none.
      { ...(mirror === undefined ? { pageSize: shortPage } : {}), keep: isWanted },
    );
    for await (const page of pages) {
      await mapConcurrent(page, async (event) => {
        counts.addNoShows(event, ...(await readNoShows(context, event)));
        requestsLeft = Math.max(0, requestsLeft - 1);
      });
    }
  } finally {
    notes.ahead = undefined;
  }
};
