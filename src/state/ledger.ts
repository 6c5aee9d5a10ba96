import { join } from 'node:path';
import { codeOf, SchedError } from '../base/errors.ts';
import { jsonIn } from '../base/json.ts';
import { day } from '../base/milliseconds.ts';
import { isTime } from '../base/numbers.ts';
import { readdir, unlink } from '../node/files.ts';
import { ensureLastingDirectory } from './directories.ts';
import { type FileWorld, readPrivateFile, writePrivateFile } from './files.ts';
import { type CommonEntry, damagedEntry, type LedgerEntry, type LedgerKind, ledgerTrouble } from './ledger-entry.ts';
import { serviceName } from './service-name.ts';
import { writeWholeFile } from './whole-file.ts';

/*
 * What was sent from this machine, and its outcome: a ledger of bookings, and one of moves. One file per booking and
 * attempt, or per move and step:
 *
 *   START-DIGEST.NUMBER.json
 *
 * The start is in base 36, so that pruning reads only old files. A file gets its name only once, when it is complete:
 * if two processes want the same booking at the same time, one of them gets it. The last number for each address of the
 * service counts.
 *
 * START-DIGEST.NUMBER.missed has the service's time of the first look-up that did not find an open attempt. It is a
 * separate file, so that writing it can't overwrite the verdict of the process that sent the request.
 *
 * Reading never removes entries, because this machine's clock may be wrong.
 */

export interface StoredEntry<Entry extends CommonEntry = LedgerEntry> {
  number: number;
  entry: Entry;
  /** Written by this machine before it shared its ledger. */
  isInFiles?: boolean;
}

export interface FoundAttempts<Entry extends CommonEntry = LedgerEntry> {
  /** The highest number of the first digest, or 0. */
  last: number;
  /** The last attempt for each address of the service. */
  attempts: StoredEntry<Entry>[];
}

export interface Ledger<Entry extends CommonEntry = LedgerEntry> {
  /** Whose bookings it holds: "this machine". */
  readonly reach: string;
  /** Finds earlier attempts. The first digest is the current one, the others are those of older versions. */
  find(digests: readonly string[]): Promise<FoundAttempts<Entry>>;
  /** Writes the next attempt to disk. Returns false if another process was faster. */
  claim(attempt: StoredEntry<Entry>): Promise<boolean>;
  /** Replaces an attempt. */
  replace(attempt: StoredEntry<Entry>): Promise<void>;
  /** Notes that a look-up did not find this attempt. Returns the service's time of the first such look-up. */
  miss(attempt: StoredEntry<Entry>, serviceTime: number): Promise<number>;
  /** All attempts at that address whose outcome is unknown. */
  open(origin: string): Promise<StoredEntry<Entry>[]>;
  /** The last attempt of each booking whose meeting starts from `since` on and before `until`. */
  between(since: number, until: number): Promise<StoredEntry<Entry>[]>;
  /** Removes entries of meetings that started over 30 days before `now`. Open ones stay: time alone settles nothing. */
  prune(now: number): Promise<void>;
}

/** The last attempt for each address of the service. */
export const lastByService = <Entry extends CommonEntry>(
  attempts: readonly StoredEntry<Entry>[],
): StoredEntry<Entry>[] => [
  ...new Map(
    attempts.toSorted((a, b) => a.number - b.number).map((attempt) => [serviceName(attempt.entry.origin), attempt]),
  ).values(),
];

export const isOpenAt =
  (origin: string) =>
  ({ entry }: StoredEntry<CommonEntry>): boolean =>
    entry.state === 'open' && serviceName(entry.origin) === serviceName(origin);

export const byAge = (a: StoredEntry<CommonEntry>, b: StoredEntry<CommonEntry>): number => a.entry.at - b.entry.at;

interface FileLedgerOptions {
  directory: string;
  world: FileWorld;
  /** Why there is no such directory. Then the ledger is empty, and nothing is booked unless duplicates are allowed. */
  unusable?: string | undefined;
}

export const entryStart = ({ start_time }: Pick<CommonEntry, 'start_time'>): number =>
  Math.floor(Date.parse(start_time) / 1000);

const entryFileName = (entry: Pick<CommonEntry, 'digest' | 'start_time'>, number: number): string =>
  `${entryStart(entry).toString(36)}-${entry.digest}.${number}.json`;

interface Name {
  name: string;
  start: number;
  digest: string;
  number: number;
}

const readFileName = (name: string): Name | undefined => {
  const [, start, digest, number] = /^([0-9a-z]+)-([0-9a-f]{64})\.(\d{1,9})\.json$/.exec(name) ?? [];
  return number === undefined
    ? undefined
    : { name, start: Number.parseInt(start!, 36), digest: digest!, number: Number(number) };
};

/** So long after its start, a slot is not booked again. */
export const keptForMs = 30 * day;

/** A ledger in files, which survive a killed process and a power cut. */
export const fileLedger = <Entry extends CommonEntry>(
  { directory, world, unusable }: FileLedgerOptions,
  kind: LedgerKind<Entry>,
): Ledger<Entry> => {
  /** Another directory would hide what this one has, so that is no advice once something is recorded. */
  const trouble = (error: unknown, isFirst = false) => {
    const reason = error instanceof SchedError ? (error.facts.reason ?? error.message) : codeOf(error);
    const fix = isFirst
      ? 'set SCHED_STATE_DIR to a directory you can write to'
      : 'make sure that you can read and write there';
    return ledgerTrouble(kind, `${directory}: ${reason}`, fix);
  };
  const unique = () => Buffer.from(world.randomBytes(8)).toString('hex');

  const names = async (): Promise<Name[]> => {
    if (unusable !== undefined) return [];
    const all = await readdir(directory).catch((error: unknown) => {
      if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return [];
      throw trouble(error);
    });
    return all.flatMap((name) => readFileName(name) ?? []);
  };

  const read = async ({ name, number }: Name): Promise<StoredEntry<Entry> | undefined> => {
    const text = await readPrivateFile(join(directory, name));
    if (text === undefined) return undefined;
    const entry = jsonIn(text);
    if (kind.isEntry(entry)) return { number, entry };
    throw damagedEntry(kind, join(directory, name), 'file');
  };

  const lastOf = async (all: Name[]): Promise<StoredEntry<Entry>[]> =>
    lastByService((await Promise.all(all.map(read))).filter((attempt) => attempt !== undefined));

  const byDigest = (all: Name[]): Name[][] => {
    const groups = new Map<string, Name[]>();
    for (const name of all) groups.set(name.digest, [...(groups.get(name.digest) ?? []), name]);
    return [...groups.values()];
  };

  /** The last attempts of all these bookings. */
  const lastIn = async (all: Name[]): Promise<StoredEntry<Entry>[]> =>
    (await Promise.all(byDigest(all).map(lastOf))).flat().sort(byAge);

  const notePath = ({ number, entry }: StoredEntry<Entry>) =>
    join(directory, entryFileName(entry, number).replace(/json$/, 'missed'));

  return {
    reach: 'this machine',
    find: async (digests) => {
      const all = await names();
      const groups = digests.map((digest) => all.filter((name) => name.digest === digest));
      const attempts = (await Promise.all(groups.map(lastOf))).flat();
      const services = attempts.map(({ entry }) => serviceName(entry.origin));
      return {
        last: Math.max(0, ...groups[0]!.map(({ number }) => number)),
        // The current digest counts before those of older versions.
        attempts: attempts.filter((_, index) => services.indexOf(services[index]!) === index),
      };
    },
    claim: async ({ number, entry }) => {
      if (unusable !== undefined) throw trouble(new Error(unusable), true);
      const path = join(directory, entryFileName(entry, number));
      try {
        ensureLastingDirectory(directory);
        await writeWholeFile(path, { content: JSON.stringify(entry), draft: `${path}.${unique()}` });
        return true;
      } catch (error) {
        if (codeOf(error) === 'EEXIST') return false;
        throw trouble(error, number === 1);
      }
    },
    replace: async ({ number, entry }) => {
      if (unusable !== undefined) return;
      await writePrivateFile(join(directory, entryFileName(entry, number)), JSON.stringify(entry), world);
    },
    miss: async (attempt, serviceTime) => {
      if (unusable !== undefined) return serviceTime;
      const path = notePath(attempt);
      const firstMiss = Number((await readPrivateFile(path)) ?? Number.NaN);
      // If the service's clock was set back, the time is measured again from now.
      if (isTime(firstMiss) && firstMiss <= serviceTime) return firstMiss;
      await writePrivateFile(path, String(serviceTime), world);
      return serviceTime;
    },
    open: async (origin) => (await lastIn(await names())).filter(isOpenAt(origin)),
    between: async (since, until) =>
      lastIn((await names()).filter(({ start }) => since <= start * 1000 && start * 1000 < until)),
    prune: async (now) => {
      const old = (await names()).filter(({ start }) => start * 1000 + keptForMs < now);
      for (const group of byDigest(old)) {
        // Damaged files stay, too: a person has to check them.
        const last = await lastOf(group).catch(() => undefined);
        if (last === undefined || last.some(({ entry }) => entry.state === 'open')) continue;
        for (const { name } of group)
          for (const file of [name, name.replace(/json$/, 'missed')])
            await unlink(join(directory, file)).catch(() => {});
      }
    },
  };
};
