import { jsonText } from '../base/json.ts';
import type { Env } from '../base/system.ts';
import type { Output } from '../runtime.ts';
import type { BlockStyle } from './block.ts';
import { columnsThatCame, humanText, ownColumns } from './cells.ts';
import type { Color } from './color.ts';
import { select } from './fields.ts';
import type { Format, Pages } from './formats.ts';
import { type Choices, machineFormats, type RowTally, recordText, writeRows } from './machine-formats.ts';
import type { OpenPager } from './pager.ts';
import type { Paint } from './paint.ts';
import { safe } from './sanitize.ts';
import { type Column, columnsOf, idPath, type TimeStyle, type View } from './view.ts';

export interface PrinterOptions extends TimeStyle, Omit<Choices, 'isTerminal'> {
  format: Exclude<Format, 'text'>;
  /** A jq program to run on the records: on all of them as one list, or on each one with `jsonl`. */
  jq?: string | undefined;
  env?: Env;
  /** Stops a jq program that never ends. */
  interrupted?: AbortSignal;
  /** Where the records come from, if a heading should say that: `sandbox`. */
  takePlace?: (() => string | undefined) | undefined;
  /** Receives debug output of a jq program. */
  say?(line: string): void;
  /** Receives the number of rows of a list that have arrived, and 0 at its end. */
  onRows?: ((count: number) => void) | undefined;
  /** Receives the records that are printed. */
  onRecords?: ((records: readonly object[]) => void) | undefined;
  /** Shows lines until the output that they are a draft of. */
  onDraft?: ((lines: readonly string[]) => void) | undefined;
  /** Opens a pager for output longer than the screen; undefined turns paging off. */
  openPager?: OpenPager | undefined;
  stdout: Output;
  color: Color | undefined;
  accessible: boolean;
}

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

/** Width of a table that is not written to a terminal. */
const defaultWidth = 120;
/** From this width on, a table has room for long texts. */
const wide = 100;
/** Width of a table on a terminal that doesn't report its width. */
const defaultTerminalWidth = 80;

export const createPrinter = (options: PrinterOptions): Printer => {
  const { format, fields, stdout, color, accessible, jq } = options;
  const tally = { rows: 0 };
  let isUnfinished = false;
  const hiddenColumns: string[] = [];
  const { header, raw, localTime } = options;
  const choices = { fields, header, raw, localTime, isTerminal: stdout.isTerminal };
  const available = stdout.isTerminal ? stdout.columns || defaultTerminalWidth : defaultWidth;

  /** For a terminal that can't show drawing characters, makes a screen that replaces them. */
  const asciiOf = async (): Promise<(screen: Output) => Output> => {
    const { asciiForm, needsAscii } = await import('./ascii.ts');
    const isAscii = stdout.isTerminal && needsAscii(options.env ?? {});
    return (screen) =>
      isAscii ? Object.create(screen, { write: { value: (text: string) => screen.write(asciiForm(text)) } }) : screen;
  };

  /** Shows tables through a pager if they are longer than the screen. */
  const onScreen = async <Value>(show: (screen: Output) => Promise<Value>): Promise<Value> => {
    if (format !== 'table' || accessible) return show(stdout);
    const inAscii = await asciiOf();
    const { throughPager } = await import('./pager.ts');
    return throughPager(stdout, options.openPager, (screen) => show(inAscii(screen)));
  };

  /** The place that a draft has said. The output it is a draft of says it again. */
  let draftPlace: string | undefined;
  const takePlace = (): string | undefined => {
    draftPlace ??= stdout.isTerminal ? options.takePlace?.() : undefined;
    return draftPlace;
  };

  // Modules needed only for tables (colors, widths, the table library) are loaded on first use.
  const styleOf = async (): Promise<BlockStyle> => {
    const { createPaint, placeText } = await import('./paint.ts');
    const paint = createPaint(color);
    const place = () => {
      const name = takePlace();
      draftPlace = undefined;
      return placeText(name, paint);
    };
    return { time: options, paint, available, place };
  };

  /** What a table is about, the zone if no column names it, and where the records come from. */
  const titleOf = async ({ title, section }: View, style: BlockStyle): Promise<string | undefined> => {
    if (!stdout.isTerminal || title === undefined) return undefined;
    const { headingLines } = await import('./heading.ts');
    return headingLines(title, section === undefined ? [] : [options.zoneLabel], style).join('\n');
  };

  const columnsIn =
    (view: View) =>
    (records: readonly object[]): readonly Column[] => {
      if (fields !== undefined) return columnsOf(view, fields);
      const room = { available, isSpoken: accessible, now: options.now };
      const columns = columnsThatCame(view.tableColumns?.(records, room) ?? view.columns, records, idPath(view));
      // Headers can be text from the service, such as the questions of a form.
      return columns.map((column) => ({ ...column, header: humanText(column.header) }));
    };

  const printTable = async (screen: Output, view: View, style: BlockStyle, pages: Pages, rowTally: RowTally) => {
    if (view.narrow !== undefined && fields === undefined && stdout.isTerminal && available < wide) {
      const { writePages } = await import('./record-page.ts');
      await writePages(screen, view.narrow, style, await titleOf(view, style), pages, rowTally);
      return [];
    }
    const { writeTable } = await import('./table.ts');
    const facts = {
      ...style,
      columnsFor: columnsIn(view),
      isOver: view.isOver,
      ...(fields === undefined ? { section: view.section, title: () => titleOf(view, style) } : {}),
      ...(stdout.isTerminal ? { shortened: idPath(view) } : {}),
    };
    return writeTable(screen, facts, pages, rowTally);
  };

  const tableOf = async (view: View, pages: Pages): Promise<void> => {
    if (accessible) {
      const { spokenRows, spokenSentences } = await import('./block.ts');
      const { spoken } = view;
      const format =
        spoken === undefined || fields !== undefined || !stdout.isTerminal
          ? spokenRows(columnsIn(view), options)
          : spokenSentences((record) => spoken(record, options), available);
      return writeRows(stdout, () => format, pages, tally);
    }
    const style = await styleOf();
    hiddenColumns.push(...(await onScreen((screen) => printTable(screen, view, style, pages, tally))));
  };

  let isDrafting = false;
  /** Shows a draft, unless another one is being made. */
  const showDraft = async (print: (screen: Output, style: BlockStyle) => Promise<unknown>): Promise<void> => {
    const { onDraft } = options;
    if (onDraft === undefined || isDrafting || format !== 'table' || accessible || jq !== undefined || tally.rows > 0)
      return;
    isDrafting = true;
    const { createPaint, placeText } = await import('./paint.ts');
    const paint = createPaint(color);
    const style = { time: options, paint, available, place: () => placeText(takePlace(), paint) };
    let text = '';
    const write = async (part: string): Promise<void> => {
      text += part;
    };
    await print((await asciiOf())({ isTerminal: true, columns: stdout.columns, write }), style);
    isDrafting = false;
    onDraft(text.split('\n').slice(0, -1));
  };

  const showsPages = format === 'table' && fields === undefined && jq === undefined;

  const pageOf = async ({ page }: View, record: object, before: object | undefined): Promise<string | undefined> => {
    if (!showsPages || page === undefined) return undefined;
    const { drawPage, spokenPage } = await import('./record-page.ts');
    if (accessible) return spokenPage(page, record, before, options);
    return drawPage(page, record, before, await styleOf());
  };

  const blockOf = async (record: object): Promise<string> => {
    const { block, spokenRecord } = await import('./block.ts');
    return accessible ? spokenRecord(record, options) : block(record, await styleOf());
  };

  const chosenJson = (record: object): string => jsonText(fields ? select(record, fields) : record);

  const runJq = async (program: string, inputs: readonly string[], isUnsent = false): Promise<void> => {
    const { printJq } = await import('./jq.ts');
    const { env, interrupted, say } = options;
    await printJq({ program, compact: format === 'jsonl', env, interrupted, stdout, say, isUnsent }, inputs);
  };

  const listJq = async (program: string, pages: Pages): Promise<void> => {
    const jsonRecords: string[] = [];
    for await (const page of pages) {
      const records = page.map(chosenJson);
      if (format === 'jsonl') {
        await runJq(program, records);
        tally.rows += records.length;
      } else for (const record of records) jsonRecords.push(record);
    }
    if (format === 'jsonl') return;
    await runJq(program, [`[${jsonRecords.join(',')}]`]);
    tally.rows += jsonRecords.length;
  };

  /** Columns that programs get after those they expect. */
  const ownIn = ({ columns, ...view }: View, records: readonly object[]): Column[] =>
    format === 'csv' || format === 'tsv' ? ownColumns(columns, records, idPath({ columns, ...view })) : [];

  const list = async (view: View, pages: Pages): Promise<void> => {
    if (jq !== undefined) return listJq(jq, pages);
    if (format === 'table') return tableOf(view, pages);
    const formatFor = (first: readonly object[]) =>
      machineFormats[format]({ ...view, columns: [...view.columns, ...ownIn(view, first)] }, choices);
    return writeRows(stdout, formatFor, pages, tally);
  };

  const one = async (view: View, record: object, before: object | undefined): Promise<void> => {
    if (jq !== undefined) return runJq(jq, [chosenJson(record)]);
    if (format !== 'table') return stdout.write(recordText(machineFormats[format](view, choices), record));
    const page = await pageOf(view, record, before);
    const text = page ?? (await blockOf(fields ? select(record, fields) : record));
    return onScreen((screen) => screen.write(text));
  };

  const text: Printer['text'] = async (lines, style) => {
    const plain = stdout.isTerminal ? lines.split('\n').map(safe).join('\n') : lines;
    const paint = style && color ? (await import('./paint.ts')).createPaint(color) : undefined;
    const paintedText = paint
      ? plain
          .split('\n')
          .map((line) => style!(line, paint))
          .join('\n')
      : plain;
    await stdout.write(paintedText.endsWith('\n') ? paintedText : `${paintedText}\n`);
  };

  const whole: Printer['whole'] = async (value) => {
    if (jq !== undefined) return runJq(jq, [jsonText(value)], true);
    if (format !== 'yaml' && format !== 'jsonl') return text(jsonText(value, 2));
    const records = format === 'jsonl' && Array.isArray(value) ? value : [value];
    const all = machineFormats[format]({ columns: [] }, { ...choices, fields: undefined });
    for (const record of records) await stdout.write(recordText(all, record));
  };

  const draw: Printer['draw'] = async (make) => {
    const picture = make(await styleOf());
    if (!accessible || !stdout.isTerminal) return onScreen((screen) => screen.write(picture));
    const { spokenLines } = await import('./block.ts');
    await stdout.write(spokenLines(picture, available));
  };

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

  let listed: View | undefined;
  const printer: Printer = {
    whole,
    text,
    draw,
    draft: async (records) => {
      const view = listed;
      if (view === undefined) return;
      async function* page() {
        yield records;
      }
      await showDraft((screen, style) => printTable(screen, view, style, page(), { rows: 0 }));
    },
    draftPicture: (make) => showDraft((screen, style) => screen.write(make(style))),
    async list(view, pages) {
      const before = tally.rows;
      isUnfinished = true;
      listed = view;
      await list(view, watchPages(pages));
      listed = undefined;
      isUnfinished = false;
      return tally.rows - before;
    },
    showsPages,
    async answerLines({ page }, record, before) {
      check([record]);
      if (page === undefined) return [];
      return (await import('./record-page.ts')).answerLines(page, record, before, accessible, options);
    },
    async one(view, record, before) {
      check([record]);
      await one(view, record, before);
      tally.rows += 1;
    },
    get rows() {
      return tally.rows;
    },
    get isUnfinished() {
      return isUnfinished;
    },
    hiddenColumns,
  };
  return printer;
};
