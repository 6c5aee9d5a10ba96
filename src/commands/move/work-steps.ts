import { events, type SentEvent } from '../../api/events.ts';
import { invitees, type SentInvitee } from '../../api/invitees.ts';
import { SchedError, sameCommand } from '../../base/errors.ts';
import { counted } from '../../base/numbers.ts';
import { idIn } from '../../base/uri.ts';
import { type ChangeOptions, change, isFinalRefusal } from '../../client/change.ts';
import { gather } from '../../client/paginate.ts';
import { type Booking, book, type DraftBody } from '../booking/work.ts';
import type { BookingContext } from '../booking/work-attempt.ts';
import { eventIn } from '../booking/work-look-up.ts';
import {
  claimNext,
  type MoveEntry,
  type MoveLedger,
  type MoveOrder,
  type StoredMove,
  TakenOver,
} from './work-record.ts';

/** An invitee of the old event, and the whole body of their booking at the new time. */
export interface Person {
  /** URI of the invitee. */
  invitee: string;
  /** For messages. */
  name: string;
  body: DraftBody & Omit<Booking, 'send'>;
}

export interface MovePlan {
  /** URI of the old event. */
  event: string;
  /** Its start, and the new one, as UTC text. */
  from: string;
  to: string;
  order: MoveOrder;
  /** Active invitees of the old event, in order. */
  bookings: Person[];
  /** The same for an invitee who joins later. */
  personOf(invitee: SentInvitee): Person;
  /** Reason of the cancellation. */
  reason: string;
  /** Books people who are not booked, also if an earlier attempt may have booked them. */
  allowDuplicate?: boolean;
}

export interface MoveContext {
  booking: BookingContext;
  change: ChangeOptions;
  moves: MoveLedger;
}

/** A move that this process is making. */
export interface Run {
  context: MoveContext;
  plan: MovePlan;
  /** The last claim. */
  lastClaim: StoredMove;
  /** Whether an earlier process has begun the move. */
  isResumed: boolean;
  /** Whether this process has sent anything that changes something. */
  hasSent: boolean;
  /** Those who move: who was active when the people of the old event were last read. */
  people: readonly Person[];
  /** The bookings that stand, by the URI of the old invitee. Undefined if an earlier process made it. */
  bookings: Map<string, SentInvitee | undefined>;
  /** What is known about the old event. */
  old: 'active' | 'maybe canceled' | 'canceled';
}

/** The end of a move that isn't done. It says what stands. */
export class NotMoved extends SchedError {}

export const claim = async (run: Run, more: Partial<MoveEntry> = {}): Promise<void> => {
  run.lastClaim = await claimNext(run.context, run.lastClaim, more);
};

export const isCanceledRecord = ({ status }: { readonly status?: unknown }): boolean => status === 'canceled';

export const readEvent = ({ booking: { client } }: MoveContext, event: string): Promise<SentEvent> =>
  client.call(events.get, { path: { event: idIn(event) } });

export const readEventInvitees = ({ booking: { client } }: MoveContext, event: string): Promise<SentInvitee[]> =>
  gather(client.pages(invitees.list, { path: { event: idIn(event) } }));

/** The bookings of this run that it has seen. */
export const bookedOf = ({ people, bookings }: Run): SentInvitee[] =>
  people.flatMap(({ invitee }): SentInvitee[] => [bookings.get(invitee) ?? []].flat());

/** The new event, as far as it is known. */
export const newEventOf = (run: Run): string | undefined =>
  bookedOf(run).map(eventIn).find(Boolean) ?? run.lastClaim.entry.event;

/** `2 people are booked`, or `1 of 2 people is booked`. */
export const areBooked = (count: number, of = count): string =>
  `${count === of ? '' : `${count} of `}${counted(of, 'person', 'people')} ${count === 1 ? 'is' : 'are'} booked`;

/** What stands at the service, as far as this run knows. */
export const standing = ({ context, lastClaim, people, bookings, old, isResumed }: Run): string => {
  const [count, of] = [people.filter(({ invitee }) => bookings.has(invitee)).length, people.length];
  if (old === 'active') return count === 0 ? 'the old event stands' : `${areBooked(count, of)} at both times`;
  const nobody = isResumed ? 'the move is not finished' : 'nobody is booked';
  const where = lastClaim.entry.phase === 'back' ? '' : ' at the new time';
  const who = count === 0 ? nobody : `${areBooked(count, of)}${where}`;
  const text = `the old event ${old === 'canceled' ? 'is' : 'may be'} canceled, and ${who}`;
  // Without the record, nothing shows that the canceled event was to be moved.
  return count === of ? text : `${text}; run it again on ${context.moves.reach}`;
};

/**
 * Adds to an error what stands at the service now. The same command goes on from there, so advice that would hide the
 * record, such as another state directory, is dropped.
 */
export const telling = (error: unknown, run: Run): unknown => {
  if (!(error instanceof SchedError) || error instanceof TakenOver || error instanceof NotMoved) return error;
  const { advice, reason, hint, outcome, ...facts } = error.facts;
  const hasApplied = run.old === 'canceled' || run.bookings.size > 0;
  const isOpen = outcome === 'unknown';
  // Nothing but a look at the calendar settles some bookings.
  const isForPeople = isOpen && typeof hint === 'object' && hint.flags !== undefined;
  return new SchedError(error.category, error.message, {
    ...facts,
    reason: reason === undefined ? standing(run) : `${standing(run)}; ${reason}`,
    ...(isForPeople ? { advice, hint } : { hint: sameCommand }),
    outcome: isOpen || !hasApplied ? outcome : 'applied',
  });
};

/** Whether the service refused a booking, so that the same booking would be refused again. */
export const isRefusal = (error: unknown): error is SchedError =>
  isFinalRefusal(error) && error.facts.http?.method === 'POST';

/** Finds the person's booking at that time, or makes it with `send` (R27). */
const bookWith = async (
  { context, plan }: Run,
  { body }: Person,
  start_time: string,
  send: Booking['send'],
): Promise<SentInvitee> => {
  const options = { ifAbsent: true, allowDuplicate: plan.allowDuplicate === true };
  const { record } = await book(context.booking, { ...body, start_time, moves: plan.event, send }, options);
  if (record !== undefined) return record;
  throw new SchedError('outcome-unknown', "The service accepted a booking, but doesn't show it", {
    outcome: 'unknown',
  });
};

/** Thrown instead of sending a booking. Never shown. */
const notBooked = new SchedError('conflict', 'Not booked');
export const oldIsCanceled = new SchedError('conflict', 'The old event is canceled');
export const hasLeft = new SchedError('conflict', 'The person has left the old event');

/** The person's booking at that time, if there is one. Throws while that is unknown. */
export const bookedAt = (run: Run, person: Person, start_time: string): Promise<SentInvitee | undefined> =>
  bookWith(run, person, start_time, () => Promise.reject(notBooked)).catch((error: unknown) => {
    if (error !== notBooked) throw error;
    return undefined;
  });

/** Throws if the person is no longer in the old event. */
const requireInvitee = async ({ context, plan }: Run, { invitee }: Person): Promise<void> => {
  const active = (await readEventInvitees(context, plan.event)).filter((each) => !isCanceledRecord(each));
  if (active.some(({ uri }) => idIn(uri) === idIn(invitee))) return;
  throw isCanceledRecord(await readEvent(context, plan.event)) ? oldIsCanceled : hasLeft;
};

/** Books the person at that time. Right before each POST, the move is claimed again. */
export const bookAt = async (run: Run, person: Person, start_time: string): Promise<SentInvitee> => {
  const { context } = run;
  const record = await bookWith(run, person, start_time, async (leaving) => {
    // Not in `beforeSend`: the rate limit may let no request pass another.
    if (run.old === 'active') await requireInvitee(run, person);
    return context.booking.client.write(invitees.create, { body: { ...person.body, start_time } }, async () => {
      await claim(run);
      await leaving();
      run.hasSent = true;
    });
  });
  run.bookings.set(person.invitee, record);
  return record;
};

/** All bookings of a move at that time. */
export const allBookedAt = async (run: Run, start_time: string): Promise<SentInvitee[]> => {
  const records: SentInvitee[] = [];
  for (const person of run.people) {
    const record = await bookedAt(run, person, start_time);
    if (record === undefined) continue;
    run.bookings.set(person.invitee, record);
    records.push(record);
  }
  return records;
};

/** Ends the move because someone else canceled the old event. What is booked at the new time stays. */
export const endCanceled = async (run: Run, old: SentEvent): Promise<never> => {
  run.old = 'canceled';
  const records = await allBookedAt(run, run.plan.to);
  const event = records[0] && eventIn(records[0]);
  await claim(run, { phase: 'ended', event });
  const when = typeof old.updated_at === 'string' ? `it was canceled at ${old.updated_at}; ` : '';
  throw new NotMoved(
    'conflict',
    'Someone else canceled the old event',
    event === undefined
      ? { reason: `${when}nobody is booked at the new time` }
      : {
          reason: `${when}${areBooked(records.length, run.people.length)} at the new time`,
          advice: 'keep the new event, or cancel it',
          hint: { command: ['events', 'cancel', idIn(event)] },
          outcome: 'applied',
        },
  );
};

/** Whether an earlier process may have canceled the old event. */
export const mayHaveCanceled = ({ lastClaim }: Run): boolean => lastClaim.entry.phase === 'canceling';

/** Cancels the old event. `left` are those of its invitees who don't move. */
export const cancelOld = async (run: Run, left: string[]): Promise<void> => {
  const { context, plan } = run;
  const mayBeDone = mayHaveCanceled(run);
  const moving = run.people.map(({ invitee }) => invitee);
  await claim(run, { phase: 'canceling', event: newEventOf(run), invitees: moving, left });
  run.hasSent = true;
  run.old = 'maybe canceled';
  const input = { path: { event: idIn(plan.event) }, body: { reason: plan.reason } };
  const cancellation = {
    send: () => context.booking.client.write(events.cancel, input),
    read: () => readEvent(context, plan.event),
    isDone: isCanceledRecord,
  };
  const result = await change(cancellation, context.change).catch((error: unknown) => {
    // Refused or never sent.
    if (!(error instanceof SchedError && error.facts.outcome === 'unknown') && !mayBeDone) run.old = 'active';
    throw error;
  });
  run.old = 'canceled';
  // Refused without a lost reply: this move didn't cancel it.
  if (result.status === undefined && result.refused !== undefined && !mayBeDone) await endCanceled(run, result.record);
};
