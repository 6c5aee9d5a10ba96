import type { Json } from '../../../json.ts';
import { counted, formatNumber } from '../../../numbers.ts';
import { cutLong, humanText } from '../../../output/cells.ts';
import { valueAt } from '../../../output/fields.ts';
import type { Day, Period } from '../../../time/calendar.ts';
import type { Span } from '../../../time/slots.ts';
import { clockLabel, dateLabel, day as dayLength, hour, minute, timestampOf } from '../../../time/wall.ts';
import { idIn } from '../../../uri.ts';
import { whoText } from '../../operation/view-values.ts';
import { hostsIn } from '../../scheduling/event-facts.ts';
import { readInvitees } from '../event-invitees.ts';

/** A host of an event: the URI tells apart two people of one name. */
export interface Host {
  key: string;
  name: string;
}

/** What an agenda shows of an event. All texts are sanitized. */
export interface Meeting extends Span {
  name: string;
  hosts: Host[];
  isCanceled: boolean;
  /** Who comes, if that was read: `Jonathan Wolfe +2`. */
  who?: string;
  /** The color of its event type, if that was read. */
  color?: unknown;
}

/** Everything an agenda shows. */
export interface Agenda {
  period: Period;
  days: readonly Day[];
  meetings: readonly Meeting[];
  now: number;
  zone: string;
  /** The wall-clock time of an instant in the zone. */
  wallAt(at: number): number;
  /** The meetings are those of several people. */
  isShared: boolean;
}

/** More than any terminal shows of a name. */
const longestName = 200;

/** The first value that has a text, sanitized. */
export const shownText = (...values: unknown[]): string => {
  const text = values.find((value) => typeof value === 'string' && value.trim() !== '');
  return humanText(cutLong(String(text ?? ''), longestName));
};

/** The start and end of an event. An event without a readable end is as short as possible. */
export const spanIn = ({ start_time: start, end_time: end }: Json): Span | undefined => {
  const from = timestampOf(String(start));
  if (from === undefined) return undefined;
  return { start: from, end: Math.max(from, timestampOf(String(end)) ?? from) };
};

/** Undefined if the event has no readable start. */
export const meetingOf = (event: Json): Meeting | undefined => {
  const span = spanIn(event);
  if (span === undefined) return undefined;
  return {
    ...span,
    name: shownText(event.name, `event ${idIn(event.uri)}`),
    hosts: hostsIn(event).map(({ user, user_name: name, user_email: email }) => ({
      key: String(user ?? email ?? name),
      name: shownText(name, email, 'unknown'),
    })),
    isCanceled: event.status === 'canceled',
    ...(readInvitees(event).length === 0 ? {} : { who: shownText(whoText(event)) }),
    color: valueAt(event, '_sched.color'),
  };
};

/** Whether any part of a meeting is within a day, or within other times. */
export const isWithin = ({ start, end }: Meeting, { since, until }: Pick<Day, 'since' | 'until'>): boolean =>
  start < until && (start >= since || end > since);

export const inOrder = (meetings: readonly Meeting[]): Meeting[] =>
  meetings.toSorted((a, b) => a.start - b.start || a.end - b.end || (a.name < b.name ? -1 : 1));

/** The part of a meeting that is within a day. */
export const clipped = ({ start, end }: Meeting, { since, until }: Day): Span => ({
  start: Math.max(start, since),
  end: Math.min(end, until),
});

/** Gives each meeting of a day the first lane that is free when it begins. Canceled meetings take no time. */
export const lanesOf = (meetings: readonly Meeting[]): Map<Meeting, number> => {
  const ends: number[] = [];
  const lanes = new Map<Meeting, number>();
  for (const meeting of inOrder(meetings)) {
    const free = ends.findIndex((end) => end <= meeting.start);
    const lane = meeting.isCanceled ? 0 : free < 0 ? ends.length : free;
    lanes.set(meeting, lane);
    if (!meeting.isCanceled) ends[lane] = Math.max(meeting.end, meeting.start + minute);
  }
  return lanes;
};

/** Free time is shown at least from nine to five. */
export const workday = [9 * hour, 17 * hour] as const;

/** The instant of a wall-clock time of a day. */
const instantOf = ({ wallAt }: Agenda, { since, midnight }: Day, time: number): number => {
  const at = since + time;
  return at - (wallAt(at) - (midnight + time));
};

/** A shorter gap between two meetings is not worth a line. */
const leastGap = 15 * minute;

/** The free times of a day with meetings, from the first one or nine o'clock to the last one or five o'clock. */
export const gapsOf = (agenda: Agenda, meetings: readonly Meeting[], day: Day): Span[] => {
  const taken = inOrder(meetings.filter(({ isCanceled }) => !isCanceled)).map((meeting) => clipped(meeting, day));
  if (taken.length === 0) return [];
  const [open, close] = workday.map((time) => instantOf(agenda, day, time)) as [number, number];
  const gaps: Span[] = [];
  let end = Math.min(open, taken[0]!.start);
  for (const part of [...taken, { start: close, end: close }]) {
    if (part.start - end >= leastGap) gaps.push({ start: end, end: part.start });
    end = Math.max(end, part.end);
  }
  return gaps;
};

export interface MeetingTally {
  /** Meetings that are not canceled. */
  active: number;
  canceled: number;
  /** The length of those that are not canceled, in milliseconds. */
  length: number;
}

export const tallyOf = (meetings: readonly Meeting[]): MeetingTally => {
  const active = meetings.filter(({ isCanceled }) => !isCanceled);
  return {
    active: active.length,
    canceled: meetings.length - active.length,
    length: active.reduce((sum, { start, end }) => sum + end - start, 0),
  };
};

/** Counts the meetings that begin on these days, so that a meeting over midnight is counted once. */
export const tallyOn = ({ meetings }: Agenda, days: readonly Day[]): MeetingTally => {
  const [since, until] = [days[0]!.since, days.at(-1)!.until];
  return tallyOf(meetings.filter(({ start }) => start >= since && start < until));
};

/** `2 events, 2 h 45 min, 1 canceled` */
export const tallyText = (
  { active, canceled, length }: MeetingTally,
  lengthText?: (length: number) => string,
): string =>
  [
    active === 0 ? 'no events' : counted(active, 'event'),
    ...(active === 0 || lengthText === undefined ? [] : [lengthText(length)]),
    ...(canceled === 0 ? [] : [`${formatNumber(canceled)} canceled`]),
  ].join(', ');

/** `2 h 30 min` */
export const lengthLabel = (length: number): string => {
  const minutes = Math.round(length / minute);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return [...(hours > 0 ? [`${hours} h`] : []), ...(rest > 0 || hours === 0 ? [`${rest} min`] : [])].join(' ');
};

export const clockOf = ({ wallAt }: Agenda, at: number): string => clockLabel(wallAt(at));

export const isToday = ({ now }: Agenda, { since, until }: Day): boolean => now >= since && now < until;

/** The hosts of the meetings, by name. */
export const hostsOf = ({ meetings }: Agenda): Host[] => {
  const found = new Map(meetings.flatMap(({ hosts }) => hosts.map((host) => [host.key, host] as const)));
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name, 'en') || (a.key < b.key ? -1 : 1));
};

export const namesOf = ({ hosts }: Meeting): string => hosts.map(({ name }) => name).join(', ');

/** Days that don't have 24 hours, in words. */
export const clockChanges = ({ days }: Agenda): string[] =>
  days
    .filter(({ since, until }) => until - since !== dayLength)
    .map(({ midnight, since, until }) => {
      const hours = Math.round(((until - since) / hour) * 100) / 100;
      return `${dateLabel(midnight)} has ${hours} hours: clocks go ${hours > 24 ? 'back' : 'forward'}`;
    });

/** The offset at an instant whose wall-clock time occurs twice on its day, such as `UTC+2`. Undefined for others. */
export const offsetLabel = ({ wallAt }: Agenda, { since, until }: Day, at: number): string | undefined => {
  const repeated = until - since - dayLength;
  const wall = wallAt(at);
  if (repeated <= 0 || (wallAt(at + repeated) !== wall && wallAt(at - repeated) !== wall)) return undefined;
  const hours = (wall - at) / hour;
  return `UTC${hours < 0 ? '' : '+'}${hours}`;
};
