import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createServerClock } from '../../../src/state/redis/server-clock.ts';
import { runs } from '../../support/tier.ts';

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

  // Most values of fc.double are almost 0.
  const milliseconds = (min: number, max: number) =>
    fc.integer({ min: min * 100, max: max * 100 }).map((hundredths) => hundredths / 100);
  const travel = milliseconds(0, 500);
  const ahead = milliseconds(-86_400_000, 86_400_000);

  test('is known within bounds, whatever way the delays are divided', async () => {
    await fc.assert(
      fc.asyncProperty(ahead, fc.array(fc.tuple(travel, travel), { minLength: 1 }), async (offset, trips) => {
        const { clock, ask, now } = network(offset);
        for (const [there, back] of trips) await ask(there, back);
        // At a whole millisecond of this machine, nothing is rounded.
        const here = Math.ceil(now());
        const server = here + offset;
        expect(here + clock.ahead() - clock.doubtMs()).toBeLessThanOrEqual(server);
        expect(here + clock.ahead() + clock.doubtMs()).toBeGreaterThanOrEqual(server);
        // The fastest reply limits the doubt.
        expect(clock.doubtMs()).toBeLessThanOrEqual(Math.min(...trips.map(([a, b]) => a + b)) / 2 + 3);
      }),
      runs(100, 1000),
    );
  });

  test.each([
    [0.2, 0.9, 0, 2],
    [0.8, 0, -1, 1],
  ])('may be %d ms ahead, although all times are rounded down', async (offset, thereMs, least, most) => {
    const { clock, ask } = network(offset);
    await ask(thereMs, 0);
    expect([clock.ahead() - clock.doubtMs(), clock.ahead() + clock.doubtMs()]).toEqual([least, most]);
  });

  test('is measured again after one of the clocks was set', async () => {
    const { clock, ask, set } = network(5000);
    await ask(1, 1);
    set(-3_600_000);
    await ask(1, 1);
    expect(Math.abs(clock.ahead() + 3_600_000)).toBeLessThan(5);
  });
});
