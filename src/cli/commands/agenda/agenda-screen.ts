import { type Line, type PictureStyle, paintedLine, pictureTitle } from '../../../output/drawing.ts';
import { shorten } from '../../../output/width.ts';
import type { Day } from '../../../time/calendar.ts';
import { dayText } from '../../../time/label.ts';
import { dayLabel, hour, isoWeek, monthName, weekdayOf } from '../../../time/wall.ts';
import { type AgendaColumn, drawHours, gridColumns, markOf } from './hours-grid.ts';
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
  tallyOn,
  tallyText,
} from './meetings.ts';
import { drawMonth } from './month.ts';

const faint = { tone: 'faint' } as const;

/** `Mon 16 Nov, today` */
const dayTitle = (agenda: Agenda, day: Day): string =>
  `${dayText(day.midnight, agenda.wallAt(agenda.now))}${isToday(agenda, day) ? ', today' : ''}`;

const titleOf = (agenda: Agenda): string => {
  const { period, days, now, wallAt } = agenda;
  const [first, last] = [days[0]!.midnight, days.at(-1)!.midnight];
  const label = (midnight: number): string => dayText(midnight, wallAt(now));
  return {
    day: dayTitle(agenda, days[0]!),
    week: `Week ${isoWeek(first).week}: ${label(first)} – ${label(last)}`,
    month: `${monthName(first)} ${new Date(last).getUTCFullYear()}`,
  }[period];
};

const dayColumns = (agenda: Agenda): AgendaColumn[] =>
  agenda.days.map((day) => ({
    head: `${dayLabel(day.midnight)}${isToday(agenda, day) ? ' today' : ''}`,
    title: dayTitle(agenda, day),
    day,
    meetings: inOrder(agenda.meetings.filter((meeting) => isWithin(meeting, day))),
    showsHosts: agenda.isShared,
  }));

const hostColumns = (agenda: Agenda, hosts: readonly Host[]): AgendaColumn[] =>
  hosts.map(({ key, name }) => ({
    head: name,
    title: name,
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

/** The lines of one column as a list: meetings and free times. */
const listLines = (agenda: Agenda, { day, meetings, showsHosts }: AgendaColumn): { at: number; line: Line }[] => [
  ...meetings.map((meeting) => {
    const { start, end } = clipped(meeting, day);
    const times = `${clockOf(agenda, start)}–${endClock(agenda, end, day)}`;
    const people = showsHosts && meeting.hosts.length > 0 ? namesOf(meeting) : meeting.who;
    const who = people === undefined ? '' : ` · ${people}`;
    const text = ` ${times}  ${meeting.name}${remarkOf(agenda, meeting, day)}${who}`;
    const line = meeting.isCanceled ? { text: `×${text}`, ...faint } : { text, marks: [markOf(meeting)] };
    return { at: start, line };
  }),
  ...gapsOf(agenda, meetings, day).map(({ start, end }) => {
    const times = `${clockOf(agenda, start)}–${clockOf(agenda, end)}`;
    return { at: start, line: { text: `· ${times}  ${freeWord(showsHosts)}, ${lengthLabel(end - start)}`, ...faint } };
  }),
];

/** A heading for each column with its lines. The present is in the first list of today. */
const drawList = (agenda: Agenda, columns: readonly AgendaColumn[], { paint, available }: PictureStyle): string => {
  const today = columns.find(({ day }) => isToday(agenda, day));
  const text = `▶ ${clockOf(agenda, agenda.now)}        now`;
  const now: { at: number; line: Line } = { at: agenda.now, line: { text, tone: 'heading' } };
  return columns
    .flatMap((column) => {
      const isFree = column.meetings.every(({ isCanceled }) => isCanceled);
      const free = isFree ? `  ${freeWord(column.showsHosts)}` : '';
      const head = shorten(column.title, Math.max(1, available - free.length));
      const lines = [...listLines(agenda, column), ...(column === today ? [now] : [])].toSorted((a, b) => a.at - b.at);
      const isInTitle = column.title === titleOf(agenda);
      return [
        ...(isInTitle ? [] : [`${paint.heading(head)}${paint.faint(free)}`]),
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
  const note = others.length === 0 ? '' : `\n${style.paint.faint(`No events on ${others.join(' and ')}`)}\n`;
  return `${drawHours(agenda, grid, hour, style)}${note}`;
};

const bodyOf = (agenda: Agenda, style: PictureStyle): string => {
  const { period, meetings, isShared } = agenda;
  if (period === 'month') {
    const isUsed = ({ meetings: own, day }: AgendaColumn) => own.length > 0 || isToday(agenda, day);
    return drawMonth(agenda, style) ?? drawList(agenda, dayColumns(agenda).filter(isUsed), style);
  }
  const hosts = period === 'day' && isShared ? hostsOf(agenda) : [];
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
  const title = `${pictureTitle(titleOf(agenda), agenda.zone, style)}${total}\n\n`;
  const changes = clockChanges(agenda).map((text) => `${paint.faint(shorten(text, available))}\n`);
  return `${title}${bodyOf(agenda, style)}${changes.length === 0 ? '' : `\n${changes.join('')}`}`;
};
