import { day as dayLength } from '../../base/milliseconds.ts';
import { cellWidth, drawCells, type Line, levelOf, type Mark, type PictureStyle } from '../../output/drawing.ts';
import type { Day } from '../../time/calendar.ts';
import { weekdayName, weekdayOf } from '../../time/wall.ts';
import { type Agenda, isToday, lengthLabel, type MeetingTally, tallyOn } from './meetings.ts';

/** A cell of a month at least this wide has room for a word, and one for the length of its events. */
const roomForWord = 9;
const roomForLength = 12;

/** The most events of a day. Three are many in any month. */
const mostOf = (agenda: Agenda): number => Math.max(3, ...agenda.days.map((day) => tallyOn(agenda, [day]).active));

/** The load of a day. The fullest ones stand out. */
const levels = '▂▅█';
const loads = ['faint', 'done', 'warning'] as const;

/** How many events a day has, as a mark and a number, and how many were canceled: `▅ 2 ×1`. */
const heatLines = ({ active, canceled }: MeetingTally, most: number, columns: number): Line[] => {
  const off: Line[] = canceled === 0 ? [] : [{ text: `×${canceled}`, tone: 'faint' }];
  if (active === 0) return off.length === 0 ? [free] : off;
  const gap = columns < roomForWord ? '' : ' ';
  const text = `${gap}${active}`;
  const both = [text, ...off.map((line) => line.text)].join(gap);
  const glyph = levelOf(active, most, levels);
  const marks: Mark[] = [{ glyph, tone: loads[levels.indexOf(glyph)]! }];
  return both.length < columns ? [{ marks, text: both }] : [{ marks, text }, ...off];
};

const free: Line = { text: '·', tone: 'faint' };

const monthCell = (agenda: Agenda, day: Day, most: number, columns: number): Line[] => {
  const tally = tallyOn(agenda, [day]);
  const isWeekend = [0, 6].includes(weekdayOf(day.midnight));
  const today = isToday(agenda, day) ? (columns >= roomForWord ? ' ▶today' : '▶') : '';
  return [
    { text: `${new Date(day.midnight).getUTCDate()}${today}`, tone: isWeekend && today === '' ? 'faint' : 'heading' },
    ...heatLines(tally, most, columns),
    ...(tally.active > 0 && columns >= roomForLength
      ? [{ text: lengthLabel(tally.length), tone: 'faint' as const }]
      : []),
  ];
};

/** The narrowest cell of a month that shows its day and a number. */
const leastMonthCell = 3;

/** A month as a grid of days. Undefined if it doesn't fit. */
export const drawMonth = (agenda: Agenda, style: PictureStyle): string | undefined => {
  const { days } = agenda;
  const columns = cellWidth(style.available, 7);
  if (columns < leastMonthCell) return undefined;
  const most = mostOf(agenda);
  const blank = (count: number): Line[][] => Array.from({ length: count }, () => []);
  const cells = [
    ...blank((weekdayOf(days[0]!.midnight) + 6) % 7),
    ...days.map((day) => monthCell(agenda, day, most, columns)),
  ];
  const weeks = Array.from({ length: Math.ceil(cells.length / 7) }, (_, week) => cells.slice(week * 7, week * 7 + 7));
  const monday = Date.UTC(1970, 0, 5);
  const head = Array.from({ length: 7 }, (_, index): Line => {
    const name = weekdayName(monday + index * dayLength);
    return { text: name.slice(0, columns < 4 ? 2 : 3), tone: index < 5 ? 'heading' : 'faint' };
  });
  // Cells with several lines need some space between the weeks.
  const between = columns >= roomForWord ? [{ label: '', cells: blank(7) }] : [];
  const rows = weeks.flatMap((week, index) => [
    ...(index === 0 ? [] : between),
    { label: '', cells: [...week, ...blank(7 - week.length)] },
  ]);
  return drawCells(head, rows, style.available, style.paint);
};
