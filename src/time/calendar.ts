import { day } from '../base/milliseconds.ts';
import type { Span } from './slots.ts';
import { daysIn, mondayOf } from './wall.ts';
import { edgeOfDay } from './zoned.ts';

export const periods = ['day', 'week', 'month'] as const;
export type Period = (typeof periods)[number];

/** A day of a zone. It can have 23 or 25 hours, and one that a zone left out has none. */
export interface Day {
  /** Its midnight as a wall-clock time. */
  midnight: number;
  since: number;
  /** The first instant after it. */
  until: number;
}

export const dayAt = (midnight: number, zone: string): Day => {
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
  return Array.from({ length: count }, (_, index) => dayAt(first + index * day, zone));
};

/** The part of a span that is within a day. */
export const clipped = ({ start, end }: Span, { since, until }: Day): Span => ({
  start: Math.max(start, since),
  end: Math.min(end, until),
});
