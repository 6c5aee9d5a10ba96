import { SchedError } from '../../errors.ts';
import { isTime } from '../../numbers.ts';
import {
  byAge,
  damagedEntry,
  type FoundAttempts,
  isEntry,
  isOpenAt,
  keptForMs,
  type Ledger,
  type LedgerEntry,
  lastByService,
  ledgerTrouble,
  type StoredEntry,
  serviceName,
  startOf,
} from '../ledger.ts';
import type { RedisOptions } from './budgets.ts';
import { changeRecord, prefix, readRecord } from './record.ts';
import { nonsense } from './redis-client.ts';

/*
 * The booking ledger in Redis, for all machines that use it.
 *
 *   sched:1:{bookings}:DIGEST   the attempts of a booking, and when each was first missed, as JSON
 *   sched:1:{bookings}:starts   the digests by the start of their meeting
 *   sched:1:{bookings}:open     those with an attempt whose outcome is unknown
 *
 * A booking expires 30 days after its meeting by the server's clock, so an open one is never forgotten before a look-up
 * could still matter. `at` is stored by the server's clock, too.
 */

export const ledgerKey = (name: string): string => `${prefix}{bookings}:${name}`;

/** By the number of the attempt. */
interface BookingRecord {
  attempts: Record<string, LedgerEntry>;
  missed: Record<string, number>;
}

/** Older bookings are removed from the indexes. A day more, because an index has no exact end. */
const indexedForMs = keptForMs + 86_400_000;

const troubleOf = (error: unknown): SchedError =>
  error instanceof SchedError
    ? error
    : ledgerTrouble((error as Error).message, 'make sure that Redis can be used (sched doctor)');

const isBooking = (value: unknown): value is BookingRecord => {
  const { attempts, missed } = (value ?? {}) as Partial<BookingRecord>;
  return (
    typeof attempts === 'object' &&
    attempts !== null &&
    typeof missed === 'object' &&
    missed !== null &&
    Object.keys(attempts).every((number) => /^\d{1,9}$/.test(number)) &&
    Object.values(attempts).every(isEntry) &&
    Object.values(missed).every(isTime)
  );
};

const readBooking = (text: string | undefined, digest: string): BookingRecord => {
  if (text === undefined) return { attempts: {}, missed: {} };
  try {
    const booking: unknown = JSON.parse(text);
    if (isBooking(booking)) return booking;
  } catch {
    // Reported below.
  }
  throw damagedEntry(`the key ${ledgerKey(digest)} in Redis`, 'key');
};

export const redisLedger = ({ connection, clock, host }: RedisOptions): Ledger => {
  const safely = <Value>(work: () => Promise<Value>): Promise<Value> =>
    work().catch((error: unknown) => {
      throw troubleOf(error);
    });

  /** Changes the attempts of a booking. `alter` returns undefined if there is nothing to write. */
  const change = <Value>(
    { entry }: StoredEntry,
    alter: (booking: BookingRecord, stored: LedgerEntry) => { value: Value; isSame?: boolean },
  ): Promise<Value> =>
    safely(async () => {
      const start = startOf(entry);
      return changeRecord(connection, clock, ledgerKey(entry.digest), ({ text, now }) => {
        const booking = readBooking(text, entry.digest);
        const { value, isSame = false } = alter(booking, { host, ...entry, at: clock.toServer(entry.at) });
        const isOpen = Object.values(booking.attempts).some(({ state }) => state === 'open');
        return {
          text: isSame ? undefined : JSON.stringify(booking),
          keptForMs: Math.max(0, start * 1000 - now) + keptForMs,
          indexes: {
            member: entry.digest,
            lowest: Math.floor((now - indexedForMs) / 1000),
            scores: { [ledgerKey('starts')]: start, [ledgerKey('open')]: isOpen ? start : undefined },
          },
          value,
        };
      });
    });

  /** The last attempt for each address of the service. */
  const lastOf = async (digest: string): Promise<FoundAttempts> => {
    const { text } = await readRecord(connection, clock, ledgerKey(digest));
    const all = Object.entries(readBooking(text, digest).attempts).map(([number, entry]) => ({
      number: Number(number),
      entry: { ...entry, at: clock.toLocal(entry.at) },
    }));
    return { last: Math.max(0, ...all.map(({ number }) => number)), attempts: lastByService(all) };
  };

  /** The last attempts of the bookings in an index, from `since` on and before `until`, in seconds. */
  const inIndex = (index: 'starts' | 'open', since: string, until: string): Promise<StoredEntry[]> =>
    safely(async () => {
      const digests = await connection.command('ZRANGEBYSCORE', ledgerKey(index), since, until);
      if (!Array.isArray(digests)) throw nonsense(connection);
      const found = await Promise.all(digests.map((digest) => lastOf(String(digest))));
      return found.flatMap(({ attempts }) => attempts).sort(byAge);
    });

  return {
    reach: 'this machine or another with the same shared state',
    // Older versions didn't store bookings in Redis, so there are no older digests.
    find: ([digest]) => safely(() => lastOf(digest!)),
    claim: (kept) =>
      change(kept, ({ attempts }, stored) => {
        if (attempts[kept.number] !== undefined) return { value: false, isSame: true };
        attempts[kept.number] = stored;
        return { value: true };
      }),
    replace: (kept) =>
      change(kept, ({ attempts }, stored) => {
        attempts[kept.number] = stored;
        return { value: undefined };
      }),
    miss: (kept, serviceTime) =>
      change(kept, ({ missed }) => {
        const noted = missed[kept.number];
        // If the service's clock was set back, the time is measured again from now.
        if (noted !== undefined && noted <= serviceTime) return { value: noted, isSame: true };
        missed[kept.number] = serviceTime;
        return { value: serviceTime };
      }),
    open: async (origin) => (await inIndex('open', '-inf', '+inf')).filter(isOpenAt(origin)),
    between: (since, until) => inIndex('starts', String(Math.ceil(since / 1000)), `(${Math.ceil(until / 1000)}`),
    // Redis does this.
    prune: async () => {},
  };
};

const marked = (entries: StoredEntry[]): StoredEntry[] => entries.map((kept) => ({ ...kept, isInFiles: true }));

/**
 * A ledger that several machines share, and the one that this machine used before in files. New attempts are shared. An
 * attempt in the files stays there, but still counts: its booking must not be made again (R27).
 */
export const withEarlierFiles = (shared: Ledger, files: Ledger): Ledger => {
  const homeOf = ({ isInFiles }: StoredEntry): Ledger => (isInFiles ? files : shared);
  const both = async (find: (ledger: Ledger) => Promise<StoredEntry[]>): Promise<StoredEntry[]> =>
    [...(await find(shared)), ...marked(await find(files))].sort(byAge);
  return {
    ...shared,
    find: async (digests) => {
      const { last, attempts } = await shared.find(digests);
      const services = new Set(attempts.map(({ entry }) => serviceName(entry.origin)));
      // A shared attempt is newer. It doesn't settle an open one.
      const earlier = (await files.find(digests)).attempts.filter(
        ({ entry }) => entry.state === 'open' || !services.has(serviceName(entry.origin)),
      );
      return { last, attempts: [...attempts, ...marked(earlier)] };
    },
    replace: (kept) => homeOf(kept).replace(kept),
    miss: (kept, serviceTime) => homeOf(kept).miss(kept, serviceTime),
    open: (origin) => both((ledger) => ledger.open(origin)),
    between: (since, until) => both((ledger) => ledger.between(since, until)),
  };
};
