import { fstatSync, writeSync } from 'node:fs';
import { ClosedPipe, OutputFailure } from '../errors.ts';
import type { Output } from '../runtime.ts';

const failureOf = ({ code, message }: NodeJS.ErrnoException): Error =>
  code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED' ? new ClosedPipe() : new OutputFailure(code ?? message);

export const writeTo = (stream: NodeJS.WritableStream, text: string | Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(failureOf(error)) : resolve()));
  });

/** What is no device is no terminal, and to know that nothing has to be loaded. */
export const isTerminal = (descriptor: number): boolean => {
  try {
    if (!fstatSync(descriptor).isCharacterDevice()) return false;
  } catch {
    return false;
  }
  return process.getBuiltinModule('node:tty').isatty(descriptor);
};

/**
 * Opening a stream takes longer than writing a few lines. Node writes to files, pipes and terminals at once anyway but on
 * Windows, so elsewhere the system is asked directly; a stream is opened only for what is not taken at once.
 */
export const outputOf = (descriptor: 1 | 2, open: () => NodeJS.WriteStream): Output => {
  let opened: NodeJS.WriteStream | undefined;
  let isATerminal: boolean | undefined;
  let mayBeDirect = process.platform !== 'win32';
  const stream = (): NodeJS.WriteStream => {
    // Failures reach us through the callback of each write; without a listener they would also end the process.
    opened ??= open().on('error', () => {});
    return opened;
  };
  /** What the system does not take at once. */
  const writeDirectly = (text: string): string | Uint8Array => {
    let left: string | Uint8Array = text;
    try {
      // As a string it needs no copy, and nearly always it is taken whole.
      const written = writeSync(descriptor, text);
      left = Buffer.from(written < Buffer.byteLength(text) ? text : '').subarray(written);
      while (left.length > 0) left = left.subarray(writeSync(descriptor, left));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw failureOf(error as NodeJS.ErrnoException);
      mayBeDirect = false;
    }
    return left;
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
    write: async (text: string) => {
      const left = mayBeDirect ? writeDirectly(text) : text;
      if (left.length > 0) await writeTo(stream(), left);
    },
  };
  return output;
};
