import type { Catalogue, Noun } from '../api/catalogue.ts';
import type { Field, Value } from '../api/field.ts';
import type { Operation, PathParameter } from '../api/operation.ts';
import type { Page, PageContext } from './page.ts';
import type { Store, Text } from './store.ts';
import type { Plan } from './subscription.ts';

/** Who asks, as far as the token tells. */
export interface Caller {
  user: string;
  organization: string;
  role: 'owner' | 'admin' | 'user';
  /** Plan of the organization. */
  plan: Plan;
  /** What the token may do; `null` is everything. */
  scopes: readonly string[] | null;
  /** Fingerprint of the token. */
  token: string;
}

/** What every handler is given beside the request's own input; all there is where no token is asked for. */
export interface PublicContext {
  store: Store;
  /** Milliseconds since 1970, by the sandbox's clock. */
  now: number;
  /** For the pages of a list. */
  asked: PageContext;
  /** The origin under which this server was reached. */
  server: string;
}

export interface Context extends PublicContext {
  caller: Caller;
}

type Parsed<F> = F extends Field ? Value<F> : undefined;

type Params<Row extends Operation> = { [Name in PathParameter<Row['path']>]: string };

type RecordOf<Row extends Operation> = Value<Row['reply']['of']['record']>;

/** A list whose query knows no page token has no pages. */
type ListOf<Row extends Operation> = Row extends { query: { shape: { page_token: unknown } } }
  ? Page<RecordOf<Row>>
  : Array<RecordOf<Row>>;

type Result<Row extends Operation> = Row['reply'] extends { kind: 'many' }
  ? ListOf<Row>
  : RecordOf<Row> | Text<RecordOf<Row>>;

/** Answers one operation. A write runs inside a transaction, so a handler cannot wait for anything. */
export type Handler<Row extends Operation> = (
  input: {
    params: Params<Row>;
    query: Parsed<Row extends { query: infer Query } ? Query : undefined>;
    body: Parsed<Row extends { body: infer Body } ? Body : undefined>;
  },
  context: Row extends { scope: string } ? Context : PublicContext,
) => Result<Row>;

/** One handler per row of the noun: one that is forgotten does not compile. */
export type Handlers<N extends Noun> = {
  [Verb in keyof Catalogue[N]]: Catalogue[N][Verb] extends Operation ? Handler<Catalogue[N][Verb]> : never;
};
