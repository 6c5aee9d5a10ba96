import type { Operation } from '../api/operation.ts';
import type { Problems } from './messages/problems.ts';
import type { Context } from './session/context.ts';

export interface Argument {
  name: string;
  description: string;
  required?: boolean;
  variadic?: boolean;
  /** The words it may be. */
  choices?: readonly string[];
  /** Values that completions offer. Help doesn't list them, and others can be valid. */
  suggestions?: readonly string[];
  /** It names something that is there already: completions offer files, and ask the program for profiles. */
  names?: 'profiles' | 'files';
}

/** Headings under which help gathers flags, in this order. */
export const flagHeadings = ['Filters', 'Flags', 'Listing', 'Output', 'Safety', 'Connection'] as const;

export interface Flag {
  name: string;
  short?: string;
  /** What stands for its value in help; a flag without one is a switch. */
  value?: string;
  /** The value may be left out. */
  optional?: true;
  repeat?: true;
  /** Declared as a pair with `--no-…`, so that leaving it out sends nothing. */
  negatable?: true;
  choices?: readonly string[];
  /** Values that completions offer. Help doesn't list them, and others can be valid. */
  suggestions?: readonly string[];
  /** As with an argument. */
  names?: 'profiles';
  /** The command can't run without it. */
  required?: boolean;
  description: string;
  heading: (typeof flagHeadings)[number];
}

/** Raw values by flag name: only what was typed. */
export type Typed = Readonly<Record<string, string | string[] | boolean | undefined>>;

/** A command's words, read: what is wrong with them is gathered, not thrown. */
export interface Parsed {
  /** Noun and verb. */
  name: string;
  args: string[];
  typed: Typed;
  /** Flags with their values in the order in which they were typed. */
  inOrder: readonly (readonly [name: string, value: string | undefined])[];
  /** Everything behind the command, as it was typed. */
  rest: readonly string[];
  problems: Problems;
}

export interface Invocation extends Parsed {
  context: Context;
}

/** A command as plain data with one function last; Commander's tree is built from these. */
export interface Command {
  name: string;
  summary: string;
  arguments: Argument[];
  flags: Flag[];
  /** Command lines without the leading `sched`. */
  examples: string[];
  /** Paragraphs below the examples. */
  notes?: string[];
  /** Names of what it answers with, where no operation says them. */
  fields?: readonly string[];
  /** Has nothing to do with an account, so none is looked for. */
  local?: true;
  operation?: Operation;
  /** The answer may be of any kind: JSON unless told otherwise, its fields unknown; the words are the command's to count. */
  freeForm?: true;
  run(invocation: Invocation): Promise<void>;
}
