import type * as z from 'zod';
import { isEmailAddress } from './email-address.ts';
import { type Zod, zod } from './zod.ts';

/** What flags, help and the liberal reader need to know of a field: plain, so that most commands make no schema of it. */
interface Facts {
  readonly type: 'string' | 'number' | 'boolean' | 'enum' | 'literal' | 'array' | 'object' | 'union';
  readonly format?: 'email' | 'datetime' | 'date';
  readonly description?: string | undefined;
  /** It may be left out. */
  readonly isOptional?: true;
  /** The words it may be. */
  readonly choices?: readonly string[];
  /** What a list holds. */
  readonly element?: Field;
  /** What an object holds. */
  readonly fields?: Shape;
  /** Of which it is one. */
  readonly options?: readonly Field[];
  /** A reference leads to a record under this first part of a path. */
  readonly collection?: string;
  /** What results can be sorted by. */
  readonly sortedBy?: readonly string[];
}

export type Shape = Readonly<Record<string, Field>>;

/** A field of a request or a record. Its zod schema is made when something is to be held against it. */
export interface Field<Schema extends z.ZodType = z.ZodType> extends Facts {
  readonly schema: Schema;
  optional(): Field<z.ZodOptional<Schema>>;
  nullable(): Field<z.ZodNullable<Schema>>;
  /** The same in other words. */
  as(description: string): this;
  /** The same under one more condition, which only the schema knows. */
  refine(test: (value: z.output<Schema>) => boolean, problem: string | Problem): this;
}

interface Problem {
  path: string[];
  message: string;
}

/** What a value of a field is once it was checked. */
export type Value<F> = F extends Field<infer Schema> ? z.output<Schema> : never;

type Schemas<S extends Shape> = { [Name in keyof S]: S[Name]['schema'] };

/** An object of known fields. */
export interface RecordField<S extends Shape = Shape> extends Field<z.ZodObject<Schemas<S>, z.core.$strict>> {
  readonly fields: S;
}

interface ListField<Element extends Field> extends Field<z.ZodArray<Element['schema']>> {
  readonly element: Element;
}

const field = <Schema extends z.ZodType>(facts: Facts, make: (z: Zod) => Schema): Field<Schema> => {
  let made: Schema | undefined;
  return {
    ...facts,
    get schema() {
      made ??= make(zod()).meta({ description: facts.description });
      return made;
    },
    optional: () => field({ ...facts, isOptional: true }, (z) => z.optional(make(z))),
    nullable: () => field(facts, (z) => z.nullable(make(z))),
    as: (words) => field({ ...facts, description: words }, make),
    refine: (test, problem) => field(facts, (z) => make(z).refine(test, problem)),
  };
};

/** More that the schema demands of a value. */
type Check<Schema> = (schema: Schema) => Schema;
const none = <Schema>(schema: Schema): Schema => schema;

export const text = (description?: string, check: Check<z.ZodString> = none) =>
  field({ type: 'string', description }, (z) => check(z.string()));

/** Text that is not empty. */
export const word = (description: string) => text(description, (string) => string.min(1));

export const flag = (description: string) => field({ type: 'boolean', description }, (z) => z.boolean());

export const integer = (description: string, check: Check<z.ZodInt> = none) =>
  field({ type: 'number', description }, (z) => check(z.int()));

export const email = (description: string) =>
  field({ type: 'string', format: 'email', description }, (z) => z.stringFormat('email', isEmailAddress));

export const dateTime = (description: string) =>
  field({ type: 'string', format: 'datetime', description }, (z) => z.iso.datetime({ offset: true }));

export const date = (description: string) =>
  field({ type: 'string', format: 'date', description }, (z) => z.iso.date());

/** A reference to another record: on the wire its full URI under `/collection/`. */
export const reference = (collection: string, description: string) =>
  field({ type: 'string', collection, description }, (z) => z.string().min(1));

export const choice = <const Words extends readonly string[]>(choices: Words, description?: string) =>
  field({ type: 'enum', choices, description }, (z) => z.enum(choices));

export const literal = <const Word extends string>(value: Word, description: string) =>
  field({ type: 'literal', description }, (z) => z.literal(value));

/** `field:asc` or `field:desc`, comma-separated. Assumed: the direction may be left out and means `asc`. */
export const sorting = (fields: readonly string[]) => {
  const name = `(${fields.join('|')})(:(asc|desc))?`;
  const description = `order of the results: ${fields.join(', ')}, each with :asc or :desc`;
  return field({ type: 'string', sortedBy: fields, description }, (z) =>
    z.string().regex(new RegExp(`^${name}(,${name})*$`), `one of ${fields.join(', ')}, each with :asc or :desc`),
  );
};

export const list = <Element extends Field>(
  element: Element,
  description?: string,
  check: Check<z.ZodArray<Element['schema']>> = none,
): ListField<Element> =>
  field({ type: 'array', element, description }, (z) =>
    check(z.array(element.schema as Element['schema'])),
  ) as ListField<Element>;

const schemasOf = <S extends Shape>(fields: S): Schemas<S> =>
  Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, each.schema])) as Schemas<S>;

export const record = <S extends Shape>(fields: S): RecordField<S> =>
  field({ type: 'object', fields }, (z) => z.strictObject(schemasOf(fields))) as RecordField<S>;

/** An object whose every field may be left out. */
export const partial = <S extends Shape>(fields: S) =>
  record(
    Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, each.optional()])) as {
      [Name in keyof S]: Field<z.ZodOptional<S[Name]['schema']>>;
    },
  );

/** An object of which only some fields are known. */
export const loose = <S extends Shape>(fields: S, description?: string) =>
  field({ type: 'object', fields, description }, (z) => z.looseObject(schemasOf(fields)));

/** One of several objects, told apart by their `type`. */
export const oneOf = <const Options extends readonly [Field<z.ZodObject>, ...Field<z.ZodObject>[]]>(
  options: Options,
  description?: string,
) =>
  field({ type: 'union', options, description }, (z) =>
    z.discriminatedUnion(
      'type',
      options.map(({ schema }) => schema) as { -readonly [Index in keyof Options]: Options[Index]['schema'] },
    ),
  );
