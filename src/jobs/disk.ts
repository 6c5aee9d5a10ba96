import { constants, fdatasyncSync, fstatSync, writeSync } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { SchedError } from '../errors.ts';
import { noFollow, writeWholeFile } from '../state/whole-file.ts';

/**
 * A file that only grows. Adding to it is done at once: nothing else can be done before, and a detour through a thread
 * takes longer than a write to the memory of the system, and hardly less than a good disk.
 */
export interface Appendable {
  /** Bytes in it now. */
  size(): number;
  /** Of ASCII text. */
  append(text: string): void;
  /** What was appended is on disk when this returns. */
  sync(): void;
  /** Cuts off what a killed process left of its last line. */
  truncate(size: number): Promise<void>;
  close(): Promise<void>;
}

/** All that a receipt does to the disk, so that a test can stop it at any step. */
export interface Disk {
  /** A file that is there whole or not at all, with this text; refuses to replace one. */
  create(path: string, text: string, unique: string): Promise<void>;
  open(path: string): Promise<Appendable>;
  /** `undefined` if there is no such file. */
  read(path: string): Promise<Buffer | undefined>;
}

const words: Record<string, string> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota is used up',
  EFBIG: 'the file may not grow any further',
  EROFS: 'the file system is read-only',
  EACCES: 'not allowed',
  EPERM: 'not allowed',
  EEXIST: 'it is there already',
  ENOENT: 'no such directory',
  ELOOP: 'it is a symbolic link, and those are not followed',
  EISDIR: 'it is a directory',
};

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown error';

export const diskTrouble = (what: string, path: string, error: unknown): SchedError => {
  const code = codeOf(error);
  return new SchedError('environment', `Cannot ${what} ${path}`, {
    reason: words[code] === undefined ? code : `${words[code]} (${code})`,
    outcome: 'not-sent',
  });
};

const notAFile = (path: string): SchedError =>
  new SchedError('environment', `Cannot read ${path}`, { reason: 'it is not a file', outcome: 'not-sent' });

const attemptNow = <Value>(what: string, path: string, work: () => Value): Value => {
  try {
    return work();
  } catch (error) {
    throw diskTrouble(what, path, error);
  }
};

const attempt = async <Value>(what: string, path: string, work: () => Promise<Value>): Promise<Value> => {
  try {
    return await work();
  } catch (error) {
    throw error instanceof SchedError ? error : diskTrouble(what, path, error);
  }
};

/** The system nearly always takes it whole. */
const writeWhole = (descriptor: number, ascii: string): void => {
  for (let left = ascii; left !== ''; ) left = left.slice(writeSync(descriptor, left));
};

/** The real one. */
export const realDisk: Disk = {
  create: (path, text, unique) =>
    attempt('write', path, () => writeWholeFile(path, { content: text, draft: `${path}.${unique}`, replace: false })),

  open: (path) =>
    attempt('write', path, async () => {
      const handle = await open(path, constants.O_RDWR | constants.O_APPEND | noFollow);
      return {
        size: () => attemptNow('read', path, () => fstatSync(handle.fd).size),
        append: (text) => attemptNow('write', path, () => writeWhole(handle.fd, text)),
        sync: () => attemptNow('write', path, () => fdatasyncSync(handle.fd)),
        truncate: (size) =>
          attempt('repair', path, async () => {
            await handle.truncate(size);
            await handle.sync();
          }),
        close: () => handle.close(),
      };
    }),

  read: (path) =>
    attempt('read', path, async () => {
      const found = await lstat(path).catch((error: unknown) => {
        if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return undefined;
        throw error;
      });
      if (found === undefined) return undefined;
      // A pipe may never say anything, and a device never end.
      if (!found.isFile() && !found.isDirectory() && !found.isSymbolicLink()) throw notAFile(path);
      const handle = await open(path, constants.O_RDONLY | noFollow);
      try {
        return await handle.readFile();
      } finally {
        await handle.close();
      }
    }),
};
