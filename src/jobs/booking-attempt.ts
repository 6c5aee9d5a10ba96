import { createHash } from 'node:crypto';
import type { Client } from '../client/client.ts';
import type { Json } from '../client/reading.ts';
import { SchedError } from '../errors.ts';
import { type Entry, type Ledger, type StoredEntry, serviceName } from '../state/ledger.ts';
import { idIn } from '../uri.ts';
import { idKey, isTrustworthy, type LookUp, lookUp, type Owner, secondOf, type Wanted } from './look-up.ts';

/** What is needed to book, and to find out whether it was. */
export interface BookingContext {
  client: Client;
  ledger: Ledger;
  clock: { now(): number; sleep(milliseconds: number, signal?: AbortSignal): Promise<void> };
  interrupted: AbortSignal;
  /** The address of the service, as `serviceAt` writes it. */
  origin: string;
  /** Other spellings of it that older versions of this program wrote down. */
  aliases: readonly string[];
  /** The time that the service's last reply gave, if it gave one. */
  serviceTime(): number | undefined;
  owner(): Promise<Owner>;
  timeoutMs: number;
  pid: number;
  /** The command that looks again later. */
  checkAgain: string;
  /** Told when a booking is sent although the ledger cannot be kept. */
  onUnkept(reason: string): void;
}

/** R27: when so long has passed since its time limit, a request that shows nowhere was not carried out. */
const settlingMs = 120_000;
/** The number of an attempt that the ledger does not hold. */
export const ledgerWriteFailed = 0;

export const digestOf = (
  { version, origin }: Pick<Entry, 'version' | 'origin'>,
  { event_type, start_time }: Pick<Entry, 'event_type' | 'start_time'>,
  email: string,
): string => {
  const address = email.trim().toLowerCase();
  const key =
    version === 1
      ? [1, origin, idIn(event_type), new Date(start_time).toISOString(), address]
      : // Without the origin: one service may be reached under several.
        [2, idKey(event_type), secondOf(start_time), address];
  return createHash('sha256').update(JSON.stringify(key)).digest('hex');
};

/** How long after it left a request may still be carried out. */
const limitOf = ({ timeoutMs }: Entry): number => timeoutMs + settlingMs;

const wantedOf = (entry: Entry): Wanted => ({
  event_type: entry.event_type,
  start_time: entry.start_time,
  organization: entry.organization,
  isMeant: (other) => digestOf(entry, entry, other) === entry.digest,
});

/** Why it is not known whether something was booked. */
export interface UnknownOutcome {
  reason: string;
  /** After how long looking again may settle it. */
  seconds?: number;
}

/** What to do about an attempt in doubt. Those at another address are listed only there. */
const nextStep = ({ checkAgain, origin }: BookingContext, { number, entry }: StoredEntry): string => {
  if (number === ledgerWriteFailed) return 'the same command again with --if-absent';
  const there = serviceName(entry.origin);
  return there === origin ? checkAgain : `the same command again later, or ask ${there}: sched invitees reconcile`;
};

export const unknown = (
  context: BookingContext,
  kept: StoredEntry,
  reason: string,
  doubt: UnknownOutcome,
): SchedError =>
  new SchedError('outcome-unknown', 'It is not known whether this was booked', {
    reason: `${reason}; ${doubt.reason}`,
    hint: nextStep(context, kept),
    outcome: 'unknown',
    ...(doubt.seconds === undefined ? {} : { retryAfterSeconds: doubt.seconds }),
  });

/** Where a look-up fails, only the time is known after which another one is worth it. */
export const notLookedUp = (
  { clock }: BookingContext,
  { entry }: StoredEntry,
  failure?: SchedError,
): UnknownOutcome => {
  const seconds = Math.ceil((entry.at + limitOf(entry) - clock.now()) / 1000);
  const why = failure === undefined ? '' : `: ${failure.message}`;
  return { reason: `it could not be looked up${why}`, ...(seconds > 0 ? { seconds } : {}) };
};

/**
 * Why finding nothing does not prove yet that nothing was booked; `undefined` where it does (R27). The time is measured by
 * the service's clock, from the first look-up that found nothing: a wrong clock of this machine cannot shorten it. By our
 * clock so much has to have passed too, unless ours was set back.
 */
export const unknownOutcomeOf = async (
  context: BookingContext,
  kept: StoredEntry,
  seen: LookUp,
): Promise<UnknownOutcome | undefined> => {
  const { entry } = kept;
  const now = context.serviceTime();
  const missed = now === undefined ? undefined : await context.ledger.miss(kept, now).catch(() => undefined);
  if (!seen.isComplete) return { reason: 'nothing is found, but this token does not show the events of every host' };
  if (now === undefined || missed === undefined)
    return { reason: 'nothing is found, but how long ago it was sent is not known: the service tells no time' };
  const ours = context.clock.now() - entry.at;
  const left = Math.max(limitOf(entry) - (now - missed), ours < 0 ? 0 : limitOf(entry) - ours);
  if (left > 0) {
    const seconds = Math.ceil(left / 1000);
    return { reason: `nothing is found so far, check again in ${seconds} seconds`, seconds };
  }
  const isClear = entry.besides === undefined || entry.shownBefore !== undefined || seen.found.length === 0;
  if (!isClear || seen.isSharedSlot)
    return {
      reason: 'that time is booked, but whether by this attempt cannot be told; --allow-duplicate books anyway',
    };
  const since = missed + limitOf(entry);
  return (await isTrustworthy(context.client, await context.owner(), wantedOf(entry), seen, since))
    ? undefined
    : {
        reason:
          'nothing is found, but the list of events shows nothing newer either, so it may lag behind; --allow-duplicate books anyway',
      };
};

/** An attempt that was accepted; `record` is missing where nothing shows the booking. */
export const bookedFrom = (entry: Entry, record: Json | undefined): Entry => ({
  ...entry,
  state: 'booked',
  ...(record === undefined ? {} : { event: String(record.event), invitee: String(record.uri) }),
});

/** The booking that an attempt made. Where a duplicate was asked for, it is one that was not there before. */
export const bookedBy = ({ besides, shownBefore }: Entry, { found }: LookUp): Json | undefined =>
  besides === undefined
    ? found[0]
    : found.find(({ uri }) => uri !== besides.invitee && shownBefore?.includes(String(uri)) === false);

/** An attempt that made nothing. A duplicate leaves what it was to be a duplicate of. */
export const notBooked = (entry: Entry): Entry => {
  const { isUnseen, ...before } = entry.besides ?? {};
  const isBooked = isUnseen === true || before.invitee !== undefined;
  return isBooked ? { ...entry, state: 'booked', ...before } : { ...entry, state: 'refused' };
};

export const lookUpAttempt = async ({ client, owner }: BookingContext, entry: Entry): Promise<LookUp> =>
  lookUp(client, await owner(), wantedOf(entry));
