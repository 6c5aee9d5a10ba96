import { counted, formatNumber } from '../../base/numbers.ts';
import { type Sentence, the, words } from '../../base/words.ts';
import type { Question } from '../../cli/answer/plan.ts';
import type { Windows } from '../../cli/session/booking-limits.ts';
import type { Context } from '../../cli/session/context.ts';
import { timeLabel } from '../../time/label.ts';
import { mostNamed } from '../events/screen.ts';
import type { BookingLine } from './read-bookings.ts';

const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** How long one booking takes without any wait, roughly. */
const bookingSeconds = 0.2;

/** How long bookings take, and the window that slows them down most. */
interface BookingTime {
  seconds: number;
  /** Missing if the bookings fit into all windows. */
  slowest?: { span: 'day' | 'hour' | 'minute'; limit: number; seconds: number };
}

/** Estimates the time for this many bookings, if no window is open yet. A full window must end before the next one. */
export const bookingTime = (count: number, windows: Windows): BookingTime => {
  const time: BookingTime = { seconds: 0 };
  let remaining = count;
  for (const [span, seconds] of units) {
    const limit = windows[span];
    if (limit === undefined || remaining <= limit) continue;
    const full = Math.ceil(remaining / limit) - 1;
    time.seconds += full * seconds;
    time.slowest ??= { span, limit, seconds };
    remaining -= full * limit;
  }
  time.seconds = Math.ceil(time.seconds + remaining * bookingSeconds);
  return time;
};

/** A duration in its largest unit that rounds it by at most a tenth: `4 days`, `1 hour`, `90 minutes`, `20 seconds`. */
const roughly = (seconds: number): string => {
  const fits = ([, length]: (typeof units)[number]) =>
    Math.abs(Math.round(seconds / length) * length - seconds) <= seconds / 10;
  const [unit, length] = units.find(fits) ?? ['second', 1];
  return counted(Math.round(seconds / length), unit);
};

/** How long bookings take, as notes. Empty if that is less than a minute. */
const timeTexts = (count: number, { seconds, slowest }: BookingTime, maxWaitMs: number): Sentence[] => {
  if (slowest === undefined && seconds < 60) return [];
  const article = slowest?.span === 'hour' ? 'an' : 'a';
  const why =
    slowest === undefined ? '' : `: your plan allows ${formatNumber(slowest.limit)} ${article} ${slowest.span}`;
  const text = `${counted(count, 'booking takes', 'bookings take')} about ${roughly(seconds)}${why}`;
  if (slowest === undefined || slowest.seconds * 1000 <= maxWaitMs) return [text];
  const longer = slowest.span === 'hour' ? words`, or add ${the('maxWait')} 1h` : '';
  const longest = maxWaitMs === 0 ? '' : words` longer than ${roughly(maxWaitMs / 1000)} (${the('maxWait')})`;
  return [text, words`The run stops before a wait${longest}. To resume it, run the same command again${longer}`];
};

/** How long the bookings take because of the plan's limits. */
export const timeRemarks = async (context: Context, count: number): Promise<Sentence[]> => {
  const { readPlanWindows } = await import('../../cli/session/booking-limits.ts');
  const time = bookingTime(count, await readPlanWindows(context));
  return timeTexts(count, time, context.settings.maxWaitMs);
};

/** Tells in which time zone starts without an offset were read. */
export const noteZones = ({ notes, settings }: Context, lines: readonly BookingLine[]): void => {
  const zones = lines.flatMap(({ startZone }) => startZone ?? []);
  if (zones.length === 0) return;
  const each = [...new Set(zones)];
  const zoneList = each.slice(0, mostNamed).join(', ') + (each.length > mostNamed ? ', …' : '');
  const whose = settings.zoneSource === '--tz' ? the('tz') : "the invitee's time zone";
  notes.info(
    words`${counted(zones.length, 'start has', 'starts have')} no offset, and ${zones.length === 1 ? 'is' : 'are'} read in ${whose}: ${zoneList}`,
  );
};

/** When a booking is and for whom: `Mon 16 Nov 09:00`, `Ada Byron`. */
export const timeAndPerson = ({ settings, now }: Context, { body }: BookingLine): [string, string] => {
  const { name, first_name, last_name } = body.invitee;
  const who = String(name ?? [first_name, last_name].filter(Boolean).join(' '));
  return [timeLabel(body.start_time, settings.zone, now()) ?? body.start_time, who];
};

/** A booking as one line: `Mon 16 Nov 09:00  Intro call · Ada Byron <ada@example.com>`. */
const bookingLineText = (context: Context, line: BookingLine): string => {
  const [when, who] = timeAndPerson(context, line);
  return `${when}  ${line.typeName} · ${who} <${line.body.invitee.email}>`;
};

/** The question about the remaining bookings of a file. */
export const questionAbout = (
  context: Context,
  lines: readonly BookingLine[],
  remaining: readonly BookingLine[],
): Question => {
  const meetings = counted(remaining.length, 'meeting');
  const firstLines = remaining.slice(0, mostNamed).map((line) => bookingLineText(context, line));
  const people = new Set(remaining.map(({ body }) => body.invitee.email.toLowerCase())).size;
  const done = lines.length - remaining.length;
  return {
    question: `Book ${meetings} and notify ${counted(people, 'person', 'people')}?`,
    action: `book ${meetings}`,
    list: firstLines,
    more: remaining.length - firstLines.length,
    facts: done > 0 ? [['already done', formatNumber(done)]] : [],
    place: [['time zone', context.settings.zone]],
    flags: { confirm: String(lines.length) },
  };
};
