import { events } from '../../api/events.ts';
import { invitees } from '../../api/invitees.ts';
import { windowQuery } from '../../api/window.ts';
import type { Input } from '../../client/client.ts';
import { rowFilter } from '../../client/filter.ts';
import { gather } from '../../client/paginate.ts';
import { hasCategory } from '../../errors.ts';
import { budgetKey } from '../../http/rate-limit.ts';
import { readIfPossible } from '../../jobs/read-back.ts';
import type { Json } from '../../json.ts';
import { pad, width } from '../../output/width.ts';
import { dayAt } from '../../time/calendar.ts';
import { timeLabel } from '../../time/label.ts';
import { wallClock } from '../../time/show.ts';
import { day, midnightOf, utcText } from '../../time/wall.ts';
import { idIn } from '../../uri.ts';
import type { Invocation, Offered } from '../command.ts';
import { fillScope } from '../operation/default-scope.ts';
import { readInput } from '../operation/input.ts';
import type { Choice } from '../session/asker.ts';
import type { Context } from '../session/context.ts';
import { textIn } from './event-facts.ts';
import { mapConcurrent } from './map-concurrent.ts';

/** Events that a list offers at most, and of how many the people are read. */
const [mostOffered, mostWithPeople] = [100, 50];

/** How many events' invitees are read at the same time, if the rate limit allows. */
const atOnce = 8;

/** Names that a line has room for. Others can still be searched for. */
const mostNames = 2;

/** Which events a command is usually about: `next` ones from today on, or those that `began` within a week. */
export type Usual = 'next' | 'next active' | 'began';

const queryFor = (usual: Usual, { runtime, settings, serviceTime }: Context): NonNullable<Input['query']> => {
  const now = serviceTime() ?? runtime.clock.now();
  const today = midnightOf(wallClock(settings.zone)(now));
  const sinceDay = (wall: number): string => utcText(dayAt(wall, settings.zone).since);
  return usual === 'began'
    ? {
        ...windowQuery('start_time', { since: sinceDay(today - 7 * day), until: utcText(now) }),
        status: 'active',
        sort: 'start_time:desc',
      }
    : {
        ...windowQuery('start_time', { since: sinceDay(today) }),
        ...(usual === 'next active' ? { status: 'active' } : {}),
        sort: 'start_time:asc',
      };
};

/** How many requests names are worth: at most half of what the rate limit still allows. */
const requestsForNames = async (context: Context): Promise<number> => {
  const { credentials } = await context.connection();
  const { budget } = await context.sharedState();
  const { levels } = await budget.look(budgetKey('general', await credentials.current()), 'general');
  const left = levels[0]?.remaining;
  return left === null || left === undefined ? mostWithPeople : Math.min(mostWithPeople, Math.floor(left / 2));
};

/** The active invitees of an event, or all of a canceled one. None if they can't be read: names only help. */
const readPeople = async (context: Context, event: Json): Promise<Json[]> => {
  const query: Input['query'] = event.status === 'canceled' ? {} : { status: 'active' };
  const client = await context.client();
  const options = { limit: 20, keep: rowFilter(invitees.list, query) };
  const pages = client.pages(invitees.list, { path: { event: idIn(event.uri) }, query }, options);
  return (await readIfPossible(() => gather(pages))) ?? [];
};

const namesIn = (people: readonly Json[]): string[] => people.map(({ name, email }) => textIn(name, email) ?? '?');

/** `Jonathan Wolfe, Ada Byron +2` */
const shortened = (names: readonly string[]): string =>
  `${names.slice(0, mostNames).join(', ')}${names.length > mostNames ? ` +${names.length - mostNames}` : ''}`;

/** `Thu 19 Nov 10:30  ● Strategy session · Jonathan Wolfe`, or in words for a screen reader. */
const labelOf = (event: Json, when: string, names: readonly string[], accessible: boolean): string => {
  const name = textIn(event.name) ?? idIn(event.uri);
  const isCanceled = event.status === 'canceled';
  if (accessible)
    return [
      when,
      ` ${name}`,
      ...(names.length === 0 ? [] : [` with ${shortened(names)}`]),
      ...(isCanceled ? [', canceled'] : []),
    ].join('');
  return `${when}  ${isCanceled ? '×' : '●'} ${name}${names.length === 0 ? '' : ` · ${shortened(names)}`}`;
};

/** The events that a command may be about, with the people in them as far as the rate limit allows. */
export const offerEvents = async (usual: Usual, question: string, { context }: Invocation): Promise<Offered> => {
  const client = await context.client();
  const query = queryFor(usual, context);
  await fillScope(events.list, { query }, 'events', context);
  const options = { limit: mostOffered + 1, keep: rowFilter(events.list, query) };
  const found = await gather(client.pages(events.list, { query }, options));
  const shown = found.slice(0, mostOffered);
  const named = shown.slice(0, await requestsForNames(context));
  const people = await mapConcurrent(named, atOnce, (event) => readPeople(context, event));
  const now = context.serviceTime() ?? context.runtime.clock.now();
  const { zone, accessible } = context.settings;
  const times = shown.map(({ start_time: start }) => timeLabel(String(start), zone, now) ?? '');
  const widest = Math.max(0, ...times.map(width));
  const choices = shown.map((event, index): Choice => {
    const invited = people[index] ?? [];
    const when = accessible ? times[index]! : pad(times[index]!, widest);
    return {
      value: idIn(event.uri),
      label: labelOf(event, when, namesIn(invited), accessible),
      words: [...namesIn(invited), ...invited.map(({ email }) => String(email ?? '')), idIn(event.uri)],
    };
  });
  const notes = [
    ...(found.length > shown.length ? [`Only the first ${mostOffered} events.`] : []),
    ...(named.length < shown.length ? [`To save requests, people are named in the first ${named.length} only.`] : []),
  ];
  return { question, choices, ...(notes.length === 0 ? {} : { note: notes.join(' ') }) };
};

const inviteeLabel = ({ uri, name, email, status }: Json): string =>
  [textIn(name) ?? idIn(uri), textIn(email), status === 'canceled' ? 'canceled' : undefined]
    .filter(Boolean)
    .join(' · ');

/** The invitees of the event that was typed. Undefined if the argument isn't an event, but an invitee. */
export const offerInvitees = async (
  question: string,
  invocation: Invocation,
  isWanted: (invitee: Json) => boolean = () => true,
): Promise<Offered | undefined> => {
  const { context, args } = invocation;
  if (args[0]?.includes('/invitees/')) return undefined;
  const { path = {} } = await readInput(invocation, events.get, []);
  const client = await context.client();
  const pages = client.pages(invitees.list, { path }, { limit: mostOffered + 1, keep: isWanted });
  const found = await gather(pages).catch((error: unknown) => {
    // The command itself reports an event that doesn't exist.
    if (!hasCategory(error, 'not-found')) throw error;
    return undefined;
  });
  if (found === undefined) return undefined;
  const choices = found.slice(0, mostOffered).map((each) => ({ value: idIn(each.uri), label: inviteeLabel(each) }));
  const note = found.length > mostOffered ? `Only the first ${mostOffered} invitees.` : undefined;
  return { question, choices, isClosed: true, note };
};
