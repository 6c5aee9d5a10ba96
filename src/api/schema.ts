import type * as z from 'zod';

/**
 * Reading a schema: what flags, help, the liberal reader and the sandbox all need to know of a field.
 * Wrappers are looked through, because a description under `.optional()` is lost from above.
 */
type Definition = {
  type: string;
  innerType?: z.ZodType;
  element?: z.ZodType;
  options?: z.ZodType[];
  entries?: Record<string, string>;
  format?: string;
};

export const definition = (schema: z.ZodType): Definition => schema.def as unknown as Definition;

const wrappers = new Set(['optional', 'nullable', 'default', 'readonly', 'nonoptional']);

export const unwrap = (schema: z.ZodType): z.ZodType => {
  let inner = schema;
  while (wrappers.has(definition(inner).type)) inner = definition(inner).innerType!;
  return inner;
};

export const isOptional = (schema: z.ZodType): boolean => schema.safeParse(undefined).success;

interface Meta {
  description?: string;
  collection?: string;
  fields?: readonly string[];
}

/** The nearest description, collection and so on, from the outside in. */
export const meta = (schema: z.ZodType): Meta => {
  const found: Meta = (schema.meta() as Meta | undefined) ?? {};
  const { innerType } = definition(schema);
  return innerType === undefined ? found : { ...meta(innerType), ...found };
};

/** The fields of an object schema, or `undefined` for anything else. */
export const fieldsOf = (schema: z.ZodType): Record<string, z.ZodType> | undefined => {
  const inner = unwrap(schema);
  return definition(inner).type === 'object' ? ((inner as z.ZodObject).shape as Record<string, z.ZodType>) : undefined;
};

/** The allowed words of an enum, or `undefined` for anything else. */
export const choicesOf = (schema: z.ZodType): string[] | undefined => {
  const { type, entries } = definition(unwrap(schema));
  return type === 'enum' ? Object.values(entries!) : undefined;
};

/** What an array holds, or `undefined` for anything else. */
export const elementOf = (schema: z.ZodType): z.ZodType | undefined => definition(unwrap(schema)).element;
