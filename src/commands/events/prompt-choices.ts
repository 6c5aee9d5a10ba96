import { events, type SentEvent } from '../../api/events.ts';
import { invitees, type SentInvitee } from '../../api/invitees.ts';
import { windowQuery } from '../../api/window.ts';
import { fallBack } from '../../base/errors.ts';
import { day } from '../../base/milliseconds.ts';
import { idIn } from '../../base/uri.ts';
import type { ChoiceList, Invocation } from '../../cli/command.ts';
import { howOf } from '../../cli/input/input.ts';
import { fillScope } from '../../cli/operation/default-scope.ts';
import { readInput } from '../../cli/operation/input.ts';
import { isCanceled, markedName, whoText } from '../../cli/operation/view-values.ts';
import type { Choice } from '../../cli/session/asker.ts';
import type { Context } from '../../cli/session/context.ts';
import { hasRoom } from '../../cli/session/network.ts';
import { rowFilter } from '../../client/filter.ts';
import { gather } from '../../client/paginate.ts';
import type { Query } from '../../client/wire.ts';
import { valueAt } from '../../output/fields.ts';
import { pad, width } from '../../output/width.ts';
import { dayAt } from '../../time/calendar.ts';
import { timeLabel } from '../../time/label.ts';
import { wallClock } from '../../time/show.ts';
import { midnightOf, timestampOf, utcText } from '../../time/wall.ts';
import { addColors, addedInvitees, addPeople } from './with-invitees.ts';

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

const nameWithMark = markedName((event) => valueAt(event, 'name') ?? idIn(valueAt(event, 'uri'))).value!;

/** `Thu 19 Nov 10:30  ● Strategy session · Jonathan Wolfe +2`, and in words for a screen reader. */
const eventLabels = (event: SentEvent, when: string, column: number): Required<Pick<Choice, 'label' | 'spoken'>> => {
  const who = whoText(event);
  const people = who === undefined ? '' : ` with ${who}`;
  return {
    label: `${pad(when, column)}  ${nameWithMark(event)}${who === undefined ? '' : ` · ${who}`}`,
    spoken: `${when} ${event.name ?? idIn(event.uri)}${people}${isCanceled(event) ? ', canceled' : ''}`,
  };
};

const isOver = ({ end_time: end }: SentEvent, now: number): boolean => (timestampOf(end) ?? now) < now;

/** What comes next stands first, and what is over today stands last. */
const overLast = (rows: SentEvent[], usual: Usual, now: number): SentEvent[] =>
  usual === 'began'
    ? rows
    : [...rows.filter((event) => !isOver(event, now)), ...rows.filter((event) => isOver(event, now))];

/** The events that a command may be about, with the people in them as far as the rate limit allows. */
export const offerEvents = async (usual: Usual, question: string, { context }: Invocation): Promise<ChoiceList> => {
  const client = await context.client();
  const query = await queryFor(usual, context);
  await fillScope(events.list, { query }, context);
  const options = { limit: mostOffered + 1, keep: rowFilter(events.list, query) };
  const now = context.now();
  const listedEvents = overLast(await gather(client.pages(events.list, { query }, options)), usual, now);
  const first = listedEvents.slice(0, mostWithPeople);
  const isNamed = await hasRoom(context, first.length);
  const rest = listedEvents.slice(isNamed ? first.length : 0, mostOffered);
  const shownEvents = await addColors(
    context,
    query,
  )([...(isNamed ? await addPeople(context, () => {})(first) : []), ...rest]);
  const { zone } = context.settings;
  const times = shownEvents.map(({ start_time: start }) => timeLabel(start, zone, now) ?? '');
  const widest = Math.max(0, ...times.map(width));
  const choices = shownEvents.map(
    (event, index): Choice => ({
      value: idIn(event.uri),
      ...eventLabels(event, times[index]!, widest),
      words: [
        ...(usual !== 'began' && isOver(event, now) ? ['earlier today'] : []),
        ...addedInvitees(event).flatMap(({ name, email }) => [String(name), String(email)]),
        idIn(event.uri),
      ],
      color: isCanceled(event) ? undefined : valueAt(event, '_sched.color'),
    }),
  );
  const overCount = usual === 'began' ? 0 : shownEvents.filter((event) => isOver(event, now)).length;
  const notes = [
    ...(overCount > 0 ? [`Earlier today: type "today".`] : []),
    ...(listedEvents.length > shownEvents.length ? [`Only the first ${mostOffered} events.`] : []),
    ...(rest.length > 0
      ? [
          isNamed
            ? `Names are shown for the first ${first.length} events.`
            : 'Few requests are left, so no names are shown.',
        ]
      : []),
  ];
  return { question, choices, ...(notes.length === 0 ? {} : { note: notes.join(' ') }) };
};

const inviteeLabel = ({ uri, name, email, status }: SentInvitee): string =>
  [name ?? idIn(uri), email, status === 'canceled' ? 'canceled' : undefined].filter(Boolean).join(' · ');

/** The invitees of the event that was given. Undefined if the argument isn't an event, but an invitee. */
export const offerInvitees = async (
  question: string,
  invocation: Invocation,
  isWanted: (invitee: SentInvitee) => boolean = () => true,
): Promise<ChoiceList | undefined> => {
  const { context, given } = invocation;
  if (String(given.event).includes('/invitees/')) return undefined;
  const { path = {} } = await readInput(invocation, events.get, [], howOf(invocation));
  const client = await context.client();
  const pages = client.pages(invitees.list, { path }, { limit: mostOffered + 1, keep: isWanted });
  // The command itself reports an event that doesn't exist.
  const rows = await gather(pages).catch(fallBack(undefined, 'not-found'));
  if (rows === undefined) return undefined;
  const choices = rows.slice(0, mostOffered).map((each) => ({ value: idIn(each.uri), label: inviteeLabel(each) }));
  const note = rows.length > mostOffered ? `Only the first ${mostOffered} invitees.` : undefined;
  return { question, choices, isClosed: true, note };
};
