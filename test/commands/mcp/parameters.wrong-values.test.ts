import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Kind } from '../../../src/cli/input/kind.ts';
import type { Parameter } from '../../../src/commands/mcp/parameters.ts';
import { allTools, type Tool } from '../../../src/commands/mcp/tools.ts';
import { findNoun, nouns } from '../../../src/commands/registry.ts';
import { callTool, connect } from '../../support/mcp-client.ts';
import { createWorld } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';

let open: Awaited<ReturnType<typeof connect>>;
beforeAll(async () => {
  open = await connect(await createWorld({ home: temporaryDirectory('mcp-wrong-values') }), '--allow-writes');
});
afterAll(() => open.close());

const tools = await allTools({ nouns, findNoun });

type Values = Record<string, unknown>;

const isOf = ({ command }: Tool, { name }: Parameter) => {
  const kind: Partial<Kind> = command.flags.find((flag) => flag.name === name)?.kind ?? {};
  const { isMoment = false, offers, collection } = kind;
  const argument = command.arguments.find((each) => each.name === name);
  return { isMoment, isZone: name === 'tz' || offers === 'zones', collection: collection ?? argument?.collection };
};

/** A value that the schema of the tool allows. */
const rightValue = (tool: Tool, parameter: Parameter): unknown => {
  const { type, choices, repeatable } = parameter;
  const { isMoment, isZone, collection } = isOf(tool, parameter);
  const text = () => choices?.[0] ?? (isMoment ? '2026-12-01T09:00:00Z' : isZone ? 'UTC' : collection ? 'X1' : 'x');
  const value = type === 'boolean' ? true : type === 'integer' ? 30 : text();
  return repeatable ? [value] : value;
};

const needed = (tool: Tool): Values =>
  Object.fromEntries(
    tool.parameters.filter(({ required }) => required).map((each) => [each.property, rightValue(tool, each)]),
  );

/** Values that the kind of a property refuses, and a text that looks like a flag. */
const wrongValues = (tool: Tool, parameter: Parameter): unknown[] => {
  const { type, choices, repeatable } = parameter;
  const { isMoment, isZone, collection } = isOf(tool, parameter);
  const wrong: unknown[] = [
    type === 'string' ? 7 : 'x',
    ...(choices === undefined ? [] : ['other']),
    ...(type === 'integer' ? [-1, 999_999_999] : []),
    ...(isMoment ? ['someday'] : []),
    ...(isZone ? ['Nowhere/Land'] : []),
    ...(collection === undefined ? [] : ['http://127.0.0.1:4010/wrong/U1']),
    ...(type === 'string' ? ['--yes'] : []),
  ];
  return repeatable ? wrong.map((each) => [each]) : wrong;
};

/** Calls with one wrong value, with one that is missing, and with each two values, some of which clash. */
const callsOf = (tool: Tool): { tool: Tool; kind: string; values: Values }[] => {
  const { parameters } = tool;
  const right = needed(tool);
  const wrong = parameters.flatMap((each) =>
    wrongValues(tool, each).map((value) => ({ tool, kind: 'wrong', values: { ...right, [each.property]: value } })),
  );
  const missing = Object.keys(right).map((property) => {
    const { [property]: _, ...rest } = right;
    return { tool, kind: 'missing', values: rest };
  });
  const clashing = parameters.flatMap((one, index) =>
    parameters.slice(index + 1).map((other) => {
      const both = [one, other].map((each) => [each.property, rightValue(tool, each)]);
      return { tool, kind: 'two', values: { ...right, ...Object.fromEntries(both) } };
    }),
  );
  return [...wrong, ...missing, ...clashing];
};

/** What an error says itself: without texts that the caller wrote, and without commands for a person. */
const ownWords = (text: string): string => text.replace(/"[^"]*"/g, '').replace(/\bsched [a-z].*$/gm, '');

/** The flags and arguments that a text names, of those that the tool takes as properties. */
const commandNames = ({ parameters }: Tool, text: string): string[] => {
  const names = parameters.flatMap(({ name }) => [`--${name}`, `<${name}>`]);
  return names.filter((name) => new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(ownWords(text)));
};

describe('an error of a tool names properties only', () => {
  test.each(tools.filter(({ parameters }) => parameters.length > 0))('$name', async (tool) => {
    for (const { kind, values } of sample(callsOf(tool), 1)) {
      const { isError, error } = await callTool(open.client, tool.name, values);
      if (kind === 'missing') expect(isError).toBe(true);
      const text = isError ? [error.message, error.cause, error.hint].join('\n') : '';
      expect(commandNames(tool, text), `${JSON.stringify(values)} ${text}`).toEqual([]);
    }
  });
});

test('a value of the wrong type is refused by the schema, with the name of its property', async () => {
  const all = tools.flatMap((tool) => tool.parameters.map((parameter) => ({ tool, parameter })));
  for (const { tool, parameter } of sample(all, 10)) {
    const [wrong] = wrongValues(tool, parameter);
    const { error } = await callTool(open.client, tool.name, { ...needed(tool), [parameter.property]: wrong });
    expect(error.message).toMatch(new RegExp(`^Wrong arguments: .*\\b${parameter.property}\\b`));
  }
});

test('a text that looks like a flag stays a text', async () => {
  const { error } = await callTool(open.client, 'events_list', { invitee: '--since' });
  expect(error.message).toBe('invitee must be an email address, not "--since"');
});
