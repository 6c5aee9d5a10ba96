import { minute } from '../base/milliseconds.ts';
import { wallClock } from './show.ts';
import { clockLabel, dateLabel, fullDateLabel, timestampOf } from './wall.ts';

/*
 * How people see a time: `Mon 16 Nov 09:30`, with the year only if it is not that of `now`. All functions return
 * undefined for what is not a timestamp, and for an unknown zone.
 */

interface Label {
  at: number;
  /** `Mon 16 Nov` */
  date: string;
  /** `09:30` */
  clock: string;
}

/** `Mon 16 Nov`, or `Mon 16 Nov 2025` in another year than `today`. Both are wall-clock times. */
export const dayText = (wall: number, today: number): string =>
  new Date(wall).getUTCFullYear() === new Date(today).getUTCFullYear() ? dateLabel(wall) : fullDateLabel(wall);

const readLabel = (value: unknown, zone: string, now: number): Label | undefined => {
  const at = timestampOf(value);
  if (at === undefined) return undefined;
  try {
    const clock = wallClock(zone);
    const wall = clock(at);
    return { at, date: dayText(wall, clock(now)), clock: clockLabel(wall) };
  } catch {
    return undefined;
  }
};

/** `Mon 16 Nov 09:30` */
export function timeLabel(value: unknown, zone: string, now: number): string | undefined {
  const label = readLabel(value, zone, now);
  return label && `${label.date} ${label.clock}`;
}

/** The time of a meeting: `Mon 16 Nov 09:00–09:30`. The end has its date if that is another one; without an end, the start. */
export function spanLabel(start: unknown, end: unknown, zone: string, now: number): string | undefined {
  const [from, to] = [readLabel(start, zone, now), readLabel(end, zone, now)];
  if (from === undefined || to === undefined || to.at < from.at) return from && `${from.date} ${from.clock}`;
  return from.date === to.date
    ? `${from.date} ${from.clock}–${to.clock}`
    : `${from.date} ${from.clock} – ${to.date} ${to.clock}`;
}

/** The minutes of a meeting: `30 min`. */
export function lengthLabel(start: unknown, end: unknown): string | undefined {
  const [from, to] = [timestampOf(start), timestampOf(end)];
  return from === undefined || to === undefined || to < from ? undefined : `${Math.round((to - from) / minute)} min`;
}

/** An instant in the zone and in UTC, for a write: `Tue 1 Dec 15:00 Europe/Paris (14:00 UTC)`. Other text is unchanged. */
export function describeInstant(instant: string, zone: string, now: number): string {
  const [there, utc] = [readLabel(instant, zone, now), readLabel(instant, 'UTC', now)];
  if (there === undefined || utc === undefined) return instant;
  const seconds = (utc.at / 1000) % 60 === 0 ? '' : `:${new Date(utc.at).toISOString().slice(17, 19)}`;
  if (zone === 'UTC') return `${utc.date} ${utc.clock}${seconds} UTC`;
  const utcDate = utc.date === there.date ? '' : `${utc.date} `;
  return `${there.date} ${there.clock}${seconds} ${zone} (${utcDate}${utc.clock}${seconds} UTC)`;
}
