import type { JqInput, JqOutput } from './jq-engine.ts';
import { type AskThread, startThread } from './thread.ts';

/** Runs jq. Rejects with the signal's reason as soon as it is aborted, even while a program runs. */
export type RunJq = AskThread<JqInput, JqOutput>;

const inThisThread = async (): Promise<RunJq> => {
  const { openEngine } = await import('./jq-engine.ts');
  const answer = await openEngine();
  return async (question) => answer(question);
};

/** Opens jq in a worker thread, or in this thread if the worker file doesn't exist because nothing is built. */
export const openJq = async (file?: URL): Promise<RunJq> => {
  let ask = await startThread<JqInput, JqOutput>('jq-worker', file).catch(inThisThread);
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
