import type { Argument, Flag, ParsedCommand } from '../command.ts';
import type { Given } from '../input/given.ts';
import { Problems } from '../messages/problems.ts';
import type { Here } from '../messages/suggested-line.ts';
import { allFlags, argumentRoom } from './all-flags.ts';
import { Leaf } from './leaf.ts';
import type { Part } from './line-part.ts';
import { OwnCommand } from './own-command.ts';

/**
 * Adds a problem for each flag that is given more often than it can take: keeping only the last value would hide a
 * mistake. A switch may be repeated. So may a bare `--json`, because it has no value.
 */
const reportRepetitions = (parts: readonly Part[], flags: readonly Flag[], problems: Problems): void => {
  for (const { name, kind, repeat, optional, negatable } of flags) {
    const values = parts.filter(({ flag }) => flag === name).map((part) => part.value);
    const isSingle = kind.value !== undefined && !repeat;
    if (isSingle && values.length > 1 && !(optional && values.every((each) => !each)))
      problems.add(`--${name} can only be given once`);
    if (negatable && values.length > 0 && parts.some(({ flag }) => flag === `no-${name}`))
      problems.add(`--${name} and --no-${name} can't be used together`);
  }
};

/** Whether a flag or the number of arguments is wrong. A value may belong to another flag. */
const isWrong = ({ parts, args, definition }: Leaf, flags: readonly Flag[]): boolean =>
  args.length > argumentRoom(definition) ||
  parts.some(({ wrong, flag, value }) => {
    const choices = flags.find(({ name }) => name === flag)?.choices;
    return wrong !== undefined || (value !== undefined && choices?.includes(value) === false);
  });

/** Arguments by name. The last one may take all that are left. */
const byPlace = (parameters: readonly Argument[], args: readonly string[]): Given =>
  Object.fromEntries(
    parameters.flatMap(({ name, variadic }, index) =>
      index < args.length ? [[name, variadic ? args.slice(index) : args[index]]] : [],
    ),
  );

/** A value to show where one is missing: the word for the user's own record, or a placeholder in capitals. */
const flagPlaceholder = ({ kind: { value = '' }, suggestions }: Flag): string =>
  suggestions?.[0] ?? value.split('|').find((part) => part === part.toUpperCase()) ?? value.toUpperCase();

/**
 * Returns what Commander parsed, with the problems so far. `here` is the account that the environment chose. `mistakes` are
 * the problems of the command's name.
 */
export const readLeaf = async (leaf: Leaf, here: Here, mistakes: readonly string[] = []): Promise<ParsedCommand> => {
  const { definition: command, path: name } = leaf;
  const flags = allFlags(command);
  const correction = isWrong(leaf, flags) ? (await import('./correct-words.ts')).correctParts(leaf) : undefined;
  const parts = correction?.parts ?? leaf.parts;
  const problems = new Problems(() => {
    const placeholders = new Map(flags.map((flag) => [flag.name, flagPlaceholder(flag)]));
    // Don't repeat the arguments of a free-form command: they may contain private data.
    return new OwnCommand(name, parts, placeholders, here, command.freeForm);
  });
  for (const mistake of mistakes) problems.add(mistake, () => {});
  for (const { text, fix } of correction?.problems ?? []) problems.add(text, fix);
  if (correction?.isUnclear) problems.check();
  const correctedLeaf = correction === undefined ? leaf : new Leaf(leaf.name()).describe(command).action(() => {});
  if (correction !== undefined)
    correctedLeaf.parse(
      parts.flatMap(({ words }) => words),
      { from: 'user' },
    );
  reportRepetitions(correctedLeaf.parts, flags, problems);
  const given = { ...correctedLeaf.opts(), ...byPlace(command.arguments, correctedLeaf.args) };
  return { name, given, parts: correctedLeaf.parts, problems };
};
