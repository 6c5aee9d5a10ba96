import { fstatSync, writeSync } from 'node:fs';
import { ClosedPipe, OutputFailure, systemReason } from '../base/errors.ts';
import type { Output } from '../runtime.ts';

/** The reader is gone. Node's pipe to a child is a socket, which is reset if the child leaves something unread. */
const closedCodes = ['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED'];

const outputError = (error: NodeJS.ErrnoException): Error =>
  closedCodes.includes(error.code ?? '') ? new ClosedPipe() : new OutputFailure(systemReason(error));

export const writeTo = (stream: NodeJS.WritableStream, text: string | Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(outputError(error)) : resolve()));
  });

/** Files and pipes are ruled out with fstat first, so that most commands needn't load `node:tty`. */
export const isTerminal = (descriptor: number): boolean => {
  try {
    if (!fstatSync(descriptor).isCharacterDevice()) return false;
  } catch {
    return false;
  }
  return process.getBuiltinModule('node:tty').isatty(descriptor);
};

/** Moves to the first column and erases the line (ECMA-48 §8.3.41). */
export const clearLine = '\r\x1b[K';

export interface LineState {
  /** Whether the last text didn't end its line: the status line is on the screen. */
  readonly isMidLine: boolean;
}

/**
 * Opening a stream takes longer than writing a few lines. Except on Windows, Node writes to files, pipes and terminals
 * synchronously anyway, so this writes to the descriptor directly. A stream is opened only for bytes that the OS
 * doesn't accept at once.
 */
export const outputOf = (descriptor: 1 | 2, open: () => NodeJS.WriteStream): Output & LineState => {
  let terminal: NodeJS.WriteStream | undefined;
  let isATerminal: boolean | undefined;
  let isMidLine = false;
  let mayBeDirect = process.platform !== 'win32';
  let over: AbortSignal | undefined;
  const stream = (): NodeJS.WriteStream => {
    // Each write's callback reports its failure. Without this listener, a failure would also end the process.
    terminal ??= open().on('error', () => {});
    return terminal;
  };
  /** Returns the bytes that the OS didn't accept. */
  const writeDirectly = (text: string): string | Uint8Array => {
    let rest: string | Uint8Array = text;
    try {
      // A string needs no copy, and the OS nearly always accepts all of it.
      const count = writeSync(descriptor, text);
      rest = Buffer.from(count < Buffer.byteLength(text) ? text : '').subarray(count);
      while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw outputError(error as NodeJS.ErrnoException);
      mayBeDirect = false;
    }
    return rest;
  };
  /** Waits for the reader, but not after the signal. What is left would keep the process running. */
  const untilOver = (write: Promise<void>): Promise<void> => {
    if (over === undefined || over.aborted) return write;
    const signal = over;
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        stream().destroy();
        reject(signal.reason);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      write.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
    });
  };
  const output = {
    get isTerminal() {
      isATerminal ??= isTerminal(descriptor);
      return isATerminal;
    },
    get columns() {
      return (output.isTerminal ? stream().columns : undefined) ?? 80;
    },
    get rows() {
      return (output.isTerminal ? stream().rows : undefined) ?? 24;
    },
    get isMidLine() {
      return isMidLine;
    },
    write: async (text: string) => {
      isMidLine = !text.endsWith('\n') && !text.endsWith(clearLine);
      const rest = mayBeDirect ? writeDirectly(text) : text;
      if (rest.length > 0) await untilOver(writeTo(stream(), rest));
    },
    unblock: (signal: AbortSignal) => {
      mayBeDirect = false;
      over = signal;
    },
  };
  return output;
};
