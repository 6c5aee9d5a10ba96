import { watch } from 'node:fs';

/**
 * A pause that ends when something in the directories changes. A change between two pauses counts for the second one.
 * A pause that finds a new directory ends at once: something may have changed there before.
 *
 * @param {() => string[]} directories
 * @returns {(signal?: AbortSignal) => Promise<void>}
 */
export const untilChange = (directories) => {
  /** @type {Map<string, import('node:fs').FSWatcher>} */
  const watchers = new Map();
  let isChanged = false;
  let wake = () => {};
  const change = () => {
    isChanged = true;
    wake();
  };
  return async (signal) => {
    for (const directory of directories()) {
      if (watchers.has(directory)) continue;
      watchers.set(directory, watch(directory, change));
      isChanged = true;
    }
    for (const watcher of watchers.values()) watcher.ref();
    try {
      if (isChanged) return;
      await new Promise((resolve, reject) => {
        wake = () => resolve(undefined);
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    } finally {
      isChanged = false;
      // A watcher keeps the process alive.
      for (const watcher of watchers.values()) watcher.unref();
    }
  };
};
