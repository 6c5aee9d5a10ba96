import * as z from 'zod/mini';
import type { Collection, Noun } from './collections.ts';
import { annotated, integer, type RecordField, record, type Shape, sorting, text } from './field.ts';
import { limits } from './limits.ts';
import type { Scope } from './scopes.ts';

/** A kind of record the service returns. `name` is its singular, as written in messages. */
export interface Resource<Name extends string = string, S extends Shape = Shape> {
  readonly name: Name;
  readonly record: RecordField<S>;
}

export const resource = <Name extends string, S extends Shape>(name: Name, fields: S) => ({
  name,
  record: record(fields),
});

/** A reply with one record in `{ resource: … }`. */
export const one = <R extends Resource>(of: R, status = 200) => ({ kind: 'one', of, status }) as const;

/** A reply with a page of records in `{ collection: […], pagination: … }`. */
export const many = <R extends Resource>(of: R) => ({ kind: 'many', of, status: 200 }) as const;

/** A reply with one record and no envelope. */
export const bare = <R extends Resource>(of: R, status = 200) => ({ kind: 'bare', of, status }) as const;

type Reply = ReturnType<typeof one> | ReturnType<typeof many> | ReturnType<typeof bare>;

/** One operation of the service. It holds only facts about the API, none that a single caller needs. */
export interface Operation {
  /** `noun.verb`. Whatever depends on the operation goes by its name: its path may differ at another service. */
  readonly name: `${Noun}.${string}`;
  readonly summary: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: `/${Collection}` | `/${Collection}/${string}`;
  /** The scope the token needs. Operations without a scope are called without a token. */
  readonly scope?: Scope;
  /** The host that serves it, if not the API host. */
  readonly server?: 'mcp';
  /** The plan an organization needs. */
  readonly plan?: 'enterprise';
  /** The documentation names the operation without its shape, so the shape is a guess. */
  readonly assumed?: true;
  /**
   * What happens if a write is carried out twice: a deletion is safe to repeat, a change can be checked by reading the
   * record, and a creation makes a second record. Reads have no effect.
   */
  readonly effect?: 'deletion' | 'change' | 'creation';
  /** Not in the documentation, but at services of this kind: offered only if the service's dialect names it. */
  readonly optional?: true;
  /** The operation that does nearly the same at services without this one. */
  readonly instead?: `${Noun}.${string}`;
  /** What its commands know beside the input, for services that need it to name the record. */
  readonly knows?: readonly string[];
  readonly query?: RecordField;
  readonly body?: RecordField;
  readonly reply: Reply;
}

/** An operation without what follows from its place. */
type Row = Omit<Operation, 'name' | 'scope'>;

type NamedRows<N extends Noun, Domain extends string, Rows extends Record<string, Row>> = {
  readonly [Verb in keyof Rows & string]: Rows[Verb] & {
    readonly name: `${N}.${Verb}`;
    readonly scope: `${Domain}:${Rows[Verb]['method'] extends 'GET' ? 'read' : 'write'}`;
  };
};

/**
 * The operations of a noun by verb. Their place gives them their names and scopes: a read needs the scope `DOMAIN:read`,
 * a write `DOMAIN:write`. Keeps the literal types of the rows, so that handlers and views can be checked against them.
 */
export const operations = <N extends Noun, Domain extends string, const Rows extends Record<string, Row>>(
  noun: N,
  domain: Domain,
  rows: Rows,
) => {
  const entries = Object.entries(rows).map(([verb, row]) => {
    const scope = `${domain}:${row.method === 'GET' ? 'read' : 'write'}`;
    return [verb, { name: `${noun}.${verb}`, scope, ...row }];
  });
  return Object.fromEntries(entries) as NamedRows<N, Domain, Rows>;
};

const pageSize = integer('results per page').check(z.gte(limits.pageSize.min), z.lte(limits.pageSize.max));

const paging = {
  count: z.optional(annotated(pageSize, { default: limits.pageSize.default })),
  page_token: z.optional(text('token of the page to return')),
};

interface Listing<Path extends Operation['path'], Filters extends Shape, Sorted extends readonly string[] | undefined>
  extends Pick<Operation, 'summary' | 'plan' | 'assumed'> {
  readonly path: Path;
  readonly filters: Filters;
  /** Without these fields, the list rejects `sort`. */
  readonly sortedBy?: Sorted;
}

/** The parameter of lists that can be sorted. */
type Order<Sorted> = Sorted extends readonly string[]
  ? { sort: z.ZodMiniOptional<ReturnType<typeof sorting>> }
  : object;

/**
 * A row that lists records, page by page. Its query has its own filters, then the parameters shared by all lists.
 * Assumed (paging.names): the query parameters of all lists are called `user`, `organization`, `status`, `role`,
 * `count`, `page_token` and `sort`. The documentation names those of organization invitations; of other lists it gives
 * only the meaning.
 */
export const readMany = <
  R extends Resource,
  Path extends Operation['path'],
  Filters extends Shape,
  const Sorted extends readonly string[] | undefined = undefined,
>(
  of: R,
  { filters, sortedBy, ...row }: Listing<Path, Filters, Sorted>,
) => {
  const order = (sortedBy === undefined ? {} : { sort: z.optional(sorting(sortedBy)) }) as Order<Sorted>;
  return { ...row, method: 'GET', query: record({ ...filters, ...paging, ...order }), reply: many(of) } as const;
};

/** A row that reads a record at its path. */
export const readOne = <Path extends Operation['path'], R extends Resource>(summary: string, path: Path, of: R) =>
  ({ summary, method: 'GET', path, reply: one(of) }) as const;

/** Marks rows that only some services have: they are offered if the service's dialect names them. */
export const optionally = <const Rows extends Record<string, Row>>(rows: Rows) =>
  Object.fromEntries(Object.entries(rows).map(([verb, row]) => [verb, { ...row, optional: true }])) as {
    readonly [Verb in keyof Rows]: Rows[Verb] & { readonly optional: true };
  };

const deleted = bare(resource('deleted record', {}), 204);

/** A row that deletes the record at its path. The reply is empty. */
export const deleteOne = <Path extends Operation['path']>(summary: string, path: Path) =>
  ({ summary, method: 'DELETE', path, effect: 'deletion', reply: deleted }) as const;

export const nounOf = ({ name }: Operation): Noun => name.split('.')[0] as Noun;

/** `'/a/{x}/b/{y}'` ⇒ `'x' | 'y'`. */
export type PathParameter<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameter<Rest>
  : never;

/** The names in a path's braces, in order. */
export const pathParameters = (path: string): string[] => Array.from(path.matchAll(/\{(\w+)\}/g), (match) => match[1]!);
