import * as Instant from 'temporal-polyfill/fns/Instant';
import * as PlainDateTime from 'temporal-polyfill/fns/PlainDateTime';
import * as ZonedDateTime from 'temporal-polyfill/fns/ZonedDateTime';
import { day, midnightOf, minute, utcText, wallText } from './wall.ts';

/** What a wall clock's reading means in a zone: one instant, none (`gap`) or two (`fold`). */
export type WallReading = { kind: 'one'; at: number } | { kind: 'gap' | 'fold'; earlier: number; later: number };

/** What the wall clock of a zone shows at an instant. */
export function wallAt(at: number, zone: string): number {
  const zoned = Instant.toZonedDateTimeISO(Instant.fromEpochMilliseconds(at), zone);
  return at + ZonedDateTime.offsetNanoseconds(zoned) / 1e6;
}

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
  return { kind: wallAt(earlier, zone) === wall ? 'fold' : 'gap', earlier, later };
}

/**
 * Where a day begins (`since`), or where it is over (`until`). A day may begin at 01:00, and its midnight may come twice:
 * the day then reaches from the first instant that bears its date to behind the last one.
 */
export function edgeOfDay(midnight: number, zone: string, edge: 'since' | 'until'): WallReading {
  const start = resolveWall(midnight, zone);
  if (start.kind === 'gap' && midnightOf(wallAt(start.later, zone)) !== midnight) return start;
  const bound = edge === 'since' ? start : resolveWall(midnight + day, zone);
  if (bound.kind === 'one') return bound;
  if (bound.kind === 'fold') return { kind: 'one', at: edge === 'since' ? bound.earlier : bound.later };
  const afterGap = zonedOf(edge === 'since' ? midnight : midnight + day, zone, 'later');
  return { kind: 'one', at: ZonedDateTime.startOfDay(afterGap).epochMilliseconds };
}

/** RFC 3339 with the zone's offset at that instant, ready to be typed again. */
export function offsetText(at: number, zone: string, fraction = ''): string {
  const wall = wallAt(at, zone);
  const offset = (wall - at) / minute;
  // Monrovia was 44 minutes and 30 seconds behind until 1972, which RFC 3339 cannot say.
  if (offset === 0 || !Number.isInteger(offset)) return utcText(at, fraction);
  const pad = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const size = Math.abs(offset);
  return `${wallText(wall)}${fraction}${offset < 0 ? '-' : '+'}${pad(size / 60)}:${pad(size % 60)}`;
}
