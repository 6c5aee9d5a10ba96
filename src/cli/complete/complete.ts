import { spell } from '../../base/words.ts';
import { safe } from '../../output/sanitize.ts';
import type { Runtime } from '../../runtime.ts';
import type { Argument, Flag } from '../command.ts';
import { topics } from '../help/topics.ts';
import { allFlags } from '../parse/all-flags.ts';
import { type Group, Leaf } from '../parse/leaf.ts';
import { sharedFlags } from '../parse/shared-flags.ts';
import { parseCommandLine } from '../parse/tree.ts';
import { begins, type Candidate, type Offer, valueOffer } from './values.ts';

const nothing: Offer = { candidates: [] };

const flagCandidates = (flags: readonly Flag[]): Candidate[] => [
  ...flags.flatMap(({ name, description, negatable }) => [
    { word: `--${name}`, description: spell(description) },
    ...(negatable === undefined ? [] : [{ word: `--no-${name}`, description: negatable }]),
  ]),
  { word: '--help', description: 'show help' },
];

/** The command that words name, or how far they do. `sched help events` names what `sched events` does. */
const commandIn = async (words: readonly string[]): Promise<{ command: Leaf | Group; isHelp: boolean }> => {
  const command = await parseCommandLine(words);
  const isHelp = command.parent === null && command.args[0] === 'help';
  return { command: isHelp ? await parseCommandLine(words.toSpliced(-command.args.length, 1)) : command, isHelp };
};

/** What can stand at the cursor, after these words. */
const offerAfter = async (words: readonly string[], prefix: string, runtime: Runtime): Promise<Offer> => {
  const { command, isHelp } = await commandIn(words);
  const leaf = command instanceof Leaf ? command : undefined;
  // Such as an unknown noun or verb.
  if (leaf === undefined && command.args.length > 0) return nothing;
  const flags = leaf === undefined ? sharedFlags : allFlags(leaf.definition);
  const isRoot = command.parent === null;
  const last = command.parts.at(-1);
  const isAfterDashes = command.parts.some((part) => part.words[0] === '--');
  const valueAt = async (place: Flag | Argument | undefined, text: string): Promise<Offer | undefined> =>
    place && (await valueOffer(place, text, leaf, runtime));
  const flagNamed = (name: string | undefined) =>
    flags.find((flag) => flag.name === name && flag.kind.value !== undefined);

  if (last?.wrong === 'cut') return (await valueAt(flagNamed(last.flag), prefix)) ?? nothing;
  if (prefix.startsWith('-') && !isAfterDashes) {
    const [, name, text = ''] = /^--([^=]+)=(.*)$/s.exec(prefix) ?? [];
    if (name === undefined) {
      const version = isRoot ? [{ word: '--version', description: 'show the version' }] : [];
      return { candidates: [...flagCandidates(flags), ...version] };
    }
    const offer = (await valueAt(flagNamed(name), text)) ?? nothing;
    return { ...offer, candidates: offer.candidates.map((each) => ({ ...each, word: `--${name}=${each.word}` })) };
  }
  if (leaf === undefined) {
    const commands = command.commands.map((each) => ({ word: each.name(), description: each.description() }));
    const others = isHelp
      ? Object.entries(topics).map(([word, { summary }]) => ({ word, description: summary }))
      : [{ word: 'help', description: 'Show help for a command' }];
    return { candidates: [...commands, ...(isRoot ? others : [])] };
  }
  const parameters = leaf.definition.arguments;
  const argument = parameters[leaf.args.length] ?? parameters.findLast(({ variadic }) => variadic);
  return (await valueAt(argument, prefix)) ?? (isAfterDashes ? nothing : { candidates: flagCandidates(flags) });
};

/**
 * `sched __complete WORDS… WORD`: what can stand in place of the last word, which is the one at the cursor. A line is a
 * word, a tab and its description. The last line is a colon and what the shell does with the words.
 */
export const complete = async (argv: readonly string[], runtime: Runtime): Promise<void> => {
  const prefix = argv.at(-1) ?? '';
  const { candidates, directive = 'words' } = await offerAfter(argv.slice(0, -1), prefix, runtime);
  const lines = candidates
    .filter(({ word }) => begins(word, prefix))
    .map(({ word, description = '' }) => `${word}\t${safe(description)}\n`);
  await runtime.stdout.write(`${lines.join('')}:${directive}\n`);
};
