import { safe } from '../../output/sanitize.ts';
import type { Runtime } from '../../runtime.ts';
import type { Argument, Flag } from '../command.ts';
import { findNoun, isLeafNoun } from '../commands/registry.ts';
import { topics } from '../help/topics.ts';
import { allFlags } from '../parse/all-flags.ts';
import { commandFirst } from '../parse/argv.ts';
import { Leaf, optionOf } from '../parse/leaf.ts';
import { sharedFlags } from '../parse/shared-flags.ts';
import { tokensOf } from '../parse/tokens.ts';
import { buildRoot, loadVerbs } from '../parse/tree.ts';
import { begins, type Candidate, type Offer, valueOffer } from './values.ts';

const wordsOffer = (candidates: Candidate[]): Offer => ({ candidates, directive: 'words' });
const nothing = wordsOffer([]);

const commandCandidates = (commands: readonly { name(): string; description(): string }[]): Candidate[] =>
  commands.map((command) => ({ word: command.name(), description: command.description() }));

const topicCandidates = (): Candidate[] =>
  Object.entries(topics).map(([word, { summary }]) => ({ word, description: summary }));

const flagCandidates = (flags: readonly Flag[]): Candidate[] => [
  ...flags.flatMap(({ name, description, negatable }) => [
    { word: `--${name}`, description },
    ...(negatable ? [{ word: `--no-${name}`, description: `the opposite of --${name}` }] : []),
  ]),
  { word: '--help', description: 'show help' },
];

/** The command that words name, as far as they do. Undefined if there is no such command. */
const commandIn = async (words: readonly string[]) => {
  const shared = sharedFlags.map(optionOf);
  const split = (argv: readonly string[]) => commandFirst(argv, shared, isLeafNoun);
  const first = split(words);
  const isHelp = first.noun === 'help';
  const { noun: word, verb, rest } = isHelp ? split([first.verb ?? [], first.rest].flat()) : first;
  const root = buildRoot();
  if (word === undefined) {
    const help = { word: 'help', description: 'Show help for a command' };
    const others = isHelp ? topicCandidates() : [help];
    return { next: [...commandCandidates(root.commands), ...others], isRoot: true, rest, options: shared };
  }
  const noun = root.commands.find((each) => each.name() === findNoun(word));
  if (noun === undefined) return undefined;
  const leaves = await loadVerbs(noun);
  if (verb === undefined && !(noun instanceof Leaf)) return { next: commandCandidates(leaves), rest, options: shared };
  const leaf = noun instanceof Leaf ? noun : leaves.find((each) => each.name() === verb);
  if (leaf === undefined) return undefined;
  const parsed = leaf.addFlags().action(() => {});
  parsed.parse(rest, { from: 'user' });
  return { next: [], leaf, rest: leaf.joined(rest), options: leaf.options };
};

/** What can stand at the cursor, after these words. */
const offerAfter = async (words: readonly string[], typed: string, runtime: Runtime): Promise<Offer> => {
  const command = await commandIn(words);
  if (command === undefined) return nothing;
  const { leaf, isRoot, next, rest, options } = command;
  const flags = leaf === undefined ? sharedFlags : allFlags(leaf.definition);
  const tokens = tokensOf(rest, options);
  const last = tokens.at(-1);
  const isAfterDashes = last?.kind === 'end';
  const valueAt = async (place: Flag | Argument | undefined, text: string): Promise<Offer | undefined> =>
    place && (await valueOffer(place, text, leaf, runtime));
  const flagNamed = (name: string | undefined) => flags.find((flag) => flag.name === name && flag.value !== undefined);

  if (last?.isCut) return (await valueAt(flagNamed(last.name), typed)) ?? nothing;
  if (typed.startsWith('-') && !isAfterDashes) {
    const [, name, text = ''] = /^--([^=]+)=(.*)$/s.exec(typed) ?? [];
    if (name === undefined) {
      const version = isRoot ? [{ word: '--version', description: 'show the version' }] : [];
      return wordsOffer([...flagCandidates(flags), ...version]);
    }
    const { candidates, directive } = (await valueAt(flagNamed(name), text)) ?? nothing;
    return { candidates: candidates.map((each) => ({ ...each, word: `--${name}=${each.word}` })), directive };
  }
  if (leaf === undefined) return isAfterDashes ? nothing : wordsOffer(next);
  const before = tokens.filter(({ kind }) => kind === 'argument').length + (isAfterDashes ? last.words.length - 1 : 0);
  const wanted = leaf.definition.arguments;
  const argument = wanted[before] ?? wanted.findLast(({ variadic }) => variadic);
  return (await valueAt(argument, typed)) ?? (isAfterDashes ? nothing : wordsOffer(flagCandidates(flags)));
};

/**
 * `sched __complete WORDS… WORD`: what can stand in place of the last word, which is the one at the cursor. A line is a
 * word, a tab and its description. The last line is a colon and what the shell does with the words.
 */
export const complete = async (argv: readonly string[], runtime: Runtime): Promise<void> => {
  const typed = argv.at(-1) ?? '';
  const { candidates, directive } = await offerAfter(argv.slice(0, -1), typed, runtime);
  const lines = candidates
    .filter(({ word }) => begins(word, typed))
    .map(({ word, description = '' }) => `${word}\t${safe(description)}\n`);
  await runtime.stdout.write(`${lines.join('')}:${directive}\n`);
};
