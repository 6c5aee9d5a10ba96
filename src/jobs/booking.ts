import { createHash } from 'node:crypto';
import { invitees } from '../api/invitees.ts';
import type { Client } from '../client/client.ts';
import type { Written } from '../client/outcome.ts';
import type { Json } from '../client/reading.ts';
import { SchedError } from '../errors.ts';
import type { Entry, Kept, Ledger } from '../state/ledger.ts';
import { idIn, type LookUp, lookUp, type Owner, type Wanted } from './look-up.ts';
import { isUndecided } from './undecided.ts';

/** What is needed to book, and to find out whether it was. */
export interface Desk {
  client: Client;
  ledger: Ledger;
  clock: { now(): number; sleep(milliseconds: number, signal?: AbortSignal): Promise<void> };
  interrupted: AbortSignal;
  /** The service, by a name that stays the same. */
  origin: string;
  owner(): Promise<Owner>;
  timeoutMs: number;
  pid: number;
  /** The command that looks again later. */
  checkAgain: string;
}

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

/** R27: when so long has passed since its time limit, a request that shows nowhere was not carried out. */
const settlingMs = 120_000;
/** A service may answer with an error before it has finished. */
const secondLookMs = 2000;
/** Clocks differ; an older booking than this is not the one that was just asked for. */
const skewMs = 5 * 60_000;

const digestOf = (origin: string, eventType: string, startTime: string, email: string): string =>
  createHash('sha256')
    .update(JSON.stringify([1, origin, idIn(eventType), new Date(startTime).toISOString(), email.trim().toLowerCase()]))
    .digest('hex');

const decidedAt = ({ at, timeoutMs }: Entry): number => at + timeoutMs + settlingMs;

const wantedOf = ({ origin, event_type, start_time, digest, organization }: Entry): Wanted => ({
  event_type,
  start_time,
  organization,
  isMeant: (other) => digestOf(origin, event_type, start_time, other) === digest,
});

const unknown = ({ clock, ledger, checkAgain }: Desk, entry: Entry, reason: string, look?: LookUp): SchedError => {
  const seconds = Math.max(0, Math.ceil((decidedAt(entry) - clock.now()) / 1000));
  const proof =
    look === undefined
      ? 'it could not be looked up'
      : look.isComplete
        ? `nothing is found so far, which proves something only in ${seconds} s`
        : 'nothing is found, but this token does not show the events of every host';
  return new SchedError('outcome-unknown', 'It is not known whether this was booked', {
    reason: `${reason}; ${proof}`,
    hint: ledger.isKept ? checkAgain : 'the same command again with --if-absent',
    outcome: 'unknown',
    ...(seconds > 0 ? { retryAfterSeconds: seconds } : {}),
  });
};

const madeOf = (entry: Entry, record: Json | undefined): Entry => ({
  ...entry,
  state: 'booked',
  ...(record === undefined ? {} : { event: String(record.event), invitee: String(record.uri) }),
});

/** The service accepted the booking, and nothing has shown it yet. */
const isUnseen = ({ state, invitee }: Entry): boolean => state === 'booked' && invitee === undefined;

/** The booking that an attempt made; where a duplicate was asked for, not the other one, nor one from long before. */
const madeBy = (entry: Entry, { found }: LookUp, other?: Entry['besides']): Json | undefined => {
  const isRecent = ({ created_at, uri }: Json) =>
    !(Date.parse(String(created_at)) < entry.at - skewMs) && (other?.invitee === undefined || uri !== other.invitee);
  return found.find(isRecent) ?? (other === undefined ? found[0] : undefined);
};

/** What stands as far as is known here: what was booked, or what it was to be a duplicate of. */
const known = ({ state, event, invitee, besides = {} }: Entry): NonNullable<Entry['besides']> =>
  state === 'booked' && event !== undefined && invitee !== undefined ? { event, invitee } : besides;

/** An attempt that made nothing. A duplicate leaves what it was to be a duplicate of. */
const nothingMade = (entry: Entry): Entry =>
  entry.besides?.invitee === undefined
    ? { ...entry, state: 'refused' }
    : { ...entry, state: 'booked', ...entry.besides };

/** The invitee of an earlier booking, if it still stands. */
const standing = async ({ client }: Desk, { event, invitee }: Entry): Promise<Json | undefined> => {
  if (event === undefined || invitee === undefined) return undefined;
  try {
    const record = await client.call(invitees.get, { path: { event: idIn(event), invitee: idIn(invitee) } });
    return record.status === 'canceled' ? undefined : record;
  } catch (error) {
    if (error instanceof SchedError && error.category === 'not-found') return undefined;
    throw error;
  }
};

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
  desk: Desk,
  kept: Kept,
  look: () => Promise<LookUp>,
  options: BookingOptions,
): Promise<Booked | undefined> => {
  const { entry } = kept;
  if (entry.state === 'open' || isUnseen(entry)) {
    const seen = await look();
    const record = madeBy(entry, seen);
    const isOver = seen.isComplete && desk.clock.now() >= decidedAt(entry);
    if (record !== undefined) await desk.ledger.replace({ ...kept, entry: madeOf(entry, record) });
    if (isUnseen(entry)) return record === undefined && isOver ? undefined : taken(record, options);
    if (record !== undefined) return { record, how: 'reconciled' };
    if (!isOver) throw unknown(desk, entry, `process ${entry.pid} asked for it before and saw no answer`, seen);
    return undefined;
  }
  const record = entry.state === 'booked' ? await standing(desk, entry) : undefined;
  return record === undefined ? undefined : taken(record, options);
};

/** After a lost answer: finds the booking, looking twice, or leaves the attempt open. */
const findOut = async (desk: Desk, kept: Kept, failure: SchedError): Promise<Booked> => {
  const { client, clock, interrupted, ledger } = desk;
  let seen: LookUp | undefined;
  try {
    for (const pause of [0, secondLookMs]) {
      if (pause > 0) await clock.sleep(pause, interrupted);
      seen = await lookUp(client, await desk.owner(), wantedOf(kept.entry));
      const record = madeBy(kept.entry, seen, kept.entry.besides);
      if (record === undefined) continue;
      // The booking stands, whether or not it can be noted; if not, the next run finds it again.
      await ledger.replace({ ...kept, entry: madeOf(kept.entry, record) }).catch(() => {});
      return { record, how: 'reconciled' };
    }
  } catch (error) {
    if (!(error instanceof SchedError)) throw error;
  }
  throw unknown(desk, kept.entry, failure.facts.reason ?? failure.message, seen);
};

/** After a 2xx that does not show the booking: finds it, looking once. */
const findAccepted = async (desk: Desk, entry: Entry): Promise<Json | undefined> => {
  try {
    return madeBy(entry, await lookUp(desk.client, await desk.owner(), wantedOf(entry)), entry.besides);
  } catch (error) {
    if (error instanceof SchedError) return undefined;
    throw error;
  }
};

/** Books, and never twice: what was asked for is on disk before the request leaves (R27). */
export const book = async (desk: Desk, booking: Booking, options: BookingOptions): Promise<Booked> => {
  const { client, ledger, clock } = desk;
  const { event_type, start_time, invitee } = booking;
  const entry: Entry = {
    version: 1,
    digest: digestOf(desk.origin, event_type, start_time, invitee.email),
    origin: desk.origin,
    event_type,
    start_time,
    state: 'open',
    at: clock.now(),
    timeoutMs: desk.timeoutMs,
    pid: desk.pid,
  };
  // Where it cannot be told, finding nothing will prove nothing.
  const asking = await desk.owner().catch(() => undefined);
  if (asking !== undefined) entry.organization = asking.organization;
  const before = await ledger.find(entry);
  if (options.allowDuplicate) entry.besides = before === undefined ? {} : known(before.entry);
  let seen: Promise<LookUp> | undefined;
  const look = () => {
    seen ??= desk.owner().then((owner) => lookUp(client, owner, wantedOf(before?.entry ?? entry)));
    return seen;
  };
  if (before !== undefined && !options.allowDuplicate) {
    const earlier = await fromEarlier(desk, before, look, options);
    if (earlier !== undefined) return earlier;
  }
  if (options.ifAbsent) {
    const [record] = (await look()).found;
    if (record !== undefined) return { record, how: 'existing' };
  }

  let kept: Kept | undefined;
  const beforeLeaving = async (): Promise<void> => {
    // Each leaving takes a number of its own: while this one waited, or was stopped, another may have asked for the same.
    const next: Kept = { number: ((kept ?? before)?.number ?? 0) + 1, entry: { ...entry, at: clock.now() } };
    if (!(await ledger.claim(next))) throw unknown(desk, next.entry, 'another sched asks for the same at this moment');
    kept = next;
  };
  let written: Written;
  try {
    written = await booking.send(beforeLeaving);
  } catch (error) {
    // Assigned in a function, which the compiler does not see.
    const left = kept as Kept | undefined;
    if (left === undefined || !(error instanceof SchedError)) throw error;
    if (isUndecided(error)) return findOut(desk, left, error);
    // What was unknown before a duplicate was refused still is.
    const isOpen = before !== undefined && (before.entry.state === 'open' || isUnseen(before.entry));
    const entryNow = options.allowDuplicate && isOpen ? before.entry : nothingMade(left.entry);
    await ledger.replace({ ...left, entry: entryNow }).catch(() => {});
    throw error;
  }
  const made = kept as Kept | undefined;
  const record = written.record ?? (made && (await findAccepted(desk, made.entry)));
  // It is booked: a full disk must not make it look otherwise. An attempt left open is looked up by the next run.
  if (made !== undefined) await ledger.replace({ ...made, entry: madeOf(made.entry, record) }).catch(() => {});
  return { record, how: 'booked', ...(written.record === undefined ? { unshown: written } : {}) };
};

/** One attempt whose outcome was open, and what is known of it now. */
export interface Settled {
  event_type: string;
  start_time: string;
  sent_at: string;
  verdict: 'booked' | 'not-booked' | 'unknown';
  /** From when on finding nothing proves something. */
  decidable_at: string;
  uri?: string;
  event?: string;
}

/** Looks up every booking of this machine whose outcome is open, and closes those that are clear. */
export async function* reconcile(desk: Desk): AsyncGenerator<Settled> {
  for (const kept of await desk.ledger.open(desk.origin)) {
    const { entry } = kept;
    const seen = await lookUp(desk.client, await desk.owner(), wantedOf(entry));
    const record = madeBy(entry, seen, entry.besides);
    const isOver = desk.clock.now() >= decidedAt(entry);
    const verdict = record !== undefined ? 'booked' : seen.isComplete && isOver ? 'not-booked' : 'unknown';
    if (record !== undefined) await desk.ledger.replace({ ...kept, entry: madeOf(entry, record) });
    else if (verdict === 'not-booked') await desk.ledger.replace({ ...kept, entry: nothingMade(entry) });
    yield {
      event_type: entry.event_type,
      start_time: entry.start_time,
      sent_at: new Date(entry.at).toISOString(),
      verdict,
      decidable_at: new Date(decidedAt(entry)).toISOString(),
      ...(record === undefined ? {} : { uri: String(record.uri), event: String(record.event) }),
    };
  }
}
