import { fieldList } from '../settings.ts';
import { allFlags, knownFields } from './all-flags.ts';
import { findFlag, type Scan, scanWords } from './argv.ts';
import type { Command, Flag, Typed } from './command.ts';
import { commandLine } from './own-command.ts';
import { Problems } from './problems.ts';
import { flagMeant, unknownFlag } from './slips.ts';

/** A command's words, read: what is wrong with them is gathered, not thrown. */
export interface Parsed {
  /** Noun and verb. */
  name: string;
  args: string[];
  typed: Typed;
  /** The words as they were read: flags by their long names, values joined to them. */
  words: string[];
  problems: Problems;
  wantsHelp: boolean;
}

/**
 * What scanned words say: each is a flag by its long name with its value joined to it, or an argument. Commander would
 * read the same (a test compares them), but takes longer to load than the words to read.
 */
export const readWords = (words: readonly string[], flags: readonly Flag[]): { args: string[]; typed: Typed } => {
  const typed: Record<string, string | string[] | boolean> = {};
  const end = words.indexOf('--');
  const args = end < 0 ? [] : words.slice(end + 1);
  const first: string[] = [];
  for (const word of end < 0 ? words : words.slice(0, end)) {
    const flag = word.startsWith('--') ? findFlag(word, flags) : undefined;
    if (flag === undefined) first.push(word);
    else if (flag.value === undefined) typed[flag.name] = !(flag.negatable && word === `--no-${flag.name}`);
    else {
      const value = word.slice(word.indexOf('=') + 1);
      typed[flag.name] = flag.repeat ? [...((typed[flag.name] as string[] | undefined) ?? []), value] : value;
    }
  }
  return { args: [...first, ...args], typed };
};

/** Adds what is wrong with single flags, each with the whole command as it was probably meant. */
const reportSlips = (command: Command, name: string, rest: readonly string[], scan: Scan, problems: Problems): void => {
  const flags = allFlags(command);
  const { unknown, valueless, overvalued } = scan;
  const meant = new Map(unknown.map((flag) => [flag, flagMeant(flag, flags)]));
  const placeholder = (word: string) => findFlag(word, flags)?.value ?? 'VALUE';
  // What is sent as it is may hold anything, also what nobody should read over a shoulder.
  const isPlain = !command.freeForm && [...meant.values()].every((flag) => flag !== undefined);
  const mendedWord = (word: string): string[] => {
    const better = meant.get(word);
    if (better !== undefined) return [word.replace(/^[^=]+/, better)];
    const bare = word.replace(/=.*/s, '');
    return [bare !== word && overvalued.includes(bare) ? bare : word];
  };
  const mended = isPlain
    ? commandLine(...name.split(' '), ...rest.flatMap(mendedWord), ...valueless.slice(0, 1).map(placeholder))
    : `sched ${name} --help`;
  for (const flag of unknown) problems.slip(unknownFlag(flag, flags), mended);
  for (const flag of valueless) problems.slip(`${flag} needs a value`, mended);
  for (const flag of overvalued) problems.slip(`${flag} takes no value`, mended);
};

export const parseWords = (command: Command, name: string, rest: readonly string[]): Parsed => {
  const flags = allFlags(command);
  const fields = knownFields(command);
  const isField = (word: string) => fieldList(word).every((field) => fields.includes(field.split('.')[0]!));
  const scan = scanWords(rest, flags, isField);
  const { words, unknown } = scan;
  const problems = new Problems(`sched ${command.examples[0]}`);
  reportSlips(command, name, rest, scan, problems);

  const end = words.indexOf('--');
  const isHelp = (word: string, index: number) => (end < 0 || index < end) && (word === '--help' || word === '-h');
  if (words.some(isHelp)) return { name, args: [], typed: {}, words, problems, wantsHelp: true };

  const { args, typed } = readWords(words, flags);
  const isVariadic = command.arguments.at(-1)?.variadic === true;
  // Behind an unknown flag stands perhaps its value, so nothing is said of arguments then.
  if (!isVariadic && !command.freeForm && args.length > command.arguments.length && unknown.length === 0) {
    problems.add(`'${args[command.arguments.length]}' is one argument too many`);
  }
  return { name, args, typed, words, problems, wantsHelp: false };
};
