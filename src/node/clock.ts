import type { World } from '../runtime.ts';
import type { Clock } from '../system.ts';

/** Longest timer that Node supports: one beyond 2³¹ − 1 ms would fire at once. */
const longestTimer = 2 ** 31 - 1;

export const every: World['every'] = (milliseconds, call) => {
  const timer = setInterval(call, milliseconds).unref();
  return () => clearInterval(timer);
};

export const clock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const abort = () => {
        clearTimeout(timer);
        reject(signal!.reason);
      };
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        },
        Math.min(milliseconds, longestTimer),
      );
      signal?.addEventListener('abort', abort, { once: true });
    }),
};
