export type Kind = 'time' | 'id' | 'status' | 'count' | 'minutes' | 'boolean' | 'list';

/** One column of a table and of the tab-separated form: the same columns in the same order in both. */
export interface Column<Resource extends object = object> {
  /** Above the column of a table; the tab-separated header is the path. */
  header: string;
  /** Dotted, see fields.ts. */
  path: string;
  /** How a person reads the value; plain text unless told. Machine formats carry the value as the service wrote it. */
  as?: Kind;
  /**
   * Where the terminal is narrow the lowest gives way first, and among equals (0 unless told) the rightmost. From 3 on
   * a column is what the row is about.
   */
  priority?: number;
  /** So much of the text is shown while there are less important columns to drop. */
  least?: number;
  /** Whether the text may be cut with `…`. Only plain text and lists are, unless told: half a time or ID misleads. */
  shrink?: boolean;
  /** Computes the value where the path alone does not say it. */
  value?(record: Resource): unknown;
}

/** How one kind of resource is shown. */
export interface View<Resource extends object = object> {
  columns: readonly Column<Resource>[];
  /** Path of what names a record: printed by `-o id`, never dropped from a table. `uri` unless told. */
  id?: string;
}

export const idPath = (view: View): string => view.id ?? 'uri';

export const mayShrink = (column: Column): boolean =>
  column.shrink ?? (column.as === undefined || column.as === 'list');

/** The columns to show: the view's own, or the chosen fields under the names they were asked for by. */
export const columnsOf = (view: View, fields?: readonly string[]): readonly Column[] =>
  fields?.map((path) => {
    const column = view.columns.find((candidate) => candidate.path === path);
    return { as: kindByName(view, path), ...column, header: path, path };
  }) ?? view.columns;

const kindByName = (view: View, path: string): Kind | undefined => {
  if (path === idPath(view)) return 'id';
  return /_(at|time)$/.test(path) ? 'time' : undefined;
};
