import type { Command, Parsed } from '../command.ts';
import { Problems } from '../messages/problems.ts';
import { commandLine } from '../messages/shell-line.ts';
import { allFlags } from './all-flags.ts';
import type { Leaf } from './leaf.ts';
import { nearestFlag, unknownFlag } from './suggestions.ts';

/** Adds the problems of single flags, each with the command as it was probably meant. */
const reportTypos = (leaf: Leaf, name: string, rest: readonly string[], problems: Problems): void => {
  const { definition: command, unknownFlags, missingValues } = leaf;
  const flags = allFlags(command);
  const bare = (word: string) => word.replace(/=.*/s, '');
  const switches = new Set(flags.filter(({ value }) => value === undefined).map((flag) => `--${flag.name}`));
  const overvalued = unknownFlags.filter((word) => switches.has(bare(word)));
  const unknown = unknownFlags.filter((word) => !overvalued.includes(word));
  const meant = new Map(unknown.map((word) => [word, nearestFlag(word, flags)]));
  // Don't repeat the arguments of a free-form command: they may contain private data.
  const isPlain = !command.freeForm && [...meant.values()].every((flag) => flag !== undefined);
  const correctedWord = (word: string): string => {
    const better = meant.get(word);
    if (better !== undefined) return word.replace(/^[^=]+/, better);
    return overvalued.includes(word) ? bare(word) : word;
  };
  const placeholders = missingValues.map((flag) => flags.find((each) => `--${each.name}` === flag)!.value!);
  const corrected = isPlain
    ? commandLine(...name.split(' '), ...rest.map(correctedWord), ...placeholders)
    : `sched ${name} --help`;
  for (const flag of unknown) problems.typo(unknownFlag(flag, flags), corrected);
  for (const flag of missingValues) problems.typo(`${flag} needs a value`, corrected);
  for (const flag of overvalued) problems.typo(`${bare(flag)} doesn't take a value`, corrected);
};

/**
 * Adds a problem for each flag that is given more often than it can take: keeping only the last value would hide a
 * mistake. A switch may be repeated. So may a bare `--json`, because it has no value.
 */
const reportRepetitions = ({ definition: command, inOrder }: Leaf, problems: Problems): void => {
  for (const { name, value, repeat, optional, negatable } of allFlags(command)) {
    const values = inOrder.filter(([each]) => each === name).map(([, each]) => each);
    const isSingle = value !== undefined && !repeat;
    if (isSingle && values.length > 1 && !(optional && values.every((each) => !each)))
      problems.add(`--${name} can only be given once`);
    if (negatable && values.length > 0 && inOrder.some(([each]) => each === `no-${name}`))
      problems.add(`--${name} and --no-${name} can't be used together`);
  }
};

const hasPlaceFor = ({ arguments: known, freeForm }: Command, args: readonly string[]): boolean =>
  freeForm === true || known.at(-1)?.variadic === true || args.length <= known.length;

/** Returns a command's arguments and flags as Commander parsed them. `rest` is everything after the command's name. */
export const readLeaf = (leaf: Leaf, name: string, rest: readonly string[]): Parsed => {
  const { definition: command, args, inOrder, unknownFlags, missingValues } = leaf;
  const problems = new Problems(`sched ${command.examples[0]}`);
  reportTypos(leaf, name, rest, problems);
  reportRepetitions(leaf, problems);
  // An extra argument may be the value of an unknown flag, so it isn't reported in that case.
  if (unknownFlags.length === 0 && !hasPlaceFor(command, args))
    problems.add(`Unexpected argument "${args[command.arguments.length]}"`);
  const isGiven = ([flag]: readonly [string, unknown]) => !missingValues.includes(`--${flag}`);
  return {
    name,
    args,
    typed: Object.fromEntries(Object.entries(leaf.opts()).filter(isGiven)),
    inOrder: inOrder.filter(isGiven),
    rest,
    problems,
  };
};
