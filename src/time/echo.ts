import { wallClock, wallParts } from './show.ts';
import { timestampOf } from './wall.ts';

/** An instant in the zone and in UTC, shown before a write: `Tue 2026-12-01 15:00 Europe/Paris (14:00 UTC)`. */
export function describeInstant(instant: string, zone: string): string {
  const at = timestampOf(instant);
  if (at === undefined) return instant;
  const there = wallParts(wallClock(zone)(at));
  const utc = wallParts(at);
  const short = (time: string): string => time.replace(/:00$/, '');
  if (zone === 'UTC') return `${utc.date} ${short(utc.time)} UTC`;
  const utcDate = utc.date === there.date ? '' : `${utc.date} `;
  return `${there.date} ${short(there.time)} ${zone} (${utcDate}${short(utc.time)} UTC)`;
}
