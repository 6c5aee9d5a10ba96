import { describe, expect, test } from 'vitest';
import { asFlags, type Spelling } from '../../src/base/words.ts';
import type { Command } from '../../src/cli/command.ts';
import type { Given } from '../../src/cli/input/given.ts';
import { Problems } from '../../src/cli/messages/problems.ts';
import { sharedFlags } from '../../src/cli/parse/shared-flags.ts';
import { sample } from '../support/tier.ts';
import { allCommands, callOf, outcomeOf } from './all-commands.ts';

const commands = await allCommands();

const namesOf = ({ flags, arguments: args }: Command): string[] => [...flags, ...args].map(({ name }) => name);

/** Texts for values: each is right for some kinds. */
const given = ({ flags, arguments: args }: Command): Given =>
  Object.fromEntries([
    ...flags.map(({ name, kind, choices }) => [name, kind.value === undefined ? true : (choices?.[0] ?? '1')]),
    ...args.map(({ name }) => [name, '1']),
  ]);

/** Calls with nothing, with everything, with each value alone, and with each two of them. */
const callsOf = (command: Command): Given[] => {
  const all = Object.entries(given(command));
  const pairs = all.flatMap((one, index) => all.slice(index + 1).map((other) => Object.fromEntries([one, other])));
  return [{}, Object.fromEntries(all), ...all.map((one) => Object.fromEntries([one])), ...sample(pairs, 5)];
};

/** The names that reading a call asks for, and those that its problems name. */
const namesIn = async (command: Command, values: Given): Promise<{ asked: Set<string>; named: Set<string> }> => {
  const [asked, named] = [new Set<string>(), new Set<string>()];
  const watched = new Proxy(values, {
    get: (target, name) => {
      if (typeof name === 'string') asked.add(name);
      return Reflect.get(target, name);
    },
  });
  const spelling: Spelling = {
    ...asFlags,
    name: (name, place) => {
      named.add(name);
      return asFlags.name(name, place);
    },
  };
  await outcomeOf(command, callOf(watched, new Problems(undefined, spelling)));
  return { asked, named };
};

/** What a command doesn't take of an input that it shares with others. */
const left: Record<string, readonly string[]> = {
  'events cancel': ['past', 'any-time'],
  'events move': ['past', 'any-time'],
  'webhooks list': ['body'],
  'compliance export': ['receipt', 'again'],
  'compliance recheck': ['again'],
};

describe('relations and problems name only values that the command takes', () => {
  test.each(commands)('%s', async (title, command) => {
    const known = new Set([...namesOf(command), ...sharedFlags.map(({ name }) => name)]);
    const unknown = new Set<string>();
    for (const call of callsOf(command)) {
      const { asked, named } = await namesIn(command, call);
      for (const name of [...asked, ...named]) if (!known.has(name)) unknown.add(name);
    }
    expect([...unknown]).toEqual(left[title] ?? []);
  });
});

test.each(commands)('%s has one name for one value, and a kind for each flag', (_, command) => {
  const names = namesOf(command);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  expect(command.flags.filter(({ kind }) => kind === undefined)).toEqual([]);
});
