import type { Command as Commander } from 'commander';
import { expect } from 'vitest';
import { isLeafNoun } from '../../src/cli/commands/registry.ts';
import { commandFirst } from '../../src/cli/parse/argv.ts';
import { type Leaf, optionOf } from '../../src/cli/parse/leaf.ts';
import { sharedFlags } from '../../src/cli/parse/shared-flags.ts';
import { tokensOf } from '../../src/cli/parse/tokens.ts';
import { buildTree } from '../../src/cli/parse/tree.ts';
import { splitCommandLine } from './shell-words.ts';

let tree: Promise<Commander> | undefined;

/** The commands that errors on stderr suggest, as text or as JSON. A folded line is joined again. */
const suggestedIn = (stderr: string): string[] => {
  const texts = stderr.replaceAll(/ \\\n\s+/g, ' ').matchAll(/^try: (.*)$/gm);
  const errors = stderr.match(/^\{"error":.*$/gm) ?? [];
  const hints = errors.flatMap((line) => (JSON.parse(line).error.hint as string | undefined) ?? []);
  return [...Array.from(texts, ([, line]) => line!), ...hints];
};

const find = (parent: Commander | undefined, name: string | undefined): Commander | undefined =>
  parent?.commands.find((each) => each.name() === name || each.alias() === name);

/** Why a line is not a command that can be run as it is, or undefined if it is one. */
export const tryLineProblem = async (line: string): Promise<string | undefined> => {
  const [program, ...argv] = splitCommandLine(line);
  if (program !== 'sched') return 'it does not begin with sched';
  if (argv[0] === undefined || ['help', '--version'].includes(argv[0])) return undefined;
  tree ??= buildTree();
  const { noun, verb, rest } = commandFirst(argv, sharedFlags.map(optionOf), isLeafNoun);
  if (rest.includes('--help')) return undefined;
  const parent = find(await tree, noun);
  const leaf = (noun !== undefined && isLeafNoun(noun) ? parent : find(parent, verb)) as Leaf | undefined;
  if (leaf === undefined) return 'there is no such command';
  const tokens = tokensOf(leaf.joined(rest), leaf.options);
  const wrong = tokens.find(({ kind, isCut }) => kind === 'unknown' || isCut);
  if (wrong !== undefined) return `it has no flag ${wrong.words.join(' ')}`;
  const { arguments: known } = leaf.definition;
  const given = tokens.filter(({ kind }) => kind === 'argument').length;
  return given > known.length && !known.at(-1)?.variadic ? 'it has too many arguments' : undefined;
};

/** Every `try:` line is a command that can be run as it is. */
export const expectRunnable = async (stderr: string): Promise<void> => {
  for (const line of suggestedIn(stderr)) expect([line, await tryLineProblem(line)]).toEqual([line, undefined]);
};
