import { day, hour, minute, second } from '../base/milliseconds.ts';
import { twoDigits } from '../base/numbers.ts';
import { dateText, dayCalled } from './days.ts';
import { type CheckResult, type Reading, readingTexts } from './reading.ts';
import { wallClock } from './show.ts';
import { explainRefusal } from './time-problems.ts';
import { midnightOf, mondayOf, utcText } from './wall.ts';
import { readZone } from './zone.ts';
import { edgeOfDay, offsetText, resolveWall, type WallReading } from './zoned.ts';

interface TimeContext {
  zone: string;
  /** Milliseconds since 1970. */
  now: number;
  /** Which end of a window this time is. If unset, a time of day is required. */
  edge?: 'since' | 'until' | undefined;
}

interface TimeOfDay {
  sinceMidnight: number;
  fraction: string;
}

const clockForm = String.raw`(?<clock>\d{1,2}:\d\d(?::\d\d(?:\.\d{1,9})?)?)`;
const dateForm = new RegExp(
  String.raw`^(?<date>\d{4}-\d\d-\d\d)(?:[T ]${clockForm}(?: ?(?<offset>Z|[+-]\d\d:\d\d))?(?:\[!?(?<zone>[^\]=]+)\])?)?$`,
  'i',
);
const dayForm = new RegExp(`^(?<day>[a-z\\d].*?)(?:(?: at|,)? ${clockForm})?$`, 'i');
const bareClock = new RegExp(`^${clockForm}$`);
const relative = /^(?<sign>[+-])(?:(?<w>\d+)w)?(?:(?<d>\d+)d)?(?:(?<h>\d+)h)?(?:(?<m>\d+)m)?(?:(?<s>\d+)s)?$/i;

/** `9am`, `9:30 p.m.` and `16h30` at the end of a time. */
const twelveHours = /(?<before>^|[T ])(?<hours>\d{1,2})(?::(?<minutes>\d\d))? ?(?<half>[ap])\.?m\.?$/i;
const hoursWithH = /(?<before>^|[T ])(?<hours>\d{1,2})h(?<minutes>\d\d)?$/i;
/** `2h` and `12h` could also be a number of hours, before or after now. From `13h` to `23h`, people mean the clock. */
const unclearHours = /^(?!1[3-9]h|2[0-3]h)\d{1,2}h$/i;
const spanForm = /^(?<ahead>in )?(?<count>\d+) ?(?<unit>[a-z]+)(?<past> ago)?$/i;

const units: Record<string, string> = Object.fromEntries(
  ['s sec secs second seconds', 'm min mins minute minutes', 'h hour hours', 'd day days', 'w week weeks'].flatMap(
    (words) => words.split(' ').map((word) => [word, words[0]!]),
  ),
);

const outside = (text: string): Reading => ({
  ok: false,
  problem: `"${text}" is outside the years 1970 to 9999`,
});

function checkClock(text: string, midnight: number): CheckResult<TimeOfDay> {
  const [whole, digits] = text.split('.') as [string, string | undefined];
  const [hours, minutes, seconds = 0] = whole.split(':').map(Number) as [number, number, number?];
  const refuse = (problem: string): CheckResult<TimeOfDay> => ({ ok: false, problem });
  if (hours === 24 && minutes === 0 && seconds === 0)
    return refuse(`${text} is not a valid time of day. Use 00:00 of the next day: ${dateText(midnight + day)} 00:00`);
  if (hours > 23) return refuse(`${text} is not a valid time of day: hours go from 00 to 23`);
  if (minutes > 59) return refuse(`${text} is not a valid time of day: minutes go from 00 to 59`);
  if (seconds > 59) return refuse(`${text} is not a valid time of day: seconds go from 00 to 59 (no leap seconds)`);
  const sinceMidnight = hours * hour + minutes * minute + seconds * second;
  return { ok: true, value: { sinceMidnight, fraction: digits ? `.${digits}` : '' } };
}

function checkOffset(text: string): CheckResult<number> {
  if (/^z$/i.test(text)) return { ok: true, value: 0 };
  const [hours, minutes] = [Number(text.slice(1, 3)), Number(text.slice(4, 6))];
  if (hours > 23 || minutes > 59)
    return { ok: false, problem: `${text} is not a valid offset: offsets go from -23:59 to +23:59` };
  return { ok: true, value: (text.startsWith('-') ? -1 : 1) * (hours * hour + minutes * minute) };
}

/** Turns a resolved wall-clock time into a reading. If it matches two instants or none, the user has to choose. */
function readingAt(text: string, meaning: WallReading, zone: string, local: boolean, fraction = ''): Reading {
  if (meaning.kind !== 'one') {
    const why =
      meaning.kind === 'gap'
        ? `doesn't exist in ${zone} (clocks go forward)`
        : `occurs twice in ${zone} (clocks go back)`;
    const readings = [meaning.earlier, meaning.later].map((at) => offsetText(at, zone, fraction));
    return { ok: false, problem: `"${text}" ${why}. Use ${readings.join(' or ')}`, readings };
  }
  const year = new Date(meaning.at).getUTCFullYear();
  if (!(year >= 1970 && year <= 9999)) return outside(text);
  return { ok: true, instant: utcText(meaning.at, fraction), zone, local };
}

function wholeDay(text: string, midnight: number, { zone, edge }: TimeContext): Reading {
  if (edge) return readingAt(text, edgeOfDay(midnight, zone, edge), zone, true);
  return {
    ok: false,
    problem: `"${text}" has no time of day. Add one, for example: ${dateText(midnight)} 09:00`,
  };
}

function readDated(text: string, parts: Record<string, string | undefined>, context: TimeContext): Reading {
  const date = dayCalled(parts.date!, 0)!;
  if (!date.ok) return date;
  if (!parts.clock) return wholeDay(text, date.value, context);
  const clock = checkClock(parts.clock, date.value);
  if (!clock.ok) return clock;
  const { fraction } = clock.value;
  const wall = date.value + clock.value.sinceMidnight;
  // RFC 9557: a zone in brackets wins over the default zone and must match the offset, if there is one.
  const zoneReading = parts.zone === undefined ? undefined : readZone(parts.zone);
  if (zoneReading && !zoneReading.ok) return { ok: false, problem: zoneReading.problem };
  const zone = zoneReading?.zone ?? context.zone;
  if (!parts.offset) return readingAt(text, resolveWall(wall, zone), zone, !zoneReading, fraction);
  const offset = checkOffset(parts.offset);
  if (!offset.ok) return offset;
  const at = wall - offset.value;
  const reading = readingAt(text, { kind: 'one', at }, zone, false, fraction);
  // RFC 9557 §2: after `Z`, the zone can have any offset.
  if (!reading.ok || !zoneReading || /^z$/i.test(parts.offset) || wallClock(zone)(at) === wall) return reading;
  const wallReading = readingAt(text, resolveWall(wall, zone), zone, false, fraction);
  const readings = [offsetText(at, zone, fraction), ...readingTexts(wallReading)];
  const problem = `"${text}" contradicts itself: ${zone} doesn't have the offset ${parts.offset} at that time. Use ${readings.join(' or ')}`;
  return { ok: false, problem, readings };
}

/** A day that was named in words, with or without a time of day. */
function readWorded(text: string, midnight: number, clockText: string | undefined, context: TimeContext): Reading {
  if (!clockText) return wholeDay(text, midnight, context);
  const clock = checkClock(clockText, midnight);
  if (!clock.ok) return clock;
  const { sinceMidnight, fraction } = clock.value;
  return readingAt(text, resolveWall(midnight + sinceMidnight, context.zone), context.zone, true, fraction);
}

/** The first and last day of `this week`, `next month` and the like. */
function windowCalled(text: string, today: number): { since: number; until: number } | undefined {
  const [, which, unit] = /^(this|next|last) (week|month)$/i.exec(text) ?? [];
  if (which === undefined || unit === undefined) return undefined;
  const shift = { this: 0, next: 1, last: -1 }[which.toLowerCase()]!;
  if (unit.toLowerCase() === 'week') {
    const since = mondayOf(today) + shift * 7 * day;
    return { since, until: since + 6 * day };
  }
  const date = new Date(today);
  const dayOfMonth = (months: number, number: number) =>
    Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, number);
  return { since: dayOfMonth(shift, 1), until: dayOfMonth(shift + 1, 0) };
}

/** Writes `9am`, `16h30` and `noon` as `09:00`, `16:30` and `12:00`. Returns a problem if there is no such time. */
function withPlainClock(raw: string): CheckResult<string> {
  const text = raw.replace(/(^|[T ])noon$/i, '$112:00');
  const {
    before = '',
    hours = '',
    minutes = '00',
    half,
  } = (twelveHours.exec(text) ?? hoursWithH.exec(text))?.groups ?? {};
  if (hours === '') return { ok: true, value: text };
  if (half !== undefined && (Number(hours) < 1 || Number(hours) > 12))
    return {
      ok: false,
      problem: `${text.trim()} is not a valid time of day: before am and pm, hours go from 1 to 12`,
    };
  const isAfternoon = half?.toLowerCase() === 'p';
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (isAfternoon ? 12 : 0);
  const start = text.replace(half === undefined ? hoursWithH : twelveHours, '');
  return { ok: true, value: `${start}${before}${twoDigits(hour)}:${minutes}` };
}

/** `in 2 hours` and `3 days ago` as `+2h` and `-3d`. */
function spokenSpan(text: string): string | undefined {
  const { ahead, count, unit = '', past } = spanForm.exec(text)?.groups ?? {};
  const short = Object.hasOwn(units, unit.toLowerCase()) ? units[unit.toLowerCase()] : undefined;
  if (short === undefined || (ahead === undefined) === (past === undefined)) return undefined;
  return `${ahead === undefined ? '-' : '+'}${count}${short}`;
}

/** Weeks and days are calendar days in the zone; hours, minutes and seconds are exact. */
function readRelative(
  text: string,
  parts: Record<string, string | undefined>,
  { zone, now, edge }: TimeContext,
): Reading {
  const amount = (unit: string): number => (parts.sign === '-' ? -1 : 1) * Number(parts[unit] ?? 0);
  const days = amount('w') * 7 + amount('d');
  const exact = amount('h') * hour + amount('m') * minute + amount('s') * second;
  const start = Math.floor(now / second) * second;
  // A larger span always ends outside the supported years, and `Date` can't represent it.
  if (Math.abs(days * day) + Math.abs(exact) > 8100 * 366 * day) return outside(text);
  if (days === 0)
    return readingAt(text, { kind: 'one', at: start + exact }, zone, parts.w !== undefined || parts.d !== undefined);
  const wall = wallClock(zone)(start) + days * day;
  if (wall < 0 || wall >= Date.UTC(10000, 0, 1)) return outside(text);
  const meaning = resolveWall(wall, zone);
  if (meaning.kind === 'one') return readingAt(text, { kind: 'one', at: meaning.at + exact }, zone, true);
  // The user didn't type this wall-clock time, and a nightly `--since -7d` must not fail: choose the wider window.
  if (edge)
    return readingAt(
      text,
      { kind: 'one', at: (edge === 'since' ? meaning.earlier : meaning.later) + exact },
      zone,
      true,
    );
  return readingAt(
    text,
    { kind: meaning.kind, earlier: meaning.earlier + exact, later: meaning.later + exact },
    zone,
    true,
  );
}

/** The hours of the parts of a day. A morning begins at midnight, so that a window leaves no meeting out. */
const partsOfDay: Record<string, { from: number; to: number; example: string }> = {
  morning: { from: 0, to: 12, example: '09:00' },
  afternoon: { from: 12, to: 18, example: '14:00' },
  evening: { from: 18, to: 24, example: '18:00' },
};

/** Reads `tomorrow morning`: an end of a window, but no single time. Returns undefined if the text has no part of a day. */
function readPartOfDay(text: string, today: number, { zone, edge }: TimeContext): Reading | undefined {
  const form = /^(?:(?:this|(?<day>.+)) )?(?<part>morning|afternoon|evening)$/i;
  const { day: word = 'today', part } = form.exec(text.replace(/^tonight$/i, 'this evening'))?.groups ?? {};
  const dayReading = part && dayCalled(word, today, edge !== undefined);
  if (!dayReading) return undefined;
  if (!dayReading.ok) return dayReading;
  const { from, to, example } = partsOfDay[part.toLowerCase()]!;
  const hours = edge === 'until' ? to : from;
  if (edge !== undefined) {
    const isWholeDay = hours % 24 === 0;
    const meaning = isWholeDay
      ? edgeOfDay(dayReading.value, zone, edge)
      : resolveWall(dayReading.value + hours * hour, zone);
    return readingAt(text, meaning, zone, true);
  }
  const date = dateText(dayReading.value);
  const problem = `"${text}" is a time window (${date}, ${from}:00 to ${to}:00), not a single time. Use an exact time, such as ${date} ${example}`;
  return { ok: false, problem };
}

function readWindowWords(
  text: string,
  { since, until }: { since: number; until: number },
  context: TimeContext,
): Reading {
  const { zone, edge } = context;
  if (edge !== undefined) return readingAt(text, edgeOfDay(edge === 'since' ? since : until, zone, edge), zone, true);
  const dates = [since, until].map((midnight) => dateText(midnight)).join(' to ');
  return {
    ok: false,
    problem: `"${text}" is a time window (${dates}), not a single time. Use a day and a time, such as monday 9:00`,
  };
}

/** Reads a time as people type it. Ambiguous and invalid times are rejected, never guessed. */
export function readTime(input: string, context: TimeContext): Reading {
  const text = input.trim().replace(/\s+/g, ' ');
  if (text.length > 80) return { ok: false, problem: `"${text.slice(0, 59)}…" is too long to be a time` };
  if (text.toLowerCase() === 'now') return readingAt(text, { kind: 'one', at: context.now }, context.zone, false);
  const clocked: CheckResult<string> = unclearHours.test(text) ? { ok: true, value: text } : withPlainClock(text);
  if (!clocked.ok) return clocked;
  const plain = clocked.value;
  const date = dateForm.exec(plain);
  if (date) return readDated(text, date.groups!, context);
  const span = relative.exec(spokenSpan(text) ?? text);
  // `+1M` could be meant as a month.
  if (span && text.length > 1 && !/M$/.test(text)) return readRelative(text, span.groups!, context);
  const today = midnightOf(wallClock(context.zone)(context.now));
  const bare = bareClock.exec(plain);
  if (bare) return readWorded(text, today, bare.groups!.clock, context);
  const window = windowCalled(text, today);
  if (window) return readWindowWords(text, window, context);
  const part = readPartOfDay(text, today, context);
  if (part) return part;
  const { day: word = '', clock } = dayForm.exec(plain)?.groups ?? {};
  const dayReading = dayCalled(word, today, context.edge !== undefined);
  if (dayReading !== undefined) return dayReading.ok ? readWorded(text, dayReading.value, clock, context) : dayReading;
  return explainRefusal(text, (rest, zone) => readTime(rest, { ...context, zone: zone ?? context.zone }));
}
