import { describe, expect, it } from 'vitest';
import { describeInstant, shortInstant, shortSpan } from '../../src/time/echo.ts';
import { createShowTime, endOfWait } from '../../src/time/show.ts';

describe('show', () => {
  it.each([
    ['2026-11-16T08:00:00Z', 'Mon 16 Nov, 09:00'],
    ['2026-12-31T23:30:00Z', 'Fri 1 Jan 2027, 00:30'],
    ['9999-12-31T23:30:00Z', 'Sat 1 Jan 10000, 00:30'],
    ['soon', 'soon'],
  ])('shortens %s in a sentence', (instant, shown) => {
    expect(shortInstant(instant, 'Europe/Paris', Date.parse('2026-11-15T18:00:00Z'))).toBe(shown);
  });

  it.each([
    ['2026-11-16T08:00:00Z', '2026-11-16T08:30:00Z', 'Mon 16 Nov, 09:00–09:30'],
    ['2026-11-16T22:30:00Z', '2026-11-16T23:30:00Z', 'Mon 16 Nov, 23:30–Tue 17 Nov, 00:30'],
    ['2026-11-16T08:00:00Z', 'undefined', 'Mon 16 Nov, 09:00'],
  ])('shows the span from %s to %s', (start, end, shown) => {
    expect(shortSpan(start, end, 'Europe/Paris', Date.parse('2026-11-15T18:00:00Z'))).toBe(shown);
  });

  it('names the zone in which a wait ends, and the date of a long one', () => {
    const now = Date.parse('2026-11-15T22:30:00Z');
    expect(endOfWait(now, 42, 'Europe/Paris')).toBe('23:30:42 Europe/Paris');
    expect(endOfWait(now, 7200, 'Europe/Paris')).toBe('Mon 2026-11-16 01:30 Europe/Paris');
  });

  it.each([
    ['2026-11-16T08:30:00.000000Z', 'Europe/Paris', 'Mon 2026-11-16 09:30'],
    ['2026-11-16T08:30:00Z', 'UTC', 'Mon 2026-11-16 08:30'],
    ['2026-11-16T08:30:59.999Z', 'UTC', 'Mon 2026-11-16 08:30'],
    ['2026-11-16T09:30:00+01:00', 'UTC', 'Mon 2026-11-16 08:30'],
    ['2026-12-31T23:30:00Z', 'Asia/Tokyo', 'Fri 2027-01-01 08:30'],
    ['2026-12-01T00:00:00Z', 'UTC', 'Tue 2026-12-01 00:00'],
    ['2028-02-29T12:00:00Z', 'Australia/Lord_Howe', 'Tue 2028-02-29 23:00'],
    ['1969-12-31T23:59:59Z', 'UTC', 'Wed 1969-12-31 23:59'],
    ['9999-12-31T23:59:59Z', 'Europe/Paris', 'Sat +010000-01-01 00:59'],
  ])('shows %s in %s as %s', (text, zone, shown) => {
    expect(createShowTime(zone).show(text)).toBe(shown);
  });

  it.each([
    '',
    'soon',
    '2026-02-30T00:00:00Z',
    '2026-11-16',
    '2026-11-16T24:00:00Z',
    '2026-12-31T23:59:60Z',
    '2026-11-16T08:30:00',
    '2026-13-01T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '2026-11-16T08:30:00+99:00',
  ])('returns %j unchanged', (text) => {
    expect(createShowTime('Europe/Paris').show(text)).toBe(text);
  });

  it.each([
    ['2026-12-01T14:00:00Z', 'Europe/Paris', 'Tue 2026-12-01 15:00 Europe/Paris (14:00 UTC)'],
    ['2026-12-01T23:00:00Z', 'Asia/Tokyo', 'Wed 2026-12-02 08:00 Asia/Tokyo (Tue 2026-12-01 23:00 UTC)'],
    ['2026-12-01T14:00:30.5Z', 'Europe/Paris', 'Tue 2026-12-01 15:00:30 Europe/Paris (14:00:30 UTC)'],
    ['2026-12-01T14:00:00Z', 'UTC', 'Tue 2026-12-01 14:00 UTC'],
    ['2026-10-25T00:30:00Z', 'Europe/Paris', 'Sun 2026-10-25 02:30 Europe/Paris (00:30 UTC)'],
    ['2026-10-25T01:30:00Z', 'Europe/Paris', 'Sun 2026-10-25 02:30 Europe/Paris (01:30 UTC)'],
    ['soon', 'UTC', 'soon'],
  ])('describes %s in %s and UTC', (instant, zone, text) => {
    expect(describeInstant(instant, zone)).toBe(text);
  });
});
