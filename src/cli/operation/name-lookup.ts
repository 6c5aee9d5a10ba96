import { catalogue } from '../../api/catalogue.ts';
import { type Collection, collections, type Noun } from '../../api/collections.ts';
import { type Operation, pathParameters } from '../../api/operation.ts';
import { windowQuery } from '../../api/window.ts';
import { isRead, type ReadOperation } from '../../client/client.ts';
import { rowFilter } from '../../client/filter.ts';
import { isPlainId } from '../../client/ids.ts';
import { gather } from '../../client/paginate.ts';
import type { Input } from '../../client/wire.ts';
import { hasCategory, SchedError } from '../../errors.ts';
import { toleratedSkewMs } from '../../http/service-time.ts';
import type { Json } from '../../json.ts';
import { fold, nearest } from '../../nearest.ts';
import { valueAt } from '../../output/fields.ts';
import { utcText } from '../../time/wall.ts';
import { idIn } from '../../uri.ts';
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

const nounOf = (collection: Collection): Noun => collections[collection].nouns[0]!;

/** The read at a path of the collection. */
const readAt = async (noun: Noun, path: RegExp): Promise<ReadOperation | undefined> =>
  Object.values<Operation>(await catalogue[noun].load()).find(
    (row) => isRead(row) && path.test(row.path),
  ) as ReadOperation;

const kindOf = async (collection: Collection): Promise<Kind> => {
  // Users have no list: the members of the organization are users.
  const listed = collection === 'users' ? 'organization_memberships' : collection;
  const noun = nounOf(listed);
  return {
    words: collections[collection].singular!,
    noun,
    list: (await readAt(noun, new RegExp(`^/${listed}$`)))!,
    get: await readAt(nounOf(collection), new RegExp(`^/${collection}/\\{`)),
    row: peopleRows[collection] ?? { uri: 'uri', name: 'name' },
  };
};

/** Queries of the lists to search, one after another until one has the name. */
const placesOf = async ({ identity }: Context, { list, noun }: Kind, within: string | undefined): Promise<Query[]> => {
  const fields = list.query!.shape;
  if (fields.event_type !== undefined) return within === undefined ? [] : [{ event_type: within }];
  // The user's own and shared ones first: people usually mean those, and every token may list them.
  const parts = catalogue[noun].whose === 'user' ? (['user', 'organization'] as const) : (['organization'] as const);
  const found: Query[] = [];
  const refusals: SchedError[] = [];
  // A token that may not read its own user, or has no organization, can still search the other place.
  for (const part of parts) {
    const uri = await identity[part]().catch((error: unknown) => {
      if (!hasCategory(error, 'forbidden', 'usage')) throw error;
      refusals.push(error);
    });
    if (uri !== undefined) found.push({ [part]: uri });
  }
  if (found.length === 0) throw refusals[0];
  return found;
};

/** A record in a list: the parts that identify it. */
interface Listed {
  uri: string;
  name: string;
  row: Json;
}

const textAt = (row: Json, path: string): string => String(valueAt(row, path));

/** How many matching records an error message lists at most. */
const mostNamed = 5;

const several = ({ words, noun }: Kind, name: string, fits: readonly Listed[]): SchedError => {
  const named = fits.slice(0, mostNamed).map((fit) => `${fit.name} (${idIn(fit.uri)})`);
  const rest = fits.length > mostNamed ? ` and ${fits.length - mostNamed} more` : '';
  return new SchedError('usage', `${fits.length} ${words}s are named "${name}": ${named.join(', ')}${rest}`, {
    reason: 'a name must be unique; use the ID of the one you mean',
    ...(rest === '' ? {} : { hint: { command: [noun, 'list'] } }),
    outcome: 'not-sent',
  });
};

/** Finds the record with that ID, else those with that exact name, else with a similar name. Also returns all others. */
const search = async (context: Context, { list, row, words }: Kind, word: string, query: Query) => {
  const client = await context.client();
  const withId: Listed[] = [];
  const exact: Listed[] = [];
  const alike: Listed[] = [];
  const others: string[] = [];
  const seen = new Set<string>();
  for await (const page of client.pages(list, { query })) {
    for (const each of page) {
      const record = { uri: textAt(each, row.uri), name: textAt(each, row.name), row: each };
      if (typeof valueAt(each, row.uri) !== 'string' && fold(record.name) === fold(word))
        throw new SchedError('usage', `This service shows no ID of the ${words} "${record.name}"`, {
          advice: 'leave it out: the event type names it',
          outcome: 'not-sent',
        });
      // If records are added meanwhile, the last one of a page comes again on the next.
      if (seen.has(record.uri)) continue;
      seen.add(record.uri);
      const uris = [record.uri, ...(row.alias === undefined ? [] : [textAt(each, row.alias)])];
      if (uris.some((uri) => idIn(uri) === word)) withId.push(record);
      if (record.name === word) exact.push(record);
      else if (fold(record.name) === fold(word)) alike.push(record);
      else others.push(record.name);
    }
  }
  return { fits: [withId, exact, alike].find(({ length }) => length > 0) ?? [], others };
};

/** Looks a word up in the lists that the token may read. Throws if it may read none. */
const lookUp = async (context: Context, kind: Kind, word: string, within: string | undefined) => {
  const known: string[] = [];
  const refusals: SchedError[] = [];
  const places = await placesOf(context, kind, within);
  for (const query of places) {
    const found = await search(context, kind, word, query).catch((error: unknown) => {
      if (!hasCategory(error, 'forbidden')) throw error;
      refusals.push(error);
      return { fits: [], others: [] };
    });
    if (found.fits.length > 0) return { fits: found.fits, known };
    known.push(...found.others);
  }
  if (refusals.length === places.length) throw refusals[0];
  return { fits: [], known };
};

/** Enough to choose from. A record beyond that can be given by its name. */
const mostChoices = 500;

/** A record to choose. `words` name it on a command line, the most exact one first. */
export interface NamedChoice extends Choice {
  words: string[];
}

/** The records of a collection that the token may list, to choose from. */
export const choicesOf = async (collection: Collection, context: Context): Promise<NamedChoice[]> => {
  const kind = await kindOf(collection);
  const client = await context.client();
  const choices = new Map<string, NamedChoice>();
  for (const query of await placesOf(context, kind, undefined)) {
    for await (const page of client.pages(kind.list, { query })) {
      for (const each of page) {
        const value = idIn(textAt(each, kind.row.uri));
        const name = textAt(each, kind.row.name);
        const detail = kind.row.detail === undefined ? undefined : textAt(each, kind.row.detail);
        const words = detail === undefined ? [name] : [detail, name];
        const label = detail === undefined ? name : `${name} (${detail})`;
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

export interface Found {
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
): Promise<Found> => {
  const kind = await kindOf(collection);
  const mayBeId = isPlainId(word);
  const asId = async (): Promise<Found> => ({
    uri: `${await context.identity.root()}/${collection}/${word}`,
    isUnchecked: true,
  });
  const read = mayBeId && kind.get !== undefined ? await readById(context, kind.get, word) : undefined;
  if (read !== undefined && 'record' in read) return { uri: String(read.record.uri), record: read.record };
  const refusal = read?.refusal;
  // A 403 leaves open whether the ID exists: some services reply 403 instead of 404.
  const mayExist = refusal === undefined || refusal.category === 'forbidden';

  const listed = await lookUp(context, kind, word, within).catch((error: unknown) => {
    // A token that may not list names, or has no organization to list, can still be used with an ID.
    if (mayBeId && hasCategory(error, 'forbidden', ...(mayExist ? (['usage'] as const) : []))) return error;
    throw error;
  });
  const { fits, known } = listed instanceof SchedError ? { fits: [], known: [] } : listed;
  const isHidden = listed instanceof SchedError || refusal !== undefined;
  if (mayExist && isHidden && fits.length === 0) return asId();
  if (fits.length > 1) throw several(kind, word, fits);
  if (fits.length === 1) return { uri: fits[0]!.uri, row: fits[0]!.row };
  const meant = nearest(word, known);
  throw new SchedError(
    'not-found',
    `No ${kind.words} with ${mayBeId ? 'ID or name' : 'the name'} "${word}"${meant === undefined ? '' : `. Did you mean "${meant}"?`}`,
    {
      outcome: 'not-sent',
      ...refusal?.facts,
      ...(listed instanceof SchedError ? { reason: `no such ID, and names can't be listed: ${listed.message}` } : {}),
      hint: {
        command: [kind.noun, 'list'],
        flags: within === undefined ? {} : { 'event-type': idIn(within) },
      },
      ...(meant === undefined ? {} : { meant: { from: word, to: meant } }),
    },
  );
};

/** The user's first active event that starts from now on. */
export const findNextEvent = async (context: Context): Promise<Found> => {
  const { events } = await import('../../api/events.ts');
  const query: NonNullable<Input['query']> = { status: 'active', sort: 'start_time:asc' };
  await fillScope(events.list, { query }, context);
  const client = await context.client();
  const firstFrom = async (now: number): Promise<Json | undefined> => {
    const asked = { ...query, ...windowQuery('start_time', { since: utcText(now) }) };
    const keep = rowFilter(events.list, asked);
    return (await gather(client.pages(events.list, { query: asked }, { limit: 1, keep })))[0];
  };
  const assumed = await context.askNow();
  const found = await firstFrom(assumed);
  // If the reply shows that this machine's clock is wrong, the event may be over.
  const isWrong = Math.abs(context.now() - assumed) > toleratedSkewMs;
  const row = isWrong ? await firstFrom(context.now()) : found;
  if (row !== undefined) return { uri: String(row.uri), row };
  throw new SchedError('not-found', 'No next event: you have no active event that starts from now on', {
    hint: { command: ['events', 'list'], flags: { past: true } },
    outcome: 'not-sent',
  });
};
