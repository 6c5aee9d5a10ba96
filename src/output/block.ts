import { capital } from '../base/numbers.ts';
import { cellValue, cutLong, emptyCell, humanCell, humanField, humanText } from './cells.ts';
import { leaves } from './fields.ts';
import type { RowFormat } from './formats.ts';
import { gap } from './grid.ts';
import type { Paint } from './paint.ts';
import { safeForRunner } from './sanitize.ts';
import type { Column, TimeStyle } from './view.ts';
import { pad, width, wrap } from './width.ts';

const indent = '  ';

const isNested = (value: unknown): value is object =>
  Array.isArray(value)
    ? value.some((item) => typeof item === 'object' && item !== null)
    : typeof value === 'object' && value !== null && Object.keys(value).length > 0;

export interface BlockStyle {
  time: TimeStyle;
  paint: Paint;
  /** Screen width in columns. */
  available: number;
  /** What the first heading says behind its text: ` · sandbox`, or nothing. */
  place?(): string;
}

/** Several screens of text. JSON has the whole value. */
export const longestValue = 10_000;

/** A value gets at least this many columns, even on a narrow screen. */
export const leastWidth = 18;

/** Wrapping can move a runner command from the middle of a line, where it is safe, to the start of one. */
export const wrapSafely = (text: string, columns: number): string[] => wrap(text, columns).map(safeForRunner);

/**
 * A label, and beside it lines below each other. If one of them has no room there, such as a URL, they all go below the
 * label, and none is broken.
 */
export const labelLines = (
  label: string,
  widest: number,
  lines: readonly string[],
  { paint, available }: Pick<BlockStyle, 'paint' | 'available'>,
  paintLine: (text: string) => string = (text) => text,
): string[] => {
  const room = (line: string): number => available - width(line);
  if (lines.every((line) => room(line) >= widest + gap.length))
    return lines.map((line, index) => `${paint.faint(pad(index === 0 ? label : '', widest))}${gap}${paintLine(line)}`);
  const below = lines.map((line) => `${room(line) < indent.length ? '' : indent}${paintLine(line)}`);
  return label === '' ? below : [paint.faint(label), ...below];
};

const narrower = (style: BlockStyle): BlockStyle => ({ ...style, available: style.available - indent.length });

/** All fields of a record, one per line. Nested fields are indented below their name. */
export const block = (record: object, style: BlockStyle): string =>
  fieldLines(record, style)
    .map((line) => `${line}\n`)
    .join('');

const fieldLines = (record: object, style: BlockStyle): string[] => {
  const { paint, available } = style;
  const fields = Object.entries(record).map(([name, value]) => ({ name, label: humanText(name), value }));
  const labels = fields.filter(({ value }) => !isNested(value)).map(({ label }) => width(label));
  const widest = Math.min(
    labels.reduce((most, label) => Math.max(most, label), 0),
    Math.max(leastWidth, available - gap.length - leastWidth),
  );
  return fields.flatMap(({ name, label, value }) => {
    if (isNested(value))
      return [paint.faint(label), ...branchLines(value, narrower(style)).map((line) => indent + line)];
    const lines = valueLines(value, { ...style, available: available - widest - gap.length });
    return labelLines(label, widest, lines, style, paintOf(name, style));
  });
};

const branchLines = (branch: object, style: BlockStyle): string[] =>
  Array.isArray(branch)
    ? branch.flatMap((item) => {
        const within = narrower(style);
        const lines = isNested(item) ? fieldLines(item, within) : valueLines(item, within).map(paintOf('', within));
        return lines.map((line, i) => (i === 0 ? '- ' : indent) + line);
      })
    : fieldLines(branch, style);

const valueLines = (value: unknown, { time, available }: BlockStyle): string[] =>
  wrapSafely(cutLong(humanField(value, time), longestValue), Math.max(leastWidth, available));

const paintOf =
  (name: string, { paint }: BlockStyle) =>
  (line: string): string =>
    line === emptyCell ? paint.faint(line) : name === 'status' ? paint.status(line) : line;

const spokenText = (text: string): string => (text === emptyCell ? 'none' : text);

/** A record for screen readers: nothing is aligned, shortened, dropped or shown only by color. */
export const spokenRecord = (record: object, time: TimeStyle): string =>
  leaves(record)
    .map(([path, value]) => `${humanText(path)}: ${spokenText(humanField(value, time))}\n`)
    .join('');

/** A table's header as a label: `BASE URL` is "Base URL". Paths of fields stay as they are. */
const label = (header: string): string =>
  header === header.toUpperCase()
    ? capital(header.toLowerCase().replace(/\b(id|ms|ur[il])\b/g, (word) => word.toUpperCase()))
    : header;

/** Text for a screen reader, with no word broken at the edge of the screen. */
export const spokenLines = (text: string, available: number): string =>
  text
    .split('\n')
    .flatMap((line) => wrapSafely(line, available))
    .join('\n');

/** Rows as sentences. */
export const spokenSentences = (sentence: (record: object) => string, available: number): RowFormat => ({
  row: (record) => `${spokenLines(humanText(sentence(record)), available)}\n`,
});

export const spokenRows = (
  columnsFor: (records: readonly object[]) => readonly Column[],
  time: TimeStyle,
): RowFormat => ({
  between: '\n',
  row: (record) =>
    columnsFor([record])
      .map((column) => {
        const value = cellValue(column, record);
        const text = column.as === 'time' ? humanField(value, time) : humanCell(value, column.as, time);
        if (column.blank && text === emptyCell) return '';
        return `${label(column.header)}: ${spokenText(text.replaceAll('\n', ', '))}\n`;
      })
      .join(''),
});
