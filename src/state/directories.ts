import { dirname, resolve } from 'node:path';
import { codeOf, SchedError } from '../base/errors.ts';
import { singleQuoted } from '../base/shell-quote.ts';
import {
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  openSync,
  realpathSync,
  type Stats,
} from '../node/files.ts';
import { makeDirectory } from '../node/make-directory.ts';
import { unlessUnsupported } from './whole-file.ts';

/*
 * The rules for directories with sched's files (R16):
 *
 * - A missing directory is created with mode 0700.
 * - A symbolic link in its place is refused. So is a directory that other users can write to or that belongs to another
 *   user, because they could replace the files in it.
 * - The mode of an existing directory doesn't change: it may be any directory, such as the current one. Only the
 *   `sched` directory below the platform's directories becomes 0700.
 * - A directory for files that must survive a power cut has its name and those of its parents on disk before anything is
 *   written in it. That is done each time: whoever made the directory may have been killed right after it.
 */

const directoryMode = 0o700;

/** Lets other users add and remove files. */
const writableByOthers = 0o022;

/** The mode bit of directories that every user may write to, such as /tmp. */
const sticky = 0o1000;

/** Windows has no modes: the ones Node reports there mean nothing. */
const hasModes = constants.O_NOFOLLOW !== undefined;

/** The stats of a path, or undefined if it is missing or unreadable. If unreadable, using it gives the error. */
export const statIfAny = (path: string): Stats | undefined => {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
};

export const linkTarget = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
};

const directoryProblem = (path: string, reason: string, advice: string): SchedError =>
  new SchedError('environment', `Can't use the directory ${path}`, { reason, advice, outcome: 'not-sent' });

interface DirectoryUse {
  /** The environment variable that sets the directory. */
  variable?: string;
  /** Whether it is the `sched` directory of the platform, whose mode sched may change. */
  isOurs?: boolean;
  /** The user sched runs as. If unknown, the owner isn't checked. */
  uid?: number | undefined;
}

const tighten = (path: string): void => {
  try {
    chmodSync(path, directoryMode);
  } catch {
    // A read-only file system, or another user's directory: the check that follows decides.
  }
};

/** Checks a directory before anything in it is read or written. A missing directory is fine. */
export const checkDirectory = (path: string, { variable, isOurs = false, uid = 0 }: DirectoryUse = {}): void => {
  const stats = statIfAny(path);
  if (stats === undefined) return;
  if (stats.isSymbolicLink()) {
    const target = linkTarget(path);
    const advice = variable === undefined ? 'replace it with a directory' : `set ${variable}=${singleQuoted(target)}`;
    throw directoryProblem(path, "it is a symbolic link, which sched doesn't follow", advice);
  }
  if (!hasModes || !stats.isDirectory()) return;
  if (isOurs && (stats.mode & 0o077) !== 0) tighten(path);
  const { mode, uid: owner } = statIfAny(path) ?? stats;
  const elsewhere = variable === undefined ? '' : `set ${variable}=${singleQuoted(`${path}/sched`)}`;
  // Root may use directories of other users, as in a container with a mounted directory.
  if (uid !== 0 && owner !== uid && owner !== 0)
    throw directoryProblem(path, 'it belongs to another user', elsewhere || 'use a directory that you own');
  if ((mode & writableByOthers) === 0) return;
  const close = `run chmod go-w ${singleQuoted(path)}`;
  const advice = (mode & sticky) !== 0 ? elsewhere || close : [close, elsewhere].filter(Boolean).join(', or ');
  throw directoryProblem(path, `other users can write to it (mode ${(mode & 0o7777).toString(8)})`, advice);
};

/** Puts the names in a directory on disk. */
const syncNames = (path: string): void => {
  try {
    const descriptor = openSync(path, constants.O_RDONLY);
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    unlessUnsupported(error);
  }
};

const cantCreate = (path: string, error: unknown): SchedError =>
  new SchedError('environment', `Can't create the directory ${path}`, { reason: codeOf(error), outcome: 'not-sent' });

/** Checks a directory for sched's files, and creates it with its parents if it is missing. */
export const ensurePrivateDirectory = (path: string): void => {
  // Checked before mkdir, which would follow a dangling link.
  checkDirectory(path);
  try {
    makeDirectory(path, directoryMode);
  } catch (error) {
    throw cantCreate(path, error);
  }
};

/** The same for files that must survive a power cut. */
export const ensureLastingDirectory = (path: string): void => {
  ensurePrivateDirectory(path);
  try {
    for (let at = resolve(path); at !== dirname(at); at = dirname(at)) syncNames(dirname(at));
  } catch (error) {
    throw cantCreate(path, error);
  }
};
