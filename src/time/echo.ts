import { wallClock, wallParts } from './show.ts';
import { clockLabel, dateLabel, fullDateLabel, timestampOf } from './wall.ts';

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

/** An instant in a sentence: `Mon 16 Nov, 09:00`. The year is added if it differs from that of `now`. */
export function shortInstant(instant: string, zone: string, now: number): string {
  const at = timestampOf(instant);
  if (at === undefined) return instant;
  const [wall, today] = [at, now].map(wallClock(zone)) as [number, number];
  const isThisYear = new Date(wall).getUTCFullYear() === new Date(today).getUTCFullYear();
  return `${isThisYear ? dateLabel(wall) : fullDateLabel(wall)}, ${clockLabel(wall)}`;
}

/** The time of a meeting: `Mon 16 Nov, 09:00–09:30`. The end has its date if that is another one. */
export function shortSpan(start: string, end: string, zone: string, now: number): string {
  const [from, to] = [start, end].map((each) => shortInstant(each, zone, now)) as [string, string];
  if (timestampOf(start) === undefined || timestampOf(end) === undefined) return from;
  const [day, time] = [to.slice(0, -7), to.slice(-5)];
  return `${from}–${from.startsWith(`${day}, `) ? time : to}`;
}
