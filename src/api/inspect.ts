import * as z from 'zod/mini';
import { type Field, facts, type Shape } from './field.ts';

/** What flags, help, completions, the sandbox and the liberal reader ask of a schema. */
export interface Inspected {
  readonly type: 'string' | 'number' | 'boolean' | 'enum' | 'literal' | 'array' | 'object' | 'union';
  readonly format?: string | undefined;
  readonly description?: string | undefined;
  /** It may be left out. */
  readonly isOptional: boolean;
  /** The words it may be. */
  readonly choices?: readonly string[] | undefined;
  /** What a list holds. */
  readonly element?: Field | undefined;
  /** What an object holds. */
  readonly fields?: Shape | undefined;
  /** The shapes of which it is one. */
  readonly options?: readonly Field[] | undefined;
  /** A reference leads to a record under this first part of a path. */
  readonly collection?: string | undefined;
  /** What results can be sorted by. */
  readonly sortedBy?: readonly string[] | undefined;
}

/** The parts of a schema's definition that are read here; each kind of schema has some of them. */
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
