import { the, words } from '../base/words.ts';
import { type Reading, readingTexts } from './reading.ts';
import { months, utcText } from './wall.ts';
import { abbreviated, readZone } from './zone.ts';

type RefusedReading = Extract<Reading, { ok: false }>;
type ReadTime = (text: string, zone?: string) => Reading;

const forms =
  'Use a day (monday, tomorrow 15:00), a date (dec 1 9am, 2026-12-01 15:00, 2026-12-01T15:00:00Z) or an offset (+2h, -7d)';

const noMonths = 'Months and years are not supported, and m means minutes. Use days (+30d) or a date';

/** Common input that isn't supported, with the advice to show for it. */
const hints: [RegExp, (text: string, parts: RegExpExecArray) => string][] = [
  [/^$/, () => `The time is empty. ${forms}`],
  [/^(\d{4})(\d\d)(\d\d)$/, (_, [, year, month, date]) => `Write the date with hyphens: ${year}-${month}-${date}`],
  [/^\d+(\.\d+)?$/, () => forms],
  [
    /^(\d{4})[/.](\d\d?)[/.](\d\d?)( .+)?/,
    (_, [, y, m, d, clock = '']) => `Write the date with hyphens: ${y}-${twoDigits(m)}-${twoDigits(d)}${clock}`,
  ],
  [
    /^(\d\d?)[/.-](\d\d?)[/.-](\d{4})( .+)?/,
    (_, [, first, second, year, clock = '']) => eitherDate(first!, second!, year!, clock),
  ],
  [/^\d\d?[/.-]\d\d?[/.-]\d\d?(?!\d)/, () => 'Write the year with four digits: 2026-12-01'],
  [/^(\d{4})-(\d\d?)-(\d\d?)(?!\d)/, (text, parts) => (/^\d{4}-\d\d-\d\d/.test(text) ? '' : paddedDate(parts))],
  [/^\d{5,}-\d/, () => 'Write the year with four digits: 2026-12-01'],
  [/^\d{4}-\d\d$/, (text) => `Add a day: ${text}-01`],
  [/\bmidnight$/i, () => 'Use 00:00 after the day that begins then'],
  [/:\d\d,\d/, () => 'Write fractions of a second with a point'],
  [
    /^(next|last|this|coming) /i,
    () =>
      'Use monday (the first one after today), next monday (the one of next week), last monday (the last one before today), a date or an offset (-7d)',
  ],
  [
    /^\d{1,2}h$/i,
    (text) =>
      `If it is a time of day, use today ${text.slice(0, -1)}:00. If it is a number of hours, use +${text} or -${text}`,
  ],
  [/\b(mo|mon|month|months|y|yr|year|years)( ago)?$/i, (text) => (/^in \d|ago$/i.test(text) ? noMonths : '')],
  [/\bago$|^in /i, () => 'Use a number and a unit (in 2 hours, 3 days ago) or an offset (+2h, -7d)'],
  [/^[+-]?\d+[wdhms](\d+[wdhms])*$/, (text) => spanHint(text)],
  [/^[+-]?\d+(\.\d+)? ?(mo|mon|month|months|y|yr|year|years|M)$/, () => noMonths],
  [/^[+-]\d*\.\d+/, () => 'Use whole numbers: +1h30m'],
  [/^[+-]/, () => 'Use an offset such as +2h, -7d, +90m, +1w or +1d2h, with the units w, d, h, m and s'],
];

const cannotReadTime = (text: string): string => `Can't read "${text}" as a time`;

const twoDigits = (digits: string | undefined): string => (digits ?? '').padStart(2, '0');

const paddedDate = ([, year, month, date]: RegExpExecArray): string =>
  `Write month and day with two digits: ${year}-${twoDigits(month)}-${twoDigits(date)}`;

function eitherDate(first: string, second: string, year: string, clock: string): string {
  const dates = [
    [first, second],
    [second, first],
  ].filter(
    ([month, date]) => Number(month) >= 1 && Number(month) <= months.length && Number(date) >= 1 && Number(date) <= 31,
  );
  const choices = [...new Set(dates.map(([month, date]) => `${year}-${twoDigits(month)}-${twoDigits(date)}${clock}`))];
  return `Write the date as year-month-day${choices.length > 0 ? `: ${choices.join(' or ')}` : ''}`;
}

const spanHint = (text: string): string =>
  /^[+-]/.test(text) ? 'Write each unit once, the largest first: +1w2d3h4m' : `Add a sign: +${text} or -${text}`;

/** Explains a zone after the time, as in `2026-12-01 15:00 EST`, `… Europe/Paris` or `… UTC+2`. */
function zoneAfter(text: string, read: ReadTime): RefusedReading | undefined {
  const parts = /^(.*[\d:]) ?\(?([a-z][a-z0-9_+\-/]*)\)?$/i.exec(text);
  if (!parts) return undefined;
  const [, time, name] = parts as unknown as [string, string, string];
  const zoneReading = readZone(name);
  const zones = zoneReading.ok ? [zoneReading.zone] : abbreviated(name);
  if (/^(utc|gmt)[+-]\d/i.test(name) && !zoneReading.ok)
    return { ok: false, problem: `${cannotReadTime(text)}. Write the offset like this: 2026-12-01T15:00:00+02:00` };
  if (!zones) return undefined;
  const readings = [...new Set(zones.flatMap((zone) => readingTexts(read(time, zone))))];
  const write = readings.length > 0 ? `, or write ${readings.join(' or ')}` : '';
  const problem = zoneReading.ok
    ? words`${cannotReadTime(text)}. Set the time zone with ${the('tz')} ${zoneReading.zone}${write}`
    : words`${cannotReadTime(text)}: ${name} can mean ${zones.join(', ')}. Set the time zone with ${the('tz')} ${zones[0]!}${write}`;
  return { ok: false, problem, ...(readings.length > 0 && { readings }) };
}

/** Explains `+0100` and `+01`, which are valid in ISO 8601 but not in RFC 3339. */
function shortOffset(text: string, read: ReadTime): RefusedReading | undefined {
  const parts = /^(.*:\d\d(?:\.\d+)?) ?([+-]\d\d)(\d\d)?$/.exec(text);
  const reading = parts && read(`${parts[1]}${parts[2]}:${parts[3] ?? '00'}`);
  if (!reading?.ok || reading.local) return undefined;
  const example = `${parts![1]!.replace(' ', 'T')}${parts![2]}:${parts![3] ?? '00'}`;
  return {
    ok: false,
    problem: `${cannotReadTime(text)}. Write the offset with a colon: ${example}`,
    readings: [example],
  };
}

/** Explains a Unix timestamp in seconds or milliseconds. */
function epoch(text: string): RefusedReading | undefined {
  if (!/^(\d{9,10}|\d{12,13})$/.test(text)) return undefined;
  const reading = utcText(Number(text) * (text.length > 10 ? 1 : 1000));
  return {
    ok: false,
    problem: `${cannotReadTime(text)}. If it is a Unix timestamp, use ${reading}`,
    readings: [reading],
  };
}

/** Explains why a text can't be read as a time and what to write instead. */
export function explainRefusal(text: string, read: ReadTime): RefusedReading {
  const special = epoch(text) ?? shortOffset(text, read);
  if (special) return special;
  const excerpt = text.length > 60 ? `${text.slice(0, 59)}…` : text;
  for (const [form, hint] of hints) {
    const parts = form.exec(text);
    const advice = parts && hint(text, parts);
    if (advice) return { ok: false, problem: text === '' ? advice : `${cannotReadTime(excerpt)}. ${advice}` };
  }
  return zoneAfter(text, read) ?? { ok: false, problem: `${cannotReadTime(excerpt)}. ${forms}` };
}
