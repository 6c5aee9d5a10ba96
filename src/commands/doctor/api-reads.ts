import { catalogue } from '../../api/catalogue.ts';
import { type Collection, collections } from '../../api/collections.ts';
import { inspect } from '../../api/inspect.ts';
import { nounOf, type Operation } from '../../api/operation.ts';
import type { SchedError } from '../../base/errors.ts';
import type { Json } from '../../base/json.ts';
import { day } from '../../base/milliseconds.ts';
import { idIn } from '../../base/uri.ts';
import type { Input } from '../../client/wire.ts';

/** The URI of one record of each collection, as far as the service has shown some. */
export type Records = Map<string, string>;

/** The collection that the records of a list belong to. */
const collectionOf = ({ path }: Operation): string => path.split('/').findLast((part) => !part.startsWith('{'))!;

/** Remembers a record of what was read, so that other reads can name it. */
export const rememberRecord = (records: Records, row: Operation, [first]: readonly Json[]): void => {
  if (row.name === 'users.me' && typeof first?.current_organization === 'string')
    records.set('organizations', first.current_organization);
  const collection = row.name === 'users.me' ? 'users' : collectionOf(row);
  if (typeof first?.uri === 'string' && !records.has(collection)) records.set(collection, first.uri);
};

/** The input of a read, or what is missing for it. */
export const inputFor = (row: Operation, records: Records, now: number): Input | string => {
  const missingRecords: string[] = [];
  const uriIn = (collection: string): string => {
    const uri = records.get(collection);
    if (uri === undefined) missingRecords.push(collections[collection as Collection]?.singular ?? collection);
    return uri ?? '';
  };
  const parts = row.path.split('/');
  const path = parts.flatMap((part, index): [string, string][] =>
    part.startsWith('{') ? [[part.slice(1, -1), idIn(uriIn(parts[index - 1]!))]] : [],
  );
  const fields = Object.entries(row.query?.shape ?? {}).map(([name, field]) => ({ name, ...inspect(field) }));
  const requiredFields = fields.filter(({ isOptional }) => !isOptional);
  const own = fields.filter(({ name }) => requiredFields.length === 0 && name === catalogue[nounOf(row)].whose);
  const query = [...requiredFields, ...own].map(({ name, collection, choices }): [string, string] => {
    if (collection !== undefined) return [name, uriIn(collection)];
    // The only other required values are the edges of a time window: tomorrow.
    return [name, choices?.[0] ?? new Date(now + (name.startsWith('end') ? 2 : 1) * day).toISOString()];
  });
  return missingRecords.length > 0
    ? missingRecords[0]!
    : { path: Object.fromEntries(path), query: Object.fromEntries(query) };
};

/** What came back for a read. `rows` is empty if it failed. */
export interface Read {
  rows: Json[];
  nextToken?: string | undefined;
  error?: SchedError;
}
