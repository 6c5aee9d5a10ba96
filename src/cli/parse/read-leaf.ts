import type { Flag, Parsed } from '../command.ts';
import { Problems } from '../messages/problems.ts';
import { allFlags } from './all-flags.ts';
import { correctTokens, placeholderOf } from './correct-words.ts';
import { Leaf } from './leaf.ts';
import { OwnCommand } from './own-command.ts';
import { tokensOf } from './tokens.ts';

interface Typed {
  /** How many words of `rest` were typed before the command. */
  early?: number;
  /** Problems with the command's name, which is already corrected. */
  slips?: readonly string[];
}

/**
 * Adds a problem for each flag that is given more often than it can take: keeping only the last value would hide a
 * mistake. A switch may be repeated. So may a bare `--json`, because it has no value.
 */
const reportRepetitions = ({ inOrder }: Leaf, flags: readonly Flag[], problems: Problems): void => {
  for (const { name, value, repeat, optional, negatable } of flags) {
    const values = inOrder.filter(([each]) => each === name).map(([, each]) => each);
    const isSingle = value !== undefined && !repeat;
    if (isSingle && values.length > 1 && !(optional && values.every((each) => !each)))
      problems.add(`--${name} can only be given once`);
    if (negatable && values.length > 0 && inOrder.some(([each]) => each === `no-${name}`))
      problems.add(`--${name} and --no-${name} can't be used together`);
  }
};

/** Returns a command's arguments and flags as Commander parsed them. `rest` is everything after the command's name. */
export const readLeaf = (
  leaf: Leaf,
  name: string,
  rest: readonly string[],
  { early = 0, slips = [] }: Typed = {},
): Parsed => {
  const { definition: command } = leaf;
  const flags = allFlags(command);
  const {
    tokens,
    problems: found,
    isUnclear,
  } = correctTokens(tokensOf(leaf.joined(rest), leaf.options, early), command, flags, name);
  const placeholder = (wanted: string) => {
    const flag = flags.find((each) => each.name === wanted);
    return flag && placeholderOf(flag);
  };
  // Don't repeat the arguments of a free-form command: they may contain private data.
  const problems = new Problems(
    new OwnCommand({ name, tokens, placeholderOf: placeholder, isPrivate: command.freeForm === true }),
  );
  const corrected = () => {};
  for (const slip of slips) problems.add(slip, corrected);
  for (const { text, isFixed } of found) problems.add(text, isFixed ? corrected : undefined);
  if (isUnclear) problems.check();
  const meant = found.length === 0 ? leaf : new Leaf(leaf.name()).define(command).action(() => {});
  if (meant !== leaf) {
    const words = tokens.flatMap((token) => (token.isPlaceholder ? [] : token.words));
    meant.parse(words, { from: 'user' });
  }
  reportRepetitions(meant, flags, problems);
  return { name, args: meant.args, typed: meant.opts(), inOrder: meant.inOrder, rest, problems };
};
