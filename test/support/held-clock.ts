import type { Clock } from '../../src/base/system.ts';
import { someday } from './run.ts';

/** A clock that stands still: its sleeps end only when the test ends them, or when their signal is aborted. */
export const heldClock = () => {
  const sleeping = new Map<symbol, { milliseconds: number; wake: () => void }>();
  const sleep: Clock['sleep'] = (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const one = Symbol();
      sleeping.set(one, { milliseconds, wake: resolve });
      signal?.addEventListener('abort', () => {
        sleeping.delete(one);
        reject(signal.reason);
      });
    });
  return {
    now: () => someday,
    sleep,
    /** The lengths of the sleeps that have not ended. */
    sleeping: () => [...sleeping.values()].map(({ milliseconds }) => milliseconds),
    /** Ends the sleeps of this length. */
    end: (milliseconds: number) => {
      for (const [one, sleep] of sleeping) {
        if (sleep.milliseconds !== milliseconds) continue;
        sleeping.delete(one);
        sleep.wake();
      }
    },
  };
};
