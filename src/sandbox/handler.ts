import type { Catalogue } from '../api/catalogue.ts';
import type { Noun } from '../api/collections.ts';
import type { Field, Value } from '../api/field.ts';
import type { Operation, PathParameter } from '../api/operation.ts';
import type { Plan } from './rules/subscription.ts';
import type { Listing } from './store/list-page.ts';
import type { Store, Text } from './store/store.ts';

/** The user behind a request, according to the token. */
export interface Caller {
  user: string;
  organization: string;
  role: 'owner' | 'admin' | 'user';
  plan: Plan;
  /** Scopes of the token; `null` means full access. */
  scopes: readonly string[] | null;
  /** Fingerprint of the token. */
  token: string;
}

/** Passed to every handler beside the request's input. Operations without a token get nothing else. */
export interface PublicContext {
  store: Store;
  /** The sandbox clock's time, in milliseconds since 1970. */
  now: number;
  /** The origin the request was sent to. */
  server: string;
  /** The origin of links: nearly always the same. */
  origin: string;
}

export interface HandlerContext extends PublicContext {
  caller: Caller;
}

/** Who causes a change, and what is written about it: the part of a context that deliveries and the activity log need. */
export interface ChangeContext extends Pick<HandlerContext, 'store' | 'now' | 'origin'> {
  caller: Pick<Caller, 'user' | 'organization'>;
}

type ParsedField<F> = F extends Field ? Value<F> : undefined;

type Params<Row extends Operation> = { [Name in PathParameter<Row['path']>]: string };

type RecordOf<Row extends Operation> = Value<Row['reply']['of']['record']>;

/** The service reads a page of the listing. A list without a `page_token` parameter isn't paged. */
type ListOf<Row extends Operation> = Row extends { query: { shape: { page_token: unknown } } }
  ? Listing
  : Array<RecordOf<Row> | Text<RecordOf<Row>>>;

type HandlerResult<Row extends Operation> = Row['reply'] extends { kind: 'many' }
  ? ListOf<Row>
  : RecordOf<Row> | Text<RecordOf<Row>>;

/** Handles one operation. Writes run inside a transaction, so a handler can't be async. */
export type Handler<Row extends Operation> = (
  input: {
    params: Params<Row>;
    query: ParsedField<Row extends { query: infer Query } ? Query : undefined>;
    body: ParsedField<Row extends { body: infer Body } ? Body : undefined>;
  },
  context: Row extends { scope: string } ? HandlerContext : PublicContext,
) => HandlerResult<Row>;

/** One handler per row of the noun; a missing one is a compile error. */
export type Handlers<N extends Noun> = {
  [Verb in keyof Catalogue[N]]: Catalogue[N][Verb] extends Operation ? Handler<Catalogue[N][Verb]> : never;
};
