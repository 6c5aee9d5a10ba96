import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { hour, minute } from '../../src/base/milliseconds.ts';
import { dayAt } from '../../src/time/calendar.ts';
import { zoneAt } from '../../src/time/offset.ts';
import { readTime } from '../../src/time/read.ts';
import { wallClock } from '../../src/time/show.ts';
import { sample, times } from '../support/tier.ts';

/**
 * Changes by half an hour and by two hours, around a month of fasting, and the usual ones, in each run. And those at
 * midnight: it comes twice (Azores, Havana), or not at all (Beirut, Santiago), or the day before gets an hour back (Nuuk).
 */
const always = [
  'Australia/Lord_Howe',
  'Antarctica/Troll',
  'Africa/Casablanca',
  'Europe/Berlin',
  'America/New_York',
  'Atlantic/Azores',
  'America/Havana',
  'Asia/Beirut',
  'America/Santiago',
  'America/Nuuk',
];
const kindOf = (zone: string) => (always.includes(zone) ? zone : zone.split('/')[0]);
const zones = sample([...new Set([...Intl.supportedValuesOf('timeZone'), ...always])], 1, kindOf);

const first = Temporal.Instant.from('2020-01-01T00:00Z');
const last = Date.UTC(2036, 0, 1);

function* changes(zone: string): Generator<{ at: number; before: number; after: number }> {
  let next = first.toZonedDateTimeISO(zone).getTimeZoneTransition('next');
  while (next && next.epochMilliseconds < last) {
    const at = next.epochMilliseconds;
    const before = next.subtract({ seconds: 1 }).offsetNanoseconds / 1e6;
    const after = next.offsetNanoseconds / 1e6;
    // Temporal has the platform's data. Where they are too old, offset.test.ts judges.
    const isJudge = [at - 1000, at].every((each) => zoneAt(zone, each) === zone);
    if (isJudge && before !== after) yield { at, before, after };
    next = next.getTimeZoneTransition('next');
  }
}

const iso = (wall: number): string => new Date(wall).toISOString().slice(0, 19);

describe('transitions', () => {
  it('reject gaps and folds with two readings and accept the seconds around them, in each zone until 2035', {
    timeout: 30_000,
  }, () => {
    let [gaps, folds] = [0, 0];
    const wrong: string[] = [];
    const known = new Set<string>();
    for (const zone of zones) {
      const clock = wallClock(zone);
      const all = [...changes(zone)];
      // Many zones share the same changes. For those, reading the first and the last change is enough.
      const isKnown = known.has(JSON.stringify(all));
      known.add(JSON.stringify(all));
      for (const [index, { at, before, after }] of all.entries()) {
        const [low, high] = [Math.min(before, after), Math.max(before, after)];
        before < after ? gaps++ : folds++;
        for (const instant of [at - 1000, at, at - 40_000_000, at + 40_000_000])
          if (clock(instant) !== instant + (instant < at ? before : after)) wrong.push(`${zone} ${iso(instant)} shown`);
        if (isKnown && index > 0 && index < all.length - 1) continue;
        for (const wall of [at + low, at + high - 1000]) {
          const reading = readTime(iso(wall), { zone, now: 0 });
          const readings = reading.ok ? [] : (reading.readings ?? []);
          const instants = readings.map((text) => Date.parse(text));
          const expected = [wall - high, wall - low];
          if (reading.ok || instants.join() !== expected.join()) wrong.push(`${zone} ${iso(wall)} ${readings}`);
        }
        for (const [wall, instant] of [
          [at + low - 1000, at + low - 1000 - before],
          [at + high, at + high - after],
        ] as const) {
          const reading = readTime(iso(wall), { zone, now: 0 });
          if (!reading.ok || Date.parse(reading.instant) !== instant) wrong.push(`${zone} ${iso(wall)} rim`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(gaps).toBeGreaterThan(times(60, 1500));
    expect(folds).toBeGreaterThan(times(60, 1500));
  });

  it('leave each day the instants with its date, from the first to the last, in each zone from 2024 to 2030', () => {
    const quarter = 15 * minute;
    const wrong: string[] = [];
    const kinds = new Set<string>();
    for (const zone of zones)
      for (const { at, before, after } of changes(zone)) {
        if (at < Date.UTC(2024, 0, 1) || at >= Date.UTC(2031, 0, 1)) continue;
        /** The first and the last quarter of an hour of each date around the change. */
        const days = new Map<string, [first: number, last: number]>();
        for (let instant = at - 60 * hour; instant < at + 60 * hour; instant += quarter) {
          const date = iso(instant + (instant < at ? before : after)).slice(0, 10);
          days.set(date, [days.get(date)?.[0] ?? instant, instant]);
        }
        // The days at both ends are cut off.
        for (const [date, [first, last]] of [...days].slice(1, -1)) {
          const shown = dayAt(Date.parse(date), zone);
          if (shown.since !== first || shown.until !== last + quarter)
            wrong.push(
              `${zone} ${date} ${iso(shown.since)} ${iso(shown.until)}, not ${iso(first)} ${iso(last + quarter)}`,
            );
          for (const word of ['today', 'yesterday']) {
            const now = (first + last) / 2 + (word === 'today' ? 0 : 24 * hour);
            const ends = (['since', 'until'] as const).map((edge) => readTime(word, { zone, now, edge }));
            const read = ends.map((end) => (end.ok ? Date.parse(end.instant) : end.problem));
            if (read.join() !== [first, last + quarter].join()) wrong.push(`${zone} ${date} as ${word}: ${read}`);
          }
        }
        const clock = iso(at + Math.min(before, after)).slice(11);
        if (clock === '00:00:00') kinds.add(before < after ? 'no midnight' : 'two midnights');
        if (clock === '23:00:00') kinds.add(before < after ? 'no last hour' : 'two last hours');
      }
    expect(wrong).toEqual([]);
    expect([...kinds].sort()).toEqual(['no last hour', 'no midnight', 'two last hours', 'two midnights']);
  });
});
