import type { Typed } from '../../command.ts';
import { bodyFlag, listFlags } from '../../parse/shared-flags.ts';
import { bookingFileFlags, bulkFlags } from '../bulk/flags.ts';
import type { ArgumentFacts, CallFacts, FlagFacts } from '../schema/command-facts.ts';
import type { JsonSchema } from '../schema/output-schema.ts';

/** A property of a tool's input, and the word of the command line that it becomes. */
export interface Parameter {
  /** `event_type` */
  property: string;
  /** `event-type` */
  name: string;
  isArgument: boolean;
  isArray: boolean;
  isRequired: boolean;
  type: FlagFacts['type'];
  /** False is typed as `--no-NAME`. */
  isNegatable: boolean;
  choices?: readonly string[] | undefined;
  description: string;
}

/** Values of a tool's input, by property. */
export type Values = Readonly<Record<string, unknown>>;

/**
 * Flags that tools don't have: they are about pages, files, a browser, a table or a terminal, or they turn off the protection
 * against booking twice.
 */
const excluded = new Set([
  ...[...listFlags, ...bulkFlags('', ''), ...bookingFileFlags, bodyFlag].map(({ name }) => name),
  ...['first', 'rows', 'watch', 'web', 'allow-duplicate'],
]);

const propertyOf = (name: string): string => name.replaceAll('-', '_');

/** Names properties instead of flags, as in "(default 7 days after since)". */
const withoutDashes = (text: string): string =>
  text.replace(/(?<!\S)--([a-z][a-z-]*)/g, (_, name: string) => propertyOf(name));

const ofArgument = ({ name, required, repeatable, choices, description }: ArgumentFacts, index: number): Parameter => ({
  property: propertyOf(name),
  name,
  isArgument: true,
  isArray: repeatable,
  // A command whose only argument is repeatable reads a file without it.
  isRequired: required || (repeatable && index === 0),
  type: 'string',
  isNegatable: false,
  choices,
  description: withoutDashes(description),
});

const ofFlag = ({
  name,
  type,
  value,
  choices,
  required,
  repeatable,
  negatable,
  description,
}: FlagFacts): Parameter => ({
  property: propertyOf(name),
  name,
  isArgument: false,
  isArray: repeatable,
  isRequired: required,
  type,
  isNegatable: negatable,
  choices,
  // The placeholder of a reference or a pair of times says how to write it.
  description: `${withoutDashes(description)}${value !== undefined && /[|/]/.test(value) ? ` (${value})` : ''}`,
});

const zone: Parameter = {
  property: 'tz',
  name: 'tz',
  isArgument: false,
  isArray: false,
  isRequired: false,
  type: 'string',
  isNegatable: false,
  description: 'IANA time zone of days, and of times without an offset',
};

export const parametersOf = ({ arguments: args, flags }: CallFacts): Parameter[] => [
  ...args.map(ofArgument),
  ...flags.filter(({ name }) => !excluded.has(name)).map(ofFlag),
  ...(flags.some(({ value }) => value === 'TIME') ? [zone] : []),
];

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
    const schema = parameter.isArray ? { type: 'array', items: value, minItems: 1 } : value;
    return [parameter.property, { ...schema, description: parameter.description }];
  });
  const required = parameters.filter(({ isRequired }) => isRequired).map(({ property }) => property);
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

const typedValue = ({ type, isArray, isNegatable }: Parameter, value: unknown): Typed[string] => {
  if (type === 'boolean') return value === true ? true : isNegatable ? false : undefined;
  return isArray ? [value].flat().map(String) : String(value);
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
