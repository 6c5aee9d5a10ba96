import CliTable from 'cli-table3';
import type { Output } from '../runtime.ts';
import { cellValue, humanCell, nothing, type TimeStyle } from './cells.ts';
import { gap, type Layout, layOut } from './layout.ts';
import type { Tally } from './machine.ts';
import type { Paint } from './paint.ts';
import { type Column, shrinks } from './view.ts';
import { shorten, width } from './width.ts';

export interface TableFacts {
  columns: readonly Column[];
  /** Path of the column that is never dropped. */
  keep: string;
  available: number;
  paint: Paint;
  time: TimeStyle;
}

interface Cell {
  text: string;
  width: number;
  paint?(text: string): string;
}

/** Up to here the library's time is not felt. */
const screenful = 100;

const sides = ['top', 'bottom', 'left', 'right', 'mid'] as const;
const corners = ['top-mid', 'top-left', 'top-right', 'bottom-mid', 'bottom-left', 'bottom-right'] as const;
const joints = ['left-mid', 'mid-mid', 'right-mid'] as const;
const borderless = Object.fromEntries([...sides, ...corners, ...joints].map((name) => [name, '']));

/** Rows of all pages as one table, sized by the first page that has any; gives the headers of columns left out. */
export const writeTable = async (
  stdout: Output,
  facts: TableFacts,
  pages: AsyncIterable<readonly object[]>,
  tally: Tally,
): Promise<string[]> => {
  const { columns, time } = facts;
  let layout: Layout | undefined;
  for await (const page of pages) {
    if (page.length === 0) continue;
    const rows = page.map((record) => columns.map((column) => humanCell(cellValue(column, record), column.as, time)));
    const heading: Cell[][] = [];
    if (!layout) {
      layout = layOut({ ...facts, sample: rows, zoneLabel: time.zoneLabel });
      heading.push(headingRow(layout, facts));
    }
    const lines = [...heading, ...rows.map((cells) => inkRow(cells, layout!, facts))];
    const isSmall = heading.length > 0 && page.length <= screenful;
    await stdout.write((isSmall ? render : renderFast)(lines, layout, columns));
    tally.rows += page.length;
  }
  return layout?.hidden ?? [];
};

const inked = (text: string, paint?: Cell['paint']): Cell => ({ text, width: width(text), ...(paint && { paint }) });

const headingRow = ({ headers, widths }: Layout, { paint }: TableFacts): Cell[] =>
  headers.map((text, place) => inked(shorten(text, widths[place]!), paint.heading));

const inkRow = (cells: string[], { shown, widths }: Layout, { columns, paint }: TableFacts): Cell[] =>
  shown.map((i, place) => {
    const column = columns[i]!;
    // Later pages may hold a longer ID or number than the first: it juts out whole rather than being cut to a lie.
    const text = shrinks(column) ? shorten(cells[i]!, widths[place]!) : cells[i]!;
    if (text === nothing) return inked(text, paint.faint);
    return column.as === 'status' ? inked(text, paint.status) : inked(text);
  });

const alignOf = ({ as }: Column): 'left' | 'right' => (as === 'count' || as === 'minutes' ? 'right' : 'left');

/**
 * cli-table3 measures newer emoji wrongly, so it lays out runs of `x` that are as wide as we measured the cells, and
 * the cells take their places afterwards.
 */
export const render: Render = (rows, { shown, widths }, columns) => {
  const table = new CliTable({
    chars: { ...borderless, middle: gap },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    colWidths: widths,
    colAligns: shown.map((i) => alignOf(columns[i]!)),
  });
  const stretch = (cell: Cell, place: number) => 'x'.repeat(Math.max(1, Math.min(cell.width, widths[place]!)));
  table.push(...rows.map((row) => row.map(stretch)));
  const cells = rows.flat().values();
  const lines = table
    .toString()
    .replace(/ +$/gm, '')
    .replace(/x+/g, () => {
      const { text, paint } = cells.next().value!;
      return paint ? paint(text) : text;
    });
  return `${lines}\n`;
};

/** The same lines without the library, which takes half a millisecond a row: for long listings. */
export const renderFast: Render = (rows, { shown, widths }, columns) => {
  const aligns = shown.map((i) => alignOf(columns[i]!));
  const last = shown.length - 1;
  const space = (cell: Cell, place: number) => ' '.repeat(Math.max(0, widths[place]! - cell.width));
  const place = (cell: Cell, at: number): string => {
    const text = cell.paint ? cell.paint(cell.text) : cell.text;
    if (aligns[at] === 'right') return space(cell, at) + text;
    return at === last ? text : text + space(cell, at);
  };
  return rows.map((row) => `${row.map(place).join(gap)}\n`).join('');
};

type Render = (rows: readonly Cell[][], layout: Layout, columns: readonly Column[]) => string;
