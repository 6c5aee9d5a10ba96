import { events } from '../../../api/events.ts';
import { invitees } from '../../../api/invitees.ts';
import { windowIn, windowQuery } from '../../../api/window.ts';
import { rowFilter } from '../../../client/filter.ts';
import { mapConcurrent } from '../../../client/map-concurrent.ts';
import type { Input } from '../../../client/wire.ts';
import { isObject, type Json } from '../../../json.ts';
import { counted } from '../../../numbers.ts';
import { second, utcText } from '../../../time/wall.ts';
import { idIn } from '../../../uri.ts';
import type { Context } from '../../session/context.ts';
import { shortPage } from '../event-invitees.ts';
import type { EventCounts } from './counts.ts';

/** Reads how many of the invitees who were expected didn't come. */
const readNoShows = async (context: Context, event: Json): Promise<[noShows: number, expected: number]> => {
  const client = await context.client();
  const found: [number, number] = [0, 0];
  for await (const page of client.pages(invitees.list, { path: { event: idIn(event.uri) } }))
    for (const { no_show: noShow, status } of page) {
      if (isObject(noShow)) found[0] += 1;
      if (isObject(noShow) || status !== 'canceled') found[1] += 1;
    }
  return found;
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
  const all = requests + Math.ceil(total / shortPage);
  notes.info(`--no-shows: reading the invitees of ${counted(total, 'event')}, about ${counted(all, 'request')}`);
  await notes.flush();
  const started = startedQuery(query, counts.now);
  const asked = rowFilter(events.list, started);
  const isWanted = (row: Json) => asked(row) && keep(row) && counts.hasStarted(row);
  let left = all;
  notes.ahead = () => ({ requests: left, isMost: false });
  try {
    const pages = (await context.client()).pages(
      events.list,
      { query: started },
      { pageSize: shortPage, keep: isWanted },
    );
    for await (const page of pages) {
      await mapConcurrent(page, async (event) => {
        counts.addNoShows(event, ...(await readNoShows(context, event)));
        left = Math.max(0, left - 1);
      });
    }
  } finally {
    notes.ahead = undefined;
  }
};
