import type { BlockStyle } from './block.ts';
import { drawGrid, gap } from './grid.ts';
import type { Paint } from './paint.ts';
import { shorten, width } from './width.ts';

/*
 * Small pictures for people: a grid of days, bars, and shades. They are drawn with block characters, which `ascii.ts`
 * replaces for terminals that can't show them.
 */

/** The part of a screen's style that pictures need. */
export type PictureStyle = Pick<BlockStyle, 'paint' | 'available' | 'place'>;

/** A glyph, in the color of an event type if that is known. */
export interface Mark {
  glyph: string;
  color?: unknown;
  tone?: 'done' | 'faint' | 'warning';
}

/** One line of a cell. Its text must be sanitized. */
export interface Line {
  /** Glyphs before the text. */
  marks?: readonly Mark[];
  text: string;
  tone?: 'faint' | 'heading' | 'status';
}

export interface GridRow {
  label: string;
  /** Makes the label stand out. */
  isNow?: boolean;
  /** The lines of each column. */
  cells: readonly (readonly Line[])[];
}

/** A cell gets at least this many columns, the width of `▎09:00–09:30`, or the grid is too narrow to read. */
export const leastCell = 12;

/** The width of each of `count` equal columns beside labels of this width. */
export const cellWidth = (available: number, count: number, label = 0): number =>
  Math.floor((available - label + (label === 0 ? gap.length : 0)) / count) - gap.length;

/** A line cut to this many columns. */
export const paintedLine = ({ marks = [], text, tone }: Line, columns: number, paint: Paint): string => {
  const shortText = shorten(text, columns - marks.length);
  const before = marks
    .slice(0, columns)
    .map(({ glyph, color, tone: own }) => (own ? paint[own](glyph) : paint.mark(color, glyph)));
  return `${before.join('')}${tone === undefined || shortText === '' ? shortText : paint[tone](shortText)}`;
};

/** Draws rows of equal columns. The labels of the rows make the first column, unless they are all empty. */
export const drawCells = (head: readonly Line[], rows: readonly GridRow[], available: number, paint: Paint): string => {
  const label = Math.max(...rows.map((row) => width(row.label)));
  const cell = cellWidth(available, head.length, label);
  /** A row for each line: cli-table3 measures a cell again and again, which takes long with several lines in it. */
  const rowsOf = ({ label: text, isNow, cells }: GridRow): string[][] => {
    const heights = cells.map((lines) => lines.length);
    return Array.from({ length: Math.max(1, ...heights) }, (_, place) => [
      ...(label === 0 ? [] : [place > 0 ? '' : isNow ? paint.heading(text) : paint.faint(text)]),
      ...cells.map((lines) => (lines[place] === undefined ? '' : paintedLine(lines[place], cell, paint))),
    ]);
  };
  return drawGrid([{ label: '', cells: head.map((line) => [line]) }, ...rows].flatMap(rowsOf), [
    ...(label === 0 ? [] : [{ width: label }]),
    ...head.map(() => ({ width: cell })),
  ]);
};

/** The lengths of the parts of a bar, where `most` fills all columns. A part above 0 is always visible. */
export const barLengths = (parts: readonly number[], most: number, columns: number): number[] => {
  const lengths = parts.map((part) => (part <= 0 ? 0 : Math.max(1, Math.round((part / most) * columns))));
  for (let excess = lengths.reduce((sum, length) => sum + length, -columns); excess > 0; excess -= 1)
    lengths[lengths.indexOf(Math.max(...lengths))]! -= 1;
  return lengths;
};

/** The glyph for a number among others of which `most` is the largest: the first for the smallest, none for 0. */
export const levelOf = (value: number, most: number, glyphs: string): string =>
  value <= 0 ? '' : [...glyphs][Math.min(glyphs.length, Math.ceil((value / most) * glyphs.length)) - 1]!;
