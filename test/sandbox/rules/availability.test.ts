import { describe, expect, it } from 'vitest';
import { isOpen, type Rule } from '../../../src/sandbox/rules/availability.ts';
import { localTime, wrongZone } from '../../../src/sandbox/rules/local-time.ts';

const hours = (from: string, to: string) => [{ from, to }];

describe('availability', () => {
  const rules: Rule[] = [
    { type: 'wday', wday: 'monday', intervals: [...hours('09:00', '12:00'), ...hours('13:00', '24:00')] },
    { type: 'date', date: '2026-03-30', intervals: [] },
    { type: 'date', date: '2026-04-01', intervals: hours('10:00', '11:00') },
  ];
  const open = (start: string, minutes: number) => {
    const begin = Date.parse(start);
    return isOpen({ timezone: 'Europe/Berlin', rules }, begin, begin + minutes * 60_000);
  };

  it('requires the whole meeting to fit into one interval', () => {
    expect(open('2026-03-23T09:00:00+01:00', 180)).toBe(true);
    expect(open('2026-03-23T09:00:00+01:00', 181)).toBe(false);
    expect(open('2026-03-23T08:59:00+01:00', 15)).toBe(false);
    expect(open('2026-03-23T11:30:00+01:00', 120)).toBe(false);
  });

  it('ends at midnight at the latest', () => {
    expect(open('2026-03-23T23:00:00+01:00', 60)).toBe(true);
    expect(open('2026-03-23T23:30:00+01:00', 60)).toBe(false);
  });

  it('takes seconds into account', () => {
    expect(open('2026-03-23T11:45:00.001+01:00', 15)).toBe(false);
    expect(open('2026-03-23T08:59:59.999+01:00', 15)).toBe(false);
    expect(open('2026-03-23T11:44:59.999+01:00', 15)).toBe(true);
  });

  it('follows the wall clock on the night of a clock change', () => {
    const night: Rule[] = [{ type: 'wday', wday: 'sunday', intervals: hours('01:00', '03:00') }];
    const openAtNight = (start: string) =>
      isOpen({ timezone: 'Europe/Berlin', rules: night }, Date.parse(start), Date.parse(start) + 60 * 60_000);
    expect(openAtNight('2026-03-29T01:00:00+01:00')).toBe(true);
    expect(openAtNight('2026-03-29T01:30:00+01:00')).toBe(false);
    expect(openAtNight('2026-10-25T02:30:00+02:00')).toBe(true);
    expect(openAtNight('2026-10-25T02:30:00+01:00')).toBe(false);
  });

  it('checks the whole meeting if the clocks change during it', () => {
    const openOn = (timezone: string, date: string, interval: Rule['intervals'], start: string, minutes: number) =>
      isOpen(
        { timezone, rules: [{ type: 'date', date, intervals: interval }] },
        Date.parse(start),
        Date.parse(start) + minutes * 60_000,
      );
    // From 02:15 to 02:15 an hour later: in between, the clocks show 02:30 to 03:00.
    const early = hours('01:00', '02:30');
    expect(openOn('Europe/Berlin', '2026-10-25', early, '2026-10-25T02:15:00+02:00', 60)).toBe(false);
    expect(openOn('Europe/Berlin', '2026-10-25', early, '2026-10-25T02:00:00+02:00', 30)).toBe(true);
    expect(openOn('Europe/Berlin', '2026-10-25', early, '2026-10-25T02:00:00+01:00', 30)).toBe(true);
    // In Cairo, the clocks go from 24:00 to 01:00.
    const evening = hours('22:00', '24:00');
    expect(openOn('Africa/Cairo', '2026-04-23', evening, '2026-04-23T23:00:00+02:00', 60)).toBe(true);
    expect(openOn('Africa/Cairo', '2026-04-23', evening, '2026-04-23T23:30:00+02:00', 60)).toBe(false);
  });

  it('prefers the rule of a date to the rule of its weekday', () => {
    expect(open('2026-03-30T09:00:00+02:00', 15)).toBe(false);
    expect(open('2026-04-01T10:00:00+02:00', 60)).toBe(true);
    expect(open('2026-04-08T10:00:00+02:00', 60)).toBe(false);
  });

  it('follows daylight saving time', () => {
    expect(open('2026-04-06T07:00:00Z', 15)).toBe(true);
    expect(open('2026-03-23T07:00:00Z', 15)).toBe(false);
  });
});

describe('zone', () => {
  it('converts an instant to local time', () => {
    expect(localTime('Asia/Kathmandu', Date.parse('2026-03-11T18:30:00Z'))).toEqual({
      date: '2026-03-12',
      weekday: 'thursday',
      minutes: 15,
    });
  });

  it('recognizes valid time zones', () => {
    expect(['UTC', 'Asia/Tokyo', 'Mars/Olympus', ''].map((zone) => wrongZone(zone).length)).toEqual([0, 0, 1, 1]);
  });
});
