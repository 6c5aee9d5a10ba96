import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openBookingTorture } from '../e2e/booking-kills.ts';

// R27, checked with the sandbox's own log.
test.each([5, 25])('books 500 lines of a file once each when killed %i times at random', async (kills) => {
  const torture = await openBookingTorture(500);
  try {
    for (let count = 0; count < kills; count += 1)
      expect(await torture.dieAfter(Math.ceil(Math.random() * (400 / kills)), () => sleep(Math.random() * 10))).toBe(
        true,
      );
    const told = await torture.finish();
    process.stdout.write(`${JSON.stringify(told)}\n`);
    expect(told).toMatchObject({
      kills,
      booked: 500,
      bookings: 500,
      sentTwice: 0,
      leaks: 0,
      result: { total: 500, accepted: 500, rejected: 0, unknown: 0 },
    });
  } finally {
    await torture.stop();
  }
});
