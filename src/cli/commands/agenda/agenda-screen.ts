import { counted, formatNumber } from '../../../numbers.ts';
import type { BlockStyle } from '../../../output/block.ts';
import { cellWidth, drawCells, type GridRow, type Line, leastCell } from '../../../output/drawing.ts';
import type { Tone } from '../../../output/paint.ts';
import { shorten } from '../../../output/width.ts';
import type { Day } from '../../../time/calendar.ts';
import {
  clockLabel,
  dateLabel,
  dayLabel,
  fullDateLabel,
  hour,
  isoWeek,
  minute,
  monthName,
} from '../../../time/wall.ts';
import {
  type Agenda,
  clipped,
  clockChanges,
  clockOf,
  gapsOf,
  type Host,
  hostsOf,
  inOrder,
  isToday,
  isWithin,
  lengthLabel,
  type Meeting,
  namesOf,
  offsetLabel,
  tallyOf,
} from './meetings.ts';
import { drawMonth } from './month.ts';

/** Days or hosts side by side. */
interface AgendaColumn {
  head: Line;
  day: Day;
  meetings: readonly Meeting[];
  showsHosts: boolean;
}

const titleOf = ({ period, days, zone }: Agenda): string => {
  const [first, last] = [days[0]!.midnight, days.at(-1)!.midnight];
  if (period === 'day') return `${fullDateLabel(first)} (${zone})`;
  const year = new Date(last).getUTCFullYear();
  if (period === 'month') return `${monthName(first)} ${year} (${zone})`;
  const isOneYear = new Date(first).getUTCFullYear() === year;
  const start = isOneYear ? dateLabel(first) : fullDateLabel(first);
  return `Week ${isoWeek(first).week}: ${start} – ${fullDateLabel(last)} (${zone})`;
};

const totalOf = ({ meetings, days }: Agenda): string => {
  const { active, canceled, length } = tallyOf(meetings, days);
  return [
    active === 0 ? 'no events' : `${counted(active, 'event')}, ${lengthLabel(length)}`,
    ...(canceled === 0 ? [] : [`${formatNumber(canceled)} canceled`]),
  ].join(', ');
};

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

const meetingLines = (agenda: Agenda, { day, showsHosts }: AgendaColumn, meeting: Meeting, columns: number): Line[] => {
  const { start } = clipped(meeting, day);
  const mark = meeting.isCanceled ? '×' : '▎';
  const times = `${clockOf(agenda, start)}–${clockOf(agenda, meeting.end)}`;
  const texts = columns >= roomForName ? [`${times} ${meeting.name}`] : [times, meeting.name];
  const hosts = showsHosts && meeting.hosts.length > 0 ? [{ text: `${mark}${namesOf(meeting)}`, ...faint }] : [];
  return [...texts.map((text) => ({ text: `${mark}${text}`, ...(meeting.isCanceled ? faint : {}) })), ...hosts];
};

const faint = { tone: 'faint' } as const;

const linesByRow = (agenda: Agenda, column: AgendaColumn, size: number, columns: number): Map<number, Line[]> => {
  const { day, meetings } = column;
  const lines = new Map<number, Line[]>();
  const add = (row: number, added: readonly Line[]) => lines.set(row, [...(lines.get(row) ?? []), ...added]);
  const bars = new Map<number, number>();
  const begun: { at: number; row: number; lines: Line[] }[] = [];
  for (const meeting of meetings) {
    const { start, end } = clipped(meeting, day);
    const [row, ...later] = rowsBetween(agenda, day, start, end, size);
    begun.push({ at: start, row: row!, lines: meetingLines(agenda, column, meeting, columns) });
    if (!meeting.isCanceled) for (const each of later) bars.set(each, (bars.get(each) ?? 0) + 1);
  }
  if (isToday(agenda, day)) {
    const [row] = rowsBetween(agenda, day, agenda.now, agenda.now, size);
    begun.push({
      at: agenda.now,
      row: row!,
      lines: [{ text: `▶${clockOf(agenda, agenda.now)} now`, tone: 'heading' }],
    });
  }
  for (const [row, count] of bars) add(row, [{ text: '▎'.repeat(Math.min(count, columns)) }]);
  for (const { row, lines: own } of begun.toSorted((a, b) => a.at - b.at)) add(row, own);
  return lines;
};

/** Rows are shown at least from nine to five. */
const workday = [9 * hour, 17 * hour] as const;

/** So many rows without any event become one row. */
const longRun = 3;

const drawHours = (agenda: Agenda, columns: readonly AgendaColumn[], size: number, style: BlockStyle): string => {
  const width = cellWidth(style.available, columns.length, labelWidth);
  const lines = columns.map((column) => linesByRow(agenda, column, size, width));
  const used = lines.flatMap((each) => [...each.keys()]);
  const first = Math.min(workday[0] / size, ...used);
  const last = Math.max(workday[1] / size - 1, ...used);
  const existing = columns.map(({ day }) => new Set(rowsBetween(agenda, day, day.since, day.until, size)));
  const emptyLine = (place: number, row: number): Line => ({
    text: existing[place]!.has(row) ? '·' : '–',
    tone: 'faint',
  });
  const rowAt = (row: number): GridRow => ({
    label: clockLabel(row * size),
    cells: columns.map((_, place) => lines[place]!.get(row) ?? [emptyLine(place, row)]),
  });
  const rows: GridRow[] = [];
  for (let row = first; row <= last; row += 1) {
    const next = used.filter((each) => each >= row).reduce((least, each) => Math.min(least, each), last + 1);
    if (next - row >= longRun) {
      rows.push({ label: '…', cells: columns.map(() => [{ text: '·', tone: 'faint' }]) });
      row = next - 1;
    } else rows.push(rowAt(row));
  }
  const heads = columns.map(({ head }) => head);
  return drawCells(heads, rows, style.available, style.paint);
};

/** Width of `09:00`. */
const labelWidth = 5;

const fits = (available: number, columns: number): boolean => cellWidth(available, columns, labelWidth) >= leastCell;

const dayColumns = (agenda: Agenda): AgendaColumn[] =>
  agenda.days.map((day) => ({
    head: { text: `${dayLabel(day.midnight)}${isToday(agenda, day) ? ' today' : ''}`, tone: 'heading' },
    day,
    meetings: inOrder(agenda.meetings.filter((meeting) => isWithin(meeting, day))),
    showsHosts: agenda.isShared,
  }));

const hostColumns = (agenda: Agenda, hosts: readonly Host[]): AgendaColumn[] =>
  hosts.map(({ key, name }) => ({
    head: { text: name, tone: 'heading' },
    day: agenda.days[0]!,
    meetings: inOrder(agenda.meetings.filter((meeting) => meeting.hosts.some((host) => host.key === key))),
    showsHosts: false,
  }));

/** A remark on a meeting that is canceled, that begins or ends on another day, or whose time occurs twice. */
const remarkOf = (agenda: Agenda, meeting: Meeting, day: Day): string => {
  const { since, until } = day;
  const remarks = [
    ...[offsetLabel(agenda, day, meeting.start)].filter((text) => text !== undefined),
    ...(meeting.isCanceled ? ['canceled'] : []),
    ...(meeting.start < since ? [`from ${clockOf(agenda, meeting.start)} the day before`] : []),
    ...(meeting.end > until ? [`until ${clockOf(agenda, meeting.end)}`] : []),
  ];
  return remarks.length === 0 ? '' : ` (${remarks.join(', ')})`;
};

/** The end of a part of a day. Midnight is the end of the day, not its beginning. */
const endClock = (agenda: Agenda, at: number, { until }: Day): string => (at >= until ? '24:00' : clockOf(agenda, at));

/** Time without events. The people of an organization can have other things to do, so it is not called free. */
const freeWord = (isShared: boolean): string => (isShared ? 'no events' : 'free');

/** The lines of one column as a list: meetings, free times between them, and the present. */
const listLines = (agenda: Agenda, { day, meetings, showsHosts }: AgendaColumn, style: BlockStyle): string[] => {
  const { paint, available } = style;
  const shown: { at: number; text: string; tone?: Tone }[] = meetings.map((meeting) => {
    const { start, end } = clipped(meeting, day);
    const times = `${clockOf(agenda, start)}–${endClock(agenda, end, day)}`;
    const hosts = showsHosts && meeting.hosts.length > 0 ? ` · ${namesOf(meeting)}` : '';
    const remark = remarkOf(agenda, meeting, day);
    return {
      at: start,
      text: `${meeting.isCanceled ? '×' : '▎'} ${times}  ${meeting.name}${remark}${hosts}`,
      ...(meeting.isCanceled ? { tone: 'faint' as const } : {}),
    };
  });
  for (const { start, end } of gapsOf(meetings, day)) {
    const times = `${clockOf(agenda, start)}–${clockOf(agenda, end)}`;
    const text = `· ${times}  ${freeWord(showsHosts)}, ${lengthLabel(end - start)}`;
    shown.push({ at: start, text, tone: 'faint' });
  }
  if (isToday(agenda, day))
    shown.push({ at: agenda.now, text: `▶ ${clockOf(agenda, agenda.now)}        now`, tone: 'heading' });
  return shown
    .toSorted((a, b) => a.at - b.at)
    .map(({ text, tone }) => {
      const line = shorten(text, available - 2);
      return `  ${tone === undefined ? line : paint[tone](line)}`;
    });
};

const drawList = (
  agenda: Agenda,
  columns: readonly AgendaColumn[],
  heads: readonly string[],
  style: BlockStyle,
): string =>
  columns
    .flatMap((column, place) => {
      const isFree = column.meetings.every(({ isCanceled }) => isCanceled);
      const free = isFree ? `  ${freeWord(column.showsHosts)}` : '';
      const head = shorten(heads[place]!, Math.max(1, style.available - free.length));
      return [`${style.paint.heading(head)}${style.paint.faint(free)}`, ...listLines(agenda, column, style)];
    })
    .map((line) => `${line}\n`)
    .join('');

const bodyOf = (agenda: Agenda, style: BlockStyle): string => {
  const { period, days, meetings, isShared } = agenda;
  const { available } = style;
  if (period === 'month') return drawMonth(agenda, style);
  const hosts = period === 'day' && isShared ? hostsOf(agenda) : [];
  if (hosts.length > 0) {
    const columns = hostColumns(agenda, hosts);
    const heads = hosts.map(({ name }) => name);
    if (fits(available, columns.length)) return drawHours(agenda, columns, hour / 2, style);
    return drawList(agenda, columns, heads, style);
  }
  const columns = dayColumns(agenda);
  if (period === 'week' && meetings.length > 0 && fits(available, columns.length))
    return drawHours(agenda, columns, hour, style);
  const heads = days.map((day) => `${dateLabel(day.midnight)}${isToday(agenda, day) ? ', today' : ''}`);
  return drawList(agenda, columns, heads, style);
};

/** Draws an agenda for a terminal: a title, the calendar, and notes on days with a clock change. */
export const drawAgenda = (agenda: Agenda, style: BlockStyle): string => {
  const { paint, available } = style;
  const title = `${paint.heading(shorten(titleOf(agenda), available))}\n${shorten(totalOf(agenda), available)}\n\n`;
  const changes = clockChanges(agenda).map((text) => `${paint.faint(shorten(text, available))}\n`);
  return `${title}${bodyOf(agenda, style)}${changes.length === 0 ? '' : `\n${changes.join('')}`}`;
};
