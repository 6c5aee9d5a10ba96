import { fieldList } from '../settings.ts';
import { scanWords } from './argv.ts';
import type { Command, Typed } from './command.ts';
import { Problems } from './problems.ts';
import { allFlags, knownFields, leafOf, typedOf } from './program.ts';
import { unknownFlag } from './slips.ts';

/** A command's words, read: what is wrong with them is gathered, not thrown. */
export interface Parsed {
  args: string[];
  typed: Typed;
  /** The words as Commander read them: flags by their long names, values joined to them. */
  words: string[];
  problems: Problems;
  wantsHelp: boolean;
}

export const parseWords = (command: Command, rest: readonly string[]): Parsed => {
  const flags = allFlags(command);
  const fields = knownFields(command);
  const isField = (word: string) => fieldList(word).every((field) => fields.includes(field.split('.')[0]!));
  const { words, unknown, valueless, overvalued } = scanWords(rest, flags, isField);
  const problems = new Problems(`sched ${command.examples[0]}`);
  for (const flag of unknown) problems.add(unknownFlag(flag, flags));
  for (const flag of valueless) problems.add(`${flag} needs a value`);
  for (const flag of overvalued) problems.add(`${flag} takes no value`);

  const end = words.indexOf('--');
  const isHelp = (word: string, index: number) => (end < 0 || index < end) && (word === '--help' || word === '-h');
  if (words.some(isHelp)) return { args: [], typed: {}, words, problems, wantsHelp: true };

  const leaf = leafOf(command);
  leaf.parse(words, { from: 'user' });
  const { args } = leaf;
  const isVariadic = command.arguments.at(-1)?.variadic === true;
  // Behind an unknown flag stands perhaps its value, so nothing is said of arguments then.
  if (!isVariadic && !command.freeForm && args.length > command.arguments.length && unknown.length === 0) {
    problems.add(`'${args[command.arguments.length]}' is one argument too many`);
  }
  return { args, typed: typedOf(leaf, command), words, problems, wantsHelp: false };
};
