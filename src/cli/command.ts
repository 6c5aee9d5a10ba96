import type { Collection } from '../api/collections.ts';
import type { Operation } from '../api/operation.ts';
import type { Sentence } from '../base/words.ts';
import type { OwnFormat } from '../output/formats.ts';
import type { View } from '../output/view.ts';
import type { Reply } from './answer/plan.ts';
import type { Given } from './input/given.ts';
import type { How, Kind } from './input/kind.ts';
import type { Problems } from './messages/problems.ts';
import type { Part } from './parse/line-part.ts';
import type { Asker, Choice, ChooseOptions } from './session/asker.ts';
import type { Context } from './session/context.ts';

/** What flags and arguments have in common. */
interface Parameter {
  name: string;
  description: Sentence;
  /** The command can't run without it. */
  required?: boolean;
  /** The collection of the record it names. */
  collection?: Collection | undefined;
  /** The allowed values. */
  choices?: readonly string[];
  /** Values that completions offer. Help doesn't list them, and others can be valid. */
  suggestions?: readonly string[];
  /** Names something that exists. Completions offer them. */
  names?: Kind['offers'];
}

export interface Argument extends Parameter {
  variadic?: boolean;
  /**
   * What to choose from at a terminal if the argument is missing. Undefined if the command can do without it. Default:
   * the records of the collection.
   */
  offer?(invocation: Invocation): Promise<ChoiceList | undefined>;
}

/** A list to choose from. */
export interface ChoiceList extends ChooseOptions {
  question: string;
  choices: readonly Choice[];
  /** A single choice is taken without a question: no other one is possible. */
  isClosed?: true;
}

/** Headings for flags in help, in this order. `More flags` has those that few people need. */
export const flagHeadings = ['Filters', 'Flags', 'Listing', 'Output', 'Safety', 'More flags', 'Connection'] as const;

export const headingOf = ({ heading = 'Flags' }: Pick<Flag, 'heading'>): (typeof flagHeadings)[number] => heading;

export interface Flag extends Parameter {
  /** What its value can be. A flag whose kind has no placeholder is a switch. */
  kind: Kind;
  short?: string;
  /** The value may be omitted. */
  optional?: true;
  repeat?: true;
  /** What `--no-…` does, for a flag that is declared together with it. If neither is given, nothing is sent. */
  negatable?: string;
  /** Required unless this flag is given. */
  unless?: string;
  /** `Flags` by default. */
  heading?: (typeof flagHeadings)[number];
}

/** A parsed command line. Its problems are collected, not thrown. */
export interface ParsedCommand {
  /** Noun and verb. */
  name: string;
  given: Given;
  /** Arguments and flags in their order. */
  parts: readonly Part[];
  problems: Problems;
}

export interface Invocation extends ParsedCommand {
  context: Context;
  /** The world in which its values are read. */
  world: Omit<How, 'given' | 'isAsked'>;
  /** Reports chosen fields that the record doesn't have. A command calls it that learns by itself what it prints. */
  checkFields(known: readonly string[], operation: Operation | undefined): void;
  help: ShowHelp;
  /** Prompts have completed the command line. */
  isAsked?: boolean;
}

/** Shows the help of these words, as `sched help` does. */
export type ShowHelp = (words: readonly string[]) => Promise<void>;

/** A question whose answer becomes a value of a repeatable flag. */
export interface FollowUp {
  flag: string;
  label: string;
  choices?: readonly string[];
  /** Enter skips it. */
  isOptional: boolean;
  valueOf(answer: string): string;
  /** A flag that goes with the answer. */
  also?: FlagValue;
}

/** A flag and a value for it. */
export type FlagValue = readonly [flag: string, value: string];

/** How a prompt asks for a flag. */
interface FlagPrompt {
  label: string;
  /** What to enter: `an email address`. */
  what: string;
  /** The value of an answer that people write in another way. */
  read?(answer: string): string;
}

/** A command as plain data, plus the function that runs it. Commander's tree is built from these. */
export interface Command {
  name: string;
  summary: string;
  arguments: Argument[];
  flags: Flag[];
  /** Command lines without the leading `sched`. */
  examples: string[];
  /** Paragraphs below the examples. */
  notes?: string[];
  /** Fields of the output, if no operation defines them. */
  fields?: readonly string[];
  /** How its records are shown, if not like all records of the operation. Without an operation: the rows of its list. */
  view?: View;
  /** Needs no account, so no profile is loaded; what is given may decide that. */
  local?: true | ((given: Given) => boolean);
  /** A format that few commands can print: a calendar of events, or sentences. */
  ownFormat?: OwnFormat;
  /** Whether it runs for a long time beside other commands, so it leaves them most of the rate limit. */
  background?(given: Given): boolean;
  operation?: Operation;
  /** The operation to use instead, without the argument or with `--undo`. It has no command of its own. */
  alternative?: Operation;
  /** The output has unknown fields and is JSON by default. The command itself checks the number of arguments. */
  freeForm?: true;
  /** What a command without an operation does at the service: reads, changes, or anything. Default: nothing. */
  effect?: 'read' | 'change' | 'any';
  /** Why a mirror has no answer for a command that reads. */
  mirror?: string;
  /** Asks for a flag at a terminal in another way, before the others. Undefined if it can't: then a person enters it. */
  asks?: Readonly<Record<string, (invocation: Invocation, asker: Asker) => Promise<string | undefined>>>;
  /** How prompts ask for flags, if not by their descriptions. */
  prompts?: Readonly<Record<string, FlagPrompt>>;
  /** Further values that the command needs at a terminal, once its required flags are known. */
  followUps?(invocation: Invocation): Promise<FollowUp[]>;
  /** Asks for what the command needs besides, if anything. `ask` opens the prompts. */
  askMore?(invocation: Invocation, ask: () => Promise<Asker>): Promise<FlagValue[]>;
  /** The flag that a word without a flag is probably meant for, if no required flag is missing. */
  mainFlag?: string;
  run: Run;
}

export interface Run {
  (invocation: Invocation): Promise<Reply>;
  /** Only reads the call, for a command that gets its input as values. */
  readonly draft?: Draft<unknown>;
}

/** What reading a call needs besides what is given. */
export type Reading = Pick<Invocation, 'context' | 'parts' | 'problems' | 'checkFields'>;

/** Reads a call as far as that is possible without the service, and returns what asks the service for the rest. */
export type Draft<T> = (call: Reading, how: How) => Promise<(context: Context) => Promise<T>>;

/** A command that is a noun itself: the registry has its name and, unless it has another one, its summary. */
export type LeafCommand = Omit<Command, 'name' | 'summary'> & Partial<Pick<Command, 'summary'>>;
