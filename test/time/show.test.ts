import { describe, expect, it } from 'vitest';
import { endOfWait, exactTime } from '../../src/time/show.ts';

describe('show', () => {
  it('names the zone in which a wait ends, and the date of a long one', () => {
    const now = Date.parse('2026-11-15T22:30:00Z');
    expect(endOfWait(now, 42, 'Europe/Paris')).toBe('23:30:42 Europe/Paris');
    expect(endOfWait(now, 7200, 'Europe/Paris')).toBe('Mon 16 Nov 01:30 Europe/Paris');
  });

  it.each([
    ['2026-11-16T08:30:00.120Z', '2026-11-16T09:30:00.120+01:00'],
    ['soon', 'soon'],
  ])('shows %s with its offset as %s', (text, shown) => {
    expect(exactTime(text, 'Europe/Paris')).toBe(shown);
  });
});
