import { moreEventTypes, type SentEventType } from '../../api/event-types.ts';
import { textOf } from '../../base/json.ts';
import { day, minute } from '../../base/milliseconds.ts';
import { once } from '../../base/once.ts';
import { the, words } from '../../base/words.ts';
import type { Answer } from '../../cli/answer/answer.ts';
import type { Command } from '../../cli/command.ts';
import { type Call, taking } from '../../cli/input/input.ts';
import { commandHere } from '../../cli/messages/suggested-line.ts';
import type { Decorations } from '../../cli/operation/generic-command.ts';
import type { Context } from '../../cli/session/context.ts';
import type { BlockStyle } from '../../output/block.ts';
import type { View } from '../../output/view.ts';
import { dateText } from '../../time/days.ts';
import { timeLabel } from '../../time/label.ts';
import { wallClock } from '../../time/show.ts';
import { midnightOf, timestampOf, utcText, weekdayName } from '../../time/wall.ts';
import { gatherByDays } from './day-windows.ts';
import type { FreeSlot, ShownTimes, SlotQuery, SlotWindow } from './free-slots.ts';
import { mostTimes, type SlotsInput, slotsInput, slotWindow } from './input.ts';
import { withBookablePage } from './type-page.ts';
import { why } from './why.ts';

const availableTimes = moreEventTypes['available-times'];

const slotView: View = {
  columns: [
    { header: 'START', path: 'start_time', as: 'time', priority: 5 },
    { header: 'END', path: 'end_time', as: 'time', priority: 3 },
    { header: 'HOSTS', path: 'event_memberships.*.user_name', as: 'list', priority: 2 },
  ],
  id: 'start_time',
};

/** The same for several event types. Later columns go to the end, because scripts count them. */
const severalView: View = {
  ...slotView,
  columns: [...slotView.columns, { header: 'EVENT TYPE', path: 'event_type_name', priority: 4 }],
};

/** The first slots, in order of time. */
const firstOf = (timesByType: readonly ShownTimes[], count: number): FreeSlot[] => {
  const first = timesByType.flatMap(({ slots }) => {
    const ownSlots: FreeSlot[] = [];
    for (const slot of slots) if (ownSlots.push(slot) >= count) break;
    return ownSlots;
  });
  return first.sort((one, other) => one.start_time.localeCompare(other.start_time)).slice(0, count);
};

/** The free times that the service computes itself, or undefined if it doesn't. */
const askFreeTimes = async (context: Context, { type, since, until }: SlotQuery): Promise<ShownTimes | undefined> => {
  if (!(await context.client()).offers(availableTimes)) return undefined;
  const slots: FreeSlot[] = [];
  for (const free of await gatherByDays(context, availableTimes, { event_type: String(type.uri) }, { since, until })) {
    const start = timestampOf(free.start_time);
    // Some services reply with more than they were asked for.
    if (start === undefined || start < since || start >= until) continue;
    const end = typeof type.duration === 'number' ? utcText(start + type.duration * minute) : null;
    const facts = { event_type: type.uri, end_time: end, _sched: { source: 'service' } };
    slots.push({ ...free, start_time: utcText(start), ...facts });
  }
  return { slots, unchecked: [], nameOf: String };
};

const titleOf = ({ name, uri }: SentEventType): string => textOf(name, uri) ?? '';

/** A day as people type it: `today`, `thu` for one of the next six days, else its date. */
const dayWord = (wall: number, now: number): string => {
  const days = (midnightOf(wall) - midnightOf(now)) / day;
  if (days === 0) return 'today';
  return days < 7 ? weekdayName(wall).slice(0, 3).toLowerCase() : dateText(wall);
};

/** The free times of the first days that have any. */
const ofFirstDays = (slots: readonly FreeSlot[], days: number, zone: string): readonly FreeSlot[] => {
  const midnights = slots.map(({ start_time: start }) => midnightOf(wallClock(zone)(timestampOf(start)!)));
  const last = [...new Set(midnights)][days - 1];
  return last === undefined ? slots : slots.filter((_, index) => midnights[index]! <= last);
};

/** The free times of each event type that can be booked, or of hosts without one. */
const readTimes = async (
  { types, hosts, duration, step }: SlotsInput,
  context: Context,
  window: SlotWindow,
): Promise<{ active: SentEventType[]; times: ShownTimes[] }> => {
  // Without an event type, the hosts meet as if they had one for this.
  const people = duration === undefined ? undefined : hosts;
  const meeting: ({ name?: string } & SentEventType) | undefined = people && { uri: null, duration };
  const active = meeting === undefined ? types.filter((type) => type.active !== false) : [meeting];
  for (const type of types)
    if (!active.includes(type)) context.notes.warn(`${titleOf(type)} is not active, so it can't be booked`);
  const host = people === undefined ? hosts[0] : undefined;
  const { findFreeTimes, noteUnchecked } = await import('./free-slots.ts');
  const times: ShownTimes[] = [];
  for (const type of active) {
    const query = { type, ...window, step, host, people };
    // Which host is free, and other steps, only sched can tell.
    const isOurs = host !== undefined || step !== undefined || people !== undefined;
    times.push((isOurs ? undefined : await askFreeTimes(context, query)) ?? (await findFreeTimes(context, query)));
  }
  if (meeting !== undefined) meeting.name = new Intl.ListFormat('en-GB').format(hosts.map(times[0]!.nameOf));
  for (const each of times) noteUnchecked(context, each);
  return { active, times };
};

/** Free times as sentences for an email. */
const emailTexts = async (
  { settings, runtime }: Context,
  all: readonly { type: SentEventType; slots: readonly FreeSlot[] }[],
  now: number,
): Promise<string> => {
  const { emailText, hasTwelveHours } = await import('./email-text.ts');
  const reader = { zone: settings.zone, now, isTwelveHours: hasTwelveHours(runtime.env) };
  return all.map((each) => emailText({ ...each, ...reader })).join('\n');
};

const runSlots = async (input: SlotsInput, { context, problems }: Call): Promise<Answer> => {
  const { types, rows, duration, first, days } = input;
  const { settings } = context;
  const window = await slotWindow({ context, problems }, rows);
  const isSeveral = types.length > 1;
  const { active, times } = await readTimes(input, context, window);
  const typeOf = ({ event_type: uri }: FreeSlot): SentEventType => active.find((type) => type.uri === uri)!;
  const firstSlots = firstOf(times, first ?? Number.POSITIVE_INFINITY);
  const dailySlots = days === undefined ? firstSlots : ofFirstDays(firstSlots, days, settings.zone);
  const slots = dailySlots.map((slot) => (isSeveral ? { ...slot, event_type_name: typeOf(slot).name ?? null } : slot));
  const all = active
    .map((type) => ({ type, slots: slots.filter(({ event_type: uri }) => uri === type.uri) }))
    .filter((each) => each.slots.length > 0);
  const now = context.now();
  const until = timeLabel(utcText(window.until), settings.zone, now)!;
  const none = words`No free times for ${active.map(titleOf).join(', ')} until ${until}. Look further ahead with ${the('until')}`;
  const book = (slot: FreeSlot) =>
    `Book: ${commandHere(context, 'invitees', 'create', '--event-type', titleOf(typeOf(slot)))}`;
  const below = slots.length > 0 && duration === undefined ? [book(slots[0]!)] : [];
  const table: Answer = {
    kind: 'rows',
    view: isSeveral ? severalView : slotView,
    pages: [slots],
    sentences: () => emailTexts(context, all, now),
    below: async () => below,
    footers: active.length > 0 && slots.length === 0 ? [none] : [],
  };
  if (slots.length === 0 || (isSeveral && slots.length <= mostTimes)) return table;
  return {
    kind: 'picture',
    others: table,
    picture: async () => {
      const { drawSlots, hasTimes, spokenSlots } = await import('./screen.ts');
      const isCut = slots.length === first || slots.length < firstSlots.length;
      const screens = all.map((each) => ({ ...each, ...window, isCut, zone: settings.zone, now }));
      // Each of them says where its times come from.
      const inAll = (style: BlockStyle, show: typeof drawSlots): string => {
        const place = once(() => style.place?.() ?? '');
        return screens.map((each) => show(each, { ...style, place })).join('');
      };
      const clock = wallClock(settings.zone);
      const date = dayWord(clock(timestampOf(slots[0]!.start_time)!), clock(now));
      const hint = words`Times of a day: ${the('since')} ${date} ${the('until')} ${date}`;
      return {
        draw: (style) => ({ picture: inAll(style, drawSlots) }),
        words: (style) => inAll(style, spokenSlots),
        footers: [...(screens.every(hasTimes) ? [] : [hint]), ...below],
      };
    },
  };
};

const slots: Command = {
  name: 'slots',
  summary: 'List free times of an event type',
  ...taking(slotsInput, runSlots),
  effect: 'read',
  ownFormat: 'text',
  alternative: availableTimes,
  view: slotView,
  fields: [
    'start_time',
    'end_time',
    'event_type',
    'event',
    'invitees_remaining',
    'event_memberships',
    '_sched',
    'event_type_name',
  ],
  examples: [
    'event-types slots "Intro call"',
    'event-types slots "Intro call" --since tomorrow --until +14d --tz America/New_York',
    'event-types slots "Support call" --host me --step 15',
    'event-types slots "Intro call" --first 1 -o id',
    'event-types slots "Intro call" "Support call" --until tomorrow',
    'event-types slots "Intro call" -o text --days 3 --tz Europe/Paris',
    'event-types slots --host me --host jonas.weber@northlight.example --duration 30',
  ],
  notes: [
    'sched computes these times: the whole meeting must be inside the hours of the availability schedules, and no host may have an active event then. A collective event type needs all hosts, a round-robin event type at least one. Starts are every --step minutes from the beginning of each interval of hours.',
    "The service checks once more when you book: it may also know other calendars, breaks or a minimum notice, which its API doesn't show. If sched could not check something, such as the events of a host that your token may not read, it says so on stderr and in _sched.unchecked.",
    'If the dialect of the service names event-types.available-times, the service computes the times, unless --host or --step is given. They are marked with _sched.source.',
    'A terminal shows a bar for each day with free times, and the exact times if there are at most 40 or all are on one day. Other formats have one start per line. For group event types, events with seats left are listed too, with invitees_remaining.',
    'The times of several event types are in one list, in order of time. The event type is the last column (event_type_name), and --first counts all of them.',
    '--host, several times, and --duration without an event type list the times when all of these hosts can meet: inside the hours that each has for any active event type, and while nobody has an event. event_type is null then. It takes a request for each of their event types.',
    '-o text prints sentences for an email: a line for each day, in the zone of --tz, and the page to book. Hours are 1 to 12 if your locale (LC_ALL, LC_TIME or LANG) writes them so, otherwise 0 to 23.',
  ],
};

export const decorate = { get: withBookablePage } satisfies Decorations;

export const extra = (): Command[] => [slots, why];
