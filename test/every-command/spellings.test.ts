import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { invitees } from '../../src/api/invitees.ts';
import { asFlags } from '../../src/base/words.ts';
import type { Command, ParsedCommand } from '../../src/cli/command.ts';
import type { Given } from '../../src/cli/input/given.ts';
import { howOf } from '../../src/cli/input/input.ts';
import { Problems } from '../../src/cli/messages/problems.ts';
import { noAccount } from '../../src/cli/messages/suggested-line.ts';
import { fieldFlags } from '../../src/cli/operation/field-flags.ts';
import { draftInput } from '../../src/cli/operation/input.ts';
import type { Leaf } from '../../src/cli/parse/leaf.ts';
import { readLeaf } from '../../src/cli/parse/read-leaf.ts';
import { parseCommandLine } from '../../src/cli/parse/tree.ts';
import { bookingColumnOf, bookingColumns, bookingFileColumns, rowOf } from '../../src/commands/booking/file-rows.ts';
import { givenOf, parametersOf, type Values } from '../../src/commands/mcp/parameters.ts';
import { runs } from '../support/tier.ts';
import { allCommands, callOf, givenFor, outcomeOf } from './all-commands.ts';

/** The input as a command line. */
const argvOf = (name: string, { arguments: args }: Command, given: Given): string[] => {
  const isArgument = (key: string) => args.some((argument) => argument.name === key);
  const flags = Object.entries(given).filter(([key]) => !isArgument(key));
  const places = args.flatMap((argument) => [given[argument.name] ?? []].flat());
  return [
    ...name.split(' '),
    ...flags.flatMap(([key, values]) =>
      [values!].flat().map((value) => {
        if (typeof value === 'boolean') return value ? `--${key}` : `--no-${key}`;
        return `--${key}=${value}`;
      }),
    ),
    '--',
    ...places.map(String),
  ];
};

const fromLine = async (name: string, command: Command, given: Given): Promise<ParsedCommand> =>
  readLeaf((await parseCommandLine(argvOf(name, command, given))) as Leaf, noAccount);

/** The input as a call of a tool. What no tool takes is given as it is. */
const fromJson = (command: Command, given: Given): Given => {
  const parameters = parametersOf(command);
  const taken = parameters.filter((each) => given[each.name] !== undefined);
  const values: Values = Object.fromEntries(taken.map((each) => [each.property, given[each.name]]));
  const names = new Set(taken.map((each) => each.name));
  const rest = Object.entries(given).filter(([key]) => !names.has(key));
  return { ...Object.fromEntries(rest), ...givenOf(parameters, JSON.parse(JSON.stringify(values))) };
};

/** A problem of a command line, with the names of columns. No text of this test has a flag of the command. */
const inColumns = (problem: string): string =>
  problem
    .replace(/^Missing required flags? /, 'missing ')
    .replace(/--([a-z-]+)/g, (all, name) => (name === 'yes' ? all : bookingColumns.name(name)));

describe('a command line and JSON give the same values, or the same problems', async () => {
  test.each(await allCommands())('%s', async (name, command) => {
    await fc.assert(
      fc.asyncProperty(givenFor(command), async (given) => {
        const parsed = await fromLine(name, command, given);
        const line = await outcomeOf(command, callOf(parsed.given, parsed.problems, parsed.parts));
        const json = await outcomeOf(command, callOf(fromJson(command, given), new Problems(), parsed.parts));
        expect(line).toEqual(json);
      }),
      runs(1, 300),
    );
  });
});

describe('a line of a file with bookings gives the same values, or the same problems, as flags', () => {
  const flags = fieldFlags(invitees.create);
  const text = fc.constantFrom(
    'x',
    '--yes',
    'Zoë ✓',
    'a@example.com',
    'two words',
    'Europe/Paris',
    '2026-12-01T09:00:00Z',
  );
  const columns = bookingFileColumns(flags);
  const values = fc.dictionary(fc.constantFrom(...flags.map(({ name }) => name)), fc.oneof(...flags.map(() => text)));

  const draft = async (given: Given, spelling = asFlags) => {
    const problems = new Problems(undefined, spelling);
    const call = callOf(given, problems);
    const { values: read } = await draftInput(call, invitees.create, flags, { ...howOf(call), isFile: true });
    return { texts: problems.texts, read: read.map(([{ name }, all]) => [name, all]) };
  };

  test('whatever the columns are called', async () => {
    await fc.assert(
      fc.asyncProperty(values, fc.constantFrom('-', '_', ' '), async (given, between) => {
        const cells = Object.entries(given).map(([name, cell]) => [
          bookingColumnOf(columns)(name.replaceAll('-', between))!,
          cell,
        ]);
        const row = rowOf({}, flags, new Map(cells as [string, string][]));
        if (Array.isArray(row)) throw new Error(row.join());
        expect(row.given).toEqual(given);
        const [line, flagged] = [await draft(row.given, bookingColumns), await draft(given)];
        expect(line.read).toEqual(flagged.read);
        expect(line.texts).toEqual(flagged.texts.map(inColumns));
      }),
      runs(20, 1000),
    );
  });
});

test('only commands that hand their call to another one, or take nothing, are compared by their problems alone', async () => {
  const alone = (await allCommands()).filter(([name, { run }]) => name !== 'api' && run.draft === undefined);
  expect(alone.map(([name]) => name).toSorted()).toEqual(['events next', 'mcp metadata', 'orgs get']);
});
