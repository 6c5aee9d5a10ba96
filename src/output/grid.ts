import CliTable from 'cli-table3';

/** Space between two columns. */
export const gap = '  ';

export interface GridColumn {
  width: number;
  align?: 'left' | 'right';
}

const sides = ['top', 'bottom', 'left', 'right', 'mid'] as const;
const corners = ['top-mid', 'top-left', 'top-right', 'bottom-mid', 'bottom-left', 'bottom-right'] as const;
const joints = ['left-mid', 'mid-mid', 'right-mid'] as const;
const borderless = Object.fromEntries([...sides, ...corners, ...joints].map((name) => [name, '']));

/** Draws rows with aligned columns and no borders. Cells must fit their column and may contain line breaks. */
export const drawGrid = (rows: readonly (readonly string[])[], columns: readonly GridColumn[]): string => {
  const table = new CliTable({
    chars: { ...borderless, middle: gap },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    colWidths: columns.map(({ width }) => width),
    colAligns: columns.map(({ align = 'left' }) => align),
  });
  table.push(...rows.map((row) => [...row]));
  return `${table.toString().replace(/ +$/gm, '')}\n`;
};
