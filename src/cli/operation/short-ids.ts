import { type Collection, collections } from '../../api/collections.ts';
import { isPlainId } from '../../client/ids.ts';
import { shortestId } from '../../uri.ts';
import type { Command, Invocation, Typed } from '../command.ts';
import { recallIds } from '../session/recent-records.ts';

/** Nobody types more of an ID than this by hand. */
const longest = 15;

const mayBeShort = (word: unknown): word is string =>
  typeof word === 'string' && word.length >= shortestId && word.length <= longest && isPlainId(word);

/**
 * Replaces the unique beginnings of IDs that a terminal showed lately with those IDs. A word that no such ID begins with
 * stays as it is: it may be a name.
 */
export const withWholeIds = async (command: Command, invocation: Invocation): Promise<Invocation> => {
  const { context, args, typed, problems } = invocation;
  const whole = async <Word>(word: Word, collection: Collection | undefined): Promise<Word | string> => {
    if (collection === undefined || !mayBeShort(word) || word === collections[collection].self) return word;
    const ids = await recallIds(context.runtime, context.settings, collection, word);
    if (ids.length > 1)
      problems.add(`${ids.length} IDs of ${collections[collection].singular}s begin with "${word}": ${ids.join(', ')}`);
    if (ids.length !== 1 || ids[0] === word) return word;
    problems.own?.replace(word, ids[0]!);
    return ids[0]!;
  };
  const wholeArgs: string[] = [];
  for (const [index, arg] of args.entries()) {
    const last = command.arguments.at(-1);
    const argument = command.arguments[index] ?? (last?.variadic ? last : undefined);
    wholeArgs.push(await whole(arg, argument?.collection));
  }
  const wholeTyped: Record<string, Typed[string]> = { ...typed };
  for (const flag of command.flags) {
    const value = typed[flag.name];
    if (Array.isArray(value))
      wholeTyped[flag.name] = await Promise.all(value.map((each) => whole(each, flag.collection)));
    else if (value !== undefined) wholeTyped[flag.name] = await whole(value, flag.collection);
  }
  return { ...invocation, args: wholeArgs, typed: wholeTyped };
};
