import { constants } from 'node:fs';
import { link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

const privateMode = 0o600;

/** 0 if the platform doesn't have the flag. */
export const noFollow = constants.O_NOFOLLOW ?? 0;

/**
 * Without this flag, opening a named pipe for reading blocks a thread until a writer comes, and no signal can end the
 * program meanwhile.
 */
export const noWait = constants.O_NONBLOCK ?? 0;

/** Without this, a new file name may be lost in a power cut. Not every platform supports it. */
export const syncDirectory = async (path: string): Promise<void> => {
  const handle = await open(path, constants.O_RDONLY).catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
};

interface WholeFile {
  content: string | Uint8Array;
  /** A path in the same directory that no other process uses. */
  draft: string;
  /** Whether to replace an existing file. If false, the write fails with EEXIST. */
  replace: boolean;
}

/** Writes a file completely or not at all, even if the process is killed or the machine loses power. */
export const writeWholeFile = async (path: string, { content, draft, replace }: WholeFile): Promise<void> => {
  // Outside the try: an existing draft belongs to another process and must not be removed.
  const handle = await open(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow, privateMode);
  try {
    // The umask may have cleared some bits. Some file systems have no modes.
    await handle.chmod(privateMode).catch(() => {});
    await handle.writeFile(content);
    await handle.sync();
    await handle.close();
    await (replace ? rename : link)(draft, path);
  } finally {
    await handle.close().catch(() => {});
    await rm(draft, { force: true }).catch(() => {});
  }
  await syncDirectory(dirname(path));
};
