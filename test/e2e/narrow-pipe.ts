import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { execFileSync } from '../support/processes.ts';
import { until } from '../support/until.ts';

/** Tests whether the pipe is full: a few bytes that the programs here never print. */
const probe = 0;
const probes = new Uint8Array(16).fill(probe);

/** A pipe that takes 64 KiB (pipe(7)). Its reader can tell when the writer has to wait. */
export const narrowPipe = (home: string) => {
  const path = join(home, 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  // Opened a second time, because Node makes the stdout of a child process blocking, and a copy with it.
  const prober = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  const buffer = Buffer.alloc(65_536);
  /** Returns undefined if the system call would have to wait. */
  const unlessBlocked = <Value>(call: () => Value): Value | undefined => {
    try {
      return call();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined;
      throw error;
    }
  };
  const isFull = () => unlessBlocked(() => writeSync(prober, probes)) === undefined;
  return {
    /** For the `stdio` of a child process. */
    writer,
    /**
     * Resolves when not even a few more bytes fit, or `isOver`. There is no event for it, and each look adds some: a
     * writer has to wait as soon as no page of memory is free, and the looks fill the last one.
     */
    untilFull: (isOver = () => false): Promise<void> => until(() => isOver() || isFull()),
    /** Reads what is in the pipe. */
    read: (): Buffer => {
      const size = unlessBlocked(() => readSync(reader, buffer)) ?? 0;
      return Buffer.from(buffer.subarray(0, size).filter((byte) => byte !== probe));
    },
    close: () => {
      closeSync(writer);
      closeSync(prober);
      closeSync(reader);
    },
  };
};
