import { SchedError } from '../../base/errors.ts';
import { isObject, jsonIn } from '../../base/json.ts';
import { day } from '../../base/milliseconds.ts';
import { isTime } from '../../base/numbers.ts';
import {
  byAge,
  entryStart,
  type FoundAttempts,
  isOpenAt,
  keptForMs,
  type Ledger,
  lastByService,
  type StoredEntry,
} from '../ledger.ts';
import { type CommonEntry, damagedEntry, type LedgerKind, ledgerTrouble } from '../ledger-entry.ts';
import { serviceName } from '../service-name.ts';
import type { RedisOptions } from './budgets.ts';
import { changeRecord, prefix, readRecord } from './record.ts';
import { nonsense } from './redis-client.ts';
import type { ServerClock } from './server-clock.ts';

/*
 * A ledger in Redis, for all machines that use it. That of moves has the keys sched:1:{moves}:…
 *
 *   sched:1:{bookings}:DIGEST   the attempts of a booking, and when each was first missed, as JSON
 *   sched:1:{bookings}:starts   the digests by the start of their meeting
 *   sched:1:{bookings}:open     those with an attempt whose outcome is unknown
 *
 * A booking expires 30 days after its meeting by the server's clock, so an open one is never forgotten before a look-up
 * could still matter. `at` is stored by the server's clock, too.
 */

export const ledgerKey = ({ name }: { name: string }, key: string): string => `${prefix}{${name}}:${key}`;

/** By the number of the attempt. */
interface StoredAttempts<Entry> {
  attempts: Record<string, Entry>;
  missed: Record<string, number>;
}

/** Older bookings are removed from the indexes. A day more, because an index has no exact end. */
const indexedForMs = keptForMs + day;

const areAttempts = <Entry extends CommonEntry>(
  value: unknown,
  kind: LedgerKind<Entry>,
): value is StoredAttempts<Entry> => {
  const { attempts, missed } = (value ?? {}) as Partial<StoredAttempts<Entry>>;
  return (
    isObject(attempts) &&
    isObject(missed) &&
    Object.keys(attempts).every((number) => /^\d{1,9}$/.test(number)) &&
    Object.values(attempts).every(kind.isEntry) &&
    Object.values(missed).every(isTime)
  );
};

const readAttempts = <Entry extends CommonEntry>(
  text: string | undefined,
  kind: LedgerKind<Entry>,
  digest: string,
): StoredAttempts<Entry> => {
  if (text === undefined) return { attempts: {}, missed: {} };
  const content = jsonIn(text);
  if (areAttempts(content, kind)) return content;
  throw damagedEntry(kind, `the key ${ledgerKey(kind, digest)} in Redis`, 'key');
};

/** All attempts, with the time by this machine's clock. */
const storedIn = <Entry extends CommonEntry>(
  { attempts }: StoredAttempts<Entry>,
  { ahead }: ServerClock,
): StoredEntry<Entry>[] =>
  Object.entries(attempts).map(([number, entry]) => ({
    number: Number(number),
    entry: { ...entry, at: entry.at - ahead() },
  }));

export const redisLedger = <Entry extends CommonEntry>(
  { connection, clock, host }: RedisOptions,
  kind: LedgerKind<Entry>,
): Ledger<Entry> => {
  const safely = <Value>(work: () => Promise<Value>): Promise<Value> =>
    work().catch((error: unknown) => {
      if (error instanceof SchedError) throw error;
      throw ledgerTrouble(kind, (error as Error).message, [
        'make sure that Redis can be used (',
        { command: ['doctor'] },
        ')',
      ]);
    });

  /** Changes the attempts of a booking. `alter` returns undefined if there is nothing to write. */
  const change = <Value>(
    { entry }: StoredEntry<Entry>,
    alter: (record: StoredAttempts<Entry>, entry: Entry) => { value: Value; isSame?: boolean },
  ): Promise<Value> =>
    safely(async () => {
      const start = entryStart(entry);
      return changeRecord(connection, clock, ledgerKey(kind, entry.digest), ({ text, now }) => {
        const record = readAttempts(text, kind, entry.digest);
        const { value, isSame = false } = alter(record, { host, ...entry, at: entry.at + clock.ahead() });
        const isOpen = lastByService(storedIn(record, clock)).some(({ entry: last }) => last.state === 'open');
        return {
          text: isSame ? undefined : JSON.stringify(record),
          keptForMs: Math.max(0, start * 1000 - now) + keptForMs,
          indexes: {
            member: entry.digest,
            lowest: Math.floor((now - indexedForMs) / 1000),
            scores: { [ledgerKey(kind, 'starts')]: start, [ledgerKey(kind, 'open')]: isOpen ? start : undefined },
          },
          value,
        };
      });
    });

  /** The last attempt for each address of the service. */
  const lastOf = async (digest: string): Promise<FoundAttempts<Entry>> => {
    const { text } = await readRecord(connection, clock, ledgerKey(kind, digest));
    const all = storedIn(readAttempts(text, kind, digest), clock);
    return { last: Math.max(0, ...all.map(({ number }) => number)), attempts: lastByService(all) };
  };

  /** The last attempts of the bookings in an index, from `since` on and before `until`, in seconds. */
  const inIndex = (index: 'starts' | 'open', since: string, until: string): Promise<StoredEntry<Entry>[]> =>
    safely(async () => {
      const digests = await connection.command('ZRANGEBYSCORE', ledgerKey(kind, index), since, until);
      if (!Array.isArray(digests)) throw nonsense(connection);
      const groups = await Promise.all(digests.map((digest) => lastOf(String(digest))));
      return groups.flatMap(({ attempts }) => attempts).sort(byAge);
    });

  return {
    reach: 'this machine or another with the same shared state',
    // Older versions didn't store bookings in Redis, so there are no older digests.
    find: ([digest]) => safely(() => lastOf(digest!)),
    claim: (attempt) =>
      change(attempt, ({ attempts }, entry) => {
        if (attempts[attempt.number] !== undefined) return { value: false, isSame: true };
        attempts[attempt.number] = entry;
        return { value: true };
      }),
    replace: (attempt) =>
      change(attempt, ({ attempts }, entry) => {
        attempts[attempt.number] = entry;
        return { value: undefined };
      }),
    miss: (attempt, serviceTime) =>
      change(attempt, ({ missed }) => {
        const firstMiss = missed[attempt.number];
        // If the service's clock was set back, the time is measured again from now.
        if (firstMiss !== undefined && firstMiss <= serviceTime) return { value: firstMiss, isSame: true };
        missed[attempt.number] = serviceTime;
        return { value: serviceTime };
      }),
    open: async (origin) => (await inIndex('open', '-inf', '+inf')).filter(isOpenAt(origin)),
    between: (since, until) => inIndex('starts', String(Math.ceil(since / 1000)), `(${Math.ceil(until / 1000)}`),
    // Redis does this.
    prune: async () => {},
  };
};

const markAsFiles = <Entry extends CommonEntry>(entries: StoredEntry<Entry>[]): StoredEntry<Entry>[] =>
  entries.map((attempt) => ({ ...attempt, isInFiles: true }));

/**
 * A ledger that several machines share, and the one that this machine used before in files. New attempts are shared. An
 * attempt in the files stays there, but still counts: its booking must not be made again (R27).
 */
export const withEarlierFiles = <Entry extends CommonEntry>(
  sharedLedger: Ledger<Entry>,
  files: Ledger<Entry>,
): Ledger<Entry> => {
  const homeOf = ({ isInFiles }: StoredEntry<Entry>): Ledger<Entry> => (isInFiles ? files : sharedLedger);
  const both = async (find: (ledger: Ledger<Entry>) => Promise<StoredEntry<Entry>[]>): Promise<StoredEntry<Entry>[]> =>
    [...(await find(sharedLedger)), ...markAsFiles(await find(files))].sort(byAge);
  return {
    ...sharedLedger,
    find: async (digests) => {
      const { last, attempts } = await sharedLedger.find(digests);
      const services = new Set(attempts.map(({ entry }) => serviceName(entry.origin)));
      // A shared attempt is newer. It doesn't settle an open one.
      const earlier = (await files.find(digests)).attempts.filter(
        ({ entry }) => entry.state === 'open' || !services.has(serviceName(entry.origin)),
      );
      return { last, attempts: [...attempts, ...markAsFiles(earlier)] };
    },
    replace: (attempt) => homeOf(attempt).replace(attempt),
    miss: (attempt, serviceTime) => homeOf(attempt).miss(attempt, serviceTime),
    open: (origin) => both((ledger) => ledger.open(origin)),
    between: (since, until) => both((ledger) => ledger.between(since, until)),
  };
};
