import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { SchedError } from '../errors.ts';
import { checkDirectory, ensurePrivateDirectory, statIfAny } from './directories.ts';
import { noFollow, syncDirectory, writeWholeFile } from './whole-file.ts';

/** Whoever opens a pipe to read from it waits for somebody who writes, unless it says so. */
const noWait = constants.O_NONBLOCK ?? 0;

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown error';

const trouble = (what: string, path: string, reason: string): SchedError =>
  new SchedError('environment', `Cannot ${what} ${path}`, { reason, outcome: 'not-sent' });

/** R16: a file of ours is never written through a link in its place. */
export const refuseLink = (what: string, path: string): void => {
  if (statIfAny(path)?.isSymbolicLink()) throw trouble(what, path, 'it is a symbolic link, and those are not followed');
};

/** Unfinished writings of this file, left by processes that were killed. */
const leftovers = async (path: string): Promise<string[]> => {
  const names = await readdir(dirname(path)).catch(() => []);
  const prefix = `${basename(path)}.`;
  return names.filter((name) => name.startsWith(prefix)).map((name) => join(dirname(path), name));
};

/** Only for whoever may be sure to be the one writer of that file. */
export const removeDrafts = async (path: string): Promise<void> => {
  for (const file of await leftovers(path)) await rm(file, { force: true }).catch(() => {});
};

/** Replaces a file in one step: whoever reads it sees all of the old or all of the new. `unique` names the draft. */
export const writePrivateFile = async (path: string, text: string, unique: string): Promise<void> => {
  ensurePrivateDirectory(dirname(path));
  refuseLink('write', path);
  try {
    await writeWholeFile(path, { content: text, draft: `${path}.${unique}`, replace: true });
  } catch (error) {
    throw trouble('write', path, codeOf(error));
  }
};

/** Proves that a file could be replaced by this text, by doing the same beside it. Nothing is left of it. */
export const probePrivateFile = async (path: string, text: string, unique: string): Promise<void> => {
  const probe = `${path}.probe-${unique}`;
  await writePrivateFile(probe, text, unique);
  await removePrivateFile(probe);
};

/** The text of a file, or `undefined` if there is none. Such files are small: waiting for one takes longer than to read it. */
export const readPrivateFile = async (path: string): Promise<string | undefined> => {
  checkDirectory(dirname(path));
  try {
    const descriptor = openSync(path, constants.O_RDONLY | noFollow | noWait);
    try {
      if (!fstatSync(descriptor).isFile()) throw trouble('read', path, 'it is not a file');
      return readFileSync(descriptor, 'utf8');
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (error instanceof SchedError) throw error;
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return undefined;
    if (codeOf(error) === 'ELOOP') throw trouble('read', path, 'it is a symbolic link, and those are not followed');
    throw trouble('read', path, codeOf(error));
  }
};

/** Removes a file and what was left of its unfinished writings. Whether there was one. */
export const removePrivateFile = async (path: string): Promise<boolean> => {
  checkDirectory(dirname(path));
  try {
    const found = statIfAny(path);
    for (const file of [path, ...(await leftovers(path))]) await rm(file, { force: true });
    if (found !== undefined) await syncDirectory(dirname(path));
    return found !== undefined;
  } catch (error) {
    throw trouble('remove', path, codeOf(error));
  }
};
