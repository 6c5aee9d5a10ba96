import { outputSchema } from '../../../api/inspect.ts';
import type { Command } from '../../command.ts';
import { knownFields } from '../../parse/all-flags.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** The alternatives of a schema other than null. */
const alternativesIn = ({ anyOf, oneOf }: JsonSchema): JsonSchema[] | undefined => {
  const all = (anyOf ?? oneOf) as JsonSchema[] | undefined;
  return all?.filter(({ type }) => type !== 'null');
};

/** How a field looks in the output. A pattern would only repeat the format. */
const relaxedField = (schema: JsonSchema): JsonSchema => {
  const { type, format, description, items, enum: choices, const: only } = schema;
  const alternatives = alternativesIn(schema);
  const about = description === undefined ? {} : { description };
  if (alternatives?.length === 1) return { ...relaxedField(alternatives[0]!), ...about };
  if (alternatives !== undefined) return { anyOf: [...alternatives.map(relaxedField), { type: 'null' }], ...about };
  const examples = (choices as unknown[] | undefined) ?? (only === undefined ? undefined : [only]);
  return {
    ...(type === undefined ? {} : { type: [type, 'null'] }),
    ...(format === undefined ? {} : { format }),
    ...about,
    ...(examples === undefined ? {} : { examples }),
    ...(items === undefined ? {} : { items: relaxedField(items as JsonSchema) }),
    ...propertiesOf(schema),
  };
};

const propertiesOf = ({ properties }: JsonSchema): JsonSchema => {
  if (properties === undefined) return {};
  const fields = Object.entries(properties as Record<string, JsonSchema>);
  return { properties: Object.fromEntries(fields.map(([name, field]) => [name, relaxedField(field)])) };
};

/**
 * The record that a command prints with `--json`, or each record of a list. The types are those that the service
 * documents. A field can be null or missing and a list of words can grow, because sched prints a record as it came.
 */
export const recordSchema = (command: Command): JsonSchema => {
  const names = knownFields(command);
  const record = command.operation?.reply.of.record;
  const known = (record && (propertiesOf(outputSchema(record)).properties as JsonSchema)) ?? {};
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, known[name] ?? {}])) };
};
