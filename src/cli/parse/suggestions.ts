import type { Command as Commander } from 'commander';
import { hasCategory, SchedError, usageError } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import { idIn } from '../../uri.ts';
import type { Flag } from '../command.ts';
import { findNoun, nouns, singularOf } from '../commands/registry.ts';
import { topics } from '../help/topics.ts';
import { commandLine } from '../messages/command-lines.ts';
import type { CommandWords } from './argv.ts';
import { nameIn, nearestFlag, unknownFlag } from './correct-words.ts';
import { sharedFlags } from './shared-flags.ts';
import { detours, nounSlips, verbSlips } from './slips.ts';
import { isFlag } from './tokens.ts';

/** A command line whose command exists, and what was wrong with the typed one. */
export interface Meant {
  argv: string[];
  problem: string;
}

const nounWords = () => Object.keys(nouns).flatMap((name) => [name, singularOf(name)]);

/** The noun that a word names or resembles. */
export const nearestNoun = (word: string): string | undefined =>
  findNoun(word) ?? findNoun(nearest(word.replaceAll('_', '-'), nounWords()) ?? '');

/** The index of the first word, up to `--`, for which the condition holds. */
const indexOfWord = (words: readonly string[], fits: (word: string) => boolean): number => {
  const end = words.indexOf('--');
  return words.slice(0, end < 0 ? words.length : end).findIndex((word) => !isFlag(word) && fits(word));
};

const isSharedFlag = (word: string): boolean =>
  ['--help', '-h'].includes(word) ||
  sharedFlags.some(({ name, short }) => nameIn(word) === `--${name}` || word === `-${short}`);

/** For an unknown topic, as in `sched help times`. */
export const unknownTopic = (word: string): SchedError => {
  const meant = nearest(word, [...Object.keys(topics), ...Object.keys(nouns)]);
  return usageError(
    [`No help topic "${word}". Topics: ${Object.keys(topics).join(', ')}`],
    meant === undefined ? {} : { hint: `sched help ${meant}` },
  );
};

/** Corrects an unknown first word, as in `sched list events` or `sched evnets list`. */
export const meantNoun = (argv: readonly string[], { noun: word = '', early }: CommandWords): Meant | undefined => {
  const [before, after] = [argv.slice(0, early), argv.slice(early + 1)];
  const instead = (...words: string[]): Meant => ({
    argv: [...before, ...words, ...after],
    problem: `Unknown command "${word}". Did you mean "${words.join(' ')}"?`,
  });
  if (word === 'sched') return { argv: [...before, ...after], problem: 'Leave out the second "sched"' };
  const pair = `${word}-${after[0]}`;
  if (findNoun(pair) !== undefined)
    return {
      argv: [...before, pair, ...after.slice(1)],
      problem: `Unknown command "${word} ${after[0]}". Did you mean "${pair}"?`,
    };
  const near = nearestNoun(word);
  if (near !== undefined) return instead(near);
  const place = indexOfWord(after, (each) => findNoun(each) !== undefined);
  if (place >= 0) {
    const noun = findNoun(after[place]!)!;
    // In `--limit 3 events list` the word is the value of a flag. Only shared flags can come before the command.
    const isValue = before.length > 0 && !isSharedFlag(before.at(-1)!);
    const others = after.toSpliced(place, 1);
    return {
      argv: isValue
        ? [noun, ...after.slice(place + 1), ...before, word, ...after.slice(0, place)]
        : [...before, noun, word, ...others],
      problem: `Unknown command "${word}". Put "${noun}" first`,
    };
  }
  const slip = nounSlips.get(word);
  return slip === undefined ? undefined : instead(...slip.split(' '));
};

/** The verb to suggest if none was typed. It must not change anything. */
const usualVerb = (verbs: readonly string[]): string | undefined => {
  const usual = verbs.length === 1 ? verbs[0] : 'list';
  return usual !== undefined && ['list', 'get'].includes(usual) && verbs.includes(usual) ? usual : undefined;
};

/** Corrects a missing or unknown verb, as in `sched events ls` or `sched events --limit 3`. */
export const meantVerb = (argv: readonly string[], noun: Commander, early: number): Meant | undefined => {
  const verbs = noun.commands.map((verb) => verb.name());
  const [before, after] = [argv.slice(0, early), argv.slice(early + 1)];
  const meant = (verb: string, rest: readonly string[], problem: string): Meant => ({
    argv: [...before, noun.name(), verb, ...rest],
    problem,
  });
  const [word] = after;
  const pair = [noun.name(), noun.alias()].map((name) => findNoun(`${name}-${word}`)).find((each) => each);
  if (pair !== undefined)
    return {
      argv: [...before, pair, ...after.slice(1)],
      problem: `Unknown command "${noun.name()} ${word}". Did you mean "${pair}"?`,
    };
  const place = indexOfWord(after, (each) => verbs.includes(each));
  if (place >= 0)
    return meant(after[place]!, after.toSpliced(place, 1), `Put "${after[place]}" right after "${noun.name()}"`);
  if (word === undefined || isFlag(word)) {
    const usual = usualVerb(verbs);
    return usual === undefined ? undefined : meant(usual, after, needsVerb(noun));
  }
  const detour = detours.get(`${noun.name()} ${word}`);
  if (detour !== undefined)
    return {
      argv: [...before, ...detour.command.split(' '), ...after.slice(1), ...detour.flags],
      problem: `Unknown command "${noun.name()} ${word}". ${detour.why}`,
    };
  const verb = verbSlips.get(word)?.find((each) => verbs.includes(each)) ?? nearest(word, verbs);
  if (verb === undefined) return undefined;
  const name = `${noun.name()} ${word}`;
  return meant(verb, after.slice(1), `Unknown command "${name}". Did you mean "${noun.name()} ${verb}"?`);
};

const verbsOf = (noun: Commander): string => noun.commands.map((verb) => verb.name()).join(', ');

const needsVerb = (noun: Commander): string => `"sched ${noun.name()}" needs a subcommand: ${verbsOf(noun)}`;

export const unknownNoun = (word: string): string => `Unknown command "${word}" (see sched --help)`;

export const unknownVerb = (noun: Commander, word: string | undefined): string =>
  word === undefined ? needsVerb(noun) : `Unknown command "${noun.name()} ${word}". Available: ${verbsOf(noun)}`;

/** For a misplaced `--`, as in `sched -- events list` or `sched events -- list`. */
export const misplacedDashes = (argv: readonly string[]): SchedError =>
  usageError(['Misplaced "--". Put it after the command'], {
    hint: commandLine(...argv.toSpliced(argv.indexOf('--'), 1)),
  });

/** For flags without a command, as in `sched --nonsense`: names the first unknown flag. */
export const unknownSharedFlag = (words: readonly string[]): SchedError | undefined => {
  const unknown = words.find((word) => word.startsWith('-') && !isSharedFlag(word));
  if (unknown === undefined) return undefined;
  const version: Flag = { name: 'version', description: '', heading: 'Output' };
  const meant = unknown === '-V' ? version : nearestFlag(unknown, [version, ...sharedFlags]);
  return usageError(
    [unknownFlag(unknown, meant, 'sched --help')],
    meant === version ? { hint: 'sched --version' } : {},
  );
};

/** If the service doesn't know a typed ID, suggests the noun's `list` command, unless that needs arguments. */
export const unknownId = (error: unknown, args: readonly string[], noun: Commander): unknown => {
  if (!hasCategory(error, 'not-found') || error.facts.hint !== undefined) return error;
  const segments = error.facts.http?.path.split('/') ?? [];
  const isTyped = args.some((arg) => segments.includes(idIn(arg)));
  const list = noun.commands.find((verb) => verb.name() === 'list');
  if (!isTyped || list === undefined || list.registeredArguments.length > 0) return error;
  return new SchedError('not-found', error.message, { ...error.facts, hint: { command: [noun.name(), 'list'] } });
};
