import { describe, expect, it } from 'vitest';
import { describeSpan, describeTime, wallSpan } from '../../src/time/span.ts';

describe('span', () => {
  it.each([
    ['09:00:00Z', '09:30:00Z', 'UTC', 'Mon 16 Nov 2026, 09:00–09:30 (UTC, 30 min)'],
    ['08:00:00.000000Z', '08:30:00.000000Z', 'Europe/Berlin', 'Mon 16 Nov 2026, 09:00–09:30 (Europe/Berlin, 30 min)'],
    [
      '22:30:00Z',
      '23:30:00Z',
      'Europe/Berlin',
      'Mon 16 Nov 2026, 23:30 – Tue 17 Nov 2026, 00:30 (Europe/Berlin, 60 min)',
    ],
  ])('shows a meeting from %s to %s in %s', (start, end, zone, text) => {
    expect(describeSpan(`2026-11-16T${start}`, `2026-11-16T${end}`, zone)).toBe(text);
  });

  it('shows the real length when the clock changes', () => {
    expect(describeSpan('2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z', 'Europe/Berlin')).toBe(
      'Sun 25 Oct 2026, 02:30–02:30 (Europe/Berlin, 60 min)',
    );
  });

  it.each(['', 'later', '2026-11-16T08:00:00Z'])('shows only the start if the end is %j', (end) => {
    expect(describeSpan('2026-11-16T09:00:00Z', end, 'UTC')).toBe('Mon 16 Nov 2026, 09:00 (UTC)');
  });

  it('leaves out times and zones that it cannot read', () => {
    expect(describeSpan('soon', '2026-11-16T09:00:00Z', 'UTC')).toBeUndefined();
    expect(describeTime('2026-02-30T00:00:00Z', 'UTC')).toBeUndefined();
    expect(describeTime('2026-11-16T09:00:00Z', 'Mars/Olympus')).toBeUndefined();
    expect(wallSpan('2026-11-16T09:00:00Z', '2026-11-16T09:30:00Z', '')).toBeUndefined();
  });

  it('shows a year of five digits', () =>
    expect(describeTime('9999-12-31T23:59:59Z', 'Europe/Paris')).toBe('Sat 1 Jan 10000, 00:59 (Europe/Paris)'));
});
