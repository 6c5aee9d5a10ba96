import { jsonText } from '../base/json.ts';
import { valueAt } from './fields.ts';
import { safe, safeForRunner } from './sanitize.ts';
import { type CellKind, type Column, isTimeName, type TimeStyle } from './view.ts';

/** Shown in tables for a missing value. */
export const emptyCell = '–';

/** Cuts a long text before it is measured: measuring takes long, and the service can send texts of any length. */
export const cutLong = (text: string, longest: number): string =>
  text.length <= longest ? text : `${text.slice(0, longest)}…`;

const isScalar = (value: unknown) => typeof value !== 'object' || value === null;
export const isNothing = (value: unknown) =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

export const cellValue = (column: Column, record: object): unknown =>
  column.value ? column.value(record) : valueAt(record, column.path);

/** More than any terminal has room for. */
const mostOwnColumns = 20;

const isEmptyCell = (column: Column, record: object): boolean => [cellValue(column, record)].flat().every(isNothing);

/**
 * Columns for the service's own fields, if it sends other fields than expected, so that a row would be empty. `keep` is the
 * path of the ID.
 */
export const ownColumns = (columns: readonly Column[], records: readonly object[], keep: string): Column[] => {
  const others = columns.filter(({ path }) => path !== keep);
  const empty = records.filter((record) => others.every((column) => isEmptyCell(column, record)));
  const own = empty.flatMap((record) => Object.entries(record).filter(([, value]) => !isNothing(value)));
  const names = [...new Set(own.map(([name]) => name))].filter((name) => name !== keep && name !== '_sched');
  return names.slice(0, mostOwnColumns).map(
    (name, index): Column => ({
      header: name.replaceAll('_', ' ').toUpperCase(),
      path: name,
      value: (record) => (Object.hasOwn(record, name) ? (record as Record<string, unknown>)[name] : null),
      ...(isTimeName(name) ? { as: 'time' as const } : {}),
      priority: 4 - index / mostOwnColumns,
    }),
  );
};

/** The columns of a table, with those of own fields. Expected columns that are empty in all rows are then left out. */
export const columnsThatCame = (
  columns: readonly Column[],
  records: readonly object[],
  keep: string,
): readonly Column[] => {
  const extraColumns = ownColumns(columns, records, keep);
  if (extraColumns.length === 0) return columns;
  const [ids, others] = [columns.filter(({ path }) => path === keep), columns.filter(({ path }) => path !== keep)];
  return [
    ...others.filter((column) => !records.every((record) => isEmptyCell(column, record))),
    ...extraColumns,
    ...ids,
  ];
};

const tsvEscapes: Record<string, string> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' };

/** The full value for programs: empty for null, lists of plain values joined by commas, otherwise compact JSON. */
export const plainCell = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.length > 0 && value.every(isScalar)) {
    return value.every(isNothing) ? '' : value.map((item) => item ?? '').join(',');
  }
  return isScalar(value) ? String(value) : jsonText(value);
};

export const tsvCell = (value: unknown): string => plainCell(value).replace(/[\t\n\r\\]/g, (char) => tsvEscapes[char]!);

/** Makes untrusted text safe to read: it can't control a terminal or a CI runner. */
export const humanText = (text: string): string => safeForRunner(safe(text));

/** More than any terminal shows of a name. */
const longestName = 200;

/** The first value that has a text, sanitized. */
export const shownText = (...values: unknown[]): string => {
  const text = values.find((value): value is string => typeof value === 'string' && value.trim() !== '');
  return humanText(cutLong(text ?? '', longestName));
};

/** The value for people, as one safe line, or as several if it is a list of lines. */
export const humanCell = (value: unknown, as: CellKind | undefined, time: TimeStyle): string => {
  if (isNothing(value) || (Array.isArray(value) && value.every(isNothing))) return emptyCell;
  if (as === 'span') return humanText(clockSpan([value].flat(), time)) || emptyCell;
  if (Array.isArray(value) && value.every(isScalar)) {
    return value.map((item) => humanCell(item, as, time)).join(as === 'lines' ? '\n' : ', ');
  }
  return humanText(isScalar(value) ? phrase(value, as, time) : jsonText(value));
};

const phrase = (value: unknown, as: CellKind | undefined, time: TimeStyle): string => {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = String(value);
  if (as === 'time') return time.showTime(text);
  if (as === 'date') return time.showTime(text).replace(/ \d\d:\d\d$/, '');
  if (as === 'id') return lastSegment(text);
  if (as === 'minutes') return `${text} min`;
  if (as === 'seconds') return `${text} s`;
  if (as === 'words') return text.replaceAll('_', ' ');
  return text;
};

/** From start to end on the clock, where a heading names the day: `09:00–09:30`. Undefined items are left out. */
const clockSpan = (times: readonly unknown[], time: TimeStyle): string => {
  const labels = times.filter((each) => typeof each === 'string').map(time.showTime);
  return labels.map((label) => (/ \d\d:\d\d$/.test(label) ? label.slice(-'09:30'.length) : label)).join('–');
};

/** A value in a vertical block, where no column header names the zone and the view doesn't describe every field. */
export const humanField = (value: unknown, time: TimeStyle): string => {
  const local = typeof value === 'string' ? time.showTime(value) : value;
  return local === value ? humanCell(value, undefined, time) : humanText(`${local} (${time.zoneLabel})`);
};

// Unlike idIn, this ignores a trailing slash. A regex would take quadratic time on text full of slashes.
const lastSegment = (uri: string): string => uri.split('/').filter(Boolean).at(-1) ?? uri;
