import { availability } from '../../api/availability.ts';
import { eventTypes } from '../../api/event-types.ts';
import { groups } from '../../api/groups.ts';
import type { Operation } from '../../api/operation.ts';
import { members } from '../../api/organizations.ts';
import { routingForms } from '../../api/routing-forms.ts';
import { users } from '../../api/users.ts';
import type { Input, ReadOperation } from '../../client/client.ts';
import { isPlainId } from '../../client/ids.ts';
import { hasCategory, SchedError } from '../../errors.ts';
import { isObject, type Json } from '../../json.ts';
import { nearest } from '../../nearest.ts';
import { singleQuoted } from '../../shell-quote.ts';
import { idIn } from '../../uri.ts';
import type { Choice } from '../session/asker.ts';
import type { Context } from '../session/context.ts';
import { forSameAccount } from '../session/lost-creation.ts';
import { fold } from './fold-text.ts';

/** A type of record that people know by name. */
interface Kind {
  words: string;
  /** The command that shows the names. */
  listing: string;
  list: Operation;
  /** The command and its flags that print the URI of a record by name. If undefined, the list is searched. */
  show?: string;
  /**
   * Paths of the record's URI and name in a row of the list, of another URI that names the record, and of what tells
   * records with the same name apart.
   */
  row: { uri: string; name: string; alias?: string; detail?: string };
  /** Reads one record by its ID. If undefined, records can be found only in the list. */
  get?: (id: string) => { operation: ReadOperation; input: Input };
  /** Queries of the lists to search, one after another until one has the name. */
  places(context: Context, within: string | undefined): Promise<Query[]>;
}

type Query = Record<string, string>;

const ofOrganization: Kind['places'] = async ({ identity }) => [{ organization: await identity.organization() }];

const plainRow = { uri: 'uri', name: 'name' };

const kinds: Readonly<Record<string, Kind>> = {
  event_types: {
    words: 'event type',
    listing: 'event-types list',
    show: 'event-types get -o id',
    list: eventTypes.list,
    row: plainRow,
    get: (id) => ({ operation: eventTypes.get, input: { path: { event_type: id } } }),
    // The user's own and shared ones first: people usually mean those, and every token may list them.
    places: async ({ identity }) => {
      const found: Query[] = [];
      const refusals: SchedError[] = [];
      // A token that may not read its own user, or has no organization, can still search the other place.
      for (const part of ['user', 'organization'] as const) {
        const uri = await identity[part]().catch((error: unknown) => {
          if (!hasCategory(error, 'forbidden', 'usage')) throw error;
          refusals.push(error);
        });
        if (uri !== undefined) found.push({ [part]: uri });
      }
      if (found.length === 0) throw refusals[0];
      return found;
    },
  },
  groups: {
    words: 'group',
    listing: 'groups list',
    show: 'groups get -o id',
    list: groups.list,
    row: plainRow,
    get: (id) => ({ operation: groups.get, input: { path: { group: id } } }),
    places: ofOrganization,
  },
  routing_forms: {
    words: 'routing form',
    listing: 'routing-forms list',
    list: routingForms.list,
    row: plainRow,
    places: ofOrganization,
  },
  event_type_availability_schedules: {
    words: 'availability schedule',
    listing: 'availability list',
    list: availability.list,
    row: plainRow,
    places: async (_, within) => [{ event_type: within! }],
  },
  users: {
    words: 'user',
    listing: 'members list',
    // `users get` needs one scope more.
    show: 'members get --jq .user.uri',
    list: members.list,
    row: { uri: 'user.uri', name: 'user.name', detail: 'user.email' },
    get: (id) => ({ operation: users.get, input: { path: { user: id } } }),
    places: ofOrganization,
  },
  organization_memberships: {
    words: 'member',
    listing: 'members list',
    show: 'members get -o id',
    list: members.list,
    row: { uri: 'uri', name: 'user.name', alias: 'user.uri', detail: 'user.email' },
    get: (id) => ({ operation: members.get, input: { path: { membership: id } } }),
    places: ofOrganization,
  },
};

/** A record in a list: the parts that identify it. */
interface Listed {
  uri: string;
  name: string;
  row: Json;
}

const valueAt = (row: Json, path: string): string =>
  String(path.split('.').reduce<unknown>((value, part) => (isObject(value) ? value[part] : undefined), row));

/** How many matching records an error message lists at most. */
const mostNamed = 5;

const several = ({ words, listing }: Kind, name: string, fits: readonly Listed[]): SchedError => {
  const named = fits.slice(0, mostNamed).map((fit) => `${fit.name} (${idIn(fit.uri)})`);
  const rest = fits.length > mostNamed ? ` and ${fits.length - mostNamed} more` : '';
  return new SchedError('usage', `${fits.length} ${words}s are named "${name}": ${named.join(', ')}${rest}`, {
    reason: 'a name must be unique; use the ID of the one you mean',
    ...(rest === '' ? {} : { hint: { command: listing.split(' ') } }),
    outcome: 'not-sent',
  });
};

/** Finds the record with that ID, else those with that exact name, else with a similar name. Also returns all others. */
const search = async (context: Context, { list, row }: Kind, word: string, query: Query) => {
  const client = await context.client();
  const withId: Listed[] = [];
  const exact: Listed[] = [];
  const alike: Listed[] = [];
  const others: string[] = [];
  for await (const page of client.pages(list, { query })) {
    for (const each of page) {
      const record = { uri: valueAt(each, row.uri), name: valueAt(each, row.name), row: each };
      const uris = [record.uri, ...(row.alias === undefined ? [] : [valueAt(each, row.alias)])];
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
  const places = await kind.places(context, within);
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

/** The records of a collection that the token may list, to choose from. */
export const choicesOf = async (collection: string, context: Context, within?: string): Promise<Choice[]> => {
  const kind = kinds[collection]!;
  const client = await context.client();
  const choices = new Map<string, Choice>();
  for (const query of await kind.places(context, within)) {
    for await (const page of client.pages(kind.list, { query })) {
      for (const each of page) {
        const value = idIn(valueAt(each, kind.row.uri));
        const detail = kind.row.detail === undefined ? '' : ` (${valueAt(each, kind.row.detail)})`;
        if (each.active !== false) choices.set(value, { value, label: `${valueAt(each, kind.row.name)}${detail}` });
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
  { operation, input }: { operation: ReadOperation; input: Input },
): Promise<{ record: Json } | { refusal: SchedError }> => {
  const client = await context.client();
  try {
    return { record: await client.call(operation, input) };
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
  collection: string,
  context: Context,
  within?: string,
): Promise<Found> => {
  const kind = kinds[collection]!;
  const mayBeId = isPlainId(word);
  const asId = async (): Promise<Found> => ({
    uri: `${await context.identity.root()}/${collection}/${word}`,
    isUnchecked: true,
  });
  const read = mayBeId && kind.get !== undefined ? await readById(context, kind.get(word)) : undefined;
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
        command: kind.listing.split(' '),
        flags: within === undefined ? {} : { 'event-type': idIn(within) },
      },
      ...(meant === undefined ? {} : { meant: { from: word, to: meant } }),
    },
  );
};

/** A jq program for the records' list: the exact name, else ignoring case. It fails unless there is exactly one. */
const searchProgram = (name: string, words: string): string => {
  const small = name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const exact = `map(select(.name == ${JSON.stringify(name)}))`;
  const alike = `map(select(.name | ascii_downcase == ${JSON.stringify(small)}))`;
  const failure = JSON.stringify(`expected one ${words} with this name`);
  return `(${exact} | select(. != [])) // ${alike} | if length == 1 then .[0].uri else error(${failure}) end`;
};

/** A shell variable for a name in a `--curl` command: the command that sets it looks up the name as sched does. */
export const unknownName = (name: string, collection: string, context: Context, within?: string): string => {
  const { words, listing, show } = kinds[collection]!;
  const sameAccount = (command: string) => forSameAccount(`sched ${command}`, context.settings);
  const inList = () => {
    const list = sameAccount(`${listing}${within === undefined ? '' : ` --event-type ${idIn(within)}`}`);
    return `${list} --jq ${singleQuoted(searchProgram(name, words))}`;
  };
  const lookUp =
    show === undefined ? inList() : `${sameAccount(show)} ${name.startsWith('-') ? '-- ' : ''}${singleQuoted(name)}`;
  return context.curlVariables!.leave(`${words.replaceAll(' ', '_').toUpperCase()}_URI`, `"$(${lookUp})"`);
};
