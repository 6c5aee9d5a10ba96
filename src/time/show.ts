import { second } from '../base/milliseconds.ts';
import { onceEach } from '../base/once.ts';
import { offsetIn } from './offset.ts';
import { clockLabel, dateLabel, exactClock, timestampOf, withOffset } from './wall.ts';

const wholeSecond = (at: number): number => Math.floor(at / second) * second;

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
