import { onTestFinished } from 'vitest';
import { untilChange } from './changes.js';

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * Resolves when the condition holds. Looks again when something in the directory changes, or without one at the next
 * turn of the event loop. The time limit of the test is the only one.
 */
export const until = async (condition: () => unknown, directory?: string): Promise<void> => {
  const over = new AbortController();
  onTestFinished(() => over.abort(new Error('the test has ended')));
  const pause = directory === undefined ? nextTurn : untilChange(directory);
  while (!(await condition())) {
    over.signal.throwIfAborted();
    await pause(over.signal);
  }
};
