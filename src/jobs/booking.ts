import { invitees } from '../api/invitees.ts';
import type { Written } from '../client/outcome.ts';
import type { Json } from '../client/reading.ts';
import { SchedError } from '../errors.ts';
import { type Entry, isLocal, type StoredEntry, serviceName } from '../state/ledger.ts';
import { idIn } from '../uri.ts';
import {
  type BookingContext,
  bookedBy,
  bookedFrom,
  digestOf,
  ledgerWriteFailed,
  lookUpAttempt,
  notBooked,
  notLookedUp,
  type UnknownOutcome,
  unknown,
  unknownOutcomeOf,
} from './booking-attempt.ts';
import { isOutcomeUnknown } from './outcome-unknown.ts';

export interface BookingOptions {
  /** Looks at the service first, and takes what is there. */
  ifAbsent: boolean;
  /** Books though the same is booked already, or may be. */
  allowDuplicate: boolean;
}

export interface Booked {
  /** The invitee, or nothing where the service has accepted the booking and shows it nowhere. */
  record: Json | undefined;
  how: 'booked' | 'reconciled' | 'existing';
  /** Of a booking whose reply does not show it. */
  unshown?: Written;
}

/** What is to be booked. */
export interface Booking {
  event_type: string;
  start_time: string;
  invitee: { email: string };
  /** Sends the request; `leaving` is to be done each time right before it leaves. */
  send(leaving: () => Promise<void>): Promise<Written>;
}

/** A service may answer with an error before it has finished. */
const secondLookMs = 2000;

/** The service accepted the booking, and nothing has shown it yet. */
const isUnseen = ({ state, invitee }: Entry): boolean => state === 'booked' && invitee === undefined;

/** What stands as far as is known here: what was booked, or what it was to be a duplicate of. */
const known = (entry: Entry): NonNullable<Entry['besides']> => {
  const { state, event, invitee, besides = {} } = entry;
  if (isUnseen(entry)) return { isUnseen: true };
  return state === 'booked' && event !== undefined && invitee !== undefined ? { event, invitee } : besides;
};

/** The invitee of an earlier booking as it is now; `undefined` if the service does not show it. */
const readAgain = async ({ client }: BookingContext, { event, invitee }: Entry): Promise<Json | undefined> => {
  if (event === undefined || invitee === undefined) return undefined;
  try {
    return await client.call(invitees.get, { path: { event: idIn(event), invitee: idIn(invitee) } });
  } catch (error) {
    if (error instanceof SchedError && error.category === 'not-found') return undefined;
    throw error;
  }
};

/** The booking of an earlier attempt, if it stands. */
const standing = async (context: BookingContext, kept: StoredEntry): Promise<Json | undefined> => {
  const record = await readAgain(context, kept.entry);
  if (record !== undefined) return record.status === 'canceled' ? undefined : record;
  const seen = await lookUpAttempt(context, kept.entry);
  if (seen.found.length > 0) return seen.found[0];
  // The sandbox shows at once what it has. IndexedReceipt it may be deleted, hidden from this token, or not shown yet.
  if (seen.isComplete && isLocal(context.origin)) return undefined;
  const doubt = await unknownOutcomeOf(context, kept, seen);
  if (doubt !== undefined)
    throw unknown(context, kept, 'it was booked from here, but the service does not show it', doubt);
  return undefined;
};

/**
 * Whether an attempt may have been at the same service, whatever its address. Local services that name their records under
 * a local address, as the sandbox does, are told apart by their ports.
 */
const mayBeHere = ({ origin }: BookingContext, { entry }: StoredEntry, eventType: string): boolean =>
  serviceName(entry.origin) === origin || ![origin, entry.origin, eventType].every(isLocal);

/** What is booked from here already: handed back where that is wanted, else a reason not to book. */
const taken = (record: Json | undefined, { ifAbsent }: BookingOptions): Booked => {
  if (ifAbsent) return { record, how: 'existing' };
  throw new SchedError('conflict', 'This has been booked from here already', {
    reason: record === undefined ? 'the service accepted the booking, but does not show it' : String(record.uri),
    hint: 'the same with --if-absent takes what is there; with --allow-duplicate it books again',
    outcome: 'not-sent',
  });
};

/** What an earlier attempt of this machine has left: a booking to hand back, a reason not to book, or nothing. */
const fromEarlier = async (
  context: BookingContext,
  kept: StoredEntry,
  options: BookingOptions,
): Promise<Booked | undefined> => {
  const { entry } = kept;
  if (isUnseen(entry)) {
    const seen = await lookUpAttempt(context, entry);
    const record = bookedBy(entry, seen);
    if (record !== undefined) await context.ledger.replace({ ...kept, entry: bookedFrom(entry, record) });
    else if ((await unknownOutcomeOf(context, kept, seen)) === undefined) return undefined;
    return taken(record, options);
  }
  if (entry.state === 'open') {
    const earlier = `process ${entry.pid} asked ${entry.origin} for it before and saw no answer`;
    const seen = await lookUpAttempt(context, entry).catch((error: unknown) => {
      if (!(error instanceof SchedError) || context.interrupted.aborted) throw error;
      // R27: it may be booked, so this is more than a service that cannot be reached.
      throw unknown(context, kept, earlier, notLookedUp(context, kept, error));
    });
    const record = bookedBy(entry, seen) ?? seen.found[0];
    if (record !== undefined) {
      // Under another address it may be another service, where this says nothing.
      if (serviceName(entry.origin) === context.origin)
        await context.ledger.replace({ ...kept, entry: bookedFrom(entry, record) });
      return { record, how: 'reconciled' };
    }
    const doubt = await unknownOutcomeOf(context, kept, seen);
    if (doubt === undefined) return undefined;
    throw unknown(context, kept, earlier, doubt);
  }
  const record = entry.state === 'booked' ? await standing(context, kept) : undefined;
  return record === undefined ? undefined : taken(record, options);
};

/** After a lost answer: finds the booking, looking twice, or leaves the attempt open. */
const findOut = async (context: BookingContext, kept: StoredEntry, failure: SchedError): Promise<Booked> => {
  const { clock, interrupted, ledger } = context;
  let doubt: UnknownOutcome | undefined;
  try {
    for (const pause of [0, secondLookMs]) {
      if (pause > 0) await clock.sleep(pause, interrupted);
      const seen = await lookUpAttempt(context, kept.entry);
      const record = bookedBy(kept.entry, seen);
      if (record === undefined) {
        doubt = await unknownOutcomeOf(context, kept, seen);
        continue;
      }
      // The booking stands, whether or not it can be noted; if not, the next run finds it again.
      await ledger.replace({ ...kept, entry: bookedFrom(kept.entry, record) }).catch(() => {});
      return { record, how: 'reconciled' };
    }
  } catch (error) {
    if (!(error instanceof SchedError)) throw error;
    doubt ??= notLookedUp(context, kept, error);
  }
  throw unknown(context, kept, failure.facts.reason ?? failure.message, doubt ?? notLookedUp(context, kept));
};

/** After a 2xx that does not show the booking: finds it, looking once. */
const findAccepted = async (context: BookingContext, entry: Entry): Promise<Json | undefined> => {
  try {
    return bookedBy(entry, await lookUpAttempt(context, entry));
  } catch (error) {
    if (error instanceof SchedError) return undefined;
    throw error;
  }
};

/** Forgets what began long ago, both by the service's clock and by ours. Without the service's, nothing. */
const prune = async ({ ledger, clock, serviceTime }: BookingContext): Promise<void> => {
  const now = serviceTime();
  if (now !== undefined) await ledger.prune(Math.min(now, clock.now())).catch(() => {});
};

/** Books, and never twice: what was asked for is on disk before the request leaves (R27). */
export const book = async (context: BookingContext, booking: Booking, options: BookingOptions): Promise<Booked> => {
  const { ledger, clock, origin } = context;
  const { event_type, start_time, invitee } = booking;
  const digestAt = (version: Entry['version'], at: string) => digestOf({ version, origin: at }, booking, invitee.email);
  const entry: Entry = {
    version: 2,
    digest: digestAt(2, origin),
    origin,
    event_type,
    start_time,
    state: 'open',
    at: clock.now(),
    timeoutMs: context.timeoutMs,
    pid: context.pid,
  };
  // Where it cannot be told, finding nothing will prove nothing.
  const asking = await context.owner().catch(() => undefined);
  if (asking !== undefined) entry.organization = asking.organization;

  let isUnkept = false;
  /** Without a ledger nothing is booked, unless a duplicate does no harm. */
  const unlessAllowed = (error: unknown): void => {
    if (!(error instanceof SchedError && options.allowDuplicate)) throw error;
    isUnkept = true;
    context.onUnkept(error.facts.reason ?? error.message);
  };
  const digests = [entry.digest, ...[origin, ...context.aliases].map((each) => digestAt(1, each))];
  const found = await ledger.find(digests).catch(unlessAllowed);
  const { last, attempts } = found ?? { last: 0, attempts: [] };
  const before = attempts.find((kept) => serviceName(kept.entry.origin) === origin);
  if (options.allowDuplicate) {
    entry.besides = before === undefined ? {} : known(before.entry);
    const seen = await lookUpAttempt(context, entry).catch(() => undefined);
    if (seen !== undefined) entry.shownBefore = seen.found.map(({ uri }) => String(uri));
  } else {
    for (const kept of attempts.filter((each) => mayBeHere(context, each, event_type))) {
      const earlier = await fromEarlier(context, kept, options);
      if (earlier !== undefined) return earlier;
    }
  }
  if (options.ifAbsent) {
    const [record] = (await lookUpAttempt(context, entry)).found;
    if (record !== undefined) return { record, how: 'existing' };
  }

  let kept: StoredEntry | undefined;
  const beforeSend = async (): Promise<void> => {
    // Each leaving takes a number of its own: while this one waited, or was stopped, another may have asked for the same.
    const next: StoredEntry = { number: (kept?.number ?? last) + 1, entry: { ...entry, at: clock.now() } };
    const isFirst = isUnkept || (await ledger.claim(next).catch(unlessAllowed));
    if (isFirst === false)
      throw unknown(context, next, 'another sched asks for the same at this moment', notLookedUp(context, next));
    kept = isUnkept ? { ...next, number: ledgerWriteFailed } : next;
  };
  let written: Written;
  try {
    written = await booking.send(beforeSend);
  } catch (error) {
    // Assigned in a function, which the compiler does not see.
    const left = kept as StoredEntry | undefined;
    if (left === undefined || !(error instanceof SchedError)) throw error;
    if (isOutcomeUnknown(error)) return findOut(context, left, error);
    // What was unknown before a duplicate was refused still is.
    const isOpen = options.allowDuplicate && before?.entry.state === 'open';
    const { version, digest } = left.entry;
    const entryNow = isOpen ? { ...before.entry, version, digest } : notBooked(left.entry);
    await ledger.replace({ ...left, entry: entryNow }).catch(() => {});
    throw error;
  }
  const made = kept as StoredEntry | undefined;
  const record = written.record ?? (made && (await findAccepted(context, made.entry)));
  // It is booked: a full disk must not make it look otherwise. An attempt left open is looked up by the next run.
  if (made !== undefined) await ledger.replace({ ...made, entry: bookedFrom(made.entry, record) }).catch(() => {});
  await prune(context);
  return { record, how: 'booked', ...(written.record === undefined ? { unshown: written } : {}) };
};
