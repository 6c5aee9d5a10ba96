import { createRequire } from 'node:module';
import type { Peer } from '../runtime.ts';

/** Asks a thread. Rejects with the signal's reason as soon as it is aborted, even while the thread works. */
export type AskThread<Question, Answer> = (question: Question, interrupted?: AbortSignal) => Promise<Answer>;

/** Where the worker files are inside the standalone program; undefined elsewhere. */
declare const SCHED_WORKERS: string | undefined;

/** The file of a worker, which is built beside the program. */
const built = (name: string): string =>
  typeof SCHED_WORKERS === 'string'
    ? `${SCHED_WORKERS}${name}.js`
    : createRequire(import.meta.filename).resolve(`../${name}.js`);

/** Starts a thread that answers one question at a time. It can be stopped although it never ends. Fails if nothing is built. */
export const startThread = async <Question, Answer>(
  name: string,
  file: string | URL = built(name),
): Promise<AskThread<Question, Answer>> => {
  const { Worker } = await import('node:worker_threads');
  // A question brings all that it needs, so the thread gets no environment.
  const worker = new Worker(file, { env: {} });
  worker.on('error', () => {}).unref();
  return (question, interrupted) =>
    new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        worker.off('message', finish).off('error', fail).unref();
        interrupted?.removeEventListener('abort', stop);
        settle();
      };
      const finish = (reply: Answer) => end(() => resolve(reply));
      const fail = (error: Error) => end(() => reject(error));
      const stop = () => {
        // Bun, which runs the standalone program, can't terminate a thread that is executing WebAssembly and would wait
        // for it forever. An unreferenced thread ends with the program.
        if (!('Bun' in globalThis)) worker.terminate();
        end(() => reject(interrupted!.reason));
      };
      if (interrupted?.aborted) return stop();
      interrupted?.addEventListener('abort', stop, { once: true });
      worker.on('message', finish).on('error', fail).ref();
      worker.postMessage(question);
    });
};

/** Lets a thread answer one question of the process that started this one. Both are JSON. */
export const answerParent = async (parentProcess: Peer, name: string): Promise<void> => {
  try {
    const ask = await startThread<unknown, unknown>(name);
    const question = await parentProcess.hear();
    if (question !== undefined) parentProcess.say(JSON.stringify(await ask(JSON.parse(question))));
  } finally {
    parentProcess.leave();
  }
};
