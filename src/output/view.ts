import type { Paint } from './paint.ts';

/** How times are shown to people. Provided by src/time/. */
export interface TimeStyle {
  /** Other text than a timestamp is shown unchanged, and so is an impossible date: it must not break a whole table. */
  showTime(text: string): string;
  /** Name of the zone that showTime uses. */
  zoneLabel: string;
  /** The current time, in milliseconds since 1970: other years are named. */
  now: number;
}

export type CellKind =
  | 'time'
  | 'date'
  | 'span'
  | 'id'
  | 'status'
  | 'count'
  | 'minutes'
  | 'seconds'
  | 'boolean'
  | 'list'
  | 'lines'
  | 'words';

/** One column of a table and of TSV, which have the same columns in the same order. */
export interface Column<Resource extends object = object> {
  /** Header in a table. In TSV, the header is the path. */
  header: string;
  /** Dotted, see fields.ts. */
  path: string;
  /** How the value is shown to people; plain text by default. Machine formats have the service's own value. */
  as?: CellKind;
  /**
   * On a narrow terminal, the column with the lowest priority (default 0) is dropped first, and among equals the
   * rightmost. Columns with priority 3 or more are essential.
   */
  priority?: number;
  /** Minimum width of the text while less important columns can still be dropped. */
  least?: number;
  /** Whether the text may be cut with `…`. By default only plain text and lists: half a time or ID would mislead. */
  shrink?: boolean;
  /** Left out of a table if all its rows say the same. */
  varies?: true;
  /** A missing value leaves the cell empty, and a column without values is left out of a table. */
  blank?: true;
  /** Computes the value if it isn't simply the one at the path. */
  value?(record: Resource): unknown;
  /** Paints the text of a cell. Color only repeats what the text says. */
  paint?(text: string, record: Resource, paint: Paint): string;
}

/** The screen of a table: its width in columns, whether it is read aloud, and the present. */
interface TableRoom {
  available: number;
  isSpoken: boolean;
  now: number;
}

export interface View<Resource extends object = object> {
  columns: readonly Column<Resource>[];
  /** Columns of a table, given its first rows and its room, if they are not the columns of TSV. */
  tableColumns?(records: readonly Resource[], room: TableRoom): readonly Column<Resource>[];
  /** A row as a sentence, for screen readers. Without it, each of its columns is a line. */
  spoken?(record: Resource, time: TimeStyle): string;
  /** The heading above a row of a table, such as its day. Rows below a heading are indented and need no header. */
  section?(record: Resource, time: TimeStyle): string;
  /** Whether a row is about the past: it is faint beside others. */
  isOver?(record: Resource, now: number): boolean;
  /** What the rows are, above a table on a terminal: `Your events`. */
  title?: string | undefined;
  /** What the rows are, if they aren't simply the records of the operation: `group members`. */
  rows?: string;
  /** How a single record is shown to people. Without it, all fields are listed. */
  page?: Page;
  /** How each record of a list is shown on a terminal that is too narrow for its long texts. */
  narrow?: Page;
  /** Path of the field that identifies a record, printed by `-o id`. Default `uri`. */
  id?: string;
}

/** A line of a page. A list has one item per line, and a line without a value is left out. */
export interface PageLine {
  label: string;
  /** A dotted path, or a function that computes the text. Either may return anything the service can send. */
  value: string | ((record: Readonly<Record<string, unknown>>, time: TimeStyle) => unknown);
  as?: CellKind;
  /** Whether a person needs it right after the record was made, or marked. */
  inAnswer?: true;
}

/** How a single record is shown to people: the parts they need, in their order and words. */
export interface Page {
  /** The name, shown as the title. */
  title?: PageLine['value'];
  /** Path of a color, which is shown before the title. */
  mark?: string;
  lines: readonly PageLine[];
  /** The field `event` has the URI of an event, which the lines use too. */
  embedsEvent?: true;
}

export const idPath = (view: View): string => view.id ?? 'uri';

export const mayShrink = (column: Column): boolean =>
  column.shrink ?? (column.as === undefined || column.as === 'list' || column.as === 'lines' || column.as === 'words');

/** The columns to show: the view's own, or the selected fields under their requested names. */
export const columnsOf = (view: View, fields?: readonly string[]): readonly Column[] =>
  fields?.map((path) => {
    const column = view.columns.find((candidate) => candidate.path === path);
    const as = path === idPath(view) ? 'id' : isTimeName(path) ? 'time' : undefined;
    return { as, ...column, header: path, path };
  }) ?? view.columns;

/** Whether a field holds a time, by its name. */
export const isTimeName = (path: string): boolean => /_(at|time)$/.test(path);
