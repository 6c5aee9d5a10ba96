import type { SentEventType } from '../../api/event-types.ts';
import { textOf } from '../../base/json.ts';
import { day, minute } from '../../base/milliseconds.ts';
import { counted, formatNumber } from '../../base/numbers.ts';
import type { BlockStyle } from '../../output/block.ts';
import { humanText } from '../../output/cells.ts';
import { headingLines, placeIn } from '../../output/heading.ts';
import { pad, shorten, width, wrap } from '../../output/width.ts';
import { dayText } from '../../time/label.ts';
import { wallClock } from '../../time/show.ts';
import { clockLabel, midnightOf, spokenDate, timestampOf, wallText, withOffset } from '../../time/wall.ts';
import type { FreeSlot } from './free-slots.ts';
import { mostTimes } from './input.ts';

/** Free times and their window. */
interface SlotsScreen {
  type: SentEventType;
  slots: readonly FreeSlot[];
  since: number;
  until: number;
  /** Only the first free times of the window are known. */
  isCut: boolean;
  zone: string;
  now: number;
}

interface FreeDay {
  midnight: number;
  times: string[];
  /** For each minute of the day, whether it belongs to a free time. */
  minutes: boolean[];
}

const minutesInDay = day / minute;

/** Starts as people read them. A time that the clocks show twice has its offset. */
export const clockTexts = (starts: readonly number[], zone: string): string[] => {
  const wallAt = wallClock(zone);
  const texts = starts.map((at) => wallText(wallAt(at)));
  return starts.map((at, index) => {
    const isTwice = texts.indexOf(texts[index]!) !== texts.lastIndexOf(texts[index]!);
    return `${clockLabel(wallAt(at))}${isTwice ? withOffset(at, wallAt(at)).slice('2026-10-25T02:30:00'.length) : ''}`;
  });
};

const freeDays = ({ slots, zone }: SlotsScreen): FreeDay[] => {
  const wallAt = wallClock(zone);
  const all = slots.map(({ start_time: start, end_time: end }) => {
    const at = timestampOf(start)!;
    return { at, end: timestampOf(end)!, midnight: midnightOf(wallAt(at)) };
  });
  return [...new Set(all.map(({ midnight }) => midnight))].map((midnight) => {
    const free = all.filter((each) => each.midnight === midnight);
    const minutes = Array.from({ length: minutesInDay }, () => false);
    for (const { at, end } of free) {
      const first = Math.floor((wallAt(at) - midnight) / minute);
      minutes.fill(true, first, first + (end - at) / minute);
    }
    const starts = free.map(({ at }) => at);
    return { midnight, times: clockTexts(starts, zone), minutes };
  });
};

/** `Intro call · 15 min · UTC · 125 free times on 5 of 7 days` */
const titleParts = ({ type, slots, since, until, isCut, zone }: SlotsScreen, days: readonly FreeDay[]): string[] => {
  const wallAt = wallClock(zone);
  const all = (midnightOf(wallAt(until - 1)) - midnightOf(wallAt(since))) / day + 1;
  const free = counted(slots.length, 'free time');
  return [
    humanText(textOf(type.name, type.uri) ?? ''),
    `${type.duration} min`,
    zone,
    isCut ? `first ${free}` : `${free}${all > 1 ? ` on ${days.length} of ${all} days` : ''}`,
  ];
};

const cellMinutes = [15, 30, 60, 120, 240];

const legend = '█ free  ▌ partly free  ░ taken or closed';

/** Days as bars over their hours, in the color of the event type. */
const drawBars = (screen: SlotsScreen, days: readonly FreeDay[], { paint, available }: BlockStyle): string[] => {
  const today = wallClock(screen.zone)(screen.now);
  const counts = days.map(({ times }) => formatNumber(times.length));
  const labels = days.map(({ midnight }) => dayText(midnight, today));
  const [dates, numbers] = [labels, counts].map((texts) => Math.max(...texts.map(width))) as [number, number];
  const labelWidth = dates + numbers + 6;
  const from = Math.min(...days.map(({ minutes }) => Math.floor(minutes.indexOf(true) / 60)));
  const to = Math.max(...days.map(({ minutes }) => Math.floor(minutes.lastIndexOf(true) / 60) + 1));
  const size = cellMinutes.find((each) => ((to - from) * 60) / each <= available - labelWidth) ?? cellMinutes.at(-1)!;
  const cells = Math.ceil(((to - from) * 60) / size);
  // An hour is written above its cell, if there are three columns up to the next one. The last one ends the bars.
  const apart = Math.ceil((3 * size) / 60);
  const hours = Array.from({ length: Math.floor((to - from) / apart) + 1 }, (_, index) => from + index * apart);
  const axis = hours.map((hour) => pad(String(hour), (apart * 60) / size)).join('');
  const bar = ({ minutes }: FreeDay): string =>
    Array.from({ length: cells }, (_, index) => {
      const cell = minutes.slice(from * 60 + index * size, from * 60 + (index + 1) * size);
      return cell.every(Boolean) ? '█' : cell.some(Boolean) ? '▌' : '░';
    }).join('');
  const painted = (text: string): string =>
    text.replaceAll(/░+|[█▌]+/g, (part) =>
      part.startsWith('░') ? paint.faint(part) : paint.mark(screen.type.color, part),
    );
  return [
    paint.faint(shorten(`${' '.repeat(labelWidth)}${axis}`.trimEnd(), available)),
    ...days.map((each, index) => {
      const count = ' '.repeat(numbers - width(counts[index]!)) + counts[index];
      return `${pad(labels[index]!, dates)}   ${count}   ${painted(bar(each))}`;
    }),
  ];
};

/** The columns of a time with the gap before it. */
const timeWidth = 7;

/** Times in rows of whole hours, so that equal minutes are below each other. */
const byHour = (times: readonly string[], perLine: number): string[][] => {
  const minutes = [...new Set(times.map((time) => time.slice(2)))].sort();
  const hours = [...new Set(times.map((time) => time.slice(0, 2)))];
  const count = Math.floor(perLine / minutes.length);
  // A time that the clocks show twice is longer.
  if (count === 0 || times.some((time) => time.length > 5))
    return Array.from({ length: Math.ceil(times.length / perLine) }, (_, line) =>
      times.slice(line * perLine, (line + 1) * perLine),
    );
  return Array.from({ length: Math.ceil(hours.length / count) }, (_, line) =>
    hours
      .slice(line * count, (line + 1) * count)
      .flatMap((hour) => minutes.map((each) => (times.includes(hour + each) ? hour + each : ' '.repeat(5)))),
  );
};

/** Days with their exact times, in as many lines as a day needs. */
const listTimes = (screen: SlotsScreen, days: readonly FreeDay[], { available }: BlockStyle): string[] => {
  const today = wallClock(screen.zone)(screen.now);
  return days.flatMap(({ midnight, times }) => {
    const date = dayText(midnight, today);
    const perLine = Math.max(1, Math.floor((available - date.length) / timeWidth));
    return byHour(times, perLine).map((line, index) =>
      [index === 0 ? date : ' '.repeat(date.length), ...line].join('  ').trimEnd(),
    );
  });
};

/** `10:00 to 12:30, 14:00 to 17:00` */
const spokenSpans = ({ minutes }: FreeDay): string => {
  const edges = minutes.flatMap((isFree, at) => (isFree === (minutes[at - 1] ?? false) ? [] : [at]));
  const clocks = edges.map((at) => clockLabel(at * minute));
  return clocks
    .flatMap((from, index) => (index % 2 === 0 ? [`${from} to ${clocks[index + 1] ?? '24:00'}`] : []))
    .join(', ');
};

/** Whether the screen has the times themselves: for one day, or if there are few. */
export const hasTimes = (screen: SlotsScreen): boolean =>
  screen.slots.length <= mostTimes || freeDays(screen).length === 1;

/** The free times for people: a bar for each day, or the times themselves. */
export const drawSlots = (screen: SlotsScreen, style: BlockStyle): string => {
  const { paint, available } = style;
  const days = freeDays(screen);
  const [name, ...facts] = titleParts(screen, days);
  const title = headingLines(name!, facts, style);
  if (hasTimes(screen)) return [...title, ...listTimes(screen, days, style)].map((line) => `${line}\n`).join('');
  const signs = wrap(legend, available).map(paint.faint);
  return [...title, ...signs, ...drawBars(screen, days, style)].map((line) => `${line}\n`).join('');
};

/** The same in sentences, for screen readers. */
export const spokenSlots = (screen: SlotsScreen, style: Pick<BlockStyle, 'place'>): string => {
  const days = freeDays(screen);
  const lines = days.map((each) => {
    const date = spokenDate(each.midnight);
    if (hasTimes(screen)) return `${date}: ${each.times.join(', ')}.`;
    return `${date}, ${counted(each.times.length, 'free time')}: ${spokenSpans(each)}.`;
  });
  return [`${[...titleParts(screen, days), placeIn(style)].filter(Boolean).join(', ')}.`, ...lines]
    .map((line) => `${line}\n`)
    .join('');
};
