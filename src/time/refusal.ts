import { type Reading, readingTexts } from './reading.ts';
import { months, utcText } from './wall.ts';
import { abbreviated, readZone } from './zone.ts';

type Refused = Extract<Reading, { ok: false }>;
type Read = (text: string, zone?: string) => Reading;

const forms = 'write 2026-12-01T15:00:00Z, 2026-12-01 15:00, today, tomorrow 15:00, monday, +2h or -7d, for example';

/** What is often typed and not taken, and the sentence that says what to write instead. */
const known: [RegExp, (text: string, parts: RegExpExecArray) => string][] = [
  [/^$/, () => `the time is empty; ${forms}`],
  [/^(\d{4})(\d\d)(\d\d)$/, (_, [, year, month, date]) => `write the date with hyphens: ${year}-${month}-${date}`],
  [/^\d+(\.\d+)?$/, () => `digits alone are not taken for a time; ${forms}`],
  [/^(\d{4})[/.](\d\d?)[/.](\d\d?)/, (_, [, y, m, d]) => `write the date with hyphens: ${y}-${two(m)}-${two(d)}`],
  [/^(\d\d?)[/.-](\d\d?)[/.-](\d{4})/, (_, [, left, right, year]) => eitherDate(left!, right!, year!)],
  [/^\d\d?[/.-]\d\d?[/.-]\d\d?(?!\d)/, () => 'the year needs four digits, as in 2026-12-01'],
  [/^(\d{4})-(\d\d?)-(\d\d?)(?!\d)/, (text, parts) => (/^\d{4}-\d\d-\d\d/.test(text) ? '' : padded(parts))],
  [/^\d{5,}-\d/, () => 'the year needs four digits, as in 2026-12-01'],
  [/^\d{4}-\d\d$/, (text) => `a day is missing, as in ${text}-01`],
  [/(\d{1,2})(?::(\d\d))? ?([ap])\.?m\.?$/i, (_, parts) => twentyFour(parts)],
  [
    /\b(noon|midnight)$/i,
    (_, [, word]) => `write ${word!.toLowerCase() === 'noon' ? '12:00' : '00:00'}, with the day before it`,
  ],
  [/^\d\d?:\d\d(:\d\d)?$/, (text) => `a day is missing, as in today ${text} or tomorrow ${text}`],
  [/:\d\d,\d/, () => 'write the fraction of a second with a point'],
  [/^(next|last|this|coming) /i, () => 'write the day alone (monday is the coming one), a date, or +1w'],
  [/\bago$|^in \d/i, () => 'write a span as +2h or -7d'],
  [/^[+-]?\d+[wdhms](\d+[wdhms])*$/, (text) => spanHint(text)],
  [
    /^[+-]?\d+(\.\d+)? ?(mo|mon|month|months|y|yr|year|years|M)$/,
    () => 'months and years are not taken, m means minutes; write days, as in +30d, or a date',
  ],
  [/^[+-]\d*\.\d+/, () => 'write a span in whole numbers, as in +1h30m'],
  [/^[+-]/, () => 'write a span as +2h, -7d, +90m, +1w or +1d2h; the units are w, d, h, m and s'],
];

const two = (digits: string | undefined): string => (digits ?? '').padStart(2, '0');

const padded = ([, year, month, date]: RegExpExecArray): string =>
  `month and day need two digits: ${year}-${two(month)}-${two(date)}`;

function eitherDate(left: string, right: string, year: string): string {
  const dates = [
    [left, right],
    [right, left],
  ].filter(
    ([month, date]) => Number(month) >= 1 && Number(month) <= months.length && Number(date) >= 1 && Number(date) <= 31,
  );
  const written = [...new Set(dates.map(([month, date]) => `${year}-${two(month)}-${two(date)}`))];
  return `write the date as year-month-day${written.length > 0 ? `: ${written.join(' or ')}` : ''}`;
}

function twentyFour([, hours, minutes = '00', half]: RegExpExecArray): string {
  const valid = Number(hours) >= 1 && Number(hours) <= 12;
  const clock = `${two(String((Number(hours) % 12) + (half!.toLowerCase() === 'p' ? 12 : 0)))}:${minutes}`;
  return `am and pm are not taken; write the time in 24 hours${valid ? `: ${clock}` : ''}`;
}

const spanHint = (text: string): string =>
  /^[+-]/.test(text)
    ? 'write each unit of a span once, the larger first, as in +1w2d3h4m'
    : `a span needs a sign: +${text} or -${text}`;

/** `2026-12-01 15:00 EST`, `… Europe/Paris`, `… UTC+2`: a zone behind the time is not taken, but we can say what it would be. */
function zoneBehind(text: string, read: Read): Refused | undefined {
  const parts = /^(.*[\d:]) ?\(?([a-z][a-z0-9_+\-/]*)\)?$/i.exec(text);
  if (!parts) return undefined;
  const [, time, name] = parts as unknown as [string, string, string];
  const found = readZone(name);
  const zones = found.ok ? [found.zone] : abbreviated(name);
  if (/^(utc|gmt)[+-]\d/i.test(name) && !found.ok)
    return { ok: false, problem: `"${text}": write the offset as in 2026-12-01T15:00:00+02:00` };
  if (!zones) return undefined;
  const readings = [...new Set(zones.flatMap((zone) => readingTexts(read(time, zone))))];
  const write = readings.length > 0 ? `; write ${readings.join(' or ')}` : '';
  const problem = found.ok
    ? `"${text}": a zone behind the time is not taken, give it as --tz ${found.zone}${write}`
    : `"${text}": ${name} is an abbreviation that may mean ${zones.join(', ')}; give the zone as --tz ${zones[0]}${write}`;
  return { ok: false, problem, ...(readings.length > 0 && { readings }) };
}

/** `+0100` and `+01` are ISO 8601 but not RFC 3339. */
function shortOffset(text: string, read: Read): Refused | undefined {
  const parts = /^(.*:\d\d(?:\.\d+)?) ?([+-]\d\d)(\d\d)?$/.exec(text);
  const reading = parts && read(`${parts[1]}${parts[2]}:${parts[3] ?? '00'}`);
  if (!reading?.ok || reading.local) return undefined;
  const written = `${parts![1]!.replace(' ', 'T')}${parts![2]}:${parts![3] ?? '00'}`;
  return { ok: false, problem: `"${text}": write the offset with a colon: ${written}`, readings: [written] };
}

/** Seconds or milliseconds since 1970, as programs count them. */
function epoch(text: string): Refused | undefined {
  if (!/^(\d{9,10}|\d{12,13})$/.test(text)) return undefined;
  const reading = utcText(Number(text) * (text.length > 10 ? 1 : 1000));
  return {
    ok: false,
    problem: `"${text}": digits alone are not taken for a time; if it counts from 1970, write ${reading}`,
    readings: [reading],
  };
}

/** Why a text is no time, and what to write instead. */
export function explainRefusal(text: string, read: Read): Refused {
  const special = epoch(text) ?? shortOffset(text, read);
  if (special) return special;
  const shown = text.length > 60 ? `${text.slice(0, 59)}…` : text;
  for (const [form, hint] of known) {
    const parts = form.exec(text);
    const advice = parts && hint(text, parts);
    if (advice) return { ok: false, problem: text === '' ? advice : `"${shown}" is not a time we take: ${advice}` };
  }
  return zoneBehind(text, read) ?? { ok: false, problem: `"${shown}" is not a time; ${forms}` };
}
