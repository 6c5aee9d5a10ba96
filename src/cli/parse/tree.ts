import type { Command as Commander } from 'commander';
import { helpGroups } from '../../api/catalogue.ts';
import { nouns, singularOf } from '../../commands/registry.ts';
import type { Run } from '../command.ts';
import type { Given } from '../input/given.ts';
import { Group, Leaf } from './leaf.ts';

/**
 * Builds Commander's tree with all nouns, grouped by heading and with the singular as alias. A noun has only a name and
 * a summary until `loadVerbs` adds its commands.
 */
export const buildRoot = (): Group => {
  const root = new Group('sched');
  root.description('The scheduling service on the command line').usage('<command> <subcommand> [flags]');
  const inGroups = helpGroups.flatMap((group) => Object.entries(nouns).filter(([, noun]) => noun.group === group));
  for (const [name, { group, summary, leaf }] of inGroups) {
    const noun = leaf ? new Leaf(name) : new Group(name).usage('<subcommand> [flags]');
    if (singularOf(name) !== name) noun.alias(singularOf(name));
    root.addCommand(noun.description(summary).helpGroup(group));
  }
  return root;
};

/** Adds the verbs of a noun as subcommands, without their flags. A noun without verbs is itself a command. */
export const loadVerbs = async (noun: Commander): Promise<Leaf[]> => {
  const commands = await nouns[noun.name()]!.commands();
  if (noun instanceof Leaf) return [noun.describe(commands[0]!)];
  return commands.map((command) => {
    const leaf = new Leaf(command.name).describe(command);
    noun.addCommand(leaf);
    return leaf;
  });
};

/** Lets Commander find the command in a command line. If there is none, returns the noun, or else the root. */
export const parseCommandLine = async (argv: readonly string[]): Promise<Leaf | Group> => {
  const root = buildRoot().action(() => {});
  let match: Leaf | Group = root;
  root.hook('preSubcommand', async (_, noun) => {
    for (const command of [noun as Group, ...(await loadVerbs(noun))])
      command.action(() => {
        match = command;
      });
  });
  await root.parseAsync(argv, { from: 'user' });
  return match;
};

/** What a command line gives for its flags. Without a command, they are those that every command has. */
export const givenFlags = (command: Leaf | Group): Given => {
  if (command instanceof Leaf) return command.opts();
  const run: Run = async () => ({ kind: 'nothing' });
  const none = { name: '', summary: '', arguments: [], flags: [], examples: [], run };
  const rest = new Leaf('').describe(none).action(() => {});
  rest.parse(command.args, { from: 'user' });
  return { ...command.parent?.opts(), ...command.opts(), ...rest.opts() };
};

/** Builds the tree with all commands, for the generators. */
export const buildTree = async (): Promise<Commander> => {
  const root = buildRoot();
  for (const noun of root.commands) for (const leaf of await loadVerbs(noun)) leaf.addFlags();
  return root;
};
