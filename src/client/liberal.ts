import type * as z from 'zod';
import { definition, elementOf, fieldsOf, unwrap } from '../api/schema.ts';

/** JSON's name for what a value is. */
const kindOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value);

const expected: Record<string, string> = {
  string: 'string',
  enum: 'string', // an enum is an open string: the service may learn new words before we do
  number: 'number',
  boolean: 'boolean',
  object: 'object',
  array: 'array',
};

/**
 * What keeps a value from being read as a strict schema's, or `undefined`. Any field may be null or missing
 * and unknown ones are kept; only a value of another kind than the documented one does not fit.
 */
export const misfit = (schema: z.ZodType, value: unknown, path = ''): string | undefined => {
  if (value === null || value === undefined) return undefined;
  const inner = unwrap(schema);
  const wanted = expected[definition(inner).type];
  if (wanted === undefined) return undefined;
  if (kindOf(value) !== wanted)
    return `${path || 'the record'} is not ${wanted === 'string' || wanted === 'number' || wanted === 'boolean' ? `a ${wanted}` : `an ${wanted}`}`;
  const element = elementOf(inner);
  if (element !== undefined) {
    for (const [index, item] of (value as unknown[]).entries()) {
      const problem = misfit(element, item, `${path}[${index}]`);
      if (problem !== undefined) return problem;
    }
  }
  for (const [name, field] of Object.entries(fieldsOf(inner) ?? {})) {
    if (!Object.hasOwn(value, name)) continue;
    const problem = misfit(field, (value as Record<string, unknown>)[name], path === '' ? name : `${path}.${name}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
};
