import type { Collection } from '../../api/collections.ts';
import type { Words } from '../../base/words.ts';
import type { HeadlessRuntime } from '../../runtime.ts';
import type { Context } from '../session/context.ts';
import type { Settings } from '../session/settings.ts';
import type { Given, Raw } from './given.ts';

/** The world in which a value is read. */
export interface How {
  readonly settings: Pick<Settings, 'zone' | 'zoneSource' | 'format' | 'fields' | 'here'>;
  /** The time of the service: a sandbox has a clock of its own. */
  now(): Promise<number>;
  /** This machine: its own clock, and files that are values. */
  readonly runtime: Pick<HeadlessRuntime, 'clock' | 'stdin' | 'interrupted'>;
  /** The other values of the same call. */
  readonly given: Given;
  /** A person types the values, and sees how they were read. */
  readonly isTerminal: boolean;
  /** A person reads notes while the command runs. */
  readonly isNoted: boolean;
  /** A person can be asked: prompts are not turned off. */
  readonly canAsk: boolean;
  /** The answer is a table on a terminal. Only there may a list be shorter than what was asked for. */
  readonly isForPeople: boolean;
  /** Pictures can be drawn on a terminal. `words`: somebody listens to them instead. */
  readonly screen: 'pictures' | 'words' | undefined;
  /** Prompts have asked for some of the values. */
  readonly isAsked: boolean;
  /** R52: a tool reads no file. Its client sends the text of one. */
  readonly isTool?: true | undefined;
  /** A line of a file is read again on another day, and must then mean the same. */
  readonly isFile?: true;
}

/** The same world for a call that gives something else too. */
export const withGiven = (how: How, more: Given): How => ({ ...how, given: { ...how.given, ...more } });

export type Read<T> =
  | { ok: true; value: T }
  /** Only the service can tell. It is asked if nothing else of the call is wrong. */
  | { ok: true; later(context: Context): Promise<T> }
  | { ok: false; problem: Words; correction?: string | undefined };

type JsonType = 'string' | 'integer' | 'boolean';

/** What a value can be. A plain object, so that declaring one costs nothing. */
export interface Kind<T = unknown> {
  /** Placeholder in help. A switch has none. */
  readonly value?: string;
  readonly json: JsonType | readonly JsonType[];
  /** The allowed values. */
  readonly choices?: readonly string[];
  /** Values that completions offer. Help doesn't list them, and others can be valid. */
  readonly suggestions?: readonly string[];
  /** The collection of the record it names. */
  readonly collection?: Collection | undefined;
  /** Names something that completions know where to find. `parts`: a list of the suggestions. */
  readonly offers?: 'profiles' | 'files' | 'zones' | 'fields' | 'parts';
  /** May be text with spaces, so the words after it may belong to it. */
  readonly isProse?: true;
  /** Is read in a time zone, so it is asked for after one, and a tool takes `tz` beside it. */
  readonly isMoment?: true;
  /** Confirms a plan rather than a number, so a tool takes it. */
  readonly isDigest?: true;
  /** What a prompt offers to begin with. */
  preset?(how: How): string;
  /** Reads the text of what was given. `value` is the same as it was given, for a kind that tells `5` from `"5"`. */
  read(raw: string, how: How, value: Raw): Read<T> | Promise<Read<T>>;
}

export const readValue = <T>(kind: Kind<T>, value: Raw, how: How) => kind.read(String(value), how, value);

export const accept = <T>(value: T): { ok: true; value: T } => ({ ok: true, value });

export const refuse = (problem: Words, correction?: string): Read<never> => ({ ok: false, problem, correction });
