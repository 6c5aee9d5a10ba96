import * as z from 'zod/mini';
import { integer, type RecordField, record, type Shape, sorting, text } from './field.ts';
import { limits } from './limits.ts';
import type { Scope } from './scopes.ts';

/** A kind of record the service answers with; `name` is its singular in words. */
export interface Resource<Name extends string = string, S extends Shape = Shape> {
  readonly name: Name;
  readonly record: RecordField<S>;
}

export const resource = <Name extends string, S extends Shape>(name: Name, fields: S) => ({
  name,
  record: record(fields),
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
  readonly query?: RecordField;
  readonly body?: RecordField;
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

export const minutes = (description: string) =>
  integer(description).check(z.gte(limits.durationMinutes.min), z.lte(limits.durationMinutes.max));

/**
 * The query of a list: its own filters, then what every list takes. A list without an order of its own refuses `sort`.
 * Assumed: all lists spell these as organization invitations documents them.
 */
export const listQuery = <Filters extends Shape>(filters: Filters, sortFields: readonly string[] = []) => {
  const paging = {
    count: z.optional(integer('results per page').check(z.gte(limits.pageSize.min), z.lte(limits.pageSize.max))),
    page_token: z.optional(text('where the next page starts')),
  };
  const order = { sort: z.optional(sorting(sortFields)) };
  // Its type may still know the name.
  return record({ ...filters, ...paging, ...(sortFields.length === 0 ? ({} as typeof order) : order) });
};
