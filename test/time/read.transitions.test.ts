import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { readTime } from '../../src/time/read.ts';
import { wallClock } from '../../src/time/show.ts';
import { wallText } from '../../src/time/wall.ts';
import { sample, times } from '../support/tier.ts';

/** Changes by half an hour and by two hours, around a month of fasting, and the usual ones, in each run. */
const always = ['Australia/Lord_Howe', 'Antarctica/Troll', 'Africa/Casablanca', 'Europe/Berlin', 'America/New_York'];
const kindOf = (zone: string) => (always.includes(zone) ? zone : zone.split('/')[0]);
const zones = sample(Intl.supportedValuesOf('timeZone'), 1, kindOf);

const first = Temporal.Instant.from('2020-01-01T00:00Z');
const last = Date.UTC(2036, 0, 1);

function* changes(zone: string): Generator<{ at: number; before: number; after: number }> {
  let next = first.toZonedDateTimeISO(zone).getTimeZoneTransition('next');
  while (next && next.epochMilliseconds < last) {
    const before = next.subtract({ seconds: 1 }).offsetNanoseconds / 1e6;
    const after = next.offsetNanoseconds / 1e6;
    if (before !== after) yield { at: next.epochMilliseconds, before, after };
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

  it('show the same time as Temporal in each zone', () => {
    for (const zone of zones)
      for (const at of [0, 1_000_000_000_000, 1_791_000_000_000]) {
        const zoned = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone);
        expect(wallText(wallClock(zone)(at))).toBe(zoned.toPlainDateTime().toString({ smallestUnit: 'second' }));
      }
  });
});
