import { constants } from 'node:fs';
import { link, open, readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { SchedError } from '../errors.ts';
import { ensurePrivateDirectory } from './directories.ts';
import { readPrivateFile, writePrivateFile } from './files.ts';

/*
 * Bookings of this machine: what was asked for, and what became of it. One file per booking and attempt,
 *
 *   START-DIGEST.NUMBER.json
 *
 * the start in base 36, so that what has passed is removed without being read. A number is made by a hard link, whole and
 * once: of two processes that want the same booking at the same time, one gets it. The last number counts.
 */

export interface Entry {
  version: 1;
  /** Of origin, event type, start and address: the address itself is not kept. */
  digest: string;
  origin: string;
  event_type: string;
  start_time: string;
  /** `open`: sent, or about to be, and no answer yet. */
  state: 'open' | 'booked' | 'refused';
  /** When it left, in milliseconds since 1970. */
  at: number;
  /** After so long the request itself had given up. */
  timeoutMs: number;
  pid: number;
  /** Of whoever asked, where that is known: to a token of another one its hosts do not show. */
  organization?: string;
  event?: string;
  invitee?: string;
  /** A duplicate was asked for, to stand beside this one, where that is known. */
  besides?: Pick<Entry, 'event' | 'invitee'>;
}

export interface Kept {
  number: number;
  entry: Entry;
}

export interface Ledger {
  /** Whether other processes will see it. */
  readonly isKept: boolean;
  find(entry: Pick<Entry, 'digest' | 'start_time'>): Promise<Kept | undefined>;
  /** Writes the next attempt, and makes sure of it; whether nobody else was quicker. */
  claim(kept: Kept): Promise<boolean>;
  /** Replaces an attempt of one's own. */
  replace(kept: Kept): Promise<void>;
  /** All bookings at that origin whose outcome is not known. */
  open(origin: string): Promise<Kept[]>;
}

interface Options {
  directory: string;
  now(): number;
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

const trouble = (path: string, error: unknown): SchedError =>
  new SchedError('environment', 'A booking cannot be remembered, so it is not made', {
    reason: `${path}: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`,
    outcome: 'not-sent',
  });

let drafts = 0;

/** In files that outlive the process, the machine's power cut included. */
export const fileLedger = ({ directory, now, randomBytes }: Options): Ledger => {
  const unique = () => `${Buffer.from(randomBytes(8)).toString('hex')}-${++drafts}`;

  const names = async (): Promise<Name[]> => {
    const all = await readdir(directory).catch(() => []);
    const read = all.flatMap((name) => readName(name) ?? []);
    const past = read.filter(({ start }) => start * 1000 <= now());
    for (const { name } of past) await unlink(join(directory, name)).catch(() => {});
    return read.filter((name) => !past.includes(name));
  };

  const read = async ({ name, number }: Name): Promise<Kept | undefined> => {
    const text = await readPrivateFile(join(directory, name));
    if (text === undefined) return undefined;
    try {
      const entry = JSON.parse(text) as Entry;
      if (entry.version === 1 && typeof entry.at === 'number') return { number, entry };
    } catch {
      // Told below.
    }
    throw new SchedError('environment', 'The memory of a booking is damaged', {
      reason: join(directory, name),
      hint: 'look whether it was made (sched events list), then remove the file',
      outcome: 'not-sent',
    });
  };

  const last = (all: Name[]): Name | undefined =>
    all.reduce<Name | undefined>(
      (most, name) => (most === undefined || name.number > most.number ? name : most),
      undefined,
    );

  return {
    isKept: true,
    find: async ({ digest }) => {
      const found = last((await names()).filter((name) => name.digest === digest));
      return found === undefined ? undefined : read(found);
    },
    claim: async ({ number, entry }) => {
      const path = join(directory, nameOf(entry, number));
      const draft = `${path}.${unique()}`;
      try {
        ensurePrivateDirectory(directory);
        const handle = await open(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
        try {
          await handle.writeFile(JSON.stringify(entry));
          await handle.sync();
        } finally {
          await handle.close();
        }
        await link(draft, path);
        const folder = await open(directory, constants.O_RDONLY).catch(() => undefined);
        await folder?.sync().catch(() => {});
        await folder?.close();
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
        throw error instanceof SchedError ? error : trouble(path, error);
      } finally {
        await unlink(draft).catch(() => {});
      }
    },
    replace: async ({ number, entry }) =>
      writePrivateFile(join(directory, nameOf(entry, number)), JSON.stringify(entry), unique()),
    open: async (origin) => {
      const byDigest = new Map<string, Name[]>();
      for (const name of await names()) byDigest.set(name.digest, [...(byDigest.get(name.digest) ?? []), name]);
      const entries: Kept[] = [];
      for (const all of byDigest.values()) {
        const kept = await read(last(all)!);
        if (kept?.entry.state === 'open' && kept.entry.origin === origin) entries.push(kept);
      }
      return entries.sort((a, b) => a.entry.at - b.entry.at);
    },
  };
};

/** For as long as the process lives, where there is no home to keep anything in. */
export const memoryLedger = (): Ledger => {
  const entries = new Map<string, Kept>();
  const put = async (kept: Kept) => {
    entries.set(kept.entry.digest, kept);
  };
  return {
    isKept: false,
    find: async ({ digest }) => entries.get(digest),
    claim: async (kept) => {
      await put(kept);
      return true;
    },
    replace: put,
    open: async () => [...entries.values()].filter(({ entry }) => entry.state === 'open'),
  };
};
