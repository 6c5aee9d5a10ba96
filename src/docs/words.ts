import type { Command as Commander } from 'commander';
import type { Flag } from '../cli/command.ts';
import { fieldPaths } from '../cli/help/command-help.ts';
import type { Leaf } from '../cli/parse/leaf.ts';
import { sharedFlags } from '../cli/parse/shared-flags.ts';

/*
 * Everything that can be completed, the same for each shell. All of it but the names of profiles is known when the
 * scripts are made: a script holds words and compares them with the line; it expands nothing, and runs the one program
 * for those names alone.
 */

/**
 * Prints the names of profiles, one a line. Always the `sched` of the path and never the word on the line: `./sched` or
 * an alias there is only being typed, and a TAB is no consent to run it.
 */
export const askForProfiles = 'sched profiles list -o id';

export interface Word {
  word: string;
  description: string;
}

/** What may stand behind a flag or as an argument: some of these words, a file, names of fields or profiles, or anything. */
export type Value = { kind: 'words'; words: readonly string[] } | { kind: 'files' | 'fields' | 'profiles' | 'any' };

export interface FlagWord extends Word {
  short?: string;
  /** `next`: the word behind it is its value, unless joined with `=`. `joined`: only the `=` form has a value. */
  takes?: 'next' | 'joined';
  value: Value;
}

export interface CommandWords {
  /** As typed: `events list`, or `completion` for a noun without verbs. */
  path: string;
  flags: readonly FlagWord[];
  arguments: readonly Value[];
  /** The last argument may be repeated. */
  variadic: boolean;
  fields: readonly string[];
}

export interface NounWords extends Word {
  singular: string;
  /** Empty where the noun is itself a command. */
  verbs: readonly Word[];
}

export interface Words {
  nouns: readonly NounWords[];
  commands: readonly CommandWords[];
  /** Flags that every command takes, and that may stand before the noun. */
  shared: readonly FlagWord[];
  /** Flags of `sched` alone. */
  root: readonly FlagWord[];
}

/** No shell reads anything but itself in such a word, quoted or not. */
const plain = /^[\w@%+.,:/-]+$/;

const checked = (word: string): string => {
  if (!plain.test(word)) throw new Error(`'${word}' cannot stand in a completion script`);
  return word;
};

const nothing: Value = { kind: 'any' };
const wordsOrAny = (choices?: readonly string[]): Value =>
  choices === undefined ? nothing : { kind: 'words', words: choices.map(checked) };

const valueAfter = ({ value, choices, suggestions, names }: Flag): Value => {
  if (names !== undefined) return { kind: names };
  if (value === 'FIELDS') return { kind: 'fields' };
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
  return [word, { word: `--no-${flag.name}`, description: `not: ${description}`, value: nothing }];
};

const help: FlagWord = { word: '--help', short: '-h', description: 'show help', value: nothing };
const version: FlagWord = { word: '--version', description: 'show the version', value: nothing };

const commandWords = (path: string, leaf: Commander): CommandWords => {
  const { definition: command } = leaf as Leaf;
  return {
    path,
    flags: command.flags.flatMap(flagWords),
    arguments: command.arguments.map(({ name, choices, names }) =>
      names !== undefined ? { kind: names } : name === 'file' ? { kind: 'files' } : wordsOrAny(choices),
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
});

/** Where a known value may stand: behind one of these names (or as an argument's number) in these commands. */
export interface ValueRule {
  /** `*` for flags that every command takes. */
  commands: readonly string[];
  names: readonly string[];
  value: Value;
}

/** Items with the same key drawn together, in the order of the first. */
export const groupBy = <Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> => {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
};

/** Numbers under which the arguments of a command are met; a repeated one under several. */
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

/** The rules of all commands, equal ones drawn together; a command's own come before the shared. */
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

/** Names of the flags that take the word behind them. */
export const flagsWithValue = (flags: readonly FlagWord[]): string[] =>
  flags.flatMap(({ word, short, takes }) => (takes !== 'next' ? [] : short === undefined ? [word] : [word, short]));

export const namesOf = (words: readonly Word[]): string => words.map(({ word }) => word).join(' ');

/** Names under which a noun is understood, the one that is offered first. */
export const spellings = ({ word, singular }: NounWords): string[] => [...new Set([word, singular])];

/** Not a noun, but stands where one does; the words behind it are read as if it were not there. */
export const helpCommand: Word = { word: 'help', description: 'Help for a command' };
