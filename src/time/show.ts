import { day, second } from '../base/milliseconds.ts';
import { onceEach } from '../base/once.ts';
import { clockLabel, type DateParts, dateLabel, exactClock, timestampOf, withOffset } from './wall.ts';

/**
 * Returns the wall-clock time of an instant. There is one for each zone: making a format takes a tenth of a millisecond.
 * Uses `Intl` only, so that tables don't have to load Temporal.
 */
export const wallClock = onceEach((zone: string) => {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  const exact = (at: number): number => {
    // 11/16/2026, 09:30:00
    const [month, date, year, hours, minutes, seconds] = format.format(at).match(/\d+/g)!.map(Number) as DateParts;
    return Date.UTC(year, month - 1, date, hours, minutes, seconds);
  };
  const offsetAtStart = onceEach((number: number) => exact(number * day) - number * day);
  // Formatting takes about 3 µs, the lookup almost nothing. No zone changes its clock twice within a day, so if a day
  // starts and ends with the same offset, the offset is the same all day.
  return (at: number): number => {
    const whole = Math.floor(at / second) * second;
    const number = Math.floor(whole / day);
    const offset = offsetAtStart(number);
    return offset === offsetAtStart(number + 1) ? whole + offset : exact(whole);
  };
});

/** When a wait ends, with the zone: `18:00:30 Europe/Paris`, or with the date for a wait of an hour or more. */
export function endOfWait(now: number, seconds: number, zone: string): string {
  const wall = wallClock(zone)(now + seconds * second);
  return `${seconds < 3600 ? exactClock(wall) : `${dateLabel(wall)} ${clockLabel(wall)}`} ${zone}`;
}

/** Returns a timestamp with the zone's offset, and any other text unchanged. */
export function exactTime(text: string, zone: string): string {
  const at = timestampOf(text);
  return at === undefined ? text : withOffset(at, wallClock(zone)(at), /\.\d+/.exec(text)?.[0]);
}
