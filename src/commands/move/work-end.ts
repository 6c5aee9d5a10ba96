import type { SentEvent } from '../../api/events.ts';
import type { SentInvitee } from '../../api/invitees.ts';
import { fallBack, hasCategory, SchedError, sameCommand } from '../../base/errors.ts';
import { capital } from '../../base/numbers.ts';
import { idIn } from '../../base/uri.ts';
import { the, words } from '../../base/words.ts';
import { readIfPossible } from '../../client/change.ts';
import { lookFirst } from '../booking/work-attempt.ts';
import { eventIn, idKey, secondOf } from '../booking/work-look-up.ts';
import { inviteeNamesText, straysAdvice, straysAt, straysText } from './work-people.ts';
import type { MoveEntry } from './work-record.ts';
import {
  areBooked,
  bookAt,
  bookedAt,
  bookedOf,
  claim,
  isCanceledRecord,
  isRefusal,
  type MoveContext,
  NotMoved,
  newEventOf,
  type Person,
  type Run,
  readEvent,
  readEventInvitees,
  standing,
} from './work-steps.ts';

/* How a move ends: done, given up, or stopped between two times. The error then says what stands. */

export interface Moved {
  /** `already`: the move was done before, and nothing was sent now. */
  how: 'moved' | 'already';
  /** When it was done, for `already`. */
  at?: number;
  /** The new event, as the service shows it. */
  event: SentEvent;
  /** The new invitees. */
  invitees: SentInvitee[];
  /**
   * Names of people who left the old event meanwhile, so that they were not booked. With `already`: of those who have left
   * the new one since.
   */
  formerInvitees: string[];
  /** Why it could not be noted that the move is done. */
  unnotedReason?: string;
}

/** Notes that the move is done. It is, also if that can't be noted: the next run finds it out again. */
const close = async (run: Run, event: string | undefined): Promise<string | undefined> => {
  const { clock, serviceTime } = run.context.booking;
  try {
    await claim(run, { phase: 'done', event, invitees: run.people.map(({ invitee }) => invitee) });
  } catch (error) {
    if (!hasCategory(error, 'environment')) throw error;
    return error.facts.reason ?? error.message;
  }
  // As for bookings, a record must be old by both clocks.
  await run.context.moves.prune(Math.min(serviceTime() ?? 0, clock.now())).catch(() => {});
  return undefined;
};

const keyOf = (email: unknown): string => String(email).trim().toLowerCase();

/** The new event of a move, and the active bookings in it of the people who were moved. */
export interface NewEvent {
  event: SentEvent;
  invitees: SentInvitee[];
}

/** The old event of a move, and the addresses of the people who move. */
export interface OldEvent {
  event: SentEvent;
  emails: readonly string[];
}

/**
 * Looks at the new event of a move. Says why, if nobody who was moved is booked there: a record says what was done, and
 * since then the service may have been reset or restored, and people cancel. After a reset, another event may have the ID.
 */
export const lookAtNew = async (
  context: MoveContext,
  { event: uri, to }: Pick<MoveEntry, 'event' | 'to'>,
  old: OldEvent,
): Promise<NewEvent | string> => {
  const event = await readEvent(context, uri!).catch(fallBack(undefined, 'not-found'));
  const isOurs =
    event !== undefined &&
    secondOf(event.start_time) === secondOf(to) &&
    idKey(event.event_type) === idKey(old.event.event_type);
  if (!isOurs) return `the service doesn't show the new event, ${idIn(uri)}`;
  if (isCanceledRecord(event)) {
    const when = typeof event.updated_at === 'string' ? ` at ${event.updated_at}` : '';
    return `the new event, ${idIn(uri)}, was canceled${when}`;
  }
  const active = (await readEventInvitees(context, uri!)).filter((each) => !isCanceledRecord(each));
  const keys = old.emails.map(keyOf);
  // Where the service hides addresses, the event has to do.
  const invitees = active.filter(({ email }) => typeof email !== 'string' || keys.includes(keyOf(email)));
  if (invitees.length > 0) return { event, invitees };
  return `nobody who was moved is booked in the new event, ${idIn(uri)}, any more`;
};

/**
 * The phase in which a move goes on if its old event was canceled, and is active now: the service shows an earlier state, or
 * one that lags behind. So a cancellation that is refused counts as done.
 */
export const cancelAgain = 'canceling';

/** The old event of a move is canceled, and so is what was booked for it, or it is gone. */
const nobodyBooked = (why: string, { to }: Pick<MoveEntry, 'to'>, hasSent = false): NotMoved =>
  new NotMoved('conflict', `This event was moved to ${to}, but that booking no longer stands`, {
    reason: `the old event is canceled, and ${why}`,
    advice: ['to book again: ', { command: ['invitees', 'create'] }],
    ...(hasSent ? { outcome: 'applied' } : {}),
  });

/** A service may show a booking without its event. */
const eventUnknown = (): SchedError =>
  new SchedError('outcome-unknown', "The record of this move doesn't say what was booked", {
    advice: lookFirst,
    outcome: 'unknown',
  });

/**
 * What the record of a move that is done is worth now. `seen` is the new event if the move stands. If both events stand, the
 * move is open again. Undefined if only the old one stands: then it is to be moved anew.
 */
export const asItStands = async (
  context: MoveContext,
  entry: MoveEntry,
  old: OldEvent,
): Promise<{ entry: MoveEntry; seen?: NewEvent } | undefined> => {
  const isCanceled = isCanceledRecord(old.event);
  if (entry.event === undefined) throw eventUnknown();
  const seen = await lookAtNew(context, entry, old);
  if (typeof seen !== 'string')
    return isCanceled ? { entry, seen } : { entry: { ...entry, state: 'open', phase: cancelAgain } };
  if (isCanceled) throw nobodyBooked(seen, entry);
  return undefined;
};

/** Closes the record of a move that is done. What this process hasn't seen itself, it looks at before. */
export const finishMove = async (run: Run, event: string | undefined, alreadySeen?: NewEvent): Promise<Moved> => {
  const { context, plan, hasSent, people } = run;
  const { at, phase } = run.lastClaim.entry;
  const bookings = bookedOf(run);
  let seen = alreadySeen;
  if (seen === undefined && bookings.length < people.length) {
    if (event === undefined) throw eventUnknown();
    const emails = people.map(({ body }) => body.invitee.email);
    const old = { event: { event_type: people[0]!.body.event_type }, emails };
    const found = await lookAtNew(context, { event, to: plan.to }, old);
    if (typeof found === 'string') {
      await claim(run, { phase: 'ended', event });
      throw nobodyBooked(found, plan, hasSent);
    }
    seen = found;
  }
  const unnotedReason = phase === 'done' ? undefined : await close(run, event);
  const strays = await straysAt(run, plan.to);
  if (strays.length > 0)
    throw new NotMoved('partial', `Moved, but ${straysText(strays)}`, {
      advice: straysAdvice(strays),
      outcome: 'applied',
    });
  const records = seen?.invitees ?? bookings;
  const isEachShown = records.every(({ email }) => typeof email === 'string');
  const inviteesOf = ({ body }: Person) => records.filter(({ email }) => keyOf(email) === keyOf(body.invitee.email));
  const areInNew = people.filter((each) => seen === undefined || !isEachShown || inviteesOf(each).length > 0);
  const isToBeRead = seen === undefined && event !== undefined;
  const shownEvent = isToBeRead ? await readIfPossible(() => readEvent(context, event)) : undefined;
  const stay = new Set(areInNew.map(({ invitee }) => invitee));
  return {
    ...(hasSent ? { how: 'moved' } : { how: 'already', at }),
    event: seen?.event ?? shownEvent ?? { uri: event, start_time: plan.to },
    invitees: isEachShown ? people.flatMap(inviteesOf) : records,
    formerInvitees: plan.bookings.filter(({ invitee }) => !stay.has(invitee)).map(({ name }) => name),
    ...(unnotedReason === undefined ? {} : { unnotedReason }),
  };
};

/** Some people are booked at both times. */
export const atBothTimes = async (run: Run, reason: string | undefined): Promise<NotMoved> => {
  const event = newEventOf(run);
  const strays = await straysAt(run, run.plan.to);
  const reasons = [reason, strays.length === 0 ? undefined : straysText(strays)].filter(Boolean);
  return new NotMoved('partial', capital(standing(run)), {
    ...(reasons.length === 0 ? {} : { reason: reasons.join('; ') }),
    ...(event && {
      advice: ['run the same command again, or cancel the new event: ', { command: ['events', 'cancel', idIn(event)] }],
    }),
    hint: sameCommand,
    outcome: 'applied',
  });
};

const joinedText = (newInvitees: readonly SentInvitee[]): string =>
  `${inviteeNamesText(newInvitees)} joined the old event meanwhile`;

/** Ends the move because people have joined the old event: its cancellation would leave them without a booking. */
export const endJoined = async (run: Run, newInvitees: readonly SentInvitee[]): Promise<NotMoved> => {
  if (run.bookings.size > 0) return atBothTimes(run, joinedText(newInvitees));
  await claim(run, { phase: 'ended' });
  return new NotMoved('conflict', `${joinedText(newInvitees)}, so it was not moved`, { hint: sameCommand });
};

/** Books everybody at the old time again, except those who are booked at the new time. */
export const goBack = async (run: Run, refusal?: SchedError): Promise<Moved> => {
  const { people, plan } = run;
  const there: SentInvitee[] = [];
  const back: SentInvitee[] = [];
  let lastRefusal = refusal;
  for (const person of people) {
    try {
      const record = await bookedAt(run, person, plan.to);
      if (record === undefined) back.push(await bookAt(run, person, run.lastClaim.entry.start_time));
      else there.push(record);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      lastRefusal = error;
    }
  }
  const [count, placedCount] = [people.length, there.length + back.length];
  if (there.length === count) return finishMove(run, eventIn(there[0]!));
  const facts = { ...lastRefusal?.facts, outcome: 'applied' as const };
  if (placedCount < count) {
    const who = placedCount === 0 ? 'nobody is booked' : areBooked(placedCount, count);
    throw new NotMoved('partial', `Not moved: the old event is canceled, and ${who}`, {
      ...facts,
      advice: words`choose another ${the('to')}`,
    });
  }
  const event = eventIn(back[0]!);
  await claim(run, { phase: 'ended', event });
  const where = event === undefined ? '' : `, in event ${idIn(event)}`;
  const again = `${areBooked(back.length, count)} at the old time again${where}`;
  throw there.length === 0
    ? new NotMoved('conflict', `The new time was refused, so ${again}`, facts)
    : new NotMoved('partial', `${areBooked(there.length, count)} at the new time, and ${again}`, facts);
};
