import { events, type SentEvent } from '../../api/events.ts';
import { limits } from '../../api/limits.ts';
import { windowIn } from '../../api/window.ts';
import { second } from '../../base/milliseconds.ts';
import { idIn } from '../../base/uri.ts';
import { type Sentence, the, words } from '../../base/words.ts';
import type { Answer } from '../../cli/answer/answer.ts';
import type { Picture } from '../../cli/answer/picture.ts';
import { type Plan, plan } from '../../cli/answer/plan.ts';
import type { Call } from '../../cli/input/input.ts';
import { fillScope, scopeLines } from '../../cli/operation/default-scope.ts';
import type { GenericCommand } from '../../cli/operation/generic-command.ts';
import type { RequestValues } from '../../cli/operation/input.ts';
import { rowRemarks } from '../../cli/operation/listing.ts';
import type { Context } from '../../cli/session/context.ts';
import { rowFilter } from '../../client/filter.ts';
import type { Query } from '../../client/wire.ts';
import { valueAt } from '../../output/fields.ts';
import { wallClock } from '../../time/show.ts';
import { addColors, readTypes, requestsForInvitees } from '../events/with-invitees.ts';
import { EventCounts } from './counts.ts';
import { groupsOfEvent, typeGroup } from './group-by.ts';
import type { StatsInput } from './input.ts';
import { countBookings, countNoShows } from './no-shows.ts';
import type { Stats } from './screen.ts';

/** Calls back for each event, page by page: only the counts are kept. */
const countAll = async (
  { client, runtime, notes }: Context,
  query: Query,
  keep: (row: SentEvent) => boolean,
  count: (event: SentEvent) => void,
): Promise<void> => {
  const matchesQuery = rowFilter(events.list, query);
  const options = { keep: (row: SentEvent) => matchesQuery(row) && keep(row), afterSend: runtime.afterSend };
  let rows = 0;
  try {
    for await (const page of (await client()).pages(events.list, { query }, options)) {
      page.forEach(count);
      rows += page.length;
      notes.rows(rows);
    }
  } finally {
    notes.rows(0);
  }
};

/** The colors of the event types, by URI. They only help, so a failure leaves them out. */
const colorsOf = async (context: Context, query: Query, counts: EventCounts): Promise<Map<string, unknown>> => {
  const rows = counts.groups(0).map(({ group }) => ({ event_type: group.key }));
  const rowsWithColors = await addColors(context, query)(rows);
  return new Map(rowsWithColors.map((row) => [String(row.event_type), valueAt(row, '_sched.color')]));
};

type StatsRequest = StatsInput & { request: RequestValues };

/** Counts the events of a query, with as many requests as the groups need. */
const countEvents = async (
  { by, noShows, zeros, showEmails, request }: StatsRequest,
  context: Context,
  query: Query,
  now: number,
): Promise<EventCounts> => {
  const wallAt = wallClock(context.settings.zone);
  const isByInvitee = by.includes('invitee');
  const { event_type: type } = request.rows!;
  const keep = (row: SentEvent) => type === undefined || idIn(row.event_type) === idIn(type);
  const counts = new EventCounts(
    by.map((grouping) => groupsOfEvent(grouping, wallAt, showEmails)),
    now,
    noShows || isByInvitee,
  );
  if (zeros)
    for (const each of await readTypes(context, query))
      if (type === undefined || idIn(each.uri) === idIn(type))
        counts.show(typeGroup({ ...each, event_type: each.uri }));
  if (isByInvitee) {
    const all = { events: 0, requests: 0 };
    const withPeople = (event: SentEvent) => keep(event) && requestsForInvitees(event) > 0;
    await countAll(context, query, withPeople, (event) => {
      all.events += 1;
      all.requests += requestsForInvitees(event);
    });
    await countBookings(context, query, withPeople, all, counts);
  } else await countAll(context, query, keep, (event) => counts.add(event));
  if (noShows && !isByInvitee) await countNoShows(context, query, keep, counts);
  return counts;
};

const picture = async (
  { by, sort }: StatsRequest,
  { settings }: Context,
  { query, counts, now, title }: { query: Query; counts: EventCounts; now: number; title: string },
  colors: () => Promise<Map<string, unknown>>,
): Promise<Picture> => {
  const wallAt = wallClock(settings.zone);
  const { since, until } = windowIn(query);
  const wallOf = (text: string | undefined, before = 0) =>
    text === undefined ? undefined : wallAt(Date.parse(text) - before);
  const stats: Stats = {
    by,
    counts,
    sort,
    window: { since: wallOf(since), until: wallOf(until, second) },
    today: wallAt(now),
    title,
    zone: settings.zone,
    colors: by[0] === 'event-type' ? await colors() : new Map(),
  };
  // Only pictures need widths and grids, which take longer to load than a thousand events to count.
  const { drawStats, spokenStats } = await import('./screen.ts');
  return { draw: (style) => drawStats(stats, style), words: () => spokenStats(stats) };
};

export const stats = async (
  values: StatsRequest,
  { context }: Call,
  { fieldFlags, view }: GenericCommand,
): Promise<Plan> => {
  const { by, sort, noShows, request } = values;
  const query: Query = { ...request.query };
  const whose = await fillScope(events.list, { query }, context);
  const forEach = (name: 'by' | 'noShows', which: string, events: string): Sentence =>
    words`${the(name)}${which}: for each event${events} GET /scheduled_events/{event}/invitees`;
  return plan({
    requests: () => ({ operation: events.list, inputs: [{ query: { ...query, count: limits.pageSize.max } }] }),
    remarks: [
      ...rowRemarks(fieldFlags, request.rows),
      ...(by.includes('invitee') ? [forEach('by', ' invitee', '')] : []),
      ...(noShows ? [forEach('noShows', '', ' that has started')] : []),
    ],
    send: async () => {
      const now = await context.askNow();
      const counts = await countEvents(values, context, query, now);
      const rows: Answer = { kind: 'rows', view, pages: [counts.rows(sort)] };
      const isEmpty = counts.total.booked === 0;
      const title = whose === 'your events' ? 'Your events' : 'Events';
      return {
        kind: 'picture',
        others: rows,
        picture: async ({ isSpoken }) =>
          isEmpty
            ? undefined
            : picture(values, context, { query, counts, now, title }, async () =>
                isSpoken ? new Map() : colorsOf(context, query, counts),
              ),
        footers: isEmpty ? [['No events for these days', ...scopeLines(whose)].join('. ')] : scopeLines(whose),
      };
    },
  });
};
