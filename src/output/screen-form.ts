import type { Output } from '../runtime.ts';
import type { BlockStyle } from './block.ts';
import { columnsThatCame, humanText } from './cells.ts';
import { select } from './fields.ts';
import type { Pages } from './formats.ts';
import type { Form, PrinterOptions } from './forms.ts';
import { type RowTally, writeRows } from './machine-formats.ts';
import { type Column, columnsOf, idPath, type View } from './view.ts';

/** Width of a table that is not written to a terminal. */
const defaultWidth = 120;
/** From this width on, a table has room for long texts. */
const wide = 100;
/** Width of a table on a terminal that doesn't report its width. */
const defaultTerminalWidth = 80;

const availableOn = ({ isTerminal, columns }: Output): number =>
  isTerminal ? columns || defaultTerminalWidth : defaultWidth;

/** Where the records come from: a heading says it once. A draft says it too, and the output that it is a draft of again. */
const placesOf = ({ stdout, takePlace }: PrinterOptions) => {
  let drafted: string | undefined;
  const forDraft = (): string | undefined => {
    drafted ??= stdout.isTerminal ? takePlace?.() : undefined;
    return drafted;
  };
  const forOutput = (): string | undefined => {
    const place = forDraft();
    drafted = undefined;
    return place;
  };
  return { forDraft, forOutput };
};

// Modules needed only for tables (colors, widths, the table library) are loaded on first use.
const styleWith = async (options: PrinterOptions, place: () => string | undefined): Promise<BlockStyle> => {
  const { createPaint, placeText } = await import('./paint.ts');
  const paint = createPaint(options.color);
  return { time: options, paint, available: availableOn(options.stdout), place: () => placeText(place(), paint) };
};

/** What a table is about, the zone if no column names it, and where the records come from. */
const titleOf = async (
  { title, section }: View,
  { stdout, zoneLabel }: PrinterOptions,
  style: BlockStyle,
): Promise<string | undefined> => {
  if (!stdout.isTerminal || title === undefined) return undefined;
  const { headingLines } = await import('./heading.ts');
  return headingLines(title, section === undefined ? [] : [zoneLabel], style).join('\n');
};

const columnsIn =
  (view: View, options: PrinterOptions) =>
  (records: readonly object[]): readonly Column[] => {
    const { fields, stdout, accessible } = options;
    if (fields !== undefined) return columnsOf(view, fields);
    const room = { available: availableOn(stdout), isSpoken: accessible, now: options.now };
    const columns = columnsThatCame(view.tableColumns?.(records, room) ?? view.columns, records, idPath(view));
    // Headers can be text from the service, such as the questions of a form.
    return columns.map((column) => ({ ...column, header: humanText(column.header) }));
  };

/** Returns the headers of columns that have no room. */
const printTable = async (
  screen: Output,
  view: View,
  options: PrinterOptions,
  style: BlockStyle,
  pages: Pages,
  rowTally: RowTally,
): Promise<readonly string[]> => {
  const { fields, stdout } = options;
  if (view.narrow !== undefined && fields === undefined && stdout.isTerminal && style.available < wide) {
    const { writePages } = await import('./record-page.ts');
    await writePages(screen, view.narrow, style, await titleOf(view, options, style), pages, rowTally);
    return [];
  }
  const { writeTable } = await import('./table.ts');
  const facts = {
    ...style,
    columnsFor: columnsIn(view, options),
    isOver: view.isOver,
    ...(fields === undefined ? { section: view.section, title: () => titleOf(view, options, style) } : {}),
    ...(stdout.isTerminal ? { shortened: idPath(view) } : {}),
  };
  return writeTable(screen, facts, pages, rowTally);
};

/** Rows as lines of `Label: value`, or as sentences. */
const speakRows = async (view: View, options: PrinterOptions, pages: Pages, tally: RowTally): Promise<void> => {
  const { stdout, fields } = options;
  const { spokenRows, spokenSentences } = await import('./block.ts');
  const { spoken } = view;
  const format =
    spoken === undefined || fields !== undefined || !stdout.isTerminal
      ? spokenRows(columnsIn(view, options), options)
      : spokenSentences((record) => spoken(record, options), availableOn(stdout));
  return writeRows(stdout, () => format, pages, tally);
};

/** A record as its page, or as a block of all its fields. */
const recordOnScreen = async (
  { page }: View,
  record: object,
  before: object | undefined,
  options: PrinterOptions,
  style: () => Promise<BlockStyle>,
): Promise<string> => {
  const { fields, accessible, jq } = options;
  if (page !== undefined && fields === undefined && jq === undefined) {
    const { drawPage, spokenPage } = await import('./record-page.ts');
    const text = accessible
      ? await spokenPage(page, record, before, options)
      : await drawPage(page, record, before, await style());
    if (text !== undefined) return text;
  }
  const { block, spokenRecord } = await import('./block.ts');
  const shown = fields ? select(record, fields) : record;
  return accessible ? spokenRecord(shown, options) : block(shown, await style());
};

interface ScreenForm extends Form {
  /** Columns that had no room. */
  readonly hiddenColumns: readonly string[];
  /** A picture that `make` draws to fit the screen. */
  draw(make: (style: BlockStyle) => string): Promise<void>;
  /** What is known of a list, until the output that it is a draft of. */
  draft(view: View, records: readonly object[]): Promise<void>;
  draftPicture(make: (style: BlockStyle) => string): Promise<void>;
}

/** Tables, pages and pictures for people. */
export const screenForm = (options: PrinterOptions, tally: RowTally): ScreenForm => {
  const { format, stdout, accessible, jq, onDraft } = options;
  const places = placesOf(options);
  const style = () => styleWith(options, places.forOutput);
  const hiddenColumns: string[] = [];
  let isDrafting = false;

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

  /** Shows a draft, unless another one is being made. */
  const showDraft = async (print: (screen: Output, style: BlockStyle) => Promise<unknown>): Promise<void> => {
    if (onDraft === undefined || isDrafting || format !== 'table' || accessible || jq !== undefined || tally.rows > 0)
      return;
    isDrafting = true;
    let text = '';
    const write = async (part: string): Promise<void> => {
      text += part;
    };
    const screen = (await asciiOf())({ isTerminal: true, columns: stdout.columns, write });
    await print(screen, await styleWith(options, places.forDraft));
    isDrafting = false;
    onDraft(text.split('\n').slice(0, -1));
  };

  return {
    hiddenColumns,
    async list(view, pages) {
      if (accessible) return speakRows(view, options, pages, tally);
      const own = await style();
      hiddenColumns.push(...(await onScreen((screen) => printTable(screen, view, options, own, pages, tally))));
    },
    async one(view, record, before) {
      const text = await recordOnScreen(view, record, before, options, style);
      return onScreen((screen) => screen.write(text));
    },
    async draw(make) {
      const picture = make(await style());
      if (!accessible || !stdout.isTerminal) return onScreen((screen) => screen.write(picture));
      const { spokenLines } = await import('./block.ts');
      await stdout.write(spokenLines(picture, availableOn(stdout)));
    },
    draft: (view, records) => {
      async function* page() {
        yield records;
      }
      return showDraft((screen, style) => printTable(screen, view, options, style, page(), { rows: 0 }));
    },
    draftPicture: (make) => showDraft((screen, style) => screen.write(make(style))),
  };
};
