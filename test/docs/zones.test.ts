import { expect, test } from 'vitest';
import { zones } from '../../src/docs/zones.ts';
import { readZone } from '../../src/time/zone.ts';

test('zones: sched accepts each one under the name that completions offer', () => {
  expect(zones.map(readZone)).toEqual(zones.map((zone) => ({ ok: true, zone })));
});

test('zones: are sorted and unique', () => {
  expect(zones).toEqual([...new Set(zones)].sort());
});

test('zones: cover the common ones, under their current names', () => {
  const common = ['UTC', 'Europe/Kyiv', 'Asia/Kolkata', 'Asia/Ho_Chi_Minh', 'America/New_York', 'Europe/London'];
  expect(zones).toEqual(expect.arrayContaining(common));
});
