import { type SchedError, usageError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import { findNoun, nouns, singularOf } from '../../commands/registry.ts';
import type { Flag } from '../command.ts';
import { topics } from '../help/topics.ts';
import { helpLine, localCommand } from '../messages/suggested-line.ts';
import { nearestFlag, unknownFlag } from './correct-words.ts';
import type { Group } from './leaf.ts';
import { isFlag } from './line-part.ts';
import { sharedFlags } from './shared-flags.ts';
import { nounSynonyms, verbSynonyms } from './synonyms.ts';

/** A command line whose command exists, and what was wrong with the typed one. */
interface CorrectedLine {
  argv: string[];
  problem: string;
}

/** What is known about a command line before it is read. */
export interface Meanings {
  /** Problems of the command's name, which is already corrected. Such a command is never carried out. */
  mistakes?: readonly string[];
  /** The words were typed after `help`. */
  isHelp?: boolean;
}

/** The noun that a word names or resembles. */
export const nearestNoun = (word: string): string | undefined => {
  const words = Object.keys(nouns).flatMap((name) => [name, singularOf(name)]);
  return findNoun(word) ?? findNoun(nearest(word.replaceAll('_', '-'), words) ?? '');
};

/** The index of the first word, up to `--`, for which the condition holds. */
const indexOfWord = (words: readonly string[], fits: (word: string) => boolean): number => {
  const end = words.indexOf('--');
  return words.slice(0, end < 0 ? words.length : end).findIndex((word) => !isFlag(word) && fits(word));
};

/** For an unknown topic, as in `sched help times`. */
const unknownTopic = (word: string): SchedError => {
  const suggestion = nearest(word, [...Object.keys(topics), ...Object.keys(nouns)]);
  return usageError(
    [`No help topic "${word}". Topics: ${Object.keys(topics).join(', ')}`],
    suggestion === undefined ? {} : { hint: localCommand('help', suggestion) },
  );
};

const didYouMean = (
  before: readonly string[],
  typedCommand: string,
  suggestion: string,
  after: readonly string[],
): CorrectedLine => ({
  argv: [...before, ...suggestion.split(' '), ...after],
  problem: `Unknown command "${typedCommand}". Did you mean "${suggestion}"?`,
});

/** Corrects an unknown first word, as in `sched list events` or `sched evnets list`. */
const correctNoun = (argv: readonly string[], root: Group): CorrectedLine | undefined => {
  const [word = '', ...after] = root.args;
  const before = argv.slice(0, -root.args.length);
  if (word === 'sched') return { argv: [...before, ...after], problem: 'Leave out the second "sched"' };
  const pair = `${word}-${after[0]}`;
  if (findNoun(pair) !== undefined) return didYouMean(before, `${word} ${after[0]}`, pair, after.slice(1));
  const synonym = nounSynonyms.get(word);
  // A word that people use is closer than one that looks alike: `vacation` isn't `location`.
  const near = synonym === undefined ? nearestNoun(word) : undefined;
  if (near !== undefined) return didYouMean(before, word, near, after);
  const place = indexOfWord(after, (each) => findNoun(each) !== undefined);
  if (place >= 0) {
    const noun = findNoun(after[place]!)!;
    // In `--limit 3 events list` the word is the value of a flag. Only shared flags can come before the command.
    const isValue = root.parts.at(-1)?.wrong === 'unknown';
    const others = after.toSpliced(place, 1);
    return {
      argv: isValue
        ? [noun, ...after.slice(place + 1), ...before, word, ...after.slice(0, place)]
        : [...before, noun, word, ...others],
      problem: `Unknown command "${word}". Put "${noun}" first`,
    };
  }
  return synonym === undefined ? undefined : didYouMean(before, word, synonym, after);
};

/** The verb to suggest if none was typed. It must not change anything. */
const usualVerb = (verbs: readonly string[]): string | undefined => {
  const usual = verbs.length === 1 ? verbs[0] : 'list';
  return usual !== undefined && ['list', 'get'].includes(usual) && verbs.includes(usual) ? usual : undefined;
};

/** Corrects a missing or unknown verb, as in `sched events ls` or `sched events --limit 3`. */
const correctVerb = (argv: readonly string[], noun: Group): CorrectedLine | undefined => {
  const verbs = noun.commands.map((verb) => verb.name());
  const after = noun.parent!.args.slice(1);
  const before = argv.slice(0, -after.length - 1);
  const correct = (verb: string, rest: readonly string[], problem: string): CorrectedLine => ({
    argv: [...before, noun.name(), verb, ...rest],
    problem,
  });
  const [word] = after;
  const pair = [noun.name(), noun.alias()].map((name) => findNoun(`${name}-${word}`)).find((each) => each);
  const typedCommand = `${noun.name()} ${word}`;
  if (pair !== undefined) return didYouMean(before, typedCommand, pair, after.slice(1));
  const place = indexOfWord(after, (each) => verbs.includes(each));
  if (place >= 0)
    return correct(after[place]!, after.toSpliced(place, 1), `Put "${after[place]}" right after "${noun.name()}"`);
  if (word === undefined || isFlag(word)) {
    const usual = usualVerb(verbs);
    return usual === undefined ? undefined : correct(usual, after, needsVerb(noun));
  }
  const synonym = nounSynonyms.get(typedCommand);
  if (synonym !== undefined) return didYouMean(before, typedCommand, synonym, after.slice(1));
  const verb = verbSynonyms.get(word)?.find((each) => verbs.includes(each)) ?? nearest(word, verbs);
  return verb === undefined ? undefined : didYouMean(before, typedCommand, `${noun.name()} ${verb}`, after.slice(1));
};

const verbsOf = (noun: Group): string => noun.commands.map((verb) => verb.name()).join(', ');

const needsVerb = (noun: Group): string => `"${helpLine(noun.name())}" needs a subcommand: ${verbsOf(noun)}`;

const unknownVerb = (noun: Group, word: string | undefined): string =>
  word === undefined ? needsVerb(noun) : `Unknown command "${noun.name()} ${word}". Available: ${verbsOf(noun)}`;

/** Corrects a misplaced `--`, as in `sched -- events list` or `sched events -- list`. */
const withoutDashes = (argv: readonly string[]): CorrectedLine => ({
  argv: argv.toSpliced(argv.indexOf('--'), 1),
  problem: 'Misplaced "--". Put it after the command',
});

/** For an unknown flag without a command, as in `sched --nonsense`. */
const unknownSharedFlag = ({ parts }: Group): SchedError => {
  const unknown = parts.find(({ wrong }) => wrong === 'unknown')!.words[0]!;
  const version: Pick<Flag, 'name'> = { name: 'version' };
  const suggestion = unknown === '-V' ? version : nearestFlag(unknown, [version, ...sharedFlags]);
  return usageError(
    [unknownFlag(unknown, suggestion, helpLine('--help'))],
    suggestion === version ? { hint: localCommand('--version') } : {},
  );
};

/**
 * Corrects a command line that names no command; `group` is how far it was understood. Throws if it can't be corrected.
 * `mistakes` are the problems that are already corrected.
 */
export const meantCommand = (
  argv: readonly string[],
  group: Group,
  { mistakes = [], isHelp = false }: Meanings,
): CorrectedLine => {
  const [word] = group.args;
  const isRoot = group.parent === null;
  if (word === '--' || (isRoot && word === 'help')) return withoutDashes(argv);
  if (isRoot && word === undefined) throw unknownSharedFlag(group);
  if (isRoot && isHelp) throw unknownTopic(word!);
  if (isRoot && word === 'version')
    throw usageError(['"version" is a flag, not a command'], { hint: localCommand('--version') });
  const correctedLine = isRoot ? correctNoun(argv, group) : isHelp ? undefined : correctVerb(argv, group);
  if (correctedLine === undefined)
    throw usageError([
      ...mistakes,
      isRoot ? `Unknown command "${word}" (see ${helpLine('--help')})` : unknownVerb(group, word),
    ]);
  return correctedLine;
};
