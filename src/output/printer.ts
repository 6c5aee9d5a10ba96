import { jsonText } from '../base/json.ts';
import type { BlockStyle } from './block.ts';
import type { Pages } from './formats.ts';
import { type Form, jqForm, machineForm, type PrinterOptions } from './forms.ts';
import type { Paint } from './paint.ts';
import { safe } from './sanitize.ts';
import { screenForm } from './screen-form.ts';
import type { View } from './view.ts';

export interface Printer {
  /** Returns the number of rows. */
  list(view: View, pages: Pages): Promise<number>;
  /** With `before`, the page for people also shows the values that a change replaced. */
  one(view: View, record: object, before?: object): Promise<void>;
  /** The lines of its page that an answer to a write needs, with their labels. */
  answerLines?(view: View, record: object, before?: object): Promise<[label: string, text: string][]>;
  /** Whether `one` shows a page for people instead of the fields. */
  readonly showsPages: boolean;
  /** Prints a value made by sched as JSON, unless --jq, YAML or JSON Lines is requested. Ignores selected fields. */
  whole(value: unknown): Promise<void>;
  /**
   * Prints lines created by sched. On a terminal, control characters other than line breaks are made visible. `style`
   * then paints each line.
   */
  text(text: string, style?: (line: string, paint: Paint) => string): Promise<void>;
  /** Prints a picture for people, which `make` draws to fit the screen. Its text must be sanitized. */
  draw(make: (style: BlockStyle) => string): Promise<void>;
  /** Shows on a terminal what is known of a list, while the rest of it is being read. */
  draft?(records: readonly object[]): Promise<void>;
  /** The same for a picture. */
  draftPicture?(make: (style: BlockStyle) => string): Promise<void>;
  /** Called once with the first records, before they are printed. It throws if they can't be printed as requested. */
  checkFirst?: ((records: readonly object[]) => void) | undefined;
  /** Rows accepted by stdout so far. */
  readonly rows: number;
  /** Whether a list was started and not finished. */
  readonly isUnfinished: boolean;
  /** Columns of tables that had no room. */
  readonly hiddenColumns: readonly string[];
}

/** Lines created by sched, each painted. */
const painted = async (
  lines: string,
  { stdout, color }: PrinterOptions,
  style: Parameters<Printer['text']>[1],
): Promise<string> => {
  const plain = stdout.isTerminal ? lines.split('\n').map(safe).join('\n') : lines;
  if (style === undefined || !color) return plain;
  const paint = (await import('./paint.ts')).createPaint(color);
  return plain
    .split('\n')
    .map((line) => style(line, paint))
    .join('\n');
};

export const createPrinter = (options: PrinterOptions): Printer => {
  const { format, fields, stdout, accessible, jq } = options;
  const tally = { rows: 0 };
  let isUnfinished = false;
  let listed: View | undefined;
  const screen = screenForm(options, tally);
  const ofFormat = format === 'table' ? screen : machineForm(options, format, tally);
  const form: Form = jq === undefined ? ofFormat : jqForm(options, jq, tally);

  const check = (records: readonly object[]): void => {
    if (records.length === 0) return;
    options.onRecords?.(records);
    printer.checkFirst?.(records);
    printer.checkFirst = undefined;
  };

  async function* watchPages(pages: Pages) {
    let count = 0;
    try {
      for await (const page of pages) {
        check(page);
        count += page.length;
        options.onRows?.(count);
        yield page;
      }
    } finally {
      options.onRows?.(0);
    }
  }

  const printer: Printer = {
    showsPages: format === 'table' && fields === undefined && jq === undefined,
    hiddenColumns: screen.hiddenColumns,
    text: async (lines, style) => {
      const text = await painted(lines, options, style);
      await stdout.write(text.endsWith('\n') ? text : `${text}\n`);
    },
    whole: async (value) => {
      const isJson = jq === undefined && format !== 'yaml' && format !== 'jsonl';
      return isJson || form.whole === undefined ? printer.text(jsonText(value, 2)) : form.whole(value);
    },
    draw: screen.draw,
    draft: async (records) => {
      if (listed !== undefined) await screen.draft(listed, records);
    },
    draftPicture: screen.draftPicture,
    async list(view, pages) {
      const before = tally.rows;
      isUnfinished = true;
      listed = view;
      await form.list(view, watchPages(pages));
      listed = undefined;
      isUnfinished = false;
      return tally.rows - before;
    },
    async answerLines({ page }, record, before) {
      check([record]);
      if (page === undefined) return [];
      return (await import('./record-page.ts')).answerLines(page, record, before, accessible, options);
    },
    async one(view, record, before) {
      check([record]);
      await form.one(view, record, before);
      tally.rows += 1;
    },
    get rows() {
      return tally.rows;
    },
    get isUnfinished() {
      return isUnfinished;
    },
  };
  return printer;
};
