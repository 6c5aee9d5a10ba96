import { describe, expect, it } from 'vitest';
import { spell } from '../../src/base/words.ts';
import { readTime } from '../../src/time/read.ts';
import { sample } from '../support/tier.ts';

// Tuesday, 17 November 2026, 10:20:30.456 in Paris.
const now = Date.UTC(2026, 10, 17, 9, 20, 30, 456);
const paris = { zone: 'Europe/Paris', now };
const at = (text: string, zone = 'Europe/Paris', edge?: 'since' | 'until', from = now) => {
  const reading = readTime(text, { zone, now: from, edge });
  return reading.ok ? reading.instant : spell(reading.problem);
};
const utc = (text: string): number => {
  const reading = readTime(text, { zone: 'UTC', now: 0 });
  if (!reading.ok) throw new Error(spell(reading.problem));
  return Date.parse(reading.instant);
};

describe('read', () => {
  it.each([
    ['2026-12-01T15:00:00Z', '2026-12-01T15:00:00Z', false],
    ['2026-12-01t15:00:00z', '2026-12-01T15:00:00Z', false],
    ['2026-12-01T15:00:00+01:00', '2026-12-01T14:00:00Z', false],
    ['2026-12-01 15:00+01:00', '2026-12-01T14:00:00Z', false],
    ['2026-12-01 15:00 +01:00', '2026-12-01T14:00:00Z', false],
    ['2026-12-01T15:00-00:00', '2026-12-01T15:00:00Z', false],
    ['2026-12-01T15:00:00.25-03:30', '2026-12-01T18:30:00.25Z', false],
    ['2026-12-01T15:00:00.000000Z', '2026-12-01T15:00:00.000000Z', false],
    ['2026-12-01T23:30:00-05:00', '2026-12-02T04:30:00Z', false],
    ['2026-12-31T23:30:00-05:00', '2027-01-01T04:30:00Z', false],
    ['2026-12-01 15:00', '2026-12-01T14:00:00Z', true],
    ['2026-12-01T15:00', '2026-12-01T14:00:00Z', true],
    ['2026-12-01 9:30', '2026-12-01T08:30:00Z', true],
    ['2026-07-01 15:00:07', '2026-07-01T13:00:07Z', true],
    ['2026-07-01 15:00:07.5', '2026-07-01T13:00:07.5Z', true],
    ['  2026-12-01   15:00 ', '2026-12-01T14:00:00Z', true],
    ['2028-02-29 12:00', '2028-02-29T11:00:00Z', true],
    ['2027-01-01 00:30', '2026-12-31T23:30:00Z', true],
    ['now', '2026-11-17T09:20:30Z', false],
    ['NOW', '2026-11-17T09:20:30Z', false],
    ['today 15:00', '2026-11-17T14:00:00Z', true],
    ['Tomorrow 15:00', '2026-11-18T14:00:00Z', true],
    ['yesterday 0:00', '2026-11-15T23:00:00Z', true],
    ['monday 9:30', '2026-11-23T08:30:00Z', true],
    ['MON 9:30', '2026-11-23T08:30:00Z', true],
    ['tuesday 15:00', '2026-11-24T14:00:00Z', true],
    ['tues 9:30', '2026-11-24T08:30:00Z', true],
    ['friday 16:00', '2026-11-20T15:00:00Z', true],
    ['next monday 9:30', '2026-11-23T08:30:00Z', true],
    ['Next Friday 16:00', '2026-11-27T15:00:00Z', true],
    ['next sunday 9am', '2026-11-29T08:00:00Z', true],
    ['last monday 9:30', '2026-11-16T08:30:00Z', true],
    ['Last Tuesday 9:30', '2026-11-10T08:30:00Z', true],
    ['last friday 16:00', '2026-11-13T15:00:00Z', true],
    ['noon', '2026-11-17T11:00:00Z', true],
    ['tomorrow noon', '2026-11-18T11:00:00Z', true],
    ['tomorrow at Noon', '2026-11-18T11:00:00Z', true],
    ['2026-12-01 noon', '2026-12-01T11:00:00Z', true],
    ['dec 1 15:00', '2026-12-01T14:00:00Z', true],
    ['Dec. 1st, 9am', '2026-12-01T08:00:00Z', true],
    ['1 December at 9:00', '2026-12-01T08:00:00Z', true],
    ['2nd of sept 2027 noon', '2027-09-02T10:00:00Z', true],
    ['nov 17 9:00', '2026-11-17T08:00:00Z', true],
    ['nov 16 9:00', '2027-11-16T08:00:00Z', true],
    ['15:00', '2026-11-17T14:00:00Z', true],
    ['9am', '2026-11-17T08:00:00Z', true],
    ['9 PM', '2026-11-17T20:00:00Z', true],
    ['9:30 p.m.', '2026-11-17T20:30:00Z', true],
    ['12am', '2026-11-16T23:00:00Z', true],
    ['12:30pm', '2026-11-17T11:30:00Z', true],
    ['tomorrow 12am', '2026-11-17T23:00:00Z', true],
    ['friday 9am', '2026-11-20T08:00:00Z', true],
    ['2026-12-01 12:30 p.m.', '2026-12-01T11:30:00Z', true],
    ['16h30', '2026-11-17T15:30:00Z', true],
    ['16h', '2026-11-17T15:00:00Z', true],
    ['friday 16h', '2026-11-20T15:00:00Z', true],
    ['2026-12-01 9h05', '2026-12-01T08:05:00Z', true],
    ['in 2 hours', '2026-11-17T11:20:30Z', false],
    ['In 1 hour', '2026-11-17T10:20:30Z', false],
    ['in 90 min', '2026-11-17T10:50:30Z', false],
    ['in 3 days', '2026-11-20T09:20:30Z', true],
    ['in 2h', '2026-11-17T11:20:30Z', false],
    ['2 hours ago', '2026-11-17T07:20:30Z', false],
    ['1 week ago', '2026-11-10T09:20:30Z', true],
    ['wed 09:00:01', '2026-11-18T08:00:01Z', true],
    ['thurs 9:00', '2026-11-19T08:00:00Z', true],
    ['sunday 9:00', '2026-11-22T08:00:00Z', true],
    ['+2h', '2026-11-17T11:20:30Z', false],
    ['+90m', '2026-11-17T10:50:30Z', false],
    ['-45s', '2026-11-17T09:19:45Z', false],
    ['-7d', '2026-11-10T09:20:30Z', true],
    ['+1W', '2026-11-24T09:20:30Z', true],
    ['+1d2h', '2026-11-18T11:20:30Z', true],
    ['+1w2d3h4m5s', '2026-11-26T12:24:35Z', true],
    ['+0d', '2026-11-17T09:20:30Z', true],
    ['-0h', '2026-11-17T09:20:30Z', false],
  ])('reads %j as %s (depends on the zone: %s)', (text, instant, local) => {
    expect(readTime(text, paris)).toEqual({ ok: true, instant, zone: 'Europe/Paris', local });
  });

  it.each([
    ['2026-12-01T15:00:00+09:00[Asia/Tokyo]', '2026-12-01T06:00:00Z'],
    ['2026-12-01T15:00:00Z[Asia/Tokyo]', '2026-12-01T15:00:00Z'],
    ['2026-12-01T15:00[!asia/tokyo]', '2026-12-01T06:00:00Z'],
  ])('uses the zone in brackets of %s (RFC 9557)', (text, instant) => {
    expect(readTime(text, paris)).toEqual({ ok: true, instant, zone: 'Asia/Tokyo', local: false });
  });

  it('rejects a zone in brackets that contradicts the offset', () => {
    expect(readTime('2026-12-01T15:00:00+01:00[Asia/Tokyo]', paris)).toMatchObject({
      ok: false,
      problem: expect.stringContaining('contradicts itself'),
      readings: ['2026-12-01T23:00:00+09:00', '2026-12-01T15:00:00+09:00'],
    });
    expect(at('2026-12-01T15:00[EST]')).toContain('is an abbreviation');
    expect(at('2026-12-01T15:00Z[u-ca=hebrew]')).toContain('as a time');
  });

  it('uses the offset to choose the instant if a time in a bracketed zone occurs twice', () => {
    expect(at('2026-10-25T02:30+02:00[Europe/Paris]')).toBe('2026-10-25T00:30:00Z');
    expect(at('2026-10-25T02:30+01:00[Europe/Paris]')).toBe('2026-10-25T01:30:00Z');
  });

  it.each([
    ['2026-12-01', 'Europe/Paris', '2026-11-30T23:00:00Z', '2026-12-01T23:00:00Z'],
    ['2026-03-29', 'Europe/Paris', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
    ['2026-10-25', 'Europe/Paris', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
    ['2026-12-31', 'UTC', '2026-12-31T00:00:00Z', '2027-01-01T00:00:00Z'],
    ['2028-02-29', 'UTC', '2028-02-29T00:00:00Z', '2028-03-01T00:00:00Z'],
    ['2028-02-28', 'UTC', '2028-02-28T00:00:00Z', '2028-02-29T00:00:00Z'],
    // Lord Howe changes its clocks by half an hour.
    ['2026-10-04', 'Australia/Lord_Howe', '2026-10-03T13:30:00Z', '2026-10-04T13:00:00Z'],
    ['2026-04-05', 'Australia/Lord_Howe', '2026-04-04T13:00:00Z', '2026-04-05T13:30:00Z'],
    // In Cairo and Santiago the clock jumps from 00:00 to 01:00.
    ['2026-04-24', 'Africa/Cairo', '2026-04-23T22:00:00Z', '2026-04-24T21:00:00Z'],
    ['2026-04-23', 'Africa/Cairo', '2026-04-22T22:00:00Z', '2026-04-23T22:00:00Z'],
    ['2026-09-06', 'America/Santiago', '2026-09-06T04:00:00Z', '2026-09-07T03:00:00Z'],
    // In Havana midnight occurs twice. In St. John's, until 2011, the evening before did.
    ['2027-11-07', 'America/Havana', '2027-11-07T04:00:00Z', '2027-11-08T05:00:00Z'],
    ['2010-11-06', 'America/St_Johns', '2010-11-06T02:30:00Z', '2010-11-07T03:30:00Z'],
    ['2010-11-07', 'America/St_Johns', '2010-11-07T02:30:00Z', '2010-11-08T03:30:00Z'],
    ['2011-12-29', 'Pacific/Apia', '2011-12-29T10:00:00Z', '2011-12-30T10:00:00Z'],
    ['2011-12-31', 'Pacific/Apia', '2011-12-30T10:00:00Z', '2011-12-31T10:00:00Z'],
    ['today', 'Europe/Paris', '2026-11-16T23:00:00Z', '2026-11-17T23:00:00Z'],
    ['TODAY', 'Pacific/Kiritimati', '2026-11-16T10:00:00Z', '2026-11-17T10:00:00Z'],
    ['yesterday', 'Europe/Paris', '2026-11-15T23:00:00Z', '2026-11-16T23:00:00Z'],
    ['tomorrow', 'Europe/Paris', '2026-11-17T23:00:00Z', '2026-11-18T23:00:00Z'],
    ['tuesday', 'Europe/Paris', '2026-11-23T23:00:00Z', '2026-11-24T23:00:00Z'],
    ['next tuesday', 'Europe/Paris', '2026-11-23T23:00:00Z', '2026-11-24T23:00:00Z'],
    ['next friday', 'Europe/Paris', '2026-11-26T23:00:00Z', '2026-11-27T23:00:00Z'],
    ['mon', 'Europe/Paris', '2026-11-22T23:00:00Z', '2026-11-23T23:00:00Z'],
  ])('covers the whole day %s in %s', (text, zone, since, until) => {
    expect([at(text, zone, 'since'), at(text, zone, 'until')]).toEqual([since, until]);
  });

  it('ends each day where the next one starts', () => {
    for (const zone of sample(Intl.supportedValuesOf('timeZone'), 10, (name) => name.split('/')[0]))
      for (const [day, next] of [
        ['2026-02-28', '2026-03-01'],
        ['2027-12-31', '2028-01-01'],
      ] as const)
        expect(at(day, zone, 'until')).toBe(at(next, zone, 'since'));
  });

  it('rejects the day that Samoa skipped', () => {
    for (const edge of ['since', 'until'] as const)
      expect(readTime('2011-12-30', { zone: 'Pacific/Apia', now, edge })).toMatchObject({
        ok: false,
        readings: ['2011-12-29T00:00:00-10:00', '2011-12-31T00:00:00+14:00'],
      });
  });

  it.each([
    ['morning', '2026-11-16T23:00:00Z', '2026-11-17T11:00:00Z', '2026-11-17, 0:00 to 12:00'],
    ['This Afternoon', '2026-11-17T11:00:00Z', '2026-11-17T17:00:00Z', '2026-11-17, 12:00 to 18:00'],
    ['tonight', '2026-11-17T17:00:00Z', '2026-11-17T23:00:00Z', '2026-11-17, 18:00 to 24:00'],
    ['last friday morning', '2026-11-12T23:00:00Z', '2026-11-13T11:00:00Z', '2026-11-13, 0:00 to 12:00'],
    ['2026-12-01 evening', '2026-12-01T17:00:00Z', '2026-12-01T23:00:00Z', 'such as 2026-12-01 18:00'],
    ['dec 1 morning', '2026-11-30T23:00:00Z', '2026-12-01T11:00:00Z', 'such as 2026-12-01 09:00'],
  ])('reads %s as a window, and not as a single time', (text, since, until, hint) => {
    expect([at(text, 'Europe/Paris', 'since'), at(text, 'Europe/Paris', 'until')]).toEqual([since, until]);
    expect(at(text)).toContain(hint);
    expect(at(text)).toContain('not a single time');
  });

  it('joins the parts of a day to a whole day, also where it begins at 01:00', () => {
    for (const zone of ['Europe/Paris', 'Africa/Cairo', 'America/Havana'])
      for (const day of ['2026-04-24', '2026-11-01', '2026-10-25']) {
        expect(at(`${day} morning`, zone, 'since')).toBe(at(day, zone, 'since'));
        expect(at(`${day} morning`, zone, 'until')).toBe(at(`${day} afternoon`, zone, 'since'));
        expect(at(`${day} afternoon`, zone, 'until')).toBe(at(`${day} evening`, zone, 'since'));
        expect(at(`${day} evening`, zone, 'until')).toBe(at(day, zone, 'until'));
      }
  });

  it('asks for the year if a window could be about the past', () => {
    expect(at('dec 1', 'Europe/Paris', 'since')).toBe('2026-11-30T23:00:00Z');
    for (const text of ['nov 1', 'nov 1 9:00', '1 nov morning'])
      expect(at(text, 'Europe/Paris', 'since')).toMatch(/has no year\. Use 2026-11-01 or 2027-11-01/);
  });

  it.each(['2026-12-01', 'today', 'tomorrow', 'monday'])('rejects %s if a time of day is required', (text) => {
    expect(at(text)).toMatch(/has no time of day\. Add one, for example: 2026-\d\d-\d\d 09:00/);
  });

  it.each([
    ['2026-03-29 02:30', 'Europe/Paris', '2026-03-29T01:30:00+01:00', '2026-03-29T03:30:00+02:00', "doesn't exist"],
    ['2026-10-25 02:30', 'Europe/Paris', '2026-10-25T02:30:00+02:00', '2026-10-25T02:30:00+01:00', 'occurs twice'],
    ['2026-03-08T02:00', 'America/New_York', '2026-03-08T01:00:00-05:00', '2026-03-08T03:00:00-04:00', "doesn't exist"],
    [
      '2026-11-01 01:59:59.5',
      'America/New_York',
      '2026-11-01T01:59:59.5-04:00',
      '2026-11-01T01:59:59.5-05:00',
      'occurs twice',
    ],
    [
      '2026-10-04 02:15',
      'Australia/Lord_Howe',
      '2026-10-04T01:45:00+10:30',
      '2026-10-04T02:45:00+11:00',
      "doesn't exist",
    ],
    [
      '2026-04-05 01:45',
      'Australia/Lord_Howe',
      '2026-04-05T01:45:00+11:00',
      '2026-04-05T01:45:00+10:30',
      'occurs twice',
    ],
    ['2011-12-30 12:00', 'Pacific/Apia', '2011-12-29T12:00:00-10:00', '2011-12-31T12:00:00+14:00', "doesn't exist"],
    ['1972-01-07 00:15', 'Africa/Monrovia', '1972-01-07T00:15:00Z', '1972-01-07T00:59:30Z', "doesn't exist"],
  ])('rejects %s in %s and offers both readings', (text, zone, earlier, later, why) => {
    for (const edge of ['since', 'until', undefined] as const) {
      const reading = readTime(text, { zone, now, edge });
      expect(reading).toMatchObject({ ok: false, readings: [earlier, later], problem: expect.stringContaining(why) });
      expect(reading.ok ? '' : spell(reading.problem)).toContain(`. Use ${earlier} or ${later}`);
    }
    expect(utc(earlier)).toBeLessThan(utc(later));
  });

  it.each([
    ['2026-03-29 01:59:59', '2026-03-29T00:59:59Z'],
    ['2026-03-29 03:00', '2026-03-29T01:00:00Z'],
    ['2026-10-25 01:59:59', '2026-10-24T23:59:59Z'],
    ['2026-10-25 03:00', '2026-10-25T02:00:00Z'],
  ])('reads %s right before or after a clock change', (text, instant) => {
    expect(at(text)).toBe(instant);
  });

  it('keeps the time of day for days and the exact length for hours across a clock change', () => {
    const evening = Date.UTC(2026, 2, 28, 17, 0, 0);
    expect(at('+1d', 'Europe/Paris', undefined, evening)).toBe('2026-03-29T16:00:00Z');
    expect(at('+24h', 'Europe/Paris', undefined, evening)).toBe('2026-03-29T17:00:00Z');
    expect(at('+1d1h', 'Europe/Paris', undefined, evening)).toBe('2026-03-29T17:00:00Z');
    const after = Date.UTC(2026, 9, 26, 17, 0, 0);
    expect(at('-1w', 'Europe/Paris', 'since', after)).toBe('2026-10-19T16:00:00Z');
    expect(at('-168h', 'Europe/Paris', 'since', after)).toBe('2026-10-19T17:00:00Z');
    expect(at('+1d', 'UTC', undefined, Date.UTC(2028, 1, 28, 12))).toBe('2028-02-29T12:00:00Z');
  });

  it('widens a window whose relative day ends in a gap or a fold, and rejects it without an edge', () => {
    const toGap = Date.UTC(2026, 3, 5, 0, 30); // 02:30 in Paris, a week after the gap
    expect(at('-7d', 'Europe/Paris', 'since', toGap)).toBe('2026-03-29T00:30:00Z');
    expect(at('-7d', 'Europe/Paris', 'until', toGap)).toBe('2026-03-29T01:30:00Z');
    const toFold = Date.UTC(2026, 10, 1, 1, 30);
    expect(at('-7d', 'Europe/Paris', 'since', toFold)).toBe('2026-10-25T00:30:00Z');
    expect(at('-7d', 'Europe/Paris', 'until', toFold)).toBe('2026-10-25T01:30:00Z');
    expect(readTime('-7d1h', { zone: 'Europe/Paris', now: toFold })).toMatchObject({
      ok: false,
      readings: ['2026-10-25T01:30:00+02:00', '2026-10-25T02:30:00+02:00'],
    });
  });

  it.each([
    ['this week', '2026-11-15T23:00:00Z', '2026-11-22T23:00:00Z'],
    ['next week', '2026-11-22T23:00:00Z', '2026-11-29T23:00:00Z'],
    ['Last Week', '2026-11-08T23:00:00Z', '2026-11-15T23:00:00Z'],
    ['this month', '2026-10-31T23:00:00Z', '2026-11-30T23:00:00Z'],
    ['next month', '2026-11-30T23:00:00Z', '2026-12-31T23:00:00Z'],
    ['last month', '2026-09-30T22:00:00Z', '2026-10-31T23:00:00Z'],
  ])('starts %s at its first day and ends it after its last', (text, since, until) => {
    expect([at(text, 'Europe/Paris', 'since'), at(text, 'Europe/Paris', 'until')]).toEqual([since, until]);
    expect(at(text)).toContain('is a time window');
  });

  it('begins a week on Monday, whatever day it is', () => {
    // Sunday, then Monday, in Paris.
    const sunday = Date.UTC(2026, 10, 22, 12);
    expect(at('this week', 'UTC', 'since', sunday)).toBe('2026-11-16T00:00:00Z');
    expect(at('next week', 'UTC', 'since', sunday)).toBe('2026-11-23T00:00:00Z');
    expect(at('monday', 'UTC', 'since', sunday)).toBe('2026-11-23T00:00:00Z');
    expect(at('next monday', 'UTC', 'since', sunday)).toBe('2026-11-23T00:00:00Z');
    const monday = Date.UTC(2026, 10, 23, 12);
    expect(at('this week', 'UTC', 'since', monday)).toBe('2026-11-23T00:00:00Z');
    expect(at('monday', 'UTC', 'since', monday)).toBe('2026-11-30T00:00:00Z');
    expect(at('next monday', 'UTC', 'since', monday)).toBe('2026-11-30T00:00:00Z');
    expect(at('next sunday', 'UTC', 'since', monday)).toBe('2026-12-06T00:00:00Z');
  });

  it('counts months across a year', () => {
    const january = Date.UTC(2027, 0, 31, 12);
    expect(at('last month', 'UTC', 'since', january)).toBe('2026-12-01T00:00:00Z');
    expect(at('next month', 'UTC', 'until', january)).toBe('2027-03-01T00:00:00Z');
  });

  it('reads weekdays within the next seven days, and those of next week within that week', () => {
    const names = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
    const everyTenth = Array.from({ length: 40 }, (_, index) => index * 10);
    for (const zone of ['Europe/Paris', 'Pacific/Auckland', 'America/Santiago'])
      for (const days of sample(everyTenth, 5)) {
        const from = now + days * 86_400_000;
        const edge = (text: string, side: 'since' | 'until' = 'since') => utc(at(text, zone, side, from));
        const [tomorrow, afterSeven] = [edge('tomorrow'), edge('+8d')];
        const [week, weekEnd] = [edge('next week'), edge('next week', 'until')];
        for (const name of names) {
          const day = edge(name);
          expect(day).toBeGreaterThanOrEqual(tomorrow);
          expect(day).toBeLessThan(afterSeven);
          expect(edge(`next ${name}`)).toBeGreaterThanOrEqual(week);
          expect(edge(`next ${name}`, 'until')).toBeLessThanOrEqual(weekEnd);
          expect(edge(`last ${name}`)).toBeGreaterThanOrEqual(edge('-7d') - 86_400_000);
          expect(edge(`last ${name}`, 'until')).toBeLessThanOrEqual(edge('today'));
        }
        expect(edge('this week', 'until')).toBe(week);
        expect(edge('last week', 'until')).toBe(edge('this week'));
        expect(edge('this month', 'until')).toBe(edge('next month'));
        expect(edge('last month', 'until')).toBe(edge('this month'));
      }
  });

  it.each([
    ['', 'The time is empty'],
    ['   ', 'The time is empty'],
    ['2026-02-30', 'February 2026 has 28 days'],
    ['2026-02-30T00:00Z', 'February 2026 has 28 days'],
    ['2028-02-30 10:00', 'February 2028 has 29 days'],
    ['2100-02-29 10:00', 'February 2100 has 28 days'],
    ['2026-04-31', 'April 2026 has 30 days'],
    ['2026-00-10', 'months go from 01 to 12'],
    ['2026-13-10', 'months go from 01 to 12'],
    ['2026-12-00', 'December 2026 has 31 days'],
    ['2026-12-31 24:00', 'Use 00:00 of the next day: 2027-01-01 00:00'],
    ['today 24:00', 'Use 00:00 of the next day: 2026-11-18 00:00'],
    ['2026-12-01T25:00Z', 'hours go from 00 to 23'],
    ['2026-12-01T24:01Z', 'hours go from 00 to 23'],
    ['2026-12-01 15:60', 'minutes go from 00 to 59'],
    ['2026-12-31T23:59:60Z', 'no leap seconds'],
    ['2026-12-01T15:00+24:00', 'is not a valid offset'],
    ['2026-12-01T15:00+01:60', 'is not a valid offset'],
    ['26-12-01', 'Write the year with four digits'],
    ['12/01/26', 'Write the year with four digits'],
    ['12026-12-01', 'Write the year with four digits'],
    ['12/01/2026', '2026-12-01 or 2026-01-12'],
    ['01.12.2026', '2026-01-12 or 2026-12-01'],
    ['31/12/2026', 'year-month-day: 2026-12-31'],
    ['2026/12/01', 'with hyphens: 2026-12-01'],
    ['20261201', 'with hyphens: 2026-12-01'],
    ['2026-1-5', 'two digits: 2026-01-05'],
    ['2026-12', 'Add a day: 2026-12-01'],
    ['2026', 'as a time. Use a day'],
    ['0', 'as a time. Use a day'],
    ['1796137200', 'Unix timestamp, use 2026-12-01T15:00:00Z'],
    ['1796137200000', 'Unix timestamp, use 2026-12-01T15:00:00Z'],
    ['foo 2026', 'as a time. Use a day'],
    ['foo', 'as a time. Use a day'],
    ['tomorow 15:00', 'as a time. Use a day'],
    ['constructor', 'as a time. Use a day'],
    ['2026-W49-2', 'as a time. Use a day'],
    ['2026-12-01T15', 'as a time. Use a day'],
    ['2026-12-01T', 'as a time. Use a day'],
    ['2026-12-01 15:00 foo', 'as a time. Use a day'],
    ['٢٠٢٦-12-01', 'as a time. Use a day'],
    ['2026-12-01 15:00:00,5', 'with a point'],
    ['13pm', 'before am and pm, hours go from 1 to 12'],
    ['friday 0am', 'before am and pm, hours go from 1 to 12'],
    ['9:75am', 'minutes go from 00 to 59'],
    ['25h30', 'hours go from 00 to 23'],
    ['tomorrow midnight', 'Use 00:00 after the day that begins then'],
    ['dec 32 9:00', 'December 2026 has 31 days'],
    ['feb 29 9:00', 'February 2027 has 28 days'],
    ['dec 2026', 'as a time. Use a day'],
    ['decc 1 9:00', 'as a time. Use a day'],
    ['last friday', 'Add one, for example: 2026-11-13 09:00'],
    ['next morning', 'Use monday (the first one after today), next monday (the one of next week), last monday'],
    ['24.11.2026 09:00', 'year-month-day: 2026-11-24 09:00'],
    ['next year', 'Use monday (the first one after today)'],
    ['next tomorrow', 'Use monday (the first one after today)'],
    ['next week 9:00', 'Use monday (the first one after today)'],
    ['in half an hour', 'Use a number and a unit (in 2 hours, 3 days ago)'],
    ['in 2 months', 'Months and years are not supported'],
    ['1 year ago', 'Months and years are not supported'],
    ['in 2 hours ago', 'Use a number and a unit'],
    ['2 hours', 'as a time. Use a day'],
    ['2h', 'If it is a time of day, use today 2:00. If it is a number of hours, use +2h or -2h'],
    ['12h', 'If it is a time of day, use today 12:00. If it is a number of hours, use +12h or -12h'],
    ['24h', 'If it is a time of day, use today 24:00'],
    ['2d', 'Add a sign: +2d or -2d'],
    ['+2h1d', 'the largest first'],
    ['+1h1h', 'the largest first'],
    ['+1.5h', 'whole numbers'],
    ['+1M', 'Months and years are not supported'],
    ['+1y', 'Months and years are not supported'],
    ['+', 'Use an offset such as'],
    ['+2', 'Use an offset such as'],
    ['+-2h', 'Use an offset such as'],
    ['+99999999999999999999d', 'outside the years 1970 to 9999'],
    ['+9999999d', 'outside the years 1970 to 9999'],
    ['-99999d', 'outside the years 1970 to 9999'],
    ['-99999999h', 'outside the years 1970 to 9999'],
    ['+99999999999999s', 'outside the years 1970 to 9999'],
    ['1969-12-31T23:59:59Z', 'outside the years 1970 to 9999'],
    ['0000-01-01 10:00', 'outside the years 1970 to 9999'],
    ['1970-01-01T00:00+01:00', 'outside the years 1970 to 9999'],
    ['9999-12-31T23:00-05:00', 'outside the years 1970 to 9999'],
    ['15:00 EST', 'EST can mean America/New_York, America/Toronto'],
    ['2026-12-01 15:00 UTC+2', 'Write the offset'],
    ['tomorrow 09:00+02:00', 'as a time. Use a day'],
    ['foo:00 -05:00', 'as a time. Use a day'],
    ['monday 9:00+0200', 'as a time. Use a day'],
    ['2026-12-01 15:00 Europe/Paris', '--tz Europe/Paris, or write 2026-12-01T15:00:00+01:00'],
    ['2026-12-01 15:00 UTC', 'or write 2026-12-01T15:00:00Z'],
    ['x'.repeat(81), 'is too long'],
    [`+${'1'.repeat(90)}d`, 'is too long'],
  ])('rejects %j', (text, hint) => {
    const reading = readTime(text, paris);
    expect(reading.ok).toBe(false);
    expect(reading.ok ? '' : spell(reading.problem)).toContain(hint);
    expect(reading.ok ? '' : spell(reading.problem)).not.toMatch(/undefined|NaN|Invalid/);
  });

  it('rejects 9999-12-31 as until, because the day ends in the year 10000', () => {
    expect(at('9999-12-31', 'UTC', 'until')).toContain('outside the years');
    expect(at('9999-12-31', 'UTC', 'since')).toBe('9999-12-31T00:00:00Z');
  });

  it('rejects a zone abbreviation and offers a reading per candidate', () => {
    expect(readTime('2026-02-01 15:00 CST', paris)).toMatchObject({
      ok: false,
      readings: ['2026-02-01T15:00:00-06:00', '2026-02-01T15:00:00+08:00', '2026-02-01T15:00:00-05:00'],
    });
    expect(readTime('2026-07-01 15:00 est', paris)).toMatchObject({
      readings: ['2026-07-01T15:00:00-04:00', '2026-07-01T15:00:00-05:00'],
    });
  });

  it.each(['2026-12-01 15:00 +0100', '2026-12-01T15:00+01'])('rejects %s and offers the full offset', (text) => {
    expect(readTime(text, paris)).toMatchObject({ ok: false, readings: ['2026-12-01T15:00+01:00'] });
  });

  it('accepts every reading it offers', () => {
    for (const text of [
      '2026-12-01 15:00 CST',
      '2026-10-25 02:30',
      '2026-03-29 02:30',
      '1796137200',
      '2026-12-01T15:00+01',
    ]) {
      const reading = readTime(text, paris);
      expect(reading.ok ? [] : reading.readings).not.toHaveLength(0);
      for (const offered of reading.ok ? [] : reading.readings!)
        expect(readTime(offered, paris)).toMatchObject({ ok: true, local: false });
    }
  });
});
