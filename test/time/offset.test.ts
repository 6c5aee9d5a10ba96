import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { releasesIn, zoneChanges } from '../../scripts/zones.js';
import { day, hour, minute } from '../../src/base/milliseconds.ts';
import { offsetIn, zoneAt, zoneData } from '../../src/time/offset.ts';
import { readTime } from '../../src/time/read.ts';
import { exactTime } from '../../src/time/show.ts';
import { random, times } from '../support/tier.ts';

const input = readFileSync('scripts/zones.txt', 'utf8');
const releases = releasesIn(input);

/** Typed by hand from the announcements of each release: an instant, and the time on the wall there. */
const facts: Record<string, string[]> = {
  // 2026a: since 2022, Moldova changes at the same instant as the EU.
  'Europe/Chisinau Europe/Tiraspol': [
    '2021-03-28T00:30Z 03:30 +03:00',
    '2022-03-27T00:30Z 02:30 +02:00',
    '2027-03-28T00:59Z 02:59 +02:00',
    '2027-03-28T01:00Z 04:00 +03:00',
    '2027-10-31T00:30Z 03:30 +03:00',
    '2027-10-31T01:00Z 03:00 +02:00',
    '2027-07-15T12:00Z 15:00 +03:00',
  ],
  // 2026b: British Columbia stays at −07.
  'America/Vancouver Canada/Pacific': [
    '2026-11-01T08:59Z 01:59 -07:00',
    '2026-11-01T09:00Z 02:00 -07:00',
    '2026-12-01T21:00Z 14:00 -07:00',
    '2027-07-15T12:00Z 05:00 -07:00',
    '2026-01-15T12:00Z 04:00 -08:00',
  ],
  // 2026c: Morocco moves to +00 for good, and knows no other hours in Ramadan.
  'Africa/Casablanca Africa/El_Aaiun': [
    '2026-09-20T00:59Z 01:59 +01:00',
    '2026-09-20T01:00Z 01:00 +00:00',
    '2027-02-20T12:00Z 12:00 +00:00',
    '2027-07-15T12:00Z 12:00 +00:00',
    '2026-03-01T12:00Z 12:00 +00:00',
  ],
  // 2026c: Alberta stays at −06.
  'America/Edmonton America/Yellowknife Canada/Mountain': [
    '2026-11-01T07:59Z 01:59 -06:00',
    '2026-11-01T08:00Z 02:00 -06:00',
    '2027-01-15T12:00Z 06:00 -06:00',
    '2027-07-15T12:00Z 06:00 -06:00',
    '2026-01-15T12:00Z 05:00 -07:00',
  ],
  // 2026d: so do the Northwest Territories.
  'America/Inuvik': [
    '2026-11-01T08:00Z 02:00 -06:00',
    '2027-01-15T12:00Z 06:00 -06:00',
    '2026-01-15T12:00Z 05:00 -07:00',
  ],
  // 2026e: Manitoba stays at −05.
  'America/Winnipeg America/Rainy_River Canada/Central': [
    '2026-11-01T06:59Z 01:59 -05:00',
    '2026-11-01T07:00Z 02:00 -05:00',
    '2027-07-15T12:00Z 07:00 -05:00',
    '2026-01-15T12:00Z 06:00 -06:00',
  ],
  // 2026f: Cuba has no winter time in this winter only.
  'America/Havana Cuba': [
    '2026-11-01T04:59Z 00:59 -04:00',
    '2026-11-01T05:00Z 01:00 -04:00',
    '2027-03-14T04:59Z 00:59 -04:00',
    '2027-03-14T05:00Z 01:00 -04:00',
    '2027-07-15T12:00Z 08:00 -04:00',
    '2027-11-07T05:00Z 00:00 -05:00',
    '2028-01-15T12:00Z 07:00 -05:00',
  ],
};
const cases = Object.entries(facts).flatMap(([zones, lines]) => zones.split(' ').map((zone) => [zone, lines] as const));

/** The offset of a zone in the newest release. */
const released = (name: string, at: number): number => {
  const history = releases.findLast(({ zones }) => zones.has(name))!.zones.get(name)!;
  return 1000 * (history.findLast((change) => change.at * 1000 <= at) ?? history[0]!).offset;
};

describe('zones whose rules changed', () => {
  test.each(cases)('%s is read and shown by its newest rules', (zone, lines) => {
    for (const line of lines) {
      const [instant, clock, offset] = line.split(' ') as [string, string, string];
      const at = Date.parse(instant);
      const local = new Date(at + offsetIn(zone)(at)).toISOString().slice(0, 16);
      expect({ line, clock: local.slice(11) }).toEqual({ line, clock });
      const shown = exactTime(`${instant.slice(0, -1)}:00Z`, zone);
      expect(shown).toBe(`${local}:00${offset}`.replace('+00:00', 'Z'));
      // What is shown is read as the same instant, or is one of the two that a repeated hour offers.
      const read = readTime(local, { zone, now: at });
      const readings = read.ok ? [read.instant] : (read.readings ?? []);
      expect(readings.map((text) => Date.parse(text))).toContain(at);
    }
  });

  test('are in the table, and no others', () => {
    expect(
      zoneChanges(input)
        .changes.flatMap(({ zones }) => zones.split(' '))
        .sort(),
    ).toEqual(cases.map(([zone]) => zone).sort());
  });

  test('are right at each change and in each fortnight until 2037', () => {
    const wrong: string[] = [];
    for (const [zone] of cases) {
      const moments = Array.from({ length: 415 }, (_, index) => Date.UTC(2020, 0, 1) + index * 15 * day + 11 * hour);
      for (const { zones } of releases)
        for (const { at } of zones.get(zone) ?? [])
          moments.push(at * 1000 - minute, at * 1000, at * 1000 + 30 * minute);
      for (const at of moments)
        if (offsetIn(zone)(at) !== released(zone, at)) wrong.push(`${zone} ${new Date(at).toISOString()}`);
    }
    expect(wrong).toEqual([]);
  });

  test('are found in any case, because services write names as they like', () => {
    for (const name of ['america/vancouver', 'CANADA/PACIFIC'])
      expect(offsetIn(name)(Date.parse('2026-12-01T12:00Z'))).toBe(-7 * hour);
  });

  test('count only as long as the platform does not know the change', () => {
    const { missing, release } = zoneData();
    expect(release).toBe('2026f');
    for (const [zone, [line]] of cases) {
      const at = Date.parse(zone.startsWith('Europe') ? '2027-03-28T00:30Z' : '2026-12-01T12:00Z');
      const own = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' }).formatToParts(at);
      const text = own.find(({ type }) => type === 'timeZoneName')!.value.slice(3) || '+00:00';
      const isKnown = Date.parse(`1970-01-01T00:00${text}`) === -released(zone, at);
      expect({ zone, line, isOwn: zoneAt(zone, at) === zone }).toEqual({ zone, line, isOwn: isKnown });
      expect(missing?.zones.includes(zone) ?? false).toBe(!isKnown);
    }
  });
});

test('all other zones are as the platform has them', () => {
  const changed = new Set(cases.map(([zone]) => zone));
  for (const zone of Intl.supportedValuesOf('timeZone').filter((name) => !changed.has(name))) {
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
    const hours = Array.from({ length: times(5, 200) }, () => Math.floor(random() * 11 * 365 * 24));
    for (const at of [0, 1_000_000_000_000, ...hours.map((number) => Date.UTC(2020, 0, 1) + number * hour)]) {
      const shown = new Date(at + offsetIn(zone)(at)).toISOString().slice(0, 19).replace('T', ' ');
      expect({ zone, at, shown }).toEqual({ zone, at, shown: format.format(at) });
    }
  }
});
