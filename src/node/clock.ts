import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../base/system.ts';
import type { World } from '../runtime.ts';

/** Longest timer that Node supports: one beyond 2³¹ − 1 ms would fire at once. */
const longestTimer = 2 ** 31 - 1;

export const every: World['every'] = (milliseconds, call) => {
  const timer = setInterval(call, milliseconds).unref();
  return () => clearInterval(timer);
};

export const clock: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) =>
    delay(Math.min(milliseconds, longestTimer), undefined, signal && { signal }).catch(() => {
      throw signal!.reason;
    }),
};
