import { hash } from 'node:crypto';
import { basename, join, win32 } from 'node:path';
import { SchedError, sameCommand } from '../../base/errors.ts';
import { the, words } from '../../base/words.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import { chmodSync, existsSync, lstatSync, readdirSync, rmSync, writeFileSync } from '../../node/files.ts';
import { ageText, durationText } from '../../output/progress.ts';
import type { HeadlessRuntime } from '../../runtime.ts';
import { answerFromMirror } from '../../sandbox/mirror/answer.ts';
import { forget, type Marks, wipe } from '../../sandbox/mirror/forget.ts';
import { factsOf, type MirrorFacts, mirrorAge, mirrorClock, openMirror, readOnly } from '../../sandbox/mirror/open.ts';
import { isUnclean } from '../../sandbox/rules/forgotten-texts.ts';
import { sideFiles } from '../../sandbox/store/database.ts';
import type { Store } from '../../sandbox/store/store.ts';
import { ensurePrivateDirectory } from '../../state/directories.ts';
import { diskTrouble } from '../../state/disk.ts';
import { refuseLink } from '../../state/files.ts';
import { directory, directoryPath, homeMissing, isHomeless } from '../../state/paths.ts';
import { wallClock } from '../../time/show.ts';
import { fullDateLabel } from '../../time/wall.ts';
import type { WorkNotes } from '../messages/notes.ts';
import { commandHere } from '../messages/suggested-line.ts';
import { type MarkPlace, withMarks } from './mirror-marks.ts';
import type { RoomSettings } from './settings.ts';

/*
 * Where the mirrors of this user are, and the connection to one. A mirror holds people, so its directory and files are for
 * their owner only, and backup programs are told to leave the directory out: a backup would keep whom the service has
 * deleted.
 */

const sync = { command: ['mirror', 'sync'] } as const;
const deletion = { command: ['mirror', 'delete'] } as const;

const notPrivate = (folder: string, reason: string, advice: string): SchedError =>
  new SchedError('environment', `A mirror can't be in ${folder}`, { reason, advice });

const mirrorDirectory = (runtime: HeadlessRuntime): string => {
  if (isHomeless('cache', runtime) || isHomeless('state', runtime))
    throw new SchedError('environment', 'No directory for a mirror', {
      reason: homeMissing(runtime),
      advice: 'set SCHED_CACHE_DIR and SCHED_STATE_DIR',
    });
  const folder = join(directory('cache', runtime), 'mirror');
  // Windows has no modes. Its directory of a user is private by the list of who may use it.
  const fromOwn = win32.relative(runtime.env.LOCALAPPDATA || runtime.home, folder);
  if (runtime.platform === 'win32' && (fromOwn.startsWith('..') || win32.isAbsolute(fromOwn)))
    throw notPrivate(folder, "only the user's own directory is known to be private", 'leave SCHED_CACHE_DIR unset');
  return folder;
};

/** The directory of mirrors, made if it is missing: private whatever the umask is. */
const privateDirectory = (runtime: HeadlessRuntime): string => {
  const folder = mirrorDirectory(runtime);
  ensurePrivateDirectory(folder);
  if (runtime.platform === 'win32') return folder;
  const isOpen = () => (lstatSync(folder).mode & 0o077) !== 0;
  try {
    if (isOpen()) chmodSync(folder, 0o700);
    if (!isOpen()) return folder;
  } catch (error) {
    throw diskTrouble('write', folder, error);
  }
  throw notPrivate(
    folder,
    'its disk has no modes, so others can read it',
    'set SCHED_CACHE_DIR to a directory elsewhere',
  );
};

/** Whose mirror it is: the profile, or the service and the token. */
export interface MirrorAccount {
  profile: string | undefined;
  baseUrl?: string | undefined;
  token?: string | undefined;
  /** The user of the stored login, which may be another one than before. */
  user?: string | undefined;
  /** The built-in sandbox. */
  isSandbox?: boolean;
}

/**
 * The mirror of the profile; without one, of the service and the token. An expired login still finds its mirror. Each
 * state directory has a sandbox of its own.
 */
export const mirrorFile = (runtime: HeadlessRuntime, { profile, baseUrl, token, isSandbox }: MirrorAccount): string => {
  const ofAccount = token === undefined ? ['profile', profile] : ['token', baseUrl, token];
  const facts = isSandbox ? ['sandbox', directoryPath('state', runtime)] : ofAccount;
  const name = hash('sha256', JSON.stringify(facts)).slice(0, 16);
  return join(mirrorDirectory(runtime), `${name}.db`);
};

/** Whether there are mirrors on this machine, or were. */
export const hasMirrors = (runtime: HeadlessRuntime): boolean =>
  !isHomeless('cache', runtime) &&
  !isHomeless('state', runtime) &&
  existsSync(join(directoryPath('cache', runtime), 'mirror'));

/** The mirrors of this user, of all accounts. */
export const allMirrors = (runtime: HeadlessRuntime): string[] => {
  if (!hasMirrors(runtime)) return [];
  const folder = privateDirectory(runtime);
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.db'))
      .map((name) => join(folder, name));
  } catch (error) {
    throw diskTrouble('read', folder, error);
  }
};

/** https://bford.info/cachedir/ */
const tag =
  'Signature: 8a477f597d28d172789f06886806bc55\n# Made by sched. Backups would keep people whom the service has deleted.\n';

/** Makes the directory of a mirror. */
export const makeMirrorDirectory = (runtime: HeadlessRuntime): void => {
  const path = join(privateDirectory(runtime), 'CACHEDIR.TAG');
  refuseLink('write', path);
  try {
    if (!existsSync(path)) writeFileSync(path, tag, { mode: 0o600 });
  } catch (error) {
    throw diskTrouble('write', path, error);
  }
};

export const removeMirror = (file: string): void => {
  try {
    for (const suffix of ['', ...sideFiles]) rmSync(`${file}${suffix}`, { force: true });
  } catch (error) {
    // Windows removes no file that somebody reads.
    throw diskTrouble('remove', file, error);
  }
};

/** Refuses a file that isn't this user's own, or is a link. */
const checkFile = (file: string, { uid }: HeadlessRuntime): void => {
  for (const path of ['', ...sideFiles].map((suffix) => `${file}${suffix}`)) {
    refuseLink('use', path);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found !== undefined && uid !== undefined && uid !== 0 && found.uid !== uid)
      throw new SchedError('environment', `Can't use the mirror ${path}`, { reason: 'it belongs to another user' });
  }
};

/** What an error of the database or of its disk means, with what to do. Undefined for any other error. */
export const mirrorTrouble = (file: string, error: unknown): SchedError | undefined => {
  const { message, code, syscall } = error as NodeJS.ErrnoException;
  const isBroken = code === 'SANDBOX_FILE' || /malformed|not a database/i.test(message);
  const isOfDisk = syscall !== undefined || /sqlite/i.test(String(code));
  if (error instanceof SchedError || (!isBroken && !isOfDisk)) return undefined;
  const reason = code === 'SANDBOX_FILE' ? message.replace('sandbox', 'mirror') : message;
  return new SchedError('environment', "Can't use the mirror", {
    reason: `${reason} (${file})`,
    outcome: 'not-sent',
    ...(isBroken && { hint: deletion }),
    ...(/\bfull\b/i.test(message) && {
      advice: 'free some space on the disk, and run the same command again: nothing is lost',
    }),
  });
};

/** Does something with an open mirror. */
const atMirror = async <Result>(file: string, work: () => Result | Promise<Result>): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    throw mirrorTrouble(file, error) ?? error;
  }
};

const openMirrorFile = (runtime: HeadlessRuntime, file: string): Promise<Store> => {
  privateDirectory(runtime);
  checkFile(file, runtime);
  return openMirror(file);
};

/** Does something with the file of a mirror, which may be new, and closes it. */
export const withMirrorFile = <Result>(
  runtime: HeadlessRuntime,
  file: string,
  work: (store: Store) => Result | Promise<Result>,
): Promise<Result> =>
  atMirror(file, async () => {
    const store = await openMirrorFile(runtime, file);
    try {
      return await work(store);
    } finally {
      store.close();
    }
  });

export const noMirror = (): SchedError =>
  new SchedError('environment', 'There is no mirror of this account yet', { hint: sync });

/** An open mirror. */
export interface Mirror {
  store: Store;
  file: string;
  facts: MirrorFacts;
}

const refuseEmpty = (): never => {
  throw noMirror();
};

/** Does something with a mirror that exists, and closes it. Its first sync may have made the file only. */
export const withMirror = <Result>(
  runtime: HeadlessRuntime,
  file: string,
  work: (mirror: Mirror) => Result | Promise<Result>,
  whenEmpty: () => Result = refuseEmpty,
): Promise<Result> =>
  withMirrorFile(runtime, file, (store) => {
    const facts = factsOf(store);
    return facts === undefined ? whenEmpty() : work({ store, file, facts });
  });

/** `from 1 Nov 2025 to 17 Dec 2027` */
export const windowText = ({ since, until }: Pick<MirrorFacts, 'since' | 'until'>, zone: string): string => {
  const wallAt = wallClock(zone);
  return `from ${fullDateLabel(wallAt(since))} to ${fullDateLabel(wallAt(until))}`;
};

const checkAge = (facts: MirrorFacts, { mirror }: RoomSettings, { clock }: HeadlessRuntime): string => {
  const most = mirror?.maxAgeMs;
  const ageMs = mirrorAge(facts, clock);
  const age = ageMs === undefined ? 'not complete' : ageText(ageMs);
  if (most !== undefined && (ageMs === undefined || ageMs > most))
    throw new SchedError('environment', `The mirror is ${age}`, {
      reason: words`${the('maxAge')} allows ${durationText(most / 1000)}`,
      hint: sync,
    });
  return `mirror, ${age}`;
};

/** Removes who is forgotten from a mirror. Throws if that can't be finished now: then nobody may read it. */
export const forgetMarked = async (place: MarkPlace, { store, file, facts }: Mirror): Promise<Marks> => {
  const known = await withMarks(place, (marks) => marks.read());
  forget(store, facts, known);
  if (isUnclean(store) && !wipe(store, file))
    throw new SchedError('environment', 'People who were deleted could not be removed from the mirror yet', {
      reason: 'another process is reading it',
      hint: sameCommand,
    });
  return known;
};

/** The connection to the mirror of an account: no network, no rate limit. */
export const openMirrorOf = async (
  runtime: HeadlessRuntime,
  settings: RoomSettings,
  notes: WorkNotes,
  account: MirrorAccount,
  dialect: Dialect | undefined,
) => {
  const file = mirrorFile(runtime, account);
  if (!existsSync(file)) throw noMirror();
  return atMirror(file, async () => {
    const store = await openMirrorFile(runtime, file);
    try {
      const facts = factsOf(store);
      if (facts === undefined) throw noMirror();
      const { baseUrl, root, user, organization } = facts;
      const refuseOther = (own: string, wanted = own): void => {
        if (wanted === own) return;
        const reason = `the account is that of ${wanted}`;
        throw new SchedError('environment', `This is the mirror of ${own}`, { reason, hint: deletion });
      };
      refuseOther(baseUrl, account.baseUrl);
      refuseOther(user, account.user);
      await forgetMarked({ runtime, settings, notes }, { store, file, facts });
      const time = mirrorClock(facts, runtime.clock);
      const age = checkAge(facts, settings, runtime);
      notes.place(account.isSandbox ? `sandbox, ${age}` : age);
      const answer = answerFromMirror({
        store: readOnly(store),
        facts,
        clock: time,
        dialect,
        window: windowText(facts, settings.zone),
        note: notes.info,
      });
      const send: typeof answer.send = (request) => atMirror(file, () => answer.send(request));
      return {
        baseUrl,
        credentials: { current: () => Promise.reject(new SchedError('auth', 'A mirror needs no token')) },
        isSandbox: account.isSandbox === true,
        defaults: { uriRoot: root },
        owner: { user, organization },
        now: time.now,
        mirror: {
          age,
          inviteesOf: answer.inviteesOf,
          send,
          sendPlain: send,
          serviceTime: () => undefined,
          now: time.now,
          askSandboxTime: async () => {},
        },
        close: async () => store.close(),
      };
    } catch (error) {
      store.close();
      throw error;
    }
  });
};

/** Says that the mirror of a profile stays after its login, and how to delete it. */
export const noteMirror = ({ runtime, notes, settings }: MarkPlace, profile: string): void => {
  if (!hasMirrors(runtime)) return;
  const file = mirrorFile(runtime, { profile });
  if (!existsSync(file)) return;
  const command = commandHere({ settings }, 'mirror', 'delete', basename(file, '.db'));
  notes.info(`A mirror of this account stays on this machine. To delete it: ${command}`);
};
