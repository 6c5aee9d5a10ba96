import * as z from 'zod/mini';
import type { Collection } from './collections.ts';
import { type Field, facts, type Shape } from './field.ts';

/** Schema facts used by flags, help, completions and the sandbox. */
export interface Inspected {
  readonly type: 'string' | 'number' | 'boolean' | 'enum' | 'literal' | 'array' | 'object' | 'union';
  readonly format?: string | undefined;
  readonly description?: string | undefined;
  readonly isOptional: boolean;
  /** Allowed values of an enum. */
  readonly choices?: readonly string[] | undefined;
  /** Schema of a list's items. */
  readonly element?: Field | undefined;
  /** Schemas of an object's fields. */
  readonly fields?: Shape | undefined;
  /** Alternatives of a union. */
  readonly options?: readonly Field[] | undefined;
  /** The collection that a reference points to. */
  readonly collection?: Collection | undefined;
  /** Fields that results can be sorted by. */
  readonly sortedBy?: readonly string[] | undefined;
  /** What `false` does. */
  readonly opposite?: string | undefined;
  /** The part of the field that the documentation doesn't show. */
  readonly open?: 'contents' | 'keys' | 'values' | undefined;
}

/** The parts of zod's schema definition used here; each kind of schema has some of them. */
interface Definition {
  type: Inspected['type'] | 'optional' | 'nullable';
  innerType: Field;
  format?: string;
  entries?: Record<string, string>;
  element?: Field;
  shape?: Shape;
  options?: readonly Field[];
}

const known = new WeakMap<Field, Inspected>();

const read = (field: Field): Inspected => {
  const definition = field._zod.def as unknown as Definition;
  const { type } = definition;
  const description = z.globalRegistry.get(field)?.description;
  if (type === 'optional' || type === 'nullable') {
    const inner = inspect(definition.innerType);
    return {
      ...inner,
      description: description ?? inner.description,
      isOptional: inner.isOptional || type === 'optional',
    };
  }
  return {
    type,
    format: type === 'string' ? definition.format : undefined,
    description,
    isOptional: false,
    choices: definition.entries && Object.values(definition.entries),
    element: definition.element,
    fields: definition.shape,
    options: definition.options,
    ...facts.get(field),
  };
};

export const inspect = (field: Field): Inspected => {
  const before = known.get(field);
  if (before !== undefined) return before;
  const inspected = read(field);
  known.set(field, inspected);
  return inspected;
};

/** Whether the documentation leaves open what may be at this path inside the field. */
export const isOpenAt = (field: Field, [name, ...rest]: readonly PropertyKey[]): boolean => {
  const { open, element, fields } = inspect(field);
  if (name === undefined) return open === 'values';
  if (open === 'contents') return true;
  const next = typeof name === 'number' ? element : fields?.[String(name)];
  return next === undefined ? open === 'keys' : isOpenAt(next, rest);
};

/** A schema as JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export const jsonSchema = (schema: z.ZodMiniType, side: 'input' | 'output'): Record<string, unknown> => {
  const { $schema, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io: side, unrepresentable: 'any' });
  return rest;
};
