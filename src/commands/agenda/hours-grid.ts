import { day, hour, minute } from '../../base/milliseconds.ts';
import {
  cellWidth,
  drawCells,
  type GridRow,
  type Line,
  leastCell,
  type Mark,
  type PictureStyle,
} from '../../output/drawing.ts';
import { width, wrap } from '../../output/width.ts';
import { clipped, type Day } from '../../time/calendar.ts';
import { runsOf } from '../../time/days.ts';
import type { Span } from '../../time/slots.ts';
import { clockLabel } from '../../time/wall.ts';
import { type Agenda, clockOf, hostNamesText, isToday, lanesOf, type Meeting, workday } from './meetings.ts';

/** A day or a host, in a grid of hours or in a list. */
export interface AgendaColumn {
  /** The head of a column, and that of a list. */
  head: string;
  title: string;
  day: Day;
  meetings: readonly Meeting[];
  showsHosts: boolean;
  /** It has the meetings that overlap with those of the column before it. */
  isLane?: boolean;
}

/** Times are compared in steps of this size. Offsets of all zones since 1972 are multiples of it. */
const step = 15 * minute;

/** The rows, counted from midnight, that a time of a day touches. An hour that occurs twice is one row. */
const rowsBetween = (agenda: Agenda, { midnight }: Day, start: number, end: number, size: number): number[] => {
  const rowOf = (at: number): number => Math.floor((agenda.wallAt(at) - midnight) / size);
  const rows = new Set([rowOf(start)]);
  for (let at = start - (start % step) + step; at < end; at += step) rows.add(rowOf(at));
  return [...rows];
};

/** A cell at least this wide has room for the times and the name of a meeting on one line. */
const roomForName = 26;

export const meetingMark = ({ color }: Meeting): Mark => ({ glyph: '▎', color });

const faint = { tone: 'faint' } as const;

/** A name on one line or two, broken between words only. */
const twoLines = (name: string, columns: number): string[] => {
  if (name.split(' ').some((word) => width(word) > columns)) return [name];
  const [first, ...rest] = wrap(name, columns);
  return [first!, ...(rest.length === 0 ? [] : [rest.join(' ')])];
};

/** The times and the name of a meeting, and its people or hosts. Without them, the name may have two lines. */
const meetingLines = (agenda: Agenda, { day, showsHosts }: AgendaColumn, meeting: Meeting, columns: number): Line[] => {
  const { start } = clipped(meeting, day);
  const { name, hosts, who } = meeting;
  const end = columns < leastCell ? '' : `–${clockOf(agenda, meeting.end)}`;
  const times = `${clockOf(agenda, start)}${end}`;
  const people = showsHosts && hosts.length > 0 ? hostNamesText(meeting) : who;
  const names = people === undefined ? twoLines(name, columns - 1) : [name];
  const texts = columns >= roomForName ? [`${times} ${name}`] : [times, ...names];
  return [...texts.map((text) => ({ text })), ...(people === undefined ? [] : [{ text: people, ...faint }])];
};

/** At most this many bars of other meetings are before the name of one. */
const mostBars = 3;

const blank: Mark = { glyph: ' ' };

const linesByRow = (agenda: Agenda, column: AgendaColumn, size: number, columns: number): Map<number, Line[]> => {
  const { day, meetings } = column;
  const lanes = lanesOf(meetings);
  const laneOf = (meeting: Meeting): number => Math.min(lanes.get(meeting)!, mostBars);
  const lines = new Map<number, Line[]>();
  const add = (row: number, newLines: readonly Line[]) => lines.set(row, [...(lines.get(row) ?? []), ...newLines]);
  /** The bars in each row of the meetings that have begun before it, by lane. */
  const bars = new Map<number, Mark[]>();
  const firstRows: [row: number, lines: Line[]][] = [];
  for (const meeting of meetings) {
    const { start, end } = clipped(meeting, day);
    const [row, ...later] = rowsBetween(agenda, day, start, end, size);
    if (meeting.isCanceled) {
      const texts = meetingLines(agenda, column, meeting, columns);
      firstRows.push([row!, texts.map((line) => ({ text: `×${line.text}`, ...faint }))]);
      continue;
    }
    const lane = laneOf(meeting);
    const mark = meetingMark(meeting);
    const overlapping = meetings.filter((other) => !other.isCanceled && other.start <= start && other.end > start);
    const before = Array.from({ length: lane }, (_, place) => {
      const other = overlapping.find((each) => laneOf(each) === place);
      return other === undefined ? blank : meetingMark(other);
    });
    const marks = [...before, mark];
    firstRows.push([row!, meetingLines(agenda, column, meeting, columns - lane).map((line) => ({ ...line, marks }))]);
    for (const each of later) {
      const own = [...(bars.get(each) ?? [])];
      own[lane] = mark;
      bars.set(each, own);
    }
  }
  for (const [row, marks] of bars) add(row, [{ text: '', marks: Array.from(marks, (mark) => mark ?? blank) }]);
  for (const [row, own] of firstRows) add(row, own);
  return lines;
};

/** So many rows without any event become one row. */
const longRun = 3;

/** Width of `▶09:20`. */
const labelWidth = 6;

/** The present as the label of its row if all columns are of the same day, else as a line in the column of today. */
const nowIn = (agenda: Agenda, columns: readonly AgendaColumn[], size: number) => {
  const column = columns.find(({ day, isLane }) => !isLane && isToday(agenda, day));
  if (column === undefined) return undefined;
  const [row] = rowsBetween(agenda, column.day, agenda.now, agenda.now, size);
  return { row: row!, column, isLabel: columns.every(({ day }) => day === column.day) };
};

/** The open part of a row, between two times of a day: `·` if all of it is open, `· to 11:30`. */
const openText = (agenda: Agenda, { midnight, since, until }: Day, from: number, to: number): string => {
  const wall = (at: number): number => (at >= until ? day : at <= since ? 0 : agenda.wallAt(at) - midnight);
  const spans = (agenda.open?.openOn({ midnight, since, until }) ?? [])
    .map(({ start, end }) => ({ start: Math.max(wall(start), from), end: Math.min(wall(end), to) }))
    .filter(({ start, end }) => start < end);
  const [first, last] = [spans[0], spans.at(-1)];
  if (first === undefined || last === undefined) return '';
  const [isFromStart, isToEnd] = [first.start === from, last.end === to];
  if (spans.length > 1) return '· partly';
  if (isFromStart && isToEnd) return '·';
  if (isFromStart) return `· to ${clockLabel(last.end)}`;
  return isToEnd ? `· from ${clockLabel(first.start)}` : `· ${clockLabel(first.start)}–${clockLabel(last.end)}`;
};

/** Draws a grid of hours. */
export const drawHours = (
  agenda: Agenda,
  columns: readonly AgendaColumn[],
  size: number,
  style: PictureStyle,
): string => {
  const now = nowIn(agenda, columns, size);
  const columnWidth = cellWidth(style.available, columns.length, labelWidth - (now?.isLabel ? 0 : 1));
  const lines = columns.map((column) => {
    const own = linesByRow(agenda, column, size, columnWidth);
    if (now === undefined || now.isLabel || now.column !== column) return own;
    const line: Line = { text: `▶${clockOf(agenda, agenda.now)} now`, tone: 'heading' };
    return own.set(now.row, [...(own.get(now.row) ?? []), line]);
  });
  const usedRows = [...lines.flatMap((each) => [...each.keys()]), ...(now === undefined ? [] : [now.row])];
  const first = Math.min(workday[0] / size, ...usedRows);
  const last = Math.max(workday[1] / size - 1, ...usedRows);
  const rowsOf = (day: Day, spans: readonly Span[]) =>
    new Set(spans.flatMap(({ start, end }) => rowsBetween(agenda, day, start, end, size)));
  const existing = columns.map(({ day }) => rowsOf(day, [{ start: day.since, end: day.until }]));
  const emptyText = (place: number, row: number): string => {
    if (columns[place]!.isLane) return '';
    return existing[place]!.has(row) ? openText(agenda, columns[place]!.day, row * size, (row + 1) * size) : '–';
  };
  const rowAt = (row: number, label: string): GridRow => ({
    label,
    isNow: now?.isLabel === true && row === now.row,
    cells: columns.map((_, place) => lines[place]!.get(row) ?? [{ text: emptyText(place, row), ...faint }]),
  });
  const isSame = (row: number, other: number): boolean =>
    ![row, other].some((each) => usedRows.includes(each)) &&
    columns.every((_, place) => emptyText(place, row) === emptyText(place, other));
  const allRows = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const rows = runsOf(allRows, isSame).flatMap((run): GridRow[] => {
    const [from, to] = [run[0]!, run.at(-1)! + 1].map((row) => clockLabel(row * size));
    if (run.length >= longRun) {
      const gap = rowAt(run[0]!, size < hour ? '..' : `${from!.slice(0, 2)}–${to!.slice(0, 2)}`);
      const isBlank = columns.every((_, place) => emptyText(place, run[0]!) === '');
      return [isBlank ? { ...gap, cells: gap.cells.with(0, [{ text: 'nothing', ...faint }]) } : gap];
    }
    return run.map((row) =>
      rowAt(row, now?.isLabel && row === now.row ? `▶${clockOf(agenda, agenda.now)}` : clockLabel(row * size)),
    );
  });
  const heads = columns.map(({ head }): Line => ({ text: head, tone: 'heading' }));
  return drawCells(heads, rows, style.available, style.paint);
};

/** At most this many meetings at the same time are side by side. */
const mostLanes = 4;

/**
 * The columns of a grid, with a column for each of the meetings that overlap as long as that fits. Undefined if not even
 * one for each day or host fits.
 */
export const gridColumns = (columns: readonly AgendaColumn[], available: number): AgendaColumn[] | undefined => {
  for (let most = mostLanes; most >= 1; most -= 1) {
    const split = columns.flatMap((column) => {
      const lanes = lanesOf(column.meetings);
      const count = Math.min(most, 1 + Math.max(0, ...lanes.values()));
      return Array.from({ length: count }, (_, place) => ({
        ...column,
        head: place === 0 ? column.head : '',
        isLane: place > 0,
        meetings: column.meetings.filter((meeting) => Math.min(lanes.get(meeting)!, most - 1) === place),
      }));
    });
    if (cellWidth(available, split.length, labelWidth) >= leastCell) return split;
  }
  return undefined;
};
