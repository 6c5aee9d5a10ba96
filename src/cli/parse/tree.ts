import { Command as Commander } from 'commander';
import { helpGroups } from '../../api/catalogue.ts';
import { nouns } from '../commands/registry.ts';
import { Leaf } from './leaf.ts';

/**
 * The root of Commander's tree with every noun below it, under the heading of its group and with the singular as alias.
 * A noun is known by name and summary; `loadVerbs` gives it its commands.
 */
export const buildRoot = (): Commander => {
  const root = plain(new Commander('sched'))
    .description('The scheduling service on the command line')
    .usage('<command> <subcommand> [flags]');
  const inGroups = helpGroups.flatMap((group) => Object.entries(nouns).filter(([, noun]) => noun.group === group));
  for (const [name, { singular, group, summary, leaf }] of inGroups) {
    const noun = leaf ? new Leaf(name) : plain(new Commander(name)).usage('<subcommand> [flags]');
    if (singular !== name) noun.alias(singular);
    root.addCommand(noun.description(summary).helpGroup(group));
  }
  return root;
};

/** A command with subcommands: words it does not know are its own action's to judge. */
const plain = (command: Commander): Commander =>
  command.helpOption(false).helpCommand(false).allowUnknownOption().allowExcessArguments();

/** The verbs of a noun as its subcommands; a noun that is itself a command has none, and gets its flags and arguments. */
export const loadVerbs = async (noun: Commander): Promise<Leaf[]> => {
  const commands = await nouns[noun.name()]!.commands();
  if (noun instanceof Leaf) return [noun.define(commands[0]!)];
  return commands.map((command) => {
    const leaf = new Leaf(command.name).define(command);
    noun.addCommand(leaf);
    return leaf;
  });
};

/** Every command at once, for generators. */
export const buildTree = async (): Promise<Commander> => {
  const root = buildRoot();
  for (const noun of root.commands) await loadVerbs(noun);
  return root;
};
