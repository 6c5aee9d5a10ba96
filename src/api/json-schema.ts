import * as z from 'zod/mini';
import { onceEach } from '../base/once.ts';

const schemaFor = (io: 'input' | 'output') =>
  onceEach((schema: z.ZodMiniType): Record<string, unknown> => {
    const { $schema, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io, unrepresentable: 'any' });
    return rest;
  });

/** Schemas as JSON Schema 2020-12, the dialect of OpenAPI 3.1. Many rows have the same ones, and making one is slow. */
export const inputSchema = schemaFor('input');
export const outputSchema = schemaFor('output');

/** For editors that check a file while it is written. Those that read YAML support draft 7. */
export const editorSchema = (schema: z.ZodMiniType) =>
  z.toJSONSchema(schema, { target: 'draft-7', io: 'input', unrepresentable: 'any' });
