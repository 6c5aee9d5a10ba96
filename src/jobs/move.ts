import { hash } from 'node:crypto';
import { SchedError, sameCommand } from '../errors.ts';
import type { Json } from '../json.ts';
import { counted } from '../numbers.ts';
import { idIn } from '../uri.ts';
import { mayBeHere } from './booking-attempt.ts';
import { idKey, secondOf } from './look-up.ts';
import { endsMove, type MoveEntry, refuseWhileRunning, type StoredMove } from './move-record.ts';
import {
  allBookedAt,
  areBooked,
  bookAt,
  bookedAt,
  cancelOld,
  claim,
  endCanceled,
  inviteesOf,
  isCanceled,
  isRefusal,
  joined,
  type MoveContext,
  type MovePlan,
  oldIsCanceled,
  type Person,
  type Run,
  readEvent,
  telling,
} from './move-steps.ts';
import { readIfPossible } from './read-back.ts';

/*
 * The service can't move an event. `sched` books the new time and cancels the old event, or the other way round if they
 * overlap. R56: killed at any step and run again, a person has one booking, or the error says what stands. `sched` never
 * cancels the new event by itself, because other people may be in it.
 */

export interface Moved {
  /** `already`: the move was done before, and nothing was sent now. */
  how: 'moved' | 'already';
  /** When it was done, for `already`. */
  at?: number;
  /** The new event, as the service shows it. */
  event: Json;
  /** The new invitees. */
  invitees: Json[];
}

/** Closes the record of a move that is done, and reads the new event. */
const finish = async (run: Run, event: string, booked?: Json[]): Promise<Moved> => {
  const { context, plan, hasSent } = run;
  const { at, phase } = run.kept.entry;
  if (phase !== 'done') {
    await claim(run, { phase: 'done', event });
    const { clock, serviceTime } = context.booking;
    // As for bookings, a record must be old by both clocks.
    await context.moves.prune(Math.min(serviceTime() ?? 0, clock.now())).catch(() => {});
  }
  const shown = booked ?? (await readIfPossible(() => inviteesOf(context, event))) ?? [];
  const keyOf = (email: unknown) => String(email).trim().toLowerCase();
  const inviteeOf = ({ body }: Person) => shown.filter(({ email }) => keyOf(email) === keyOf(body.invitee.email));
  return {
    ...(hasSent ? { how: 'moved' } : { how: 'already', at }),
    event: (await readIfPossible(() => readEvent(context, event))) ?? { uri: event, start_time: plan.to },
    invitees: plan.bookings.flatMap(inviteeOf),
  };
};

/** Some people are booked at both times. */
const atBothTimes = (message: string, { event }: Json, reason: string | undefined): SchedError =>
  new SchedError('partial', message, {
    ...(reason === undefined ? {} : { reason }),
    advice: `run the same command again, or cancel the new event: sched events cancel ${idIn(event)}`,
    hint: sameCommand,
    outcome: 'applied',
  });

/** Books everybody at the new time, then cancels the old event. */
const bookFirst = async (run: Run): Promise<Moved> => {
  const { context, plan } = run;
  const { phase, event } = run.kept.entry;
  const mayBeDone = phase === 'canceling';
  const before = await readEvent(context, plan.event);
  if (isCanceled(before)) return mayBeDone ? finish(run, event!) : endCanceled(run, before);
  const booked: Json[] = [];
  const atBoth = ({ length }: Json[]) => `${areBooked(length, plan.bookings.length)} at both times`;
  for (const person of plan.bookings) {
    try {
      booked.push(await bookAt(run, person, plan.to));
    } catch (error) {
      if (error === oldIsCanceled) return endCanceled(run, await readEvent(context, plan.event));
      if (!isRefusal(error)) throw telling(error, booked.length === 0 ? 'the old event stands' : atBoth(booked));
      const found = await allBookedAt(run, plan.to);
      if (found.length > 0) throw atBothTimes(atBoth(found), found[0]!, error.facts.reason);
      await claim(run, { phase: 'ended' });
      throw error;
    }
  }
  const [first] = booked as [Json];
  const old = await readEvent(context, plan.event);
  if (isCanceled(old) && !mayBeDone) return endCanceled(run, old);
  const more = await joined(run, old);
  if (more > 0)
    throw atBothTimes(atBoth(booked), first, `${counted(more, 'person', 'people')} joined the old event meanwhile`);
  await cancelOld(run, mayBeDone, atBoth(booked), String(first.event));
  return finish(run, String(first.event), booked);
};

const standing = (placed: number, of: number): string =>
  `the old event is canceled, and ${placed === 0 ? 'nobody is booked' : areBooked(placed, of)}`;

/** Without the record, nothing shows that the canceled event was to be moved. */
const rerun = ({ context }: Run, stands: string): string => `${stands}; run it again on ${context.moves.reach}`;

/** Books everybody at the old time again, except those who are booked at the new time. */
const goBack = async (run: Run, refusal?: SchedError): Promise<Moved> => {
  const { bookings, to } = run.plan;
  const there: Json[] = [];
  const back: Json[] = [];
  let refused = refusal;
  for (const person of bookings) {
    try {
      const record = await bookedAt(run, person, to);
      if (record === undefined) back.push(await bookAt(run, person, run.kept.entry.start_time));
      else there.push(record);
    } catch (error) {
      if (!isRefusal(error)) throw telling(error, rerun(run, standing(there.length + back.length, bookings.length)));
      refused = error;
    }
  }
  const [count, placed] = [bookings.length, there.length + back.length];
  if (there.length === count) return finish(run, String(there[0]!.event), there);
  const facts = { ...refused?.facts, outcome: 'applied' as const };
  if (placed < count)
    throw new SchedError('partial', `Not moved: ${standing(placed, count)}`, {
      ...facts,
      advice: 'choose another --to',
    });
  const event = String(back[0]!.event);
  await claim(run, { phase: 'ended', event });
  const again = `${areBooked(back.length, count)} at the old time again, in event ${idIn(event)}`;
  throw there.length === 0
    ? new SchedError('conflict', `The new time was refused, so ${again}`, facts)
    : new SchedError('partial', `${areBooked(there.length, count)} at the new time, and ${again}`, facts);
};

/** Cancels the old event, then books everybody at the new time, or at the old one if that is refused. */
const cancelFirst = async (run: Run): Promise<Moved> => {
  const { context, plan } = run;
  const { phase } = run.kept.entry;
  if (phase === 'back') return goBack(run);
  if (phase !== 'booking') {
    const old = await readEvent(context, plan.event);
    if (isCanceled(old) && phase === 'planned') return endCanceled(run, old);
    const more = isCanceled(old) ? 0 : await joined(run, old);
    if (more > 0) {
      await claim(run, { phase: 'ended' });
      const who = counted(more, 'person', 'people');
      throw new SchedError('conflict', `${who} joined the event meanwhile, so it was not moved`, { hint: sameCommand });
    }
    const maybe = 'the old event may be canceled, and nobody is booked at the new time';
    if (!isCanceled(old)) await cancelOld(run, phase === 'canceling', rerun(run, maybe));
    await claim(run, { phase: 'booking' });
  }
  const booked: Json[] = [];
  for (const person of plan.bookings) {
    try {
      booked.push(await bookAt(run, person, plan.to));
    } catch (error) {
      if (!isRefusal(error)) throw telling(error, rerun(run, standing(booked.length, plan.bookings.length)));
      await claim(run, { phase: 'back' });
      return goBack(run, error);
    }
  }
  return finish(run, String(booked[0]!.event), booked);
};

/** Goes on with an open move to another time, if nobody is booked at the time it had before. */
const changeTarget = async (run: Run): Promise<void> => {
  const { plan } = run;
  const { entry } = run.kept;
  const isBack = entry.phase === 'back';
  for (const start of isBack ? [entry.to, entry.start_time] : [entry.to]) {
    const [record] = await allBookedAt(run, start);
    if (record === undefined) continue;
    throw new SchedError('conflict', `A move of this event to ${entry.to} is not finished`, {
      reason: `event ${idIn(record.event)} was booked for it`,
      advice: `finish that move, or: sched events cancel ${idIn(record.event)}`,
      hint: { command: endsMove(entry) },
    });
  }
  const { to, order } = plan;
  const invitees = plan.bookings.map(({ invitee }) => invitee);
  // After its cancellation, the old event can only be booked again.
  const isKept = entry.order === 'cancel-first' && entry.phase !== 'planned';
  await claim(
    run,
    isKept ? { to, phase: isBack ? 'booking' : entry.phase } : { to, order, invitees, phase: 'planned' },
  );
};

const digestOf = (event: string): string => hash('sha256', JSON.stringify([1, idKey(event)]));

/** The records of a move at this service, the newest first, and the highest number. */
const find = async ({ booking, moves }: MoveContext, event: string): Promise<{ last: number; found: StoredMove[] }> => {
  const { last, attempts } = await moves.find([digestOf(event)]);
  const found = attempts.filter((kept) => mayBeHere(booking, kept, event));
  // Since this machine shares its ledger, nothing new comes into its files.
  const rankOf = ({ isInFiles, number }: StoredMove) => (isInFiles ? 0 : number);
  return { last, found: found.sort((a, b) => rankOf(b) - rankOf(a)) };
};

const counting = ([newest]: StoredMove[]): StoredMove | undefined =>
  newest?.entry.phase === 'ended' ? undefined : newest;

/** The open or finished record of a move of this event, if there is one. */
export const recordOfMove = async (context: MoveContext, event: string): Promise<StoredMove | undefined> =>
  counting((await find(context, event)).found);

/** Open moves at this service. */
export const openMoves = ({ moves, booking }: Pick<MoveContext, 'moves' | 'booking'>): Promise<StoredMove[]> =>
  moves.open(booking.origin);

/** Moves an event (R56). */
export const moveEvent = async (context: MoveContext, plan: MovePlan): Promise<Moved> => {
  const { clock, origin, pid, timeoutMs } = context.booking;
  const { last, found } = await find(context, plan.event);
  const kept = counting(found);
  const fresh: MoveEntry = {
    version: 1,
    digest: digestOf(plan.event),
    origin,
    start_time: plan.from,
    state: 'open',
    at: clock.now(),
    timeoutMs,
    pid,
    old: plan.event,
    to: plan.to,
    order: plan.order,
    invitees: plan.bookings.map(({ invitee }) => invitee),
    phase: 'planned',
  };
  const run: Run = { context, plan, kept: { number: last, entry: kept?.entry ?? fresh }, hasSent: false };
  const { entry } = run.kept;
  const isSame = secondOf(entry.to) === secondOf(plan.to);
  if (entry.phase === 'done') {
    if (isSame) return finish(run, entry.event!);
    throw new SchedError('conflict', `This event was already moved to ${entry.to}`, {
      hint: { command: ['events', 'move', idIn(entry.event)], flags: { to: plan.to } },
    });
  }
  if (kept !== undefined) refuseWhileRunning(context, entry);
  if (!isSame) await changeTarget(run);
  else await claim(run, entry.phase === 'planned' ? { invitees: fresh.invitees } : {});
  // A record in the files of this machine goes on in the shared ledger.
  for (const earlier of found.filter(({ isInFiles, entry: { state } }) => isInFiles && state === 'open'))
    await context.moves.replace({ ...earlier, entry: { ...earlier.entry, state: 'closed', phase: 'ended' } });
  return run.kept.entry.order === 'book-first' ? bookFirst(run) : cancelFirst(run);
};
