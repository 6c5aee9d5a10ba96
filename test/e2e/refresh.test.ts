import { describe, expect, test } from 'vitest';
import { sample, times } from '../support/tier.ts';
import { killPrograms } from './refresh-kills.ts';

// R24, R25; `npm run test:deep` does the same many times.
describe('auth refresh, killed at random', () => {
  const cells = [
    ['commands', '0s'],
    ['helpers', '30s'],
  ] as const;
  test.each(sample(cells, 1))('%s, with a replay window of %s', { timeout: 120_000 }, async (victims, replayWindow) => {
    const kills = times(1, 2);
    const told = await killPrograms({ kills, victims, replayWindow, crowd: 2 });
    expect(told).toMatchObject({ kills, odd: [], after: 0, isLockFree: true, lost: 0, refused: 0 });
  });
});
