import type { MaybeList, MaybeObject } from '../base/json.ts';
import type { Value } from './field.ts';
import type { Operation, Resource } from './operation.ts';

type SentValue<Documented> = Documented extends readonly (infer Item)[]
  ? MaybeList<Item extends object ? SentFields<Item> : unknown>
  : Documented extends object
    ? MaybeObject<SentFields<Documented>>
    : unknown;

/** The documented fields: each may be missing, or have another kind of value. A name without documentation is an error. */
type SentFields<Documented> = { readonly [Name in keyof Documented]?: SentValue<NonNullable<Documented[Name]>> };

/** A record as the service sends it. It may have other fields too: they are printed, but no command knows them. */
export type Sent<R extends Pick<Resource, 'record'>> = SentFields<Value<R['record']>>;

/** A record of an operation's reply. */
export type RecordOf<Row extends Operation> = Sent<Row['reply']['of']>;

/** Whatever reads the reply has checked that there is a `uri` if one is documented. */
export type WithUri<Fields> = 'uri' extends keyof Fields ? Fields & { readonly uri: string } : Fields;

/** The reply of an operation: its record, or several if it changes several. */
export type ReplyOf<Row extends Operation> = Row['reply']['kind'] extends 'many'
  ? { readonly collection: readonly WithUri<RecordOf<Row>>[] }
  : WithUri<RecordOf<Row>>;
