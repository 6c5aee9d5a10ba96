import { events } from '../../../api/events.ts';
import { windowQuery } from '../../../api/window.ts';
import { rowFilter } from '../../../client/filter.ts';
import { mapConcurrent } from '../../../client/map-concurrent.ts';
import type { Query } from '../../../client/wire.ts';
import type { Json } from '../../../json.ts';
import { counted } from '../../../numbers.ts';
import { type Day, daysOf, type Period, periods } from '../../../time/calendar.ts';
import { wallClock } from '../../../time/show.ts';
import { day, midnightOf, utcText } from '../../../time/wall.ts';
import { idIn } from '../../../uri.ts';
import type { Call } from '../../input/input.ts';
import { fillScope, scopeLines, scopeOf } from '../../operation/default-scope.ts';
import { type GenericCommand, runListing } from '../../operation/generic-command.ts';
import type { TypedInput } from '../../operation/input.ts';
import { noteRowFilters, type Stage } from '../../operation/listing.ts';
import type { Context } from '../../session/context.ts';
import { hasRoom } from '../../session/network.ts';
import { addColors, withPeople } from '../event-invitees.ts';
import { drawAgenda } from './agenda-screen.ts';
import type { AgendaInput } from './input.ts';
import { type Agenda, isWithin, type Meeting, meetingOf } from './meetings.ts';
import { spokenAgenda } from './spoken.ts';

/** The days to show: those of the period that contains `--since`, or today. */
const daysAt = (now: number, zone: string, period: Period, since: AgendaInput['since']): Day[] =>
  daysOf(midnightOf(wallClock(zone)(since?.(now) ?? now)), period, zone);

const edgesOf = (days: readonly Day[]) => ({ since: days[0]!.since, until: days.at(-1)!.until });

/** An event can begin this long before the first day and still run into it. */
const longestEvent = day;

/** The people of more events cost too many requests. */
const mostPeople = 50;

/**
 * Adds the people who come, unless a picture has no room for them, and the colors of the event types. Both only help, so
 * they leave most of the rate limit. While the agenda is watched, only new and changed events need requests.
 */
const decorator = (context: Context, query: Query, hasPeople: boolean, onLeftOut: () => void): Stage => {
  const known = new Map<string, Json>();
  return async (rows) => {
    const fresh = rows.filter((row) => !known.has(JSON.stringify(row)));
    const mayRead = hasPeople && fresh.length <= mostPeople && (await hasRoom(context, fresh.length));
    const named = mayRead ? await mapConcurrent(fresh, (row) => withPeople(context, row)) : fresh;
    if (hasPeople && !mayRead) onLeftOut();
    const colored = context.settings.accessible ? named : await addColors(context, query)(named);
    for (const [index, row] of fresh.entries()) known.set(JSON.stringify(row), colored[index]!);
    return rows.map((row) => known.get(JSON.stringify(row))!);
  };
};

/** Reads the events of the days, with those that begin before the first day and run into it. */
const readMeetings = async (
  context: Context,
  query: Query,
  days: readonly Day[],
  keep: (row: Json) => boolean,
  decorate: Stage,
): Promise<Meeting[]> => {
  const edges = edgesOf(days);
  const wider = { ...query, ...windowQuery('start_time', { since: utcText(edges.since - longestEvent) }) };
  const asked = rowFilter(events.list, wider);
  const client = await context.client();
  const shown: Json[] = [];
  let unreadable = 0;
  const options = { keep: (row: Json) => asked(row) && keep(row), afterSend: context.runtime.afterSend };
  for await (const page of client.pages(events.list, { query: wider }, options)) {
    for (const event of page) {
      const meeting = meetingOf(event);
      if (meeting === undefined) unreadable += 1;
      else if (isWithin(meeting, edges)) shown.push(event);
    }
  }
  if (unreadable > 0) context.notes.warn(`${counted(unreadable, 'event')} without a readable start time not shown`);
  return (await decorate(shown)).flatMap((event) => meetingOf(event) ?? []);
};

export const runAgenda = async (
  { since, watch, request, ...input }: AgendaInput & { request: TypedInput },
  { context }: Call,
  { fieldFlags, view }: GenericCommand,
): Promise<void> => {
  const { settings, printer, notes } = context;
  const { zone } = settings;
  const period = periods.find((name) => input[name]) ?? 'week';
  const daysNow = async () => daysAt(await context.askNow(), zone, period, since);
  const days = await daysNow();
  const scoped: Query = { ...request.query };
  const whose = await fillScope(events.list, { query: scoped }, context);
  const queryOf = (shown: readonly Day[]): Query => {
    const { since, until } = edgesOf(shown);
    return { ...scoped, ...windowQuery('start_time', { since: utcText(since), until: utcText(until) }) };
  };
  const { event_type: type } = request.rows!;
  const keep = (row: Json) => type === undefined || idIn(row.event_type) === idIn(type);

  if (settings.dryRun) noteRowFilters(context, fieldFlags, request.rows);
  if (settings.dryRun || !printer.showsPages) {
    // The window is the limit, so a terminal gets all rows too.
    return runListing(context, {
      operation: events.list,
      view,
      input: { query: queryOf(days) },
      bounds: { all: true },
      scope: scopeOf(events.list, whose),
      keep,
    });
  }
  const isShared = scoped.organization !== undefined && scoped.user === undefined;
  let isWhoLeftOut = false;
  const decorate = decorator(context, scoped, !isShared && period !== 'month', () => {
    isWhoLeftOut = true;
  });
  const read = async (shown: readonly Day[]): Promise<Agenda> => ({
    period,
    days: shown,
    meetings: await readMeetings(context, queryOf(shown), shown, keep, decorate),
    now: context.now(),
    zone,
    wallAt: wallClock(zone),
    isShared,
  });
  if (watch) {
    const { watchAgenda } = await import('./watch.ts');
    return watchAgenda(context, async () => read(await daysNow()));
  }
  const agenda = await read(days);
  await printer.draw((style) => {
    return settings.accessible ? spokenAgenda(agenda) : drawAgenda(agenda, style);
  });
  if (isWhoLeftOut) notes.footer('Who comes is left out, to leave requests for other commands');
  for (const line of scopeLines(whose)) notes.footer(line);
};
