import { Socket } from 'node:net';
import { addAbortSignal, type Readable } from 'node:stream';
import { isatty, ReadStream as TerminalStream } from 'node:tty';
import { codeOf, mostInputBytes, SchedError, TooLarge } from '../base/errors.ts';
import { closeSync, constants, createReadStream, fstatSync, openSync } from '../node/files.ts';
import { noWait } from './whole-file.ts';

/*
 * Files that the user named: a regular file, a named pipe, `<(…)`, a terminal or a device.
 */

/** A stream that waits in the event loop, where a signal can end it, and not in a thread. */
const streamOf = (descriptor: number): Readable => {
  if (isatty(descriptor)) return new TerminalStream(descriptor);
  if (fstatSync(descriptor).isFIFO()) return new Socket({ fd: descriptor, readable: true, writable: false });
  return createReadStream('', { fd: descriptor, highWaterMark: 1 << 18 });
};

const openStream = (path: string): Readable => {
  const descriptor = openSync(path, constants.O_RDONLY | noWait);
  try {
    return streamOf(descriptor);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
};

/**
 * Reads a whole stream. Throws `TooLarge` if it has more than `most` bytes. Rejects with the signal's reason if it is
 * aborted, also while waiting for a writer.
 */
export const readStream = async (open: () => Readable, interrupted: AbortSignal, most: number): Promise<Buffer> => {
  interrupted.throwIfAborted();
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of addAbortSignal(interrupted, open()) as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > most) throw new TooLarge(most);
    }
  } catch (error) {
    interrupted.throwIfAborted();
    throw error;
  }
  return Buffer.concat(chunks);
};

export const readNamedFile = (path: string, interrupted: AbortSignal, most = mostInputBytes): Promise<Buffer> =>
  readStream(() => openStream(path), interrupted, most);

/** Reads the text of the file that an environment variable names. */
export const readTextNamedIn = async (
  variable: string,
  { env, interrupted }: { env: Readonly<Record<string, string | undefined>>; interrupted: AbortSignal },
  most: number,
): Promise<string> => {
  const bytes = await readNamedFile(env[variable]!, interrupted, most).catch((error: unknown) => {
    interrupted.throwIfAborted();
    throw new SchedError('environment', `Can't read the file named in ${variable}`, { reason: codeOf(error) });
  });
  return bytes.toString('utf8');
};
