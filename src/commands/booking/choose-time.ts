import type { SentEventType } from '../../api/event-types.ts';
import type { SentInvitee } from '../../api/invitees.ts';
import { fallBack, hasCategory, SchedError, withoutRequestId } from '../../base/errors.ts';
import { minute } from '../../base/milliseconds.ts';
import { spell } from '../../base/words.ts';
import type { Invocation } from '../../cli/command.ts';
import { howOf } from '../../cli/input/input.ts';
import { givenEventType } from '../../cli/operation/event-type.ts';
import { readFlags } from '../../cli/operation/input.ts';
import type { Asker, Choice, ReadOther } from '../../cli/session/asker.ts';
import type { Context } from '../../cli/session/context.ts';
import { isTimeRefused, TimeNotFree } from '../../client/refusal.ts';
import { dayAt } from '../../time/calendar.ts';
import { dateText } from '../../time/days.ts';
import { dayText, timeLabel } from '../../time/label.ts';
import { readTime } from '../../time/read.ts';
import { wallClock } from '../../time/show.ts';
import { clockLabel, midnightOf, timestampOf, utcText } from '../../time/wall.ts';
import { readZone } from '../../time/zone.ts';
import { offsetText } from '../../time/zoned.ts';
import { textIn } from '../events/screen.ts';
import { type FreeTimes, findFreeTimes, noteUnchecked, type SlotWindow } from '../slots/free-slots.ts';
import { slotWindow, slotWindowFlags } from '../slots/input.ts';
import {
  type JudgedTime,
  judgeRefused,
  nearestText,
  notFreeSentence,
  reasonsText,
  type Start,
} from '../slots/judge-time.ts';
import { clockTexts } from '../slots/screen.ts';

/** How many days of free times are offered. */
const daysOffered = 60;

interface Invitee {
  name: string;
  zone: string;
}

/** The times to choose from: those of an event type in a window. */
interface Wanted {
  context: Context;
  type: SentEventType;
  window: SlotWindow;
  /** Whose local times are shown too, if their time zone is known. */
  invitee: Invitee | undefined;
}

/** The same with the free times. */
interface Chooser extends Wanted {
  times: FreeTimes;
  starts: number[];
}

const startLabel = ({ settings, now }: Context, at: number): string => timeLabel(utcText(at), settings.zone, now())!;

/** The invitee of a booking by first name. */
export const inviteeOf = ({ first_name: first, name, timezone }: SentInvitee): Invitee | undefined => {
  const zone = typeof timezone === 'string' ? readZone(timezone) : undefined;
  const shortName = textIn(first) ?? textIn(name)?.split(' ', 1)[0] ?? 'the invitee';
  return zone?.ok ? { name: shortName, zone: zone.zone } : undefined;
};

const openChooser = async ({ context, type, window, invitee }: Wanted): Promise<Chooser> => {
  const times = await findFreeTimes(context, { type, ...window });
  const starts = Array.from(times.slots, ({ start_time: start }) => timestampOf(start)!);
  return { context, type, window, times, starts, invitee };
};

/** Checks a time as the service would. Its value can be sent, because it has an offset. */
const checkStart = async (chooser: Chooser, at: number): ReturnType<ReadOther> => {
  const { context, type, window, times } = chooser;
  const isInside = window.since <= at && at < window.until;
  const timesThere = isInside ? times : (await openChooser({ ...chooser, window: { since: at, until: at + 1 } })).times;
  const reasons = timesThere.judge(at);
  if (reasons.length === 0) return { value: offsetText(at, context.settings.zone) };
  const meeting = { start: at, end: at + Number(type.duration) * minute };
  return { problem: notFreeSentence(context, reasons, meeting) };
};

/** Reads a time that was entered, on this date if it has none. */
const readEnteredStart =
  (chooser: Chooser, date?: string): ReadOther =>
  async (text) => {
    const { settings, now } = chooser.context;
    const how = { zone: settings.zone, now: now() };
    const onDate = date === undefined ? undefined : readTime(`${date} ${text}`, how);
    const reading = onDate?.ok ? onDate : readTime(text, how);
    if (!reading.ok) return { problem: spell(reading.problem) };
    return checkStart(chooser, timestampOf(reading.instant)!);
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
const chooseDay = async (chooser: Chooser, asker: Asker): Promise<string> => {
  const { context, starts, window } = chooser;
  const { settings } = context;
  const wallAt = wallClock(settings.zone);
  const today = wallAt(context.now());
  const counts = new Map<number, number>();
  for (const midnight of starts.map((at) => midnightOf(wallAt(at))))
    counts.set(midnight, (counts.get(midnight) ?? 0) + 1);
  const choices = [...counts].map(([midnight, count]) => ({
    value: dateText(midnight),
    label: `${dayText(midnight, today)} · ${count} free`,
  }));
  const until = startLabel(context, window.until);
  return asker.choose('Day', choices, {
    other: 'date',
    note: choices.length === 0 ? `No free times until ${until}: type a date` : undefined,
    readOther: async (text) => {
      const how = { zone: settings.zone, now: context.now() };
      if (readTime(text, how).ok) return readEnteredStart(chooser)(text);
      const reading = readTime(text, { ...how, edge: 'since' });
      if (!reading.ok) return { problem: spell(reading.problem) };
      const midnight = midnightOf(wallAt(timestampOf(reading.instant)!));
      if (midnight < midnightOf(today)) return { problem: `${dayText(midnight, today)} is in the past` };
      return { value: dateText(midnight) };
    },
  });
};

const chooseTime = async (chooser: Chooser, asker: Asker, date: string): Promise<string> => {
  const { context, window } = chooser;
  const { zone } = context.settings;
  const { since, until } = dayAt(timestampOf(`${date}T00:00:00Z`)!, zone);
  const isOffered = since < window.until && window.since < until;
  const ofDay = isOffered ? chooser : await openChooser({ ...chooser, window: { since, until } });
  const starts = ofDay.starts.filter((at) => since <= at && at < until);
  return asker.choose(`Time (${zone})`, clockChoices(ofDay, starts), {
    readOther: readEnteredStart(ofDay, date),
    other: 'time',
    note: starts.length === 0 ? 'No free times on this day: type a time' : undefined,
  });
};

/** The window of `--since` and `--until`, or the next 60 days. */
const startsWindow = async (invocation: Invocation): Promise<SlotWindow> => {
  const rows: Record<string, string> = {};
  for (const [{ path }, [value]] of await readFlags(invocation, slotWindowFlags, howOf(invocation)))
    if (value !== undefined && 'ready' in value) rows[path[0]!] = String(value.ready);
  return slotWindow(invocation, rows, daysOffered);
};

/**
 * Asks for a start: first the day, then the time. Undefined if the free times can't be computed. Without a window, the
 * next 60 days are offered.
 */
export const askStart = async (
  call: Pick<Invocation, 'context' | 'problems'>,
  { type, invitee, window }: Pick<Wanted, 'type' | 'invitee'> & { window?: SlotWindow },
  asker: Asker,
): Promise<string | undefined> => {
  const { context } = call;
  if (type.active === false) throw new SchedError('usage', `${type.name} is not active, so it can't be booked`);
  const search = { context, type, invitee, window: window ?? (await slotWindow(call, {}, daysOffered)) };
  const chooser = await openChooser(search).catch(fallBack(undefined, 'forbidden', 'not-found', 'usage', 'integrity'));
  if (chooser === undefined) return undefined;
  noteUnchecked(context, chooser.times);
  const choice = await chooseDay(chooser, asker);
  return choice.includes('T') ? choice : chooseTime(chooser, asker, choice);
};

/** Asks for the start of a booking. */
export const askBookingStart = async (invocation: Invocation, asker: Asker): Promise<string | undefined> => {
  const { given, problems } = invocation;
  const type = await givenEventType(invocation);
  const invitee = inviteeOf({ name: given.name, first_name: given['first-name'], timezone: given.timezone });
  const start = await askStart(invocation, { type, invitee, window: await startsWindow(invocation) }, asker);
  // The whole command has the start itself.
  if (start !== undefined) for (const { name } of slotWindowFlags) problems.own?.setFlag(name, false);
  return start;
};

/** What sched knows about the refusal, behind the words of the service. */
const refusalReason = (context: Context, error: SchedError, { reasons, meeting }: JudgedTime): string => {
  const said = (error.facts.reason ?? '').replace(/\.$/, '');
  return reasons.length === 0 ? said : `${reasonsText(context, reasons, meeting)}; the service: ${said}`;
};

/**
 * Offers free times after one was refused: to choose from if `mayAsk` and a person answers, else in the error. Throws the error
 * as it came if it isn't about the time, or if free times can't be read.
 */
export const chooseAnother = async (
  context: Context,
  booking: Start,
  error: unknown,
  { invitee, mayAsk = true }: { invitee?: Invitee | undefined; mayAsk?: boolean } = {},
): Promise<string> => {
  const { settings } = context;
  if (!isTimeRefused(error)) throw error;
  const judgment = await judgeRefused(context, booking).catch((failure: unknown) => {
    throw failure instanceof SchedError && !hasCategory(failure, 'interrupted', 'terminated') ? error : failure;
  });
  const { type, nearest: starts, window, times } = judgment;
  const refusedStart = judgment.meeting.start;
  const isOwn = error instanceof TimeNotFree;
  const { reasons, meeting } = judgment;
  const errorWithReason = isOwn
    ? error
    : error.with({
        reason: refusalReason(context, error, judgment),
        ...(reasons.length > 0 && { screen: notFreeSentence(context, reasons, meeting) }),
      });
  if (starts.length === 0) throw errorWithReason;
  if (context.asker === undefined || !mayAsk)
    throw errorWithReason.with({
      advice: `free: ${nearestText(context, starts, refusedStart)} (${settings.zone})`,
      freeTimes: starts.map((at) => utcText(at)),
    });
  const chooser: Chooser = { context, type, window, times, starts, invitee };
  const refused = `${startLabel(context, refusedStart)} isn't available: ${withoutRequestId(error.facts.reason ?? error.message)}`;
  await context.notes.refused(errorWithReason.facts.screen ?? (isOwn ? error.message : refused));
  const wallAt = wallClock(settings.zone);
  const choices = clockChoices(chooser, chooser.starts).map(({ value, label }, index) => ({
    value,
    label: `${dayText(wallAt(chooser.starts[index]!), wallAt(context.now()))} ${label}`,
  }));
  const asker = await context.asker();
  return asker.choose(`Another time (${settings.zone})`, choices, {
    readOther: readEnteredStart(chooser, dateText(wallAt(refusedStart))),
    other: 'time',
  });
};
