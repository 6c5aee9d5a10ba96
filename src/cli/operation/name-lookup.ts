import { catalogue, rowsOf } from '../../api/catalogue.ts';
import { type Collection, collections, type Noun } from '../../api/collections.ts';
import { type Operation, pathParameters } from '../../api/operation.ts';
import { windowQuery } from '../../api/window.ts';
import { hasCategory, SchedError } from '../../base/errors.ts';
import type { Json } from '../../base/json.ts';
import { fold, nearest } from '../../base/nearest.ts';
import { idIn } from '../../base/uri.ts';
import { isRead, type ReadOperation } from '../../client/client.ts';
import { rowFilter } from '../../client/filter.ts';
import { isPlainId } from '../../client/ids.ts';
import { gather } from '../../client/paginate.ts';
import type { Input } from '../../client/wire.ts';
import { toleratedSkewMs } from '../../http/service-time.ts';
import { valueAt } from '../../output/fields.ts';
import { utcText } from '../../time/wall.ts';
import type { Choice } from '../session/asker.ts';
import type { Context } from '../session/context.ts';
import { fillScope } from './default-scope.ts';

type Query = Record<string, string>;

/** How to find the records of a collection by name. */
interface Kind {
  words: string;
  /** The noun that lists the names. */
  noun: Noun;
  list: Operation;
  /** Reads one record by its ID. If undefined, records can be found only in the list. */
  get: ReadOperation | undefined;
  /**
   * Paths of the record's URI and name in a row of the list, of another URI that names the record, and of what tells
   * records with the same name apart.
   */
  row: { uri: string; name: string; alias?: string; detail?: string };
}

/** Rows that show people. */
const peopleRows: Partial<Record<Collection, Kind['row']>> = {
  users: { uri: 'user.uri', name: 'user.name', detail: 'user.email' },
  organization_memberships: { uri: 'uri', name: 'user.name', alias: 'user.uri', detail: 'user.email' },
};

const collectionNoun = (collection: Collection): Noun => collections[collection].nouns[0]!;

/** The read at a path of the collection. */
const readAt = async (noun: Noun, path: RegExp): Promise<ReadOperation | undefined> =>
  Object.values<Operation>(await rowsOf(noun)).find((row) => isRead(row) && path.test(row.path)) as ReadOperation;

const lookupKind = async (collection: Collection, context: Context): Promise<Kind> => {
  // Users have no list: the members of the organization are users.
  const listName = collection === 'users' ? 'organization_memberships' : collection;
  const noun = collectionNoun(listName);
  const get = await readAt(collectionNoun(collection), new RegExp(`^/${collection}/\\{`));
  const isOffered = get !== undefined && (await context.client()).offers(get);
  return {
    words: collections[collection].singular!,
    noun,
    list: (await readAt(noun, new RegExp(`^/${listName}$`)))!,
    get: isOffered ? get : undefined,
    row: peopleRows[collection] ?? { uri: 'uri', name: 'name' },
  };
};

/** Queries of the lists to search, one after another until one has the name. */
const listQueries = async (
  { identity }: Context,
  { list, noun }: Kind,
  within: string | undefined,
): Promise<Query[]> => {
  const fields = list.query!.shape;
  if (fields.event_type !== undefined) return within === undefined ? [] : [{ event_type: within }];
  // The user's own and shared ones first: people usually mean those, and every token may list them.
  const parts = catalogue[noun].whose === 'user' ? (['user', 'organization'] as const) : (['organization'] as const);
  const places: Query[] = [];
  const refusals: SchedError[] = [];
  // A token that may not read its own user, or has no organization, can still search the other place.
  for (const part of parts) {
    const uri = await identity[part]().catch((error: unknown) => {
      if (!hasCategory(error, 'forbidden', 'usage')) throw error;
      refusals.push(error);
    });
    if (uri !== undefined) places.push({ [part]: uri });
  }
  if (places.length === 0) throw refusals[0];
  return places;
};

/** A record in a list: the parts that identify it. */
interface ListedRecord {
  uri: string;
  name: string;
  row: Json;
}

const rowText = (row: Json, path: string): string => String(valueAt(row, path));

/** How many matching records an error message lists at most. */
const mostNamed = 5;

const several = ({ words, noun }: Kind, name: string, fits: readonly ListedRecord[]): SchedError => {
  const examples = fits.slice(0, mostNamed).map((fit) => `${fit.name} (${idIn(fit.uri)})`);
  const rest = fits.length > mostNamed ? ` and ${fits.length - mostNamed} more` : '';
  return new SchedError('usage', `${fits.length} ${words}s are named "${name}": ${examples.join(', ')}${rest}`, {
    reason: 'a name must be unique; use the ID of the one you mean',
    ...(rest === '' ? {} : { hint: { command: [noun, 'list'] } }),
    outcome: 'not-sent',
  });
};

/** Finds the record with that ID, else those with that exact name, else with a similar name. Also returns all others. */
const searchList = async (context: Context, { list, row, words }: Kind, word: string, query: Query) => {
  const client = await context.client();
  const withId: ListedRecord[] = [];
  const exact: ListedRecord[] = [];
  const alike: ListedRecord[] = [];
  const others: string[] = [];
  const seenUris = new Set<string>();
  for await (const page of client.pages(list, { query })) {
    for (const each of page) {
      const record = { uri: rowText(each, row.uri), name: rowText(each, row.name), row: each };
      if (typeof valueAt(each, row.uri) !== 'string' && fold(record.name) === fold(word))
        throw new SchedError('usage', `This service shows no ID of the ${words} "${record.name}"`, {
          advice: 'leave it out: the event type names it',
          outcome: 'not-sent',
        });
      // If records are added meanwhile, the last one of a page comes again on the next.
      if (seenUris.has(record.uri)) continue;
      seenUris.add(record.uri);
      const uris = [record.uri, ...(row.alias === undefined ? [] : [rowText(each, row.alias)])];
      if (uris.some((uri) => idIn(uri) === word)) withId.push(record);
      if (record.name === word) exact.push(record);
      else if (fold(record.name) === fold(word)) alike.push(record);
      else others.push(record.name);
    }
  }
  return { fits: [withId, exact, alike].find(({ length }) => length > 0) ?? [], others };
};

/** Looks a word up in the lists that the token may read. Throws if it may read none. */
const lookUpName = async (context: Context, kind: Kind, word: string, within: string | undefined) => {
  const otherNames: string[] = [];
  const refusals: SchedError[] = [];
  const places = await listQueries(context, kind, within);
  for (const query of places) {
    const result = await searchList(context, kind, word, query).catch((error: unknown) => {
      if (!hasCategory(error, 'forbidden')) throw error;
      refusals.push(error);
      return { fits: [], others: [] };
    });
    if (result.fits.length > 0) return { fits: result.fits, otherNames };
    otherNames.push(...result.others);
  }
  if (refusals.length === places.length) throw refusals[0];
  return { fits: [], otherNames };
};

/** Enough to choose from. A record beyond that can be given by its name. */
const mostChoices = 500;

/** A record to choose. `words` name it on a command line, the most exact one first. */
export interface NamedChoice extends Choice {
  words: string[];
}

/** How long a meeting of an event type is, behind its name. */
const lengthOf = ({ duration }: Json): string => (typeof duration === 'number' ? ` · ${duration} min` : '');

/** The records of a collection that the token may list, to choose from. */
export const choicesOf = async (collection: Collection, context: Context): Promise<NamedChoice[]> => {
  const kind = await lookupKind(collection, context);
  const client = await context.client();
  const choices = new Map<string, NamedChoice>();
  for (const query of await listQueries(context, kind, undefined)) {
    for await (const page of client.pages(kind.list, { query })) {
      for (const each of page) {
        const value = idIn(rowText(each, kind.row.uri));
        const name = rowText(each, kind.row.name);
        const detail = kind.row.detail === undefined ? undefined : rowText(each, kind.row.detail);
        const words = detail === undefined ? [name] : [detail, name];
        const label = `${detail === undefined ? name : `${name} (${detail})`}${lengthOf(each)}`;
        if (each.active !== false) choices.set(value, { value, label, words });
      }
      if (choices.size >= mostChoices) break;
    }
    if (choices.size > 0) break;
  }
  return [...choices.values()];
};

/** The record with this ID, or the service's refusal to show it. */
const readById = async (
  context: Context,
  get: ReadOperation,
  id: string,
): Promise<{ record: Json } | { refusal: SchedError }> => {
  const client = await context.client();
  try {
    return { record: await client.call(get, { path: { [pathParameters(get.path)[0]!]: id } }) };
  } catch (error) {
    // Assumed (errors.bad-id): the service may reply 400 instead of 404 to a word that doesn't look like an ID.
    if (hasCategory(error, 'not-found', 'forbidden', 'usage')) return { refusal: error };
    throw error;
  }
};

export interface LookupResult {
  uri: string;
  /** The record, if the lookup read it by ID. */
  record?: Json;
  /** The row of the list in which the lookup found the name. For a user it is the row of their membership. */
  row?: Json;
  /** The token may not look up the word, so it is used as an ID without a check. */
  isUnchecked?: true;
}

/**
 * Finds the record that a word names. The word is tried as an ID first, then looked up as a name. `within` is the event
 * type whose schedules to search.
 */
export const findRecord = async (
  word: string,
  collection: Collection,
  context: Context,
  within?: string,
): Promise<LookupResult> => {
  const kind = await lookupKind(collection, context);
  const mayBeId = isPlainId(word);
  const asId = async (): Promise<LookupResult> => ({
    uri: `${await context.identity.root()}/${collection}/${word}`,
    isUnchecked: true,
  });
  const read = mayBeId && kind.get !== undefined ? await readById(context, kind.get, word) : undefined;
  if (read !== undefined && 'record' in read) return { uri: String(read.record.uri), record: read.record };
  const refusal = read?.refusal;
  // A 403 leaves open whether the ID exists: some services reply 403 instead of 404.
  const mayExist = refusal === undefined || refusal.category === 'forbidden';

  const result = await lookUpName(context, kind, word, within).catch((error: unknown) => {
    // A token that may not list names, or has no organization to list, can still be used with an ID.
    if (mayBeId && hasCategory(error, 'forbidden', ...(mayExist ? (['usage'] as const) : []))) return error;
    throw error;
  });
  const { fits, otherNames } = result instanceof SchedError ? { fits: [], otherNames: [] } : result;
  const isHidden = result instanceof SchedError || refusal !== undefined;
  if (mayExist && isHidden && fits.length === 0) return asId();
  if (fits.length > 1) throw several(kind, word, fits);
  if (fits.length === 1) return { uri: fits[0]!.uri, row: fits[0]!.row };
  const suggestion = nearest(word, otherNames);
  throw new SchedError(
    'not-found',
    `No ${kind.words} with ${mayBeId ? 'ID or name' : 'the name'} "${word}"${suggestion === undefined ? '' : `. Did you mean "${suggestion}"?`}`,
    {
      outcome: 'not-sent',
      ...refusal?.facts,
      ...(result instanceof SchedError ? { reason: `no such ID, and names can't be listed: ${result.message}` } : {}),
      hint: {
        command: [kind.noun, 'list'],
        flags: within === undefined ? {} : { 'event-type': idIn(within) },
      },
      ...(suggestion === undefined ? {} : { corrections: [{ from: word, to: suggestion }] }),
    },
  );
};

/** The user's first active event that starts from now on. */
export const findNextEvent = async (context: Context): Promise<LookupResult> => {
  const { events } = await import('../../api/events.ts');
  const query: NonNullable<Input['query']> = { status: 'active', sort: 'start_time:asc' };
  await fillScope(events.list, { query }, context);
  const client = await context.client();
  const firstFrom = async (now: number): Promise<Json | undefined> => {
    const futureQuery = { ...query, ...windowQuery('start_time', { since: utcText(now) }) };
    const keep = rowFilter(events.list, futureQuery);
    return (await gather(client.pages(events.list, { query: futureQuery }, { limit: 1, keep })))[0];
  };
  const assumed = await context.askNow();
  const assumedRow = await firstFrom(assumed);
  // If the reply shows that this machine's clock is wrong, the event may be over.
  const isWrong = Math.abs(context.now() - assumed) > toleratedSkewMs;
  const row = isWrong ? await firstFrom(context.now()) : assumedRow;
  if (row !== undefined) return { uri: String(row.uri), row };
  throw new SchedError('not-found', 'No next event: you have no active event that starts from now on', {
    hint: { command: ['events', 'list'], flags: { past: true } },
    outcome: 'not-sent',
  });
};
