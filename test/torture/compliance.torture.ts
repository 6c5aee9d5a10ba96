import { expect, test } from 'vitest';
import { torture } from '../e2e/kills.ts';

// R34
test('10,000 addresses, killed 100 times at random moments', async () => {
  const told = await torture({ addresses: 10_000, kills: 100 });
  process.stdout.write(`${JSON.stringify(told)}\n`);
  expect(told).toMatchObject({
    kills: 100,
    lost: 0,
    leaks: 0,
    verdict: 0,
    result: { total: 10_000, accepted: 10_000, rejected: 0, unknown: 0 },
  });
  expect(told.sentTwice).toBeLessThanOrEqual(100 * 25);
});
