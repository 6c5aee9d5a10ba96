import type { Env } from '../system.ts';
import { drawGrid, gap } from './grid.ts';
import type { Paint } from './paint.ts';
import { shorten, width } from './width.ts';

/*
 * Small pictures for people: a grid of days, bars, and a line of bars. They are drawn with block characters.
 * `asciiForm` replaces those for terminals that can't show them.
 */

/** One line of a cell. Its text must be sanitized. */
export interface Line {
  text: string;
  tone?: 'faint' | 'heading' | 'status';
}

export interface GridRow {
  label: string;
  /** The lines of each column. */
  cells: readonly (readonly Line[])[];
}

/** A cell gets at least this many columns, or the grid is too narrow to read. */
export const leastCell = 14;

/** The width of each of `count` equal columns beside labels of this width. */
export const cellWidth = (available: number, count: number, label = 0): number =>
  Math.floor((available - label + (label === 0 ? gap.length : 0)) / count) - gap.length;

const painted = ({ text, tone }: Line, columns: number, paint: Paint): string => {
  const shown = shorten(text, columns);
  return tone === undefined || shown === '' ? shown : paint[tone](shown);
};

/** Draws rows of equal columns. The labels of the rows make the first column, unless they are all empty. */
export const drawCells = (head: readonly Line[], rows: readonly GridRow[], available: number, paint: Paint): string => {
  const label = Math.max(...rows.map((row) => width(row.label)));
  const cell = cellWidth(available, head.length, label);
  const cells = (lines: readonly (readonly Line[])[]): string[] =>
    lines.map((each) => each.map((line) => painted(line, cell, paint)).join('\n'));
  const labels = (text: string): string[] => (label === 0 ? [] : [paint.faint(text)]);
  return drawGrid(
    [
      [...labels(''), ...cells(head.map((line) => [line]))],
      ...rows.map((row) => [...labels(row.label), ...cells(row.cells)]),
    ],
    [...(label === 0 ? [] : [{ width: label }]), ...head.map(() => ({ width: cell }))],
  );
};

/** A bar for a share from 0 to 1. A share above 0 is always visible. */
export const bar = (share: number, columns: number): string => {
  const halves = share <= 0 ? 0 : Math.max(1, Math.round(Math.min(1, share) * columns * 2));
  return '█'.repeat(Math.floor(halves / 2)) + (halves % 2 === 1 ? '▌' : '');
};

const levels = '▁▂▃▄▅▆▇█';

/** Adds up neighbors, so that at most this many values are left. */
const merged = (values: readonly number[], columns: number): number[] => {
  const size = Math.ceil(values.length / columns);
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size).reduce((sum, value) => sum + value, 0),
  );
};

/** Numbers as a line of bars. Zero is a space. If there are too many numbers, neighbors are added up. */
export const sparkline = (values: readonly number[], columns: number): string => {
  if (values.length === 0) return '';
  const shown = merged(values, columns);
  const most = Math.max(...shown);
  return shown
    .map((value) => (value <= 0 ? ' ' : levels[Math.ceil((value / most) * levels.length) - 1]))
    .join('')
    .trimEnd();
};

const asciiFor: Readonly<Record<string, string>> = {
  '▎': '|',
  '▶': '>',
  '×': 'x',
  '●': '*',
  '→': '>',
  '·': '.',
  '–': '-',
  '…': '~',
  '▌': '=',
  '█': '#',
  '▁': '_',
  '▂': '.',
  '▃': ':',
  '▄': '-',
  '▅': '=',
  '▆': '+',
  '▇': '*',
};

const drawn = new RegExp(`[${Object.keys(asciiFor).join('')}]`, 'g');

/** The same text without the characters that pictures are drawn with. Its width stays the same. */
export const asciiForm = (text: string): string => text.replace(drawn, (char) => asciiFor[char]!);

/**
 * Whether the locale names an encoding that lacks block characters. Without any locale, as in many containers, the
 * terminal almost always shows UTF-8.
 */
export const needsAscii = (env: Env): boolean => {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG;
  return locale !== undefined && locale !== '' && !/utf-?8/i.test(locale);
};
