/**
 * The program with a clock that the test moves. `CLOCK_FILE` names a file with the milliseconds by which the clock is
 * ahead. A wait ends when the clock has been moved by its length. That counts from the start of the program: the test
 * may move the clock just before the wait begins.
 *
 * Short pauses, such as those between two looks at a lock, end after 5 ms, or when something changes in the directory
 * named by `LOCKS`: many processes that look again at once would slow down the one they wait for.
 */
import { readFileSync, watch } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { untilChange } from '../support/changes.js';

const load = createRequire(import.meta.url);
const { run } = load('../../dist/main.js');
const { nodeRuntime } = load('../../dist/runtime.js');

const shortPauseMs = 4000;

const file = /** @type {string} */ (process.env.CLOCK_FILE);
const ahead = () => Number(readFileSync(file, 'utf8'));
const aheadAtStart = ahead();

const { LOCKS } = process.env;
const shortly = () => new Promise((resolve) => setTimeout(resolve, 5));
const pause = LOCKS === undefined ? shortly : untilChange(LOCKS);

/**
 * @param {number} milliseconds
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
const wait = (milliseconds, signal) =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const look = () => {
      if (ahead() - aheadAtStart < milliseconds) return;
      watcher.close();
      resolve();
    };
    // The file is replaced, so its directory is watched.
    const watcher = watch(dirname(file), look);
    look();
    signal?.addEventListener('abort', () => {
      watcher.close();
      reject(signal.reason);
    });
  });

const clock = {
  now: () => Date.now() + ahead(),
  /** @type {typeof wait} */
  sleep: (milliseconds, signal) => (milliseconds < shortPauseMs ? pause(signal) : wait(milliseconds, signal)),
};
process.exitCode = await run(process.argv.slice(2), Object.assign(nodeRuntime(), { clock }));
