import {
  closeSync,
  constants,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../errors.ts';
import { jsonIn } from '../json.ts';
import { ensurePrivateDirectory } from './directories.ts';
import { noWait } from './whole-file.ts';

/*
 * One small record shared by processes, without a lock that a killed process could leave behind.
 *
 * Each version of the record is a file named by its number and created by a hard link: it appears complete, and only
 * one process can create number n + 1. A process that fails reads again. Old numbers are removed, lowest first, but
 * never the last few. So if n still exists after n + 1 was created, n + 1 had not existed before. All calls are
 * synchronous: each takes some microseconds, and no other code of this process runs in between.
 */

export interface Versions<State> {
  read(): State | undefined;
  /** Changes the record. `change` may be called again with a newer record. */
  update<Value>(change: (state: State | undefined) => { state: State; value: Value }): Value;
}

const kept = 8;
const maxTries = 200;

const textIn = (path: string): string => {
  const descriptor = openSync(path, constants.O_RDONLY | noWait);
  try {
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
};

const exists = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

const quietly = (work: () => void): void => {
  try {
    work();
  } catch {
    // Another process was faster.
  }
};

/** Disk operations that tests make fail. */
interface VersionFiles {
  list(directory: string): string[];
  /** Creates a file. Fails if it exists. */
  write(path: string, text: string): void;
}

export const realDisk: VersionFiles = {
  list: (directory) => readdirSync(directory),
  write: (path, text) => writeFileSync(path, text, { mode: 0o600, flag: 'wx' }),
};

/** Versions in a separate directory, which is created. `unique` is a unique name of this process. */
export const fileVersions = <State>(directory: string, unique: string, disk = realDisk): Versions<State> => {
  const make = () => ensurePrivateDirectory(directory);
  make();
  const path = (number: number) => join(directory, String(number));
  let drafts = 0;

  /** The names in the directory. If another process has swept it away as old, it is created again. */
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

  /** It is a cache: a broken record is discarded. */
  const readAt = (number: number) => (number === 0 ? undefined : (jsonIn(textIn(path(number))) as State | undefined));

  /** Creates version n + 1. Returns whether this process created it and it follows n. */
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

  /** The last version. Retries if other processes create so many versions meanwhile that it is removed. */
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

/** Removes entries of a directory that weren't modified since `before`. */
export const sweepVersions = (directory: string, before: number): void => {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    quietly(() => {
      if (lstatSync(path).mtimeMs < before) rmSync(path, { recursive: true, force: true });
    });
  }
};
