import type { SentEvent } from '../../api/events.ts';
import { isObject, recordsIn, textOf } from '../../base/json.ts';
import { day, hour } from '../../base/milliseconds.ts';
import { counted, twoDigits } from '../../base/numbers.ts';
import { dayText } from '../../time/label.ts';
import {
  clockLabel,
  fullDateLabel,
  isoWeek,
  midnightOf,
  mondayOf,
  monthName,
  wallText,
  weekdayName,
} from '../../time/wall.ts';
import { spanIn } from '../events/screen.ts';
import type { Grouping } from './input.ts';

export interface StatsGroup {
  /** Stays the same between runs. */
  key: string;
  /** Tells groups with the same key apart, without being shown. */
  id?: string;
  name: string;
  /** The wall-clock time at which a group of times begins. Weekdays and hours begin in the first week of 1970. */
  start?: number;
}

const unknownGroup: StatsGroup = { key: 'unknown', name: 'unknown' };

const firstMonday = Date.UTC(1970, 0, 5);

/** The short form of a date, for the head of a column: `16 Nov`. */
const shortDate = (wall: number): string => `${new Date(wall).getUTCDate()} ${monthName(wall).slice(0, 3)}`;

interface TimeGrouping {
  /** The beginning of the group of a wall-clock time, and of the group after it. */
  start(wall: number): number;
  next(start: number): number;
  key(start: number): string;
  name(start: number): string;
  /** The name on a terminal, if it is another one than in other formats. */
  label?(start: number, today: number): string;
  /** The name at the head of a column. */
  short(start: number): string;
}

/** The groups by the wall-clock time at which an event starts. */
const byTime: Partial<Record<Grouping, TimeGrouping>> = {
  day: {
    start: midnightOf,
    next: (start) => start + day,
    key: (start) => wallText(start).slice(0, 10),
    name: fullDateLabel,
    label: dayText,
    short: shortDate,
  },
  week: {
    start: (wall) => mondayOf(midnightOf(wall)),
    next: (start) => start + 7 * day,
    key: (start) => `${isoWeek(start).year}-W${twoDigits(isoWeek(start).week)}`,
    name: (start) => `Week of ${fullDateLabel(start)}`,
    label: dayText,
    short: shortDate,
  },
  month: {
    start: (wall) => Date.UTC(new Date(wall).getUTCFullYear(), new Date(wall).getUTCMonth()),
    next: (start) => Date.UTC(new Date(start).getUTCFullYear(), new Date(start).getUTCMonth() + 1),
    key: (start) => wallText(start).slice(0, 7),
    name: (start) => `${monthName(start)} ${new Date(start).getUTCFullYear()}`,
    short: (start) => `${monthName(start).slice(0, 3)} ${new Date(start).getUTCFullYear()}`,
  },
  weekday: {
    start: (wall) => firstMonday + midnightOf(wall) - mondayOf(midnightOf(wall)),
    next: (start) => start + day,
    key: (start) => String(1 + (start - firstMonday) / day),
    name: weekdayName,
    short: (start) => weekdayName(start).slice(0, 3),
  },
  hour: {
    start: (wall) => Math.floor((wall - midnightOf(wall)) / hour) * hour,
    next: (start) => start + hour,
    key: (start) => twoDigits(start / hour),
    name: (start) => `${clockLabel(start)}–${twoDigits(start / hour + 1)}:00`,
    short: (start) => twoDigits(start / hour),
  },
};

const groupAt = ({ key, name }: TimeGrouping, start: number): StatsGroup => ({
  key: key(start),
  name: name(start),
  start,
});

const hostGroups = ({ event_memberships: hosts }: SentEvent): StatsGroup[] => {
  const groups = recordsIn(hosts).map(({ user, user_name: name, user_email: email }) => {
    const key = textOf(user, email, name);
    return key === undefined ? unknownGroup : { key, name: textOf(name, email) ?? key };
  });
  // A host who is listed twice counts once.
  return groups.length === 0 ? [unknownGroup] : [...new Map(groups.map((group) => [group.key, group])).values()];
};

export const typeGroup = ({ event_type: type, name }: SentEvent): StatsGroup => {
  const key = textOf(type);
  // Assumed (events.name): an event has the name of its event type.
  return key === undefined ? unknownGroup : { key, name: textOf(name) ?? key };
};

const statusGroup = ({ status }: SentEvent): StatsGroup => {
  const key = textOf(status);
  return key === undefined ? unknownGroup : { key, name: key };
};

/** The invitee that a booking was read for. People of one name are told apart by their addresses, shown or not. */
const inviteeGroup = (booking: SentEvent & { invitee?: unknown }, showsEmails: boolean): StatsGroup => {
  const { name, email } = isObject(booking.invitee) ? booking.invitee : {};
  const [who, address] = [textOf(name), textOf(email)?.toLowerCase()];
  if (who === undefined && address === undefined) return unknownGroup;
  if (showsEmails && address !== undefined) return { key: address, name: who ?? address };
  const shown = who ?? 'unnamed';
  return { key: shown, name: shown, id: address ?? shown };
};

/** The groups of an event: one, or one for each host. */
export const groupsOfEvent = (
  by: Grouping,
  wallAt: (at: number) => number,
  showsEmails = false,
): ((event: SentEvent) => StatsGroup[]) => {
  if (by === 'invitee') return (booking) => [inviteeGroup(booking, showsEmails)];
  if (by === 'host') return hostGroups;
  if (by === 'event-type') return (event) => [typeGroup(event)];
  if (by === 'status') return (event) => [statusGroup(event)];
  const times = byTime[by]!;
  return (event) => {
    const span = spanIn(event);
    return [span === undefined ? unknownGroup : groupAt(times, times.start(wallAt(span.start)))];
  };
};

/** The name of a group on a terminal. `today` is a wall-clock time: dates of its year need no year. */
export const groupLabel = (by: Grouping, { key, name, start }: StatsGroup, today: number): string =>
  by === 'invitee' && key !== name && key !== 'unknown'
    ? `${name} <${key}>`
    : ((start === undefined ? undefined : byTime[by]?.label?.(start, today)) ?? name);

/** The same at the head of a column. People are shown by the first word of their name. */
export const shortLabelOf = (by: Grouping, { name, start }: StatsGroup): string => {
  if (start !== undefined) return byTime[by]!.short(start);
  return by === 'host' ? name.split(' ')[0]! : name;
};

/** More groups in a row without events become one. */
const longestGap = 31;

/**
 * Groups of times in their order, with those between them that have no events. Days, weeks and months also begin and
 * end with the window, as wall-clock times, and weekdays are always seven. Other groups stay as they are.
 */
export const withEmptyGroups = (
  by: Grouping,
  groups: readonly StatsGroup[],
  window: { since?: number | undefined; until?: number | undefined },
): readonly StatsGroup[] => {
  const times = byTime[by];
  const byStart = new Map(
    groups.flatMap((group) => (group.start === undefined ? [] : [[group.start, group] as const])),
  );
  if (times === undefined || byStart.size === 0) return groups;
  const edges =
    {
      weekday: [firstMonday, firstMonday + 6 * day],
      hour: [],
    }[by as string] ?? [window.since, window.until].flatMap((wall) => (wall === undefined ? [] : [times.start(wall)]));
  const starts = [...byStart.keys(), ...edges].sort((a, b) => a - b);
  const [first, last] = [starts[0]!, starts.at(-1)!];
  const all: StatsGroup[] = [];
  for (let start = first; start <= last; ) {
    const empty: number[] = [];
    let count = 0;
    for (; start <= last && !byStart.has(start); start = times.next(start)) {
      count += 1;
      if (count <= longestGap) empty.push(start);
    }
    if (count > longestGap) all.push({ key: `empty ${start}`, name: `… ${counted(count, by)}` });
    else all.push(...empty.map((each) => groupAt(times, each)));
    if (start <= last) all.push(byStart.get(start)!);
    start = times.next(start);
  }
  return [...all, ...groups.filter((group) => group.start === undefined)];
};
