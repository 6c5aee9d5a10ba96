import { hash } from 'node:crypto';
import type { SentInvitee } from '../../api/invitees.ts';
import { type NextStep, SchedError } from '../../base/errors.ts';
import { counted } from '../../base/numbers.ts';
import type { Clock } from '../../base/system.ts';
import { idIn } from '../../base/uri.ts';
import { the, words } from '../../base/words.ts';
import type { Client } from '../../client/client.ts';
import type { Ledger, StoredEntry } from '../../state/ledger.ts';
import { type CommonEntry, type LedgerEntry, limitOf, waitLeft } from '../../state/ledger-entry.ts';
import { isOnThisMachine, serviceName } from '../../state/service-name.ts';
import {
  eventIn,
  idKey,
  isTrustworthy,
  type LookUp,
  lookUp,
  type Owner,
  secondOf,
  type WantedBooking,
} from './work-look-up.ts';

/** Everything needed to send a booking and to look it up later. */
export interface BookingContext {
  client: Client;
  ledger: Ledger;
  clock: Clock;
  interrupted: AbortSignal;
  /** The address of the service, as `serviceName` writes it. */
  origin: string;
  /** The `Date` of the service's last reply, if it had one. */
  serviceTime(): number | undefined;
  owner(): Promise<Owner>;
  timeoutMs: number;
  pid: number;
  /** The name of this machine. */
  host: string;
  /** Whether the process of an open attempt may still run. Not this process, and only a guess for other machines. */
  mayBeRunning(entry: Pick<CommonEntry, 'pid' | 'host'>): boolean;
  /** Makes the client keep to the booking limits of the plan. */
  applyPlanLimits(): Promise<void>;
  /** Called when a booking is sent although the ledger can't be written. */
  onUnkept(reason: string): void;
}

/** The number of an attempt that isn't in the ledger. */
export const ledgerWriteFailed = 0;

export const bookingDigest = (
  { version, origin }: Pick<LedgerEntry, 'version' | 'origin'>,
  { event_type, start_time }: Pick<LedgerEntry, 'event_type' | 'start_time'>,
  email: string,
): string => {
  const address = email.trim().toLowerCase();
  const key =
    version === 1
      ? [1, origin, idIn(event_type), new Date(start_time).toISOString(), address]
      : // Without the origin: one service may have several addresses.
        [2, idKey(event_type), secondOf(start_time), address];
  return hash('sha256', JSON.stringify(key));
};

/** The digests that older versions stored. They kept the address of a service on this machine as it was given. */
export const earlierDigests = (
  origin: string,
  booking: Pick<LedgerEntry, 'event_type' | 'start_time'>,
  email: string,
): string[] => {
  const isLocal = origin.includes('//127.0.0.1');
  const origins = isLocal
    ? ['127.0.0.1', 'localhost', '[::1]'].map((name) => origin.replace('127.0.0.1', name))
    : [origin];
  return origins.map((each) => bookingDigest({ version: 1, origin: each }, booking, email));
};

/** Whether an invitee is the one that was booked, as far as the service shows addresses. */
export const isOwn = (entry: LedgerEntry, { email }: SentInvitee): boolean =>
  typeof email !== 'string' || bookingDigest(entry, entry, email) === entry.digest;

/** Whether the process of an attempt may still get its reply. */
export const awaitsReply = (
  { clock, mayBeRunning }: Pick<BookingContext, 'clock' | 'mayBeRunning'>,
  entry: LedgerEntry,
): boolean => entry.state === 'open' && clock.now() < entry.at + entry.timeoutMs && mayBeRunning(entry);

/** How often to look whether another process has got its reply. */
const lookAgainMs = 250;

/** What the ledger says now about the booking of an attempt. */
export const newestOf = async ({ ledger }: BookingContext, attempt: StoredEntry): Promise<StoredEntry> => {
  const { attempts } = await ledger.find([attempt.entry.digest]);
  const service = serviceName(attempt.entry.origin);
  return attempts.find(({ entry }) => serviceName(entry.origin) === service) ?? attempt;
};

/**
 * Waits while another process is in the middle of the same booking: its reply decides. Ends when that process has noted
 * a verdict, when its time for a reply is over, or when it was killed. Returns the newest entry.
 */
export const afterReply = async (context: BookingContext, attempt: StoredEntry): Promise<StoredEntry> => {
  let newest = attempt;
  while (awaitsReply(context, newest.entry)) {
    await context.clock.sleep(lookAgainMs, context.interrupted);
    newest = await newestOf(context, newest);
  }
  return newest;
};

/**
 * Whether an entry may be about the same service, even under another address. Local services whose record URIs are
 * local too, such as the sandbox, are distinguished by port.
 */
export const mayBeHere = (
  { origin }: Pick<BookingContext, 'origin'>,
  { entry }: StoredEntry<CommonEntry>,
  uri: string,
): boolean => serviceName(entry.origin) === origin || ![origin, entry.origin, uri].every(isOnThisMachine);

const wantedOf = (entry: LedgerEntry): WantedBooking => ({
  event_type: entry.event_type,
  start_time: entry.start_time,
  organization: entry.organization,
  isMeant: (other) => bookingDigest(entry, entry, other) === entry.digest,
  isEarlier: (uri) => entry.shownBefore?.includes(uri) === true,
});

/** Why the outcome of a booking is unknown. */
export interface UnknownOutcome {
  reason: string;
  /** After how many seconds another look-up may settle it. */
  seconds?: number;
  /** Nothing that sched can read settles it, now or later: a person has to look at the calendar. */
  isForPeople?: true;
}

/** What a person has to check before they say that it was not booked. */
export const lookFirst = words`check the calendar; if it isn't booked, add ${the('allowDuplicate')}`;

/** What to do about an unknown outcome. An attempt at another address can only be reconciled there. */
const nextStep = ({ origin }: BookingContext, { number, entry }: StoredEntry, doubt: UnknownOutcome): NextStep => {
  if (number === ledgerWriteFailed) return { hint: { flags: { 'if-absent': true } } };
  if (doubt.isForPeople) return { advice: lookFirst, hint: { flags: { 'allow-duplicate': true } } };
  const there = serviceName(entry.origin);
  return there === origin
    ? { hint: { command: ['invitees', 'reconcile'] } }
    : { advice: `run the same command again later, or run invitees reconcile against ${there}` };
};

export const bookingUnknown = (
  context: BookingContext,
  attempt: StoredEntry,
  reason: string,
  doubt: UnknownOutcome,
): SchedError =>
  new SchedError('outcome-unknown', "Can't tell whether this was booked", {
    reason: `${reason}; ${doubt.reason}`,
    ...nextStep(context, attempt, doubt),
    outcome: 'unknown',
    ...(doubt.seconds === undefined ? {} : { retryAfterSeconds: doubt.seconds }),
  });

/** The unknown outcome after a failed look-up: all that is known is when to try another one. */
export const notLookedUp = (
  { clock }: BookingContext,
  { entry }: StoredEntry,
  failure?: SchedError,
): UnknownOutcome => {
  const seconds = Math.ceil((entry.at + limitOf(entry) - clock.now()) / 1000);
  const why = failure === undefined ? '' : `: ${failure.message}`;
  return { reason: `looking it up failed${why}`, ...(seconds > 0 ? { seconds } : {}) };
};

/** Why an empty look-up doesn't prove yet that nothing was booked, or `undefined` if it does (R27). */
export const unknownOutcomeOf = async (
  context: BookingContext,
  attempt: StoredEntry,
  result: LookUp,
): Promise<UnknownOutcome | undefined> => {
  const { entry } = attempt;
  const now = context.serviceTime();
  const firstMiss = now === undefined ? undefined : await context.ledger.miss(attempt, now).catch(() => undefined);
  const isForPeople = true;
  if (!result.isComplete)
    return { reason: "no booking was found, but this token doesn't show the events of every host", isForPeople };
  if (now === undefined || firstMiss === undefined) {
    const reason = "no booking was found, but the service's replies have no date to measure the waiting time by";
    return { reason, isForPeople };
  }
  const waitMs = waitLeft(entry, context.clock.now(), { now, missed: firstMiss });
  if (waitMs > 0) {
    const seconds = Math.ceil(waitMs / 1000);
    return { reason: `no booking was found so far; check again in ${counted(seconds, 'second')}`, seconds };
  }
  const isClear = entry.besides === undefined || entry.shownBefore !== undefined || result.matches.length === 0;
  if (!isClear || result.isSharedSlot)
    return { reason: 'that time is booked, but maybe not by this attempt', isForPeople };
  const since = firstMiss + limitOf(entry);
  return (await isTrustworthy(context.client, await context.owner(), wantedOf(entry), result, since))
    ? undefined
    : {
        reason: 'no booking was found, but the list of events shows nothing newer either, so it may lag behind',
        isForPeople,
      };
};

/** Notes in the ledger that an attempt was accepted. `record` is undefined if the service doesn't show the booking. */
export const settle = ({ ledger }: BookingContext, attempt: StoredEntry, record?: SentInvitee): Promise<void> => {
  const event = record && eventIn(record);
  const uris = { ...(event && { event }), ...(record && { invitee: String(record.uri) }) };
  return ledger.replace({ ...attempt, entry: { ...attempt.entry, state: 'booked', ...uris } });
};

/** Prunes entries of meetings long past by both clocks, the service's and this machine's. Needs the service's time. */
export const prune = async ({ ledger, clock, serviceTime }: BookingContext): Promise<void> => {
  const now = serviceTime();
  if (now !== undefined) await ledger.prune(Math.min(now, clock.now())).catch(() => {});
};

/** The booking that an attempt made. For a requested duplicate, it must be a booking that wasn't there before. */
export const bookedBy = ({ besides, shownBefore }: LedgerEntry, { matches }: LookUp): SentInvitee | undefined =>
  besides === undefined
    ? matches[0]
    : matches.find(({ uri }) => uri !== besides.invitee && shownBefore?.includes(String(uri)) === false);

/** The entry of an attempt that booked nothing. For a duplicate, the original booking stays in the entry. */
export const notBooked = (entry: LedgerEntry): LedgerEntry => {
  const { isUnseen, ...before } = entry.besides ?? {};
  const isBooked = isUnseen === true || before.invitee !== undefined;
  return isBooked ? { ...entry, state: 'booked', ...before } : { ...entry, state: 'refused' };
};

export const lookUpAttempt = async ({ client, owner }: BookingContext, entry: LedgerEntry): Promise<LookUp> =>
  lookUp(client, await owner(), wantedOf(entry));

/** After a 2xx that doesn't show the booking: looks for it once. */
export const findAccepted = async (context: BookingContext, entry: LedgerEntry): Promise<SentInvitee | undefined> => {
  try {
    return bookedBy(entry, await lookUpAttempt(context, entry));
  } catch (error) {
    if (error instanceof SchedError) return undefined;
    throw error;
  }
};

/** Looks an attempt up: its booking, or a doubt. Neither means that nothing was booked. */
export const examine = async (
  context: BookingContext,
  attempt: StoredEntry,
): Promise<{ record?: SentInvitee; doubt?: UnknownOutcome | undefined }> => {
  const result = await lookUpAttempt(context, attempt.entry);
  const record = bookedBy(attempt.entry, result);
  return record === undefined ? { doubt: await unknownOutcomeOf(context, attempt, result) } : { record };
};
