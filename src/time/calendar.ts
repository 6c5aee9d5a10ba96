import { day, daysIn, mondayOf, months, weekdayNames, weekdayOf } from './wall.ts';
import { edgeOfDay } from './zoned.ts';

export const periods = ['day', 'week', 'month'] as const;
export type Period = (typeof periods)[number];

/** A day of a zone. It can have 23 or 25 hours, and one that a zone left out has none. */
export interface Day {
  /** Its midnight as a wall-clock time. */
  midnight: number;
  /** Its first instant. */
  since: number;
  /** The first instant after it. */
  until: number;
}

const dayOf = (midnight: number, zone: string): Day => {
  const edge = (which: 'since' | 'until'): number => {
    const meaning = edgeOfDay(midnight, zone, which);
    return meaning.kind === 'one' ? meaning.at : meaning.later;
  };
  return { midnight, since: edge('since'), until: edge('until') };
};

/** The days of the day, week or month that contains a day. */
export const daysOf = (midnight: number, period: Period, zone: string): Day[] => {
  const date = new Date(midnight);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const [first, count] = {
    day: [midnight, 1] as const,
    week: [mondayOf(midnight), 7] as const,
    month: [Date.UTC(year, month, 1), daysIn(year, month + 1)] as const,
  }[period];
  return Array.from({ length: count }, (_, index) => dayOf(first + index * day, zone));
};

/** The number of a week and the year it belongs to (ISO 8601: the year of its Thursday). */
export const isoWeek = (midnight: number): { year: number; week: number } => {
  const thursday = mondayOf(midnight) + 3 * day;
  const year = new Date(thursday).getUTCFullYear();
  return { year, week: 1 + Math.floor((thursday - Date.UTC(year, 0, 1)) / (7 * day)) };
};

export const weekdayName = (wall: number): string => weekdayNames[weekdayOf(wall)]!;

export const monthName = (wall: number): string => months[new Date(wall).getUTCMonth()]!;

/** `Mon 16` */
export const dayLabel = (wall: number): string => `${weekdayName(wall).slice(0, 3)} ${new Date(wall).getUTCDate()}`;

/** `Mon 16 Nov` */
export const dateLabel = (wall: number): string => `${dayLabel(wall)} ${monthName(wall).slice(0, 3)}`;

/** `Mon 16 Nov 2026` */
export const fullDateLabel = (wall: number): string => `${dateLabel(wall)} ${new Date(wall).getUTCFullYear()}`;

/** `Monday 16 November 2026`, for screen readers. */
export const spokenDate = (wall: number): string =>
  `${weekdayName(wall)} ${new Date(wall).getUTCDate()} ${monthName(wall)} ${new Date(wall).getUTCFullYear()}`;

/** `09:30` */
export const clockLabel = (wall: number): string => new Date(wall).toISOString().slice(11, 16);
