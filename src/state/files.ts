import { basename, dirname, join } from 'node:path';
import { codeOf, SchedError } from '../base/errors.ts';
import type { RandomBytes } from '../base/system.ts';
import { closeSync, constants, fstatSync, openSync, readdir, readFileSync, rm } from '../node/files.ts';
import { checkDirectory, ensureLastingDirectory, statIfAny } from './directories.ts';
import { keepChange, noFollow, noWait, type RenameWorld, writeWholeFile } from './whole-file.ts';

const fileTrouble = (what: string, path: string, reason: string): SchedError =>
  new SchedError('environment', `Can't ${what} ${path}`, { reason, outcome: 'not-sent' });

/** R16: sched never writes its files through a symbolic link. */
export const refuseLink = (what: string, path: string): void => {
  if (statIfAny(path)?.isSymbolicLink())
    throw fileTrouble(what, path, "it is a symbolic link, which sched doesn't follow");
};

/** Drafts of this file, left by processes that were killed. */
const leftovers = async (path: string): Promise<string[]> => {
  const names = await readdir(dirname(path)).catch(() => []);
  const prefix = `${basename(path)}.`;
  return names.filter((name) => name.startsWith(prefix)).map((name) => join(dirname(path), name));
};

/** Removes leftover drafts of a file. Caller must hold the lock: assumes a single writer. */
export const removeDrafts = async (path: string): Promise<void> => {
  for (const file of await leftovers(path)) await rm(file, { force: true }).catch(() => {});
};

/** The part of the world that writing a file needs. The random bytes name its draft. */
export type FileWorld = RenameWorld & { readonly randomBytes: RandomBytes };

/** Replaces a file atomically: readers see the old or the new content, never a mix. */
export const writePrivateFile = async (path: string, text: string, world: FileWorld): Promise<void> => {
  ensureLastingDirectory(dirname(path));
  refuseLink('write', path);
  const draft = `${path}.${Buffer.from(world.randomBytes(8)).toString('hex')}`;
  try {
    await writeWholeFile(path, { content: text, draft, replaceIn: world });
  } catch (error) {
    throw error instanceof SchedError ? error : fileTrouble('write', path, codeOf(error));
  }
};

/** Checks that a file can be replaced with this text, by writing and removing another file beside it. */
export const probePrivateFile = async (path: string, text: string, world: FileWorld): Promise<void> => {
  const probe = `${path}.probe-${Buffer.from(world.randomBytes(8)).toString('hex')}`;
  await writePrivateFile(probe, text, world);
  await removePrivateFile(probe);
};

/** The text of a file, or `undefined` if it doesn't exist. Synchronous inside, which is faster for small files. */
export const readPrivateFile = async (path: string): Promise<string | undefined> => {
  checkDirectory(dirname(path));
  try {
    const descriptor = openSync(path, constants.O_RDONLY | noFollow | noWait);
    try {
      if (!fstatSync(descriptor).isFile()) throw fileTrouble('read', path, 'it is not a file');
      return readFileSync(descriptor, 'utf8');
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (error instanceof SchedError) throw error;
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return undefined;
    if (codeOf(error) === 'ELOOP') throw fileTrouble('read', path, "it is a symbolic link, which sched doesn't follow");
    throw fileTrouble('read', path, codeOf(error));
  }
};

/** Removes a file and its leftover drafts. Returns whether the file existed. */
export const removePrivateFile = async (path: string): Promise<boolean> => {
  checkDirectory(dirname(path));
  try {
    const stats = statIfAny(path);
    for (const file of [path, ...(await leftovers(path))]) await rm(file, { force: true });
    if (stats !== undefined) await keepChange(path, 'removed');
    return stats !== undefined;
  } catch (error) {
    throw error instanceof SchedError ? error : fileTrouble('remove', path, codeOf(error));
  }
};
