import { eventTypes, moreEventTypes } from '../../api/event-types.ts';
import { dateTime, reference } from '../../api/field.ts';
import { limits } from '../../api/limits.ts';
import { windowIn, windowQuery } from '../../api/window.ts';
import type { Query } from '../../client/wire.ts';
import { hasCategory, usageError } from '../../errors.ts';
import type { Json } from '../../json.ts';
import type { View } from '../../output/view.ts';
import { dateText } from '../../time/days.ts';
import { timeLabel } from '../../time/label.ts';
import { wallClock } from '../../time/show.ts';
import { day, minute, timestampOf, utcText } from '../../time/wall.ts';
import type { Command } from '../command.ts';
import { both, type Call, type Input, input, taking, type Values } from '../input/input.ts';
import { count } from '../input/kinds.ts';
import { commandHere } from '../messages/suggested-line.ts';
import { type FieldFlag, rowFlag } from '../operation/field-flags.ts';
import { genericCommand } from '../operation/generic-command.ts';
import { type Draft, draftInput } from '../operation/input.ts';
import { gatherByDays } from '../scheduling/day-windows.ts';
import type { ShownTimes, SlotQuery, SlotWindow } from '../scheduling/free-slots.ts';
import type { Context } from '../session/context.ts';

const availableTimes = moreEventTypes['available-times'];

/** A longer window would take long and help nobody. */
const mostDays = 366;

const windowFlag = (edge: 'since' | 'until', description: string): FieldFlag => {
  const [parameter] = Object.keys(windowQuery('start_time', { [edge]: '' }));
  return rowFlag(parameter!, dateTime(description));
};

export const slotWindowFlags: FieldFlag[] = [
  windowFlag('since', 'only times at or after this time (default now)'),
  windowFlag('until', 'only times before this time (default 7 days after --since)'),
];

const hostFlag = rowFlag('host', reference('users', 'only times when this host is free'));

const entries = {
  first: count('show only the first N times', { least: 1, heading: 'Listing' }),
  step: count('minutes between two starts (default 30, or the length of the event type if shorter)', {
    least: 1,
    most: limits.durationMinutes.max,
    value: 'MINUTES',
    heading: 'Listing',
  }),
};

/**
 * The window of starts, in milliseconds since 1970. Times in the past can't be booked. Without `--until`, it has this
 * many days.
 */
export const slotWindow = async (
  { context, problems }: Pick<Call, 'context' | 'problems'>,
  rows: Query,
  days = 7,
): Promise<SlotWindow> => {
  const asked = windowIn(rows);
  const now = await context.askNow();
  const since = Math.max(now + 1, timestampOf(asked.since ?? '') ?? 0);
  const { readTime } = await import('../../time/read.ts');
  const last = readTime(`+${days}d`, { zone: context.settings.zone, now: since, edge: 'until' });
  const until = timestampOf(asked.until ?? (last.ok ? last.instant : '')) ?? since + days * day;
  if (until - since > mostDays * day) problems.add(`The time window can be at most ${mostDays} days long`);
  problems.check();
  return { since, until };
};

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
const firstOf = (found: readonly ShownTimes[], count: number): Json[] => {
  const first = found.flatMap(({ slots }) => {
    const own: Json[] = [];
    for (const slot of slots) if (own.push(slot) >= count) break;
    return own;
  });
  const startOf = ({ start_time: start }: Json): string => String(start);
  return first.sort((one, other) => startOf(one).localeCompare(startOf(other))).slice(0, count);
};

const filters = [...slotWindowFlags, hostFlag];

const readType = async (draft: Draft, context: Context): Promise<{ type: Json; rows: Query }> => {
  const { path, rows = {}, found } = await draft.finish();
  return { type: found ?? (await (await context.client()).call(eventTypes.get, { path: path! })), rows };
};

/** The event types that the arguments name, and the conditions on slots. */
const typesInput: Input<{ types: Json[]; rows: Query }> = {
  flags: filters,
  arguments: [
    ...genericCommand('slots', eventTypes.get).arguments,
    { name: 'more', description: 'more event types', variadic: true, collection: 'event_types' },
  ],
  draft: async (invocation, how) => {
    const { args } = invocation;
    const whole = args.join(' ');
    const mayBeOne = args.length > 1 && whole.split(' ').length === args.length;
    const draft = (words: string[], flags: FieldFlag[] = []) =>
      draftInput({ ...invocation, args: words }, eventTypes.get, flags, how);
    const drafts = [await draft(args.slice(0, 1), filters)];
    for (const word of args.slice(1)) drafts.push(await draft([word]));
    return async (context) => {
      const found = [];
      for (const each of drafts)
        found.push(
          await readType(each, context).catch(async (error: unknown) => {
            if (!mayBeOne || !hasCategory(error, 'not-found')) throw error;
            await readType(await draft([whole]), context).catch(() => Promise.reject(error));
            throw usageError([`Put quotes around "${whole}"`], { hint: { args: [whole] } });
          }),
        );
      const types = new Map(found.map(({ type }) => [type.uri, type]));
      return { types: [...types.values()], rows: found[0]!.rows };
    };
  },
};

/** The free times that the service computes itself, or undefined if it doesn't. */
const askFreeTimes = async (context: Context, { type, since, until }: SlotQuery): Promise<ShownTimes | undefined> => {
  if (!(await context.client()).offers(availableTimes)) return undefined;
  const slots: Json[] = [];
  for (const free of await gatherByDays(context, availableTimes, { event_type: String(type.uri) }, { since, until })) {
    const start = timestampOf(String(free.start_time));
    // Some services reply with more than they were asked for.
    if (start === undefined || start < since || start >= until) continue;
    const end = typeof type.duration === 'number' ? utcText(start + type.duration * minute) : null;
    const facts = { event_type: type.uri, end_time: end, _sched: { source: 'service' } };
    slots.push({ ...free, start_time: utcText(start), ...facts });
  }
  return { slots, unchecked: [], nameOf: String };
};

const runSlots = async (
  { types, rows, first, step }: Values<typeof entries> & { types: Json[]; rows: Query },
  { context, problems }: Call,
): Promise<void> => {
  const { settings, notes, printer, runtime } = context;
  const window = await slotWindow({ context, problems }, rows);
  const isSeveral = types.length > 1;
  const view = isSeveral ? severalView : slotView;
  const nameOf = ({ name, uri }: Json): string => String(name ?? uri);
  const active = types.filter((type) => type.active !== false);
  for (const type of types)
    if (!active.includes(type)) notes.warn(`${nameOf(type)} is not active, so it can't be booked`);
  if (active.length === 0) {
    await printer.list(view, []);
    return;
  }
  const host = rows.host === undefined ? undefined : String(rows.host);
  const { findFreeTimes, noteUnchecked } = await import('../scheduling/free-slots.ts');
  const found: ShownTimes[] = [];
  for (const type of active) {
    const query = { type, ...window, step, host };
    // Which host is free, and other steps, only sched can tell.
    const asked = host === undefined && step === undefined ? await askFreeTimes(context, query) : undefined;
    found.push(asked ?? (await findFreeTimes(context, query)));
  }
  const typeOf = ({ event_type: uri }: Json): Json => active.find((type) => type.uri === uri)!;
  const slots = firstOf(found, first ?? Number.POSITIVE_INFINITY).map((slot) =>
    isSeveral ? { ...slot, event_type_name: typeOf(slot).name ?? null } : slot,
  );
  const screen = printer.showsPages && slots.length > 0 ? await import('./slots-screen.ts') : undefined;
  if (screen === undefined || (isSeveral && slots.length <= screen.mostTimes)) {
    await printer.list(view, [slots]);
  } else {
    const isCut = slots.length === first;
    const isSandbox = runtime.stdout.isTerminal && notes.takeSandbox();
    const now = context.now();
    const { drawSlots, hasTimes, spokenSlots } = screen;
    const screens = active.map((type) => {
      const own = slots.filter(({ event_type: uri }) => uri === type.uri);
      return { type, slots: own, ...window, isCut, zone: settings.zone, now, isSandbox };
    });
    for (const each of screens.filter(({ slots: own }) => own.length > 0))
      await printer.draw((style) => (settings.accessible ? spokenSlots(each) : drawSlots(each, style)));
    if (!screens.every(hasTimes)) {
      const date = dateText(wallClock(settings.zone)(timestampOf(String(slots[0]!.start_time))!));
      problems.own?.setFlag('since', date);
      problems.own?.setFlag('until', date);
      problems.own?.setFlag('first', false);
      notes.footer(`Exact times of a day: ${problems.own?.line}`);
    }
  }
  for (const times of found) noteUnchecked(context, times);
  if (slots.length === 0)
    return notes.footer(
      `No free times for ${active.map(nameOf).join(', ')} until ${timeLabel(utcText(window.until), settings.zone, context.now())}. Look further ahead with --until`,
    );
  const name = nameOf(typeOf(slots[0]!));
  notes.footer(`Book one: ${commandHere(context, 'invitees', 'create', '--event-type', name)}`);
  notes.footer('The service checks once more when you book.');
};

export const slots: Command = {
  name: 'slots',
  summary: 'List free times of an event type',
  ...taking(both(typesInput, input(entries)), runSlots),
  effect: 'read',
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
  ],
  notes: [
    'sched computes these times: the whole meeting must be inside the hours of the availability schedules, and no host may have an active event then. A collective event type needs all hosts, a round-robin event type at least one. Starts are every --step minutes from the beginning of each interval of hours.',
    "The service checks once more when you book: it may also know other calendars, breaks or a minimum notice, which its API doesn't show. If sched could not check something, such as the events of a host that your token may not read, it says so on stderr and in _sched.unchecked.",
    'If the dialect of the service names event-types.available-times, the service computes the times, unless --host or --step is given. They are marked with _sched.source.',
    'A terminal shows a bar for each day with free times, and the exact times if there are at most 40 or all are on one day. Other formats have one start per line. For group event types, events with seats left are listed too, with invitees_remaining.',
    'The times of several event types are in one list, in order of time. The event type is the last column (event_type_name), and --first counts all of them.',
  ],
};
