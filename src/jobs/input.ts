import { isObject } from '../client/reading.ts';
import { locateJsonError } from '../state/json.ts';
import { csvRecords } from './csv-source.ts';
import { type Bytes, type Line, linesOf, textOf } from './text-source.ts';

/** One item of bulk work as it was given, with the line or, inside one JSON text, the place in its list. */
export type Entry = Line;

/** Something is wrong with the input as a whole. The message never quotes it. */
export class BadInput extends Error {}

export interface InputOptions {
  /** Name of the file, for its ending. */
  name: string;
  /** Name or number of the column of a CSV. */
  column?: string | undefined;
  /** Dotted path of the field of each JSON object. */
  field?: string | undefined;
  /** Names that a column or field has by itself where none is named. */
  usual: readonly string[];
  /** Whether a cell may be an item: the first line of a CSV is a header unless it holds one. */
  isItem(text: string): boolean;
}

type Kind = 'text' | 'csv' | 'json' | 'jsonl';

const kinds: Record<string, Kind> = { csv: 'csv', tsv: 'csv', json: 'json', jsonl: 'jsonl', ndjson: 'jsonl' };

const kindOf = ({ name, column, field }: InputOptions, start: string): Kind => {
  if (column !== undefined) return 'csv';
  const byName = kinds[/\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''];
  if (byName !== undefined) return byName;
  return field !== undefined || /^\s*[[{"]/.test(start) ? 'json' : 'text';
};

/** The text again, after its beginning was looked at. */
const peek = async (text: AsyncGenerator<string>): Promise<{ start: string; text: AsyncGenerator<string> }> => {
  let start = '';
  while (start.trim() === '') {
    const next = await text.next();
    if (next.done) break;
    start += next.value;
  }
  async function* whole() {
    yield start;
    yield* text;
  }
  return { start, text: whole() };
};

async function* textEntries(text: AsyncIterable<string>): AsyncGenerator<Entry> {
  for await (const entry of linesOf(text)) {
    const word = entry.text.trim();
    if (word !== '' && !word.startsWith('#')) yield { line: entry.line, text: word };
  }
}

const normal = (name: string): string => name.trim().toLowerCase();

/** Which column holds the items, and whether the first record is a header. */
const columnOf = (first: readonly string[], { column, usual, isItem }: InputOptions) => {
  const names = first.map(normal);
  if (column !== undefined && /^[1-9]\d{0,4}$/.test(column)) {
    const index = Number(column) - 1;
    return { index, header: !isItem((first[index] ?? '').trim()) };
  }
  if (column !== undefined && names.includes(normal(column)))
    return { index: names.indexOf(normal(column)), header: true };
  if (column !== undefined) throw new BadInput('the first line names no such column');
  const found = names.findIndex((name) => usual.includes(name));
  if (found >= 0) return { index: found, header: true };
  if (first.length === 1) return { index: 0, header: !isItem(first[0]!.trim()) };
  throw new BadInput('which column is meant? name it with --column NAME, or --column 2');
};

async function* csvEntries(text: AsyncIterable<string>, options: InputOptions): AsyncGenerator<Entry> {
  let index: number | undefined;
  for await (const { line, cells } of csvRecords(text)) {
    if (cells.length === 1 && cells[0]!.trim() === '') continue;
    if (index === undefined) {
      const found = columnOf(cells, options);
      index = found.index;
      if (found.header) continue;
    }
    yield { line, text: (cells[index] ?? '').trim() };
  }
}

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (inner, name) => (isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
    value,
  );

/** The items in one JSON value: a text, or an object whose field holds one or a list of them. */
const itemsIn = (value: unknown, { field, usual }: InputOptions): string[] => {
  if (typeof value === 'string') return [value.trim()];
  if (!isObject(value)) return [''];
  const name = field ?? Object.keys(value).find((key) => usual.includes(normal(key)));
  const found = name === undefined ? undefined : at(value, name.split('.'));
  if (Array.isArray(found)) return found.map((each) => (typeof each === 'string' ? each.trim() : ''));
  return [typeof found === 'string' ? found.trim() : ''];
};

async function* jsonlEntries(text: AsyncIterable<string>, options: InputOptions): AsyncGenerator<Entry> {
  for await (const { line, text: raw } of linesOf(text)) {
    if (raw.trim() === '') continue;
    let value: unknown;
    try {
      value = JSON.parse(raw);
    } catch {
      // The platform's message quotes the text.
      throw new BadInput(`line ${line} is not JSON`);
    }
    for (const item of itemsIn(value, options)) yield { line, text: item };
  }
}

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

async function* jsonEntries(text: AsyncIterable<string>, options: InputOptions): AsyncGenerator<Entry> {
  let whole = '';
  for await (const piece of text) whole += piece;
  if (whole.trim() === '') return;
  let value: unknown;
  try {
    value = JSON.parse(whole);
  } catch {
    const isLines = /^[^\n]*[}"]\s*\r?\n\s*[{"]/.test(whole.trimStart());
    if (isLines) return yield* jsonlEntries(once(whole), options);
    const place = locateJsonError(whole);
    throw new BadInput(`it is not JSON: ${place?.problem} at line ${place?.line}, column ${place?.column}`);
  }
  let line = 0;
  for (const each of Array.isArray(value) ? value : [value]) {
    line += 1;
    for (const item of itemsIn(each, options)) yield { line, text: item };
  }
}

/** The items of bulk work in a text of any kind: lines with `#` comments, CSV, JSON or a JSON value a line. */
export async function* readEntries(bytes: Bytes, options: InputOptions): AsyncGenerator<Entry> {
  const { start, text } = await peek(textOf(bytes));
  const kind = kindOf(options, start);
  if (kind === 'csv') yield* csvEntries(text, options);
  else if (kind === 'json') yield* jsonEntries(text, options);
  else if (kind === 'jsonl') yield* jsonlEntries(text, options);
  else yield* textEntries(text);
}
