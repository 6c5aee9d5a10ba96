import { wallClock } from './show.ts';
import { clockLabel, fullDateLabel, minute, timestampOf } from './wall.ts';

interface WallTime {
  at: number;
  /** `Mon 16 Nov 2026` */
  date: string;
  /** `09:30` */
  time: string;
}

/** The wall-clock time of a timestamp in a zone, or undefined for any other text and for an unknown zone. */
const wallTime = (text: string, zone: string): WallTime | undefined => {
  const at = timestampOf(text);
  if (at === undefined) return undefined;
  try {
    const wall = wallClock(zone)(at);
    return { at, date: fullDateLabel(wall), time: clockLabel(wall) };
  } catch {
    return undefined;
  }
};

const joined = (start: WallTime, end: WallTime): string =>
  start.date === end.date
    ? `${start.date}, ${start.time}–${end.time}`
    : `${start.date}, ${start.time} – ${end.date}, ${end.time}`;

/** A timestamp with its zone: `Mon 16 Nov 2026, 09:30 (Europe/Berlin)`. Undefined for any other text. */
export function describeTime(text: string, zone: string): string | undefined {
  const shown = wallTime(text, zone);
  return shown && `${shown.date}, ${shown.time} (${zone})`;
}

/** A meeting's time without its zone: `Mon 16 Nov 2026, 09:00–09:30`. Undefined if a text or the zone can't be read. */
export function wallSpan(start: string, end: string, zone: string): string | undefined {
  const [from, to] = [wallTime(start, zone), wallTime(end, zone)];
  return from && to && joined(from, to);
}

/** A meeting's time: `Mon 16 Nov 2026, 09:00–09:30 (Europe/Berlin, 30 min)`. Without an end, only its start. */
export function describeSpan(start: string, end: string, zone: string): string | undefined {
  const [from, to] = [wallTime(start, zone), wallTime(end, zone)];
  if (from === undefined || to === undefined || to.at < from.at) return describeTime(start, zone);
  return `${joined(from, to)} (${zone}, ${Math.round((to.at - from.at) / minute)} min)`;
}
