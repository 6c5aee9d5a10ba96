import type { Command as Commander } from 'commander';
import type { Flag } from '../cli/command.ts';
import { fieldPaths } from '../cli/help/command-help.ts';
import { topics } from '../cli/help/topics.ts';
import type { Leaf } from '../cli/parse/leaf.ts';
import { sharedFlags } from '../cli/parse/shared-flags.ts';
import { zones } from './zones.ts';

/*
 * Everything that can be completed, the same for each shell. All words except profile names are known when the scripts
 * are generated. A script compares words with the command line. It expands nothing, and runs `sched` only to get the
 * profile names.
 */

/**
 * Prints the profile names, one per line. Runs the `sched` in PATH and never the program on the command line: the user
 * is still typing `./sched` or an alias, and pressing TAB must not run it.
 */
export const askForProfiles = 'sched profiles list -o id';

export interface Word {
  word: string;
  description: string;
}

/**
 * The value of a flag or argument: one of these words or a list of them with commas, a list of the command's fields, a
 * file, a profile, a time zone, or anything.
 */
export type Value =
  | { kind: 'words' | 'list'; words: readonly string[] }
  | { kind: 'files' | 'fields' | 'profiles' | 'zones' | 'any' };

export interface FlagWord extends Word {
  short?: string;
  /** `next`: the next word is the value, unless joined with `=`. `joined`: only the `=` form has a value. */
  takes?: 'next' | 'joined';
  value: Value;
}

export interface CommandWords {
  /** The command as typed: `events list`, or `completion` for a noun without verbs. */
  path: string;
  flags: readonly FlagWord[];
  arguments: readonly Value[];
  /** The last argument may be repeated. */
  variadic: boolean;
  fields: readonly string[];
}

export interface NounWords extends Word {
  singular: string;
  /** Empty if the noun is itself a command. */
  verbs: readonly Word[];
}

export interface Words {
  nouns: readonly NounWords[];
  commands: readonly CommandWords[];
  /** Flags of every command, which may come before the noun. */
  shared: readonly FlagWord[];
  /** Flags of `sched` alone. */
  root: readonly FlagWord[];
  /** Help pages about something other than a command, for `sched help`. */
  topics: readonly Word[];
  /** Kept apart from the values, so that a script has the long list only once. */
  zones: readonly string[];
}

/** Words with no special characters for any shell, quoted or not. */
const plain = /^[\w@%+.,:/-]+$/;

const checked = (word: string): string => {
  if (!plain.test(word)) throw new Error(`"${word}" is not safe in a completion script`);
  return word;
};

const nothing: Value = { kind: 'any' };
const wordsOrAny = (choices?: readonly string[]): Value =>
  choices === undefined ? nothing : { kind: 'words', words: choices.map(checked) };

const valueAfter = ({ value, choices, suggestions, names }: Flag): Value => {
  if (names !== undefined) return { kind: names };
  if (value === 'FIELDS') return { kind: 'fields' };
  if (value === 'ZONE') return { kind: 'zones' };
  if (value === 'LIST' && suggestions !== undefined) return { kind: 'list', words: suggestions.map(checked) };
  return value?.startsWith('FILE') ? { kind: 'files' } : wordsOrAny(choices ?? suggestions);
};

const flagWords = (flag: Flag): FlagWord[] => {
  const description = flag.description;
  const word: FlagWord = {
    word: `--${checked(flag.name)}`,
    description,
    value: valueAfter(flag),
    ...(flag.short === undefined ? {} : { short: `-${checked(flag.short)}` }),
    ...(flag.value === undefined ? {} : { takes: flag.optional ? 'joined' : 'next' }),
  };
  if (!flag.negatable) return [word];
  return [word, { word: `--no-${flag.name}`, description: `the opposite of --${flag.name}`, value: nothing }];
};

const help: FlagWord = { word: '--help', short: '-h', description: 'show help', value: nothing };
const version: FlagWord = { word: '--version', description: 'show the version', value: nothing };

const commandWords = (path: string, leaf: Commander): CommandWords => {
  const { definition: command } = leaf as Leaf;
  return {
    path,
    flags: command.flags.flatMap(flagWords),
    arguments: command.arguments.map(({ name, choices, suggestions, names }) =>
      names !== undefined ? { kind: names } : name === 'file' ? { kind: 'files' } : wordsOrAny(choices ?? suggestions),
    ),
    variadic: command.arguments.at(-1)?.variadic === true,
    fields: fieldPaths(command).map(checked),
  };
};

const wordOf = (command: Commander): Word => ({ word: checked(command.name()), description: command.description() });

export const wordsOf = (root: Commander): Words => ({
  nouns: root.commands.map((noun) => ({
    ...wordOf(noun),
    singular: checked(noun.alias() ?? noun.name()),
    verbs: noun.commands.map(wordOf),
  })),
  commands: root.commands.flatMap((noun) =>
    noun.commands.length === 0
      ? [commandWords(noun.name(), noun)]
      : noun.commands.map((verb) => commandWords(`${noun.name()} ${verb.name()}`, verb)),
  ),
  shared: [...sharedFlags.flatMap(flagWords), help],
  root: [version],
  topics: Object.entries(topics).map(([name, { summary }]) => ({ word: checked(name), description: summary })),
  zones: zones.map(checked),
});

/** Where a known value is accepted: after one of these flags, or as an argument with this number, in these commands. */
export interface ValueRule {
  /** `*` for flags of every command. */
  commands: readonly string[];
  names: readonly string[];
  value: Value;
}

/** Groups items by key, in the order of each key's first item. */
export const groupBy = <Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> => {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
};

/** Up to this position, a repeatable argument is completed. */
const manyArguments = 9;

const rulesOfFlags = (commands: string[], flags: readonly FlagWord[]): ValueRule[] =>
  flags
    .filter(({ value }) => value.kind !== 'any')
    .map(({ word, short, value }) => ({ commands, names: short === undefined ? [word] : [word, short], value }));

const rulesOfArguments = (command: CommandWords): ValueRule[] =>
  command.arguments.flatMap((value, index) => {
    if (value.kind === 'any') return [];
    const isLast = index === command.arguments.length - 1;
    const count = isLast && command.variadic ? manyArguments - index : 1;
    return [{ commands: [command.path], names: Array.from({ length: count }, (_, n) => `${index + n + 1}`), value }];
  });

/** The rules of all commands, with equal ones merged. Rules of single commands come before the shared ones. */
export const valueRules = ({ commands, shared }: Words): ValueRule[] => {
  const own = commands.flatMap((command) => [
    ...rulesOfFlags([command.path], command.flags),
    ...rulesOfArguments(command),
  ]);
  const merged = groupBy(own, ({ names, value }) => JSON.stringify([names, value]));
  return [
    ...[...merged.values()].map((rules) => ({ ...rules[0]!, commands: rules.flatMap((rule) => rule.commands) })),
    ...rulesOfFlags(['*'], shared),
  ];
};

/** Names of the flags that take the next word as their value. */
export const flagsWithValue = (flags: readonly FlagWord[]): string[] =>
  flags.flatMap(({ word, short, takes }) => (takes !== 'next' ? [] : short === undefined ? [word] : [word, short]));

export const namesOf = (words: readonly Word[]): string => words.map(({ word }) => word).join(' ');

/** The names of a noun. The first one is offered. */
export const spellings = ({ word, singular }: NounWords): string[] => [...new Set([word, singular])];

/** Stands in the place of a noun. A topic or a noun follows; after a noun, the line is read as if `help` were not there. */
export const helpCommand: Word = { word: 'help', description: 'Show help for a command' };
