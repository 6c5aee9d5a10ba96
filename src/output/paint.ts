import { Chalk, type ChalkInstance } from 'chalk';
import type { Color } from './color.ts';
import { basicColor, rgbOf, visible } from './event-color.ts';

const moods = {
  green: 'active accepted confirmed approved completed enabled published success succeeded valid ok yes',
  yellow: 'pending invited waiting unknown skipped expiring draft note',
  red: 'canceled cancelled declined rejected revoked expired failed inactive disabled no_show problem',
} as const;

const moodOf = new Map(
  Object.entries(moods).flatMap(([mood, words]) => words.split(' ').map((word) => [word, mood as keyof typeof moods])),
);

/** No space, control character or text direction can end a link early or disguise it. */
const plainUrl = /^https?:\/\/[!-~]+$/;

const markWith = (chalk: ChalkInstance, rgb: ReturnType<typeof rgbOf>, glyph: string): string => {
  if (rgb === undefined || chalk.level === 0) return glyph;
  if (chalk.level > 1) return chalk.rgb(...visible(rgb))(glyph);
  const basic = basicColor(rgb);
  return basic === undefined ? glyph : chalk[basic](glyph);
};

/** Sets chalk's color level explicitly, because chalk would read the environment itself. */
export const createPaint = (color: Color | undefined) => {
  const chalk = new Chalk({ level: color?.depth ?? 0 });
  return {
    heading: (text: string): string => chalk.bold(text),
    // Dim text keeps the color of the terminal, so it can be read on a light and on a dark background.
    faint: (text: string): string => chalk.dim(text),
    /** Commands to copy. */
    command: (text: string): string => chalk.bold(text),
    /** The word `error:`. */
    error: (text: string): string => chalk.red.bold(text),
    warning: (text: string): string => chalk.yellow(text),
    status: (word: string): string => {
      const mood = moodOf.get(word.toLowerCase());
      return mood ? chalk[mood](word) : word;
    },
    /** A write that can't be undone. */
    danger: (text: string): string => chalk.red.bold(text),
    /** A write that succeeded. */
    done: (text: string): string => chalk.green(text),
    /** A glyph in the color of an event type, such as `#8247f5`. */
    mark: (color: unknown, glyph: string): string => markWith(chalk, rgbOf(color), glyph),
    /** A text that leads to a URL, on terminals that support links. */
    link: (text: string, url: string): string =>
      color?.hasLinks && plainUrl.test(url) ? `\x1b]8;;${url}\x07${text}\x1b]8;;\x07` : text,
  };
};

/** Color only repeats what the text says. It is never the only sign. */
export type Paint = ReturnType<typeof createPaint>;

/** A style that needs no other value. */
export type Tone = Exclude<keyof Paint, 'mark' | 'link'>;

/** Where records come from, behind the text of a heading: ` · sandbox`. */
export const placeText = (place: string | undefined, paint: Pick<Paint, 'faint'>): string =>
  place === undefined ? '' : paint.faint(` · ${place}`);
