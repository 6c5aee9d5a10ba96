import { createRequire } from 'node:module';
import type { Question, Reply } from './jq-engine.ts';

/** Asks jq. Rejects with the signal's reason as soon as it is aborted, whatever the program is doing. */
export type Ask = (question: Question, interrupted?: AbortSignal) => Promise<Reply>;

/** Set in the standalone program, which has it inside. */
declare const SCHED_JQ_WORKER: string | undefined;

/** Where the built program has it. */
const built = (): string =>
  typeof SCHED_JQ_WORKER === 'string'
    ? SCHED_JQ_WORKER
    : createRequire(import.meta.filename).resolve('../jq-worker.js');

const inThisThread = async (): Promise<Ask> => {
  const { openEngine } = await import('./jq-engine.ts');
  const answer = await openEngine();
  return async (question) => answer(question);
};

const inAThread = async (file: string | URL = built()): Promise<Ask> => {
  const { Worker } = await import('node:worker_threads');
  // The environment that a program sees comes with the question; the thread itself needs none.
  const worker = new Worker(file, { env: {} });
  worker.on('error', () => {}).unref();
  return (question, interrupted) =>
    new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        worker.off('message', done).off('error', fail).unref();
        interrupted?.removeEventListener('abort', stop);
        settle();
      };
      const done = (reply: Reply) => end(() => resolve(reply));
      const fail = (error: Error) => end(() => reject(error));
      const stop = () => {
        // What runs the standalone program cannot end a thread in WebAssembly, and would wait for ever for one that it was
        // told to end. One that nothing refers to ends with the program.
        if (!('Bun' in globalThis)) worker.terminate();
        end(() => reject(interrupted!.reason));
      };
      if (interrupted?.aborted) return stop();
      interrupted?.addEventListener('abort', stop, { once: true });
      worker.on('message', done).on('error', fail).ref();
      worker.postMessage(question);
    });
};

/** jq in a thread of its own; in this one where there is no such file, because nothing is built. */
export const openJq = async (file?: URL): Promise<Ask> => {
  let ask = await inAThread(file).catch(inThisThread);
  return async (question, interrupted) => {
    try {
      return await ask(question, interrupted);
    } catch (error) {
      if (interrupted?.aborted) throw error;
      ask = await inThisThread();
      return ask(question);
    }
  };
};
