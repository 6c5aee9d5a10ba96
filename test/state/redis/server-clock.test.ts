import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createServerClock } from '../../../src/state/redis/server-clock.ts';

describe("the server's clock", () => {
  /** A machine and a server, with times in fractions of a millisecond. */
  const network = (aheadMs: number) => {
    let now = 1e12;
    let offset = aheadMs;
    const clock = createServerClock({ now: () => Math.floor(now) });
    const ask = (thereMs: number, backMs: number) =>
      clock.measure(async () => {
        now += thereMs;
        const server = Math.floor(now + offset);
        now += backMs;
        return { now: server, value: undefined };
      });
    return { clock, ask, set: (next: number) => (offset = next), now: () => now };
  };

  const travel = fc.double({ min: 0, max: 500, noNaN: true });
  const ahead = fc.double({ min: -86_400_000, max: 86_400_000, noNaN: true });

  test('is known within bounds, whatever way the delays are divided', async () => {
    await fc.assert(
      fc.asyncProperty(ahead, fc.array(fc.tuple(travel, travel), { minLength: 1 }), async (offset, trips) => {
        const { clock, ask, now } = network(offset);
        for (const [there, back] of trips) await ask(there, back);
        const [here, server] = [Math.floor(now()), now() + offset];
        expect(clock.earliestAtServer(here)).toBeLessThanOrEqual(server);
        expect(clock.latestAtServer(here)).toBeGreaterThanOrEqual(server - 1);
        expect(clock.latestHere(server)).toBeGreaterThanOrEqual(here);
        expect(clock.earliestHere(server)).toBeLessThanOrEqual(here + 1);
        expect(Math.abs(clock.ahead() - offset)).toBeLessThanOrEqual(clock.doubtMs() + 1);
        // The fastest reply limits the doubt.
        expect(clock.doubtMs()).toBeLessThanOrEqual(Math.min(...trips.map(([a, b]) => a + b)) / 2 + 3);
      }),
    );
  });

  test('is measured again after one of the clocks was set', async () => {
    const { clock, ask, set } = network(5000);
    await ask(1, 1);
    set(-3_600_000);
    await ask(1, 1);
    expect(Math.abs(clock.ahead() + 3_600_000)).toBeLessThan(5);
  });

  test('is unknown before the first reply', async () => {
    const { clock, ask } = network(0);
    expect(clock.isKnown()).toBe(false);
    await ask(1, 1);
    expect(clock.isKnown()).toBe(true);
  });
});
