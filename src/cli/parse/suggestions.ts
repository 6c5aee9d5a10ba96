import type { Command as Commander } from 'commander';
import { SchedError } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import { idIn } from '../../uri.ts';
import type { Flag } from '../command.ts';
import { findNoun, nouns } from '../commands/registry.ts';
import { topics } from '../help/topics.ts';
import { sharedFlags } from './shared-flags.ts';

/** What other tools call it. */
const verbSlips = new Map<string, string[]>(
  Object.entries({
    ls: ['list'],
    show: ['get'],
    view: ['get'],
    describe: ['get'],
    rm: ['cancel', 'delete', 'remove'],
    delete: ['cancel', 'remove'],
    new: ['create'],
    add: ['create'],
    book: ['create'],
    edit: ['update'],
  }),
);

const flagSlips = new Map<string, string>(
  Object.entries({
    '-L': '--limit',
    '-f': '--fields',
    '--format': '--output',
    '--count': '--page-size',
  }),
);

const usage = (message: string, hint: string): SchedError =>
  new SchedError('usage', message, { hint, outcome: 'not-sent' });

/** `sched help times`: a page of help that is not there under this name. */
export const unknownTopic = (word: string): SchedError => {
  const meant = nearest(word, [...Object.keys(topics), ...Object.keys(nouns)]);
  return usage(
    `there is no help on '${word}'; the topics are ${Object.keys(topics).join(', ')}`,
    `sched help${meant === undefined ? '' : ` ${meant}`}`,
  );
};

/** `sched list events`, `sched evnets list`. */
export const unknownNoun = (word: string, next: string | undefined): SchedError => {
  if (word === 'version') return usage("'version' is a flag, not a command", 'sched --version');
  const other = next === undefined ? undefined : findNoun(next);
  if (other !== undefined)
    return usage(`'${word}' is not a noun; the noun comes first`, `sched ${other} ${verbSlips.get(word)?.[0] ?? word}`);
  const names = Object.entries(nouns).flatMap(([name, { singular }]) => [name, singular]);
  const meant = nearest(word, names);
  return usage(`'${word}' is not a command`, meant === undefined ? 'sched --help' : `sched ${findNoun(meant)}`);
};

/** `sched events ls`. */
export const unknownVerb = (noun: Commander, word: string): SchedError => {
  const names = noun.commands.map((verb) => verb.name());
  const meant = verbSlips.get(word)?.find((verb) => names.includes(verb)) ?? nearest(word, names);
  return usage(
    `'${noun.name()} ${word}' is not a command; there is ${names.join(', ')}`,
    meant === undefined ? `sched ${noun.name()} --help` : `sched ${noun.name()} ${meant}`,
  );
};

const nameIn = (word: string): string => word.split('=')[0]!;

/** The flag that was probably meant by one nobody knows. */
export const nearestFlag = (word: string, flags: readonly Flag[]): string | undefined => {
  const known = flags.map((flag) => `--${flag.name}`);
  const meant = flagSlips.get(nameIn(word)) ?? nearest(nameIn(word), known);
  return meant !== undefined && known.includes(meant) ? meant : undefined;
};

/** The problem with a flag nobody knows, and the one that was probably meant. */
export const unknownFlag = (word: string, flags: readonly Flag[]): string => {
  const meant = nearestFlag(word, flags);
  return `${nameIn(word)} is not a flag here${meant === undefined ? '' : `, did you mean ${meant}?`}`;
};

/** `sched events`. */
export const missingVerb = (noun: Commander): SchedError =>
  usage(
    `'sched ${noun.name()}' needs a verb: ${noun.commands.map((verb) => verb.name()).join(', ')}`,
    `sched ${noun.name()} --help`,
  );

/** `sched -- events list`, `sched events -- list`. */
export const misplacedDashes = (): SchedError =>
  usage("'--' comes before the command; put it behind the command's own words", 'sched events get -- ID');

/** `sched --nonsense`: flags without a command, of which the first one that is unknown is named. */
export const unknownSharedFlag = (words: readonly string[]): SchedError | undefined => {
  const isKnown = (word: string) =>
    ['--help', '-h'].includes(word) ||
    sharedFlags.some(({ name, short }) => nameIn(word) === `--${name}` || word === `-${short}`);
  const strange = words.find((word) => word.startsWith('-') && !isKnown(word));
  if (strange === undefined) return undefined;
  return usage(unknownFlag(strange, sharedFlags), strange === '-V' ? 'sched --version' : 'sched --help');
};

/** An ID that the service does not know: those it does are in the noun's list, where that needs nothing else. */
export const unknownId = (error: unknown, args: readonly string[], noun: Commander): unknown => {
  if (!(error instanceof SchedError) || error.category !== 'not-found' || error.facts.hint !== undefined) return error;
  const segments = error.facts.http?.path.split('/') ?? [];
  const isTyped = args.some((arg) => segments.includes(idIn(arg)));
  const list = noun.commands.find((verb) => verb.name() === 'list');
  if (!isTyped || list === undefined || list.registeredArguments.length > 0) return error;
  return new SchedError('not-found', error.message, { ...error.facts, hint: `sched ${noun.name()} list` });
};
