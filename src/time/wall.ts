import { day, hour, minute, second } from '../base/milliseconds.ts';
import { lastTime, twoDigits } from '../base/numbers.ts';

/**
 * Wall-clock times are plain numbers: the milliseconds since 1970 if the same digits were in UTC. Adding a day is then
 * plain arithmetic, and only zoned.ts turns a wall-clock time into an instant. Text is never parsed with `Date`: it
 * reads 30 February as 2 March.
 */
export const weekdayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
export const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

export const daysIn = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate();

export const weekdayOf = (wall: number): number => new Date(wall).getUTCDay();

/** Midnight of the Monday of the same week. */
export const mondayOf = (midnight: number): number => midnight - ((weekdayOf(midnight) + 6) % 7) * day;

export const midnightOf = (wall: number): number => wall - (((wall % day) + day) % day);

/** `2026-12-01T15:00:00` */
export const wallText = (wall: number): string => new Date(wall).toISOString().slice(0, -5);

/** The number of a week and the year it belongs to (ISO 8601: the year of its Thursday). */
export const isoWeek = (midnight: number): { year: number; week: number } => {
  const thursday = mondayOf(midnight) + 3 * day;
  const year = new Date(thursday).getUTCFullYear();
  return { year, week: 1 + Math.floor((thursday - Date.UTC(year, 0, 1)) / (7 * day)) };
};

export const weekdayName = (wall: number): string => weekdayNames[weekdayOf(wall)]!;

export const monthName = (wall: number): string => months[new Date(wall).getUTCMonth()]!;

/** `Mon 16` */
export const dayLabel = (wall: number): string => `${weekdayName(wall).slice(0, 3)} ${new Date(wall).getUTCDate()}`;

/** `Mon 16 Nov` */
export const dateLabel = (wall: number): string => `${dayLabel(wall)} ${monthName(wall).slice(0, 3)}`;

/** `Mon 16 Nov 2026` */
export const fullDateLabel = (wall: number): string => `${dateLabel(wall)} ${new Date(wall).getUTCFullYear()}`;

/** `Monday 16 November 2026`, for screen readers. */
export const spokenDate = (wall: number): string =>
  `${weekdayName(wall)} ${new Date(wall).getUTCDate()} ${monthName(wall)} ${new Date(wall).getUTCFullYear()}`;

/** `09:30` */
export const clockLabel = (wall: number): string => wallText(wall).slice(-8, -3);

/** `09:30:00` */
export const exactClock = (wall: number): string => wallText(wall).slice(-8);

/** `2026-12-01T15:00:00Z` */
export const utcText = (at: number, fraction = ''): string =>
  `${wallText(Math.floor(at / second) * second)}${fraction}Z`;

/** An instant as RFC 3339 with the offset of its wall-clock time: `2026-12-01T15:00:00+01:00`. */
export function withOffset(at: number, wall: number, fraction = ''): string {
  const offset = (wall - at) / minute;
  // Until 1972 Monrovia was 44 minutes and 30 seconds behind UTC, which RFC 3339 can't express.
  if (offset === 0 || !Number.isInteger(offset)) return utcText(at, fraction);
  const size = Math.abs(offset);
  return `${wallText(wall)}${fraction}${offset < 0 ? '-' : '+'}${twoDigits(size / 60)}:${twoDigits(size % 60)}`;
}

export type DateParts = [number, number, number, number, number, number];

// RFC 3339 §5.6, without leap seconds: a table shows those unchanged.
const timestamp = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(\.\d+)?(?:Z|([+-])(\d\d):(\d\d))$/i;

/** Milliseconds since 1970 of a complete RFC 3339 timestamp, without its fraction; `undefined` for anything else. */
export function timestampOf(value: unknown): number | undefined {
  const parts = typeof value === 'string' ? timestamp.exec(value) : null;
  if (!parts) return undefined;
  const [year, month, date] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const [hours, minutes, seconds] = [Number(parts[4]), Number(parts[5]), Number(parts[6])];
  // `Date.UTC` reads the years 0 to 99 as 1900 to 1999.
  if (year < 100 || month < 1 || month > 12 || date < 1 || date > daysIn(year, month)) return undefined;
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined;
  const wall = Date.UTC(year, month - 1, date, hours, minutes, seconds);
  if (!parts[8]) return wall;
  const [offsetHours, offsetMinutes] = [Number(parts[9]), Number(parts[10])];
  if (offsetHours > 23 || offsetMinutes > 59) return undefined;
  const offset = offsetHours * hour + offsetMinutes * minute;
  const at = parts[8] === '-' ? wall + offset : wall - offset;
  // An offset can lead into the year 10000, which no format of a time can show.
  return at > lastTime ? undefined : at;
}
