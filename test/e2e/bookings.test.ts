import { describe, expect, test } from 'vitest';
import { times } from '../support/tier.ts';
import { openBookingTorture } from './booking-kills.ts';
import { isStandalone } from './program.ts';

const lines = times(6, 60);
/** After how many lines each process is killed. */
const kills = [lines / 3, lines / 4, 1].slice(0, times(1, 3));

describe('invitees create --from, killed', () => {
  // R27, checked against the sandbox's log. The standalone program can't be started with a later clock.
  test.skipIf(isStandalone)(
    `${kills.length} times, books every line once`,
    async () => {
      const torture = await openBookingTorture(lines);
      try {
        for (const more of kills) expect(await torture.dieAfter(more)).toBe(true);
        expect(await torture.finish()).toMatchObject({
          kills: kills.length,
          booked: lines,
          bookings: lines,
          sentTwice: 0,
          leaks: 0,
          result: { total: lines, accepted: lines, rejected: 0, unknown: 0 },
        });
      } finally {
        await torture.stop();
      }
    },
    90_000,
  );
});
