import { codeOf, SchedError, systemReason } from '../base/errors.ts';
import { constants, fdatasyncSync, fstatSync, lstat, open, writeSync } from '../node/files.ts';
import { noFollow, writeWholeFile } from './whole-file.ts';

/**
 * An append-only file. Writes are synchronous: the run has to wait for them anyway, and the thread pool takes longer
 * than a write to the page cache, and nearly as long as a good disk.
 */
export interface Appendable {
  /** Current size in bytes. */
  size(): number;
  /** Appends text, which must be ASCII. */
  append(text: string): void;
  /** Flushes to disk: everything appended so far is on disk when this returns. */
  sync(): void;
  /** Cuts off the unfinished last line of a killed process. */
  truncate(size: number): Promise<void>;
  close(): Promise<void>;
}

/** Every disk operation of a receipt, so that a test can stop it at any step. */
export interface Disk {
  /** Creates a file with this text, completely or not at all. Fails if the file exists. */
  create(path: string, text: string, unique: string): Promise<void>;
  open(path: string): Promise<Appendable>;
  /** The content of a file, or `undefined` if it doesn't exist. */
  read(path: string): Promise<Buffer | undefined>;
}

export const diskTrouble = (what: string, path: string, error: unknown): SchedError =>
  new SchedError('environment', `Can't ${what} ${path}`, { reason: systemReason(error), outcome: 'not-sent' });

const notAFile = (path: string): SchedError =>
  new SchedError('environment', `Can't read ${path}`, { reason: 'it is not a file', outcome: 'not-sent' });

const attemptNow = <Value>(what: string, path: string, work: () => Value): Value => {
  try {
    return work();
  } catch (error) {
    throw diskTrouble(what, path, error);
  }
};

/** Does something to a path. An error of the system becomes one that says what failed and why. */
export const attempt = async <Value>(what: string, path: string, work: () => Promise<Value>): Promise<Value> => {
  try {
    return await work();
  } catch (error) {
    throw error instanceof SchedError ? error : diskTrouble(what, path, error);
  }
};

/** Writes all of the text, which nearly always takes one call. */
const writeWhole = (descriptor: number, ascii: string): void => {
  for (let rest = ascii; rest !== ''; ) rest = rest.slice(writeSync(descriptor, rest));
};

export const realDisk: Disk = {
  create: (path, text, unique) =>
    attempt('write', path, () => writeWholeFile(path, { content: text, draft: `${path}.${unique}` })),

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
      const stats = await lstat(path).catch((error: unknown) => {
        if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return undefined;
        throw error;
      });
      if (stats === undefined) return undefined;
      // A pipe may never send anything, and a device may never end.
      if (!stats.isFile() && !stats.isDirectory() && !stats.isSymbolicLink()) throw notAFile(path);
      const handle = await open(path, constants.O_RDONLY | noFollow);
      try {
        return await handle.readFile();
      } finally {
        await handle.close();
      }
    }),
};
