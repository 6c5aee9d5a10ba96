import { day, second } from '../base/milliseconds.ts';
import { onceEach } from '../base/once.ts';
import { clockLabel, type DateParts, dateLabel, exactClock, timestampOf, withOffset } from './wall.ts';

const wholeSecond = (at: number): number => Math.floor(at / second) * second;

/** No zone changes its clocks twice within a day. So if a day begins and ends with the same offset, it has no other one. */
const offsetFrom = (exact: (at: number) => number): ((at: number) => number) => {
  const offsetAtStart = onceEach((number: number) => exact(number * day));
  return (at) => {
    const number = Math.floor(at / day);
    const offset = offsetAtStart(number);
    return offset === offsetAtStart(number + 1) ? offset : exact(at);
  };
};

/**
 * How far the clocks of a zone are ahead of UTC at an instant. The one place that asks for it. There is one function for
 * each zone: making a format takes a tenth of a millisecond, formatting 3 µs, and a look at a day that is known almost nothing.
 */
export const offsetIn = onceEach((zone: string) => {
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
  return offsetFrom((at) => {
    const whole = wholeSecond(at);
    // 11/16/2026, 09:30:00
    const [month, date, year, hours, minutes, seconds] = format.format(whole).match(/\d+/g)!.map(Number) as DateParts;
    return Date.UTC(year, month - 1, date, hours, minutes, seconds) - whole;
  });
});

/** Returns the wall-clock time of an instant, in whole seconds. */
export const wallClock = onceEach((zone: string) => {
  const offset = offsetIn(zone);
  return (at: number): number => wholeSecond(at) + offset(at);
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
