import { SchedError } from '../errors.ts';
import type { Output } from '../runtime.ts';
import { cellValue, tsvCell } from './cells.ts';
import { leaves, select, valueAt } from './fields.ts';
import type { Format } from './formats.ts';
import { escapeJson, safe } from './sanitise.ts';
import { columnsOf, idPath, type View } from './view.ts';

export type MachineFormat = Exclude<Format, 'table'>;

export interface Choices {
  fields?: readonly string[];
  header: boolean;
  isTerminal: boolean;
}

/** A streamed format is what stands around its rows, and a row. */
export interface RowFormat {
  open: string;
  between: string;
  close: string;
  /** Instead of all three when there is no row. */
  empty: string;
  row(record: object): string;
}

/** Rows accepted by stdout so far; an error report reads it after a failure. */
export interface Tally {
  rows: number;
}

const plainLines = { open: '', between: '', close: '', empty: '' };
const chunkSize = 64 * 1024;

/** Rows of all pages, flushed per page and at every 64 KiB: memory stays flat and a slow reader slows the fetching. */
export const writeRows = async (
  stdout: Output,
  format: RowFormat,
  pages: AsyncIterable<readonly object[]>,
  tally: Tally,
): Promise<void> => {
  let chunk = '';
  let pending = 0;
  let started = false;
  const flush = async () => {
    if (chunk !== '') await stdout.write(chunk);
    tally.rows += pending;
    chunk = '';
    pending = 0;
  };
  for await (const page of pages) {
    for (const record of page) {
      chunk += (started ? format.between : format.open) + format.row(record);
      started = true;
      pending += 1;
      if (chunk.length >= chunkSize) await flush();
    }
    await flush();
  }
  // Not reached when a page fails: an array without its bracket is what tells a parser that rows are missing.
  chunk = started ? format.close : format.empty;
  await flush();
};

const pretty = (value: unknown): string => escapeJson(JSON.stringify(value, null, 2));
const compact = (value: unknown): string => escapeJson(JSON.stringify(value));
const chosen = (record: object, { fields }: Choices): object => (fields ? select(record, fields) : record);

const tsvLine = (values: readonly unknown[], { isTerminal }: Choices): string => {
  const cells = values.map(tsvCell);
  return `${(isTerminal ? cells.map(safe) : cells).join('\t')}\n`;
};

const idLine = (view: View, record: object, choices: Choices): string => {
  const id = valueAt(record, idPath(view));
  if (typeof id !== 'string') {
    throw new SchedError('usage', `these records have no ${idPath(view)} that -o id could print`, { hint: '-o json' });
  }
  return tsvLine([id], choices);
};

/** A list in each machine format. */
export const rowFormats: Record<MachineFormat, (view: View, choices: Choices) => RowFormat> = {
  json: (_view, choices) => ({
    open: '[\n  ',
    between: ',\n  ',
    close: '\n]\n',
    empty: '[]\n',
    // Raw line breaks are layout only: inside strings they are escaped.
    row: (record) => pretty(chosen(record, choices)).replaceAll('\n', '\n  '),
  }),
  jsonl: (_view, choices) => ({ ...plainLines, row: (record) => `${compact(chosen(record, choices))}\n` }),
  tsv: (view, choices) => {
    const columns = columnsOf(view, choices.fields);
    const header = choices.header
      ? tsvLine(
          columns.map(({ path }) => path),
          choices,
        )
      : '';
    const row = (record: object) =>
      tsvLine(
        columns.map((column) => cellValue(column, record)),
        choices,
      );
    return { ...plainLines, open: header, empty: header, row };
  },
  id: (view, choices) => ({ ...plainLines, row: (record) => idLine(view, record, choices) }),
};

/** A single record in each machine format. */
export const recordFormats: Record<MachineFormat, (view: View, record: object, choices: Choices) => string> = {
  json: (_view, record, choices) => `${pretty(chosen(record, choices))}\n`,
  jsonl: (_view, record, choices) => `${compact(chosen(record, choices))}\n`,
  tsv: (_view, record, choices) => {
    const lines = leaves(chosen(record, choices));
    return [...(choices.header ? [['field', 'value']] : []), ...lines].map((line) => tsvLine(line, choices)).join('');
  },
  id: idLine,
};
