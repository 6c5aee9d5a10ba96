import { chmodSync, constants, lstatSync, mkdirSync, realpathSync, type Stats } from 'node:fs';
import { SchedError } from '../errors.ts';
import { singleQuoted } from '../shell-quote.ts';

/*
 * The one rule for the directories that hold our files (R16):
 *
 * - One that is missing is made, for its owner alone (0700).
 * - A symbolic link in its place is refused, and so is one that other users can write to or that belongs to another
 *   user: they could replace what is in it.
 * - The mode of one that is there is left alone: it may be anything, such as the current directory. Only our own `sched`
 *   below the platform's directories becomes 0700.
 */

const directoryMode = 0o700;

/** What lets others put files there, or take them away. */
const writableByOthers = 0o022;

/** Of a directory that everybody may put something into, as /tmp. */
const sticky = 0o1000;

/** Windows has no modes: what Node tells of them there means nothing. */
const hasModes = constants.O_NOFOLLOW !== undefined;

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown error';

/** What is at a path. Nothing where there is nothing, or nothing that can be seen: using it then says what is wrong. */
export const statIfAny = (path: string): Stats | undefined => {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
};

const targetOf = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
};

const refuse = (path: string, reason: string, hint: string): SchedError =>
  new SchedError('environment', `Cannot use the directory ${path}`, { reason, hint, outcome: 'not-sent' });

export interface DirectoryUse {
  /** The variable that names the directory. */
  variable?: string;
  /** It is ours by its name, so that its mode is ours to set. */
  isOurs?: boolean;
  /** The user we run as. Where that is not known, the owner is not looked at. */
  uid?: number | undefined;
}

const tighten = (path: string): void => {
  try {
    chmodSync(path, directoryMode);
  } catch {
    // A read-only file system, or somebody else's directory: it is judged as it is.
  }
};

/** Checks a directory before anything in it is read or written. One that is missing is fine. */
export const checkDirectory = (path: string, { variable, isOurs = false, uid = 0 }: DirectoryUse = {}): void => {
  const found = statIfAny(path);
  if (found === undefined) return;
  if (found.isSymbolicLink()) {
    const target = targetOf(path);
    const hint = variable === undefined ? 'replace it with a directory' : `${variable}=${singleQuoted(target)}`;
    throw refuse(path, 'it is a symbolic link, and those are not followed', hint);
  }
  if (!hasModes || !found.isDirectory()) return;
  if (isOurs && (found.mode & 0o077) !== 0) tighten(path);
  const { mode, uid: owner } = statIfAny(path) ?? found;
  const elsewhere = variable === undefined ? '' : `${variable}=${singleQuoted(`${path}/sched`)}`;
  // Root may use what belongs to others, as a container does with a mounted directory.
  if (uid !== 0 && owner !== uid && owner !== 0)
    throw refuse(path, 'it belongs to another user', elsewhere || 'name or make a directory of your own');
  if ((mode & writableByOthers) === 0) return;
  const close = `chmod go-w ${singleQuoted(path)}`;
  const hint = (mode & sticky) !== 0 ? elsewhere || close : [close, elsewhere].filter(Boolean).join(', or ');
  throw refuse(path, `other users can write to it (mode ${(mode & 0o7777).toString(8)})`, hint);
};

/** A directory for our files, made with its parents if need be. */
export const ensurePrivateDirectory = (path: string): void => {
  // Before it is made: a link to nowhere would be followed.
  checkDirectory(path);
  try {
    mkdirSync(path, { recursive: true, mode: directoryMode });
  } catch (error) {
    throw new SchedError('environment', `Cannot make the directory ${path}`, {
      reason: codeOf(error),
      outcome: 'not-sent',
    });
  }
};
