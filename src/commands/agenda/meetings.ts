import type { SentEvent } from '../../api/events.ts';
import { day as dayLength, hour, minute } from '../../base/milliseconds.ts';
import { counted, formatNumber } from '../../base/numbers.ts';
import { idIn } from '../../base/uri.ts';
import { isCanceled, whoText } from '../../cli/operation/view-values.ts';
import { shownText } from '../../output/cells.ts';
import { valueAt } from '../../output/fields.ts';
import type { Day, Period } from '../../time/calendar.ts';
import type { Span } from '../../time/slots.ts';
import { clockLabel, dateLabel } from '../../time/wall.ts';
import { hostsIn, spanIn } from '../events/screen.ts';
import { addedInvitees } from '../events/with-invitees.ts';
import type { OpenHours } from './open-hours.ts';

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
  /** When the person can be booked, if that was read. */
  open?: OpenHours | undefined;
}

/** Undefined if the event has no readable start. */
export const meetingOf = (event: SentEvent): Meeting | undefined => {
  const span = spanIn(event);
  if (span === undefined) return undefined;
  return {
    ...span,
    name: shownText(event.name, `event ${idIn(event.uri)}`),
    hosts: hostsIn(event).map(({ user, user_name: name, user_email: email }) => ({
      key: String(user ?? email ?? name),
      name: shownText(name, email, 'unknown'),
    })),
    isCanceled: isCanceled(event),
    ...(addedInvitees(event).length === 0 ? {} : { who: shownText(whoText(event)) }),
    color: valueAt(event, '_sched.color'),
  };
};

/** Whether any part of a meeting is within a day, or within other times. */
export const isOnDay = ({ start, end }: Meeting, { since, until }: Pick<Day, 'since' | 'until'>): boolean =>
  start < until && (start >= since || end > since);

export const inTimeOrder = (meetings: readonly Meeting[]): Meeting[] =>
  meetings.toSorted((a, b) => a.start - b.start || a.end - b.end || (a.name < b.name ? -1 : 1));

/** Gives each meeting of a day the first lane that is free when it begins. Canceled meetings take no time. */
export const lanesOf = (meetings: readonly Meeting[]): Map<Meeting, number> => {
  const ends: number[] = [];
  const lanes = new Map<Meeting, number>();
  for (const meeting of inTimeOrder(meetings)) {
    const free = ends.findIndex((end) => end <= meeting.start);
    const lane = meeting.isCanceled ? 0 : free < 0 ? ends.length : free;
    lanes.set(meeting, lane);
    if (!meeting.isCanceled) ends[lane] = Math.max(meeting.end, meeting.start + minute);
  }
  return lanes;
};

/** A grid of hours goes at least from nine to five. */
export const workday = [9 * hour, 17 * hour] as const;

/** The end of a part of a day. Midnight is the end of the day, not its beginning. */
export const endClock = (agenda: Agenda, at: number, { until }: Day): string =>
  at >= until ? '24:00' : clockOf(agenda, at);

export const isOver = ({ now }: Agenda, { until }: Day): boolean => until <= now;

/** What a day without open time is called, from today on. Nothing if its hours are not known or leave room. */
export const closedWord = (agenda: Agenda, day: Day): 'day off' | 'no hours' | undefined => {
  if (agenda.open === undefined || isOver(agenda, day) || agenda.open.hoursOn(day).length > 0) return undefined;
  return agenda.open.isOff(day) ? 'day off' : 'no hours';
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
export const agendaHosts = ({ meetings }: Agenda): Host[] => {
  const byKey = new Map(meetings.flatMap(({ hosts }) => hosts.map((host) => [host.key, host] as const)));
  return [...byKey.values()].sort((a, b) => a.name.localeCompare(b.name, 'en') || (a.key < b.key ? -1 : 1));
};

export const hostNamesText = ({ hosts }: Meeting): string => hosts.map(({ name }) => name).join(', ');

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
  const extraTime = until - since - dayLength;
  const wall = wallAt(at);
  if (extraTime <= 0 || (wallAt(at + extraTime) !== wall && wallAt(at - extraTime) !== wall)) return undefined;
  const hours = (wall - at) / hour;
  return `UTC${hours < 0 ? '' : '+'}${hours}`;
};
