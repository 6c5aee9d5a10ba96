import { usageError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import type { FileAnswer } from '../../cli/answer/answer.ts';
import type { Command, LeafCommand } from '../../cli/command.ts';
import { exitCodeFacts } from '../../cli/help/topics.ts';
import { entry } from '../../cli/input/entry.ts';
import { type Call, input, taking, type Values } from '../../cli/input/input.ts';
import { text, textKind } from '../../cli/input/kinds.ts';
import { sharedFlags } from '../../cli/parse/shared-flags.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import { commandFacts, flagFacts, offeredCommands } from './command-facts.ts';

/** Increased if a field is removed or changes its meaning. New fields don't change it. */
const schemaVersion = 1;

/** What the registry knows about nouns. */
export interface Nouns {
  nouns: Readonly<Record<string, { leaf?: true; commands(): Promise<Command[]> }>>;
  findNoun(word: string): string | undefined;
}

/** The commands of a noun by their full names, such as `events list`. */
export const commandsOf = async (noun: string, { nouns }: Nouns): Promise<[name: string, command: Command][]> => {
  const { leaf, commands } = nouns[noun]!;
  return (await commands()).map((command) => [leaf ? noun : `${noun} ${command.name}`, command]);
};

const unknownWord = (word: string, what: string, knownWords: readonly string[], before: readonly string[] = []) => {
  const meant = nearest(word, knownWords);
  return usageError(
    [`No ${what} "${word}". Choose from ${knownWords.join(', ')}`],
    meant === undefined ? {} : { hint: { args: [...before, meant] } },
  );
};

/** Which nouns and verbs there are is only known when the command runs. */
const schemaEntries = (choices: readonly string[]) => ({
  noun: entry({ ...textKind, choices }, 'only the commands of this noun, such as events', { place: 'argument' }),
  verb: text('only this command, such as list', { place: 'argument' }),
});

type SchemaInput = Values<ReturnType<typeof schemaEntries>>;

/** The described commands: all of them, those of a noun, or one. */
const describeCommands = async ({ noun: word, verb }: SchemaInput, registry: Nouns, dialect: Dialect | undefined) => {
  const names = Object.keys(registry.nouns);
  const noun = word === undefined ? undefined : registry.findNoun(word);
  if (word !== undefined && noun === undefined) throw unknownWord(word, 'command', names);
  const lists = await Promise.all((noun === undefined ? names : [noun]).map((each) => commandsOf(each, registry)));
  const commands = lists.flat();
  const matches = verb === undefined ? commands : commands.filter(([name]) => name === `${noun} ${verb}`);
  if (matches.length === 0) {
    if (registry.nouns[noun!]!.leaf) throw usageError([`"${noun}" has no subcommands`], { hint: { args: [noun!] } });
    const verbs = commands.map(([, { name }]) => name);
    throw unknownWord(verb!, 'subcommand', verbs, [noun!]);
  }
  return offeredCommands(matches, dialect)
    .map(([name, command]) => commandFacts(name, command, dialect))
    .toSorted((one, other) => (one.command < other.command ? -1 : 1));
};

/** Made by the registry, which knows the nouns. */
export const schema = (registry: Nouns): LeafCommand => {
  const run = async (values: SchemaInput, { context }: Call): Promise<FileAnswer> => ({
    kind: 'file',
    value: {
      version: schemaVersion,
      commands: await describeCommands(values, registry, await context.dialect()),
      shared_flags: sharedFlags.map(flagFacts),
      exit_codes: exitCodeFacts,
    },
  });
  return {
    ...taking(input(schemaEntries(Object.keys(registry.nouns))), run),
    examples: [
      'schema',
      'schema events cancel',
      'schema --jq \'.commands[] | select(.effect == "deletion") | .command\'',
    ],
    notes: [
      'Each command has its arguments, flags, requests, scope, examples, the columns of its list in a pipe, and in output.record a JSON Schema of the records it prints with --json. effect is read, change, creation or deletion; any for sched api; and local for a command that changes nothing at the service. mirror is true if --mirror answers the command, else the reason.',
      "version changes only if a field is removed or changes its meaning. Programs must ignore fields they don't know.",
      'If the profile names a dialect, operations and inputs that the service lacks are left out, and wire has the address of an operation that is elsewhere.',
    ],
  };
};
