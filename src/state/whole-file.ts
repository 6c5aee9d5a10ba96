import { dirname } from 'node:path';
import { codeOf, SchedError, systemReason } from '../base/errors.ts';
import type { Clock, System } from '../base/system.ts';
import { constants, link, open, rename, rm } from '../node/files.ts';

const privateMode = 0o600;

/** 0 if the platform doesn't have the flag. */
export const noFollow = constants.O_NOFOLLOW ?? 0;

/**
 * Without this flag, opening a named pipe for reading blocks a thread until a writer comes, and no signal can end the
 * program meanwhile.
 */
export const noWait = constants.O_NONBLOCK ?? 0;

/** How a platform or a disk says that it can't put the names in a directory on disk. */
const unsupported = ['EACCES', 'EBADF', 'EINVAL', 'EISDIR', 'ENOSYS', 'ENOTSUP', 'EPERM', 'EROFS'];

export const unlessUnsupported = (error: unknown): undefined => {
  if (!unsupported.includes(codeOf(error))) throw error;
};

/** Without this, a new file name may be lost in a power cut. */
export const syncDirectory = async (path: string): Promise<void> => {
  const handle = await open(path, constants.O_RDONLY).catch(unlessUnsupported);
  try {
    await handle?.sync().catch(unlessUnsupported);
  } finally {
    await handle?.close();
  }
};

/** Puts a change on disk that everybody sees already: the error must not say that nothing has changed. */
export const keepChange = (path: string, change: 'written' | 'removed'): Promise<void> =>
  syncDirectory(dirname(path)).catch((error: unknown) => {
    throw new SchedError('environment', `${path} is ${change}, but that may not last`, {
      reason: `${systemReason(error)}: a power cut may undo it`,
      advice: 'check the disk, then run the same command again',
    });
  });

/** Where a file is replaced. */
export type RenameWorld = Pick<System, 'platform'> & { readonly clock: Pick<Clock, 'sleep'> };

/** How Windows refuses to replace or move a file that another program has open: a reader, a virus scanner, an indexer. */
const inUse = ['EACCES', 'EBUSY', 'EPERM'];
const pausesMs = [10, 20, 50, 100, 200, 500, 1000];

/** Replaces a file. On Windows, waits up to two seconds for programs that have it open. */
const renameOver = (from: string, to: string, world: RenameWorld, [pause, ...later] = pausesMs): Promise<void> =>
  rename(from, to).catch(async (error: unknown) => {
    if (world.platform !== 'win32' || pause === undefined || !inUse.includes(codeOf(error))) throw error;
    await world.clock.sleep(pause);
    return renameOver(from, to, world, later);
  });

/** How `link` fails on a disk without hard links: exFAT on Windows says EISDIR, FAT on Linux EPERM, network disks vary. */
export const lacksLinks = (error: unknown): boolean =>
  ['EACCES', 'EISDIR', 'ENOSYS', 'ENOTSUP', 'EPERM'].includes(codeOf(error));

/** Names a finished draft, unless the name is taken. */
const nameOnce = async (draft: string, path: string): Promise<void> => {
  try {
    await link(draft, path);
  } catch (error) {
    if (!lacksLinks(error)) throw error;
    // Takes the name with an empty file first. A process killed in between leaves that file, which is no valid record.
    await (await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow, privateMode)).close();
    await rename(draft, path).catch(async (problem: unknown) => {
      await rm(path, { force: true });
      throw problem;
    });
  }
};

interface WholeFile {
  content: string | Uint8Array;
  /** A path in the same directory that no other process uses. */
  draft: string;
  /** Replaces an existing file. If missing, the write fails with EEXIST. */
  replaceIn?: RenameWorld;
  /** It stays if its name can't be put on disk: another process may have written to it. */
  stays?: true;
}

/** Writes a file completely or not at all, even if the process is killed or the machine loses power. */
export const writeWholeFile = async (path: string, { content, draft, replaceIn, stays }: WholeFile): Promise<void> => {
  // Outside the try: an existing draft belongs to another process and must not be removed.
  const handle = await open(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow, privateMode);
  try {
    // The umask may have cleared some bits. Some file systems have no modes.
    await handle.chmod(privateMode).catch(() => {});
    await handle.writeFile(content);
    await handle.sync();
    await handle.close();
    await (replaceIn === undefined ? nameOnce(draft, path) : renameOver(draft, path, replaceIn));
  } finally {
    await handle.close().catch(() => {});
    await rm(draft, { force: true }).catch(() => {});
  }
  if (replaceIn !== undefined || stays) return keepChange(path, 'written');
  await syncDirectory(dirname(path)).catch(async (error: unknown) => {
    // Nobody must take a record for valid whose writer was told that it failed.
    await rm(path, { force: true }).catch(() => {});
    throw error;
  });
};
