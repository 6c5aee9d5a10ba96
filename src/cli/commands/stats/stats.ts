import { events } from '../../../api/events.ts';
import { limits } from '../../../api/limits.ts';
import { windowIn } from '../../../api/window.ts';
import { rowFilter } from '../../../client/filter.ts';
import type { Query } from '../../../client/wire.ts';
import type { Json } from '../../../json.ts';
import { valueAt } from '../../../output/fields.ts';
import { wallClock } from '../../../time/show.ts';
import { second } from '../../../time/wall.ts';
import { idIn } from '../../../uri.ts';
import type { Call } from '../../input/input.ts';
import { noteHidden } from '../../messages/notes.ts';
import { fillScope, scopeLines } from '../../operation/default-scope.ts';
import { type GenericCommand, printRequest } from '../../operation/generic-command.ts';
import type { TypedInput } from '../../operation/input.ts';
import { noteRowFilters } from '../../operation/listing.ts';
import type { Context } from '../../session/context.ts';
import { addColors } from '../event-invitees.ts';
import { EventCounts } from './counts.ts';
import { groupsOf } from './group-by.ts';
import type { StatsInput } from './input.ts';
import { countNoShows } from './no-shows.ts';
import { drawStats, type Stats, spokenStats } from './stats-screen.ts';

/** Calls back for each event, page by page: only the counts are kept. */
const readAll = async (
  { client, runtime }: Context,
  query: Query,
  keep: (row: Json) => boolean,
  count: (event: Json) => void,
): Promise<void> => {
  const asked = rowFilter(events.list, query);
  const options = { keep: (row: Json) => asked(row) && keep(row), afterSend: runtime.afterSend };
  let read = 0;
  try {
    for await (const page of (await client()).pages(events.list, { query }, options)) {
      page.forEach(count);
      read += page.length;
      runtime.status?.rows(read);
    }
  } finally {
    runtime.status?.rows(0);
  }
};

/** The colors of the event types, by URI. They only help, so a failure leaves them out. */
const colorsOf = async (context: Context, query: Query, counts: EventCounts): Promise<Map<string, unknown>> => {
  const rows = counts.groups(0).map(({ group }) => ({ event_type: group.key }));
  const colored = await addColors(context, query)(rows);
  return new Map(colored.map((row) => [String(row.event_type), valueAt(row, '_sched.color')]));
};

export const runStats = async (
  { by, sort, noShows, request }: StatsInput & { request: TypedInput },
  { context }: Call,
  { fieldFlags, view }: GenericCommand,
): Promise<void> => {
  const { settings, printer, notes } = context;
  const query: Query = { ...request.query };
  const whose = await fillScope(events.list, { query }, context);
  const { event_type: type } = request.rows!;
  const keep = (row: Json) => type === undefined || idIn(row.event_type) === idIn(type);

  if (settings.dryRun) {
    noteRowFilters(context, fieldFlags, request.rows);
    if (noShows) notes.info('--no-shows: for each event that has started GET /scheduled_events/{event}/invitees');
    return printRequest(context, events.list, [{ query: { ...query, count: limits.pageSize.max } }]);
  }
  const wallAt = wallClock(settings.zone);
  const now = await context.askNow();
  const counts = new EventCounts(
    by.map((grouping) => groupsOf(grouping, wallAt)),
    now,
    noShows,
  );
  await readAll(context, query, keep, (event) => counts.add(event));
  if (noShows) await countNoShows(context, query, keep, counts);

  if (!printer.showsPages) await printer.list(view, [counts.rows(sort)]);
  if (counts.total.booked === 0) return notes.footer(['No events for these days', ...scopeLines(whose)].join('. '));
  if (printer.showsPages) {
    const { since, until } = windowIn(query);
    const wallOf = (text: string | undefined, before = 0) =>
      text === undefined ? undefined : wallAt(Date.parse(text) - before);
    const stats: Stats = {
      by,
      counts,
      sort,
      window: { since: wallOf(since), until: wallOf(until, second) },
      today: wallAt(now),
      title: whose === 'your events' ? 'Your events' : 'Events',
      zone: settings.zone,
      colors: by[0] === 'event-type' && !settings.accessible ? await colorsOf(context, query, counts) : new Map(),
    };
    let hidden: string[] = [];
    await printer.draw((style) => {
      if (settings.accessible) return spokenStats(stats);
      const drawn = drawStats(stats, style);
      hidden = drawn.hidden;
      return drawn.picture;
    });
    noteHidden(notes, hidden);
  }
  for (const line of scopeLines(whose)) notes.footer(line);
};
