import { gap } from './grid.ts';
import { type Column, mayShrink } from './view.ts';
import { widest } from './width.ts';

/** Columns with at least this priority are essential: they are shortened as far as possible before any is dropped. */
const essential = 3;

/** A shortened text needs at least this many columns to be useful. */
const leastWidth = 8;

const isEssential = ({ priority = 0 }: Column): boolean => priority >= essential;

/** The minimum width of a text while less important columns can still be dropped. */
const comfortableWidth = (column: Column): number => column.least ?? (isEssential(column) ? 20 : 12);

export interface ShownColumn {
  column: Column;
  /** Its place among all columns. */
  at: number;
  header: string;
  width: number;
}

export interface Layout {
  shown: ShownColumn[];
  hidden: string[];
  /** A column is shortened or left out. */
  isCut: boolean;
}

interface Room {
  columns: readonly Column[];
  /** Cells of the first rows, one per column. They determine the widths for all rows. */
  sample: readonly (readonly string[])[];
  available: number;
  zoneLabel: string;
  hasHeaders: boolean;
}

/**
 * Fits columns to the terminal's width. First plain texts are shortened a little, the least important ones most. Then
 * columns that aren't essential are dropped, then texts are shortened to the minimum. Other columns are dropped last.
 */
export const layOut = (room: Room): Layout => {
  const { columns, available } = room;
  const weakestFirst = columns
    .map((_, i) => i)
    .sort((a, b) => (columns[a]!.priority ?? 0) - (columns[b]!.priority ?? 0) || b - a);
  const dropped = new Set<number>();
  let isTight = false;
  for (;;) {
    const rest = weakestFirst.filter((i) => !dropped.has(i));
    const layout = shrink(room, rest, (column) => (isTight ? leastWidth : comfortableWidth(column)));
    const victim = rest.find((i) => isTight || !isEssential(columns[i]!));
    const isLast = isTight && (victim === undefined || rest.length === 1);
    if (totalWidth(layout.shown) <= available || isLast)
      return {
        ...layout,
        isCut: layout.isCut || dropped.size > 0,
        hidden: columns
          .filter(({ as, priority = 0 }, i) => dropped.has(i) && as !== 'id' && priority >= 0)
          .map(({ header }) => header),
      };
    if (victim === undefined) isTight = true;
    else dropped.add(victim);
  }
};

const totalWidth = (columns: readonly ShownColumn[]) =>
  columns.reduce((sum, { width }) => sum + gap.length + width, -gap.length);

const shrink = (
  { columns, sample, available, zoneLabel, hasHeaders }: Room,
  weakestFirst: number[],
  leastOf: (column: Column) => number,
) => {
  const zoned = columns.findIndex(({ as }, at) => as === 'time' && weakestFirst.includes(at));
  const shownColumn = (at: number): ShownColumn => {
    const column = columns[at]!;
    const header = column.header + (at === zoned ? ` (${zoneLabel})` : '');
    const width = Math.max(1, hasHeaders ? widest(header) : 1, ...sample.map((cells) => widest(cells[at]!)));
    return { column, at, header, width };
  };
  const weakest = weakestFirst.map(shownColumn);
  let excess = totalWidth(weakest) - available;
  let isCut = false;
  for (const column of weakest) {
    if (excess <= 0 || !mayShrink(column.column)) continue;
    const given = Math.max(0, Math.min(excess, column.width - leastOf(column.column)));
    column.width -= given;
    excess -= given;
    isCut ||= given > 0;
  }
  return { shown: weakest.toSorted((a, b) => a.at - b.at), isCut };
};
