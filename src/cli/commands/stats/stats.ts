import { events } from '../../../api/events.ts';
import { limits } from '../../../api/limits.ts';
import { windowIn } from '../../../api/window.ts';
import { rowFilter } from '../../../client/filter.ts';
import type { Query } from '../../../client/wire.ts';
import type { Json } from '../../../json.ts';
import { nearest } from '../../../nearest.ts';
import { valueAt } from '../../../output/fields.ts';
import { wallClock } from '../../../time/show.ts';
import { second } from '../../../time/wall.ts';
import { idIn } from '../../../uri.ts';
import type { Invocation } from '../../command.ts';
import { noteHidden } from '../../messages/notes.ts';
import { fillScope, scopeLines } from '../../operation/default-scope.ts';
import { type GenericCommand, printRequest } from '../../operation/generic-command.ts';
import { readInput } from '../../operation/input.ts';
import { noteRowFilters } from '../../operation/listing.ts';
import type { Context } from '../../session/context.ts';
import { addColors } from '../event-invitees.ts';
import { EventCounts } from './counts.ts';
import { type Grouping, groupings, groupsOf, type Sort, sorts } from './group-by.ts';
import { countNoShows } from './no-shows.ts';
import { drawStats, type Stats, spokenStats } from './stats-screen.ts';

/** One grouping, or two with a comma between them. */
const readGroupings = ({ typed, problems }: Invocation): Grouping[] => {
  const raw = String(typed.by ?? 'event-type');
  const words = raw.split(',');
  const meant = new Set(words.map((word) => nearest(word, groupings)));
  const isPossible = words.length <= 2 && meant.size === words.length && !meant.has(undefined);
  if (!isPossible || [...meant].join() !== raw)
    problems.value(
      'by',
      raw,
      `--by must be one of ${groupings.join(', ')}, or two of them such as host,week, not "${raw}"`,
      isPossible ? [...meant].join() : undefined,
    );
  return [...meant].flatMap((word) => groupings.find((name) => name === word) ?? []);
};

/** Counts are sorted with the highest first, names from A to Z. Both may be said, as in other lists. */
const readSort = ({ typed, problems }: Invocation): Sort | undefined => {
  const sort = sorts.find((name) => `${name}:${name === 'name' ? 'asc' : 'desc'}` === typed.sort) ?? typed.sort;
  const known = problems.choice('sort', sort, sorts);
  if (known === 'no-shows' && typed['no-shows'] !== true)
    problems.add('--sort no-shows needs --no-shows', (own) => own.addFlag('no-shows'));
  return known;
};

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

export const runStats = async (command: GenericCommand, invocation: Invocation): Promise<void> => {
  const { context, typed } = invocation;
  const { settings, printer, notes } = context;
  const by = readGroupings(invocation);
  const sort = readSort(invocation);
  const input = await readInput(invocation, events.list, command.fieldFlags);
  const query: Query = { ...input.query };
  const whose = await fillScope(events.list, { query }, context);
  const { event_type: type } = input.rows!;
  const keep = (row: Json) => type === undefined || idIn(row.event_type) === idIn(type);
  const readsInvitees = typed['no-shows'] === true;

  if (settings.dryRun) {
    noteRowFilters(invocation, command.fieldFlags);
    if (readsInvitees) notes.info('--no-shows: for each event that has started GET /scheduled_events/{event}/invitees');
    return printRequest(invocation, events.list, [{ query: { ...query, count: limits.pageSize.max } }]);
  }
  const wallAt = wallClock(settings.zone);
  const now = await context.askNow();
  const counts = new EventCounts(
    by.map((grouping) => groupsOf(grouping, wallAt)),
    now,
    readsInvitees,
  );
  await readAll(context, query, keep, (event) => counts.add(event));
  if (readsInvitees) await countNoShows(context, query, keep, counts);

  if (!printer.showsPages) await printer.list(command.view, [counts.rows(sort)]);
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
