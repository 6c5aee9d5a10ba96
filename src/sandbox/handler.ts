import type * as z from 'zod';
import type { Catalogue, Noun } from '../api/catalogue.ts';
import type { Operation, PathParameter } from '../api/operation.ts';
import type { Asked, Page } from './page.ts';
import type { Store } from './store.ts';

/** Who asks, as far as the token tells. */
export interface Caller {
  user: string;
  organization: string;
  role: 'owner' | 'admin' | 'user';
}

/** What every handler is given beside the request's own input. */
export interface Context {
  store: Store;
  caller: Caller;
  /** Milliseconds since 1970, by the sandbox's clock. */
  now: number;
  /** For the pages of a list. */
  asked: Asked;
}

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

type Params<Row extends Operation> = { [Name in PathParameter<Row['path']>]: string };

type Result<Row extends Operation> = Row['reply'] extends { kind: 'many' }
  ? Page<z.output<Row['reply']['of']['schema']>>
  : z.output<Row['reply']['of']['schema']>;

/** Answers one operation. A write runs inside a transaction, so a handler cannot wait for anything. */
export type Handler<Row extends Operation> = (
  input: {
    params: Params<Row>;
    query: Parsed<Row extends { query: infer Query } ? Query : undefined>;
    body: Parsed<Row extends { body: infer Body } ? Body : undefined>;
  },
  context: Context,
) => Result<Row>;

/** One handler per row of the noun: one that is forgotten does not compile. */
export type Handlers<N extends Noun> = {
  [Verb in keyof Catalogue[N]]: Catalogue[N][Verb] extends Operation ? Handler<Catalogue[N][Verb]> : never;
};
