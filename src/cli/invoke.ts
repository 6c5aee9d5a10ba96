import type { Command as Commander } from 'commander';
import { usageError } from '../errors.ts';
import { colorFlagIn, colorWanted } from '../output/color.ts';
import { showText } from '../output/pager.ts';
import type { Runtime } from '../runtime.ts';
import { isLeafNoun } from './commands/registry.ts';
import { HelpPage } from './help/help-page.ts';
import { nounHelp, topHelp } from './help/overview.ts';
import { topicHelp, topics } from './help/topics.ts';
import { commandLine } from './messages/command-lines.ts';
import { type CommandWords, commandFirst } from './parse/argv.ts';
import { Leaf, optionOf } from './parse/leaf.ts';
import { readLeaf } from './parse/read-leaf.ts';
import { sharedFlags } from './parse/shared-flags.ts';
import {
  type Meant,
  meantNoun,
  meantVerb,
  misplacedDashes,
  nearestNoun,
  unknownId,
  unknownNoun,
  unknownSharedFlag,
  unknownTopic,
  unknownVerb,
} from './parse/suggestions.ts';
import { buildRoot, loadVerbs } from './parse/tree.ts';

/** Runs the command that `argv` names. Errors of `compliance` commands never contain an address (R49). */
export const invoke = async (argv: readonly string[], runtime: Runtime, isJson: boolean): Promise<void> => {
  try {
    await start(argv, runtime, isJson);
  } catch (error) {
    if (!argv.some((word) => nearestNoun(word) === 'compliance')) throw error;
    const { withoutAddresses } = await import('./commands/compliance/hide-addresses.ts');
    throw withoutAddresses(error);
  }
};

interface HelpWords extends CommandWords {
  isHelp: boolean;
}

/** Recognizes `sched help events list` and `sched events help` as requests for the pages that `--help` shows. */
const readHelp = (words: CommandWords, split: (argv: readonly string[]) => CommandWords): HelpWords => {
  const { noun, verb, rest } = words;
  if (noun === 'help') {
    const about = split(verb === undefined ? rest : [verb, ...rest]);
    return { ...about, rest: ['--help', ...about.rest], isHelp: true };
  }
  return verb === 'help'
    ? { noun: noun!, rest: ['--help', ...rest], early: 0, isHelp: true }
    : { ...words, isHelp: false };
};

/** Bold headings on a terminal; chalk loads only there. */
const headingFor = async ({ env, stdout }: Runtime, rest: readonly string[]): Promise<(text: string) => string> => {
  if (!colorWanted({ flag: colorFlagIn(rest), env, isTerminal: stdout.isTerminal })) return (text) => text;
  const { createPaint } = await import('../output/paint.ts');
  return createPaint(true).heading;
};

/**
 * Lets Commander find the noun and its verb, and runs the command or shows its help. A command that doesn't exist is
 * corrected and read again, to report all its problems together: `slips` has those of its name. It is never carried out.
 */
const start = async (
  argv: readonly string[],
  runtime: Runtime,
  isJson: boolean,
  slips: readonly string[] = [],
): Promise<void> => {
  const shared = sharedFlags.map(optionOf);
  const split = (words: readonly string[]) => commandFirst(words, shared, isLeafNoun);
  const words = readHelp(split(argv), split);
  const { noun: word, verb, rest, early, isHelp } = words;
  const show = async (write: (page: HelpPage) => string, Page = HelpPage) => {
    if (slips.length > 0) throw usageError([...slips], { hint: commandLine(...argv) });
    const { stdout } = runtime;
    const text = `${write(new Page({ columns: stdout.columns, heading: await headingFor(runtime, rest) }))}\n`;
    // A pager moves the cursor around the screen.
    return rest.includes('--accessible') ? stdout.write(text) : showText(runtime, text);
  };
  if (isHelp && word !== undefined && Object.hasOwn(topics, word)) {
    const { TopicPage } = await import('./help/topic-page.ts');
    return show((page) => topicHelp(word, page), TopicPage);
  }
  const isComplete = verb !== undefined || (word !== undefined && isLeafNoun(word));
  if (!isComplete && rest.includes('--')) throw misplacedDashes(argv);

  const runLeaf = async (leaf: Leaf, noun: Commander): Promise<void> => {
    if (leaf.wantsHelp) {
      const { commandHelp } = await import('./help/command-help.ts');
      return show((page) => commandHelp(leaf, page));
    }
    const name = leaf === noun ? noun.name() : `${noun.name()} ${leaf.name()}`;
    const parsed = readLeaf(leaf, name, rest, { early, slips });
    // Commands without an operation may ask questions before they report problems.
    if (slips.length > 0 && leaf.definition.operation === undefined) parsed.problems.check();
    const { runCommand } = await import('./run-command.ts');
    const help = (about: readonly string[]) => start(['help', ...about], runtime, isJson);
    const suggest = async (error: unknown, profile: string | undefined) => {
      const { withSuggestion } = await import('./suggestion.ts');
      return withSuggestion(unknownId(error, parsed.args, noun), parsed, runtime, profile);
    };
    await runCommand(leaf.definition, parsed, runtime, { isJson, help, suggest });
  };
  const again = (meant: Meant | undefined, problem: string): Promise<void> => {
    if (meant === undefined) throw usageError([...slips, problem]);
    return start(meant.argv, runtime, isJson, [...slips, meant.problem]);
  };
  const withoutVerb = (noun: Commander): Promise<void> => {
    const wantsHelp = verb === undefined && (rest.includes('--help') || rest.includes('-h'));
    if (wantsHelp) return show((page) => nounHelp(noun, page));
    return again(isHelp ? undefined : meantVerb(argv, noun, early), unknownVerb(noun, verb));
  };
  const withoutNoun = (): Promise<void> => {
    if (word !== undefined && isHelp) throw unknownTopic(word);
    if (word === 'version') throw usageError(['"version" is a flag, not a command'], { hint: 'sched --version' });
    if (word !== undefined) return again(meantNoun(argv, words), unknownNoun(word));
    const strange = unknownSharedFlag(rest);
    if (strange !== undefined) throw strange;
    return show((page) => topHelp(root, page));
  };

  const root = buildRoot()
    .action(withoutNoun)
    .hook('preSubcommand', async (_, noun) => {
      for (const leaf of await loadVerbs(noun)) leaf.action(() => runLeaf(leaf, noun));
      if (noun instanceof Leaf) noun.addFlags();
      else noun.action(() => withoutVerb(noun)).hook('preSubcommand', (_, leaf) => void (leaf as Leaf).addFlags());
    });
  const command = [word, verb].filter((each) => each !== undefined);
  await root.parseAsync([...command, ...rest], { from: 'user' });
};
