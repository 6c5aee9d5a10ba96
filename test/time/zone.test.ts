import { describe, expect, it } from 'vitest';
import { readZone, resolveZone, zoneProblem } from '../../src/time/zone.ts';

describe('zone', () => {
  it('accepts every zone the platform lists', () => {
    for (const name of Intl.supportedValuesOf('timeZone')) expect(readZone(name)).toEqual({ ok: true, zone: name });
  });

  it.each([
    ['UTC', 'UTC'],
    ['utc', 'UTC'],
    ['europe/paris', 'Europe/Paris'],
    ['AMERICA/PORT-AU-PRINCE', 'America/Port-au-Prince'],
    ['asia/kolkata', 'Asia/Kolkata'],
    ['Asia/Calcutta', 'Asia/Calcutta'],
    ['Europe/Kyiv', 'Europe/Kyiv'],
    ['us/eastern', 'US/Eastern'],
    ['US/Pacific', 'US/Pacific'],
    ['Etc/GMT+5', 'Etc/GMT+5'],
    ['etc/gmt+5', 'Etc/GMT+5'],
    ['GMT', 'GMT'],
    ['Japan', 'Japan'],
    ['prc', 'PRC'],
    ['America/New York', 'America/New_York'],
    ['america/north dakota/new salem', 'America/North_Dakota/New_Salem'],
  ])('reads %s as %s', (name, zone) => {
    expect(readZone(name)).toEqual({ ok: true, zone });
    expect(zoneProblem(name)).toBeUndefined();
  });

  it.each([
    ['EST', 'America/New_York', 'America/Toronto'],
    ['est', 'America/New_York', 'America/Toronto'],
    ['CET', 'Europe/Paris', 'Europe/Berlin'],
    ['IST', 'Asia/Kolkata', 'Europe/Dublin'],
    ['PST', 'America/Los_Angeles', 'Asia/Manila'],
    ['CST', 'America/Chicago', 'Asia/Shanghai'],
    ['BST', 'Europe/London', 'Asia/Dhaka'],
    ['MST', 'America/Denver', 'America/Phoenix'],
    ['AEST', 'Australia/Sydney', 'Australia/Brisbane'],
    ['JST', 'Asia/Tokyo', 'Asia/Tokyo'],
    ['EET', 'Europe/Athens', 'Europe/Helsinki'],
    ['WET', 'Europe/Lisbon', 'Europe/Lisbon'],
    ['MET', 'Europe/Paris', 'Europe/Paris'],
    ['HST', 'Pacific/Honolulu', 'Pacific/Honolulu'],
    ['EST5EDT', 'America/New_York', 'America/New_York'],
    ['Z', 'UTC', 'UTC'],
  ])('rejects %s and suggests candidates', (name, ...candidates) => {
    const reading = readZone(name);
    expect(reading).toMatchObject({ ok: false, candidates: expect.arrayContaining(candidates) });
    expect(zoneProblem(name)).toContain('is an abbreviation');
    expect(zoneProblem(name)).toContain(candidates[0]);
  });

  it.each([
    ['Europe/Pari', 'Europe/Paris'],
    ['Europe/Pairs', 'Europe/Paris'],
    ['Paris', 'Europe/Paris'],
    ['new york', 'America/New_York'],
    ['America/NewYork', 'America/New_York'],
    ['Asia/Kolkatta', 'Asia/Kolkata'],
    ['UTCC', 'UTC'],
  ])('rejects %s and suggests %s first', (name, candidate) => {
    const reading = readZone(name);
    expect(reading.ok ? undefined : reading.candidates[0]).toBe(candidate);
    expect(zoneProblem(name)).toContain(`. Did you mean ${candidate}`);
  });

  it.each(['+02:00', '-05', 'UTC+2', 'GMT-3'])('rejects the offset %s', (name) => {
    expect(zoneProblem(name)).toContain('is an offset, not a time zone');
  });

  it.each([
    '',
    ' ',
    'Mars/Olympus_Mons',
    'ACT',
    'SystemV/EST5',
    'Europe/Paris\n',
    '../etc/passwd',
    'x'.repeat(5000),
    '__proto__',
    'constructor',
  ])('rejects %j', (name) => {
    expect(zoneProblem(name)).toEqual(expect.any(String));
    expect(zoneProblem(name)!.length).toBeLessThan(250);
  });

  it('suggests only zones the platform supports', () => {
    for (const name of ['EST', 'IST', 'CST', 'CET', 'AST', 'SST', 'ART', 'ICT', 'Asia/Kolkat', 'Pacific/Cantn']) {
      const reading = readZone(name);
      const candidates = reading.ok ? [] : reading.candidates;
      expect(candidates, name).not.toEqual([]);
      for (const candidate of candidates) expect(zoneProblem(candidate)).toBeUndefined();
    }
  });

  const all = {
    flag: 'Asia/Tokyo',
    SCHED_TZ: 'Asia/Seoul',
    profile: 'Europe/Rome',
    TZ: 'Europe/Oslo',
    system: 'Europe/Paris',
  };

  it.each([
    [all, 'Asia/Tokyo', '--tz'],
    [{ ...all, flag: undefined }, 'Asia/Seoul', 'SCHED_TZ'],
    [{ ...all, flag: undefined, SCHED_TZ: '' }, 'Europe/Rome', 'profile'],
    [{ TZ: 'Europe/Oslo', system: 'Europe/Paris' }, 'Europe/Oslo', 'TZ'],
    [{ TZ: ':Europe/Oslo', system: 'Europe/Paris' }, 'Europe/Oslo', 'TZ'],
    [{ TZ: '/usr/share/zoneinfo/Europe/Oslo', system: 'Europe/Paris' }, 'Europe/Oslo', 'TZ'],
    [{ TZ: 'CET-1CEST,M3.5.0,M10.5.0/3', system: 'Europe/Paris' }, 'Europe/Paris', 'system'],
    [{ TZ: 'EST5EDT', system: 'America/New_York' }, 'America/New_York', 'system'],
    [{ TZ: '', system: 'Europe/Paris' }, 'Europe/Paris', 'system'],
    [{ system: 'Europe/Paris' }, 'Europe/Paris', 'system'],
    [{ system: 'Etc/Unknown' }, 'UTC', 'system'],
  ])('resolves %j to %s from %s', (sources, zone, source) => {
    expect(resolveZone({ ...sources, system: () => sources.system })).toEqual({ ok: true, zone, source });
  });

  it.each([
    ['UTC+3', 'Etc/GMT+3'],
    ['EST5', 'Etc/GMT+5'],
    ['JST-9', 'Etc/GMT-9'],
    ['<+03>-3', 'Etc/GMT-3'],
    ['<-03>03:00', 'Etc/GMT+3'],
    ['UTC-14', 'Etc/GMT-14'],
    ['UTC0', 'UTC'],
    ['<+00>-00', 'UTC'],
  ])('reads TZ=%s as %s, with the POSIX sign', (TZ, zone) => {
    expect(resolveZone({ TZ, system: () => undefined })).toEqual({ ok: true, zone, source: 'TZ' });
  });

  it.each([
    ['UTC', 'UTC'],
    ['GMT', 'GMT'],
    ['posix/UTC', 'UTC'],
    [':/etc/localtime', 'UTC'],
  ])('adds no note if TZ=%s really means UTC', (TZ, zone) => {
    const resolved = resolveZone({ TZ, system: () => 'UTC' });
    expect(resolved).toMatchObject({ ok: true, zone });
    expect(resolved).not.toHaveProperty('note');
  });

  it.each([
    ['CET-1CEST', 'UTC'],
    ['CET-1CEST,M3.5.0,M10.5.0/3', 'UTC'],
    ['IST-5:30', '+05:30'],
    ['UTC+13', undefined],
    ['Nope/Zone', undefined],
    ['Nope/Zone', 'UTC'],
    [':/etc/localtime', undefined],
    [':UTC+3', undefined],
  ])('uses UTC and adds a note for TZ=%s, which the platform reads as %s', (TZ, system) => {
    const note = `TZ=${TZ} is not a supported time zone; using UTC`;
    expect(resolveZone({ TZ, system: () => system })).toEqual({ ok: true, zone: 'UTC', source: 'system', note });
  });

  it.each([
    ['Mars/Phobos', 'Europe/Paris', 'using Europe/Paris'],
    ['Europe/Pariss', undefined, 'using UTC. Did you mean Europe/Paris?'],
  ])('says that TZ=%s is no zone, where the platform has %s instead', (TZ, system, end) => {
    const note = `TZ=${TZ} is not a supported time zone; ${end}`;
    expect(resolveZone({ TZ, system: () => system })).toMatchObject({ ok: true, source: 'system', note });
  });

  it.each([
    [{ ...all, flag: 'EST' }, '--tz', '"EST"'],
    [{ ...all, flag: '' }, '--tz', 'The time zone is empty'],
    [{ ...all, flag: undefined, SCHED_TZ: 'Europe/Pari' }, 'SCHED_TZ', '"Europe/Pari"'],
    [{ profile: '+02:00', system: 'UTC' }, 'profile', '"+02:00"'],
  ])('names the source of the invalid zone in %j', (sources, source, problem) => {
    expect(resolveZone({ ...sources, system: () => sources.system })).toMatchObject({
      ok: false,
      source,
      problem: expect.stringContaining(problem),
    });
  });
});
