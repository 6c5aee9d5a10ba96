import { constants } from 'node:fs';
import { link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

const privateMode = 0o600;

/** 0 where the platform has no such flag. */
export const noFollow = constants.O_NOFOLLOW ?? 0;

/** Without this a new name may be forgotten when the machine loses power. Not every platform can. */
export const syncDirectory = async (path: string): Promise<void> => {
  const handle = await open(path, constants.O_RDONLY).catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
};

interface WholeFile {
  content: string | Uint8Array;
  /** A path in the same directory that no other process uses. */
  draft: string;
  /** Whether a file that is there is replaced, or the write fails with EEXIST. */
  replace: boolean;
  mode?: number;
}

/** Writes a file whole or not at all, even if the process is killed or the machine loses power. */
export const writeWholeFile = async (
  path: string,
  { content, draft, replace, mode = privateMode }: WholeFile,
): Promise<void> => {
  // Outside the try: a draft that is there already is not ours to remove.
  const handle = await open(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow, mode);
  try {
    // The umask may have taken bits away. Some file systems have no modes.
    await handle.chmod(mode).catch(() => {});
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
