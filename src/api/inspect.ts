import * as z from 'zod/mini';
import { onceEach } from '../base/once.ts';
import { type Field, type FieldFacts, facts, type Shape } from './field.ts';

/** Schema facts used by flags, help, completions and the sandbox. */
export interface Inspection extends FieldFacts {
  readonly type: 'string' | 'number' | 'boolean' | 'enum' | 'literal' | 'array' | 'object' | 'union';
  readonly format?: string | undefined;
  readonly description?: string | undefined;
  readonly isOptional: boolean;
  /** Allowed values of an enum. */
  readonly choices?: readonly string[] | undefined;
  /** Schema of a list's items. */
  readonly element?: Field | undefined;
  /** Schema of the values of a map. */
  readonly values?: Field | undefined;
  /** Schemas of an object's fields. */
  readonly fields?: Shape | undefined;
  /** Alternatives of a union. */
  readonly options?: readonly Field[] | undefined;
}

/** The parts of zod's schema definition used here; each kind of schema has some of them. */
interface Definition {
  type: Inspection['type'] | 'optional' | 'nullable';
  innerType: Field;
  format?: string;
  entries?: Record<string, string>;
  element?: Field;
  valueType?: Field;
  shape?: Shape;
  options?: readonly Field[];
}

export const inspect: (field: Field) => Inspection = onceEach((field) => {
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
    values: definition.valueType,
    fields: definition.shape,
    options: definition.options,
    ...facts.get(field),
  };
});

/** Whether the documentation leaves open what may be at this path inside the field. */
export const isOpenField = (field: Field, [name, ...rest]: readonly PropertyKey[]): boolean => {
  const { open, element, fields } = inspect(field);
  if (name === undefined) return open === 'values';
  if (open === 'contents') return true;
  const next = typeof name === 'number' ? element : fields?.[String(name)];
  return next === undefined ? open === 'keys' : isOpenField(next, rest);
};
