import { localTime } from './zone.ts';

export interface Interval {
  from: string;
  to: string;
}

/** Assumed: rules look like this; the documentation names them without their contents. */
export type Rule =
  | { type: 'wday'; wday: string; intervals: Interval[] }
  | { type: 'date'; date: string; intervals: Interval[] };

/** When a host can be booked for an event type. */
export interface Schedule {
  uri: string;
  default: boolean;
  name: string;
  user: string;
  timezone: string;
  rules: Rule[];
}

const minutesOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3, 5));

/** A rule for the date stands in place of the weekday's; none at all, or an empty one, is a day off. */
const intervalsOn = (rules: Rule[], date: string, weekday: string): Interval[] => {
  const rule =
    rules.find((each) => each.type === 'date' && each.date === date) ??
    rules.find((each) => each.type === 'wday' && each.wday === weekday);
  return rule?.intervals ?? [];
};

/** Whether the whole of the meeting lies in one open interval of one day. */
export const isOpen = ({ timezone, rules }: Pick<Schedule, 'timezone' | 'rules'>, start: number, end: number) => {
  const { date, weekday, minutes } = localTime(timezone, start);
  const until = minutes + (end - start) / 60_000;
  return intervalsOn(rules, date, weekday).some(({ from, to }) => minutesOf(from) <= minutes && until <= minutesOf(to));
};
