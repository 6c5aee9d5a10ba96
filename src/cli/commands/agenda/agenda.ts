import { events } from '../../../api/events.ts';
import { limits } from '../../../api/limits.ts';
import { windowQuery } from '../../../api/window.ts';
import type { Input } from '../../../client/client.ts';
import { rowFilter } from '../../../client/filter.ts';
import type { Json } from '../../../json.ts';
import { counted } from '../../../numbers.ts';
import { asciiForm, needsAscii } from '../../../output/drawing.ts';
import { type Day, daysOf, type Period, periods } from '../../../time/calendar.ts';
import { readTime } from '../../../time/read.ts';
import { wallClock } from '../../../time/show.ts';
import { day, midnightOf, timestampOf, utcText } from '../../../time/wall.ts';
import { idIn } from '../../../uri.ts';
import type { Invocation } from '../../command.ts';
import { fillScope, scopeLines, scopeOf } from '../../operation/default-scope.ts';
import { type GenericCommand, runListing } from '../../operation/generic-command.ts';
import { readInput } from '../../operation/input.ts';
import { noteRowFilters } from '../../operation/listing.ts';
import { readColors } from '../../scheduling/event-colors.ts';
import type { Context } from '../../session/context.ts';
import { drawAgenda } from './agenda-screen.ts';
import { type Agenda, isWithin, type Meeting, meetingOf } from './meetings.ts';
import { spokenAgenda } from './spoken.ts';

const readPeriod = ({ typed, problems }: Invocation): Period => {
  const given = periods.filter((name) => typed[name] !== undefined);
  const names = given.map((name) => `--${name}`);
  if (names.length > 1) problems.add(`${names.slice(0, -1).join(', ')} and ${names.at(-1)} can't be used together`);
  return given[0] ?? 'week';
};

/** The days to show: those of the period that contains `--since`, or today. */
const readDays = ({ context, typed, problems }: Invocation, period: Period): Day[] => {
  const { zone } = context.settings;
  const now = context.runtime.clock.now();
  let at = now;
  if (typed.since !== undefined) {
    const reading = readTime(String(typed.since), { zone, now, edge: 'since' });
    if (reading.ok) at = timestampOf(reading.instant)!;
    else problems.value('since', String(typed.since), `--since: ${reading.problem}`);
  }
  return daysOf(midnightOf(wallClock(zone)(at)), period, zone);
};

const edgesOf = (days: readonly Day[]) => ({ since: days[0]!.since, until: days.at(-1)!.until });

/** An event can begin this long before the first day and still run into it. */
const longestEvent = day;

/** Reads the events of the days, with those that begin before the first day and run into it. */
const readMeetings = async (
  context: Context,
  query: NonNullable<Input['query']>,
  days: readonly Day[],
  keep: (row: Json) => boolean,
): Promise<Meeting[]> => {
  const edges = edgesOf(days);
  const wider = { ...query, ...windowQuery('start_time', { since: utcText(edges.since - longestEvent) }) };
  const asked = rowFilter(events.list, wider);
  const client = await context.client();
  const meetings: Meeting[] = [];
  let unreadable = 0;
  const options = { keep: (row: Json) => asked(row) && keep(row), afterSend: context.runtime.afterSend };
  for await (const page of client.pages(events.list, { query: wider }, options)) {
    for (const event of page) {
      const meeting = meetingOf(event);
      if (meeting === undefined) unreadable += 1;
      else if (isWithin(meeting, edges)) meetings.push(meeting);
    }
  }
  if (unreadable > 0) context.notes.warn(`${counted(unreadable, 'event')} without a readable start time not shown`);
  return meetings;
};

export const runAgenda = async (command: GenericCommand, invocation: Invocation): Promise<void> => {
  const { context, typed } = invocation;
  const { settings, runtime, printer, notes } = context;
  const period = readPeriod(invocation);
  const days = readDays(invocation, period);
  const input = await readInput(invocation, events.list, command.fieldFlags);
  const { since, until } = edgesOf(days);
  const window = windowQuery('start_time', { since: utcText(since), until: utcText(until) });
  const query: NonNullable<Input['query']> = { ...input.query, ...window };
  const whose = await fillScope(events.list, { query }, 'events', context);
  const { event_type: type } = input.rows!;
  const keep = (row: Json) => type === undefined || idIn(row.event_type) === idIn(type);

  if (settings.dryRun) noteRowFilters(invocation, command.fieldFlags);
  if (settings.dryRun || !printer.showsPages) {
    // The window is the limit, so a terminal gets all rows too.
    return runListing(
      { ...invocation, typed: { ...typed, all: true } },
      {
        operation: events.list,
        view: command.view,
        input: { query },
        bounds: { pageSize: limits.pageSize.max },
        scope: scopeOf(events.list, whose),
        keep,
      },
    );
  }
  const { zone } = settings;
  const agenda: Agenda = {
    period,
    days,
    meetings: await readMeetings(context, query, days, keep),
    now: runtime.clock.now(),
    zone,
    wallAt: wallClock(zone),
    isShared: query.organization !== undefined && query.user === undefined,
    colors: settings.accessible ? new Map() : await readColors(context, query),
  };
  await printer.draw((style) => {
    if (settings.accessible) return spokenAgenda(agenda);
    const screen = drawAgenda(agenda, style);
    return needsAscii(runtime.env) ? asciiForm(screen) : screen;
  });
  for (const line of scopeLines(whose)) notes.footer(line);
};
