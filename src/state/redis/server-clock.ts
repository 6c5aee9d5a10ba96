import type { Clock } from '../../base/system.ts';

/**
 * Compares this machine's clock with the one of the Redis server, which all machines share.
 *
 * A reply that was asked for at `a`, received at `b` and says that the server's time is S means: the server is ahead by
 * at least S − b and at most S − a. All replies together give the narrowest bounds. If the bounds contradict each other, a clock was set, and only the last reply counts.
 */
export const createServerClock = (clock: Pick<Clock, 'now'>) => {
  let least = Number.NEGATIVE_INFINITY;
  let most = Number.POSITIVE_INFINITY;

  /** Runs work whose result has the server's time in whole milliseconds. */
  const measure = async <Value>(work: () => Promise<{ now: number; value: Value }>): Promise<Value> => {
    const start = clock.now();
    const { now, value } = await work();
    const end = clock.now();
    // All three times are rounded down.
    const [low, high] = [now - end - 1, now + 1 - start];
    [least, most] = [Math.max(least, low), Math.min(most, high)];
    if (least > most) [least, most] = [low, high];
    return value;
  };

  return {
    measure,
    /** How far the server's clock is ahead of this machine's. */
    ahead: (): number => Math.round((least + most) / 2),
    /** How far `ahead` may be wrong, in either direction. */
    doubtMs: (): number => Math.ceil((most - least) / 2),
  };
};

export type ServerClock = ReturnType<typeof createServerClock>;
