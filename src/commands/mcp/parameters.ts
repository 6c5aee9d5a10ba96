import { SchedError, spelledFacts } from '../../base/errors.ts';
import { asFlags, asProperties, type Spelling, spell } from '../../base/words.ts';
import type { Argument, Command, Flag } from '../../cli/command.ts';
import type { Given } from '../../cli/input/given.ts';
import { input } from '../../cli/input/input.ts';
import { zoneKind } from '../../cli/input/kinds.ts';
import { asSchedError } from '../../cli/messages/error-report.ts';
import { adviceText, type Here } from '../../cli/messages/suggested-line.ts';
import { listInput } from '../../cli/operation/list-input.ts';
import { bodyFlag } from '../../cli/parse/shared-flags.ts';
import { itemInput, recordFile } from '../bulk/input.ts';
import { argumentFacts, byName, type FlagFacts, flagFacts } from '../schema/command-facts.ts';
import type { JsonSchema } from '../schema/output-schema.ts';

/** A property of a tool's input: an argument or a flag of the command. */
export interface Parameter
  extends Pick<FlagFacts, 'name' | 'type' | 'choices' | 'required' | 'repeatable' | 'negatable'> {
  /** `event_type` for `event-type` */
  property: string;
  isArgument: boolean;
  description: string;
}

/** Values of a tool's input, by property. */
export type Values = Readonly<Record<string, unknown>>;

/**
 * Flags that tools don't have: they are about pages, files, a browser, a table or a terminal, or they turn off the protection
 * against booking twice.
 */
const excludedFlags = new Set([
  ...[...listInput.flags, ...itemInput('', '').flags, ...input(recordFile('', '')).flags, bodyFlag].map(
    ({ name }) => name,
  ),
  ...['first', 'rows', 'watch', 'web', 'allow-duplicate', 'allow', 'exit-code'],
]);

const ofArgument = (argument: Argument, index: number): Parameter => {
  const facts = argumentFacts(argument);
  return {
    ...facts,
    property: asProperties.name(facts.name),
    isArgument: true,
    // A command whose only argument is repeatable reads a file without it.
    required: facts.required || (facts.repeatable && index === 0),
    type: 'string',
    negatable: false,
    description: spell(argument.description, asProperties),
  };
};

const ofFlag = (flag: Flag): Parameter => {
  const { value = '', ...facts } = flagFacts(flag);
  return {
    ...facts,
    property: asProperties.name(facts.name),
    isArgument: false,
    // The placeholder of a reference or a pair of times says how to write it.
    description: `${spell(flag.description, asProperties)}${/[|/]/.test(value) ? ` (${value})` : ''}`,
  };
};

const zone: Flag = {
  name: 'tz',
  kind: zoneKind,
  description: 'IANA time zone of days, and of times without an offset',
};

export const parametersOf = (
  { arguments: args, flags }: Pick<Command, 'arguments' | 'flags'>,
  needed: readonly string[] = [],
): Parameter[] =>
  [
    ...args.map(ofArgument),
    // Bulk work is confirmed by a number, and a plan by its digest.
    ...flags
      .filter((flag) => !excludedFlags.has(flag.name) || flag.kind.isDigest)
      .toSorted(byName)
      .map(ofFlag),
    ...(flags.some((flag) => flag.kind.isMoment) ? [ofFlag(zone)] : []),
  ].map((parameter) => (needed.includes(parameter.property) ? { ...parameter, required: true } : parameter));

const valueSchema = ({ type, choices }: Parameter): JsonSchema => ({
  type,
  ...(choices === undefined ? {} : { enum: choices }),
});

/** The input of a tool as JSON Schema. A list can be read in parts. */
export const schemaOf = (
  parameters: readonly Parameter[],
  rows: { most: number; default: number } | undefined,
): JsonSchema & { type: 'object' } => {
  const own = parameters.map((parameter) => {
    const value = valueSchema(parameter);
    const schema = parameter.repeatable ? { type: 'array', items: value, minItems: 1 } : value;
    return [parameter.property, { ...schema, description: parameter.description }];
  });
  const required = parameters.filter((parameter) => parameter.required).map(({ property }) => property);
  const paging = {
    limit: { type: 'integer', minimum: 1, maximum: rows?.most, default: rows?.default },
    cursor: { type: 'string', description: 'next_cursor of the same call' },
  };
  return {
    type: 'object',
    properties: { ...Object.fromEntries(own), ...(rows === undefined ? {} : paging) },
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
};

/** Values in which what can be repeated is a list: one value is a list of one. */
export const withLists = (parameters: readonly Parameter[], values: Values): Values => {
  const isList = (name: string) => parameters.some(({ property, repeatable }) => property === name && repeatable);
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isList(name) && !Array.isArray(value) ? [value] : value]),
  );
};

/** What a call of the tool gives to its command. A switch that is off isn't given, unless it has an opposite. */
export const givenOf = (parameters: readonly Parameter[], values: Values): Given => {
  const isGiven = ({ property, type, negatable }: Parameter) =>
    values[property] !== undefined && (type !== 'boolean' || negatable || values[property] === true);
  // Checked against the schema of the tool.
  return Object.fromEntries(parameters.filter(isGiven).map(({ name, property }) => [name, values[property]])) as Given;
};

const takes = (parameters: readonly Parameter[], name: string): boolean =>
  parameters.some((parameter) => parameter.name === name);

/** A call of a tool as a way to call its command. What the tool doesn't take is a flag, for the person who runs it. */
export const spellingOf = (parameters: readonly Parameter[]): Spelling => ({
  ...asProperties,
  name: (name, place) => (takes(parameters, name) ? asProperties : asFlags).name(name, place),
});

/** An error of a command in the words of its tool, without advice to use a flag that the tool doesn't have. */
export const toolError = (parameters: readonly Parameter[], error: unknown, here: Here): SchedError => {
  const { category, sentence, details: told } = asSchedError(error);
  const spelling = spellingOf(parameters);
  const { advice = [], ...facts } = spelledFacts(told, spelling);
  // The flags of a command are for the person who runs it.
  const isForTool = [advice]
    .flat()
    .every((part) => typeof part === 'string' || 'command' in part || takes(parameters, part.name));
  const text = isForTool ? adviceText(advice, here, spelling) : '';
  return new SchedError(category, spell(sentence, spelling), { ...facts, ...(text === '' ? {} : { advice: text }) });
};
