import { counted } from '../../base/numbers.ts';
import type { BrokenRecord, CsvRecord, LineRange } from './work-csv-source.ts';
import { isJsonStart, jsonlValues, jsonValues } from './work-json-source.ts';
import { BadInput, decodeBytes, type SourceContent, type SourceEntry, splitLines } from './work-text-source.ts';

type InputFormat = 'text' | 'csv' | 'json' | 'jsonl';

const kinds: Record<string, InputFormat> = { csv: 'csv', tsv: 'csv', json: 'json', jsonl: 'jsonl', ndjson: 'jsonl' };

/** The format by the extension of a file name. */
const kindByName = (name: string): InputFormat | undefined =>
  kinds[/\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''];

/** How to read the records of a CSV. */
interface Columns<Value> {
  /** Whether the first record is a header. */
  isNamed: boolean;
  read(cells: readonly string[]): Value;
  /** Whether a line inside a record of several lines looks like a record of its own. */
  isRow?(row: readonly string[], cells: readonly string[]): boolean;
}

/** What a command expects in its input. */
interface InputShape<Value> {
  /** Name of the file, whose extension tells the format. */
  name: string;
  /** The format, regardless of the name. */
  kind?: InputFormat | undefined;
  /** The format if neither the name nor the start of the text tells it. */
  otherwise: InputFormat;
  /** Understands the first record of a CSV, which begins at that line. Throws `BadInput` if it can't. */
  columns(first: readonly string[], line: number): Columns<Value>;
  /** The contents of a JSON value, or of a line of text. */
  contents(value: unknown): SourceContent<Value>[];
  /** Whether a cell must be an item, regardless of its column. */
  isSurelyItem(text: string): boolean;
}

/** Whether a line is a comment. An address may begin with `#`, too. */
const isComment = (word: string): boolean => word.startsWith('#') && (/^#(\s|$)/.test(word) || !word.includes('@'));

/** More than any item has. In longer lines, only the start is searched for separators. */
const longestItem = 1000;

const hasSeparator = (word: string): boolean =>
  /[,;]/.test(word.slice(0, longestItem).replace(/"(?:[^"\\]|\\.)*"/g, ''));

function* textEntries<Value>(text: string, { contents }: InputShape<Value>): Generator<SourceEntry<Value>> {
  for (const [index, whole] of splitLines(text).entries()) {
    const line = index + 1;
    const word = whole.trim();
    if (word === '') yield { line, skipped: 'blank' };
    else if (isComment(word)) yield { line, skipped: 'comment' };
    else if (hasSeparator(word)) yield { line, problem: 'it has several values; if this is CSV, add --column' };
    else for (const content of contents(word)) yield { line, ...content };
  }
}

/** A cell without blanks and quotes around it. A regular expression for its end takes quadratic time. */
const bareCell = (cell: string): string => {
  let end = cell.length;
  while (end > 0 && /[\s"]/.test(cell[end - 1]!)) end -= 1;
  return cell.slice(0, end).replace(/^[\s"]+/, '');
};

/**
 * Whether a line inside a record of several lines seems to be a separate row: two stray quotes turn all rows between
 * them into one cell. An item that the record has in a cell of its own isn't lost, so it doesn't count.
 */
const holdsRows = <Value>(
  { cells, rows }: CsvRecord,
  { isRow }: Columns<Value>,
  { isSurelyItem }: InputShape<Value>,
): boolean =>
  rows
    .map((row) => row.map(bareCell))
    .some((row) => isRow?.(row, cells) || row.some((cell) => isSurelyItem(cell) && !cells.includes(cell)));

/** The same content for every line of a record. */
function* linesAs<Value>({ first, last }: LineRange, content: SourceContent<Value>): Generator<SourceEntry<Value>> {
  for (let line = first; line <= last; line += 1) yield { line, ...content };
}

function* csvEntries<Value>(
  records: Iterable<CsvRecord | BrokenRecord>,
  shape: InputShape<Value>,
): Generator<SourceEntry<Value>> {
  let columns: Columns<Value> | undefined;
  let width = 0;
  const contentOf = (record: CsvRecord | BrokenRecord): SourceContent<Value> => {
    if ('problem' in record) return { problem: record.problem };
    const { cells, first } = record;
    if (cells.every((cell) => cell === '')) return { skipped: 'blank' };
    const isFirst = columns === undefined;
    if (isFirst) width = cells.length;
    columns ??= shape.columns(cells, first);
    if (cells.length !== width)
      return { problem: `it has ${counted(cells.length, 'cell')}, but the first line has ${width}` };
    if (holdsRows(record, columns, shape)) return { problem: 'a quoted cell seems to contain whole rows' };
    return isFirst && columns.isNamed ? { skipped: 'header' } : { value: columns.read(cells) };
  };
  for (const record of records) {
    const isFirst = columns === undefined;
    const content = contentOf(record);
    // Without the first record, the others can't be understood.
    if (isFirst && 'problem' in content) throw new BadInput(`line ${record.first}: ${content.problem}`);
    if ('value' in content) yield { line: record.first, ...content };
    else yield* linesAs(record, content);
  }
}

function* jsonEntries<Value>(
  values: Iterable<SourceEntry<unknown>>,
  { contents }: InputShape<Value>,
): Generator<SourceEntry<Value>> {
  for (const entry of values) {
    const { line, isListed } = entry;
    for (const content of 'value' in entry ? contents(entry.value) : [entry])
      yield { line, ...(isListed ? { isListed } : {}), ...content };
  }
}

/** Reads an input of any format: lines with `#` comments, CSV, JSON, or one JSON value per line. */
export const readInput = async <Value>(
  bytes: Uint8Array,
  shape: InputShape<Value>,
): Promise<Iterable<SourceEntry<Value>>> => {
  const text = decodeBytes(bytes);
  const kind = shape.kind ?? kindByName(shape.name) ?? (isJsonStart(text) ? 'json' : shape.otherwise);
  if (kind === 'json') return jsonEntries(jsonValues(text), shape);
  if (kind === 'jsonl') return jsonEntries(jsonlValues(text), shape);
  if (kind === 'text') return textEntries(text, shape);
  const { csvRecords } = await import('./work-csv-source.ts');
  return csvEntries(csvRecords(text), shape);
};
