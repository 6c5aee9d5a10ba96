import { describe, expect, it } from 'vitest';
import { describeInstant, lengthLabel, spanLabel, timeLabel } from '../../src/time/label.ts';

const now = Date.parse('2026-11-15T18:00:00Z');

describe('label', () => {
  it.each([
    ['2026-11-16T08:00:00Z', 'Europe/Paris', 'Mon 16 Nov 09:00'],
    ['2026-11-16T08:30:59.999999Z', 'UTC', 'Mon 16 Nov 08:30'],
    ['2026-11-16T09:30:00+01:00', 'UTC', 'Mon 16 Nov 08:30'],
    ['2026-12-31T23:30:00Z', 'Europe/Paris', 'Fri 1 Jan 2027 00:30'],
    ['2028-02-29T12:00:00Z', 'Australia/Lord_Howe', 'Tue 29 Feb 2028 23:00'],
    ['1969-12-31T23:59:59Z', 'UTC', 'Wed 31 Dec 1969 23:59'],
    ['9999-12-31T23:30:00Z', 'Europe/Paris', 'Sat 1 Jan 10000 00:30'],
  ])('shows %s in %s as %s', (text, zone, shown) => {
    expect(timeLabel(text, zone, now)).toBe(shown);
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
  ])('has no label for %j', (text) => {
    expect(timeLabel(text, 'Europe/Paris', now)).toBeUndefined();
    expect(spanLabel(text, '2026-11-16T09:00:00Z', 'UTC', now)).toBeUndefined();
  });

  it('has no label in an unknown zone', () =>
    expect(timeLabel('2026-11-16T09:00:00Z', 'Mars/Olympus', now)).toBeUndefined());

  it.each([
    ['2026-11-16T08:00:00Z', '2026-11-16T08:30:00.000000Z', 'Mon 16 Nov 09:00–09:30', '30 min'],
    ['2026-11-16T22:30:00Z', '2026-11-16T23:30:00Z', 'Mon 16 Nov 23:30 – Tue 17 Nov 00:30', '60 min'],
    // The clock is set back in between.
    ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z', 'Sun 25 Oct 02:30–02:30', '60 min'],
    ['2026-11-16T08:00:00Z', 'later', 'Mon 16 Nov 09:00', undefined],
    ['2026-11-16T08:00:00Z', '2026-11-16T07:00:00Z', 'Mon 16 Nov 09:00', undefined],
  ])('shows a meeting from %s to %s', (start, end, span, length) => {
    expect([spanLabel(start, end, 'Europe/Paris', now), lengthLabel(start, end)]).toEqual([span, length]);
  });

  it.each([
    ['2026-12-01T14:00:00Z', 'Europe/Paris', 'Tue 1 Dec 15:00 Europe/Paris (14:00 UTC)'],
    ['2026-12-01T23:00:00Z', 'Asia/Tokyo', 'Wed 2 Dec 08:00 Asia/Tokyo (Tue 1 Dec 23:00 UTC)'],
    ['2026-12-01T14:00:30.5Z', 'Europe/Paris', 'Tue 1 Dec 15:00:30 Europe/Paris (14:00:30 UTC)'],
    ['2026-12-01T14:00:00Z', 'UTC', 'Tue 1 Dec 14:00 UTC'],
    ['2027-10-31T00:30:00Z', 'Europe/Paris', 'Sun 31 Oct 2027 02:30 Europe/Paris (00:30 UTC)'],
    ['2027-10-31T01:30:00Z', 'Europe/Paris', 'Sun 31 Oct 2027 02:30 Europe/Paris (01:30 UTC)'],
    ['soon', 'UTC', 'soon'],
  ])('describes %s in %s and UTC', (instant, zone, text) => {
    expect(describeInstant(instant, zone, now)).toBe(text);
  });
});
