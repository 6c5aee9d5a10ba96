import { isObject, type Json } from '../client/reading.ts';
import { counted } from '../plural.ts';
import { BadInput } from './bad-input.ts';
import type { BrokenRecord, CsvRecord, Lines } from './csv-source.ts';
import { isJsonStart, type JsonEntry, jsonlValues, jsonValues } from './json-source.ts';
import { type Bytes, linesOf, peek, textOf } from './text-source.ts';

/** Parts of an input that are neither an item nor a mistake. */
export type Skipped = 'header' | 'comment' | 'blank';

/** An item as typed, or the reason why there is none. A problem is reported with its line. */
type Content = { text: string } | { skipped: Skipped } | { problem: string };

/** The content of a line of the input. In a single JSON text (`isListed`) `line` is the position in its list. */
export type Entry = { line: number; isListed?: true } & Content;

export interface InputOptions {
  /** Name of the file, whose extension tells the format. */
  name: string;
  /** Name or number of the CSV column. */
  column?: string | undefined;
  /** Dotted path of the field in each JSON object. */
  field?: string | undefined;
  /** Names of the columns or fields to use if none is given. */
  usual: readonly string[];
  /** Called with the name of each column or field that was chosen among several because of its name. */
  onChosen?(kind: 'column' | 'field', name: string): void;
  /** Whether a cell may be an item. The first line of a CSV is a header if it has none. */
  isItem(text: string): boolean;
  /** Whether a cell or field must be an item, regardless of its name. */
  isSurelyItem(text: string): boolean;
}

type Kind = 'text' | 'csv' | 'json' | 'jsonl';

const kinds: Record<string, Kind> = { csv: 'csv', tsv: 'csv', json: 'json', jsonl: 'jsonl', ndjson: 'jsonl' };

/** The format by the extension of a file name. */
export const kindByName = (name: string): Kind | undefined =>
  kinds[/\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''];

const kindOf = ({ name, column, field }: InputOptions, start: string): Kind => {
  if (column !== undefined) return 'csv';
  const byName = kindByName(name);
  if (byName !== undefined) return byName;
  return field !== undefined || isJsonStart(start) ? 'json' : 'text';
};

/** Whether a line is a comment. An address may begin with `#`, too. */
const isComment = (word: string): boolean => word.startsWith('#') && (/^#(\s|$)/.test(word) || !word.includes('@'));

const hasSeparator = (word: string): boolean => /[,;]/.test(word.replace(/"(?:[^"\\]|\\.)*"/g, ''));

async function* textEntries(text: AsyncIterable<string>): AsyncGenerator<Entry> {
  for await (const { line, text: whole } of linesOf(text)) {
    const word = whole.trim();
    if (word === '') yield { line, skipped: 'blank' };
    else if (isComment(word)) yield { line, skipped: 'comment' };
    else if (hasSeparator(word)) yield { line, problem: 'it has several values; if this is CSV, add --column' };
    else yield { line, text: word };
  }
}

const normal = (name: string): string => name.trim().toLowerCase();

const askFor = (flag: string, candidates: readonly string[]): BadInput =>
  new BadInput(`more than one ${flag} matches: use ${candidates.map((each) => `--${flag} ${each}`).join(' or ')}`);

const mostNames = 20;
const longestName = 40;

/** The columns to choose from. The cells of a first line with an item are data, so they aren't shown. */
const columnsText = (first: readonly string[], { isItem }: InputOptions): string => {
  if (first.some(isItem)) return `the first line has no names; use a number from 1 to ${first.length}`;
  const names = first.slice(0, mostNames).map((name, index) => `${index + 1} (${name.slice(0, longestName)})`);
  return `the columns are ${names.join(', ')}${first.length > mostNames ? ` and ${first.length - mostNames} more` : ''}`;
};

/** The column with the items. */
interface Column {
  index: number;
  /** Number of columns. */
  width: number;
  /** Whether the first record is a header. */
  isNamed: boolean;
}

const columnOf = (first: readonly string[], options: InputOptions): Column => {
  const { column, usual, isItem, onChosen } = options;
  const width = first.length;
  const isNamed = (index: number) => !isItem(first[index]!);
  if (column !== undefined && /^[1-9]\d{0,4}$/.test(column)) {
    const index = Number(column) - 1;
    if (index >= width) throw new BadInput(`there is no column ${column}: ${columnsText(first, options)}`);
    return { index, width, isNamed: isNamed(index) };
  }
  const names = first.map(normal);
  const found = [...names.keys()].filter((index) =>
    column === undefined ? usual.includes(names[index]!) : names[index] === normal(column),
  );
  const candidates = found.map((index) => `${index + 1} (${names[index]})`);
  if (found.length > 1) throw askFor('column', candidates);
  if (found.length === 1) {
    if (column === undefined && width > 1) onChosen?.('column', names[found[0]!]!);
    return { index: found[0]!, width, isNamed: true };
  }
  if (column !== undefined) throw new BadInput(`there is no column with that name: ${columnsText(first, options)}`);
  if (width === 1) return { index: 0, width, isNamed: isNamed(0) };
  const likely = Math.max(0, first.findIndex(isItem)) + 1;
  throw new BadInput(
    `can't tell which column to use: add --column with its name or number, such as --column ${likely}`,
  );
};

/**
 * Whether a line inside a record of several lines seems to be a separate row: two stray quotes turn all rows between
 * them into one cell. An item that the record has in a cell of its own isn't lost, so it doesn't count.
 */
const holdsRows = ({ cells, rows }: CsvRecord, index: number, { isItem, isSurelyItem }: InputOptions): boolean =>
  rows
    .map((row) => row.map((cell) => cell.replace(/^[\s"]+|[\s"]+$/g, '')))
    .some((row) => {
      const isRow = row.length === cells.length && isItem(row[index]!) && row[index] !== cells[index];
      return isRow || row.some((cell) => isSurelyItem(cell) && !cells.includes(cell));
    });

const problemIn = (record: CsvRecord | BrokenRecord, { index, width }: Column, options: InputOptions) => {
  if ('problem' in record) return record.problem;
  const { length } = record.cells;
  if (length !== width) return `it has ${counted(length, 'cell')}, but the first line has ${width}`;
  return holdsRows(record, index, options) ? 'a quoted cell seems to contain whole rows' : undefined;
};

/** Finds the column in the first record. If that is broken, the rest can't be understood, so this throws. */
const findColumn = (record: CsvRecord | BrokenRecord, options: InputOptions): Column => {
  const column = 'problem' in record ? undefined : columnOf(record.cells, options);
  const problem = 'problem' in record ? record.problem : problemIn(record, column!, options);
  if (problem !== undefined) throw new BadInput(`line ${record.first}: ${problem}`);
  return column!;
};

const itemIn = (cells: readonly string[], { index }: Column, { column, isSurelyItem }: InputOptions): string => {
  const both = [...cells.keys()].filter((each) => each === index || isSurelyItem(cells[each]!));
  if (column === undefined && both.length > 1)
    throw askFor(
      'column',
      both.map((each) => String(each + 1)),
    );
  return cells[index]!;
};

/** The same content for every line of a record. */
function* linesAs({ first, last }: Lines, content: Content): Generator<Entry> {
  for (let line = first; line <= last; line += 1) yield { line, ...content };
}

async function* csvEntries(text: AsyncIterable<string>, options: InputOptions): AsyncGenerator<Entry> {
  let column: Column | undefined;
  const { csvRecords } = await import('./csv-source.ts');
  for await (const record of csvRecords(text)) {
    const isBlank = 'cells' in record && record.cells.every((cell) => cell === '');
    const isFirst = !isBlank && column === undefined;
    if (isFirst) column = findColumn(record, options);
    const problem = isBlank ? undefined : problemIn(record, column!, options);
    if (isBlank) yield* linesAs(record, { skipped: 'blank' });
    else if (problem !== undefined) yield* linesAs(record, { problem });
    else if (isFirst && column!.isNamed) yield* linesAs(record, { skipped: 'header' });
    else yield { line: record.first, text: itemIn((record as CsvRecord).cells, column!, options) };
  }
}

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (inner, name) => (isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
    value,
  );

const fieldOf = (value: Json, { usual, isSurelyItem, onChosen }: InputOptions): string | undefined => {
  const names = Object.keys(value).filter((name) => usual.includes(normal(name)));
  const holdsItem = (inner: unknown): boolean =>
    Array.isArray(inner) ? inner.some(holdsItem) : typeof inner === 'string' && isSurelyItem(inner.trim());
  const others = Object.keys(value).filter((name) => !names.includes(name) && holdsItem(value[name]));
  if (names.length > 0 && names.length + others.length > 1) throw askFor('field', [...names, ...others]);
  if (names.length === 1 && Object.keys(value).length > 1) onChosen?.('field', normal(names[0]!));
  return names[0];
};

/** The items in one JSON value: a string, or an object whose field is a string or a list of strings. */
const itemsIn = (value: unknown, options: InputOptions): string[] => {
  if (typeof value === 'string') return [value.trim()];
  if (!isObject(value)) return [''];
  const name = options.field ?? fieldOf(value, options);
  const found = name === undefined ? undefined : at(value, name.split('.'));
  if (Array.isArray(found)) return found.map((each) => (typeof each === 'string' ? each.trim() : ''));
  return [typeof found === 'string' ? found.trim() : ''];
};

/** The contents of one JSON value. An object with an empty list has no item, but counts as blank. */
const contentsOf = (entry: JsonEntry, options: InputOptions): Content[] => {
  if (!('value' in entry)) return [entry];
  const items = itemsIn(entry.value, options);
  return items.length === 0 ? [{ skipped: 'blank' }] : items.map((text) => ({ text }));
};

async function* jsonEntries(values: AsyncIterable<JsonEntry>, options: InputOptions): AsyncGenerator<Entry> {
  for await (const entry of values) {
    const { line, isListed } = entry;
    for (const content of contentsOf(entry, options)) yield { line, ...(isListed ? { isListed } : {}), ...content };
  }
}

/** The items in an input of any format: lines with `#` comments, CSV, JSON, or one JSON value per line. */
export async function* readEntries(bytes: Bytes, options: InputOptions): AsyncGenerator<Entry> {
  const { start, text } = await peek(textOf(bytes));
  const kind = kindOf(options, start);
  if (kind === 'csv') yield* csvEntries(text, options);
  else if (kind === 'json') yield* jsonEntries(jsonValues(text), options);
  else if (kind === 'jsonl') yield* jsonEntries(jsonlValues(text), options);
  else yield* textEntries(text);
}
