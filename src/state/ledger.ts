import { readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { SchedError } from '../errors.ts';
import { ensurePrivateDirectory } from './directories.ts';
import { readPrivateFile, writePrivateFile } from './files.ts';
import { writeWholeFile } from './whole-file.ts';

/*
 * Bookings of this machine: what was asked for, and what became of it. One file per booking and attempt,
 *
 *   START-DIGEST.NUMBER.json
 *
 * the start in base 36, so that only old files are read when old ones are removed. A number is made by a hard link, whole
 * and once: of two processes that want the same booking at the same time, one gets it. At each address of the service the
 * last number counts.
 *
 * START-DIGEST.NUMBER.missed holds the service's time of the first look-up that did not find an open attempt. It has a
 * file of its own, so that noting it cannot overwrite the verdict of the process that sent the request.
 *
 * Reading removes nothing: this machine's clock may be wrong.
 */

export interface Entry {
  /** In version 1 the digest covers the origin too. */
  version: 1 | 2;
  /** Of event type, start and e-mail address. The e-mail address itself is not kept. */
  digest: string;
  /** The address of the service, as `serviceAt` writes it. */
  origin: string;
  event_type: string;
  start_time: string;
  /** `open`: sent, or about to be, and no answer yet. */
  state: 'open' | 'booked' | 'refused';
  /** When it left, in milliseconds since 1970, by this machine's clock. */
  at: number;
  /** After so long the request itself had given up. */
  timeoutMs: number;
  pid: number;
  /** Of whoever asked, where that is known: to a token of another one its hosts do not show. */
  organization?: string;
  event?: string;
  invitee?: string;
  /** A duplicate was asked for, to stand beside this one, where that is known. */
  besides?: Pick<Entry, 'event' | 'invitee'> & {
    /** The service accepted that one, and nothing has shown it. */
    isUnseen?: true;
  };
  /** Invitees that the service showed before a duplicate was sent: none of them is the duplicate. */
  shownBefore?: string[];
}

export interface StoredEntry {
  number: number;
  entry: Entry;
}

export interface Found {
  /** The highest number of the first digest, 0 if there is none. */
  last: number;
  /** The last attempt at each address of the service. */
  attempts: StoredEntry[];
}

export interface Ledger {
  /** The first digest is the one new attempts have, the others are those of older versions. */
  find(digests: readonly string[]): Promise<Found>;
  /** Writes the next attempt, and makes sure of it; whether nobody else was quicker. */
  claim(kept: StoredEntry): Promise<boolean>;
  /** Replaces an attempt of one's own. */
  replace(kept: StoredEntry): Promise<void>;
  /** Notes that a look-up did not find this attempt, and tells when that was first noted, by the service's clock. */
  miss(kept: StoredEntry, serviceTime: number): Promise<number>;
  /** All bookings at that address whose outcome is not known. */
  open(origin: string): Promise<StoredEntry[]>;
  /** Removes what began 30 days before that time. What is open stays: time alone settles nothing. */
  prune(now: number): Promise<void>;
}

/** What the ledger calls the embedded service, which has another port each time. */
export const sandboxService = 'sandbox';

const loopback = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

/** Whether an address is on this machine. */
export const isLocal = (address: string): boolean =>
  address === sandboxService || (URL.canParse(address) && loopback.test(new URL(address).hostname));

/** The name of a service in the ledger. The names of this machine are one. */
export const serviceName = (baseUrl: string): string => {
  if (!URL.canParse(baseUrl)) return baseUrl;
  const url = new URL(baseUrl);
  if (isLocal(baseUrl)) url.hostname = '127.0.0.1';
  return url.origin;
};

interface Options {
  directory: string;
  randomBytes(count: number): Uint8Array;
}

const startOf = ({ start_time }: Pick<Entry, 'start_time'>): number => Math.floor(Date.parse(start_time) / 1000);

const nameOf = (entry: Pick<Entry, 'digest' | 'start_time'>, number: number): string =>
  `${startOf(entry).toString(36)}-${entry.digest}.${number}.json`;

interface Name {
  name: string;
  start: number;
  digest: string;
  number: number;
}

const readName = (name: string): Name | undefined => {
  const [, start, digest, number] = /^([0-9a-z]+)-([0-9a-f]{64})\.(\d{1,9})\.json$/.exec(name) ?? [];
  return number === undefined
    ? undefined
    : { name, start: Number.parseInt(start!, 36), digest: digest!, number: Number(number) };
};

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? (error as Error).message;

const trouble = (directory: string, reason: string): SchedError =>
  new SchedError('environment', 'The ledger of bookings cannot be kept, so nothing was booked', {
    reason: `${directory}: ${reason}`,
    hint: 'set SCHED_STATE_DIR to a directory you can write to, or book without the ledger: --allow-duplicate',
    outcome: 'not-sent',
  });

const dayMs = 86_400_000;
/** Long enough that nobody books that slot again. */
const keptForMs = 30 * dayMs;

let drafts = 0;

/** In files that outlive the process, the machine's power cut included. */
export const fileLedger = ({ directory, randomBytes }: Options): Ledger => {
  const unique = () => `${Buffer.from(randomBytes(8)).toString('hex')}-${++drafts}`;

  const names = async (): Promise<Name[]> => {
    const all = await readdir(directory).catch((error: unknown) => {
      if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return [];
      throw trouble(directory, codeOf(error));
    });
    return all.flatMap((name) => readName(name) ?? []);
  };

  const read = async ({ name, number }: Name): Promise<StoredEntry | undefined> => {
    const text = await readPrivateFile(join(directory, name));
    if (text === undefined) return undefined;
    try {
      const entry = JSON.parse(text) as Entry;
      if ([1, 2].includes(entry.version) && typeof entry.at === 'number') return { number, entry };
    } catch {
      // Told below.
    }
    throw new SchedError('environment', 'The memory of a booking is damaged', {
      reason: join(directory, name),
      hint: 'look whether it was made (sched events list), then remove the file',
      outcome: 'not-sent',
    });
  };

  /** The last attempt at each address of the service. */
  const lastOf = async (all: Name[]): Promise<StoredEntry[]> => {
    const byService = new Map<string, StoredEntry>();
    for (const name of all.toSorted((a, b) => a.number - b.number)) {
      const kept = await read(name);
      if (kept !== undefined) byService.set(serviceName(kept.entry.origin), kept);
    }
    return [...byService.values()];
  };

  const byDigest = (all: Name[]): Name[][] => {
    const groups = new Map<string, Name[]>();
    for (const name of all) groups.set(name.digest, [...(groups.get(name.digest) ?? []), name]);
    return [...groups.values()];
  };

  const notePath = ({ number, entry }: StoredEntry) =>
    join(directory, nameOf(entry, number).replace(/json$/, 'missed'));

  return {
    find: async (digests) => {
      const all = await names();
      const groups = digests.map((digest) => all.filter((name) => name.digest === digest));
      const attempts: StoredEntry[] = [];
      for (const group of groups)
        for (const kept of await lastOf(group))
          if (!attempts.some(({ entry }) => serviceName(entry.origin) === serviceName(kept.entry.origin)))
            attempts.push(kept);
      return { last: Math.max(0, ...groups[0]!.map(({ number }) => number)), attempts };
    },
    claim: async ({ number, entry }) => {
      const path = join(directory, nameOf(entry, number));
      try {
        ensurePrivateDirectory(directory);
        await writeWholeFile(path, { content: JSON.stringify(entry), draft: `${path}.${unique()}`, replace: false });
        return true;
      } catch (error) {
        if (codeOf(error) === 'EEXIST') return false;
        throw trouble(directory, error instanceof SchedError ? (error.facts.reason ?? error.message) : codeOf(error));
      }
    },
    replace: async ({ number, entry }) =>
      writePrivateFile(join(directory, nameOf(entry, number)), JSON.stringify(entry), unique()),
    miss: async (kept, serviceTime) => {
      const path = notePath(kept);
      const noted = Number((await readPrivateFile(path)) ?? Number.NaN);
      // A service whose clock was set back is measured from now on.
      if (noted <= serviceTime) return noted;
      await writePrivateFile(path, String(serviceTime), unique());
      return serviceTime;
    },
    open: async (origin) => {
      const entries: StoredEntry[] = [];
      for (const group of byDigest(await names()))
        for (const kept of await lastOf(group))
          if (kept.entry.state === 'open' && serviceName(kept.entry.origin) === serviceName(origin)) entries.push(kept);
      return entries.sort((a, b) => a.entry.at - b.entry.at);
    },
    prune: async (now) => {
      const old = (await names()).filter(({ start }) => start * 1000 + keptForMs < now);
      for (const group of byDigest(old)) {
        // A damaged file stays too: a person has to look at it.
        const last = await lastOf(group).catch(() => undefined);
        if (last === undefined || last.some(({ entry }) => entry.state === 'open')) continue;
        for (const { name } of group)
          for (const file of [name, name.replace(/json$/, 'missed')])
            await unlink(join(directory, file)).catch(() => {});
      }
    },
  };
};

/** Where there is no directory to keep a ledger in: nothing is booked, unless duplicates are allowed. */
export const noLedger = (directory: string, reason: string): Ledger => ({
  find: async () => ({ last: 0, attempts: [] }),
  claim: async () => {
    throw trouble(directory, reason);
  },
  replace: async () => {},
  miss: async (_, serviceTime) => serviceTime,
  open: async () => [],
  prune: async () => {},
});
