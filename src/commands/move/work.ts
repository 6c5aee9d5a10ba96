import { hash } from 'node:crypto';
import type { SentEvent } from '../../api/events.ts';
import type { SentInvitee } from '../../api/invitees.ts';
import { SchedError } from '../../base/errors.ts';
import { idIn } from '../../base/uri.ts';
import { mayBeHere } from '../booking/work-attempt.ts';
import { eventIn, idKey, secondOf } from '../booking/work-look-up.ts';
import { asItStands, atBothTimes, cancelAgain, endJoined, finishMove, goBack, type Moved } from './work-end.ts';
import { endEmpty, readCanceled, readPeople, straysAt } from './work-people.ts';
import { endsMove, type MoveEntry, refuseWhileRunning, type StoredMove } from './work-record.ts';
import {
  allBookedAt,
  bookAt,
  cancelOld,
  claim,
  endCanceled,
  hasLeft,
  isCanceledRecord,
  isRefusal,
  type MoveContext,
  type MovePlan,
  mayHaveCanceled,
  NotMoved,
  newEventOf,
  oldIsCanceled,
  type Person,
  type Run,
  readEvent,
  telling,
} from './work-steps.ts';

/*
 * The service can't move an event. `sched` books the new time and cancels the old event, or the other way round if they
 * overlap. R56: killed at any step and run again, a person has one booking, or the error says what stands. `sched` never
 * cancels the new event by itself, because other people may be in it.
 */

/** Books everybody at the new time, then cancels the old event. */
const bookFirst = async (run: Run): Promise<Moved> => {
  const { context, plan } = run;
  const { phase } = run.lastClaim.entry;
  if (phase === 'booking') return bookRest(run);
  const before = await readEvent(context, plan.event);
  if (isCanceledRecord(before)) return whenCanceled(run, before);
  run.old = 'active';
  for (const person of run.people) {
    try {
      await bookAt(run, person, plan.to);
    } catch (error) {
      if (error === hasLeft) continue;
      if (error === oldIsCanceled) return whenCanceled(run, await readEvent(context, plan.event));
      if (!isRefusal(error)) throw error;
      await allBookedAt(run, plan.to);
      if (run.bookings.size > 0) throw await atBothTimes(run, error.facts.reason);
      await claim(run, { phase: 'ended' });
      throw new NotMoved(error.category, error.message, error.facts);
    }
  }
  return cancelAndBook(run);
};

/** Cancels the old event, then books everybody at the new time, or at the old one if that is refused. */
const cancelFirst = async (run: Run): Promise<Moved> => {
  const { context, plan } = run;
  const { phase } = run.lastClaim.entry;
  if (phase === 'back') return goBack(run);
  if (phase === 'booking') return bookRest(run);
  const old = await readEvent(context, plan.event);
  if (isCanceledRecord(old)) return whenCanceled(run, old);
  run.old = 'active';
  return cancelAndBook(run);
};

/** The old event is canceled: by this move, or by someone else. */
const whenCanceled = (run: Run, old: SentEvent): Promise<Moved> =>
  mayHaveCanceled(run) ? bookRest(run) : endCanceled(run, old);

/** Cancels the old event, unless that would leave someone without a booking. */
const cancelAndBook = async (run: Run): Promise<Moved> => {
  const { newInvitees, formerInvitees, isEmpty } = await readPeople(run);
  if (newInvitees.length > 0) throw await endJoined(run, newInvitees);
  if (isEmpty) {
    const old = await readEvent(run.context, run.plan.event);
    return isCanceledRecord(old) ? whenCanceled(run, old) : endEmpty(run);
  }
  await cancelOld(run, formerInvitees);
  return bookRest(run);
};

/**
 * The old event is canceled. Books everybody who was canceled with it and has no new booking: with `cancel-first` all of
 * them, else those who joined at the last moment.
 */
const bookRest = async (run: Run): Promise<Moved> => {
  const { plan } = run;
  const { order, phase } = run.lastClaim.entry;
  run.old = 'canceled';
  if (phase !== 'booking') await readCanceled(run);
  if (run.people.length === 0) return endEmpty(run);
  const missingPeople = run.people.filter(({ invitee }) => !run.bookings.has(invitee));
  if (phase === 'canceling' && missingPeople.length > 0)
    await claim(run, { phase: 'booking', invitees: run.people.map(({ invitee }) => invitee) });
  const refusedPeople: Person[] = [];
  let refusal: SchedError | undefined;
  for (const person of missingPeople) {
    try {
      await bookAt(run, person, plan.to);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (order === 'cancel-first') {
        await claim(run, { phase: 'back' });
        return goBack(run, error);
      }
      refusal = error;
      refusedPeople.push(person);
    }
  }
  const event = newEventOf(run);
  if (refusal === undefined) return finishMove(run, event);
  await claim(run, { phase: 'ended', event });
  const names = refusedPeople.map(({ name }) => name).join(', ');
  throw new NotMoved('partial', `Moved, but without ${names}, who joined the old event meanwhile`, {
    ...refusal.facts,
    advice: 'book them at another time',
    outcome: 'applied',
  });
};

/** Goes on with an open move to another time, if nobody is booked at the time it had before. */
const changeTarget = async (run: Run): Promise<void> => {
  const { plan } = run;
  const { entry } = run.lastClaim;
  const isBack = entry.phase === 'back';
  for (const start of isBack ? [entry.to, entry.start_time] : [entry.to]) {
    const [record] = [...(await allBookedAt(run, start)), ...(await straysAt(run, start))];
    if (record === undefined) continue;
    const event = eventIn(record);
    throw new NotMoved('conflict', `A move of this event to ${entry.to} is not finished`, {
      ...(event && {
        reason: `event ${idIn(event)} was booked for it`,
        advice: ['finish that move, or: ', { command: ['events', 'cancel', idIn(event)] }],
      }),
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

/** Goes on after the cancellation of the old event, or cancels it again if the service shows it as active. */
const readCanceledAgain = async (run: Run): Promise<void> => {
  if (isCanceledRecord(await readEvent(run.context, run.plan.event))) return readCanceled(run);
  run.old = 'active';
  run.lastClaim = { ...run.lastClaim, entry: { ...run.lastClaim.entry, phase: cancelAgain } };
};

const moveDigest = (event: string): string => hash('sha256', JSON.stringify([1, idKey(event)]));
/** The records of a move at this service, the newest first, and the highest number. */
const findMoveRecords = async (
  { booking, moves }: MoveContext,
  event: string,
): Promise<{ last: number; sameMoves: StoredMove[] }> => {
  const { last, attempts } = await moves.find([moveDigest(event)]);
  const sameMoves = attempts.filter((attempt) => mayBeHere(booking, attempt, event));
  // Since this machine shares its ledger, nothing new comes into its files.
  const rankOf = ({ isInFiles, number }: StoredMove) => (isInFiles ? 0 : number);
  return { last, sameMoves: sameMoves.sort((a, b) => rankOf(b) - rankOf(a)) };
};

const currentClaim = ([newest]: StoredMove[]): StoredMove | undefined =>
  newest?.entry.phase === 'ended' ? undefined : newest;

/** The open or finished record of a move of this event, if there is one. */
export const recordOfMove = async (context: MoveContext, event: string): Promise<StoredMove | undefined> =>
  currentClaim((await findMoveRecords(context, event)).sameMoves);

/** Whether a record is about the event that starts then. After a reset of the service, another one may have its ID. */
const isAbout = ({ start_time }: MoveEntry, start: unknown): boolean => secondOf(start_time) === secondOf(start);

/** The record of an open or finished move of this event, as far as the service bears it out. */
export const standingMove = async (
  context: MoveContext,
  event: SentEvent,
  invitees: readonly SentInvitee[],
): Promise<MoveEntry | undefined> => {
  const entry = (await recordOfMove(context, String(event.uri)))?.entry;
  if (entry === undefined || !isAbout(entry, event.start_time)) return undefined;
  if (entry.phase !== 'done') return entry;
  const moved = invitees.filter(({ uri }) => entry.invitees.includes(String(uri)));
  return (await asItStands(context, entry, { event, emails: moved.map(({ email }) => String(email)) }))?.entry;
};

/** Open moves at this service. */
export const openMoves = ({ moves, booking }: Pick<MoveContext, 'moves' | 'booking'>): Promise<StoredMove[]> =>
  moves.open(booking.origin);

/** Moves an event (R56). */
export const moveEvent = async (context: MoveContext, plan: MovePlan): Promise<Moved> => {
  const { clock, origin, pid, timeoutMs } = context.booking;
  const first = await findMoveRecords(context, plan.event);
  const isOver = currentClaim(first.sameMoves) === undefined && first.sameMoves.length > 0;
  // A process that has begun the next move since then has recorded it before its cancellation.
  const isCanceledNow = isOver && isCanceledRecord(await readEvent(context, plan.event));
  const { last, sameMoves } = isCanceledNow ? await findMoveRecords(context, plan.event) : first;
  const current = currentClaim(sameMoves);
  // Another process has ended a move of this event since the plan was made, and has said what stands.
  if (isCanceledNow && current === undefined)
    throw new SchedError('conflict', "The event is canceled, so it can't be moved", {
      reason: 'another process has ended a move of it meanwhile',
    });
  const fresh: MoveEntry = {
    version: 1,
    digest: moveDigest(plan.event),
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
  const own = current !== undefined && isAbout(current.entry, plan.from) ? current.entry : undefined;
  const isDone = own?.phase === 'done';
  if (own !== undefined && !isDone) refuseWhileRunning(context, own);
  const emails = plan.bookings.map(({ body }) => body.invitee.email);
  const stand = isDone
    ? await asItStands(context, own, { event: await readEvent(context, plan.event), emails })
    : undefined;
  const standing = isDone ? stand?.entry : own;
  const entry = standing ?? fresh;
  const run: Run = {
    context,
    plan,
    lastClaim: { number: last, entry },
    isResumed: standing !== undefined,
    hasSent: false,
    people: plan.bookings,
    bookings: new Map(),
    old: isDone || entry.phase === 'planned' ? 'active' : entry.phase === 'canceling' ? 'maybe canceled' : 'canceled',
  };
  // With `book-first`, everybody is booked before the cancellation.
  if (entry.order === 'book-first' && own?.phase === 'canceling')
    for (const invitee of entry.invitees) run.bookings.set(invitee, undefined);
  const isSame = secondOf(entry.to) === secondOf(plan.to);
  if (entry.phase === 'done') {
    if (isSame) return finishMove(run, entry.event!, stand?.seen);
    throw new SchedError('conflict', `This event was already moved to ${entry.to}`, {
      hint: { command: ['events', 'move', idIn(entry.event)], flags: { to: plan.to } },
    });
  }
  try {
    if (entry.phase === 'booking' || entry.phase === 'back') await readCanceledAgain(run);
    if (!isSame) await changeTarget(run);
    else await claim(run, entry.phase === 'planned' ? { invitees: fresh.invitees } : {});
    // A record in the files of this machine goes on in the shared ledger.
    for (const earlier of sameMoves.filter(({ isInFiles, entry: { state } }) => isInFiles && state === 'open'))
      await context.moves.replace({ ...earlier, entry: { ...earlier.entry, state: 'closed', phase: 'ended' } });
    return await (run.lastClaim.entry.order === 'book-first' ? bookFirst(run) : cancelFirst(run));
  } catch (error) {
    const hasBegun = run.isResumed || run.lastClaim.number > last;
    throw hasBegun ? telling(error, run) : error;
  }
};
