import { hour } from '../../base/milliseconds.ts';
import { type Line, type PictureStyle, paintedLine } from '../../output/drawing.ts';
import { headingLines } from '../../output/heading.ts';
import { pad, shorten, width, wrap } from '../../output/width.ts';
import { datesText } from '../../time/availability-rules.ts';
import { clipped, type Day } from '../../time/calendar.ts';
import { dateText, runsOf } from '../../time/days.ts';
import { dayText } from '../../time/label.ts';
import type { Span } from '../../time/slots.ts';
import { dayLabel, isoWeek, monthName, weekdayName, weekdayOf } from '../../time/wall.ts';
import { type AgendaColumn, drawHours, gridColumns, meetingMark } from './hours-grid.ts';
import {
  type Agenda,
  agendaHosts,
  clockChanges,
  clockOf,
  closedWord,
  endClock,
  type Host,
  hostNamesText,
  inTimeOrder,
  isOnDay,
  isOver,
  isToday,
  lengthLabel,
  type Meeting,
  offsetLabel,
  tallyOn,
  tallyText,
} from './meetings.ts';
import { drawMonth } from './month-grid.ts';

const faint = { tone: 'faint' } as const;

/** `Mon 16 Nov, today` */
const dayTitle = (agenda: Agenda, day: Day): string =>
  `${dayText(day.midnight, agenda.wallAt(agenda.now))}${isToday(agenda, day) ? ', today' : ''}`;

const agendaTitle = (agenda: Agenda): string => {
  const { period, days, now, wallAt } = agenda;
  const [first, last] = [days[0]!.midnight, days.at(-1)!.midnight];
  return {
    day: dayTitle(agenda, days[0]!),
    week: `Week ${isoWeek(first).week}: ${datesText(dateText(first), dateText(last), dateText(wallAt(now)))}`,
    month: `${monthName(first)} ${new Date(last).getUTCFullYear()}`,
  }[period];
};

const dayColumns = (agenda: Agenda): AgendaColumn[] =>
  agenda.days.map((day) => ({
    head: `${dayLabel(day.midnight)}${isToday(agenda, day) ? ' today' : ''}${closedWord(agenda, day) === 'day off' ? ' off' : ''}`,
    title: dayTitle(agenda, day),
    day,
    meetings: inTimeOrder(agenda.meetings.filter((meeting) => isOnDay(meeting, day))),
    showsHosts: agenda.isShared,
  }));

const hostColumns = (agenda: Agenda, hosts: readonly Host[]): AgendaColumn[] =>
  hosts.map(({ key, name }) => ({
    head: name,
    title: name,
    day: agenda.days[0]!,
    meetings: inTimeOrder(agenda.meetings.filter((meeting) => meeting.hosts.some((host) => host.key === key))),
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

/** `09:00–12:30, 13:00–17:00` */
const spansText = (agenda: Agenda, spans: readonly Span[], day: Day): string =>
  spans.map(({ start, end }) => `${clockOf(agenda, start)}–${endClock(agenda, end, day)}`).join(', ');

/** A narrower list says only `!` of a meeting on a day off. */
const roomForRemark = 50;

/** The lines of one column as a list: meetings, and the open times between them. */
const listLines = (
  agenda: Agenda,
  { day, meetings, showsHosts }: AgendaColumn,
  available: number,
): { at: number; line: Line }[] => {
  const isOff = closedWord(agenda, day) === 'day off';
  const onDayOff = available < roomForRemark ? '  !' : '  ! on a day off';
  const lines = meetings.map((meeting) => {
    const { start } = clipped(meeting, day);
    const people = showsHosts && meeting.hosts.length > 0 ? hostNamesText(meeting) : meeting.who;
    const who = people === undefined ? '' : ` · ${people}`;
    const warning = isOff && !meeting.isCanceled ? onDayOff : '';
    const times = spansText(agenda, [clipped(meeting, day)], day);
    const text = ` ${times}  ${meeting.name}${remarkOf(agenda, meeting, day)}${who}`;
    const line = meeting.isCanceled
      ? { text: `×${text}`, ...faint }
      : { text: `${shorten(text, available - 1 - width(warning))}${warning}`, marks: [meetingMark(meeting)] };
    return { at: start, line };
  });
  if (isEmpty(meetings)) return lines;
  const open = (agenda.open?.openOn(day) ?? []).map((span) => ({
    at: span.start,
    line: { text: `  ${spansText(agenda, [span], day)}  open`, ...faint },
  }));
  return [...lines, ...open];
};

const isEmpty = (meetings: readonly Meeting[]): boolean => meetings.every(({ isCanceled }) => isCanceled);

/** What a day's heading says of it: that it is closed or empty, or its hours. */
const dayNote = (agenda: Agenda, { day, meetings }: AgendaColumn): string => {
  const closed = closedWord(agenda, day);
  if (closed !== undefined) return closed;
  const [hours, open] = isOver(agenda, day) ? [] : [agenda.open?.hoursOn(day), agenda.open?.openOn(day)];
  if (open !== undefined && open.length > 0 && isEmpty(meetings)) return `open ${spansText(agenda, open, day)}`;
  if (hours !== undefined) return `hours ${spansText(agenda, hours, day)}`;
  return meetings.length === 0 ? 'no events' : '';
};

/** Width of `Wed 18 Nov`. */
const headWidth = 10;

/** A heading for each column with its lines. The present is in the first list of today. */
const drawList = (agenda: Agenda, columns: readonly AgendaColumn[], { paint, available }: PictureStyle): string => {
  const today = columns.find(({ day }) => isToday(agenda, day));
  const text = `▶ ${clockOf(agenda, agenda.now)}        now`;
  const now: { at: number; line: Line } = { at: agenda.now, line: { text, tone: 'heading' } };
  /** Days in a row about which there is nothing else to say. */
  const runs = runsOf(
    columns,
    (column, before) =>
      agenda.period === 'week' &&
      [column, before].every((each) => each.meetings.length === 0 && each !== today) &&
      dayNote(agenda, column) === dayNote(agenda, before),
  );
  const shortName = ({ day }: AgendaColumn): string => weekdayName(day.midnight).slice(0, 3);
  return runs
    .flatMap((run) => {
      const [column, last] = [run[0]!, run.at(-1)!];
      const title = column === last ? column.title : [column, last].map(shortName).join(run.length > 2 ? '–' : ', ');
      const note = dayNote(agenda, column);
      const isInTitle = column.title === agendaTitle(agenda);
      const head = shorten(title, available);
      const isBeside = !isInTitle && Math.max(width(head), headWidth) + 3 + width(note) <= available;
      const paintHead = isOver(agenda, last.day) ? paint.faint : paint.heading;
      const lines = [...listLines(agenda, column, available - 2), ...(column === today ? [now] : [])].toSorted(
        (a, b) => a.at - b.at,
      );
      return [
        ...(isInTitle
          ? []
          : [
              `${paintHead(note === '' || !isBeside ? head : pad(head, headWidth))}${isBeside && note !== '' ? paint.faint(`   ${note}`) : ''}`,
            ]),
        ...(isBeside || note === '' ? [] : wrap(note, available - 2).map((each) => `  ${paint.faint(each)}`)),
        ...lines.map(({ line }) => `  ${paintedLine(line, available - 2, paint)}`),
      ];
    })
    .map((line) => `${line}\n`)
    .join('');
};

const isWeekend = ({ midnight }: Day): boolean => [0, 6].includes(weekdayOf(midnight));

/** A week as a grid, without the days of the weekend that are empty. Undefined if it doesn't fit. */
const drawWeek = (agenda: Agenda, columns: readonly AgendaColumn[], style: PictureStyle): string | undefined => {
  const isLeftOut = ({ day, meetings }: AgendaColumn) =>
    isWeekend(day) && meetings.length === 0 && !isToday(agenda, day);
  const grid = gridColumns(
    columns.filter((column) => !isLeftOut(column)),
    style.available,
  );
  if (grid === undefined) return undefined;
  const others = columns.filter(isLeftOut).map(({ day }) => dayLabel(day.midnight));
  const legend = agenda.days.some((day) => (agenda.open?.openOn(day) ?? []).length > 0) ? ['· open'] : [];
  const notes = [...legend, ...(others.length === 0 ? [] : [`No events on ${others.join(' and ')}`])].join('    ');
  const note = notes === '' ? '' : `\n${style.paint.faint(shorten(notes, style.available))}\n`;
  return `${drawHours(agenda, grid, hour, style)}${note}`;
};

const agendaBody = (agenda: Agenda, style: PictureStyle): string => {
  const { period, meetings, isShared } = agenda;
  if (period === 'month') {
    const isUsed = ({ meetings: own, day }: AgendaColumn) => own.length > 0 || isToday(agenda, day);
    return drawMonth(agenda, style) ?? drawList(agenda, dayColumns(agenda).filter(isUsed), style);
  }
  const hosts = period === 'day' && isShared ? agendaHosts(agenda) : [];
  if (hosts.length > 0) {
    const columns = hostColumns(agenda, hosts);
    const grid = gridColumns(columns, style.available);
    return grid === undefined ? drawList(agenda, columns, style) : drawHours(agenda, grid, hour / 2, style);
  }
  const columns = dayColumns(agenda);
  const week = period === 'week' && meetings.length > 0 ? drawWeek(agenda, columns, style) : undefined;
  return week ?? drawList(agenda, columns, style);
};

/** Draws an agenda for a terminal: a title, the calendar, and notes on days with a clock change. */
export const drawAgenda = (agenda: Agenda, style: PictureStyle): string => {
  const { paint, available } = style;
  const total = shorten(tallyText(tallyOn(agenda, agenda.days), lengthLabel), available);
  const title = [...headingLines(agendaTitle(agenda), [agenda.zone], style), total, '', ''].join('\n');
  const changes = clockChanges(agenda).map((text) => `${paint.faint(shorten(text, available))}\n`);
  return `${title}${agendaBody(agenda, style)}${changes.length === 0 ? '' : `\n${changes.join('')}`}`;
};
