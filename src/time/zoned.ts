import * as PlainDateTime from 'temporal-polyfill/fns/PlainDateTime';
import * as ZonedDateTime from 'temporal-polyfill/fns/ZonedDateTime';
import { day } from '../base/milliseconds.ts';
import { wallClock } from './show.ts';
import { midnightOf, withOffset } from './wall.ts';

/** The meaning of a wall-clock time in a zone: one instant, none (`gap`) or two (`fold`). */
export type WallReading = { kind: 'one'; at: number } | { kind: 'gap' | 'fold'; earlier: number; later: number };

const zonedOf = (wall: number, zone: string, disambiguation: 'earlier' | 'later'): ZonedDateTime.Record => {
  const at = new Date(wall);
  const plain = PlainDateTime.create(
    at.getUTCFullYear(),
    at.getUTCMonth() + 1,
    at.getUTCDate(),
    at.getUTCHours(),
    at.getUTCMinutes(),
    at.getUTCSeconds(),
  );
  return PlainDateTime.toZonedDateTime(plain, zone, { disambiguation });
};

export function resolveWall(wall: number, zone: string): WallReading {
  const earlier = zonedOf(wall, zone, 'earlier').epochMilliseconds;
  const later = zonedOf(wall, zone, 'later').epochMilliseconds;
  if (earlier === later) return { kind: 'one', at: earlier };
  return { kind: wallClock(zone)(earlier) === wall ? 'fold' : 'gap', earlier, later };
}

/**
 * The start (`since`) or end (`until`) of a day. A day can start at 01:00, and its midnight can occur twice: the day
 * covers all instants with its date, from the first to the last.
 */
export function edgeOfDay(midnight: number, zone: string, edge: 'since' | 'until'): WallReading {
  const start = resolveWall(midnight, zone);
  if (start.kind === 'gap' && midnightOf(wallClock(zone)(start.later)) !== midnight) return start;
  const edgeReading = edge === 'since' ? start : resolveWall(midnight + day, zone);
  if (edgeReading.kind === 'one') return edgeReading;
  if (edgeReading.kind === 'fold')
    return { kind: 'one', at: edge === 'since' ? edgeReading.earlier : edgeReading.later };
  const afterGap = zonedOf(edge === 'since' ? midnight : midnight + day, zone, 'later');
  return { kind: 'one', at: ZonedDateTime.startOfDay(afterGap).epochMilliseconds };
}

/** An instant as RFC 3339 with the zone's offset at that time, ready to copy. */
export const offsetText = (at: number, zone: string, fraction = ''): string =>
  withOffset(at, wallClock(zone)(at), fraction);
