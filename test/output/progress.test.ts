import { describe, expect, test } from 'vitest';
import { durationText, progressBar, progressLine } from '../../src/output/progress.ts';

const half = { done: 12_475, total: 100_000, ownDone: 12_475, elapsedMs: 3_300 };
const waiting = { ...half, waitingUntil: '04:08:31', waitSeconds: 57 };

describe('progress', () => {
  test('shows a bar with counts, remaining time and rate', () => {
    expect(progressBar(half, 80)).toBe(`███${'░'.repeat(27)}  12,475/100,000  87,525 left, 24s  3,780/s`);
    expect(progressBar(half, 40)).toBe(`█${'░'.repeat(9)}  12,475/100,000  87,525 left`);
    expect(progressBar(half, 20)).toBe('12,475/100,000');
  });

  test('shows a wait before anything else', () => {
    expect(progressBar(waiting, 80)).toMatch(
      /^█+░+ {2}12,475\/100,000 {2}rate limit: wait 57s, until 04:08:31 {2}87,525 left$/,
    );
    expect(progressBar(waiting, 40)).toBe(`█${'░'.repeat(12)}  12,475/100,000  wait 57s`);
    expect(progressBar(waiting, 20)).toBe(`█${'░'.repeat(8)}  wait 57s`);
  });

  test('is never wider than the terminal', () => {
    for (let columns = 1; columns < 130; columns += 1)
      for (const progress of [half, waiting, { ...half, done: 100_000 }, { ...half, total: 0, done: 0, ownDone: 0 }])
        expect(progressBar(progress, columns).length).toBeLessThan(Math.max(columns, 2));
  });

  test('is plain text without a terminal', () => {
    expect(progressLine(half)).toBe('12%: 12,475/100,000, 87,525 left, 24s, 3,780/s');
    expect(progressLine({ done: 0, total: 0, ownDone: 0, elapsedMs: 0 })).toBe('100%: 0/0');
  });

  test('rounds durations up', () => {
    expect([0.2, 59, 61, 3599, 3600, 7300].map(durationText)).toEqual([
      '1s',
      '59s',
      '1m 01s',
      '59m 59s',
      '1h 00m',
      '2h 01m',
    ]);
  });
});
