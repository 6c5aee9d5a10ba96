import type { Output } from '../runtime.ts';
import type { BlockStyle } from './block.ts';
import { cellValue, cutLong, emptyCell, humanCell } from './cells.ts';
import type { Pages } from './formats.ts';
import { drawGrid, type GridColumn } from './grid.ts';
import { type Layout, layOut } from './layout.ts';
import type { RowTally } from './machine-formats.ts';
import type { Paint } from './paint.ts';
import { type Column, mayShrink } from './view.ts';
import { shorten, width } from './width.ts';

export interface TableFacts extends BlockStyle {
  /** The columns, given the first rows. */
  columnsFor(records: readonly object[]): readonly Column[];
  /** Path of the column that is never dropped. */
  keep: string;
}

/** More than any terminal shows of a cell. */
const longestCell = 2000;

/** Writes rows of all pages as one table, sized by the first page with rows. Returns the headers of hidden columns. */
export const writeTable = async (
  stdout: Output,
  facts: TableFacts,
  pages: Pages,
  tally: RowTally,
): Promise<string[]> => {
  const { time, paint } = facts;
  let columns: readonly Column[] = [];
  let layout: Layout | undefined;
  for await (const page of pages) {
    if (page.length === 0) continue;
    if (!layout) columns = facts.columnsFor(page);
    const rows = page.map((record) =>
      columns.map((column) => cutLong(humanCell(cellValue(column, record), column.as, time), longestCell)),
    );
    const heading: string[][] = [];
    if (!layout) {
      layout = layOut({ ...facts, columns, sample: rows, zoneLabel: time.zoneLabel });
      heading.push(headingRow(layout, facts));
    }
    const texts = rows.map((cells) => shownCells(cells, layout!, columns));
    const lines = [...heading, ...texts.map((cells) => paintedRow(cells, layout!, columns, paint))];
    await stdout.write(drawGrid(lines, gridColumns(texts, layout, columns)));
    tally.rows += page.length;
  }
  return layout?.hidden ?? [];
};

const headingRow = ({ headers, widths }: Layout, { paint }: TableFacts): string[] =>
  headers.map((text, place) => paint.heading(shorten(text, widths[place]!)));

const shownCells = (cells: string[], { shown, widths }: Layout, columns: readonly Column[]): string[] =>
  shown.map((i, place) => (mayShrink(columns[i]!) ? shorten(cells[i]!, widths[place]!) : cells[i]!));

const paintedRow = (cells: string[], { shown }: Layout, columns: readonly Column[], paint: Paint): string[] =>
  cells.map((text, place) => {
    if (text === emptyCell) return paint.faint(text);
    return columns[shown[place]!]!.as === 'status' ? paint.status(text) : text;
  });

const numbers: readonly unknown[] = ['count', 'minutes', 'seconds'];
const alignOf = ({ as }: Column): 'left' | 'right' => (numbers.includes(as) ? 'right' : 'left');

/** A later page can have a longer ID or number than the first. It widens its column there instead of being cut. */
const gridColumns = (rows: string[][], { shown, widths }: Layout, columns: readonly Column[]): GridColumn[] =>
  shown.map((i, place) => ({
    width: rows.reduce((widest, cells) => Math.max(widest, width(cells[place]!)), widths[place]!),
    align: alignOf(columns[i]!),
  }));
