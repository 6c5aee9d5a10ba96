import type { Clock } from '../../system.ts';
/**
 * Translates between this machine's clock and the one of the Redis server, which all machines share.
 *
 * A reply that was asked for at `a`, received at `b` and says that the server's time is S means: the server is ahead by
 * at least S − b and at most S − a. All replies together give the narrowest bounds. A bound is used where it can only
 * make a command wait longer. If the bounds contradict each other, a clock was set, and only the last reply counts.
 */
export const createServerClock = (clock: Pick<Clock, 'now'>) => {
  let least = Number.NEGATIVE_INFINITY;
  let most = Number.POSITIVE_INFINITY;
  const middle = (): number => Math.round((least + most) / 2);

  /** Runs work whose result has the server's time in whole milliseconds. */
  const measure = async <Value>(work: () => Promise<{ now: number; value: Value }>): Promise<Value> => {
    const asked = clock.now();
    const { now, value } = await work();
    const received = clock.now();
    // All three times are rounded down.
    const [low, high] = [now - received - 1, now + 1 - asked];
    [least, most] = [Math.max(least, low), Math.min(most, high)];
    if (least > most) [least, most] = [low, high];
    return value;
  };

  return {
    measure,
    /** How far the server's clock is ahead of this machine's. */
    ahead: middle,
    /** How far `ahead` may be wrong, in either direction. */
    doubtMs: (): number => Math.ceil((most - least) / 2),
    toServer: (local: number): number => local + middle(),
    toLocal: (server: number): number => server - middle(),
    /** The earliest time at the server that it can have been at this local time. */
    earliestAtServer: (local: number): number => local + least,
    latestAtServer: (local: number): number => local + most,
    earliestHere: (server: number): number => server - most,
    latestHere: (server: number): number => server - least,
  };
};

export type ServerClock = ReturnType<typeof createServerClock>;
