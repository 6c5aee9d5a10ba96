import { day, hour, minute, second } from '../base/milliseconds.ts';
import { daysIn, midnightOf } from './wall.ts';

const units: Record<string, number> = { ms: 1, s: second, m: minute, h: hour };

/** Returns a duration such as `90s`, `2m`, `1h30m` or `500ms` in milliseconds, `undefined` for anything else. */
export const readDuration = (text: string): number | undefined => {
  if (!/^(\d{1,6}(ms|s|m|h))+$/.test(text)) return undefined;
  return Array.from(text.matchAll(/(\d+)(ms|s|m|h)/g)).reduce(
    (sum, [, count, unit]) => sum + Number(count) * units[unit!]!,
    0,
  );
};

/** The longest age in each unit: a century. */
const longest: Record<string, number> = { d: 36_525, w: 5_218, mo: 1_200, y: 100 };

/** The time that lies an age such as `90d`, `8w`, `24mo` or `2y` before another one, `undefined` if the text is no age. */
export const timeBefore = (text: string, at: number): number | undefined => {
  const [, digits, unit = ''] = /^([1-9]\d{0,4})(d|w|mo|y)$/.exec(text) ?? [];
  const count = Number(digits);
  if (digits === undefined || count > longest[unit]!) return undefined;
  if (unit === 'd' || unit === 'w') return at - count * (unit === 'd' ? day : 7 * day);
  const date = new Date(at);
  const first = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - count * (unit === 'y' ? 12 : 1)));
  const [year, month] = [first.getUTCFullYear(), first.getUTCMonth()];
  // A month before 31 March is the last day of February.
  const dayOfMonth = Math.min(date.getUTCDate(), daysIn(year, month + 1));
  return Date.UTC(year, month, dayOfMonth) + at - midnightOf(at);
};
