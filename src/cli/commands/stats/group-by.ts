import { type Json, recordsIn, textOf } from '../../../json.ts';
import {
  day,
  fullDateLabel,
  hour,
  isoWeek,
  midnightOf,
  mondayOf,
  monthName,
  wallText,
  weekdayName,
} from '../../../time/wall.ts';
import { spanIn } from '../agenda/meetings.ts';

/** What `events stats` can group by. */
export const groupings = ['host', 'event-type', 'day', 'week', 'month', 'weekday', 'hour', 'status'] as const;
export type Grouping = (typeof groupings)[number];

export interface StatsGroup {
  /** Stays the same between runs. */
  key: string;
  name: string;
  /** The place of a time among its kind: the next day, week or hour has the next number. */
  order?: number;
}

const unknown: StatsGroup = { key: 'unknown', name: 'unknown' };

const two = (value: number): string => String(value).padStart(2, '0');

const weekOf = (midnight: number): StatsGroup => {
  const { year, week } = isoWeek(midnight);
  const monday = mondayOf(midnight);
  return { key: `${year}-W${two(week)}`, name: `Week of ${fullDateLabel(monday)}`, order: monday / (7 * day) };
};

const monthOf = (midnight: number): StatsGroup => {
  const date = new Date(midnight);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { key: wallText(midnight).slice(0, 7), name: `${monthName(midnight)} ${year}`, order: year * 12 + month };
};

const weekdayOfDay = (midnight: number): StatsGroup => {
  const number = 1 + (midnight - mondayOf(midnight)) / day;
  return { key: String(number), name: weekdayName(midnight), order: number };
};

const hourOf = (wall: number): StatsGroup => {
  const number = Math.floor((wall - midnightOf(wall)) / hour);
  return { key: two(number), name: `${two(number)}:00–${two(number + 1)}:00`, order: number };
};

/** The groups by the wall-clock time at which an event starts. */
const byTime: Partial<Record<Grouping, (wall: number) => StatsGroup>> = {
  day: (wall) => {
    const midnight = midnightOf(wall);
    return { key: wallText(midnight).slice(0, 10), name: fullDateLabel(midnight), order: midnight / day };
  },
  week: (wall) => weekOf(midnightOf(wall)),
  month: (wall) => monthOf(midnightOf(wall)),
  weekday: (wall) => weekdayOfDay(midnightOf(wall)),
  hour: hourOf,
};

const hostGroups = ({ event_memberships: hosts }: Json): StatsGroup[] => {
  const groups = recordsIn(hosts).map(({ user, user_name: name, user_email: email }) => {
    const key = textOf(user, email, name);
    return key === undefined ? unknown : { key, name: textOf(name, email) ?? key };
  });
  // A host who is listed twice counts once.
  return groups.length === 0 ? [unknown] : [...new Map(groups.map((group) => [group.key, group])).values()];
};

const typeGroup = ({ event_type: type, name }: Json): StatsGroup => {
  const key = textOf(type);
  // Assumed (events.name): an event has the name of its event type.
  return key === undefined ? unknown : { key, name: textOf(name) ?? key };
};

const statusGroup = ({ status }: Json): StatsGroup => {
  const key = textOf(status);
  return key === undefined ? unknown : { key, name: key };
};

/** The groups of an event: one, or one for each host. */
export const groupsOf = (by: Grouping, wallAt: (at: number) => number): ((event: Json) => StatsGroup[]) => {
  if (by === 'host') return hostGroups;
  if (by === 'event-type') return (event) => [typeGroup(event)];
  if (by === 'status') return (event) => [statusGroup(event)];
  const groupAt = byTime[by]!;
  return (event) => {
    const span = spanIn(event);
    return [span === undefined ? unknown : groupAt(wallAt(span.start))];
  };
};

/** Whether the groups follow each other in time. */
export const isTimeGrouping = (by: Grouping): boolean => byTime[by] !== undefined;
