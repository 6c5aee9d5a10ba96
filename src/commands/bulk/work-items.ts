import { isObject, type Json } from '../../base/json.ts';
import { the, words } from '../../base/words.ts';
import { readInput } from './work-item-input.ts';
import { BadInput, type SourceContent, type SourceEntry } from './work-text-source.ts';

export interface ItemOptions {
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

const normal = (name: string): string => name.trim().toLowerCase();

const askFor = (flag: string, candidates: readonly string[]): BadInput => {
  const ways = candidates.map((each) => words`${the(flag)} ${each}`);
  return new BadInput(words`more than one ${flag} matches: use ${ways.reduce((all, way) => words`${all} or ${way}`)}`);
};

const mostNames = 20;
const longestName = 40;

/** The columns to choose from. The cells of a first line with an item are data, so they aren't shown. */
const columnsText = (first: readonly string[], { isItem }: ItemOptions): string => {
  if (first.some(isItem)) return `the first line has no names; use a number from 1 to ${first.length}`;
  const names = first.slice(0, mostNames).map((name, index) => `${index + 1} (${name.slice(0, longestName)})`);
  return `the columns are ${names.join(', ')}${first.length > mostNames ? ` and ${first.length - mostNames} more` : ''}`;
};

/** The column with the items, and whether the first record is a header. */
const itemColumn = (first: readonly string[], options: ItemOptions): { index: number; isNamed: boolean } => {
  const { column, usual, isItem, onChosen } = options;
  const width = first.length;
  const isNamed = (index: number) => !isItem(first[index]!);
  if (column !== undefined && /^[1-9]\d{0,4}$/.test(column)) {
    const index = Number(column) - 1;
    if (index >= width) throw new BadInput(`there is no column ${column}: ${columnsText(first, options)}`);
    return { index, isNamed: isNamed(index) };
  }
  const names = first.map(normal);
  const matches = [...names.keys()].filter((index) =>
    column === undefined ? usual.includes(names[index]!) : names[index] === normal(column),
  );
  const candidates = matches.map((index) => `${index + 1} (${names[index]})`);
  if (matches.length > 1) throw askFor('column', candidates);
  if (matches.length === 1) {
    if (column === undefined && width > 1) onChosen?.('column', names[matches[0]!]!);
    return { index: matches[0]!, isNamed: true };
  }
  if (column !== undefined) throw new BadInput(`there is no column with that name: ${columnsText(first, options)}`);
  if (width === 1) return { index: 0, isNamed: isNamed(0) };
  const likely = Math.max(0, first.findIndex(isItem)) + 1;
  throw new BadInput(
    words`can't tell which column to use: add ${the('column')} with its name or number, such as ${the('column')} ${likely}`,
  );
};

const itemIn = (cells: readonly string[], index: number, { column, isSurelyItem }: ItemOptions): string => {
  const both = [...cells.keys()].filter((each) => each === index || isSurelyItem(cells[each]!));
  if (column === undefined && both.length > 1)
    throw askFor(
      'column',
      both.map((each) => String(each + 1)),
    );
  return cells[index]!;
};

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (inner, name) => (isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
    value,
  );

const fieldOf = (value: Json, { usual, isSurelyItem, onChosen }: ItemOptions): string | undefined => {
  const names = Object.keys(value).filter((name) => usual.includes(normal(name)));
  const holdsItem = (inner: unknown): boolean =>
    Array.isArray(inner) ? inner.some(holdsItem) : typeof inner === 'string' && isSurelyItem(inner.trim());
  const others = Object.keys(value).filter((name) => !names.includes(name) && holdsItem(value[name]));
  if (names.length > 0 && names.length + others.length > 1) throw askFor('field', [...names, ...others]);
  if (names.length === 1 && Object.keys(value).length > 1) onChosen?.('field', normal(names[0]!));
  return names[0];
};

/** The items in one JSON value: a string, or an object whose field is a string or a list of strings. */
const itemsIn = (value: unknown, options: ItemOptions): string[] => {
  if (typeof value === 'string') return [value.trim()];
  if (!isObject(value)) return [''];
  const name = options.field ?? fieldOf(value, options);
  const content = name === undefined ? undefined : at(value, name.split('.'));
  if (Array.isArray(content)) return content.map((each) => (typeof each === 'string' ? each.trim() : ''));
  return [typeof content === 'string' ? content.trim() : ''];
};

/** The contents of one JSON value. An object with an empty list has no item, but counts as blank. */
const contentsOf = (value: unknown, options: ItemOptions): SourceContent<string>[] => {
  const items = itemsIn(value, options);
  return items.length === 0 ? [{ skipped: 'blank' }] : items.map((item) => ({ value: item }));
};

/** The items in an input of any format: lines with `#` comments, or records of which one column or field counts. */
export const readItems = (bytes: Uint8Array, options: ItemOptions): Promise<Iterable<SourceEntry<string>>> => {
  const { name, column, field, isItem, isSurelyItem } = options;
  return readInput(bytes, {
    name,
    kind: column === undefined ? undefined : 'csv',
    otherwise: field === undefined ? 'text' : 'json',
    isSurelyItem,
    columns: (first) => {
      const { index, isNamed } = itemColumn(first, options);
      return {
        isNamed,
        read: (cells) => itemIn(cells, index, options),
        isRow: (row, cells) => row.length === cells.length && isItem(row[index]!) && row[index] !== cells[index],
      };
    },
    contents: (value) => contentsOf(value, options),
  });
};
