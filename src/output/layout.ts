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

export interface Layout {
  /** Indexes of the shown columns. */
  shown: number[];
  headers: string[];
  widths: number[];
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
    const left = weakestFirst.filter((i) => !dropped.has(i));
    const layout = shrink(room, left, (column) => (isTight ? leastWidth : comfortableWidth(column)));
    const victim = left.find((i) => isTight || !isEssential(columns[i]!));
    const isLast = isTight && (victim === undefined || left.length === 1);
    if (totalWidth(layout.widths) <= available || isLast)
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

const totalWidth = (widths: number[]) =>
  widths.reduce((sum, columnWidth) => sum + columnWidth, 0) + gap.length * (widths.length - 1);

const shrink = (
  { columns, sample, available, zoneLabel, hasHeaders }: Room,
  weakestFirst: number[],
  leastOf: (column: Column) => number,
) => {
  const shown = weakestFirst.toSorted((a, b) => a - b);
  const zoned = shown.find((i) => columns[i]!.as === 'time');
  const headers = shown.map((i) => columns[i]!.header + (i === zoned ? ` (${zoneLabel})` : ''));
  const widths = shown.map((i, place) =>
    Math.max(1, hasHeaders ? widest(headers[place]!) : 1, ...sample.map((cells) => widest(cells[i]!))),
  );
  let excess = totalWidth(widths) - available;
  let isCut = false;
  for (const i of weakestFirst) {
    const place = shown.indexOf(i);
    if (excess <= 0 || !mayShrink(columns[i]!)) continue;
    const given = Math.max(0, Math.min(excess, widths[place]! - leastOf(columns[i]!)));
    widths[place]! -= given;
    excess -= given;
    isCut ||= given > 0;
  }
  return { shown, headers, widths, isCut };
};
