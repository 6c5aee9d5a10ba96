import { day, second } from '../base/milliseconds.ts';
import { offsetIn } from './offset.ts';
import { wallClock } from './show.ts';
import { midnightOf, withOffset } from './wall.ts';

/** The meaning of a wall-clock time in a zone: one instant, none (`gap`) or two (`fold`). */
export type WallReading = { kind: 'one'; at: number } | { kind: 'gap' | 'fold'; earlier: number; later: number };

/** The clocks show a time once for each offset of the days around it that is in force then. */
export function resolveWall(wall: number, zone: string): WallReading {
  const offset = offsetIn(zone);
  const around = [offset(wall - day), offset(wall + day)];
  const [earlier, later] = [wall - Math.max(...around), wall - Math.min(...around)];
  const [showsEarlier, showsLater] = [earlier, later].map((at) => at + offset(at) === wall);
  if (showsEarlier === showsLater && earlier !== later) return { kind: showsLater ? 'fold' : 'gap', earlier, later };
  return { kind: 'one', at: showsLater ? later : earlier };
}

/** When the clocks change between two instants that have different offsets: the first second with the later one. */
export const changeBetween = (zone: string, start: number, end: number): number => {
  const offset = offsetIn(zone);
  let [before, after] = [Math.floor(start / second), Math.ceil(end / second)];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offset(middle * second) === offset(start)) before = middle;
    else after = middle;
  }
  return after * second;
};

/**
 * The start (`since`) or end (`until`) of a day. The day covers all instants with its date, from the first to the last: it
 * can begin at 01:00. If its midnight comes twice, it begins with the first one, and so the day before ends there, unless
 * the clocks go back into that day.
 */
export function edgeOfDay(midnight: number, zone: string, edge: 'since' | 'until'): WallReading {
  const start = resolveWall(midnight, zone);
  if (start.kind === 'gap' && midnightOf(wallClock(zone)(start.later)) !== midnight) return start;
  const next = midnight + day;
  const edgeReading = edge === 'since' ? start : resolveWall(next, zone);
  if (edgeReading.kind === 'one') return edgeReading;
  const { kind, earlier, later } = edgeReading;
  if (kind === 'gap') return { kind: 'one', at: changeBetween(zone, earlier, later) };
  const isOver = edge === 'since' || wallClock(zone)(later - second) >= next;
  return { kind: 'one', at: isOver ? earlier : later };
}

/** An instant as RFC 3339 with the zone's offset at that time, ready to copy. */
export const offsetText = (at: number, zone: string, fraction = ''): string =>
  withOffset(at, wallClock(zone)(at), fraction);
