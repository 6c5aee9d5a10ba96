import { day as dayLength, hour as hourLength } from '../../base/milliseconds.ts';
import { twoDigits } from '../../base/numbers.ts';
import { onceEach } from '../../base/once.ts';
import { zoneAt } from '../../time/offset.ts';
import { wallClock } from '../../time/show.ts';
import { localTime } from '../rules/local-time.ts';
import { timestamp } from '../store/names.ts';
import type { PageRequest } from './visit.ts';

/** `2026-11-18`, some days later. Calendar days: some have 23 or 25 hours. */
export const addDays = (date: string, days: number): string =>
  timestamp(Date.parse(date) + days * dayLength).slice(0, 10);

/** A locale that the platform knows, without its extensions. */
const knownLocale = (text: string): Intl.Locale | undefined => {
  try {
    const [locale] = Intl.DateTimeFormat.supportedLocalesOf(text);
    return locale === undefined ? undefined : new Intl.Locale(new Intl.Locale(locale).baseName);
  } catch {
    return undefined;
  }
};

/** What Node 20 has as properties, and later versions as methods. */
interface LocaleFacts {
  weekInfo?: { firstDay: number };
  getWeekInfo?(): { firstDay: number };
  textInfo?: { direction: string };
  getTextInfo?(): { direction: string };
}

/** In which direction the language is written. */
export const directionOf = (language: string): string | undefined => {
  const facts = knownLocale(language) as LocaleFacts | undefined;
  return (facts?.getTextInfo?.() ?? facts?.textInfo)?.direction;
};

/** How visitors are used to read a date. */
interface Habits {
  /** `11/18`, not `18/11`. */
  hasMonthFirst: boolean;
  has12Hours: boolean;
  /** The first day of the week, from Monday (1) to Sunday (7). */
  firstDay: number;
}

/** More languages than visitors have. A header of theirs names one. */
const mostHabits = 500;

const habitsIn = onceEach((name: string): Habits => {
  const locale = knownLocale(name);
  const facts = locale as LocaleFacts | undefined;
  const parts = new Intl.DateTimeFormat(name, { day: 'numeric', month: 'numeric' }).formatToParts(0);
  const order = parts.map(({ type }) => type);
  const { hourCycle = 'h23' } = new Intl.DateTimeFormat(name, { hour: 'numeric' }).resolvedOptions();
  return {
    hasMonthFirst: order.indexOf('month') < order.indexOf('day'),
    has12Hours: hourCycle === 'h11' || hourCycle === 'h12',
    firstDay: (facts?.getWeekInfo?.() ?? facts?.weekInfo)?.firstDay ?? 1,
  };
}, mostHabits);

/** English without a country has days first and 24 hours, as most of the world does. */
const habitsOf = (locale: Intl.Locale | undefined): Habits =>
  habitsIn(locale === undefined || locale.baseName === 'en' ? 'en-GB' : locale.baseName);

/** The names of days and months, and their order, which only English words can take from the visitor. */
const wordsIn = onceEach((locale: string) => {
  const formatOf = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(`${locale}-u-ca-gregory-nu-latn`, { timeZone: 'UTC', ...options });
  const dates = (options: Intl.DateTimeFormatOptions) => {
    const format = formatOf(options);
    return (date: string) => format.format(Date.parse(date));
  };
  const rangeOf = (options: Intl.DateTimeFormatOptions) => {
    const format = formatOf(options);
    return (one: string, other: string) => format.formatRange(Date.parse(one), Date.parse(other));
  };
  const weekday = dates({ weekday: 'short' });
  const aWeek = Array.from({ length: 7 }, (_, day) => addDays('2026-01-01', day));
  const noon = formatOf({ hour: 'numeric', hour12: true });
  return {
    day: dates({ weekday: 'short', day: 'numeric', month: 'long' }),
    dayWithYear: dates({ weekday: 'short', day: 'numeric', month: 'long', year: 'numeric' }),
    weekday,
    /** For the head of a narrow column. Some languages, such as Arabic, have no short names. */
    weekdayHead: aWeek.some((date) => weekday(date).length > 5) ? dates({ weekday: 'narrow' }) : weekday,
    monthOf: dates({ month: 'short' }),
    days: rangeOf({ day: 'numeric', month: 'short' }),
    daysWithYear: rangeOf({ day: 'numeric', month: 'short', year: 'numeric' }),
    /** `AM` and `PM` */
    halves: [0, 12].map(
      (hour) => noon.formatToParts(hour * hourLength).find(({ type }) => type === 'dayPeriod')?.value ?? '',
    ),
  };
});

const quarters = [-60, -30, 30, 60].map((minutes) => minutes * 60_000);

const parts = ['Early', 'Morning', 'Afternoon', 'Evening'] as const;

/** Who reads: the header `Accept-Language` of the visitor, and what the visitor chose on the page. */
export type Reader = Pick<PageRequest, 'url' | 'request' | 'now'>;

/** Dates and times as visitors read them, in their time zone, with names in the language of the event type. */
export const momentsIn = ({ url, request, now }: Reader, language: string, zone: string) => {
  const own = knownLocale(language);
  const visitor = knownLocale(/^[A-Za-z0-9-]{2,35}/.exec(request.headers['accept-language'] ?? '')?.[0] ?? '');
  const habits = habitsOf(visitor ?? own);
  const chosen = url.searchParams.get('hours');
  const has12Hours = chosen === '12' || (chosen !== '24' && habits.has12Hours);
  const isEnglish = own === undefined || own.language === 'en';
  const words = wordsIn(isEnglish ? (habits.hasMonthFirst ? 'en-US' : 'en-GB') : own.baseName);
  const wall = wallClock(zone);
  const thisYear = localTime(zone, now).date.slice(0, 4);

  /** `09:30` or `9:30 AM`, with the name of the zone if the clocks show this time twice. */
  const clock = (at: number): string => {
    const shown = wall(at);
    const minutes = Math.floor((shown % dayLength) / 60_000);
    const [hour, rest] = [Math.floor(minutes / 60), twoDigits(minutes % 60)];
    const text = has12Hours
      ? `${hour % 12 || 12}:${rest} ${words.halves[hour < 12 ? 0 : 1]}`
      : `${twoDigits(hour)}:${rest}`;
    if (!quarters.some((quarter) => wall(at + quarter) === shown)) return text;
    const format = new Intl.DateTimeFormat(isEnglish ? 'en-GB' : own.baseName, {
      timeZone: zoneAt(zone, at),
      timeZoneName: 'short',
    });
    return `${text} ${format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? ''}`.trimEnd();
  };
  const isThisYear = (date: string) => date.startsWith(thisYear);
  return {
    zone,
    has12Hours,
    language: isEnglish ? 'en' : own.baseName,
    dateOf: (at: number): string => localTime(zone, at).date,
    clock,
    /** The part of the day by the clock on the wall. */
    partOf: (at: number) => parts[Math.floor((wall(at) % dayLength) / (dayLength / 4))]!,
    // These take dates such as `2026-11-18`. A year is shown if it isn't this one.
    day: (date: string) => (isThisYear(date) ? words.day(date) : words.dayWithYear(date)),
    dayWithYear: words.dayWithYear,
    weekday: words.weekday,
    weekdayHead: words.weekdayHead,
    monthOf: words.monthOf,
    /** `16 Nov – 20 Dec` */
    days: (one: string, other: string) =>
      isThisYear(one) && isThisYear(other) ? words.days(one, other) : words.daysWithYear(one, other),
    startOfWeek: (date: string) => addDays(date, -((new Date(date).getUTCDay() - habits.firstDay + 7) % 7)),
  };
};

export type Moments = ReturnType<typeof momentsIn>;
