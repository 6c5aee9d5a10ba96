import { Command as Commander } from 'commander';
import type { Command } from './command.ts';
import { groups, nouns } from './nouns.ts';
import { fieldPaths, leafOf, pipeColumns } from './program.ts';
import { listFlags, sharedFlags } from './shared-flags.ts';

/** What Commander has no place for. */
export interface Facts {
  command: Command;
  /** Columns of a list in a pipe. */
  columns: readonly string[];
  /** What `--fields` takes. */
  fields: readonly string[];
}

/**
 * Every command at once, for generators. The children of the root are nouns, under the heading of their group and with
 * the singular as alias; theirs are the verbs. A noun that is itself a command has no children.
 */
export interface Tree {
  root: Commander;
  groups: readonly string[];
  sharedFlags: typeof sharedFlags;
  listFlags: typeof listFlags;
  factsOf(leaf: Commander): Facts;
}

export const buildTree = async (): Promise<Tree> => {
  const facts = new WeakMap<Commander, Facts>();
  const leaf = (command: Command): Commander => {
    const made = leafOf(command);
    facts.set(made, { command, columns: pipeColumns(command), fields: fieldPaths(command) });
    return made;
  };
  const root = new Commander('sched');
  for (const [name, { singular, group, summary, leaf: isLeaf, commands }] of Object.entries(nouns)) {
    const own = (await commands()).map(leaf);
    const noun = isLeaf ? own[0]! : new Commander(name).description(summary);
    if (singular !== name) noun.alias(singular);
    if (!isLeaf) for (const verb of own) noun.addCommand(verb);
    root.addCommand(noun.helpGroup(group));
  }
  return { root, groups, sharedFlags, listFlags, factsOf: (made) => facts.get(made)! };
};
