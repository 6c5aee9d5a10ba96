import { isObject, jsonIn } from '../../../json.ts';
import { readTime } from '../../../time/read.ts';
import { type Reading, readingTexts } from '../../../time/reading.ts';
import { day } from '../../../time/wall.ts';
import { readZone } from '../../../time/zone.ts';
import type { Invocation } from '../../command.ts';
import type { FieldFlag } from '../../operation/field-flags.ts';
import { readValue } from '../../operation/values.ts';
import type { Typed } from '../../session/settings.ts';

/** A line with its values as flags: its own, else those of the command line. */
export interface BookingRow {
  line: number;
  typed: Typed;
  /** `Question=Answer`. Those of the command line come first. */
  answers: string[];
}

const columnName = (flag: string): string => flag.replaceAll('-', '_');

const answersColumn = 'answers';
const answerPrefix = `${answersColumn}.`;

/** The service calls it `start_time`. */
const otherNames: Record<string, string> = { start_time: 'start' };

export const columnsOf = (flags: readonly FieldFlag[]): string[] => [
  ...flags.map(({ name }) => columnName(name)),
  answersColumn,
];

export const columnOf =
  (columns: readonly string[]) =>
  (name: string): string | undefined => {
    const trimmed = name.trim();
    if (trimmed.toLowerCase().startsWith(answerPrefix) && trimmed.length > answerPrefix.length)
      return `${answerPrefix}${trimmed.slice(answerPrefix.length).trim()}`;
    const plain = trimmed.toLowerCase().replace(/[\s-]+/g, '_');
    const column = otherNames[plain] ?? plain;
    return columns.includes(column) ? column : undefined;
  };

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

/** Reads the column `answers`: an object, its JSON, or `Question=Answer; Question=Answer`. */
const readAnswers = (value: unknown): string[] | undefined => {
  const isText = typeof value === 'string';
  if (isText && !value.trim().startsWith('{'))
    return value
      .split(';')
      .map((part) => part.trim())
      .filter((part) => part !== '');
  const object = isText ? jsonIn(value) : value;
  if (!isObject(object) || Object.values(object).some((each) => typeof each !== 'string')) return undefined;
  return Object.entries(object).map(([question, answer]) => `${question}=${answer}`);
};

export const rowOf = (
  { typed }: Invocation,
  flags: readonly FieldFlag[],
  line: number,
  values: ReadonlyMap<string, unknown>,
): BookingRow | string[] => {
  const own: Record<string, string> = {};
  const answers = [...((typed.answer as string[] | undefined) ?? [])];
  const problems: string[] = [];
  for (const [column, value] of values) {
    if (isEmpty(value)) continue;
    if (column === answersColumn) {
      const read = readAnswers(value);
      if (read === undefined) problems.push(`${column} must be an object of texts, or 'Question=Answer; …'`);
      else answers.push(...read);
    } else if (typeof value !== 'string') problems.push(`${column} must be text`);
    else if (column.startsWith(answerPrefix)) answers.push(`${column.slice(answerPrefix.length)}=${value.trim()}`);
    else own[flags.find(({ name }) => columnName(name) === column)!.name] = value.trim();
  }
  return problems.length > 0 ? problems : { line, typed: { ...typed, ...own }, answers };
};

/** The problem in words of the file: its columns are named after the flags. */
export const inColumns = (problem: string): string =>
  problem.replace(/^--([a-z-]+)/, (_, flag: string) => (flag === 'answer' ? answersColumn : columnName(flag)));

/** Reads a start. Without an offset it is in the zone of `--tz`, else in the invitee's own. */
export const readStart = ({ context }: Invocation, { typed }: BookingRow): Reading => {
  const { zone, zoneSource } = context.settings;
  const raw = String(typed.start);
  // A missing or unknown time zone is a problem of its own.
  const theirs = zoneSource === '--tz' ? undefined : readZone(String(typed.timezone));
  const read = (now: number): Reading => readTime(raw, { zone: theirs?.ok ? theirs.zone : zone, now });
  const now = context.now();
  const reading = read(now);
  if (!reading.ok || /^\d{4}-/.test(raw.trim())) return reading;
  // The same line must mean the same time when the file is run again, also in another year.
  const later = read(now + 1000 * day);
  if (later.ok && later.instant === reading.instant) return reading;
  return {
    ok: false,
    problem: `"${raw}" depends on the day it is read. In a file, write a date with a year: ${readingTexts(reading)[0]}`,
  };
};

/** The problems of a line that show without asking the service. */
export const localProblems = async (
  invocation: Invocation,
  flags: readonly FieldFlag[],
  row: BookingRow,
): Promise<string[]> => {
  const problems: string[] = [];
  const missing: string[] = [];
  for (const flag of flags) {
    const raw = row.typed[flag.name];
    const { unless } = flag;
    if (raw === undefined) {
      const isNeeded = unless === undefined ? flag.required : row.typed[unless] === undefined;
      if (isNeeded)
        missing.push(unless === undefined ? columnName(flag.name) : `${flag.name} or ${columnName(unless)}`);
      continue;
    }
    if (flag.name === 'start') {
      const reading = readStart(invocation, row);
      if (!reading.ok) problems.push(`start: ${reading.problem}`);
      continue;
    }
    const value = await readValue(flag, String(raw), { ...invocation, typed: row.typed });
    if (!value.ok) problems.push(inColumns(value.problem));
  }
  return missing.length > 0 ? [...problems, `missing ${missing.join(', ')}`] : problems;
};
