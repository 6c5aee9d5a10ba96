import { windowQuery } from '../../api/window.ts';
import type { Query } from '../../client/wire.ts';
import { wallClock } from '../../time/show.ts';
import { day, midnightOf, utcText } from '../../time/wall.ts';
import type { Flag, Invocation } from '../command.ts';
import { isForPeople } from '../operation/listing.ts';

/** Flags such as `--today`: a time window in one word, in the zone of `--tz`. */
const flags: Flag[] = [
  { name: 'today', description: 'events that start today', heading: 'Filters' },
  { name: 'tomorrow', description: 'events that start tomorrow', heading: 'Filters' },
  {
    name: 'week',
    description: 'today and the six days after it (calendar week: events agenda)',
    heading: 'Filters',
  },
  { name: 'month', description: 'today and the 29 days after it', heading: 'Filters' },
  { name: 'upcoming', description: 'events that start after now', heading: 'Filters' },
  { name: 'past', description: 'events that started before now, latest first', heading: 'Filters' },
  { name: 'any-time', description: 'past and future events, also in a table on a terminal', heading: 'Filters' },
];

/** First and last day of each window, counted from today. */
const days: Record<string, readonly [number, number]> = {
  today: [0, 0],
  tomorrow: [1, 1],
  week: [0, 6],
  month: [0, 29],
};

/** Flags that can't be used together. `--today --upcoming` is allowed: it means the rest of the day. */
const contradictions: readonly (readonly string[])[] = [
  Object.keys(days),
  ['upcoming', 'past'],
  ['tomorrow', 'past'],
  ...Object.keys(days).flatMap((name) => [
    [name, 'since'],
    [name, 'until'],
  ]),
  ['upcoming', 'since'],
  ['past', 'until'],
  ...[...Object.keys(days), 'upcoming', 'past', 'since', 'until'].map((name) => ['any-time', name]),
];

/** Flags that choose a window. Without any, a terminal shows events from today on. */
const choosing = [...flags.map(({ name }) => name), 'since', 'until'];

/** The start and end of a window of days, as instants. */
const daysAsInstants = async (
  now: number,
  zone: string,
  [first, last]: readonly [number, number],
): Promise<{ since: number; until: number }> => {
  const { dayAt } = await import('../../time/calendar.ts');
  const today = midnightOf(wallClock(zone)(now));
  return { since: dayAt(today + first * day, zone).since, until: dayAt(today + last * day, zone).until };
};

/** Reads these flags as query parameters. `isFromToday`: the window is the default for people, not a typed one. */
const read = async ({ context, typed, problems }: Invocation): Promise<{ window: Query; isFromToday: boolean }> => {
  const isTyped = (name: string) => typed[name] !== undefined;
  const clashing = contradictions.map((group) => group.filter(isTyped)).filter((group) => group.length > 1);
  const names = [...new Set(clashing.flat())].map((name) => `--${name}`);
  if (names.length > 0) problems.add(`${names.slice(0, -1).join(', ')} and ${names.at(-1)} can't be used together`);
  const isFromToday = isForPeople(context) && !choosing.some(isTyped);
  const word = isFromToday ? 'today' : Object.keys(days).find(isTyped);
  if (word === undefined && !isTyped('upcoming') && !isTyped('past')) return { window: {}, isFromToday };
  const now = await context.askNow();
  const ends = word === undefined ? [] : [await daysAsInstants(now, context.settings.zone, days[word]!)];
  const since = [...ends.map((each) => each.since), ...(isTyped('upcoming') ? [now] : [])];
  const until = [...(isFromToday ? [] : ends.map((each) => each.until)), ...(isTyped('past') ? [now] : [])];
  const window = {
    ...windowQuery('start_time', {
      ...(since.length === 0 ? {} : { since: utcText(Math.max(...since)) }),
      ...(until.length === 0 ? {} : { until: utcText(Math.min(...until)) }),
    }),
    ...(isTyped('past') && !isTyped('sort') ? { sort: 'start_time:desc' } : {}),
  };
  return { window, isFromToday };
};

export const windowFlags = { flags, read };
