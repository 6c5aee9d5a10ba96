import { windowIn } from '../../api/window.ts';
import type { Query } from '../../client/wire.ts';
import { hasCategory, SchedError, sameCommand } from '../../errors.ts';
import { type Booked, type BookingOptions, bookedEarlier } from '../../jobs/booking.ts';
import { isObject, type Json } from '../../json.ts';
import { minute, timestampOf } from '../../time/wall.ts';
import { idIn } from '../../uri.ts';
import type { Call } from '../input/input.ts';
import { the, words } from '../input/words.ts';
import type { FieldFlag } from '../operation/field-flags.ts';
import { eventTypeOf } from '../scheduling/answers.ts';
import { bookingContextOf } from '../scheduling/booking-context.ts';
import type { SlotWindow } from '../scheduling/free-slots.ts';
import { inviteesOf } from '../scheduling/read-invitees.ts';
import type { Context } from '../session/context.ts';
import { slotWindow, slotWindowFlags } from './slots.ts';

export const firstFreeWindow: FieldFlag[] = slotWindowFlags.map((flag) => ({
  ...flag,
  description: `with --first-free, or to choose from: ${flag.description}`,
  heading: 'More flags',
}));

/** The start to book, or the booking that exists already. */
export interface FirstFree {
  start_time: string;
  existing?: Booked;
}

/** An active booking of this invitee that the service shows in the window. */
const shownBooking = async (
  context: Context,
  events: readonly Json[],
  eventType: string,
  email: string,
  { since, until }: SlotWindow,
): Promise<FirstFree | undefined> => {
  for (const event of events) {
    const { event_type: type, start_time: start } = event;
    const at = timestampOf(String(start)) ?? 0;
    if (idIn(type) !== idIn(eventType) || at < since || at >= until) continue;
    const found = await inviteesOf(context, event, { email, status: 'active' });
    const record = found.find((each) => String(each.email).toLowerCase() === email.toLowerCase());
    if (record !== undefined) return { start_time: String(start), existing: { record, how: 'existing' } };
  }
  return undefined;
};

/**
 * Chooses the start for `--first-free`. If this invitee was already booked for the event type in the same window, from
 * this machine or, with `--if-absent`, by anyone, that booking counts.
 */
export const chooseFirstFree = async (
  call: Call,
  body: Json,
  rows: Query,
  options: BookingOptions,
): Promise<FirstFree | undefined> => {
  const { context, problems } = call;
  const { event_type: eventType, invitee } = body;
  if (body.start_time !== undefined)
    problems.report({ words: words`${the('firstFree')} can't be used with a start_time in ${the('body')}` });
  // Reported with the other problems of the body.
  if (typeof eventType !== 'string' || !isObject(invitee) || typeof invitee.email !== 'string') return undefined;
  problems.check();
  const type = await eventTypeOf(context, eventType);
  const window = await slotWindow(call.bridge, rows);
  const { findFreeTimes, noteUnchecked } = await import('../scheduling/free-slots.ts');
  const times = await findFreeTimes(context, { type, ...window });
  noteUnchecked(context, times);
  const [slot] = times.slots;
  if (!context.settings.dryRun) {
    // After choosing: if another process books meanwhile, its attempt is in the ledger before its slot is taken.
    const since = timestampOf(windowIn(rows).since ?? '') ?? window.since - Number(type.duration) * minute;
    const sameWindow = { since, until: window.until };
    const wanted = { event_type: eventType, invitee: { email: invitee.email } };
    const earlier = await bookedEarlier(await bookingContextOf(context), wanted, sameWindow, options);
    if (earlier !== undefined) return { start_time: earlier.start_time, existing: earlier.booked };
    const shown = options.ifAbsent
      ? await shownBooking(context, times.events, eventType, invitee.email, sameWindow)
      : undefined;
    if (shown !== undefined) return shown;
  }
  if (slot === undefined)
    throw new SchedError('conflict', `No free time for ${type.name ?? type.uri} in this window`, {
      hint: { flags: { until: '+30d' } },
    });
  return { start_time: String(slot.start_time) };
};

/** The error if the service refuses the first free time. */
export const firstFreeRefused = (error: unknown, when: string): unknown =>
  hasCategory(error, 'conflict') && error.facts.http !== undefined
    ? new SchedError('conflict', `The service refused the first free time, ${when}`, {
        ...error.facts,
        advice: 'if the next one is refused too, add --since to begin later',
        hint: sameCommand,
      })
    : error;
