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

type Fits = (value: unknown) => boolean;

const fitting = new WeakMap<z.ZodType, Fits>();

/** Whether a value can be read as a schema's: the same question as below without the words, asked for every record. */
const fitsOf = (schema: z.ZodType): Fits | undefined => {
  const known = fitting.get(schema);
  if (known !== undefined) return known;
  const inner = unwrap(schema);
  const wanted = expected[definition(inner).type];
  if (wanted === undefined) return undefined;
  const element = elementOf(inner);
  const each = element === undefined ? undefined : fitsOf(element);
  const fields = Object.entries(fieldsOf(inner) ?? {}).flatMap(([name, field]): [string, Fits][] => {
    const fits = fitsOf(field);
    return fits === undefined ? [] : [[name, fits]];
  });
  const fits: Fits = (value) => {
    if (value === null || value === undefined) return true;
    if (kindOf(value) !== wanted) return false;
    if (each !== undefined) return (value as unknown[]).every(each);
    for (const [name, isFine] of fields) if (!isFine((value as Record<string, unknown>)[name])) return false;
    return true;
  };
  fitting.set(schema, fits);
  return fits;
};

/**
 * What keeps a value from being read as a strict schema's, or `undefined`. Any field may be null or missing
 * and unknown ones are kept; only a value of another kind than the documented one does not fit.
 */
export const misfit = (schema: z.ZodType, value: unknown, path = ''): string | undefined =>
  fitsOf(schema)?.(value) === false ? misfitAt(schema, value, path) : undefined;

const misfitAt = (schema: z.ZodType, value: unknown, path: string): string | undefined => {
  if (value === null || value === undefined) return undefined;
  const inner = unwrap(schema);
  const wanted = expected[definition(inner).type];
  if (wanted === undefined) return undefined;
  if (kindOf(value) !== wanted)
    return `${path || 'the record'} is not ${wanted === 'string' || wanted === 'number' || wanted === 'boolean' ? `a ${wanted}` : `an ${wanted}`}`;
  const element = elementOf(inner);
  if (element !== undefined) {
    for (const [index, item] of (value as unknown[]).entries()) {
      const problem = misfitAt(element, item, `${path}[${index}]`);
      if (problem !== undefined) return problem;
    }
  }
  for (const [name, field] of Object.entries(fieldsOf(inner) ?? {})) {
    if (!Object.hasOwn(value, name)) continue;
    const problem = misfitAt(field, (value as Record<string, unknown>)[name], path === '' ? name : `${path}.${name}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
};
