import { Chalk } from 'chalk';

/** Color only repeats what the text says. It is never the only sign. */
export interface Paint {
  heading(text: string): string;
  faint(text: string): string;
  /** Commands to copy. */
  command(text: string): string;
  /** The word `error:`. */
  error(text: string): string;
  warning(text: string): string;
  status(word: string): string;
}

const moods = {
  green: [
    'active',
    'accepted',
    'confirmed',
    'approved',
    'completed',
    'enabled',
    'published',
    'success',
    'succeeded',
    'valid',
    'ok',
    'yes',
  ],
  yellow: ['pending', 'invited', 'waiting', 'unknown', 'skipped', 'expiring', 'draft', 'note'],
  red: [
    'canceled',
    'cancelled',
    'declined',
    'rejected',
    'revoked',
    'expired',
    'failed',
    'inactive',
    'disabled',
    'no_show',
    'problem',
  ],
} as const;

const moodOf = new Map(
  Object.entries(moods).flatMap(([mood, words]) => words.map((word) => [word as string, mood as keyof typeof moods])),
);

/** Sets chalk's color level explicitly, because chalk would read the environment itself. */
export const createPaint = (color: boolean): Paint => {
  const chalk = new Chalk({ level: color ? 1 : 0 });
  return {
    heading: (text) => chalk.bold(text),
    // Dim text keeps the color of the terminal, so it can be read on a light and on a dark background.
    faint: (text) => chalk.dim(text),
    command: (text) => chalk.bold(text),
    error: (text) => chalk.red.bold(text),
    warning: (text) => chalk.yellow(text),
    status: (word) => {
      const mood = moodOf.get(word.toLowerCase());
      return mood ? chalk[mood](word) : word;
    },
  };
};
