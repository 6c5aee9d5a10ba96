import type { Command as Commander } from 'commander';
import { SchedError } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import { idIn } from '../../uri.ts';
import type { Flag } from '../command.ts';
import { findNoun, nouns } from '../commands/registry.ts';
import { topics } from '../help/topics.ts';
import { sharedFlags } from './shared-flags.ts';

/** Names that other tools use for our verbs. */
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

/** For an unknown help topic, as in `sched help times`. */
export const unknownTopic = (word: string): SchedError => {
  const meant = nearest(word, [...Object.keys(topics), ...Object.keys(nouns)]);
  return usage(
    `No help topic "${word}". Topics: ${Object.keys(topics).join(', ')}`,
    `sched help${meant === undefined ? '' : ` ${meant}`}`,
  );
};

/** For an unknown first word, as in `sched list events` or `sched evnets list`. */
export const unknownNoun = (word: string, next: string | undefined): SchedError => {
  if (word === 'version') return usage('"version" is a flag, not a command', 'sched --version');
  const other = next === undefined ? undefined : findNoun(next);
  if (other !== undefined)
    return usage(
      `Unknown command "${word}". Put "${other}" first`,
      `sched ${other} ${verbSlips.get(word)?.[0] ?? word}`,
    );
  const names = Object.entries(nouns).flatMap(([name, { singular }]) => [name, singular]);
  const meant = nearest(word, names);
  return usage(`Unknown command "${word}"`, meant === undefined ? 'sched --help' : `sched ${findNoun(meant)}`);
};

/** For an unknown verb, as in `sched events ls`. */
export const unknownVerb = (noun: Commander, word: string): SchedError => {
  const names = noun.commands.map((verb) => verb.name());
  const meant = verbSlips.get(word)?.find((verb) => names.includes(verb)) ?? nearest(word, names);
  return usage(
    `Unknown command "${noun.name()} ${word}". Available: ${names.join(', ')}`,
    meant === undefined ? `sched ${noun.name()} --help` : `sched ${noun.name()} ${meant}`,
  );
};

const nameIn = (word: string): string => word.split('=')[0]!;

/** The flag that was probably meant by an unknown one. */
export const nearestFlag = (word: string, flags: readonly Flag[]): string | undefined => {
  const known = flags.map((flag) => `--${flag.name}`);
  const meant = flagSlips.get(nameIn(word)) ?? nearest(nameIn(word), known);
  return meant !== undefined && known.includes(meant) ? meant : undefined;
};

/** The message for an unknown flag, with the flag that was probably meant. */
export const unknownFlag = (word: string, flags: readonly Flag[]): string => {
  const meant = nearestFlag(word, flags);
  return `Unknown flag ${nameIn(word)}${meant === undefined ? '' : `. Did you mean ${meant}?`}`;
};

/** For a noun without a verb, as in `sched events`. */
export const missingVerb = (noun: Commander): SchedError =>
  usage(
    `"sched ${noun.name()}" needs a subcommand: ${noun.commands.map((verb) => verb.name()).join(', ')}`,
    `sched ${noun.name()} --help`,
  );

/** For a misplaced `--`, as in `sched -- events list` or `sched events -- list`. */
export const misplacedDashes = (): SchedError =>
  usage('Misplaced "--". Put it after the command', 'sched events get -- ID');

/** For flags without a command, as in `sched --nonsense`: names the first unknown flag. */
export const unknownSharedFlag = (words: readonly string[]): SchedError | undefined => {
  const isKnown = (word: string) =>
    ['--help', '-h'].includes(word) ||
    sharedFlags.some(({ name, short }) => nameIn(word) === `--${name}` || word === `-${short}`);
  const unknown = words.find((word) => word.startsWith('-') && !isKnown(word));
  if (unknown === undefined) return undefined;
  return usage(unknownFlag(unknown, sharedFlags), unknown === '-V' ? 'sched --version' : 'sched --help');
};

/** If the service doesn't know a typed ID, suggests the noun's `list` command, unless that needs arguments. */
export const unknownId = (error: unknown, args: readonly string[], noun: Commander): unknown => {
  if (!(error instanceof SchedError) || error.category !== 'not-found' || error.facts.hint !== undefined) return error;
  const segments = error.facts.http?.path.split('/') ?? [];
  const isTyped = args.some((arg) => segments.includes(idIn(arg)));
  const list = noun.commands.find((verb) => verb.name() === 'list');
  if (!isTyped || list === undefined || list.registeredArguments.length > 0) return error;
  return new SchedError('not-found', error.message, { ...error.facts, hint: `sched ${noun.name()} list` });
};
