import { clockLabel, type Day, dateLabel, type Period } from '../../../time/calendar.ts';
import { day as dayLength, hour } from '../../../time/wall.ts';
import type { Host, Meeting } from './meetings.ts';

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
