import { watch } from 'node:fs';

/**
 * A pause that ends when something in the directory changes, for one task at a time. A change between two pauses counts
 * for the second one. The first pause ends at once: nothing was watched before it.
 *
 * @param {string} directory
 * @returns {(signal?: AbortSignal) => Promise<void>}
 */
export const untilChange = (directory) => {
  /** @type {import('node:fs').FSWatcher | undefined} */
  let watcher;
  let isChanged = true;
  let wake = () => {};
  return async (signal) => {
    watcher ??= watch(directory, () => {
      isChanged = true;
      wake();
    });
    watcher.ref();
    /** @type {(() => void) | undefined} */
    let stop;
    try {
      if (isChanged) return;
      await new Promise((resolve, reject) => {
        wake = () => resolve(undefined);
        stop = () => reject(signal?.reason);
        signal?.addEventListener('abort', stop);
      });
    } finally {
      if (stop !== undefined) signal?.removeEventListener('abort', stop);
      isChanged = false;
      // A watcher keeps the process alive.
      watcher.unref();
    }
  };
};
