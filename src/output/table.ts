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
  paint?(text: string): string;
}

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
  const { columns, paint, time } = facts;
  let layout: Layout | undefined;
  for await (const page of pages) {
    if (page.length === 0) continue;
    const rows = page.map((record) => columns.map((column) => humanCell(cellValue(column, record), column.as, time)));
    const heading: Cell[][] = [];
    if (!layout) {
      layout = layOut({ ...facts, sample: rows, zoneLabel: time.zoneLabel });
      heading.push(
        layout.headers.map((text, place) => ({ text: shorten(text, layout!.widths[place]!), paint: paint.heading })),
      );
    }
    const body = rows.map((cells) => inkRow(cells, layout!, columns, paint));
    await stdout.write(`${render([...heading, ...body], layout, columns)}\n`);
    tally.rows += page.length;
  }
  return layout?.hidden ?? [];
};

const inkRow = (cells: string[], { shown, widths }: Layout, columns: readonly Column[], paint: Paint): Cell[] =>
  shown.map((i, place) => {
    const column = columns[i]!;
    // Later pages may hold a longer ID or number than the first: it juts out whole rather than being cut to a lie.
    const text = shrinks(column) ? shorten(cells[i]!, widths[place]!) : cells[i]!;
    if (text === nothing) return { text, paint: paint.faint };
    return column.as === 'status' ? { text, paint: paint.status } : { text };
  });

/**
 * cli-table3 measures newer emoji wrongly, so it lays out runs of `x` that are as wide as we measured the cells, and
 * the cells take their places afterwards.
 */
const render = (rows: Cell[][], { shown, widths }: Layout, columns: readonly Column[]): string => {
  const table = new CliTable({
    chars: { ...borderless, middle: gap },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    colWidths: widths,
    colAligns: shown.map((i) => (isNumeric(columns[i]!) ? 'right' : 'left')),
  });
  const stretch = (text: string, place: number) => 'x'.repeat(Math.max(1, Math.min(width(text), widths[place]!)));
  table.push(...rows.map((row) => row.map(({ text }, place) => stretch(text, place))));
  const cells = rows.flat().values();
  return table
    .toString()
    .replace(/ +$/gm, '')
    .replace(/x+/g, () => {
      const { text, paint } = cells.next().value!;
      return paint ? paint(text) : text;
    });
};

const isNumeric = ({ as }: Column) => as === 'count' || as === 'minutes';
