import { type Column, shrinks } from './view.ts';
import { width } from './width.ts';

export const gap = '  ';

/** Below this a shortened text says nothing, and its column is dropped instead. */
const leastWidth = 12;

export interface Layout {
  /** Positions of the shown columns among all. */
  shown: number[];
  headers: string[];
  widths: number[];
  hidden: string[];
}

interface Room {
  columns: readonly Column[];
  /** Cells of the first rows, one per column; they decide the widths for all rows. */
  sample: readonly (readonly string[])[];
  available: number;
  /** Path of the column that stays whatever the width: without it no row can be named to another command. */
  keep: string;
  zoneLabel: string;
}

/** Widths for a terminal: plain texts are shortened first, the least important most; then columns are dropped. */
export const layOut = (room: Room): Layout => {
  const { columns, available, keep } = room;
  const weakestFirst = columns
    .map((_, i) => i)
    .sort((a, b) => (columns[a]!.priority ?? 0) - (columns[b]!.priority ?? 0) || b - a);
  const dropped = new Set<number>();
  for (;;) {
    const layout = shrink(
      room,
      weakestFirst.filter((i) => !dropped.has(i)),
    );
    const victim = weakestFirst.find((i) => !dropped.has(i) && columns[i]!.path !== keep);
    if (totalWidth(layout.widths) <= available || victim === undefined || layout.shown.length === 1) {
      return { ...layout, hidden: columns.filter((_, i) => dropped.has(i)).map(({ header }) => header) };
    }
    dropped.add(victim);
  }
};

const totalWidth = (widths: number[]) =>
  widths.reduce((sum, columnWidth) => sum + columnWidth, 0) + gap.length * (widths.length - 1);

const shrink = ({ columns, sample, available, zoneLabel }: Room, weakestFirst: number[]) => {
  const shown = weakestFirst.toSorted((a, b) => a - b);
  const zoned = shown.find((i) => columns[i]!.as === 'time');
  const headers = shown.map((i) => columns[i]!.header + (i === zoned ? ` (${zoneLabel})` : ''));
  const widths = shown.map((i, place) =>
    sample.reduce((widest, cells) => Math.max(widest, width(cells[i]!)), Math.max(1, width(headers[place]!))),
  );
  let excess = totalWidth(widths) - available;
  for (const i of weakestFirst) {
    const place = shown.indexOf(i);
    if (excess <= 0 || !shrinks(columns[i]!)) continue;
    const given = Math.max(0, Math.min(excess, widths[place]! - leastWidth));
    widths[place]! -= given;
    excess -= given;
  }
  return { shown, headers, widths };
};
