import { type Collection, collections } from '../../api/collections.ts';
import { SchedError } from '../../base/errors.ts';
import { shortestId } from '../../base/uri.ts';
import { isPlainId } from '../../client/ids.ts';
import type { Command, Invocation } from '../command.ts';
import type { Given, Raw } from '../input/given.ts';
import type { Shell } from '../session/context.ts';
import { recallIds } from '../session/recent-records.ts';

/** Nobody types more of an ID than this by hand. */
const longest = 15;

const mayBeShort = (word: unknown): word is string =>
  typeof word === 'string' && word.length >= shortestId && word.length <= longest && isPlainId(word);

/** Whether the command writes without a question: nobody would see which record a beginning means. */
const writesUnseen = ({ operation, effect }: Command, { yes, dryRun }: Shell['settings']): boolean =>
  yes &&
  !dryRun &&
  (effect === 'change' || effect === 'any' || (operation !== undefined && operation.method !== 'GET'));

/**
 * Whether a person typed this command: they can answer, whatever its output goes to. On Windows the console can be opened
 * without a person in front of it, so stdin must be one.
 */
const isTyped = ({ settings, runtime: { platform, stdin } }: Shell): boolean =>
  settings.canAsk && (platform !== 'win32' || stdin.isTerminal);

/** The IDs of records shown lately that begin with each word of a command, where a word may be an ID. */
const idsByWord = async (
  command: Command,
  { context: { runtime, settings }, given }: Invocation,
): Promise<{ word: string; collection: Collection; ids: string[] }[]> => {
  const words = [...command.arguments, ...command.flags].flatMap(({ name, collection }) =>
    collection === undefined ? [] : [given[name]].flat().map((word) => ({ word, collection })),
  );
  const short = words.flatMap(({ word, collection }) =>
    mayBeShort(word) && word !== collections[collection].self ? [{ word, collection }] : [],
  );
  return Promise.all(
    short.map(async (each) => ({ ...each, ids: await recallIds(runtime, settings, each.collection, each.word) })),
  );
};

/**
 * Replaces the unique beginnings of IDs that a terminal showed lately with those IDs, for a person. A word that no such ID
 * begins with stays as it is: it may be a name.
 */
export const withWholeIds = async (command: Command, invocation: Invocation, shell: Shell): Promise<Invocation> => {
  const { given, problems } = invocation;
  if (!isTyped(shell) || writesUnseen(command, shell.settings)) return invocation;
  const found = await idsByWord(command, invocation);
  for (const { word, collection, ids } of found)
    if (ids.length > 1)
      problems.add(`${ids.length} IDs of ${collections[collection].singular}s begin with "${word}": ${ids.join(', ')}`);
  const completed: Record<string, Given[string]> = { ...given };
  for (const { name, collection } of [...command.arguments, ...command.flags]) {
    const whole = <Word>(word: Word): Word | string => {
      const ids = found.find((each) => each.collection === collection && each.word === word)?.ids ?? [];
      if (ids.length !== 1 || ids[0] === word) return word;
      problems.own?.replace(String(word), ids[0]!);
      return ids[0]!;
    };
    const value = given[name];
    if (Array.isArray(value)) completed[name] = value.map(whole);
    else if (value !== undefined) completed[name] = whole(value as Raw);
  }
  return { ...invocation, given: completed };
};

/** If the service doesn't know an ID of which a terminal showed more, says so and names the whole ID. */
export const explainShortId = async (
  error: unknown,
  command: Command,
  invocation: Invocation,
  shell: Shell,
): Promise<unknown> => {
  if (!(error instanceof SchedError) || error.category !== 'not-found') return error;
  const beginnings = (await idsByWord(command, invocation)).flatMap(({ word, ids: [id, ...others] }) =>
    id !== undefined && id !== word && others.length === 0 ? [{ from: word, to: id }] : [],
  );
  if (beginnings.length === 0) return error;
  const where = isTyped(shell) ? 'without --yes' : 'on a terminal';
  const told = beginnings.map(({ from, to }) => `"${from}" is the beginning of ${to}`).join(', and ');
  const { hint: _, ...details } = error.details;
  const explained = new SchedError(error.category, error.sentence, {
    ...details,
    advice: `${told}: four characters are only enough ${where}`,
    corrections: beginnings,
  });
  return Object.assign(explained, { cause: error });
};
