import { Chalk } from 'chalk';

/** Color only repeats what the text says. It is never the only sign. */
export interface Paint {
  heading(text: string): string;
  faint(text: string): string;
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
    'yes',
  ],
  yellow: ['pending', 'invited', 'waiting', 'unknown', 'skipped', 'expiring', 'draft'],
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
  ],
} as const;

const moodOf = new Map(
  Object.entries(moods).flatMap(([mood, words]) => words.map((word) => [word as string, mood as keyof typeof moods])),
);

/** Sets chalk's color level explicitly, because chalk would read the environment itself. */
export const createPaint = (color: boolean): Paint => {
  const chalk = new Chalk({ level: color ? 1 : 0 });
  return {
    heading: chalk.bold,
    faint: chalk.dim,
    status: (word) => {
      const mood = moodOf.get(word.toLowerCase());
      return mood ? chalk[mood](word) : word;
    },
  };
};
