import type { SentEventType } from '../../api/event-types.ts';
import { textOf } from '../../base/json.ts';
import { hour, minute } from '../../base/milliseconds.ts';
import type { Env } from '../../base/system.ts';
import { humanText } from '../../output/cells.ts';
import { runsOf } from '../../time/days.ts';
import { dayText } from '../../time/label.ts';
import { wallClock } from '../../time/show.ts';
import { clockLabel, midnightOf, timestampOf, withOffset } from '../../time/wall.ts';
import type { FreeSlot } from './free-slots.ts';

/** Free times of an event type for the reader of an email. */
interface EmailTimes {
  type: SentEventType;
  slots: readonly FreeSlot[];
  zone: string;
  now: number;
  /** The clock of the reader has twelve hours. */
  isTwelveHours: boolean;
}

/** Whether people of this locale read `2:00 pm` rather than `14:00`. Without a locale, they don't. */
export const hasTwelveHours = (env: Env): boolean => {
  const name = env.LC_ALL || env.LC_TIME || env.LANG || '';
  const tag = name.replace(/[.@].*/, '').replaceAll('_', '-');
  try {
    const [locale] = Intl.DateTimeFormat.supportedLocalesOf(tag);
    return (
      locale !== undefined && new Intl.DateTimeFormat(locale, { hour: 'numeric' }).resolvedOptions().hour12 === true
    );
  } catch {
    return false;
  }
};

/** `Europe/Paris` is `Paris time`. A zone that has no place keeps its name. */
const placeOf = (zone: string): string => {
  const [area, ...places] = zone.split('/');
  return places.length === 0 || area === 'Etc' ? zone : `${places.at(-1)!.replaceAll('_', ' ')} time`;
};

const clockText = (wall: number, isTwelveHours: boolean): string => {
  const [hours, minutes] = clockLabel(wall).split(':') as [string, string];
  if (!isTwelveHours) return `${Number(hours)}:${minutes}`;
  return `${Number(hours) % 12 || 12}:${minutes} ${Number(hours) < 12 ? 'am' : 'pm'}`;
};

/** `9:00–11:30`. A time that the clocks show twice has its offset. */
const spanText = (span: { start: number; end: number }, { zone, isTwelveHours }: EmailTimes): string => {
  const wallAt = wallClock(zone);
  const label = (at: number): string => {
    const wall = wallAt(at);
    const isTwice = [-hour, -30 * minute, 30 * minute, hour].some((shift) => wallAt(at + shift) === wall);
    return `${clockText(wall, isTwelveHours)}${isTwice ? ` (UTC${withOffset(at, wall).slice(19).replace('Z', '')})` : ''}`;
  };
  return [span.start, span.end].map(label).join('–');
};

/** Lines such as `Wed 18 Nov: 9:00–11:30 and 14:00–16:00 (Paris time)`, and the address of the page to book. */
export const emailText = (times: EmailTimes): string => {
  const { type, slots, zone, now } = times;
  const wallAt = wallClock(zone);
  const spans = slots.map(({ start_time: start, end_time: end }) => {
    const at = timestampOf(start)!;
    return { start: at, end: timestampOf(end) ?? at, midnight: midnightOf(wallAt(at)) };
  });
  const list = new Intl.ListFormat('en-GB');
  const lines = runsOf(spans, (span, before) => span.midnight === before.midnight).map((sameDay) => {
    const stretches = runsOf(sameDay, (span, before) => span.start <= before.end);
    const texts = stretches.map((run) => spanText({ start: run[0]!.start, end: run.at(-1)!.end }, times));
    return `${dayText(sameDay[0]!.midnight, wallAt(now))}: ${list.format(texts)} (${placeOf(zone)})`;
  });
  const link = textOf(type.scheduling_url) ?? '';
  const name = textOf(type.name, type.uri) ?? '';
  if (/^https?:\/\/\S+$/.test(link)) lines.push(`Book ${name}: ${link}`);
  return lines.map((line) => `${humanText(line)}\n`).join('');
};
