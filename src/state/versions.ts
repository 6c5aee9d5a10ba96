import { join } from 'node:path';
import { codeOf } from '../base/errors.ts';
import { jsonIn } from '../base/json.ts';
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
} from '../node/files.ts';
import { ensurePrivateDirectory } from './directories.ts';
import { noFollow, noWait } from './whole-file.ts';

/*
 * One small record shared by processes, without a lock that a killed process could leave behind.
 *
 * Each version of the record is a file named by its number and created by a hard link: it appears complete, and only
 * one process can create number n + 1. A process that fails reads again. Old numbers are removed, lowest first, but
 * never the last few. So if n still exists after n + 1 was created, n + 1 had not existed before. All calls are
 * synchronous: each takes some microseconds, and no other code of this process runs in between. Nothing waits for the
 * disk: a record is of no use after a power cut.
 */

export interface Versions<State> {
  read(): State | undefined;
  /** Changes the record, unless the new state is missing. `change` may be called again with a newer record. */
  update<Value>(change: (state: State | undefined) => { state?: State; value: Value }): Value;
}

const versionsToKeep = 8;
const maxTries = 200;

const readVersion = (path: string): string => {
  const descriptor = openSync(path, constants.O_RDONLY | noFollow | noWait);
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

/** The number of a version, or of the version that a draft is for. 0 for other files. */
const numberIn = (name: string): number => Number(/^\d{1,15}(?=$|\.)/.exec(name)?.[0] ?? 0);

const highestOf = (names: readonly string[]): number =>
  names.reduce((most, name) => (name.includes('.') ? most : Math.max(most, numberIn(name))), 0);

/** Versions in a separate directory, which is created. `unique` is a unique name of this process. */
export const fileVersions = <State>(directory: string, unique: string): Versions<State> => {
  const make = () => ensurePrivateDirectory(directory);
  make();
  const path = (name: string | number) => join(directory, String(name));
  let drafts = 0;

  /** The names in the directory. If another process has swept it away as old, it is created again. */
  const list = (): string[] => {
    try {
      return readdirSync(directory);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      make();
      return [];
    }
  };

  /** A power cut may leave a broken record, which is discarded: the processes that wrote it have ended. */
  const readAt = (number: number) =>
    number === 0 ? undefined : (jsonIn(readVersion(path(number))) as State | undefined);

  /** Creates version n + 1. Returns whether this process created it and it follows n. */
  const place = (number: number, state: State): boolean => {
    const draft = path(`${number + 1}.${unique}-${++drafts}`);
    try {
      writeFileSync(draft, JSON.stringify(state), { mode: 0o600, flag: 'wx' });
      linkSync(draft, path(number + 1));
    } catch (error) {
      // The draft or its directory is missing if other processes have removed it as old.
      if (['EEXIST', 'ENOENT'].includes(codeOf(error))) return false;
      throw error;
    } finally {
      quietly(() => unlinkSync(draft));
    }
    if (number === 0 ? highestOf(list()) < versionsToKeep : exists(path(number))) return true;
    quietly(() => unlinkSync(path(number + 1)));
    return false;
  };

  /** Removes old versions and drafts, lowest first. */
  const removeOld = (names: readonly string[], last: number): void => {
    const old = names.filter((name) => numberIn(name) > 0 && numberIn(name) <= last);
    for (const name of old.sort((a, b) => numberIn(a) - numberIn(b))) rmSync(path(name), { force: true });
  };

  /** The last version. Retries if other processes create so many versions meanwhile that it is removed. */
  const latest = (): { names: string[]; number: number; state: State | undefined } => {
    for (let tries = 0; ; tries += 1) {
      const names = list();
      const number = highestOf(names);
      try {
        return { names, number, state: readAt(number) };
      } catch (error) {
        if (codeOf(error) !== 'ENOENT' || tries >= maxTries) throw error;
      }
    }
  };

  const update: Versions<State>['update'] = (change) => {
    for (let tries = 0; tries <= maxTries; tries += 1) {
      const { names, number, state: before } = latest();
      const { state, value } = change(before);
      if (state === undefined) return value;
      // Before the next version is written, which may take the last space of a disk.
      quietly(() => removeOld(names, number - versionsToKeep));
      if (place(number, state)) return value;
    }
    throw new Error(`too many processes at once in ${directory}`);
  };

  return { read: () => latest().state, update };
};

export const memoryVersions = <State>(): Versions<State> => {
  let current: State | undefined;
  return {
    read: () => current,
    update: (change) => {
      const { state, value } = change(current);
      current = state ?? current;
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
