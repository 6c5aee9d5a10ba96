import {
  cellWidth,
  drawCells,
  type GridRow,
  type Line,
  leastCell,
  type Mark,
  type PictureStyle,
} from '../../../output/drawing.ts';
import { width, wrap } from '../../../output/width.ts';
import type { Day } from '../../../time/calendar.ts';
import { clockLabel, minute } from '../../../time/wall.ts';
import { type Agenda, clipped, clockOf, isToday, lanesOf, type Meeting, namesOf, workday } from './meetings.ts';

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

export const markOf = ({ color }: Meeting): Mark => ({ glyph: '▎', color });

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
  const people = showsHosts && hosts.length > 0 ? namesOf(meeting) : who;
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
  const add = (row: number, added: readonly Line[]) => lines.set(row, [...(lines.get(row) ?? []), ...added]);
  /** The bars in each row of the meetings that have begun before it, by lane. */
  const bars = new Map<number, Mark[]>();
  const begun: [row: number, lines: Line[]][] = [];
  for (const meeting of meetings) {
    const { start, end } = clipped(meeting, day);
    const [row, ...later] = rowsBetween(agenda, day, start, end, size);
    if (meeting.isCanceled) {
      const texts = meetingLines(agenda, column, meeting, columns);
      begun.push([row!, texts.map((line) => ({ text: `×${line.text}`, ...faint }))]);
      continue;
    }
    const lane = laneOf(meeting);
    const mark = markOf(meeting);
    const running = meetings.filter((other) => !other.isCanceled && other.start <= start && other.end > start);
    const before = Array.from({ length: lane }, (_, place) => {
      const other = running.find((each) => laneOf(each) === place);
      return other === undefined ? blank : markOf(other);
    });
    const marks = [...before, mark];
    begun.push([row!, meetingLines(agenda, column, meeting, columns - lane).map((line) => ({ ...line, marks }))]);
    for (const each of later) {
      const own = [...(bars.get(each) ?? [])];
      own[lane] = mark;
      bars.set(each, own);
    }
  }
  for (const [row, marks] of bars) add(row, [{ text: '', marks: Array.from(marks, (mark) => mark ?? blank) }]);
  for (const [row, own] of begun) add(row, own);
  return lines;
};

/** So many rows without any event become one row. */
const longRun = 3;

/** Width of `▶09:20`. */
const labelWidth = 6;

/** Draws a grid of hours, with the present as the label of its row. */
export const drawHours = (
  agenda: Agenda,
  columns: readonly AgendaColumn[],
  size: number,
  style: PictureStyle,
): string => {
  const today = columns.find(({ day }) => isToday(agenda, day));
  const [nowRow] = today === undefined ? [] : rowsBetween(agenda, today.day, agenda.now, agenda.now, size);
  const columnWidth = cellWidth(style.available, columns.length, labelWidth - (today === undefined ? 1 : 0));
  const lines = columns.map((column) => linesByRow(agenda, column, size, columnWidth));
  const used = [...lines.flatMap((each) => [...each.keys()]), ...(nowRow === undefined ? [] : [nowRow])];
  const first = Math.min(workday[0] / size, ...used);
  const last = Math.max(workday[1] / size - 1, ...used);
  const existing = columns.map(({ day }) => new Set(rowsBetween(agenda, day, day.since, day.until, size)));
  const emptyLine = (place: number, row: number): Line => {
    const text = existing[place]!.has(row) ? '·' : '–';
    return { text: columns[place]!.isLane ? '' : text, ...faint };
  };
  const rowAt = (row: number): GridRow => ({
    label: row === nowRow ? `▶${clockOf(agenda, agenda.now)}` : clockLabel(row * size),
    isNow: row === nowRow,
    cells: columns.map((_, place) => lines[place]!.get(row) ?? [emptyLine(place, row)]),
  });
  const rows: GridRow[] = [];
  for (let row = first; row <= last; row += 1) {
    const next = used.filter((each) => each >= row).reduce((least, each) => Math.min(least, each), last + 1);
    if (next - row >= longRun) {
      rows.push({ label: '…', cells: columns.map(({ isLane }) => [{ text: isLane ? '' : '·', ...faint }]) });
      row = next - 1;
    } else rows.push(rowAt(row));
  }
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
