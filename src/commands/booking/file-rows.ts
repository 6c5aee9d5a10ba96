import { isObject, jsonIn } from '../../base/json.ts';
import { asColumns } from '../../base/words.ts';
import type { Given } from '../../cli/input/given.ts';
import type { FieldFlag } from '../../cli/operation/field-flags.ts';

/** What a line gives: its own values, else those of the command line. */
interface BookingRow {
  given: Given;
  /** `Question=Answer`. Those of the command line come first. */
  answers: string[];
}

const answersColumn = 'answers';
const answerPrefix = `${answersColumn}.`;

/** A line of the file as a way to call the command. */
export const bookingColumns = asColumns({ answer: answersColumn });

/** The service calls it `start_time`. */
const otherNames: Record<string, string> = { start_time: 'start' };

export const bookingFileColumns = (flags: readonly FieldFlag[]): string[] => [
  ...flags.map(({ name }) => bookingColumns.name(name)),
  answersColumn,
];

export const bookingColumnOf =
  (columns: readonly string[]) =>
  (name: string): string | undefined => {
    const trimmed = name.trim();
    if (trimmed.toLowerCase().startsWith(answerPrefix) && trimmed.length > answerPrefix.length)
      return `${answerPrefix}${trimmed.slice(answerPrefix.length).trim()}`;
    const plain = trimmed.toLowerCase().replace(/[\s-]+/g, '_');
    const column = otherNames[plain] ?? plain;
    return columns.includes(column) ? column : undefined;
  };

const isEmptyCell = (value: unknown): boolean =>
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

/** Lays the values of a line over those of the command line. */
export const rowOf = (
  given: Given,
  flags: readonly FieldFlag[],
  values: ReadonlyMap<string, unknown>,
): BookingRow | string[] => {
  const own: Record<string, string> = {};
  const answers = [given.answer ?? []].flat().map(String);
  const problems: string[] = [];
  for (const [column, value] of values) {
    if (isEmptyCell(value)) continue;
    if (column === answersColumn) {
      const itsAnswers = readAnswers(value);
      if (itsAnswers === undefined) problems.push(`${column} must be an object of texts, or 'Question=Answer; …'`);
      else answers.push(...itsAnswers);
    } else if (typeof value !== 'string') problems.push(`${column} must be text`);
    else if (column.startsWith(answerPrefix)) answers.push(`${column.slice(answerPrefix.length)}=${value.trim()}`);
    else own[flags.find(({ name }) => bookingColumns.name(name) === column)!.name] = value.trim();
  }
  return problems.length > 0 ? problems : { given: { ...given, ...own }, answers };
};
