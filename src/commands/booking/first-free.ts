import type { SentEvent } from '../../api/events.ts';
import { windowIn } from '../../api/window.ts';
import { hasCategory, SchedError, sameCommand } from '../../base/errors.ts';
import { isObject, textOf } from '../../base/json.ts';
import { minute } from '../../base/milliseconds.ts';
import { once } from '../../base/once.ts';
import { idIn } from '../../base/uri.ts';
import { the, words } from '../../base/words.ts';
import type { Call } from '../../cli/input/input.ts';
import { eventTypeOf } from '../../cli/operation/event-type.ts';
import type { FieldFlag } from '../../cli/operation/field-flags.ts';
import type { Context } from '../../cli/session/context.ts';
import type { Query } from '../../client/wire.ts';
import { timestampOf } from '../../time/wall.ts';
import { inviteesOf } from '../events/read-invitees.ts';
import type { SlotWindow } from '../slots/free-slots.ts';
import { slotWindow, slotWindowFlags } from '../slots/input.ts';
import { bookingContextOf } from './booking-context.ts';
import { type Booked, type BookingOptions, bookedEarlier, type DraftBody } from './work.ts';

export const firstFreeWindow: FieldFlag[] = slotWindowFlags.map((flag) => ({
  ...flag,
  description: words`with ${the('firstFree')}, or to choose from: ${flag.description}`,
  heading: 'More flags',
}));

/** A booking that exists already. */
interface Existing {
  start_time: string;
  booked: Booked;
}

/** The start to book, or that of a booking that exists already. */
export interface FirstFree {
  start_time: string;
  /** The booking that exists already in the same window. */
  existing(): Promise<Existing | undefined>;
  /** Throws if no time is free to book. */
  check(): void;
}

/** An active booking of this invitee that the service shows in the window. */
const shownBooking = async (
  context: Context,
  events: readonly SentEvent[],
  eventType: string,
  email: string,
  { since, until }: SlotWindow,
): Promise<Existing | undefined> => {
  for (const event of events) {
    const { event_type: type, start_time: start } = event;
    const at = timestampOf(start) ?? 0;
    if (idIn(type) !== idIn(eventType) || at < since || at >= until) continue;
    const eventInvitees = await inviteesOf(context, event, { email, status: 'active' });
    const record = eventInvitees.find((each) => String(each.email).toLowerCase() === email.toLowerCase());
    if (record !== undefined) return { start_time: String(start), booked: { record, how: 'existing' } };
  }
  return undefined;
};

/**
 * Chooses the start for `--first-free`. If this invitee was already booked for the event type in the same window, from
 * this machine or, with `--if-absent`, by anyone, that booking counts.
 */
export const chooseFirstFree = async (
  call: Call,
  body: DraftBody,
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
  const { email } = invitee;
  const type = await eventTypeOf(context, eventType);
  const window = await slotWindow(call, rows);
  const { findFreeTimes, noteUnchecked } = await import('../slots/free-slots.ts');
  const times = await findFreeTimes(context, { type, ...window });
  noteUnchecked(context, times);
  const [slot] = times.slots;
  // After choosing: if another process books meanwhile, its attempt is in the ledger before its slot is taken.
  const existing = once(async () => {
    const since = timestampOf(windowIn(rows).since ?? '') ?? window.since - Number(type.duration) * minute;
    const sameWindow = { since, until: window.until };
    const booking = { event_type: eventType, invitee: { email } };
    const earlier = await bookedEarlier(await bookingContextOf(context), booking, sameWindow, options);
    return earlier === undefined && options.ifAbsent
      ? shownBooking(context, times.events, eventType, email, sameWindow)
      : earlier;
  });
  const check = () => {
    if (slot === undefined)
      throw new SchedError('conflict', `No free time for ${textOf(type.name, type.uri)} in this window`, {
        hint: { flags: { until: '+30d' } },
      });
  };
  const start = slot?.start_time ?? (await existing())?.start_time;
  if (start === undefined) check();
  return { start_time: start!, existing, check };
};

/** The error if the service refuses the first free time. */
export const firstFreeRefused = (error: unknown, when: string): unknown =>
  hasCategory(error, 'conflict') && error.facts.http !== undefined
    ? new SchedError('conflict', `The service refused the first free time, ${when}`, {
        ...error.facts,
        advice: words`if the next one is refused too, add ${the('since')} to begin later`,
        hint: sameCommand,
      })
    : error;
