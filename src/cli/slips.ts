import { SchedError } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { scanWords } from './argv.ts';
import type { Command, Flag } from './command.ts';
import { findNoun, nouns } from './nouns.ts';

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

/** `sched list events`, `sched evnets list`. */
export const unknownNoun = (word: string, next: string | undefined): SchedError => {
  const other = next === undefined ? undefined : findNoun(next);
  if (other !== undefined)
    return usage(`'${word}' is not a noun; the noun comes first`, `sched ${other} ${verbSlips.get(word)?.[0] ?? word}`);
  const names = Object.entries(nouns).flatMap(([name, { singular }]) => [name, singular]);
  const meant = nearest(word, names);
  return usage(`'${word}' is not a command`, meant === undefined ? 'sched --help' : `sched ${findNoun(meant)}`);
};

/** `sched events ls`. */
export const unknownVerb = (noun: string, word: string, commands: readonly Command[]): SchedError => {
  const names = commands.map(({ name }) => name);
  const meant = verbSlips.get(word)?.find((verb) => names.includes(verb)) ?? nearest(word, names);
  return usage(
    `'${noun} ${word}' is not a command; there is ${names.join(', ')}`,
    meant === undefined ? `sched ${noun} --help` : `sched ${noun} ${meant}`,
  );
};

/** The problem with a flag nobody knows, and the one that was probably meant. */
export const unknownFlag = (word: string, flags: readonly Flag[]): string => {
  const [name = word] = word.split('=');
  const meant =
    flagSlips.get(name) ??
    nearest(
      name,
      flags.map((flag) => `--${flag.name}`),
    );
  const isKnown = meant !== undefined && flags.some((flag) => `--${flag.name}` === meant);
  return `${name} is not a flag here${isKnown ? `, did you mean ${meant}?` : ''}`;
};

/** `sched --nonsense`: flags without a command, the first that nobody knows. */
export const unknownWords = (words: readonly string[], flags: readonly Flag[]): SchedError | undefined => {
  const [strange] = scanWords(words, flags, () => false).unknown;
  return strange === undefined ? undefined : usage(unknownFlag(strange, flags), 'sched --help');
};
