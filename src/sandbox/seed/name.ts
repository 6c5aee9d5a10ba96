import type { ReadWhen } from '../world/draft.ts';
import type { World } from '../world/schema.ts';

/** Which data to seed: a demo team with calendars, only users and tokens, or the demo plus many more events. */
export type SeedName = 'demo' | 'empty' | `large:${number}`;

/** A world that was read from a file. */
export interface WorldFile {
  /** The name of the file. */
  name: string;
  /** Tells whether data was seeded with the same content. */
  digest: string;
  world: World;
  read: ReadWhen;
}

export type Seed = SeedName | WorldFile;

export const mostEvents = 1_000_000;

/** How many events a seed adds to those of the demo. */
export const moreEvents = (name: string): number => Number(/^large:([1-9]\d{0,6})$/.exec(name)?.[1] ?? 0);

export const isSeedName = (text: unknown): text is SeedName =>
  text === 'demo' || text === 'empty' || (moreEvents(String(text)) > 0 && moreEvents(String(text)) <= mostEvents);
