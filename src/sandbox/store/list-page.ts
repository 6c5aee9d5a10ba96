import { hash } from 'node:crypto';
import { limits } from '../../api/limits.ts';
import { windowIn } from '../../api/window.ts';
import { invalidParameter } from '../error-replies.ts';
import type { SqlValue } from './database.ts';
import { lastMoment, timestamp } from './names.ts';
import type { Store } from './store.ts';

/** A position between two rows of a list. */
interface Cursor {
  way: 'next' | 'previous';
  /** The sort keys and then the ID of the row next to this position. */
  place: SqlValue[];
}

/** Assumed (paging.token-expiry): a page token expires after some minutes; in the sandbox after 15. */
const lifetimeMilliseconds = 15 * 60_000;

const digest = (payload: string, list: string): string =>
  hash('sha256', `${payload}\n${list}`, 'base64url').slice(0, 11);

/**
 * Assumed (paging.token-list): a page token works for its own list only, with the same filters and order; any other request
 * with it is refused with 400.
 */
const isOfList = (token: string, list: string): boolean => token.slice(-11) === digest(token.slice(0, -11), list);

/** `list` identifies the list with its filters and order. `place` is a JSON array. */
const writeCursor = (way: Cursor['way'], place: string, list: string, now: number): string => {
  const payload = Buffer.from(`[${now},"${way}",${place.slice(1)}`).toString('base64url');
  return payload + digest(payload, list);
};

export const staleCursor = () =>
  invalidParameter('page_token', 'has expired: start again from the first page', 'expired');

const readCursor = (token: string, list: string, now: number): Cursor => {
  if (!isOfList(token, list))
    throw invalidParameter('page_token', "doesn't belong to this list and these filters", 'invalid');
  const [issued, way, ...place] = JSON.parse(Buffer.from(token.slice(0, -11), 'base64url').toString());
  if (now - issued > lifetimeMilliseconds) throw staleCursor();
  return { way, place };
};

type Condition = [sql: string, ...params: Array<SqlValue | undefined>];

/** Joins a record as another service sent it. */
export const joinSent = (kind: string, id: string): string => `LEFT JOIN sent s ON s.kind = '${kind}' AND s.id = ${id}`;

/** The place of a record among those of its list, in a mirror. Inside, no column has the name of the ID. */
export const rankOf = (kind: string, id: string): string =>
  `coalesce((SELECT rank FROM (SELECT kind AS of_kind, id AS of_id, rank FROM sent) WHERE of_kind = '${kind}' AND of_id = ${id}), 0)`;

/** A list as another service sent it, if it did. */
export const sentRecords = (store: Store, kind: string, id: string): string[] | undefined => {
  const where = 's.kind = ? AND s.id = ?';
  if (!store.first(`SELECT 1 FROM sent s WHERE ${where}`, kind, id)) return undefined;
  const sql = `SELECT l.value AS doc FROM sent s, json_each(s.doc) l WHERE ${where}`;
  return store.all<{ doc: string }>(sql, kind, id).map(({ doc }) => doc);
};

/** A list that is read page by page. A window that the query asks for limits the first sort column. */
export interface Listing {
  from: string;
  /** Where the record and its ID are. Default: the columns `doc` and `id`. */
  doc?: string;
  id?: string;
  /** The columns of the fields to sort by. Default: a column of the same name. */
  columns?: Record<string, string>;
  /** What its records are called in `sent`. Default: the name of the first table. */
  kind?: string;
  /** Default: `created_at`. */
  defaultSort?: string;
  /** A condition with an undefined parameter doesn't apply: nobody asked for it. */
  where: Condition[];
}

interface PageQuery {
  count?: number | undefined;
  page_token?: string | undefined;
  sort?: string | undefined;
}

export interface Page {
  /** The records and their separators: a JSON array without its brackets. */
  items: string;
  count: number;
  next: string | null;
  previous: string | null;
}

interface Key {
  column: string;
  descending: boolean;
}

/** The columns whose window a query can ask for. Lists of their records begin with the time. */
const timed = /^(start_time|occurred_at)\b/;

/**
 * The ID comes last, in the direction of the first key, so that one index covers the order in both directions. In a
 * mirror, records have the place that they had at the service: among those of the same time, or if they have no time.
 */
const keysOf = (
  { columns = {}, id = 'id', defaultSort = 'created_at', from, kind = from.split(' ')[0]! }: Listing,
  sort: string | undefined,
  backwards: boolean,
  isMirror: boolean,
): Key[] => {
  const keys = (sort ?? defaultSort).split(',').map((part) => {
    const [field, direction] = part.split(':');
    return { column: columns[field!] ?? field!, descending: (direction === 'desc') !== backwards };
  });
  const { descending } = keys[0]!;
  const last = { column: id, descending };
  if (!isMirror) return [...keys, last];
  const rank = rankOf(kind, id);
  if (sort === undefined && !timed.test(defaultSort)) return [{ column: rank, descending: backwards }, ...keys, last];
  return [...keys, { column: rank, descending }, last];
};

const beyond = ({ column, descending }: Key) => `${column} ${descending ? '<' : '>'} ?`;

/** `a > ? OR (a = ? AND (b > ? OR (b = ? AND …)))`: rows after a position; the keys may have different directions. */
const after = ([key, ...rest]: Key[], [value, ...values]: SqlValue[]): Condition => {
  if (rest.length === 0) return [beyond(key!), value!];
  const [sql, ...params] = after(rest, values);
  return [`(${beyond(key!)} OR (${key!.column} = ? AND ${sql}))`, value!, value!, ...params];
};

/** Spelled as times are stored. */
const storedTime = (time: string | undefined): string | undefined =>
  time && timestamp(Math.min(Date.parse(time), lastMoment));

/**
 * The window is kept apart from other conditions, so that the nearer of limit and cursor bounds the index. A cursor is
 * always inside the window, so it is the tighter bound on its side.
 */
const bounds = (query: PageQuery, first: Key, edge: SqlValue | undefined): Condition[] => {
  const { since, until } = windowIn(query);
  const lower = edge !== undefined && !first.descending ? edge : storedTime(since);
  const upper = edge !== undefined && first.descending ? edge : undefined;
  const conditions: Condition[] = [];
  if (lower !== undefined) conditions.push([`${first.column} >= ?`, lower]);
  if (upper !== undefined) conditions.push([`${first.column} <= ?`, upper]);
  else if (until !== undefined) conditions.push([`${first.column} < ?`, storedTime(until)]);
  return conditions;
};

/** Contains a line break, which JSON allows here and stored records never contain, so the text can be split at it. */
const between = ',\n';

/** Reads the page that a query asks for. Page tokens are bound to `list`, and expire some time after `now`. */
export const readPage = (
  store: Store,
  listing: Listing,
  query: PageQuery,
  list: string,
  now: number,
  isMirror = false,
): Page => {
  const cursor: Cursor | undefined =
    query.page_token === undefined ? undefined : readCursor(query.page_token, list, now);
  const count = query.count ?? limits.pageSize.default;
  const backwards = cursor?.way === 'previous';
  const keys = keysOf(listing, query.sort, backwards, isMirror);

  const filters = listing.where.filter((condition) => !condition.includes(undefined));
  const conditions = [...filters, ...bounds(query, keys[0]!, cursor?.place[0])];
  if (cursor) conditions.push(after(keys, cursor.place));
  const columns = keys.map(({ column }) => column).join(', ');
  const order = keys.map(({ column, descending }) => `${column} ${descending ? 'DESC' : 'ASC'}`).join(', ');
  // Reads all rows as one, because passing a row to JavaScript costs more than finding it. The order is kept, because
  // SQLite can't merge an inner query with ORDER BY and LIMIT into the outer one.
  const { docs, places: found } = store.first<{ docs: string | null; places: string | null }>(
    `SELECT group_concat(doc, '${between}') AS docs, group_concat(place, '${between}') AS places FROM (
       SELECT ${listing.doc ?? 'doc'} AS doc, json_array(${columns}) AS place FROM ${listing.from}
       WHERE ${conditions.map(([sql]) => sql).join(' AND ')} ORDER BY ${order} LIMIT ?)`,
    ...conditions.flatMap(([, ...params]) => params as SqlValue[]),
    count + 1,
  )!;
  let items = docs ?? '';
  const places = found?.split(between) ?? [];

  // One extra row shows whether there is another page.
  const hasMore = places.length > count;
  if (hasMore) {
    items = items.slice(0, items.lastIndexOf(between));
    places.pop();
  }
  if (backwards) {
    items = items.split(between).reverse().join(between);
    places.reverse();
  }
  const token = (way: Cursor['way'], place: string | undefined) =>
    place === undefined ? null : writeCursor(way, place, list, now);
  return {
    items,
    count: places.length,
    next: backwards || hasMore ? token('next', places.at(-1)) : null,
    previous: (backwards ? hasMore : cursor) ? token('previous', places[0]) : null,
  };
};
