import { createRequire } from 'node:module';
import type { JqInput, JqOutput } from './jq-engine.ts';

/** Runs jq. Rejects with the signal's reason as soon as it is aborted, even while a program runs. */
export type RunJq = (question: JqInput, interrupted?: AbortSignal) => Promise<JqOutput>;

/** Path of the worker inside the standalone program; undefined elsewhere. */
declare const SCHED_JQ_WORKER: string | undefined;

const built = (): string =>
  typeof SCHED_JQ_WORKER === 'string'
    ? SCHED_JQ_WORKER
    : createRequire(import.meta.filename).resolve('../jq-worker.js');

const inThisThread = async (): Promise<RunJq> => {
  const { openEngine } = await import('./jq-engine.ts');
  const answer = await openEngine();
  return async (question) => answer(question);
};

const inAThread = async (file: string | URL = built()): Promise<RunJq> => {
  const { Worker } = await import('node:worker_threads');
  // A jq program gets its environment with the question, so the thread needs none.
  const worker = new Worker(file, { env: {} });
  worker.on('error', () => {}).unref();
  return (question, interrupted) =>
    new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        worker.off('message', done).off('error', fail).unref();
        interrupted?.removeEventListener('abort', stop);
        settle();
      };
      const done = (reply: JqOutput) => end(() => resolve(reply));
      const fail = (error: Error) => end(() => reject(error));
      const stop = () => {
        // Bun, which runs the standalone program, can't terminate a thread that is executing WebAssembly and would wait
        // for it forever. An unreferenced thread ends with the program.
        if (!('Bun' in globalThis)) worker.terminate();
        end(() => reject(interrupted!.reason));
      };
      if (interrupted?.aborted) return stop();
      interrupted?.addEventListener('abort', stop, { once: true });
      worker.on('message', done).on('error', fail).ref();
      worker.postMessage(question);
    });
};

/** Opens jq in a worker thread, or in this thread if the worker file doesn't exist because nothing is built. */
export const openJq = async (file?: URL): Promise<RunJq> => {
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
