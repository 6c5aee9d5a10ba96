import { outputSchema } from '../../api/json-schema.ts';
import type { Command } from '../../cli/command.ts';
import { knownFields } from '../../cli/parse/all-flags.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** How a field looks in the output. A pattern would only repeat the format. */
const relaxedField = (schema: JsonSchema): JsonSchema => {
  const { anyOf, oneOf, type, format, description, items, enum: choices, const: only } = schema;
  const alternatives = ((anyOf ?? oneOf) as JsonSchema[] | undefined)?.filter((each) => each.type !== 'null');
  if (alternatives?.length === 1) {
    const [single] = alternatives.map(relaxedField);
    return { ...single, description: description ?? single!.description };
  }
  if (alternatives !== undefined) return { anyOf: [...alternatives.map(relaxedField), { type: 'null' }], description };
  return {
    type: type && [type, 'null'],
    format,
    description,
    examples: choices ?? (only === undefined ? undefined : [only]),
    items: items && relaxedField(items as JsonSchema),
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
  const knownSchemas = (record && (propertiesOf(outputSchema(record)).properties as JsonSchema)) ?? {};
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, knownSchemas[name] ?? {}])) };
};
