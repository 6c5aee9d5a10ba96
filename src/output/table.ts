import { uniqueBeginnings } from '../base/uri.ts';
import type { Output } from '../runtime.ts';
import type { BlockStyle } from './block.ts';
import { cellValue, cutLong, emptyCell, humanCell } from './cells.ts';
import type { Pages } from './formats.ts';
import { drawGrid, type GridColumn } from './grid.ts';
import { type Layout, layOut, type ShownColumn } from './layout.ts';
import type { RowTally } from './machine-formats.ts';
import type { Paint } from './paint.ts';
import { type Column, mayShrink, type View } from './view.ts';
import { shorten, widest } from './width.ts';

interface TableFacts extends BlockStyle, Pick<View, 'section' | 'isOver'> {
  /** The columns, given the first rows. */
  columnsFor(records: readonly object[]): readonly Column[];
  /** Path of the IDs that are shortened to their unique beginning where that makes room. */
  shortened?: string | undefined;
  /** Makes the first line, if there are rows. */
  title?(): Promise<string | undefined>;
}

/** More than any terminal shows of a cell. */
const longestCell = 2000;

/** Rows below a heading of their own. */
const indent = '  ';

/** The columns of a table, their widths, and the columns that are left out because all rows say the same. */
interface Plan {
  columns: readonly Column[];
  layout: Layout;
  hasShortIds: boolean;
  constant: readonly { column: Column; text: string }[];
}

/** Writes rows of all pages as one table, sized by the first page with rows. Returns the headers of hidden columns. */
export const writeTable = async (
  stdout: Output,
  facts: TableFacts,
  pages: Pages,
  tally: RowTally,
): Promise<string[]> => {
  const { time, paint, section, title } = facts;
  const textOf = (column: Column, record: object): string => {
    const text = cutLong(humanCell(cellValue(column, record), column.as, time), longestCell);
    return column.blank && text === emptyCell ? '' : text;
  };
  const cellsOf = (columns: readonly Column[], page: readonly object[]): string[][] =>
    page.map((record) => columns.map((column) => textOf(column, record)));
  const planFor = (page: readonly object[], isFirst: boolean): Plan => {
    const all = facts.columnsFor(page);
    const isConstant = (column: Column): boolean =>
      isFirst &&
      (column.varies === true ? page.length > 1 : column.blank === true && textOf(column, page[0]!) === '') &&
      page.every((record) => textOf(column, record) === textOf(column, page[0]!));
    const columns = all.filter((column) => !isConstant(column));
    const constant = all.filter(isConstant).map((column) => ({ column, text: textOf(column, page[0]!) }));
    const room = {
      columns,
      available: facts.available - (section === undefined ? 0 : indent.length),
      zoneLabel: time.zoneLabel,
      hasHeaders: section === undefined,
    };
    const full = cellsOf(columns, page);
    const layout = layOut({ ...room, sample: full });
    const short = withShortIds(full, columns, facts, ids);
    // Below days people look for times and names: a wide screen is for those.
    const hasShortIds = layout.isCut || section !== undefined;
    return { columns, constant, hasShortIds, layout: hasShortIds ? layOut({ ...room, sample: short }) : layout };
  };
  const ids = new Set<string>();
  let plan: Plan | undefined;
  let lastSection: string | undefined;
  for await (const page of pages) {
    if (page.length === 0) continue;
    const heading: string[][] = [];
    const isOther = plan?.constant.some(({ column, text }) => page.some((record) => textOf(column, record) !== text));
    const first = plan === undefined ? await title?.() : undefined;
    if (first !== undefined) await stdout.write(`${first}\n`);
    if (plan === undefined || isOther) {
      plan = planFor(page, plan === undefined);
      if (section === undefined)
        heading.push(plan.layout.shown.map(({ header, width }) => paint.heading(shorten(header, width))));
    }
    const { columns, hasShortIds } = plan;
    const { shown } = plan.layout;
    const full = cellsOf(columns, page);
    const rows = hasShortIds ? withShortIds(full, columns, facts, ids) : full;
    const texts = rows.map((cells) => shownCells(cells, shown));
    const over = page.map((record) => facts.isOver?.(record, time.now) === true);
    const isMixed = over.includes(false);
    const paintedRows = texts.map((cells, index) =>
      paintedRow(cells, page[index]!, shown, paint).map((cell) => (isMixed && over[index] ? paint.faint(cell) : cell)),
    );
    const grid = drawGrid([...heading, ...paintedRows], columnsForGrid(texts, shown));
    if (section === undefined) await stdout.write(grid);
    else {
      const lines = grid.split('\n').slice(0, -1);
      const parts = lines.flatMap((line, index) => {
        const name = section(page[index]!, time);
        const isNew = name !== lastSection;
        lastSection = name;
        return [...(isNew ? [paint.heading(shorten(name, facts.available))] : []), `${indent}${line}`];
      });
      await stdout.write(`${parts.join('\n')}\n`);
    }
    tally.rows += page.length;
  }
  return plan?.layout.hidden ?? [];
};

/** The cells with IDs shortened to what tells them apart, also from the IDs of earlier pages. */
const withShortIds = (
  rows: string[][],
  columns: readonly Column[],
  { shortened }: TableFacts,
  earlier: Set<string>,
): string[][] => {
  const place = columns.findIndex(({ path, as }) => path === shortened && as === 'id');
  if (place < 0) return rows;
  for (const cells of rows) earlier.add(cells[place]!);
  const short = uniqueBeginnings(earlier);
  // Other text could be cut inside a character.
  const shortOf = (id: string): string => (/^[\w-]+$/.test(id) ? short.get(id)! : id);
  return rows.map((cells) => cells.with(place, shortOf(cells[place]!)));
};

const shownCells = (cells: string[], columns: readonly ShownColumn[]): string[] =>
  columns.map(({ column, at, width }) =>
    mayShrink(column)
      ? cells[at]!.split('\n')
          .map((line) => shorten(line, width))
          .join('\n')
      : cells[at]!,
  );

const paintedRow = (cells: string[], record: object, columns: readonly ShownColumn[], paint: Paint): string[] =>
  columns.map(({ column }, place) => {
    const text = cells[place]!;
    if (text === emptyCell) return paint.faint(text);
    if (column.paint) return column.paint(text, record, paint);
    if (column.as === 'id') return paint.faint(text);
    return column.as === 'status' ? paint.status(text) : text;
  });

const numbers: readonly unknown[] = ['count', 'minutes', 'seconds'];

/** A later page can have a longer ID or number than the first. It widens its column there instead of being cut. */
const columnsForGrid = (rows: string[][], columns: readonly ShownColumn[]): GridColumn[] =>
  columns.map(({ column, width }, place) => ({
    width: Math.max(width, ...rows.map((cells) => widest(cells[place]!))),
    align: numbers.includes(column.as) ? 'right' : 'left',
  }));
