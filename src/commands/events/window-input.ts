import { windowIn, windowQuery } from '../../api/window.ts';
import { day } from '../../base/milliseconds.ts';
import type { Input, Values } from '../../cli/input/input.ts';
import { toggle } from '../../cli/input/kinds.ts';
import { apart } from '../../cli/input/relations.ts';
import type { Context } from '../../cli/session/context.ts';
import type { Query } from '../../client/wire.ts';
import { wallClock } from '../../time/show.ts';
import { midnightOf, utcText } from '../../time/wall.ts';

const filter = { heading: 'Filters' } as const;

/** A time window in one word, in the zone of `--tz`. */
export const windowEntries = {
  today: toggle('events that start today', filter),
  tomorrow: toggle('events that start tomorrow', filter),
  week: toggle('today and the six days after it (calendar week: events agenda)', filter),
  month: toggle('today and the 29 days after it', filter),
  upcoming: toggle('events that start after now', filter),
  past: toggle('events that started before now, latest first', filter),
  anyTime: toggle('past and future events, also in a table on a terminal', filter),
};

/** Whether the events are for people, whose list begins today if nothing chooses its times. */
export const readerInput: Input<{ isForPeople: boolean }> = {
  flags: [],
  arguments: [],
  draft:
    async (_, { isForPeople }) =>
    async () => ({ isForPeople }),
};

export type WindowInput = Values<typeof windowEntries> & { isForPeople: boolean };
const windowWords = Object.keys(windowEntries) as (keyof typeof windowEntries)[];

/** First and last day of each window, counted from today. */
const days = { today: [0, 0], tomorrow: [1, 1], week: [0, 6], month: [0, 29] } as const;
const dayWords = Object.keys(days) as (keyof typeof days)[];

/** What can't be used together. `--today --upcoming` is allowed: it means the rest of the day. */
export const windowsApart = apart(
  dayWords,
  ['upcoming', 'past'],
  ['tomorrow', 'past'],
  ...dayWords.flatMap((word) => [
    [word, 'since'],
    [word, 'until'],
  ]),
  ['upcoming', 'since'],
  ['past', 'until'],
  ...[...dayWords, 'upcoming', 'past', 'since', 'until'].map((word) => ['anyTime', word]),
);

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

/**
 * The window as query parameters, beside those that the query has. `isFromToday`: it is the default for people, because
 * nothing chooses another one.
 */
export const windowOf = async (
  context: Context,
  choices: Partial<WindowInput>,
  query: Query,
): Promise<{ window: Query; isFromToday: boolean }> => {
  const { since: first, until: last } = windowIn(query);
  const isChosen = windowWords.some((each) => choices[each]) || first !== undefined || last !== undefined;
  const isFromToday = choices.isForPeople === true && !isChosen;
  const word = isFromToday ? 'today' : dayWords.find((each) => choices[each]);
  const { upcoming, past } = choices;
  if (word === undefined && !upcoming && !past) return { window: {}, isFromToday };
  const now = await context.askNow();
  const ends = word === undefined ? [] : [await daysAsInstants(now, context.settings.zone, days[word])];
  const since = [...ends.map((each) => each.since), ...(upcoming ? [now] : [])];
  const until = [...(isFromToday ? [] : ends.map((each) => each.until)), ...(past ? [now] : [])];
  const window = {
    ...windowQuery('start_time', {
      ...(since.length === 0 ? {} : { since: utcText(Math.max(...since)) }),
      ...(until.length === 0 ? {} : { until: utcText(Math.min(...until)) }),
    }),
    ...(past && query.sort === undefined ? { sort: 'start_time:desc' } : {}),
  };
  return { window, isFromToday };
};
