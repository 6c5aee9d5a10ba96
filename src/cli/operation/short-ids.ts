import { type Collection, collections } from '../../api/collections.ts';
import { shortestId } from '../../base/uri.ts';
import { isPlainId } from '../../client/ids.ts';
import type { Command, Invocation } from '../command.ts';
import type { Given, Raw } from '../input/given.ts';
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
  const { context, given, problems } = invocation;
  const whole = async <Word>(word: Word, collection: Collection | undefined): Promise<Word | string> => {
    if (collection === undefined || !mayBeShort(word) || word === collections[collection].self) return word;
    const ids = await recallIds(context.runtime, context.settings, collection, word);
    if (ids.length > 1)
      problems.add(`${ids.length} IDs of ${collections[collection].singular}s begin with "${word}": ${ids.join(', ')}`);
    if (ids.length !== 1 || ids[0] === word) return word;
    problems.own?.replace(word, ids[0]!);
    return ids[0]!;
  };
  const completed: Record<string, Given[string]> = { ...given };
  for (const { name, collection } of [...command.arguments, ...command.flags]) {
    const value = given[name];
    if (Array.isArray(value)) completed[name] = await Promise.all(value.map((each) => whole(each, collection)));
    else if (value !== undefined) completed[name] = await whole(value as Raw, collection);
  }
  return { ...invocation, given: completed };
};
