import { SchedError } from '../base/errors.ts';
import { jsonText } from '../base/json.ts';
import type { Output } from '../runtime.ts';
import { cellValue, plainCell, tsvCell } from './cells.ts';
import { leaves, select, valueAt } from './fields.ts';
import type { Format, Pages, RowFormat } from './formats.ts';
import { icsRows } from './ics.ts';
import { escapeJson, safe } from './sanitize.ts';
import { type Column, columnsOf, idPath, isTimeName, type View } from './view.ts';
import { yamlDocument, yamlItem } from './yaml.ts';

/**
 * Starts of cells that spreadsheets run as formulas (OWASP, CSV injection). Some also run the full-width forms, and some
 * drop blanks and invisible characters before them.
 */
const formula = /^[\s\p{Cc}\p{Cf}]*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/u;

const csvCell = (value: unknown, { raw, isTerminal }: CsvChoices): string => {
  const whole = plainCell(value);
  // Numbers are never formulas, even with a sign.
  const guardedText =
    !raw && typeof value !== 'number' && typeof value !== 'bigint' && formula.test(whole) ? `'${whole}` : whole;
  const text = isTerminal ? safe(guardedText) : guardedText;
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** One line of CSV (RFC 4180), including its line break. */
export const csvLine = (values: readonly unknown[], choices: CsvChoices): string =>
  `${values.map((value) => csvCell(value, choices)).join(',')}\r\n`;

export type MachineFormat = Exclude<Format, 'table' | 'text'>;

export interface Choices {
  /** Dotted paths that replace the view's columns and select the fields of a record. */
  fields?: readonly string[] | undefined;
  /** Whether TSV starts with column names. CSV always does. */
  header: boolean;
  /** Don't escape CSV cells that look like formulas. */
  raw: boolean;
  isTerminal: boolean;
  /** Rewrites the timestamps of CSV and TSV. */
  localTime?: ((timestamp: string) => string) | undefined;
}

type CsvChoices = Pick<Choices, 'raw' | 'isTerminal'>;

/** Rows accepted by stdout so far. Error reports use it after a failure. */
export interface RowTally {
  rows: number;
}

const chunkSize = 64 * 1024;

/**
 * Writes rows of all pages, in a format that may depend on the first page. Flushes per page and every 64 KiB: memory stays
 * flat, a slow reader slows down fetching.
 */
export const writeRows = async (
  stdout: Output,
  formatFor: (first: readonly object[]) => RowFormat,
  pages: Pages,
  tally: RowTally,
): Promise<void> => {
  let format: RowFormat | undefined;
  let chunk = '';
  let pending = 0;
  let hasRows = false;
  const flush = async () => {
    if (chunk !== '') await stdout.write(chunk);
    tally.rows += pending;
    chunk = '';
    pending = 0;
  };
  for await (const page of pages) {
    format ??= formatFor(page);
    const { open = '', between = '', row } = format;
    for (const record of page) {
      chunk += (hasRows ? between : open) + row(record);
      hasRows = true;
      pending += 1;
      if (chunk.length >= chunkSize) await flush();
    }
    await flush();
  }
  // Not reached if a page fails: the missing bracket tells a parser that rows are missing.
  const { close = '', empty = '' } = format ?? formatFor([]);
  chunk = hasRows ? close : empty;
  await flush();
};

export const recordText = ({ open = '', row, close = '', one }: RowFormat, record: object): string =>
  one?.(record) ?? `${open}${row(record)}${close}`;

const prettyJson = (value: unknown): string => escapeJson(jsonText(value, 2));
const compactJson = (value: unknown): string => escapeJson(jsonText(value));
const selectFields = (record: object, { fields }: Choices): object => (fields ? select(record, fields) : record);

const tsvLine = (values: readonly unknown[], { isTerminal }: Choices): string => {
  const cells = values.map(tsvCell);
  return `${(isTerminal ? cells.map(safe) : cells).join('\t')}\n`;
};

const idLine = (view: View, record: object, choices: Choices): string => {
  const id = valueAt(record, idPath(view));
  if (typeof id !== 'string') {
    throw new SchedError('usage', `These records have no ${idPath(view)} to print with -o id`, {
      hint: { flags: { output: 'json' } },
    });
  }
  return tsvLine([id], choices);
};

const localValue = (value: unknown, isTime: boolean, { localTime }: Choices): unknown =>
  localTime !== undefined && isTime && typeof value === 'string' ? localTime(value) : value;

type FormatLine = (values: readonly unknown[], choices: Choices) => string;

/** A list has a row for each record, a single record a line for each field. */
const separatedFormat = (line: FormatLine, view: View, choices: Choices, hasHeader: boolean): RowFormat => {
  const { fields } = choices;
  const headerLine = (names: readonly string[]): string => (hasHeader ? line(names, choices) : '');
  const columns = fields ? columnsOf(view, fields) : view.columns;
  const header = headerLine(columns.map(({ path }) => path));
  // A field selected by name shows the service's own value, not one computed for the table.
  const chosenValue = (column: Column, record: object) =>
    fields ? valueAt(record, column.path) : cellValue(column, record);
  const values = (record: object) =>
    columns.map((column) => localValue(chosenValue(column, record), column.as === 'time', choices));
  // Lines keep the names that were requested, including list positions.
  const fieldLines = (record: object) =>
    leaves(fields ? select(record, fields, true) : record).map(([name, value]) =>
      line([name, localValue(value, isTimeName(name), choices)], choices),
    );
  return {
    open: header,
    empty: header,
    row: (record) => line(values(record), choices),
    one: (record) => [headerLine(['field', 'value']), ...fieldLines(record)].join(''),
  };
};

export const machineFormats: Record<MachineFormat, (view: View, choices: Choices) => RowFormat> = {
  json: (_view, choices) => ({
    open: '[\n  ',
    between: ',\n  ',
    close: '\n]\n',
    empty: '[]\n',
    // Raw line breaks are always layout, because JSON escapes those in strings.
    row: (record) => prettyJson(selectFields(record, choices)).replaceAll('\n', '\n  '),
    one: (record) => `${prettyJson(selectFields(record, choices))}\n`,
  }),
  jsonl: (_view, choices) => ({ row: (record) => `${compactJson(selectFields(record, choices))}\n` }),
  csv: (view, choices) => separatedFormat(csvLine, view, choices, true),
  tsv: (view, choices) => separatedFormat(tsvLine, view, choices, choices.header),
  yaml: (_view, choices) => ({
    empty: '[]\n',
    row: (record) => yamlItem(selectFields(record, choices)),
    one: (record) => yamlDocument(selectFields(record, choices)),
  }),
  id: (view, choices) => ({ row: (record) => idLine(view, record, choices) }),
  ics: (_view, { isTerminal }) => icsRows(isTerminal),
};
