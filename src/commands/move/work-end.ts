import { hasCategory, type SchedError, sameCommand } from '../../base/errors.ts';
import type { Json } from '../../base/json.ts';
import { capital } from '../../base/numbers.ts';
import { idIn } from '../../base/uri.ts';
import { the, words } from '../../base/words.ts';
import { readIfPossible } from '../../client/change.ts';
import { inviteeNamesText, straysAdvice, straysAt, straysText } from './work-people.ts';
import {
  areBooked,
  bookAt,
  bookedAt,
  bookedOf,
  claim,
  isRefusal,
  NotMoved,
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
  event: Json;
  /** The new invitees. */
  invitees: Json[];
  /** Names of people who left the old event meanwhile, so that they were not booked. */
  formerInvitees: string[];
  /** Why it could not be noted that the move is done. */
  unnotedReason?: string;
}

/** Notes that the move is done. It is, also if that can't be noted: the next run finds it out again. */
const close = async (run: Run, event: string): Promise<string | undefined> => {
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

/** Closes the record of a move that is done, and reads the new event. */
export const finishMove = async (run: Run, event: string): Promise<Moved> => {
  const { context, plan, hasSent } = run;
  const { at, phase } = run.lastClaim.entry;
  const unnotedReason = phase === 'done' ? undefined : await close(run, event);
  const strays = await straysAt(run, plan.to);
  if (strays.length > 0)
    throw new NotMoved('partial', `Moved, but ${straysText(strays)}`, {
      advice: straysAdvice(strays),
      outcome: 'applied',
    });
  const bookings = bookedOf(run);
  const isShown = bookings.length === run.people.length;
  const records = isShown ? bookings : ((await readIfPossible(() => readEventInvitees(context, event))) ?? []);
  const keyOf = (email: unknown) => String(email).trim().toLowerCase();
  const inviteeOf = ({ body }: Person) => records.filter(({ email }) => keyOf(email) === keyOf(body.invitee.email));
  const stay = new Set(run.people.map(({ invitee }) => invitee));
  return {
    ...(hasSent ? { how: 'moved' } : { how: 'already', at }),
    event: (await readIfPossible(() => readEvent(context, event))) ?? { uri: event, start_time: plan.to },
    invitees: run.people.flatMap(inviteeOf),
    formerInvitees: plan.bookings.filter(({ invitee }) => !stay.has(invitee)).map(({ name }) => name),
    ...(unnotedReason === undefined ? {} : { unnotedReason }),
  };
};

/** Some people are booked at both times. */
export const atBothTimes = async (run: Run, reason: string | undefined): Promise<NotMoved> => {
  const event = idIn(
    [...run.bookings.values()].find((record) => record !== undefined)?.event ?? run.lastClaim.entry.event,
  );
  const strays = await straysAt(run, run.plan.to);
  const reasons = [reason, strays.length === 0 ? undefined : straysText(strays)].filter(Boolean);
  return new NotMoved('partial', capital(standing(run)), {
    ...(reasons.length === 0 ? {} : { reason: reasons.join('; ') }),
    advice: ['run the same command again, or cancel the new event: ', { command: ['events', 'cancel', event] }],
    hint: sameCommand,
    outcome: 'applied',
  });
};

const joinedText = (newInvitees: readonly Json[]): string =>
  `${inviteeNamesText(newInvitees)} joined the old event meanwhile`;

/** Ends the move because people have joined the old event: its cancellation would leave them without a booking. */
export const endJoined = async (run: Run, newInvitees: readonly Json[]): Promise<NotMoved> => {
  if (run.bookings.size > 0) return atBothTimes(run, joinedText(newInvitees));
  await claim(run, { phase: 'ended' });
  return new NotMoved('conflict', `${joinedText(newInvitees)}, so it was not moved`, { hint: sameCommand });
};

/** Books everybody at the old time again, except those who are booked at the new time. */
export const goBack = async (run: Run, refusal?: SchedError): Promise<Moved> => {
  const { people, plan } = run;
  const there: Json[] = [];
  const back: Json[] = [];
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
  if (there.length === count) return finishMove(run, String(there[0]!.event));
  const facts = { ...lastRefusal?.facts, outcome: 'applied' as const };
  if (placedCount < count) {
    const who = placedCount === 0 ? 'nobody is booked' : areBooked(placedCount, count);
    throw new NotMoved('partial', `Not moved: the old event is canceled, and ${who}`, {
      ...facts,
      advice: words`choose another ${the('to')}`,
    });
  }
  const event = String(back[0]!.event);
  await claim(run, { phase: 'ended', event });
  const again = `${areBooked(back.length, count)} at the old time again, in event ${idIn(event)}`;
  throw there.length === 0
    ? new NotMoved('conflict', `The new time was refused, so ${again}`, facts)
    : new NotMoved('partial', `${areBooked(there.length, count)} at the new time, and ${again}`, facts);
};
