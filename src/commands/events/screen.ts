import { events, type SentEvent } from '../../api/events.ts';
import type { SentInvitee } from '../../api/invitees.ts';
import { fallBack } from '../../base/errors.ts';
import { isObject, recordsIn } from '../../base/json.ts';
import { day } from '../../base/milliseconds.ts';
import { counted, formatNumber } from '../../base/numbers.ts';
import { idIn } from '../../base/uri.ts';
import type { Question, Reader } from '../../cli/answer/plan.ts';
import { commandHere } from '../../cli/messages/suggested-line.ts';
import { isAlready, type Written, withFacts } from '../../cli/operation/write-result.ts';
import type { Context } from '../../cli/session/context.ts';
import { readIfPossible } from '../../client/change.ts';
import { mapConcurrent } from '../../client/map-concurrent.ts';
import { gather } from '../../client/paginate.ts';
import { cutLong } from '../../output/cells.ts';
import { dateRanges, dateText, weeksPast } from '../../time/days.ts';
import { spanLabel, timeLabel } from '../../time/label.ts';
import { wallClock } from '../../time/show.ts';
import type { Span } from '../../time/slots.ts';
import { timestampOf, utcText } from '../../time/wall.ts';
import { inviteesOf } from './read-invitees.ts';
import { addedInvitees } from './with-invitees.ts';

/** Events and people that a prompt names. The others are counted. */
export const mostNamed = 5;
const mostNamedOfSeveral = 1;

/** A name of any length comes from the network, and a prompt must stay on the screen. */
const longestName = 80;

export const textIn = (...values: unknown[]): string | undefined => {
  const text = values.find((value) => typeof value === 'string' && value.trim() !== '');
  return typeof text === 'string' ? cutLong(text, longestName) : undefined;
};

/** `"Intro call"`, or `event ID` if it has no name. */
export const quotedName = ({ name, uri }: SentEvent): string =>
  textIn(name) === undefined ? `event ${idIn(uri)}` : `"${textIn(name)}"`;

/** `"Intro call" (Mon 16 Nov 09:00)` */
export const nameAndTime = (context: Context, event: SentEvent): string =>
  typeof event.start_time === 'string'
    ? `${quotedName(event)} (${timeLabel(event.start_time, context.settings.zone, context.now()) ?? event.start_time})`
    : quotedName(event);

export const spanOf = (context: Context, { start_time: start, end_time: end }: SentEvent): string | undefined =>
  spanLabel(start, end, context.settings.zone, context.now());

/** The start and end of an event. An event without a readable end is as short as possible. */
export const spanIn = ({ start_time: start, end_time: end }: SentEvent): Span | undefined => {
  const from = timestampOf(start);
  if (from === undefined) return undefined;
  return { start: from, end: Math.max(from, timestampOf(end) ?? from) };
};

/** The hosts in an event as the service sent it. */
export const hostsIn = ({ event_memberships: hosts }: SentEvent) => recordsIn(hosts);

export const hostNames = (event: SentEvent): string[] =>
  hostsIn(event).flatMap(({ user_name: name, user_email: email }) => textIn(name, email) ?? []);

/** An event with its active invitees: at most one more than a prompt names. */
export const withActive = async (context: Context, event: SentEvent): Promise<Written<SentEvent>> => {
  const limit = mostNamed + 1;
  const reading = inviteesOf(context, event, { status: 'active' }, { limit, pageSize: limit });
  return withFacts(event, { invitees: await reading.catch(fallBack([], 'forbidden', 'not-found')) });
};

/** The names of an event's active invitees. Reads them if that wasn't done. */
const readInviteeNames = async (context: Context, event: Written<SentEvent>): Promise<string[]> => {
  const rows = addedInvitees(event._sched === undefined ? await withActive(context, event) : event);
  return rows.map(({ name, email, uri }) => textIn(name, email) ?? idIn(uri));
};

/** `Ada, Bob +3`. `total` counts the people who are not in `names` too. */
const people = (names: readonly string[], most: number, total = names.length): string => {
  const shownNames = names.slice(0, most);
  const more = Math.max(total, names.length) - shownNames.length;
  return more > 0 ? `${shownNames.join(', ')} +${formatNumber(more)}` : shownNames.join(', ');
};

/** The active invitees of an event in a few words: `Zoë Müller +1`. Reads them. */
export const peopleIn = async (context: Context, event: SentEvent): Promise<string> =>
  people(await readInviteeNames(context, event), mostNamedOfSeveral, activeIn(event));

export const activeIn = ({ invitees_counter: counter }: SentEvent): number =>
  isObject(counter) && typeof counter.active === 'number' ? counter.active : 0;

/**
 * An event as one line, and how many people take part: `Mon 16 Nov 09:00–09:30  Intro call · Zoë Müller +1`. It names
 * hosts only if the user is not one of them. Reads the invitees.
 */
const countedLine = async (
  context: Context,
  event: SentEvent,
  most: number,
): Promise<{ line: string; count: number; names: string[] }> => {
  const [invited, own] = await Promise.all([readInviteeNames(context, event), context.identity.user().catch(() => '')]);
  const isOwn = hostsIn(event).some(({ user }) => user === own);
  const parts = [
    textIn(event.name) ?? `event ${idIn(event.uri)}`,
    ...(invited.length === 0 ? [] : [people(invited, most, activeIn(event))]),
    ...(isOwn || hostNames(event).length === 0 ? [] : [`with ${people(hostNames(event), most)}`]),
  ];
  return {
    line: [spanOf(context, event) ?? [], parts.join(' · ')].flat().join('  '),
    count: Math.max(activeIn(event), invited.length),
    names: invited,
  };
};

/** An event as one line of a prompt, by its ID. */
export const eventLine = async (context: Context, id: string): Promise<string> =>
  (await countedLine(context, (await readEvents(context, [id]))[0]!, mostNamed)).line;

/** Reads events before a prompt about them. Throws if one doesn't exist. */
export const readEvents = async (context: Context, ids: readonly string[]): Promise<SentEvent[]> => {
  const client = await context.client();
  return mapConcurrent(ids, async (event) => client.call(events.get, { path: { event } }));
};

/** The events of a long list that a prompt names. For an event that doesn't exist, a text says so. */
export const readSome = async (context: Context, ids: readonly string[]): Promise<(SentEvent | string)[]> => {
  const client = await context.client();
  return mapConcurrent(ids.slice(0, mostNamed), (event) =>
    client.call(events.get, { path: { event } }).catch(fallBack(`event ${event}: not found`, 'not-found')),
  );
};

const notified = (count: number, names: readonly string[]): string =>
  count === 0 ? '' : ` and notify ${count === 1 && names.length === 1 ? names[0] : counted(count, 'person', 'people')}`;

/**
 * The prompt before canceling events: a short list of them with their time and people, of at most so many. `total` counts
 * the events that were not read too.
 */
export const cancelQuestion = async (
  context: Context,
  eventsToCancel: readonly (SentEvent | string)[],
  reader: Reader,
  { reason, total = eventsToCancel.length, most = mostNamed }: { reason?: unknown; total?: number; most?: number } = {},
): Promise<Question> => {
  // Without a prompt, nobody would see the people.
  const shownEvents = reader === 'asked' ? eventsToCancel.slice(0, most) : [];
  const lines = await mapConcurrent(shownEvents, async (event) =>
    typeof event === 'string'
      ? { line: event, count: 0, names: [] }
      : countedLine(context, event, total === 1 ? mostNamed : mostNamedOfSeveral),
  );
  const [first] = eventsToCancel;
  const isOne = total === 1 && typeof first === 'object';
  const what = isOne ? quotedName(first) : counted(total, 'event');
  const whom = total === 1 ? ' and notify its invitees' : ' and notify their invitees';
  const names = lines.flatMap((line) => line.names);
  const people = lines.reduce((sum, { count }) => sum + count, 0);
  const asking = (named: readonly string[]) =>
    `Cancel ${what}${lines.length === total ? notified(people, named) : whom}?`;
  return {
    question: asking(names),
    forTool: asking([]),
    isFinal: true,
    action: `cancel ${isOne ? nameAndTime(context, first) : what}`,
    list: lines.map(({ line }) => line),
    more: total - lines.length,
    facts: textIn(reason) === undefined ? [] : [['reason', String(reason)]],
    place: [['time zone', context.settings.zone]],
  };
};

/** What a cancellation has done: `Canceled: Intro call, Wed 18 Nov 08:00–08:15 UTC`. */
export const canceledSentence = (context: Context, event: SentEvent): string => {
  const span = spanOf(context, event);
  const when = span === undefined ? [] : `${span} ${context.settings.zone}`;
  const what = [textIn(event.name) ?? `event ${idIn(event.uri)}`, when].flat().join(', ');
  return `${isAlready(event) ? 'Already canceled' : 'Canceled'}: ${what}`;
};

/** The prompt before a no-show for a meeting that nobody can have missed. `why`: it `has not started yet`. */
export const noShowQuestion = async (
  context: Context,
  event: SentEvent,
  invitee: SentInvitee,
  why: string,
  reader: Reader,
): Promise<Question> => {
  const who = textIn(invitee.name, invitee.email) ?? `invitee ${idIn(invitee.uri)}`;
  return {
    question: `Mark ${who} as no-show? ${quotedName(event)} ${why}.`,
    action: `mark ${who} as no-show for ${nameAndTime(context, event)}, which ${why}`,
    list: reader === 'asked' ? [(await countedLine(context, event, mostNamed)).line] : [],
    place: [['time zone', context.settings.zone]],
  };
};

/** Meetings that are looked for. */
const mostFound = 50;
const mostFoundNamed = 3;

/** The active meetings of a query. By default as far as one request shows them: a question must not wait for more. */
const someMeetings = async (
  context: Context,
  query: () => Promise<Record<string, string>>,
  limit = mostFound,
): Promise<SentEvent[]> => {
  const found = await readIfPossible(async () => {
    const input = { query: { ...(await query()), status: 'active', sort: 'start_time' } };
    const client = await context.client();
    if (limit !== mostFound) return gather(client.pages(events.list, input));
    for await (const first of client.pages(events.list, input, { limit, pageSize: limit })) return first;
    return [];
  });
  return (found ?? []).filter(({ status }) => status === 'active');
};

/** The first meetings by time and name: `14:30 Intro call, 16:00 Support call and 2 more`. */
const namedMeetings = (context: Context, meetings: readonly SentEvent[], zone: string, isOneDay = false): string => {
  const shownMeetings = meetings.slice(0, mostFoundNamed).map((event) => {
    const when = timeLabel(event.start_time, zone, context.now())!;
    return `${isOneDay ? when.slice(-5) : when} ${textIn(event.name) ?? `event ${idIn(event.uri)}`}`;
  });
  const more = meetings.length - shownMeetings.length;
  return `${shownMeetings.join(', ')}${more > 0 ? ` and ${formatNumber(more)} more` : ''}`;
};

/** Meetings on dates that are taken off, which the service keeps. */
export interface Staying {
  /** The meetings as `_sched.stays` has them. */
  stays: SentEvent[];
  /** `1 meeting stays: 14:30 Intro call`, and the commands that move or cancel them. Empty if there are none. */
  lines: string[];
}

/** Days that are taken off. */
interface DaysOff {
  user: unknown;
  dates: readonly string[];
  /** All days off, with those that were there before. */
  off: readonly string[];
  zone: string;
}

/** The meetings of a user that stay on dates: for a question the first ones, else all of them. */
export const stayingMeetings = async (
  context: Context,
  reader: Reader,
  { user, dates, off, zone }: DaysOff,
): Promise<Staying> => {
  const dateOf = (event: SentEvent) => dateText(wallClock(zone)(timestampOf(event.start_time) ?? 0));
  const aside = (date: string, days: number) => new Date(Date.parse(`${date}T00:00:00Z`) + days * day).toISOString();
  const limit = reader === 'asked' ? mostFound : Number.POSITIVE_INFINITY;
  const query = async () => ({
    user: typeof user === 'string' ? user : await context.identity.user(),
    // A date begins up to a day earlier or later than in UTC.
    min_start_time: aside(dates[0]!, -1),
    max_start_time: aside(dates.at(-1)!, 2),
  });
  const activeMeetings = await someMeetings(context, query, limit);
  const meetings = activeMeetings.filter((event) => dates.includes(dateOf(event)));
  if (meetings.length === 0) return { stays: [], lines: [] };
  const count = counted(meetings.length, 'meeting stays', 'meetings stay');
  const own = await context.identity.user().catch(() => user);
  const whose = typeof user === 'string' && user !== own ? ['--user', idIn(user)] : [];
  const there = [...whose, ...(zone === context.settings.zone ? [] : ['--tz', zone])];
  const readDates = meetings.map(dateOf).sort();
  // Meetings that were not read may be on any later date.
  const all = [
    ...readDates,
    ...(activeMeetings.length < limit ? [] : dates.filter((date) => date > readDates.at(-1)!)),
  ];
  // Between two ranges of dates, meetings take place.
  const ways = dateRanges(dates).flatMap(([first, last]) => {
    const days = all.filter((date) => date >= first && date <= last);
    if (days.length === 0) return [];
    const flags = ['--since', days[0]!, '--until', days.at(-1)!, ...there];
    return [
      `move: ${commandHere(context, 'events', 'move', ...flags, '--shift', `+${weeksPast(days, off)}w`)}`,
      `cancel: ${commandHere(context, 'events', 'cancel', ...flags)}`,
    ];
  });
  const lines = [`${count}: ${namedMeetings(context, meetings, zone, dates.length === 1)} (${zone})`, ...ways];
  const stays = meetings.map(({ uri, name, start_time, end_time }) => ({ uri, name, start_time, end_time }));
  return { stays, lines };
};

/** The next meetings of a user: `7: Wed 18 Nov 14:00 Support call and 6 more`. */
export const upcomingMeetings = async (context: Context, user: string): Promise<string> => {
  const meetings = await someMeetings(context, async () => ({
    user,
    organization: await context.identity.organization(),
    min_start_time: utcText(context.now()),
  }));
  if (meetings.length === 0) return 'none shown';
  const count = `${meetings.length}${meetings.length === mostFound ? ' or more' : ''}`;
  return `${count}: ${namedMeetings(context, meetings, context.settings.zone)}`;
};
