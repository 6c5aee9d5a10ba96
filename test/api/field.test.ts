import { describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { loadCatalogue } from '../../src/api/catalogue.ts';
import type { Field } from '../../src/api/field.ts';

type Definition = {
  type: string;
  format?: string;
  innerType?: z.ZodType;
  element?: z.ZodType;
  entries?: Record<string, string>;
  options?: z.ZodType[];
};

const definition = (schema: z.ZodType) => schema.def as unknown as Definition;

/** What stands inside `optional` and `nullable`. */
const inside = (schema: z.ZodType): z.ZodType => {
  const { type, innerType } = definition(schema);
  return type === 'optional' || type === 'nullable' ? inside(innerType!) : schema;
};

/** What a schema itself says of everything that a field says plainly. */
const readOff = (schema: z.ZodType): object => {
  const inner = inside(schema);
  const { type, format, element, entries, options } = definition(inner);
  const shape = type === 'object' ? Object.entries((inner as z.ZodObject).shape as Record<string, z.ZodType>) : [];
  return {
    type,
    format: type === 'string' ? format : undefined,
    description: schema.meta()?.description,
    isOptional: schema.safeParse(undefined).success,
    choices: entries && Object.values(entries),
    element: element && readOff(element),
    fields: Object.fromEntries(shape.map(([name, each]) => [name, readOff(each)])),
    options: options?.map(readOff),
  };
};

const plain = ({ type, format, description, isOptional, ...facts }: Field): object => ({
  type,
  format,
  description,
  isOptional: isOptional ?? false,
  choices: facts.choices,
  element: facts.element && plain(facts.element),
  fields: Object.fromEntries(Object.entries(facts.fields ?? {}).map(([name, each]) => [name, plain(each)])),
  options: facts.options?.map(plain),
});

const fields = Object.entries(await loadCatalogue()).flatMap(([noun, rows]) =>
  Object.entries(rows).flatMap(([verb, { query, body, reply }]) =>
    Object.entries({ query, body, reply: reply.of.record }).flatMap(([part, field]): [string, Field][] =>
      field === undefined ? [] : [[`${noun} ${verb}: ${part}`, field]],
    ),
  ),
);

describe('what a field says plainly is what its schema says', () => {
  test.each(fields)('%s', (_, field) => {
    expect(plain(field)).toEqual(readOff(field.schema));
  });
});
