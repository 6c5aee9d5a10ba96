import { cellValue, humanCell, humanField, humanText, nothing, type TimeStyle } from './cells.ts';
import { leaves } from './fields.ts';
import type { RowFormat } from './machine.ts';
import type { Paint } from './paint.ts';
import type { Column } from './view.ts';
import { pad, width } from './width.ts';

const indent = '  ';

const isBranch = (value: unknown): value is object =>
  Array.isArray(value)
    ? value.some((item) => typeof item === 'object' && item !== null)
    : typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/** Every field of a record, one under the other; what is nested stands indented below its name. */
export const block = (record: object, time: TimeStyle, paint: Paint): string =>
  fieldLines(record, time, paint)
    .map((line) => `${line}\n`)
    .join('');

const fieldLines = (record: object, time: TimeStyle, paint: Paint): string[] => {
  const fields = Object.entries(record).map(([name, value]) => ({ name, label: humanText(name), value }));
  const labels = fields.filter(({ value }) => !isBranch(value)).map(({ label }) => width(label));
  const widest = labels.reduce((most, label) => Math.max(most, label), 0);
  return fields.flatMap(({ name, label, value }) => {
    if (isBranch(value)) return [paint.faint(label), ...branchLines(value, time, paint).map((line) => indent + line)];
    return [`${paint.faint(pad(label, widest))}  ${fieldText(name, value, time, paint)}`];
  });
};

const branchLines = (branch: object, time: TimeStyle, paint: Paint): string[] =>
  Array.isArray(branch)
    ? branch.flatMap((item) => {
        const lines = isBranch(item) ? fieldLines(item, time, paint) : [fieldText('', item, time, paint)];
        return lines.map((line, i) => (i === 0 ? '- ' : indent) + line);
      })
    : fieldLines(branch, time, paint);

const fieldText = (name: string, value: unknown, time: TimeStyle, paint: Paint): string => {
  const text = humanField(value, time);
  if (text === nothing) return paint.faint(text);
  return name === 'status' ? paint.status(text) : text;
};

const spoken = (text: string): string => (text === nothing ? 'none' : text);

/** For screen readers: nothing is aligned, shortened, dropped or told by colour. */
export const spokenRecord = (record: object, time: TimeStyle): string =>
  leaves(record)
    .map(([path, value]) => `${humanText(path)}: ${spoken(humanField(value, time))}\n`)
    .join('');

export const spokenRows = (columns: readonly Column[], time: TimeStyle): RowFormat => ({
  open: '',
  between: '\n',
  close: '',
  empty: '',
  row: (record) =>
    columns
      .map((column) => {
        const value = cellValue(column, record);
        const text = column.as === 'time' ? humanField(value, time) : humanCell(value, column.as, time);
        return `${column.header}: ${spoken(text)}\n`;
      })
      .join(''),
});
