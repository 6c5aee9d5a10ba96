import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openFollowTorture } from '../e2e/follow-kills.ts';

// R55, checked with the bookings that the service made.
test('events follow misses none of 500 bookings when killed 50 times at random', async () => {
  const torture = await openFollowTorture();
  try {
    for (let count = 0; count < 50; count += 1) {
      await torture.book(5);
      // Every third process is killed at any time, also during its start; the others while they tell.
      const isAnyTime = count % 3 === 0;
      const lines = isAnyTime ? 0 : Math.ceil(Math.random() * 6);
      await torture.dieAfter(lines, 5, () => sleep(Math.random() * (isAnyTime ? 1500 : 8)));
    }
    const told = await torture.finish();
    process.stdout.write(`${JSON.stringify(told)}\n`);
    expect(told).toMatchObject({ kills: 50, happened: 600, missing: 0, invented: 0, outOfOrder: 0 });
    expect(told.mostDoubledPerKill).toBeLessThanOrEqual(1);
    expect(told.doubled).toBeLessThanOrEqual(told.kills);
    expect(told.killsWhileTelling).toBeGreaterThan(20);
  } finally {
    await torture.stop();
  }
});
