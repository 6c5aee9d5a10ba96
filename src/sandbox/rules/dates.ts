import type { Catalogue } from '../../api/catalogue.ts';
import type { Value } from '../../api/field.ts';
import { day } from '../../base/milliseconds.ts';
import { type Detail, detail } from '../error-replies.ts';
import { timestamp } from '../store/names.ts';
import { localTime } from './local-time.ts';

type DateSetting = Value<Catalogue['one-offs']['create']['body']>['date_setting'];

/** When a one-off meeting can be booked, as stored: single spots, or whole days in a time zone. */
export type Dates =
  | { kind: 'spots'; spots: Array<{ from: number; to: number }> }
  | { kind: 'days'; timezone: string; first: string; last: string; onlyWeekdays: boolean };

/** Upper limit for days ahead: keeps years at four digits. */
const centuryDays = 36_500;

/**
 * Assumed (one-offs.days): the days in the future of a one-off meeting count from the day the link is created, that day
 * included.
 */
export const datesOf = (setting: DateSetting, timezone: string, now: number): Dates => {
  if (setting.type === 'spots') {
    const spots = setting.spots.map((spot) => ({ from: Date.parse(spot.start_time), to: Date.parse(spot.end_time) }));
    return { kind: 'spots', spots };
  }
  if (setting.type === 'date_range')
    return { kind: 'days', timezone, first: setting.start_date, last: setting.end_date, onlyWeekdays: false };
  const first = localTime(timezone, now).date;
  // Counts calendar days: a day with a clock change has 23 or 25 hours.
  const last = Date.parse(first) + Math.min(setting.days, centuryDays) * day;
  return {
    kind: 'days',
    timezone,
    first,
    last: timestamp(last).slice(0, 10),
    onlyWeekdays: setting.only_weekdays ?? false,
  };
};

/**
 * Assumed (one-offs.past): a spot of a one-off meeting must be in the future and long enough for the meeting; a date
 * range may have started, but not ended.
 */
export const invalidDates = (dates: Dates, duration: number, now: number): Detail[] => {
  if (dates.kind === 'days')
    return dates.last < localTime(dates.timezone, now).date
      ? [detail('date_setting.end_date', 'must not be in the past', 'past')]
      : [];
  return dates.spots.flatMap(({ from, to }, index) => {
    const spot = `date_setting.spots[${index}]`;
    const details: Detail[] = [];
    if (from <= now) details.push(detail(`${spot}.start_time`, 'must be in the future', 'past'));
    if (to - from < duration * 60_000)
      details.push(detail(`${spot}.end_time`, `must be at least ${duration} minutes after start_time`, 'too_short'));
    return details;
  });
};

export const isWithin = (dates: Dates, start: number, end: number): boolean => {
  if (dates.kind === 'spots') return dates.spots.some(({ from, to }) => from <= start && end <= to);
  const { date, weekday } = localTime(dates.timezone, start);
  const isWeekend = weekday === 'saturday' || weekday === 'sunday';
  return dates.first <= date && date <= dates.last && !(dates.onlyWeekdays && isWeekend);
};
