import { events } from '../../api/events.ts';
import { invitees } from '../../api/invitees.ts';
import { windowQuery } from '../../api/window.ts';
import { rowFilter } from '../../client/filter.ts';
import { gather } from '../../client/paginate.ts';
import type { Query } from '../../client/wire.ts';
import { fallBack } from '../../errors.ts';
import type { Json } from '../../json.ts';
import { valueAt } from '../../output/fields.ts';
import { pad, width } from '../../output/width.ts';
import { dayAt } from '../../time/calendar.ts';
import { timeLabel } from '../../time/label.ts';
import { wallClock } from '../../time/show.ts';
import { day, midnightOf, utcText } from '../../time/wall.ts';
import { idIn } from '../../uri.ts';
import type { Invocation, Offered } from '../command.ts';
import { fillScope } from '../operation/default-scope.ts';
import { readInput } from '../operation/input.ts';
import { isCanceled, marked, whoText } from '../operation/view-values.ts';
import type { Choice } from '../session/asker.ts';
import type { Context } from '../session/context.ts';
import { hasRoom } from '../session/network.ts';
import { addColors, addPeople, readInvitees } from './event-invitees.ts';

/** Events that a list offers at most, and of how many the people are read. */
const [mostOffered, mostWithPeople] = [100, 50];

/** Which events a command is usually about: `next` ones from today on, or those that `began` within a week. */
export type Usual = 'next' | 'next active' | 'began';

const queryFor = async (usual: Usual, context: Context): Promise<Query> => {
  const { settings } = context;
  const now = await context.askNow();
  const today = midnightOf(wallClock(settings.zone)(now));
  const sinceDay = (wall: number): string => utcText(dayAt(wall, settings.zone).since);
  const isPast = usual === 'began';
  const window = isPast ? { since: sinceDay(today - 7 * day), until: utcText(now) } : { since: sinceDay(today) };
  return {
    ...windowQuery('start_time', window),
    ...(usual === 'next' ? {} : { status: 'active' }),
    sort: isPast ? 'start_time:desc' : 'start_time:asc',
  };
};

const nameWithMark = marked((event) => valueAt(event, 'name') ?? idIn(valueAt(event, 'uri'))).value!;

/** `Thu 19 Nov 10:30  ● Strategy session · Jonathan Wolfe +2`, or in words for a screen reader. */
const labelOf = (event: Json, when: string, accessible: boolean): string => {
  const who = whoText(event);
  if (!accessible) return `${when}  ${nameWithMark(event)}${who === undefined ? '' : ` · ${who}`}`;
  const people = who === undefined ? '' : ` with ${who}`;
  return `${when} ${event.name ?? idIn(event.uri)}${people}${isCanceled(event) ? ', canceled' : ''}`;
};

/** The events that a command may be about, with the people in them as far as the rate limit allows. */
export const offerEvents = async (usual: Usual, question: string, { context }: Invocation): Promise<Offered> => {
  const client = await context.client();
  const query = await queryFor(usual, context);
  await fillScope(events.list, { query }, context);
  const options = { limit: mostOffered + 1, keep: rowFilter(events.list, query) };
  const found = await gather(client.pages(events.list, { query }, options));
  const first = found.slice(0, mostWithPeople);
  const isNamed = await hasRoom(context, first.length);
  const rest = found.slice(isNamed ? first.length : 0, mostOffered);
  const shown = await addColors(context, query)([...(isNamed ? await addPeople(context)(first) : []), ...rest]);
  const now = context.now();
  const { zone, accessible } = context.settings;
  const times = shown.map(({ start_time: start }) => timeLabel(String(start), zone, now) ?? '');
  const widest = Math.max(0, ...times.map(width));
  const choices = shown.map(
    (event, index): Choice => ({
      value: idIn(event.uri),
      label: labelOf(event, accessible ? times[index]! : pad(times[index]!, widest), accessible),
      words: [...readInvitees(event).flatMap(({ name, email }) => [String(name), String(email)]), idIn(event.uri)],
      color: isCanceled(event) ? undefined : valueAt(event, '_sched.color'),
    }),
  );
  const named = isNamed ? `the first ${first.length} only` : 'no event';
  const notes = [
    ...(found.length > shown.length ? [`Only the first ${mostOffered} events.`] : []),
    ...(rest.length > 0 ? [`To save requests, people are named in ${named}.`] : []),
  ];
  return { question, choices, ...(notes.length === 0 ? {} : { note: notes.join(' ') }) };
};

const inviteeLabel = ({ uri, name, email, status }: Json): string =>
  [name ?? idIn(uri), email, status === 'canceled' ? 'canceled' : undefined].filter(Boolean).join(' · ');

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
  // The command itself reports an event that doesn't exist.
  const found = await gather(pages).catch(fallBack(undefined, 'not-found'));
  if (found === undefined) return undefined;
  const choices = found.slice(0, mostOffered).map((each) => ({ value: idIn(each.uri), label: inviteeLabel(each) }));
  const note = found.length > mostOffered ? `Only the first ${mostOffered} invitees.` : undefined;
  return { question, choices, isClosed: true, note };
};
