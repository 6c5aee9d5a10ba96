import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allFlags } from '../../src/cli/all-flags.ts';
import { scanWords } from '../../src/cli/argv.ts';
import type { Command } from '../../src/cli/command.ts';
import { nouns } from '../../src/cli/nouns.ts';
import { readWords } from '../../src/cli/parse.ts';
import { leafOf, optionOf } from '../../src/cli/program.ts';

const byCommander = (command: Command, words: string[]) => {
  const leaf = leafOf(command);
  leaf.parse(words, { from: 'user' });
  const typed: Record<string, unknown> = {};
  for (const flag of allFlags(command)) {
    const key = optionOf(flag).attributeName();
    if (leaf.getOptionValueSource(key) === 'cli') typed[flag.name] = leaf.getOptionValue(key);
  }
  return { args: leaf.args, typed };
};

const value = fc.constantFrom(
  '',
  'a',
  'a=b',
  '-',
  '--',
  '-y',
  '--yes',
  '--no-input',
  'x y',
  '__proto__',
  '1',
  '-1',
  'é',
);

/** Command lines of a command: its flags in all spellings with values of all kinds, and arguments between them. */
const wordsFor = (command: Command): fc.Arbitrary<string[]> => {
  const flagged = fc.constantFrom(...allFlags(command)).chain((flag): fc.Arbitrary<string[]> => {
    const long = `--${flag.name}`;
    if (flag.value === undefined)
      return fc.constantFrom<string[][]>([long], ...(flag.negatable ? [[`--no-${flag.name}`]] : []));
    return value.chain((text) =>
      fc.constantFrom<string[][]>([long, text], [`${long}=${text}`], ...(flag.short ? [[`-${flag.short}`, text]] : [])),
    );
  });
  const argument = fc.constantFrom<string[][]>(['ID'], ['-'], ['a b'], ['--'], ['--nonsense']);
  return fc
    .array(fc.oneof({ weight: 3, arbitrary: flagged }, { weight: 1, arbitrary: argument }), { maxLength: 8 })
    .map((groups) => groups.flat());
};

describe('parse', () => {
  test.each(Object.keys(nouns))('reads the words of sched %s as Commander does', async (noun) => {
    const commands = await nouns[noun]!.commands();
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands) {
      fc.assert(
        fc.property(wordsFor(command), (line) => {
          const { words } = scanWords(line, allFlags(command), () => false);
          expect(readWords(words, allFlags(command))).toEqual(byCommander(command, words));
        }),
        { numRuns: 25 },
      );
    }
  });
});
