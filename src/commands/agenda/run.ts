import { events, type SentEvent } from '../../api/events.ts';
import { windowQuery } from '../../api/window.ts';
import { day } from '../../base/milliseconds.ts';
import { counted } from '../../base/numbers.ts';
import { once } from '../../base/once.ts';
import { idIn } from '../../base/uri.ts';
import type { Sentence } from '../../base/words.ts';
import type { Answer, PictureAnswer, Stage } from '../../cli/answer/answer.ts';
import type { Plan } from '../../cli/answer/plan.ts';
import type { Call } from '../../cli/input/input.ts';
import { fillScope, scopeLines, scopeOf } from '../../cli/operation/default-scope.ts';
import type { GenericCommand } from '../../cli/operation/generic-command.ts';
import type { RequestValues } from '../../cli/operation/input.ts';
import { rowRemarks } from '../../cli/operation/listing.ts';
import { listingPlan } from '../../cli/operation/run-operation.ts';
import type { Context, Shell } from '../../cli/session/context.ts';
import { hasRoom } from '../../cli/session/network.ts';
import { rowFilter } from '../../client/filter.ts';
import { mapConcurrent } from '../../client/map-concurrent.ts';
import type { Query } from '../../client/wire.ts';
import { spokenLines } from '../../output/block.ts';
import { type Day, daysOf, type Period, periods } from '../../time/calendar.ts';
import { wallClock } from '../../time/show.ts';
import type { Span } from '../../time/slots.ts';
import { midnightOf, utcText } from '../../time/wall.ts';
import { addColors, readTypes, withPeople } from '../events/with-invitees.ts';
import type { AgendaInput } from './input.ts';
import { type Agenda, isOnDay, type Meeting, meetingOf } from './meetings.ts';
import { openHours, readHours } from './open-hours.ts';
import { drawAgenda } from './screen.ts';
import { spokenAgenda } from './screen-reader.ts';

/** The days to show: those of the period that contains `--since`, or today. */
const daysAt = (now: number, zone: string, period: Period, since: AgendaInput['since']): Day[] =>
  daysOf(midnightOf(wallClock(zone)(since?.(now) ?? now)), period, zone);

const edgesOf = (days: readonly Day[]) => ({ since: days[0]!.since, until: days.at(-1)!.until });

/** An event can begin this long before the first day and still run into it, or after the last day and be in the way. */
const longestEvent = day;

/** The people of more events cost too many requests. */
const mostPeople = 50;

/**
 * Adds the people who come, unless a picture has no room for them, and the colors of the event types. Both only help, so
 * they leave most of the rate limit. While the agenda is watched, only new and changed events need requests.
 */
const decorator = (context: Context, color: Stage | undefined, hasPeople: boolean, onLeftOut: () => void): Stage => {
  const decorations = new Map<string, SentEvent>();
  return async (rows) => {
    const fresh = rows.filter((row) => !decorations.has(JSON.stringify(row)));
    const mayRead = hasPeople && fresh.length <= mostPeople && (await hasRoom(context, fresh.length));
    const rowsWithPeople = mayRead ? await mapConcurrent(fresh, (row) => withPeople(context, row)) : fresh;
    if (hasPeople && !mayRead) onLeftOut();
    const rowsWithColors = (await color?.(rowsWithPeople)) ?? rowsWithPeople;
    for (const [index, row] of fresh.entries()) decorations.set(JSON.stringify(row), rowsWithColors[index]!);
    return rows.map((row) => decorations.get(JSON.stringify(row))!);
  };
};

interface ReadMeetings {
  meetings: Meeting[];
  /** Also those that are not shown and those just after the last day, because they are in the way of others. */
  busy: Span[];
}

/** Reads the events of the days, with those that begin before the first day and run into it. */
const readMeetings = async (
  context: Context,
  query: Query,
  days: readonly Day[],
  keep: (row: SentEvent) => boolean,
  decorate: Stage,
  draft: (meetings: Meeting[]) => Promise<void>,
): Promise<ReadMeetings> => {
  const edges = edgesOf(days);
  const [since, until] = [edges.since - longestEvent, edges.until + longestEvent].map((at) => utcText(at));
  const wider = { ...query, ...windowQuery('start_time', { since, until }) };
  const client = await context.client();
  const listedEvents: SentEvent[] = [];
  const busy: Span[] = [];
  let unreadable = 0;
  const options = { keep: rowFilter(events.list, wider), afterSend: context.runtime.afterSend };
  for await (const page of client.pages(events.list, { query: wider }, options)) {
    for (const event of page) {
      const meeting = meetingOf(event);
      if (meeting !== undefined && !meeting.isCanceled) busy.push(meeting);
      if (!keep(event)) continue;
      if (meeting === undefined) unreadable += 1;
      else if (isOnDay(meeting, edges)) listedEvents.push(event);
    }
  }
  if (unreadable > 0) context.notes.warn(`${counted(unreadable, 'event')} without a readable start time not shown`);
  const meetingsOf = (rows: SentEvent[]) => rows.flatMap((event) => meetingOf(event) ?? []);
  await draft(meetingsOf(listedEvents));
  const meetings = meetingsOf(await decorate(listedEvents));
  return { meetings, busy };
};

/** What an agenda needs besides its days. */
interface Source {
  query: Query;
  type: unknown;
  period: Period;
  keep(row: SentEvent): boolean;
  /** A screen reader has no colors. */
  isSpoken: boolean;
}

const queryOf = (query: Query, days: readonly Day[]): Query => {
  const { since, until } = edgesOf(days);
  return { ...query, ...windowQuery('start_time', { since: utcText(since), until: utcText(until) }) };
};

/** Reads agendas. While one is watched, names, colors and hours are read once. */
const agendaReader = (context: Context, { query, type, period, keep, isSpoken }: Source) => {
  const { zone } = context.settings;
  const isShared = query.organization !== undefined && query.user === undefined;
  const hasDetails = !isShared && period !== 'month';
  let isWhoLeftOut = false;
  const typesOnce = once(() => readTypes(context, query));
  const color = isSpoken ? undefined : addColors(context, query, typesOnce);
  const decorate = decorator(context, color, hasDetails, () => {
    isWhoLeftOut = true;
  });
  const mayReadHours = hasDetails && query.user !== undefined && query.status !== 'canceled';
  const shownTypes = async () =>
    (await typesOnce()).filter((row) => type === undefined || idIn(row.uri) === idIn(type));
  const readOwnHours = once(() => readHours(context, String(query.user), shownTypes));
  return {
    read: async (days: readonly Day[], draft: (agenda: Agenda) => Promise<void>): Promise<Agenda> => {
      const agendaOf = (meetings: Meeting[]): Agenda => {
        const now = context.now();
        return { period, days, meetings, now, zone, wallAt: wallClock(zone), isShared, open: undefined };
      };
      const draftOf = (meetings: Meeting[]) => draft(agendaOf(meetings));
      const own = queryOf(query, days);
      const { meetings, busy } = await readMeetings(context, own, days, keep, decorate, draftOf);
      // Afterwards, so that it is known how much of the rate limit is left.
      const hours = mayReadHours ? await readOwnHours() : undefined;
      context.runtime.interrupted.throwIfAborted();
      return { ...agendaOf(meetings), open: hours && openHours(hours, days, busy, context.now()) };
    },
    remarks: (): Sentence[] => (isWhoLeftOut ? ['Who comes is left out, to leave requests for other commands'] : []),
  };
};

export const agenda = async (
  { since, watch, request, ...input }: AgendaInput & { request: RequestValues },
  { context }: Call,
  { fieldFlags, view }: GenericCommand,
): Promise<Plan> => {
  const { settings } = context;
  const period = periods.find((name) => input[name]) ?? 'week';
  const daysNow = async () => daysAt(await context.askNow(), settings.zone, period, since);
  const days = await daysNow();
  const query: Query = { ...request.query };
  const whose = await fillScope(events.list, { query }, context);
  const { event_type: type } = request.rows!;
  const keep = (row: SentEvent) => type === undefined || idIn(row.event_type) === idIn(type);
  const readerFor = (isSpoken: boolean) => agendaReader(context, { query, type, period, keep, isSpoken });
  const scope = scopeOf(events.list, whose);
  // The window is the limit, so a terminal gets all rows too.
  const bounds = { all: true };
  const listing = { operation: events.list, view, input: { query: queryOf(query, days) }, bounds, scope, keep };
  const watched = async (shell: Shell): Promise<void> => {
    const { watchAgenda } = await import('./watch.ts');
    const reader = readerFor(false);
    return watchAgenda(shell, async () => reader.read(await daysNow(), async () => {}));
  };
  const drawn: PictureAnswer = {
    kind: 'picture',
    others: { kind: 'listing', listing },
    picture: async ({ draft, isSpoken }) => {
      const reader = readerFor(isSpoken);
      const read = await reader.read(days, (known) => draft((style) => drawAgenda(known, style)));
      return {
        draw: (style) => ({ picture: drawAgenda(read, style) }),
        words: ({ available }) => spokenLines(spokenAgenda(read), available),
        footers: [...reader.remarks(), ...scopeLines(whose)],
      };
    },
  };
  const send = async (): Promise<Answer> => (watch ? { kind: 'program', run: watched } : drawn);
  return listingPlan(listing, rowRemarks(fieldFlags, request.rows), send);
};
