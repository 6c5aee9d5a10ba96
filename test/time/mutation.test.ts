import { describe, expect, it } from 'vitest';
import { readMutationTime } from '../../src/time/mutation.ts';

const watched = {
  zone: 'Europe/Paris',
  zoneSource: 'system',
  isTerminal: true,
  now: Date.UTC(2026, 10, 17, 9),
} as const;
const unwatched = { ...watched, isTerminal: false };
const text = '2026-12-01 15:00';
const taken = { ok: true, instant: '2026-12-01T14:00:00Z', zone: 'Europe/Paris' };

describe('mutation', () => {
  it.each(['--tz', 'SCHED_TZ'] as const)(
    'takes a local time without a terminal if the zone is from %s',
    (zoneSource) => {
      expect(readMutationTime(text, { ...unwatched, zoneSource })).toMatchObject(taken);
    },
  );

  it.each([
    ['profile', 'the profile'],
    ['TZ', 'TZ'],
    ['system', 'the system'],
  ] as const)('refuses a local time without a terminal if the zone is from %s', (zoneSource, origin) => {
    const reading = readMutationTime(text, { ...unwatched, zoneSource });
    expect(reading).toMatchObject({ ok: false, readings: ['2026-12-01T15:00:00+01:00'] });
    expect(reading.ok ? '' : reading.problem).toContain(`Europe/Paris comes from ${origin}`);
    expect(readMutationTime(text, { ...watched, zoneSource })).toMatchObject(taken);
  });

  it.each(['2026-12-01T15:00+01:00', '2026-12-01T15:00[Europe/Paris]'])('takes %s whoever reads it', (exact) => {
    expect(readMutationTime(exact, { ...unwatched, inviteeZone: 'Asia/Tokyo' })).toMatchObject(taken);
  });

  it.each(['now', '+2h'])('takes %s, which no zone changes', (exact) => {
    expect(readMutationTime(exact, { ...unwatched, inviteeZone: 'Asia/Tokyo' })).toMatchObject({
      ok: true,
      local: false,
    });
  });

  it.each([true, false])("refuses a local time that the invitee's zone makes another (terminal: %s)", (isTerminal) => {
    expect(
      readMutationTime(text, { ...watched, zoneSource: '--tz', isTerminal, inviteeZone: 'America/New_York' }),
    ).toMatchObject({
      ok: false,
      problem: expect.stringContaining('2026-12-01T15:00:00+01:00 or 2026-12-01T15:00:00-05:00'),
      readings: ['2026-12-01T15:00:00+01:00', '2026-12-01T15:00:00-05:00'],
    });
  });

  it("takes a local time that the invitee's other zone leaves the same", () => {
    expect(readMutationTime(text, { ...watched, inviteeZone: 'Europe/Berlin' })).toMatchObject(taken);
    expect(readMutationTime('tomorrow 15:00', { ...watched, inviteeZone: 'Africa/Lagos' }).ok).toBe(true);
    expect(readMutationTime('2026-07-01 15:00', { ...watched, inviteeZone: 'Africa/Lagos' }).ok).toBe(false);
  });

  it("offers every reading where the time exists twice in the invitee's zone", () => {
    expect(readMutationTime('2026-11-01 01:30:00.5', { ...watched, inviteeZone: 'America/New_York' })).toMatchObject({
      ok: false,
      readings: ['2026-11-01T01:30:00.5+01:00', '2026-11-01T01:30:00.5-04:00', '2026-11-01T01:30:00.5-05:00'],
    });
  });

  it('refuses a wrong zone of the invitee, and a bare date', () => {
    expect(readMutationTime(text, { ...watched, inviteeZone: 'EST' })).toMatchObject({
      ok: false,
      problem: expect.stringContaining('--timezone: "EST"'),
    });
    expect(readMutationTime('2026-12-01', watched)).toMatchObject({
      ok: false,
      problem: expect.stringContaining('lacks a time of day'),
    });
  });
});
