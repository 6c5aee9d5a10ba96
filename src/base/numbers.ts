/*
 * Numbers from files, Redis and replies can be anything that JSON can hold: 1e999 is Infinity, and a meeting may take 1e9
 * minutes. Check them here before calculating or counting with them.
 */

/** False for NaN and for anything that isn't a number. */
export const isWithin = (value: unknown, least: number, most: number): value is number =>
  typeof value === 'number' && value >= least && value <= most;

export const isCount = (value: unknown, most = Number.MAX_SAFE_INTEGER): value is number =>
  isWithin(value, 0, most) && Number.isInteger(value);

/** The end of the year 9999, the last one with four digits. */
export const lastTime = 253_402_300_799_999;

/** Milliseconds since 1970. */
export const isTime = (value: unknown): value is number => isWithin(value, 0, lastTime);

/** `1,200` */
export const formatNumber = (value: number): string => value.toLocaleString('en-US');

/** A number with its noun in singular or plural: `1 event`, `1,200 events`, `2 entries`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`;

/** `7` ⇒ `07`, as in a time of day. */
export const twoDigits = (value: number): string => String(Math.floor(value)).padStart(2, '0');

/** Text with a capital first letter. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
