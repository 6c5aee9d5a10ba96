import * as z from 'zod/mini';

/** A schema as JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export const jsonSchema = (schema: z.ZodMiniType, side: 'input' | 'output'): Record<string, unknown> => {
  const { $schema, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io: side, unrepresentable: 'any' });
  return rest;
};
