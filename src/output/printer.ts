import type { Output } from '../runtime.ts';
import type { TimeStyle } from './cells.ts';
import { select } from './fields.ts';
import type { Format } from './formats.ts';
import { recordFormats, rowFormats, writeRows } from './machine.ts';
import { safe } from './sanitise.ts';
import { columnsOf, idPath, type View } from './view.ts';

export interface PrinterOptions extends TimeStyle {
  format: Format;
  /** Dotted paths that stand in for the view's columns and choose the fields of a record. */
  fields?: readonly string[];
  /** Whether tab-separated lines begin with a header. */
  header: boolean;
  stdout: Output;
  color: boolean;
  accessible: boolean;
}

export interface Printer {
  list(view: View, pages: AsyncIterable<readonly object[]>): Promise<{ rows: number; hiddenColumns: string[] }>;
  one(view: View, record: object): Promise<void>;
  /** Lines of our own making; on a terminal they hold no control character but their line breaks. */
  text(text: string): Promise<void>;
  /** Rows that stdout has accepted so far. */
  readonly rows: number;
}

/** Width of a table where no terminal tells one. */
const widthOfPaper = 120;
const widthOfOldTerminal = 80;

export const createPrinter = (options: PrinterOptions): Printer => {
  const { format, fields, stdout, color, accessible } = options;
  const tally = { rows: 0 };
  const choices = { fields, header: options.header, isTerminal: stdout.isTerminal };
  const available = stdout.isTerminal ? stdout.columns || widthOfOldTerminal : widthOfPaper;

  const list = async (view: View, pages: AsyncIterable<readonly object[]>): Promise<string[]> => {
    const columns = columnsOf(view, fields);
    // What only people need (colour, widths, the table library) is loaded when one is there to read.
    if (format === 'table' && accessible) {
      const { spokenRows } = await import('./block.ts');
      await writeRows(stdout, spokenRows(columns, options), pages, tally);
    } else if (format === 'table') {
      const [{ writeTable }, { createPaint }] = await Promise.all([import('./table.ts'), import('./paint.ts')]);
      const facts = { columns, keep: idPath(view), available, paint: createPaint(color), time: options };
      return writeTable(stdout, facts, pages, tally);
    } else {
      await writeRows(stdout, rowFormats[format](view, choices), pages, tally);
    }
    return [];
  };

  const record = async (view: View, whole: object): Promise<string> => {
    if (format !== 'table') return recordFormats[format](view, whole, choices);
    const shown = fields ? select(whole, fields) : whole;
    const { block, spokenRecord } = await import('./block.ts');
    if (accessible) return spokenRecord(shown, options);
    const { createPaint } = await import('./paint.ts');
    return block(shown, options, createPaint(color));
  };

  return {
    async list(view, pages) {
      const before = tally.rows;
      const hiddenColumns = await list(view, pages);
      return { rows: tally.rows - before, hiddenColumns };
    },
    async one(view, whole) {
      await stdout.write(await record(view, whole));
      tally.rows += 1;
    },
    async text(text) {
      const lines = stdout.isTerminal ? text.split('\n').map(safe).join('\n') : text;
      await stdout.write(lines.endsWith('\n') ? lines : `${lines}\n`);
    },
    get rows() {
      return tally.rows;
    },
  };
};
