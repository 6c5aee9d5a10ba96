import type { Result, TestWorld, WorldOptions } from './run.ts';
import { closeLater } from './temporary.ts';

type Run = TestWorld['run'];

export interface Serving {
  /** The first words on stdout, which say where it listens. */
  text: string;
  /** Stops it as a signal would. */
  stop(): Promise<Result>;
}

/** `sched sandbox start` in this process: real sockets on a free port, until it is stopped or the test file is done. */
export const startServing = async (run: Run, flags: string[], more: WorldOptions = {}): Promise<Serving> => {
  const signal = new AbortController();
  const stopLater = closeLater(() => signal.abort());
  let ended: Promise<Result> | undefined;
  const text = await new Promise<string>((resolve, reject) => {
    ended = run(['sandbox', 'start', '--port', '0', ...flags], {
      ...more,
      interrupted: signal.signal,
      onStdout: resolve,
    });
    ended.then(({ stderr }) => reject(new Error(`the sandbox ended: ${stderr}`)), reject);
  });
  return {
    text,
    stop: () => {
      stopLater();
      return ended!;
    },
  };
};
