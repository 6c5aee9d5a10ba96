import { linkSync, lstatSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePrivateDirectory } from './directories.ts';

/*
 * One small record shared by processes, without a lock that a killed one could leave behind.
 *
 * Each version of the record is a file named by its number, made by a hard link: it appears whole, and only one process
 * can make number n + 1. Whoever fails reads again. Old numbers are removed, but never the last few, and from the lowest
 * up; so if n is still there after n + 1 was made, n + 1 had not been there before. All calls are synchronous: each takes
 * some microseconds, and nothing of this process can come between them.
 */

export interface Versions<State> {
  read(): State | undefined;
  /** Changes the record; `change` may be called again with a newer one. */
  update<Value>(change: (state: State | undefined) => { state: State; value: Value }): Value;
}

const kept = 8;
const maxTries = 200;

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

const quietly = (work: () => void): void => {
  try {
    work();
  } catch {
    // Somebody else was quicker.
  }
};

/** What may go wrong in between, and does in tests. */
interface Disk {
  list(directory: string): string[];
  /** A file that must be new. */
  write(path: string, text: string): void;
}

export const realDisk: Disk = {
  list: (directory) => readdirSync(directory),
  write: (path, text) => writeFileSync(path, text, { mode: 0o600, flag: 'wx' }),
};

/** In a directory of its own, which is made. `unique` tells this process from all others. */
export const fileVersions = <State>(directory: string, unique: string, disk = realDisk): Versions<State> => {
  const make = () => ensurePrivateDirectory(directory);
  make();
  const path = (number: number) => join(directory, String(number));
  let drafts = 0;

  /** Another process may have swept the directory away as forgotten: then it is begun anew. */
  const names = (): string[] => {
    try {
      return disk.list(directory);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      make();
      return [];
    }
  };

  const highest = (): number =>
    names().reduce((most, name) => (/^\d{1,15}$/.test(name) ? Math.max(most, Number(name)) : most), 0);

  const readAt = (number: number): State | undefined => {
    if (number === 0) return undefined;
    const text = readFileSync(path(number), 'utf8');
    try {
      return JSON.parse(text) as State;
    } catch {
      // It is a cache: what is broken is started anew.
      return undefined;
    }
  };

  /** Whether number n + 1 is ours and follows n. */
  const place = (number: number, state: State): boolean => {
    const draft = join(directory, `draft-${unique}-${++drafts}`);
    try {
      disk.write(draft, JSON.stringify(state));
      linkSync(draft, path(number + 1));
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    } finally {
      quietly(() => unlinkSync(draft));
    }
    if (number === 0 ? highest() < kept : exists(path(number))) return true;
    quietly(() => unlinkSync(path(number + 1)));
    return false;
  };

  /** The last version. While it is looked for, others may make so many that it is removed: then it is looked for again. */
  const latest = (): { number: number; state: State | undefined } => {
    for (let tries = 0; ; tries += 1) {
      const number = highest();
      try {
        return { number, state: readAt(number) };
      } catch (error) {
        if (codeOf(error) !== 'ENOENT' || tries >= maxTries) throw error;
      }
    }
  };

  const update: Versions<State>['update'] = (change) => {
    for (let tries = 0; ; tries += 1) {
      const { number, state: before } = latest();
      const { state, value } = change(before);
      if (place(number, state)) {
        if (number > kept) quietly(() => unlinkSync(path(number - kept)));
        return value;
      }
      if (tries >= maxTries) throw new Error(`too many processes at once in ${directory}`);
    }
  };

  return { read: () => latest().state, update };
};

export const memoryVersions = <State>(): Versions<State> => {
  let kept: State | undefined;
  return {
    read: () => kept,
    update: (change) => {
      const { state, value } = change(kept);
      kept = state;
      return value;
    },
  };
};

/** Removes what has not been touched since then. */
export const sweepVersions = (directory: string, before: number): void => {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    quietly(() => {
      if (lstatSync(path).mtimeMs < before) rmSync(path, { recursive: true, force: true });
    });
  }
};
