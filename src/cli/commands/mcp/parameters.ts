import { SchedError } from '../../../errors.ts';
import type { Command, Flag, Typed } from '../../command.ts';
import { input } from '../../input/input.ts';
import { kindOf, zoneKind } from '../../input/kinds.ts';
import { asFlags, asProperties, type Spelling } from '../../input/words.ts';
import { asSchedError } from '../../messages/error-report.ts';
import { adviceText, type Here } from '../../messages/suggested-line.ts';
import { listInput } from '../../operation/listing.ts';
import { bodyFlag } from '../../parse/shared-flags.ts';
import { itemInput, recordFile } from '../bulk/input.ts';
import { type ArgumentFacts, argumentFacts, byName, type FlagFacts, flagFacts } from '../schema/command-facts.ts';
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
const excluded = new Set([
  ...[...listInput.flags, ...itemInput('', '').flags, ...input(recordFile('', '')).flags, bodyFlag].map(
    ({ name }) => name,
  ),
  ...['first', 'rows', 'watch', 'web', 'allow-duplicate', 'allow', 'exit-code'],
]);

const propertyOf = (name: string): string => name.replaceAll('-', '_');

/** Names properties instead of flags, as in "(default 7 days after since)". Quoted text and a command at the end stay. */
const withoutDashes = (text: string, has = (_: string) => true): string =>
  text.replace(/"[^"]*"|(?<=: )sched .*$|(?<![^\s(])--([a-z][a-z-]*)/g, (all, name?: string) =>
    name !== undefined && has(name) ? propertyOf(name) : all,
  );

const ofArgument = (facts: ArgumentFacts, index: number): Parameter => ({
  ...facts,
  property: propertyOf(facts.name),
  isArgument: true,
  // A command whose only argument is repeatable reads a file without it.
  required: facts.required || (facts.repeatable && index === 0),
  type: 'string',
  negatable: false,
  description: withoutDashes(facts.description),
});

const ofFlag = (flag: Flag): Parameter => {
  const { value = '', ...facts } = flagFacts(flag);
  return {
    ...facts,
    property: propertyOf(facts.name),
    isArgument: false,
    // The placeholder of a reference or a pair of times says how to write it.
    description: `${withoutDashes(facts.description)}${/[|/]/.test(value) ? ` (${value})` : ''}`,
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
    ...args.map(argumentFacts).map(ofArgument),
    // Bulk work is confirmed by a number, and a plan by its digest.
    ...flags
      .filter((flag) => !excluded.has(flag.name) || kindOf(flag).isDigest)
      .toSorted(byName)
      .map(ofFlag),
    ...(flags.some((flag) => kindOf(flag).isMoment) ? [ofFlag(zone)] : []),
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

const typedValue = ({ type, repeatable, negatable }: Parameter, value: unknown): Typed[string] => {
  if (type === 'boolean') return value === true ? true : negatable ? false : undefined;
  return repeatable ? [value].flat().map(String) : String(value);
};

/** The arguments and flags of the command for checked values. */
export const typedOf = (parameters: readonly Parameter[], values: Values): { args: string[]; typed: Typed } => {
  const given = parameters.filter(({ property }) => values[property] !== undefined);
  const flags = given.filter(({ isArgument }) => !isArgument);
  return {
    args: given.filter(({ isArgument }) => isArgument).flatMap(({ property }) => [values[property]].flat().map(String)),
    typed: Object.fromEntries(flags.map((flag) => [flag.name, typedValue(flag, values[flag.property])])),
  };
};

/** A call of a tool as a way to call its command. What the tool doesn't take is a flag, for the person who runs it. */
export const spellingOf = (parameters: readonly Parameter[]): Spelling => ({
  ...asProperties,
  name: (name, place) => {
    const isTaken = parameters.some((parameter) => parameter.name === name);
    return (isTaken ? asProperties : asFlags).name(name, place);
  },
});

/** What a command says, in the words of its tool: properties instead of flags and arguments. */
export const toolWords = (parameters: readonly Parameter[], text: string): string => {
  const has = (name: string) => parameters.some((parameter) => parameter.name === name);
  return withoutDashes(text, has)
    .replace(/^(.*\bMissing required )flag/, '$1argument')
    .replace(/<([a-z][a-z-]*)>/g, (all, name: string) => (has(name) ? propertyOf(name) : all));
};

/** An error of a command in the words of its tool, without advice to use a flag that the tool doesn't have. */
export const toolError = (parameters: readonly Parameter[], error: unknown, here: Here): SchedError => {
  const { category, message, facts } = asSchedError(error);
  const { advice: given = [], ...rest } = facts;
  const parts = [given].flat().map((part) => (typeof part === 'string' ? toolWords(parameters, part) : part));
  // The flags of a command are for the person who runs it.
  const isUsable = parts.length > 0 && !parts.some((part) => typeof part === 'string' && /(?<!\S)--[a-z]/.test(part));
  const advice = isUsable ? { advice: adviceText(parts, here) } : {};
  return new SchedError(category, toolWords(parameters, message), { ...rest, ...advice });
};
