import { events } from '../../api/events.ts';
import { invitees, type SentInvitee } from '../../api/invitees.ts';
import { fallBack, hasCategory, isOutcomeUnknown, SchedError } from '../../base/errors.ts';
import { idIn } from '../../base/uri.ts';
import type { WriteResult } from '../../client/outcome.ts';
import type { StoredEntry } from '../../state/ledger.ts';
import type { LedgerEntry } from '../../state/ledger-entry.ts';
import { isOnThisMachine, serviceName } from '../../state/service-name.ts';
import {
  afterReply,
  awaitsReply,
  type BookingContext,
  bookedBy,
  bookingDigest,
  bookingUnknown,
  earlierDigests,
  examine,
  findAccepted,
  isOwn,
  ledgerWriteFailed,
  lookUpAttempt,
  mayBeHere,
  newestOf,
  notBooked,
  notLookedUp,
  prune,
  settle,
  type UnknownOutcome,
  unknownOutcomeOf,
} from './work-attempt.ts';
import { secondOf } from './work-look-up.ts';

export interface BookingOptions {
  /** Looks for the booking at the service first and returns it if it exists, whoever made it. */
  ifAbsent: boolean;
  /** Books even if the same booking exists or may exist. */
  allowDuplicate: boolean;
}

export interface Booked {
  /** The invitee, or undefined if the service accepted the booking but doesn't show it. */
  record: SentInvitee | undefined;
  how: 'booked' | 'reconciled' | 'existing';
  /** What the ledger says about the run that made an existing booking. */
  by?: LedgerEntry;
  /** The reply, if it doesn't show the booking. */
  unshown?: WriteResult;
}

export interface Booking {
  event_type: string;
  start_time: string;
  invitee: { email: string };
  /** URI of the old event, if this is part of a move. */
  moves?: string;
  /** Sends the request. Must call `leaving` right before each time the request is sent. */
  send(leaving: () => Promise<void>): Promise<WriteResult>;
}

/** The body of a booking, of which only some may be known and checked. */
export type DraftBody = Partial<
  Record<'event_type' | 'start_time' | 'invitee' | 'location' | 'custom_questions', unknown>
>;

/** A service may reply with an error before it has finished. */
const secondLookMs = 2000;

/** Whether the service accepted the booking but hasn't shown it yet. */
const isUnseen = ({ state, invitee }: LedgerEntry): boolean => state === 'booked' && invitee === undefined;

/** The existing booking, as far as the ledger knows: the one this attempt made, or the one it was to duplicate. */
const existingBooking = (entry: LedgerEntry): NonNullable<LedgerEntry['besides']> => {
  const { state, event, invitee, besides = {} } = entry;
  if (isUnseen(entry)) return { isUnseen: true };
  return state === 'booked' && event !== undefined && invitee !== undefined ? { event, invitee } : besides;
};

/**
 * The current invitee of an earlier booking, or `undefined` if the service doesn't show it. After a reset of the service,
 * another booking may have the ID.
 */
const readBookingAgain = async ({ client }: BookingContext, entry: LedgerEntry): Promise<SentInvitee | undefined> => {
  if (entry.event === undefined || entry.invitee === undefined) return undefined;
  const [event, invitee] = [idIn(entry.event), idIn(entry.invitee)];
  const record = await client.call(invitees.get, { path: { event, invitee } }).catch(fallBack(undefined, 'not-found'));
  if (record === undefined || !isOwn(entry, record)) return undefined;
  const meeting = await client
    .call(events.get, { path: { event } })
    .catch(fallBack(undefined, 'forbidden', 'not-found'));
  return meeting === undefined || secondOf(meeting.start_time) === secondOf(entry.start_time) ? record : undefined;
};

/** The booking of an earlier attempt, or undefined if it was canceled or is gone. */
export const activeBooking = async (
  context: BookingContext,
  attempt: StoredEntry,
): Promise<SentInvitee | undefined> => {
  const record = await readBookingAgain(context, attempt.entry);
  if (record !== undefined) return record.status === 'canceled' ? undefined : record;
  const result = await lookUpAttempt(context, attempt.entry);
  if (result.matches.length > 0) return result.matches[0];
  // The sandbox shows its bookings at once. Elsewhere one may be deleted, hidden from this token, or not shown yet.
  if (result.isComplete && isOnThisMachine(context.origin)) return undefined;
  const doubt = await unknownOutcomeOf(context, attempt, result);
  if (doubt !== undefined)
    throw bookingUnknown(
      context,
      attempt,
      `it was booked from ${context.ledger.reach}, but the service doesn't show it`,
      doubt,
    );
  return undefined;
};

/** The booking of an earlier attempt from this machine, or undefined if it is safe to book. Throws if it isn't. */
const fromEarlier = async (context: BookingContext, attempt: StoredEntry): Promise<Booked | undefined> => {
  const { entry } = attempt;
  if (isUnseen(entry)) {
    const { record, doubt } = await examine(context, attempt);
    if (record !== undefined) await settle(context, attempt, record);
    else if (doubt === undefined) return undefined;
    return { record, how: 'existing', by: entry };
  }
  if (entry.state === 'open') {
    const sender = `process ${entry.pid}${entry.host === undefined ? '' : ` on ${entry.host}`}`;
    const earlier = `${sender} sent this booking to ${entry.origin} and got no reply`;
    const isOnItsWay = awaitsReply(context, entry);
    const newestNow = isOnItsWay ? attempt : await newestOf(context, attempt);
    // It has got its reply, and has ended, since this process read its attempt.
    if (newestNow.entry.state !== 'open') return fromEarlier(context, newestNow);
    const result = await lookUpAttempt(context, entry).catch((error: unknown) => {
      if (!(error instanceof SchedError) || context.interrupted.aborted) throw error;
      // R27: it may be booked, so this is worse than an unreachable service.
      throw bookingUnknown(context, attempt, earlier, notLookedUp(context, attempt, error));
    });
    const record = bookedBy(entry, result) ?? result.matches[0];
    if (record !== undefined) {
      // Another address may be another service, so this booking doesn't settle the attempt there.
      if (serviceName(entry.origin) === context.origin) await settle(context, attempt, record);
      // A reply that is still on its way isn't lost.
      return isOnItsWay ? { record, how: 'existing', by: entry } : { record, how: 'reconciled' };
    }
    const newest = await afterReply(context, attempt);
    if (newest !== attempt) return fromEarlier(context, newest);
    const doubt = await unknownOutcomeOf(context, attempt, result);
    if (doubt === undefined) return undefined;
    throw bookingUnknown(context, attempt, earlier, doubt);
  }
  const record = entry.state === 'booked' ? await activeBooking(context, attempt) : undefined;
  return record === undefined ? undefined : { record, how: 'existing', by: entry };
};

/**
 * An earlier booking of the same event type for the same invitee that starts in this window. For a booking whose start
 * is still to be chosen: the same command again must not book a second time. Throws like `book`.
 */
export const bookedEarlier = async (
  context: BookingContext,
  { event_type, invitee }: Pick<Booking, 'event_type' | 'invitee'>,
  { since, until }: { since: number; until: number },
  options: BookingOptions,
): Promise<{ booked: Booked; start_time: string } | undefined> => {
  if (options.allowDuplicate) return undefined;
  for (const attempt of await context.ledger.between(since, until)) {
    const { digest, start_time } = attempt.entry;
    if (bookingDigest(attempt.entry, { event_type, start_time }, invitee.email) !== digest) continue;
    if (!mayBeHere(context, attempt, event_type)) continue;
    const earlier = await fromEarlier(context, attempt);
    if (earlier !== undefined) return { booked: earlier, start_time };
  }
  return undefined;
};

/** After a lost reply: looks for the booking twice. Leaves the attempt open and throws if it isn't found. */
const findAfterLostReply = async (
  context: BookingContext,
  attempt: StoredEntry,
  failure: SchedError,
): Promise<Booked> => {
  const { clock, interrupted } = context;
  let doubt: UnknownOutcome | undefined;
  try {
    for (const pause of [0, secondLookMs]) {
      if (pause > 0) await clock.sleep(pause, interrupted);
      const result = await examine(context, attempt);
      doubt = result.doubt;
      if (result.record === undefined) continue;
      // The booking exists even if the ledger can't be written; in that case the next run finds it again.
      await settle(context, attempt, result.record).catch(() => {});
      return { record: result.record, how: 'reconciled' };
    }
  } catch (error) {
    if (!(error instanceof SchedError)) throw error;
    doubt ??= notLookedUp(context, attempt, error);
  }
  throw bookingUnknown(
    context,
    attempt,
    failure.facts.reason ?? failure.message,
    doubt ?? notLookedUp(context, attempt),
  );
};

/** How often to start again because another process has just begun to send the same booking. */
const mostRounds = 10;

/** Makes a booking, and never twice: the attempt is on disk before the request is sent (R27). */
export const book = async (
  context: BookingContext,
  booking: Booking,
  options: BookingOptions,
  rounds = mostRounds,
): Promise<Booked> => {
  const { ledger, clock, origin } = context;
  const { event_type, start_time, invitee } = booking;
  const entry: LedgerEntry = {
    version: 2,
    digest: bookingDigest({ version: 2, origin }, booking, invitee.email),
    origin,
    event_type,
    start_time,
    state: 'open',
    at: clock.now(),
    timeoutMs: context.timeoutMs,
    pid: context.pid,
    ...(booking.moves === undefined ? {} : { moves: booking.moves }),
  };
  // If the owner is unknown, an empty look-up later proves nothing. One that is not known yet is worth another try.
  const asking = await context.owner().catch((error: unknown) => {
    if (hasCategory(error, 'unavailable', 'rate-limited', 'interrupted', 'terminated')) throw error;
    return undefined;
  });
  if (asking !== undefined) entry.organization = asking.organization;

  let isUnkept = false;
  /** Without a ledger nothing is booked, unless duplicates are allowed. */
  const unlessAllowed = (error: unknown): void => {
    if (!(error instanceof SchedError && options.allowDuplicate)) throw error;
    isUnkept = true;
    context.onUnkept(error.facts.reason ?? error.message);
  };
  const digests = [entry.digest, ...earlierDigests(origin, booking, invitee.email)];
  const history = await ledger.find(digests).catch(unlessAllowed);
  const { last, attempts } = history ?? { last: 0, attempts: [] };
  const before = attempts.find((attempt) => serviceName(attempt.entry.origin) === origin);
  if (options.allowDuplicate) {
    entry.besides = before === undefined ? {} : existingBooking(before.entry);
    const result = await lookUpAttempt(context, entry).catch(() => undefined);
    if (result !== undefined) entry.shownBefore = result.matches.map(({ uri }) => String(uri));
  } else {
    for (const attempt of attempts.filter((each) => mayBeHere(context, each, event_type))) {
      const earlier = await fromEarlier(context, attempt);
      if (earlier !== undefined) return earlier;
    }
  }
  if (options.ifAbsent) {
    const { matches, others } = await lookUpAttempt(context, entry);
    if (matches.length > 0) return { record: matches[0], how: 'existing' };
    if (others.length > 0) entry.shownBefore = others;
  }

  let ownAttempt: StoredEntry | undefined;
  let isOutrun = false;
  const beforeSend = async (): Promise<void> => {
    // Each send takes a new number: while this process waited or was stopped, another may have sent the same booking.
    const next: StoredEntry = { number: (ownAttempt?.number ?? last) + 1, entry: { ...entry, at: clock.now() } };
    const isFirst = isUnkept || (await ledger.claim(next).catch(unlessAllowed));
    if (isFirst === false) {
      isOutrun = ownAttempt === undefined;
      const reason = 'another sched process is sending the same booking right now';
      throw bookingUnknown(context, next, reason, notLookedUp(context, next));
    }
    ownAttempt = isUnkept ? { ...next, number: ledgerWriteFailed } : next;
  };
  let written: WriteResult;
  try {
    await context.applyPlanLimits();
    written = await booking.send(beforeSend);
  } catch (error) {
    // Nothing was sent yet, so the other process decides.
    if (isOutrun && rounds > 0) return book(context, booking, options, rounds - 1);
    // Assigned in beforeSend, which the compiler doesn't see.
    const attempt = ownAttempt as StoredEntry | undefined;
    if (attempt === undefined || !(error instanceof SchedError)) throw error;
    if (isOutcomeUnknown(error)) return findAfterLostReply(context, attempt, error);
    // A refused duplicate doesn't settle the earlier attempt: if that was open, it still is.
    const isOpen = options.allowDuplicate && before?.entry.state === 'open';
    const { version, digest } = attempt.entry;
    const entryNow = isOpen ? { ...before.entry, version, digest } : notBooked(attempt.entry);
    await ledger.replace({ ...attempt, entry: entryNow }).catch(() => {});
    throw error;
  }
  const attempt = ownAttempt as StoredEntry | undefined;
  const record = written.record ?? (attempt && (await findAccepted(context, attempt.entry)));
  // It is booked, so a full disk must not turn this into a failure. The next run looks up an attempt that stays open.
  if (attempt !== undefined) await settle(context, attempt, record).catch(() => {});
  await prune(context);
  return { record, how: 'booked', ...(written.record === undefined ? { unshown: written } : {}) };
};
