import type { Field } from '../api/field.ts';
import { inspect } from '../api/inspect.ts';

/** The JSON type of a value. */
const kindOf = (value: unknown): string =>
  Array.isArray(value) ? 'array' : typeof value === 'bigint' ? 'number' : typeof value;

const expected: Record<string, string> = {
  string: 'string',
  enum: 'string', // the service may add values to an enum, so any string is accepted
  number: 'number',
  boolean: 'boolean',
  object: 'object',
  array: 'array',
};

type Fits = (value: unknown) => boolean;

const fitting = new WeakMap<Field, Fits>();

/** Whether a value fits a field. The same check as `shapeErrorAt`, but faster: it runs for every record. */
const fitsOf = (field: Field): Fits | undefined => {
  const known = fitting.get(field);
  if (known !== undefined) return known;
  const { type, element, fields: inside = {} } = inspect(field);
  const wanted = expected[type];
  if (wanted === undefined) return undefined;
  const each = element === undefined ? undefined : fitsOf(element);
  const fields = Object.entries(inside).flatMap(([name, inner]): [string, Fits][] => {
    const fits = fitsOf(inner);
    return fits === undefined ? [] : [[name, fits]];
  });
  const fits: Fits = (value) => {
    if (value === null || value === undefined) return true;
    if (kindOf(value) !== wanted) return false;
    if (each !== undefined) return (value as unknown[]).every(each);
    for (const [name, isFine] of fields) if (!isFine((value as Record<string, unknown>)[name])) return false;
    return true;
  };
  fitting.set(field, fits);
  return fits;
};

/**
 * Why a value does not fit a field, or `undefined` if it does. Any field may be null or missing, and unknown fields
 * are kept. Only a value of another type than the documented one is an error.
 */
export const shapeError = (field: Field, value: unknown, path = ''): string | undefined =>
  fitsOf(field)?.(value) === false ? shapeErrorAt(field, value, path) : undefined;

const shapeErrorAt = (field: Field, value: unknown, path: string): string | undefined => {
  if (value === null || value === undefined) return undefined;
  const { type, element, fields = {} } = inspect(field);
  const wanted = expected[type];
  if (wanted === undefined) return undefined;
  if (kindOf(value) !== wanted)
    return `${path || 'the record'} is not ${wanted === 'string' || wanted === 'number' || wanted === 'boolean' ? `a ${wanted}` : `an ${wanted}`}`;
  if (element !== undefined) {
    for (const [index, item] of (value as unknown[]).entries()) {
      const problem = shapeErrorAt(element, item, `${path}[${index}]`);
      if (problem !== undefined) return problem;
    }
  }
  for (const [name, inner] of Object.entries(fields)) {
    if (!Object.hasOwn(value, name)) continue;
    const problem = shapeErrorAt(
      inner,
      (value as Record<string, unknown>)[name],
      path === '' ? name : `${path}.${name}`,
    );
    if (problem !== undefined) return problem;
  }
  return undefined;
};
