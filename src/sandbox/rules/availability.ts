import type { AvailabilityRule, AvailabilitySchedule } from '../../api/availability.ts';
import type { Value } from '../../api/field.ts';
import { weekdays } from '../../api/weekdays.ts';
import { day as dayLength, minute } from '../../base/milliseconds.ts';
import { type Detail, detail } from '../error-replies.ts';
import { uri } from '../store/names.ts';
import type { UserRecord } from '../store/records.ts';
import { localTime } from './local-time.ts';

export type Rule = Value<typeof AvailabilityRule>;

export type Interval = Rule['intervals'][number];

/** When a host can be booked for an event type. */
export type Schedule = Value<typeof AvailabilitySchedule.record>;

const workdays = weekdays.slice(0, 5);

/** Default hours of a host: weekdays nine to five with a break, with one day off before and one after the seed date. */
const workingHours = (timezone: string, seededAt: number): Rule[] => {
  const intervals = [
    { from: '09:00', to: '12:30' },
    { from: '13:00', to: '17:00' },
  ];
  const daysOff = [-16, 12].map((days) => localTime(timezone, seededAt + days * dayLength).date);
  return [
    ...workdays.map((wday): Rule => ({ type: 'wday', wday, intervals })),
    ...daysOff.map((date): Rule => ({ type: 'date', date, intervals: [] })),
  ];
};

export const newSchedule = (id: string, { uri: user, timezone }: UserRecord, seededAt: number): Schedule => ({
  uri: uri('event_type_availability_schedules', id),
  default: true,
  name: 'Working hours',
  user,
  timezone,
  rules: workingHours(timezone, seededAt),
});

/**
 * Assumed (availability.one-rule): each day has at most one availability rule, and its intervals don't overlap; they
 * may touch.
 */
export const invalidRules = (rules: readonly Rule[], path: string): Detail[] => {
  const seen = new Set<string>();
  return rules.flatMap((rule, index) => {
    const details: Detail[] = [];
    const [field, day] = rule.type === 'wday' ? ['wday', rule.wday] : ['date', rule.date];
    if (seen.has(day)) details.push(detail(`${path}[${index}].${field}`, `has more than one rule: ${day}`, 'repeated'));
    seen.add(day);
    for (const [place, { from, to }] of rule.intervals.entries())
      if (rule.intervals.slice(0, place).some((other) => from < other.to && other.from < to))
        details.push(
          detail(`${path}[${index}].intervals[${place}]`, 'overlaps another interval of this day', 'overlapping'),
        );
    return details;
  });
};

export const minutesOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3, 5));

/** A rule for the date replaces the weekday's rule. No rule, or an empty one, means a day off. */
export const intervalsOn = (rules: Rule[], date: string, weekday: string): Interval[] => {
  const rule =
    rules.find((each) => each.type === 'date' && each.date === date) ??
    rules.find((each) => each.type === 'wday' && each.wday === weekday);
  return rule?.intervals ?? [];
};

/** Every minute of a meeting, and its last moment. */
const everyMinute = (start: number, end: number): number[] => [
  ...Array.from({ length: Math.ceil((end - start) / minute) }, (_, index) => start + index * minute),
  end - 1,
];

/** Whether the whole meeting fits into one open interval of one day. */
export const isOpen = ({ timezone, rules }: Pick<Schedule, 'timezone' | 'rules'>, start: number, end: number) => {
  const { date, weekday, minutes } = localTime(timezone, start);
  const last = localTime(timezone, end);
  const until = last.minutes + (Date.parse(last.date) - Date.parse(date)) / minute;
  const intervals = intervalsOn(rules, date, weekday);
  const hasClockChange = Math.round((until - minutes) * minute) !== end - start;
  if (!hasClockChange) return intervals.some(({ from, to }) => minutesOf(from) <= minutes && until <= minutesOf(to));
  // The clocks may leave the interval and return to it: look at the whole meeting.
  const moments = everyMinute(start, end).map((at) => localTime(timezone, at));
  return intervals.some(({ from, to }) =>
    moments.every((at) => at.date === date && minutesOf(from) <= at.minutes && at.minutes < minutesOf(to)),
  );
};
