import { describe, expect, test } from 'vitest';
import { openBookingTorture } from './booking-kills.ts';
import { isStandalone } from './program.ts';

describe('invitees create --from, killed', () => {
  // R27, checked against the sandbox's log. The standalone program can't be started with a later clock.
  test.skipIf(isStandalone)(
    'three times, books every line once',
    async () => {
      const torture = await openBookingTorture(60);
      try {
        for (const more of [1, 20, 15]) expect(await torture.dieAfter(more)).toBe(true);
        expect(await torture.finish()).toMatchObject({
          kills: 3,
          booked: 60,
          bookings: 60,
          sentTwice: 0,
          leaks: 0,
          result: { total: 60, accepted: 60, rejected: 0, unknown: 0 },
        });
      } finally {
        await torture.stop();
      }
    },
    90_000,
  );
});
