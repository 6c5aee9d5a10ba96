import type { SentEventType } from '../../api/event-types.ts';
import type { SentEvent } from '../../api/events.ts';
import { hasCategory, SchedError } from '../../base/errors.ts';
import { day, minute } from '../../base/milliseconds.ts';
import { capital, counted } from '../../base/numbers.ts';
import { eventTypeOf } from '../../cli/operation/event-type.ts';
import { requestsLeft } from '../../cli/session/booking-limits.ts';
import type { Context } from '../../cli/session/context.ts';
import { readIfPossible } from '../../client/change.ts';
import { withArticle } from '../../client/ids.ts';
import { TimeNotFree } from '../../client/refusal.ts';
import { dayText, spanLabel, timeLabel } from '../../time/label.ts';
import { wallClock } from '../../time/show.ts';
import type { DayHours, Span } from '../../time/slots.ts';
import { clockLabel, midnightOf, timestampOf, utcText } from '../../time/wall.ts';
import { textIn } from '../events/screen.ts';
import { type FreeSlot, type FreeTimes, findFreeTimes, type JudgedReason, type SlotWindow } from './free-slots.ts';

/** Free times around another one: how many on each side, and how far away. */
const mostNearest = 3;
const nearestDays = 7;

/** Looks for free times around a refused one only if this many requests are left: nobody should wait for them. */
const leastLeft = 20;

/** What is known about a start time of an event type. */
export interface JudgedTime {
  type: SentEventType;
  /** The time of the meeting. */
  meeting: Span;
  verdict: 'free' | 'not-free' | 'unknown';
  reasons: JudgedReason[];
  /** Free starts around it, in order. */
  nearest: number[];
  /** What `event-types slots` lists for this start, if anything. */
  slot: FreeSlot | undefined;
  window: SlotWindow;
  times: FreeTimes;
}

/** Whether the reasons decide, although something could not be checked. */
const isSure = (
  { pooling_type: pooling, kind }: SentEventType,
  { unchecked }: FreeTimes,
  reasons: readonly JudgedReason[],
) => {
  if (unchecked.length === 0 || reasons.some(({ code }) => code === 'inactive' || code === 'past')) return true;
  // Another host may be free, or a hidden event may have seats left.
  if (pooling === 'round_robin' || kind === 'group') return false;
  const isHidden = ({ code, user }: JudgedReason): boolean =>
    code === 'hours' && unchecked.some((each) => each.what === 'hours' && each.user === user);
  return !reasons.every(isHidden);
};

/** Judges a start time of an event type, and finds free ones around it. */
export const judgeTime = async (context: Context, type: SentEventType, at: number): Promise<JudgedTime> => {
  const now = context.now();
  const from = Math.max(at, now);
  const window = { since: Math.max(from - nearestDays * day, now + 1), until: from + nearestDays * day };
  const times = await findFreeTimes(context, { type, ...window });
  // Events before now were not read.
  const reasons = times.judge(at).filter(({ code }) => at > now || code === 'inactive' || code === 'past');
  let slots: FreeSlot[] = [];
  try {
    slots = [...times.slots];
  } catch (error) {
    // The hours of all hosts are unknown, which `unchecked` says.
    if (!hasCategory(error, 'not-found', 'forbidden', 'usage', 'integrity')) throw error;
  }
  const starts = slots.map(({ start_time: start }) => timestampOf(start)!);
  const verdict = isSure(type, times, reasons) ? (reasons.length === 0 ? 'free' : 'not-free') : 'unknown';
  return {
    type,
    meeting: { start: at, end: at + Number(type.duration) * minute },
    verdict,
    reasons,
    nearest: [
      ...starts.filter((start) => start < at).slice(-mostNearest),
      ...starts.filter((start) => start > at).slice(0, mostNearest),
    ],
    slot: slots[starts.indexOf(at)],
    window,
    times,
  };
};

/** The start of a booking. */
export interface Start {
  event_type: string;
  start_time: string;
}

/** Why a time was refused, as far as sched can tell, and the free starts around it. Throws instead of waiting. */
export const judgeRefused = async (context: Context, { event_type: type, start_time: start }: Start) => {
  if ((await requestsLeft(context)) < leastLeft) throw new SchedError('rate-limited', 'Too few requests are left');
  return judgeTime(context, await eventTypeOf(context, type), timestampOf(start)!);
};

/** The two free times next to a refused one: `free: 13:30, 14:00`. Undefined if they can't be read without waiting. */
export const freeInstead = async (context: Context, booking: Start): Promise<string | undefined> => {
  const { nearest, meeting } = (await readIfPossible(() => judgeRefused(context, booking))) ?? {};
  if (meeting === undefined || nearest === undefined || nearest.length === 0) return undefined;
  const away = (at: number): number => Math.abs(at - meeting.start);
  const closest = nearest.toSorted((one, other) => away(one) - away(other)).slice(0, 2);
  const inOrder = nearest.filter((at) => closest.includes(at));
  return `free: ${nearestText(context, inOrder, meeting.start)}`;
};

const minutesIn = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));

/** By how much a meeting misses the hours, if it is inside them in part. */
const missedBy = ({ timezone, intervals }: DayHours, { start, end }: Span): string => {
  const wallAt = wallClock(timezone);
  const midnight = midnightOf(wallAt(start));
  const [from, to] = [start, end].map((at) => (wallAt(at) - midnight) / minute) as [number, number];
  for (const interval of intervals) {
    const [opens, closes] = [minutesIn(interval.from), minutesIn(interval.to)];
    if (opens <= from && from < closes && closes < to)
      return `: ends ${counted(Math.ceil(to - closes), 'minute')} too late`;
    if (from < opens && opens < to && to <= closes)
      return `: starts ${counted(Math.ceil(opens - from), 'minute')} too early`;
  }
  return '';
};

const hoursText = (context: Context, hours: DayHours, meeting: Span): string => {
  const { day: name, timezone, intervals } = hours;
  const { zone } = context.settings;
  const date = timestampOf(`${name}T00:00:00Z`);
  const dayName = date === undefined ? capital(name) : dayText(date, wallClock(timezone)(context.now()));
  if (intervals.length === 0) return date === undefined ? `no hours on ${dayName}s` : `off on ${dayName}`;
  const spans = intervals.map(({ from, to }) => `${from}–${to}`).join(', ');
  const place = timezone === zone ? '' : ` ${timezone}`;
  return `${date === undefined ? 'every ' : ''}${dayName} ${spans}${place}${missedBy(hours, meeting)}`;
};

/** When an event is, without the date of the meeting that it hinders, and its name. */
const busyParts = (
  context: Context,
  { start_time: start, end_time: end, name }: SentEvent,
  meeting: Span,
): [when: string, name: string | undefined] => {
  const { zone } = context.settings;
  const now = context.now();
  const when = spanLabel(start, end, zone, now) ?? String(start);
  const wallAt = wallClock(zone);
  const date = `${dayText(wallAt(meeting.start), wallAt(now))} `;
  return [when.startsWith(date) ? when.slice(date.length) : when, textIn(name)];
};

/** Why a meeting can't be at its time, in words. Its host stands before them. `who` are the people of a busy event. */
export const reasonWords = (context: Context, reason: JudgedReason, meeting: Span, who?: string): string => {
  if (reason.code === 'inactive') return 'the event type is not active';
  if (reason.code === 'past') return 'in the past';
  if (reason.code === 'hours') return reason.hours.map((hours) => hoursText(context, hours, meeting)).join('; ');
  const [when, name = 'an event'] = busyParts(context, reason.busy.event, meeting);
  const what = [name, ...(who ? [who] : [])].join(' · ');
  return `${reason.code === 'seat' ? 'full' : 'busy'}: ${when} ${what}`;
};

/** Reasons that an error names. The first one decides, and `event-types why` names all. */
const mostReasons = 2;

/** The first reasons in one text: `Ada (no hours on Sundays); Bob (busy: 11:00–11:30 Support call) and 3 more`. */
export const reasonsText = (context: Context, reasons: readonly JudgedReason[], meeting: Span): string => {
  const texts = reasons.slice(0, mostReasons).map((reason) => {
    const words = reasonWords(context, reason, meeting);
    return reason.who === undefined ? words : `${reason.who} (${words})`;
  });
  const more = reasons.length - texts.length;
  return `${texts.join('; ')}${more > 0 ? ` and ${more} more` : ''}`;
};

/** `Thu 19 Nov 15:00 isn't free: Ada (busy: 15:00–15:15 Intro call)` */
const notFreeText = (context: Context, reasons: readonly JudgedReason[], meeting: Span): string => {
  const when = timeLabel(utcText(meeting.start), context.settings.zone, context.now());
  return `${when} isn't free: ${reasonsText(context, reasons, meeting)}`;
};

/** Why a host, named by the first name, can't: `Amara has an Intro call 12:30–12:45`. */
const hostSentence = (context: Context, reason: JudgedReason, meeting: Span): string => {
  const words = reasonWords(context, reason, meeting);
  const who = reason.who?.split(' ', 1)[0];
  if (who === undefined) return words;
  if (reason.code === 'busy' || reason.code === 'seat') {
    const [when, name = 'event'] = busyParts(context, reason.busy.event, meeting);
    return reason.code === 'busy' ? `${who} has ${withArticle(name)} ${when}` : `${name} ${when} is full`;
  }
  return /^no hours/.test(words)
    ? `${who} has ${words}`
    : /^off /.test(words)
      ? `${who} is ${words}`
      : `${who}'s hours: ${words}`;
};

/** The same in one sentence for a terminal: `Fri 20 Nov 12:20 isn't free: Amara has an Intro call 12:30–12:45`. */
export const notFreeSentence = (context: Context, reasons: readonly JudgedReason[], meeting: Span): string => {
  const when = timeLabel(utcText(meeting.start), context.settings.zone, context.now());
  if (reasons[0]?.code === 'past') return `${when} is in the past`;
  const sentences = reasons.slice(0, mostReasons).map((reason) => hostSentence(context, reason, meeting));
  const more = reasons.length - sentences.length;
  return `${when} isn't free: ${sentences.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
};

/** The error for a time that isn't free. */
export const timeNotFree = (context: Context, reasons: readonly JudgedReason[], meeting: Span): TimeNotFree =>
  new TimeNotFree(reasons[0]?.code === 'past' ? 'usage' : 'conflict', notFreeText(context, reasons, meeting), {
    screen: notFreeSentence(context, reasons, meeting),
  });

/** Starts near another one: `13:30, Fri 20 Nov 09:00, 09:15`. The first one of another day has its date. */
export const nearestText = (context: Context, starts: readonly number[], near: number): string => {
  const { zone } = context.settings;
  const wallAt = wallClock(zone);
  const isSameDay = (at: number, index: number): boolean =>
    midnightOf(wallAt(at)) === midnightOf(wallAt(starts[index - 1] ?? near));
  return starts
    .map((at, index) => (isSameDay(at, index) ? clockLabel(wallAt(at)) : timeLabel(utcText(at), zone, context.now())!))
    .join(', ');
};
