import { fallBack, hasCategory, SchedError } from '../../errors.ts';
import type { Json } from '../../json.ts';
import { dayAt } from '../../time/calendar.ts';
import { dateText } from '../../time/days.ts';
import { dayText, timeLabel } from '../../time/label.ts';
import { readTime } from '../../time/read.ts';
import { wallClock } from '../../time/show.ts';
import { clockLabel, midnightOf, minute, timestampOf, utcText } from '../../time/wall.ts';
import { readZone } from '../../time/zone.ts';
import { offsetText } from '../../time/zoned.ts';
import type { Invocation } from '../command.ts';
import { howOf } from '../input/input.ts';
import { typedEventType } from '../scheduling/answers.ts';
import { type FreeTimes, findFreeTimes, noteUnchecked, type SlotWindow } from '../scheduling/free-slots.ts';
import {
  type JudgedTime,
  judgeRefused,
  nearestText,
  notFreeText,
  reasonsText,
  type Start,
} from '../scheduling/judged-time.ts';
import { createAsker } from '../session/ask.ts';
import type { Asker, Choice, ReadOther } from '../session/asker.ts';
import type { Context } from '../session/context.ts';
import { isTimeRefused, NotFree } from './bulk/item-refused.ts';
import { slotWindow, slotWindowFlags } from './slots.ts';
import { clockTexts } from './slots-screen.ts';

/** How many days of free times are offered. */
const daysOffered = 60;

/** Times of an event type, for the person who chooses one and for the invitee. */
interface Chooser {
  context: Context;
  type: Json;
  window: SlotWindow;
  times: FreeTimes;
  starts: number[];
  /** The invitee, if their time zone is known. */
  invitee: { name: string; zone: string } | undefined;
}

const labelOf = ({ settings, now }: Context, at: number): string => timeLabel(utcText(at), settings.zone, now())!;

const inviteeOf = ({ typed }: Invocation): Chooser['invitee'] => {
  const zone = typed.timezone === undefined ? undefined : readZone(String(typed.timezone));
  const name = String(typed['first-name'] ?? typed.name ?? 'the invitee');
  return zone?.ok ? { name: typed.name === undefined ? name : name.split(' ', 1)[0]!, zone: zone.zone } : undefined;
};

const openChooser = async (invocation: Invocation, type: Json, window: SlotWindow): Promise<Chooser> => {
  const { context } = invocation;
  const times = await findFreeTimes(context, { type, ...window });
  const starts = Array.from(times.slots, ({ start_time: start }) => timestampOf(String(start))!);
  return { context, type, window, times, starts, invitee: inviteeOf(invocation) };
};

/** Checks a time as the service would. Its value can be sent, because it has an offset. */
const checkStart = async (chooser: Chooser, invocation: Invocation, at: number): ReturnType<ReadOther> => {
  const { context, type, window, times } = chooser;
  const isInside = window.since <= at && at < window.until;
  const known = isInside ? times : (await openChooser(invocation, type, { since: at, until: at + 1 })).times;
  const reasons = known.judge(at);
  if (reasons.length === 0) return { value: offsetText(at, context.settings.zone) };
  const meeting = { start: at, end: at + Number(type.duration) * minute };
  return { problem: notFreeText(context, reasons, meeting) };
};

/** Reads a typed time, on this date if it has none. */
const readStart =
  (chooser: Chooser, invocation: Invocation, date?: string): ReadOther =>
  async (typed) => {
    const { settings, now } = chooser.context;
    const how = { zone: settings.zone, now: now() };
    const onDate = date === undefined ? undefined : readTime(`${date} ${typed}`, how);
    const reading = onDate?.ok ? onDate : readTime(typed, how);
    if (!reading.ok) return { problem: reading.problem };
    return checkStart(chooser, invocation, timestampOf(reading.instant)!);
  };

/** Times to choose from: `08:15 (09:15 for Ada)` */
const clockChoices = ({ context, invitee }: Chooser, starts: readonly number[]): Choice[] => {
  const { zone } = context.settings;
  const clocks = clockTexts(starts, zone);
  return starts.map((at, index) => {
    const wall = wallClock(zone)(at);
    const theirs = invitee === undefined ? wall : wallClock(invitee.zone)(at);
    const date = midnightOf(theirs) === midnightOf(wall) ? '' : `${dayText(theirs, wall)} `;
    const local = theirs === wall ? '' : ` (${date}${clockLabel(theirs)} for ${invitee!.name})`;
    return { value: offsetText(at, zone), label: `${clocks[index]}${local}` };
  });
};

/** Asks for a day, or for a date or a whole time that isn't in the list. */
const chooseDay = async (chooser: Chooser, invocation: Invocation, asker: Asker): Promise<string> => {
  const { context, starts, window } = chooser;
  const { settings } = context;
  const wallAt = wallClock(settings.zone);
  const today = wallAt(context.now());
  const counts = new Map<number, number>();
  for (const midnight of starts.map((at) => midnightOf(wallAt(at))))
    counts.set(midnight, (counts.get(midnight) ?? 0) + 1);
  const choices = [...counts].map(([midnight, count]) => ({
    value: dateText(midnight),
    label: `${dayText(midnight, today)}${settings.accessible ? ', ' : ' · '}${count} free`,
  }));
  const until = labelOf(context, window.until);
  return asker.choose('Day', choices, {
    note: choices.length === 0 ? `No free times until ${until}: type a date` : undefined,
    readOther: async (typed) => {
      const how = { zone: settings.zone, now: context.now() };
      if (readTime(typed, how).ok) return readStart(chooser, invocation)(typed);
      const reading = readTime(typed, { ...how, edge: 'since' });
      if (!reading.ok) return { problem: reading.problem };
      const midnight = midnightOf(wallAt(timestampOf(reading.instant)!));
      if (midnight < midnightOf(today)) return { problem: `${dayText(midnight, today)} is in the past` };
      return { value: dateText(midnight) };
    },
  });
};

const chooseTime = async (chooser: Chooser, invocation: Invocation, asker: Asker, date: string): Promise<string> => {
  const { context, type, window } = chooser;
  const { zone } = context.settings;
  const { since, until } = dayAt(timestampOf(`${date}T00:00:00Z`)!, zone);
  const isOffered = since < window.until && window.since < until;
  const ofDay = isOffered ? chooser : await openChooser(invocation, type, { since, until });
  const starts = ofDay.starts.filter((at) => since <= at && at < until);
  return asker.choose(`Time (${zone})`, clockChoices(ofDay, starts), {
    readOther: readStart(ofDay, invocation, date),
    note: starts.length === 0 ? 'No free times on this day: type a time' : undefined,
  });
};

/** The window of `--since` and `--until`, or the next 60 days. */
const typedWindow = async (invocation: Invocation): Promise<SlotWindow> => {
  const rows: Record<string, string> = {};
  for (const flag of slotWindowFlags) {
    const raw = invocation.typed[flag.name];
    const read = raw === undefined ? undefined : await flag.kind.read(String(raw), howOf(invocation));
    if (read?.ok && 'value' in read && 'ready' in read.value) rows[flag.path[0]!] = String(read.value.ready);
  }
  return slotWindow(invocation, rows, daysOffered);
};

/** Asks for the start of a booking: first the day, then the time. Undefined if the free times can't be computed. */
export const askStart = async (invocation: Invocation, asker: Asker): Promise<string | undefined> => {
  const type = await typedEventType(invocation);
  if (type.active === false) throw new SchedError('usage', `${type.name} is not active, so it can't be booked`);
  const window = await typedWindow(invocation);
  const isHidden = fallBack(undefined, 'forbidden', 'not-found', 'usage', 'integrity');
  const chooser = await openChooser(invocation, type, window).catch(isHidden);
  if (chooser === undefined) return undefined;
  noteUnchecked(invocation.context, chooser.times);
  const chosen = await chooseDay(chooser, invocation, asker);
  // The whole command has the start itself.
  for (const { name } of slotWindowFlags) invocation.problems.own?.setFlag(name, false);
  return chosen.includes('T') ? chosen : chooseTime(chooser, invocation, asker, chosen);
};

/** What sched knows about the refusal, behind the words of the service. */
const reasonOf = (context: Context, error: SchedError, { reasons, meeting }: JudgedTime): string => {
  const said = (error.facts.reason ?? '').replace(/\.$/, '');
  return reasons.length === 0 ? said : `${reasonsText(context, reasons, meeting)}; the service: ${said}`;
};

/**
 * Offers free times after one was refused: to choose from at a terminal if `mayAsk`, else in the error. Throws the error
 * as it came if it isn't about the time, or if free times can't be read.
 */
export const chooseAnother = async (
  invocation: Invocation,
  booking: Start,
  error: unknown,
  mayAsk = true,
): Promise<string> => {
  const { context } = invocation;
  const { settings } = context;
  if (!isTimeRefused(error)) throw error;
  const judged = await judgeRefused(context, booking).catch((failure: unknown) => {
    throw failure instanceof SchedError && !hasCategory(failure, 'interrupted', 'terminated') ? error : failure;
  });
  const { type, nearest: starts, window, times } = judged;
  const refused = judged.meeting.start;
  const isOwn = error instanceof NotFree;
  const explained = isOwn ? error : error.with({ reason: reasonOf(context, error, judged) });
  if (starts.length === 0) throw explained;
  if (!settings.canAsk || settings.yes || !mayAsk)
    throw explained.with({
      advice: `free: ${nearestText(context, starts, refused)} (${settings.zone})`,
      freeTimes: starts.map((at) => utcText(at)),
    });
  const chooser: Chooser = { context, type, window, times, starts, invitee: inviteeOf(invocation) };
  context.notes.warn(
    isOwn ? error.message : `${labelOf(context, refused)}: ${error.message}. ${explained.facts.reason}`,
  );
  await context.notes.flush();
  const wallAt = wallClock(settings.zone);
  const choices = clockChoices(chooser, chooser.starts).map(({ value, label }, index) => ({
    value,
    label: `${dayText(wallAt(chooser.starts[index]!), wallAt(context.now()))} ${label}`,
  }));
  const asker = await createAsker(context);
  return asker.choose(`Another time (${settings.zone})`, choices, {
    readOther: readStart(chooser, invocation, dateText(wallAt(refused))),
  });
};
