import { counted } from '../../../numbers.ts';
import type { BlockStyle } from '../../../output/block.ts';
import { cellWidth, drawCells, type Line } from '../../../output/drawing.ts';
import { shorten } from '../../../output/width.ts';
import type { Day } from '../../../time/calendar.ts';
import { dateLabel, day as dayLength, weekdayName, weekdayOf } from '../../../time/wall.ts';
import { type Agenda, isToday, lengthLabel, tallyOf } from './meetings.ts';

/** A cell of a month at least this wide has room for words, not only for numbers. */
const roomForWords = 9;

const monthCell = (agenda: Agenda, day: Day, columns: number): Line[] => {
  const { active, canceled, length } = tallyOf(agenda.meetings, [day]);
  const hasWords = columns >= roomForWords;
  const date = `${new Date(day.midnight).getUTCDate()}${isToday(agenda, day) ? (hasWords ? ' ▶today' : '▶') : ''}`;
  if (!hasWords) return [{ text: date, tone: 'heading' }, active === 0 ? free : { text: String(active) }];
  return [
    { text: date, tone: 'heading' },
    active === 0 ? free : { text: counted(active, 'event') },
    ...(active === 0 ? [] : [{ text: lengthLabel(length).replace(' h', 'h').replace(' min', 'm') }]),
    ...(canceled === 0 ? [] : [{ text: `×${canceled}${columns > 10 ? ' canceled' : ''}`, tone: 'faint' as const }]),
  ];
};

const free: Line = { text: '·', tone: 'faint' };

const drawGridOf = (agenda: Agenda, style: BlockStyle): string => {
  const { days } = agenda;
  const columns = cellWidth(style.available, 7);
  const blank = (count: number): Line[][] => Array.from({ length: count }, () => []);
  const cells = [
    ...blank((weekdayOf(days[0]!.midnight) + 6) % 7),
    ...days.map((day) => monthCell(agenda, day, columns)),
  ];
  const weeks = Array.from({ length: Math.ceil(cells.length / 7) }, (_, week) => cells.slice(week * 7, week * 7 + 7));
  const monday = Date.UTC(1970, 0, 5);
  const head = Array.from({ length: 7 }, (_, index): Line => {
    const name = weekdayName(monday + index * dayLength);
    return { text: name.slice(0, columns < 4 ? 2 : 3), tone: 'heading' };
  });
  // Cells with several lines need some space between the weeks.
  const between = columns >= roomForWords ? [{ label: '', cells: blank(7) }] : [];
  const rows = weeks.flatMap((week, index) => [
    ...(index === 0 ? [] : between),
    { label: '', cells: [...week, ...blank(7 - week.length)] },
  ]);
  return drawCells(head, rows, style.available, style.paint);
};

/** The narrowest cell of a month that shows its day and a number. */
const leastMonthCell = 3;

/** One line for each day with events, for a terminal that is too narrow for the grid of a month. */
const listMonth = (agenda: Agenda, { paint, available }: BlockStyle): string =>
  agenda.days
    .map((day) => ({ day, own: tallyOf(agenda.meetings, [day]) }))
    .filter(({ day, own }) => own.active + own.canceled > 0 || isToday(agenda, day))
    .map(({ day, own: { active, canceled } }) => {
      const text = `${dateLabel(day.midnight)}  ${active}${canceled > 0 ? ` ×${canceled}` : ''}`;
      const line = shorten(`${text}${isToday(agenda, day) ? ' ▶' : ''}`, available);
      return `${active === 0 ? paint.faint(line) : line}\n`;
    })
    .join('');

/** A month as a grid of days, or as a list where a grid doesn't fit. */
export const drawMonth = (agenda: Agenda, style: BlockStyle): string =>
  cellWidth(style.available, 7) < leastMonthCell ? listMonth(agenda, style) : drawGridOf(agenda, style);
