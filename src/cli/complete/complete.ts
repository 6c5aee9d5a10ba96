import { safe } from '../../output/sanitize.ts';
import type { Runtime } from '../../runtime.ts';
import type { Argument, Flag } from '../command.ts';
import { topics } from '../help/topics.ts';
import { allFlags } from '../parse/all-flags.ts';
import { type Group, Leaf } from '../parse/leaf.ts';
import { sharedFlags } from '../parse/shared-flags.ts';
import { parse } from '../parse/tree.ts';
import { begins, type Candidate, type Offer, valueOffer } from './values.ts';

const nothing: Offer = { candidates: [] };

const flagCandidates = (flags: readonly Flag[]): Candidate[] => [
  ...flags.flatMap(({ name, description, negatable }) => [
    { word: `--${name}`, description },
    ...(negatable === undefined ? [] : [{ word: `--no-${name}`, description: negatable }]),
  ]),
  { word: '--help', description: 'show help' },
];

/** The command that words name, or how far they do. `sched help events` names what `sched events` does. */
const commandIn = async (words: readonly string[]): Promise<{ found: Leaf | Group; isHelp: boolean }> => {
  const found = await parse(words);
  const isHelp = found.parent === null && found.args[0] === 'help';
  return { found: isHelp ? await parse(words.toSpliced(-found.args.length, 1)) : found, isHelp };
};

/** What can stand at the cursor, after these words. */
const offerAfter = async (words: readonly string[], typed: string, runtime: Runtime): Promise<Offer> => {
  const { found, isHelp } = await commandIn(words);
  const leaf = found instanceof Leaf ? found : undefined;
  // Such as an unknown noun or verb.
  if (leaf === undefined && found.args.length > 0) return nothing;
  const flags = leaf === undefined ? sharedFlags : allFlags(leaf.definition);
  const isRoot = found.parent === null;
  const last = found.parts.at(-1);
  const isAfterDashes = found.parts.some((part) => part.words[0] === '--');
  const valueAt = async (place: Flag | Argument | undefined, text: string): Promise<Offer | undefined> =>
    place && (await valueOffer(place, text, leaf, runtime));
  const flagNamed = (name: string | undefined) => flags.find((flag) => flag.name === name && flag.value !== undefined);

  if (last?.wrong === 'cut') return (await valueAt(flagNamed(last.flag), typed)) ?? nothing;
  if (typed.startsWith('-') && !isAfterDashes) {
    const [, name, text = ''] = /^--([^=]+)=(.*)$/s.exec(typed) ?? [];
    if (name === undefined) {
      const version = isRoot ? [{ word: '--version', description: 'show the version' }] : [];
      return { candidates: [...flagCandidates(flags), ...version] };
    }
    const offer = (await valueAt(flagNamed(name), text)) ?? nothing;
    return { ...offer, candidates: offer.candidates.map((each) => ({ ...each, word: `--${name}=${each.word}` })) };
  }
  if (leaf === undefined) {
    const commands = found.commands.map((each) => ({ word: each.name(), description: each.description() }));
    const others = isHelp
      ? Object.entries(topics).map(([word, { summary }]) => ({ word, description: summary }))
      : [{ word: 'help', description: 'Show help for a command' }];
    return { candidates: [...commands, ...(isRoot ? others : [])] };
  }
  const wanted = leaf.definition.arguments;
  const argument = wanted[leaf.args.length] ?? wanted.findLast(({ variadic }) => variadic);
  return (await valueAt(argument, typed)) ?? (isAfterDashes ? nothing : { candidates: flagCandidates(flags) });
};

/**
 * `sched __complete WORDS… WORD`: what can stand in place of the last word, which is the one at the cursor. A line is a
 * word, a tab and its description. The last line is a colon and what the shell does with the words.
 */
export const complete = async (argv: readonly string[], runtime: Runtime): Promise<void> => {
  const typed = argv.at(-1) ?? '';
  const { candidates, directive = 'words' } = await offerAfter(argv.slice(0, -1), typed, runtime);
  const lines = candidates
    .filter(({ word }) => begins(word, typed))
    .map(({ word, description = '' }) => `${word}\t${safe(description)}\n`);
  await runtime.stdout.write(`${lines.join('')}:${directive}\n`);
};
