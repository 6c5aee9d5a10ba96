import { onTestFinished } from 'vitest';
import { untilChange } from './changes.js';

/** Not at once: a busy loop would take the CPU from the process that the test waits for. */
const shortly = () => new Promise<void>((resolve) => setTimeout(resolve, 5));

/**
 * Resolves when the condition holds. Looks again when something in the directory changes, or shortly without one. The
 * time limit of the test is the only one.
 */
export const until = async (condition: () => unknown, directory?: string): Promise<void> => {
  const over = new AbortController();
  onTestFinished(() => over.abort(new Error('the test has ended')));
  const pause = directory === undefined ? shortly : untilChange(directory);
  while (!(await condition())) {
    over.signal.throwIfAborted();
    await pause(over.signal);
  }
};
