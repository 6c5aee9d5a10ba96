import { isEmailAddress } from '../api/email-address.ts';
import { isObject } from '../client/reading.ts';
import { counted } from '../plural.ts';
import { BadInput } from './bad-input.ts';
import type { BrokenRecord, CsvRecord } from './csv-source.ts';
import { kindByName } from './input.ts';
import { isJsonStart, type JsonEntry, jsonlValues, jsonValues } from './json-source.ts';
import { type Bytes, peek, textOf } from './text-source.ts';

/** A line of the input with its values by column, or the reason why it can't be read. */
export type InputRecord = { line: number; isListed?: true } & ({ values: Map<string, unknown> } | { problem: string });

export interface RecordOptions {
  /** Name of the file, whose extension tells the format. */
  name: string;
  /** The column that a name means, or undefined if there is no such column. */
  columnOf(name: string): string | undefined;
  /** The columns as text, for messages. */
  columns: string;
}

const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

const longestName = 40;

/** The problem with these names of columns or fields, or undefined if all are known and distinct. */
const nameProblem = (names: readonly string[], { columnOf, columns }: RecordOptions, what: 'column' | 'field') => {
  const unknown = names.filter((name) => columnOf(name) === undefined).map((name) => name.slice(0, longestName));
  if (unknown.length > 0)
    return `unknown ${what}${unknown.length === 1 ? '' : 's'} ${quoted(unknown)}; the known ones are ${columns}`;
  const twice = names.filter((name, index) => names.findIndex((each) => columnOf(each) === columnOf(name)) < index);
  return twice.length > 0 ? `the ${what} ${quoted(twice)} is there twice` : undefined;
};

const readHeader = (record: CsvRecord | BrokenRecord, options: RecordOptions): string[] => {
  if ('problem' in record) throw new BadInput(`line ${record.first}: ${record.problem}`);
  const { cells } = record;
  // A first line with data is not quoted.
  if (cells.every((name) => options.columnOf(name) === undefined) || cells.some((cell) => isEmailAddress(cell)))
    throw new BadInput(`line ${record.first} must have the column names; the known ones are ${options.columns}`);
  const problem = nameProblem(cells, options, 'column');
  if (problem !== undefined) throw new BadInput(`line ${record.first}: ${problem}`);
  return cells.map((name) => options.columnOf(name)!);
};

/** Whether a cell of several lines has an address that no cell has: two stray quotes turn the rows between into one. */
const holdsRows = ({ cells, rows }: CsvRecord): boolean =>
  rows.flat().some((part) => {
    const cell = part.replace(/^[\s"]+|[\s"]+$/g, '');
    return isEmailAddress(cell) && !cells.includes(cell);
  });

const recordOf = (record: CsvRecord | BrokenRecord, header: readonly string[]): InputRecord => {
  const line = record.first;
  if ('problem' in record) return { line, problem: record.problem };
  const { cells } = record;
  if (cells.length !== header.length)
    return { line, problem: `it has ${counted(cells.length, 'cell')}, but the first line has ${header.length}` };
  if (holdsRows(record)) return { line, problem: 'a quoted cell seems to contain whole rows' };
  return { line, values: new Map(header.map((name, index) => [name, cells[index]])) };
};

async function* csvInput(text: AsyncIterable<string>, options: RecordOptions): AsyncGenerator<InputRecord> {
  let header: string[] | undefined;
  const { csvRecords } = await import('./csv-source.ts');
  for await (const record of csvRecords(text)) {
    if ('cells' in record && record.cells.every((cell) => cell === '')) continue;
    if (header === undefined) header = readHeader(record, options);
    else yield recordOf(record, header);
  }
}

async function* jsonInput(values: AsyncIterable<JsonEntry>, options: RecordOptions): AsyncGenerator<InputRecord> {
  for await (const entry of values) {
    const { line, isListed } = entry;
    const place = { line, ...(isListed ? { isListed } : {}) };
    if ('problem' in entry) yield { ...place, problem: entry.problem };
    if (!('value' in entry)) continue;
    const { value } = entry;
    const problem = isObject(value) ? nameProblem(Object.keys(value), options, 'field') : 'it is not a JSON object';
    if (problem !== undefined) yield { ...place, problem };
    else
      yield {
        ...place,
        values: new Map(Object.entries(value as object).map(([name, each]) => [options.columnOf(name)!, each])),
      };
  }
}

/** The records of a file: CSV with a header, a JSON list of objects, or one JSON object per line. */
export async function* readRecords(bytes: Bytes, options: RecordOptions): AsyncGenerator<InputRecord> {
  const { start, text } = await peek(textOf(bytes));
  const kind = kindByName(options.name) ?? (isJsonStart(start) ? 'json' : 'csv');
  if (kind === 'json') yield* jsonInput(jsonValues(text), options);
  else if (kind === 'jsonl') yield* jsonInput(jsonlValues(text), options);
  else yield* csvInput(text, options);
}
