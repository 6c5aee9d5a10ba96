import { events } from '../../../api/events.ts';
import { limits } from '../../../api/limits.ts';
import type { Input } from '../../../client/client.ts';
import { rowFilter } from '../../../client/filter.ts';
import type { Json } from '../../../json.ts';
import { wallClock } from '../../../time/show.ts';
import { idIn } from '../../../uri.ts';
import type { Invocation } from '../../command.ts';
import { fillScope, scopeLines } from '../../operation/default-scope.ts';
import { type GenericCommand, printRequest } from '../../operation/generic-command.ts';
import { readInput } from '../../operation/input.ts';
import { noteHidden, noteRowFilters } from '../../operation/listing.ts';
import type { Context } from '../../session/context.ts';
import { EventCounts } from './counts.ts';
import { type Grouping, groupings, groupsOf } from './group-by.ts';
import { countNoShows } from './no-shows.ts';
import { chartView, closingLines } from './stats-screen.ts';

const readGrouping = ({ typed, problems }: Invocation): Grouping => {
  problems.choice('by', typed.by, groupings);
  return groupings.find((name) => name === typed.by) ?? 'event-type';
};

/** Calls back for each event, page by page: only the counts are kept. */
const readAll = async (
  { client, runtime }: Context,
  query: NonNullable<Input['query']>,
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

export const runStats = async (command: GenericCommand, invocation: Invocation): Promise<void> => {
  const { context, typed } = invocation;
  const { settings, printer, notes, runtime } = context;
  const by = readGrouping(invocation);
  const input = await readInput(invocation, events.list, command.fieldFlags);
  const query: NonNullable<Input['query']> = { ...input.query };
  const scope = scopeLines(await fillScope(events.list, { query }, 'events', context));
  const { event_type: type } = input.rows!;
  const keep = (row: Json) => type === undefined || idIn(row.event_type) === idIn(type);
  const readsInvitees = typed['no-shows'] === true;

  if (settings.dryRun) {
    noteRowFilters(invocation, command.fieldFlags);
    if (readsInvitees) notes.info('--no-shows: for each event that has started GET /scheduled_events/{event}/invitees');
    return printRequest(invocation, events.list, [{ query: { ...query, count: limits.pageSize.max } }]);
  }
  const counts = new EventCounts(groupsOf(by, wallClock(settings.zone)), runtime.clock.now(), readsInvitees);
  await readAll(context, query, keep, (event) => counts.add(event));
  if (readsInvitees) await countNoShows(context, query, keep, counts);

  const rows = counts.rows(by);
  const isForPeople = printer.showsPages;
  const view = isForPeople ? chartView(command.view, rows, context) : command.view;
  const { hiddenColumns } = await printer.list(view, [rows]);
  if (rows.length === 0) return notes.footer(['Nothing found', ...scope].join('. '));
  if (isForPeople) for (const line of closingLines(by, counts, rows, context)) await printer.text(line);
  for (const line of scope) notes.footer(line);
  noteHidden(notes, hiddenColumns);
};
