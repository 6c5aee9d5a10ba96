import * as z from 'zod/mini';
import type { Collection } from './collections.ts';
import { isEmailAddress } from './email-address.ts';

/** The schema of a field, a query, a body or a record. */
export type Field = z.ZodMiniType;

export type Shape = Readonly<Record<string, Field>>;

export type RecordField<S extends Shape = Shape> = z.ZodMiniObject<S, z.core.$strict>;

/** The type of a field's value after validation. */
export type Value<F extends Field> = z.output<F>;

/** Field facts that zod can't hold. */
export interface FieldFacts {
  /** The collection that a reference points to. */
  readonly collection?: Collection;
  /** Fields that results can be sorted by. */
  readonly sortedBy?: readonly string[];
  /** What `false` does, for a field that people set to false too. */
  readonly opposite?: string;
  /** The part that the documentation doesn't show: the contents of an object, some of its keys, or the allowed values. */
  readonly open?: 'contents' | 'keys' | 'values';
}

/** The facts need their own registry: zod's global one would print them in OpenAPI. */
export const facts = z.registry<FieldFacts>();

/** Returns a copy of the field with this description. */
export const described = <F extends Field>(field: F, description: string): F => {
  const copy = field.clone();
  z.globalRegistry.add(copy, { description });
  return copy;
};

/** Returns a copy of the field with JSON Schema keywords that zod can't derive from its checks. */
export const annotated = <F extends Field>(
  field: F,
  keywords: { default?: number; uniqueItems?: true; minProperties?: 1 },
): F => {
  const copy = field.clone();
  z.globalRegistry.add(copy, { ...z.globalRegistry.get(field), ...keywords });
  return copy;
};

/** Returns a copy of the field, marked with the part that the documentation doesn't show. */
export const open = <F extends Field>(field: F, part: NonNullable<FieldFacts['open']> = 'contents'): F => {
  const copy = field.clone();
  facts.add(copy, { open: part });
  return copy;
};

export const text = (description: string) => described(z.string(), description);

/** Text that is not empty. */
export const word = (description: string) => described(z.string().check(z.minLength(1)), description);

export const flag = (description: string, opposite?: string) => {
  const field = described(z.boolean(), description);
  if (opposite !== undefined) facts.add(field, { opposite });
  return field;
};

export const integer = (description: string) => described(z.int(), description);

export const email = (description: string) => described(z.stringFormat('email', isEmailAddress), description);

export const dateTime = (description: string) => described(z.iso.datetime({ offset: true }), description);

export const date = (description: string) => described(z.iso.date(), description);

/** A reference to another record, sent as its full URI under `/collection/`. */
export const reference = (collection: Collection, description: string) => {
  const field = word(description);
  facts.add(field, { collection });
  return field;
};

export const choice = <const Words extends readonly string[]>(words: Words, description: string) =>
  described(z.enum(words), description);

export const literal = <const Word extends string>(value: Word, description: string) =>
  described(z.literal(value), description);

const colorForm = 'must be a color such as "#0a8f6b", in quotes';

/** A color in a file that people write. */
export const color = described(
  z.string(colorForm).check(z.regex(/^#[0-9a-fA-F]{6}$/, colorForm)),
  'color as # and six hex digits',
);

/**
 * Assumed (paging.sort): `sort` is a list of `field:asc` or `field:desc` with commas between them; a missing direction
 * means `asc`.
 */
export const sorting = (fields: readonly string[]) => {
  const name = `(${fields.join('|')})(:(asc|desc))?`;
  const pattern = new RegExp(`^${name}(,${name})*$`);
  const field = described(
    z.string().check(z.regex(pattern, `must be one of ${fields.join(', ')}, optionally with :asc or :desc`)),
    `sort by ${fields.join(', ')}, optionally with :asc or :desc`,
  );
  facts.add(field, { sortedBy: fields });
  return field;
};

export const list = <Element extends Field>(element: Element, description: string) =>
  described(z.array(element), description);

export const record = <S extends Shape>(fields: S): RecordField<S> => z.strictObject(fields);

/** An object that may have other fields besides these. */
export const loose = <S extends Shape>(fields: S, description: string) => described(z.looseObject(fields), description);

/** One of several objects, distinguished by their `type`. */
export const oneOf = <const Options extends readonly [z.ZodMiniObject, ...z.ZodMiniObject[]]>(options: Options) =>
  z.discriminatedUnion('type', options);
