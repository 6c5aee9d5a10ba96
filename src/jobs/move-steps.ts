import { events } from '../api/events.ts';
import { invitees } from '../api/invitees.ts';
import { gather } from '../client/paginate.ts';
import { SchedError, sameCommand } from '../errors.ts';
import { isObject, type Json } from '../json.ts';
import { counted } from '../numbers.ts';
import { idIn } from '../uri.ts';
import { type Booking, book } from './booking.ts';
import type { BookingContext } from './booking-attempt.ts';
import {
  claimNext,
  type MoveEntry,
  type MoveLedger,
  type MoveOrder,
  type StoredMove,
  TakenOver,
} from './move-record.ts';
import { type ChangeOptions, change, isRefused } from './read-back.ts';

export interface MovePlan {
  /** URI of the old event. */
  event: string;
  /** Its start, and the new one, as UTC text. */
  from: string;
  to: string;
  order: MoveOrder;
  /** Active invitees of the old event, in order, with the whole body of the booking at the new time. */
  bookings: { invitee: string; body: Json & Omit<Booking, 'send'> }[];
  /** Reason of the cancellation. */
  reason: string;
}

export interface MoveContext {
  booking: BookingContext;
  change: ChangeOptions;
  moves: MoveLedger;
}

export type Person = MovePlan['bookings'][number];

/** A move that this process is making. */
export interface Run {
  context: MoveContext;
  plan: MovePlan;
  /** The last claim. */
  kept: StoredMove;
  /** Whether this process has sent anything that changes something. */
  hasSent: boolean;
}

export const claim = async (run: Run, more: Partial<MoveEntry> = {}): Promise<void> => {
  run.kept = await claimNext(run.context, run.kept, more);
};

export const isCanceled = ({ status }: Json): boolean => status === 'canceled';

export const readEvent = ({ booking: { client } }: MoveContext, event: string): Promise<Json> =>
  client.call(events.get, { path: { event: idIn(event) } });

export const inviteesOf = ({ booking: { client } }: MoveContext, event: string): Promise<Json[]> =>
  gather(client.pages(invitees.list, { path: { event: idIn(event) } }));

/** `2 people are booked`, or `1 of 2 people is booked`. */
export const areBooked = (count: number, of = count): string =>
  `${count === of ? '' : `${count} of `}${counted(of, 'person', 'people')} ${count === 1 ? 'is' : 'are'} booked`;

/** Adds to an error what stands at the service now. The same command goes on from there. */
export const telling = (error: unknown, standing: string): unknown => {
  if (!(error instanceof SchedError) || error instanceof TakenOver) return error;
  const { advice: _, reason, ...facts } = error.facts;
  const why = reason === undefined ? standing : `${standing}; ${reason}`;
  return new SchedError(error.category, error.message, { ...facts, reason: why, hint: sameCommand });
};

/** Whether the service refused a booking, so that the same booking would be refused again. */
export const isRefusal = (error: unknown): error is SchedError =>
  isRefused(error) && error.facts.http?.method === 'POST';

/** Finds the person's booking at that time, or makes it with `send` (R27). */
const bookWith = async (
  { context, plan }: Run,
  { body }: Person,
  start_time: string,
  send: Booking['send'],
): Promise<Json> => {
  const options = { ifAbsent: true, keepEarlier: true, allowDuplicate: false };
  const { record } = await book(context.booking, { ...body, start_time, moves: plan.event, send }, options);
  if (record !== undefined) return record;
  throw new SchedError('outcome-unknown', "The service accepted a booking, but doesn't show it", {
    outcome: 'unknown',
  });
};

/** Thrown instead of sending a booking. Never shown. */
const notBooked = new SchedError('conflict', 'Not booked');
export const oldIsCanceled = new SchedError('conflict', 'The old event is canceled');

/** The person's booking at that time, if there is one. Throws while that is unknown. */
export const bookedAt = (run: Run, person: Person, start_time: string): Promise<Json | undefined> =>
  bookWith(run, person, start_time, () => Promise.reject(notBooked)).catch((error: unknown) => {
    if (error !== notBooked) throw error;
    return undefined;
  });

/** Books the person at that time. Right before each POST, the move is claimed again. */
export const bookAt = (run: Run, person: Person, start_time: string): Promise<Json> => {
  const { context, plan } = run;
  return bookWith(run, person, start_time, async (leaving) => {
    // Only others can have canceled the old event. Not in `beforeSend`: the rate limit may let no request pass another.
    if (run.kept.entry.order === 'book-first' && isCanceled(await readEvent(context, plan.event))) throw oldIsCanceled;
    return context.booking.client.write(invitees.create, { body: { ...person.body, start_time } }, async () => {
      await claim(run);
      await leaving();
      run.hasSent = true;
    });
  });
};

/** All bookings of a move at that time. */
export const allBookedAt = async (run: Run, start_time: string): Promise<Json[]> => {
  const found: Json[] = [];
  for (const person of run.plan.bookings) found.push(...[(await bookedAt(run, person, start_time)) ?? []].flat());
  return found;
};

/** Ends the move because someone else canceled the old event. What is booked at the new time stays. */
export const endCanceled = async (run: Run, old: Json): Promise<never> => {
  const { bookings, to } = run.plan;
  const found = await allBookedAt(run, to);
  const event = found[0]?.event as string | undefined;
  await claim(run, { phase: 'ended', event });
  const when = typeof old.updated_at === 'string' ? `it was canceled at ${old.updated_at}; ` : '';
  throw new SchedError(
    'conflict',
    'Someone else canceled the old event',
    event === undefined
      ? { reason: `${when}nobody is booked at the new time` }
      : {
          reason: `${when}${areBooked(found.length, bookings.length)} at the new time`,
          advice: 'keep the new event, or cancel it',
          hint: { command: ['events', 'cancel', idIn(event)] },
          outcome: 'applied',
        },
  );
};

/** How many people have joined the old event since it was planned. Canceling it would leave them without a booking. */
export const joined = async ({ context, plan }: Run, { invitees_counter: counter }: Json): Promise<number> => {
  if (!(isObject(counter) && Number(counter.active) > plan.bookings.length)) return 0;
  const known = new Set(plan.bookings.map(({ invitee }) => idIn(invitee)));
  const all = await inviteesOf(context, plan.event);
  return all.filter((each) => !isCanceled(each) && !known.has(idIn(each.uri))).length;
};

/** Cancels the old event. `mayBeDone`: an earlier process may have sent the same. `standing` is for errors. */
export const cancelOld = async (run: Run, mayBeDone: boolean, standing: string, event?: string): Promise<void> => {
  const { context, plan } = run;
  await claim(run, { phase: 'canceling', event });
  run.hasSent = true;
  const input = { path: { event: idIn(plan.event) }, body: { reason: plan.reason } };
  const wanted = {
    send: () => context.booking.client.write(events.cancel, input),
    read: () => readEvent(context, plan.event),
    isDone: isCanceled,
  };
  const changed = await change(wanted, context.change).catch((error: unknown) => {
    throw telling(error, standing);
  });
  // Refused without a lost reply: this move didn't cancel it.
  if (changed.status === undefined && changed.refused !== undefined && !mayBeDone)
    await endCanceled(run, changed.record);
};
