import { localTime } from '../rules/local-time.ts';
import { dayMilliseconds, timestamp } from '../store/names.ts';

/** The words of the pages are English, and so are dates. Without a country, they have days first and 24 hours. */
const localeFor = (locale: string): string => (/^en-[A-Z]{2}$/.test(locale) ? locale : 'en-GB');

/** `2026-11-18`, some days later. Calendar days: some have 23 or 25 hours. */
export const addDays = (date: string, days: number): string =>
  timestamp(Date.parse(date) + days * dayMilliseconds).slice(0, 10);

/** The first day of the week by the customs of a country, from Monday (1) to Sunday (7). */
const firstWeekday = (locale: string): number => {
  // Node 20 has the property, later versions the method.
  const facts = new Intl.Locale(locale) as { weekInfo?: { firstDay: number }; getWeekInfo?(): { firstDay: number } };
  return (facts.getWeekInfo?.() ?? facts.weekInfo)?.firstDay ?? 1;
};

const quarters = [-60, -30, 30, 60].map((minutes) => minutes * 60_000);

/** Dates and times as people read them, in the time zone of the visitor. */
export const momentsIn = (language: string, zone: string) => {
  const locale = localeFor(language);
  const formatOf = (options: Intl.DateTimeFormatOptions, timeZone = 'UTC') =>
    new Intl.DateTimeFormat(locale, { timeZone, ...options });
  const dates = (options: Intl.DateTimeFormatOptions) => {
    const format = formatOf(options);
    return (date: string) => format.format(Date.parse(date));
  };
  const time = formatOf({ timeStyle: 'short' }, zone);
  const named = formatOf({ hour: 'numeric', minute: '2-digit', timeZoneName: 'short' }, zone);
  const range = formatOf({ day: 'numeric', month: 'short' });

  /** `09:30`, with the name of the zone if the clocks show this time twice. */
  const clock = (at: number): string => {
    const { date, minutes } = localTime(zone, at);
    const isTwice = quarters.some((quarter) => {
      const other = localTime(zone, at + quarter);
      return other.date === date && other.minutes === minutes;
    });
    const name = isTwice && named.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value;
    return name ? `${time.format(at)} ${name}` : time.format(at);
  };
  const first = firstWeekday(locale);
  return {
    zone,
    dateOf: (at: number): string => localTime(zone, at).date,
    clock,
    /** `09:30–10:00` */
    span: (start: number, end: number) => `${clock(start)}–${clock(end)}`,
    isMorning: (at: number) => localTime(zone, at).minutes < 12 * 60,
    // These take dates such as `2026-11-18`.
    day: dates({ weekday: 'short', day: 'numeric', month: 'long' }),
    dayWithYear: dates({ weekday: 'short', day: 'numeric', month: 'long', year: 'numeric' }),
    weekday: dates({ weekday: 'short' }),
    monthOf: dates({ month: 'short' }),
    /** `16 Nov – 20 Dec` */
    days: (one: string, other: string) => range.formatRange(Date.parse(one), Date.parse(other)),
    startOfWeek: (date: string) => addDays(date, -((new Date(date).getUTCDay() - first + 7) % 7)),
  };
};

export type Moments = ReturnType<typeof momentsIn>;
