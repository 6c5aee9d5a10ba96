import { closeSync, constants, createReadStream, fstatSync, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { addAbortSignal, type Readable } from 'node:stream';
import { isatty, ReadStream as TerminalStream } from 'node:tty';
import { mostInputBytes, TooLarge } from '../errors.ts';
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

const opened = (path: string): Readable => {
  const descriptor = openSync(path, constants.O_RDONLY | noWait);
  try {
    return streamOf(descriptor);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
};

/** Reads a file piece by piece. Rejects with the signal's reason if it is aborted, also while waiting for a writer. */
export async function* namedFileChunks(path: string, interrupted: AbortSignal): AsyncGenerator<Uint8Array> {
  interrupted.throwIfAborted();
  try {
    for await (const chunk of addAbortSignal(interrupted, opened(path))) yield chunk as Buffer;
  } catch (error) {
    interrupted.throwIfAborted();
    throw error;
  }
}

/** Reads a whole file. Throws `TooLarge` if it has more than `most` bytes. */
export const readNamedFile = async (path: string, interrupted: AbortSignal, most = mostInputBytes): Promise<Buffer> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of namedFileChunks(path, interrupted)) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > most) throw new TooLarge(most);
  }
  return Buffer.concat(chunks);
};
