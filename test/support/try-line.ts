import { expect } from 'vitest';
import { argumentRoom } from '../../src/cli/parse/all-flags.ts';
import { Leaf } from '../../src/cli/parse/leaf.ts';
import { parseCommandLine } from '../../src/cli/parse/tree.ts';
import { splitCommandLine } from './shell-words.ts';

/** The commands that errors on stderr suggest, as text or as JSON. A folded line is joined again. */
const suggestedIn = (stderr: string): string[] => {
  const texts = stderr.replaceAll(/ \\\n\s+/g, ' ').matchAll(/^try: (.*)$/gm);
  const errors = stderr.match(/^\{"error":.*$/gm) ?? [];
  const hints = errors.flatMap((line) => (JSON.parse(line).error.hint as string | undefined) ?? []);
  return [...Array.from(texts, ([, line]) => line!), ...hints];
};

/** Why a line is not a command that can be run as it is, or undefined if it is one. */
export const tryLineProblem = async (line: string): Promise<string | undefined> => {
  const [program, ...argv] = splitCommandLine(line);
  if (program !== 'sched') return 'it does not begin with sched';
  if (argv[0] === undefined || ['help', '--version'].includes(argv[0])) return undefined;
  const leaf = await parseCommandLine(argv);
  if (leaf.wantsHelp) return undefined;
  if (!(leaf instanceof Leaf)) return 'there is no such command';
  const wrong = leaf.parts.find((part) => part.wrong !== undefined);
  if (wrong !== undefined) return `it has no flag ${wrong.words.join(' ')}`;
  return leaf.args.length > argumentRoom(leaf.definition) ? 'it has too many arguments' : undefined;
};

/** Every `try:` line is a command that can be run as it is. */
export const expectRunnable = async (stderr: string): Promise<void> => {
  for (const line of suggestedIn(stderr)) expect([line, await tryLineProblem(line)]).toEqual([line, undefined]);
};
