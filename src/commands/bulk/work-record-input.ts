import { isEmailAddress } from '../../api/email-address.ts';
import { isObject } from '../../base/json.ts';
import { readInput } from './work-item-input.ts';
import { BadInput, type SourceContent, type SourceEntry } from './work-text-source.ts';

/** The values of a record by column. */
export type RecordValues = ReadonlyMap<string, unknown>;

export interface RecordOptions {
  /** Name of the file, whose extension tells the format. */
  name: string;
  /** The column that a name means, or undefined if there is no such column. */
  columnOf(name: string): string | undefined;
  /** The columns as text, for messages. */
  columns: string;
}

const quoteNames = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

const longestName = 40;

/** The problem with these names of columns or fields, or undefined if all are known and distinct. */
const nameProblem = (names: readonly string[], { columnOf, columns }: RecordOptions, what: 'column' | 'field') => {
  const unknown = names.filter((name) => columnOf(name) === undefined).map((name) => name.slice(0, longestName));
  if (unknown.length > 0)
    return `unknown ${what}${unknown.length === 1 ? '' : 's'} ${quoteNames(unknown)}; the known ones are ${columns}`;
  const twice = names.filter((name, index) => names.findIndex((each) => columnOf(each) === columnOf(name)) < index);
  return twice.length > 0 ? `the ${what} ${quoteNames(twice)} is there twice` : undefined;
};

const readHeader = (cells: readonly string[], line: number, options: RecordOptions): string[] => {
  // A first line with data is not quoted.
  if (cells.every((name) => options.columnOf(name) === undefined) || cells.some((cell) => isEmailAddress(cell)))
    throw new BadInput(`line ${line} must have the column names; the known ones are ${options.columns}`);
  const problem = nameProblem(cells, options, 'column');
  if (problem !== undefined) throw new BadInput(`line ${line}: ${problem}`);
  return cells.map((name) => options.columnOf(name)!);
};

const recordContent = (value: unknown, options: RecordOptions): SourceContent<RecordValues> => {
  if (!isObject(value)) return { problem: 'it is not a JSON object' };
  const problem = nameProblem(Object.keys(value), options, 'field');
  if (problem !== undefined) return { problem };
  return { value: new Map(Object.entries(value).map(([name, each]) => [options.columnOf(name)!, each])) };
};

/** The records of a file: CSV with a header, a JSON list of objects, or one JSON object per line. */
export const readRecords = (bytes: Uint8Array, options: RecordOptions): Promise<Iterable<SourceEntry<RecordValues>>> =>
  readInput<RecordValues>(bytes, {
    name: options.name,
    otherwise: 'csv',
    isSurelyItem: isEmailAddress,
    columns: (first, line) => {
      const header = readHeader(first, line, options);
      return { isNamed: true, read: (cells) => new Map(header.map((name, index) => [name, cells[index]])) };
    },
    contents: (value) => [recordContent(value, options)],
  });
