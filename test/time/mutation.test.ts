import { describe, expect, it } from 'vitest';
import { spell } from '../../src/base/words.ts';
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
    "accepts a local time without a terminal and in spite of the invitee's zone if the zone is from %s",
    (zoneSource) => {
      expect(readMutationTime(text, { ...unwatched, zoneSource, inviteeZone: 'Asia/Tokyo' })).toMatchObject(taken);
    },
  );

  it.each([
    ['profile', 'the profile'],
    ['TZ', 'TZ'],
    ['system', 'the system'],
  ] as const)('rejects a local time without a terminal if the zone is from %s', (zoneSource, origin) => {
    const reading = readMutationTime(text, { ...unwatched, zoneSource });
    expect(reading).toMatchObject({ ok: false, readings: ['2026-12-01T15:00:00+01:00'] });
    expect(reading.ok ? '' : spell(reading.problem)).toContain(
      `the time zone Europe/Paris comes from ${origin}. Without a terminal, set --tz or SCHED_TZ, or use 2026`,
    );
    expect(readMutationTime(text, { ...watched, zoneSource })).toMatchObject(taken);
  });

  it.each(['2026-12-01T15:00+01:00', '2026-12-01T15:00[Europe/Paris]'])('accepts %s in any zone', (exact) => {
    expect(readMutationTime(exact, { ...unwatched, inviteeZone: 'Asia/Tokyo' })).toMatchObject(taken);
  });

  it.each(['now', '+2h'])('accepts %s, which means the same in every zone', (exact) => {
    expect(readMutationTime(exact, { ...unwatched, inviteeZone: 'Asia/Tokyo' })).toMatchObject({
      ok: true,
      local: false,
    });
  });

  it.each([true, false])(
    "rejects a local time that is another instant in the invitee's zone (terminal: %s)",
    (isTerminal) => {
      const reading = readMutationTime(text, { ...watched, isTerminal, inviteeZone: 'America/New_York' });
      const readings = ['2026-12-01T15:00:00+01:00', '2026-12-01T15:00:00-05:00'];
      expect(reading).toMatchObject({ ok: false, readings });
      expect(reading.ok ? '' : spell(reading.problem)).toContain(`. Use ${readings.join(' or ')}`);
    },
  );

  it("accepts a local time that is the same instant in the invitee's zone", () => {
    expect(readMutationTime(text, { ...watched, inviteeZone: 'Europe/Berlin' })).toMatchObject(taken);
    expect(readMutationTime('tomorrow 15:00', { ...watched, inviteeZone: 'Africa/Lagos' }).ok).toBe(true);
    expect(readMutationTime('2026-07-01 15:00', { ...watched, inviteeZone: 'Africa/Lagos' }).ok).toBe(false);
  });

  it("offers every reading if the time occurs twice in the invitee's zone", () => {
    expect(readMutationTime('2026-11-01 01:30:00.5', { ...watched, inviteeZone: 'America/New_York' })).toMatchObject({
      ok: false,
      readings: ['2026-11-01T01:30:00.5+01:00', '2026-11-01T01:30:00.5-04:00', '2026-11-01T01:30:00.5-05:00'],
    });
  });

  it('rejects a date without a time', () => {
    expect(readMutationTime('2026-12-01', watched)).toMatchObject({
      ok: false,
      problem: expect.stringContaining('has no time of day'),
    });
  });
});
