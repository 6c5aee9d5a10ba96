import * as z from 'zod';
import { limits } from './limits.ts';
import type { Scope } from './scopes.ts';

/** A kind of record the service answers with; `name` is its singular in words. */
export interface Resource<Name extends string = string, Schema extends z.ZodObject = z.ZodObject> {
  readonly name: Name;
  readonly schema: Schema;
}

export const resource = <Name extends string, Shape extends z.ZodRawShape>(name: Name, shape: Shape) => ({
  name,
  schema: z.strictObject(shape),
});

/** `{ resource: … }` around one record. */
export const one = <R extends Resource>(of: R, status = 200) => ({ kind: 'one', of, status }) as const;

/** `{ collection: […], pagination: … }` around a page of records. */
export const many = <R extends Resource>(of: R) => ({ kind: 'many', of, status: 200 }) as const;

/** One record without an envelope. */
export const bare = <R extends Resource>(of: R, status = 200) => ({ kind: 'bare', of, status }) as const;

export type Reply = ReturnType<typeof one> | ReturnType<typeof many> | ReturnType<typeof bare>;

/** One operation of the service: what it says of itself, and nothing that only one reader needs. */
export interface Operation {
  readonly summary: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: `/${string}`;
  /** What the token must be allowed; an operation without a scope is asked without a token. */
  readonly scope?: Scope;
  /** The host it lives on, where that is not the API's own. */
  readonly server?: 'mcp';
  /** Open to organizations on this plan only. */
  readonly plan?: 'enterprise';
  /** The documentation names the operation without its shape, so the shape is our bet. */
  readonly assumed?: true;
  /**
   * What carrying a write out a second time would do: the same thing once more (a deletion), nothing that could not be
   * read back (a change), or another one beside the first (a creation). Reads have none.
   */
  readonly effect?: 'deletion' | 'change' | 'creation';
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  readonly reply: Reply;
}

/** Keeps a row's literal types, so that handlers and views can be checked against it. */
export const operation = <const Row extends Operation>(row: Row): Row => row;

/** `'/a/{x}/b/{y}'` ⇒ `'x' | 'y'`. */
export type PathParameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never;

/** The names in a path's braces, in order. */
export const pathParameters = (path: string): string[] => Array.from(path.matchAll(/\{(\w+)\}/g), (match) => match[1]!);

/** A reference to another record: on the wire its full URI under `/collection/`. */
export const reference = <Collection extends string>(collection: Collection, description: string) =>
  z.string().min(1).meta({ collection, description });

export const dateTime = (description: string) => z.iso.datetime({ offset: true }).describe(description);
export const text = (description: string) => z.string().describe(description);
export const flag = (description: string) => z.boolean().describe(description);
export const email = (description: string) => z.email().describe(description);
export const integer = (description: string) => z.int().describe(description);
export const minutes = (description: string) =>
  z.int().min(limits.durationMinutes.min).max(limits.durationMinutes.max).describe(description);

/** `field:asc` or `field:desc`, comma-separated. Assumed: the direction may be left out and means `asc`. */
const sorting = (fields: readonly string[]) => {
  const name = `(${fields.join('|')})(:(asc|desc))?`;
  return z
    .string()
    .regex(new RegExp(`^${name}(,${name})*$`), `one of ${fields.join(', ')}, each with :asc or :desc`)
    .meta({ description: `order of the results: ${fields.join(', ')}, each with :asc or :desc`, fields });
};

/**
 * The query of a list: its own filters, then what every list takes.
 * Assumed: all lists spell these as organization invitations documents them.
 */
export const listQuery = <Filters extends z.ZodRawShape>(filters: Filters, sortFields: readonly string[] = []) => {
  const shape = {
    ...filters,
    count: z.int().min(limits.pageSize.min).max(limits.pageSize.max).optional().describe('results per page'),
    page_token: z.string().optional().describe('where the next page starts'),
    sort: sorting(sortFields).optional(),
  };
  if (sortFields.length > 0) return z.strictObject(shape);
  // A list without an order of its own refuses `sort`; its type may still know the name.
  return z.strictObject(shape).omit({ sort: true } as never) as unknown as z.ZodObject<typeof shape, z.core.$strict>;
};
