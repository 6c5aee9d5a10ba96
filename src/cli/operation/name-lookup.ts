import { availability } from '../../api/availability.ts';
import { eventTypes } from '../../api/event-types.ts';
import { groups } from '../../api/groups.ts';
import type { Operation } from '../../api/operation.ts';
import { members } from '../../api/organizations.ts';
import { routingForms } from '../../api/routing-forms.ts';
import { users } from '../../api/users.ts';
import type { Input, ReadOperation } from '../../client/client.ts';
import { isPlainId } from '../../client/ids.ts';
import { isObject, type Json } from '../../client/reading.ts';
import { SchedError } from '../../errors.ts';
import { nearest } from '../../nearest.ts';
import { singleQuoted } from '../../shell-quote.ts';
import { idIn } from '../../uri.ts';
import type { Context } from '../session/context.ts';
import { ownOrganization } from '../session/identity.ts';
import { forSameAccount } from '../session/lost-creation.ts';
import { fold } from './fold-text.ts';

/** A kind of record that people know by name. */
interface Kind {
  words: string;
  /** The command that shows the names. */
  listing: string;
  list: Operation;
  /** Where a row of the list holds the record's URI and name. */
  row: { uri: string; name: string };
  /** Reads one record by its ID. Without such an operation the list is the only place to look. */
  get?: (id: string) => { operation: ReadOperation; input: Input };
  /** The lists to search, one after another until one has the name. */
  places(context: Context, within: string | undefined): Promise<Query[]>;
}

type Query = Record<string, string>;

const ofOrganization: Kind['places'] = async (context) => [{ organization: ownOrganization(await context.identity()) }];

const plainRow = { uri: 'uri', name: 'name' };

const kinds: Readonly<Record<string, Kind>> = {
  event_types: {
    words: 'event type',
    listing: 'event-types list',
    list: eventTypes.list,
    row: plainRow,
    get: (id) => ({ operation: eventTypes.get, input: { path: { event_type: id } } }),
    // One's own and shared ones first: they are what people mean, and everybody may list them.
    places: async (context) => {
      const { user, organization } = await context.identity();
      return [{ user }, ...(organization === '' ? [] : [{ organization }])] as Query[];
    },
  },
  groups: {
    words: 'group',
    listing: 'groups list',
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
    list: members.list,
    row: { uri: 'user.uri', name: 'user.name' },
    get: (id) => ({ operation: users.get, input: { path: { user: id } } }),
    places: ofOrganization,
  },
  organization_memberships: {
    words: 'member',
    listing: 'members list',
    list: members.list,
    row: { uri: 'uri', name: 'user.name' },
    get: (id) => ({ operation: members.get, input: { path: { membership: id } } }),
    places: ofOrganization,
  },
};

/** A record of a list, by what it is looked for. */
interface Listed {
  uri: string;
  name: string;
}

const valueAt = (row: Json, path: string): string =>
  String(path.split('.').reduce<unknown>((value, part) => (isObject(value) ? value[part] : undefined), row));

/** At most this many are named where several fit. */
const mostNamed = 5;

const several = ({ words, listing }: Kind, name: string, fits: readonly Listed[]): SchedError => {
  const named = fits.slice(0, mostNamed).map((fit) => `${fit.name} (${idIn(fit.uri)})`);
  const rest = fits.length > mostNamed ? ` and ${fits.length - mostNamed} more` : '';
  return new SchedError('usage', `${fits.length} ${words}s are called '${name}': ${named.join(', ')}${rest}`, {
    hint: `give the ID instead of the name: ${idIn(fits[0]!.uri)}; sched ${listing} shows them all`,
    outcome: 'not-sent',
  });
};

/** The record of that ID, else those of that name: letter for letter, or else as people type it. And all other names. */
const search = async (context: Context, { list, row }: Kind, word: string, query: Query) => {
  const client = await context.client();
  const withId: Listed[] = [];
  const exact: Listed[] = [];
  const alike: Listed[] = [];
  const others: string[] = [];
  for await (const page of client.pages(list, { query })) {
    for (const each of page) {
      const record = { uri: valueAt(each, row.uri), name: valueAt(each, row.name) };
      if (idIn(record.uri) === word) withId.push(record);
      if (record.name === word) exact.push(record);
      else if (fold(record.name) === fold(word)) alike.push(record);
      else others.push(record.name);
    }
  }
  return { fits: [withId, exact, alike].find(({ length }) => length > 0) ?? [], others };
};

const isOf = (error: unknown, ...categories: SchedError['category'][]): error is SchedError =>
  error instanceof SchedError && categories.includes(error.category);

/** Looks a word up in the lists that may be read; an error where none of them may. */
const lookUp = async (context: Context, kind: Kind, word: string, within: string | undefined) => {
  const known: string[] = [];
  const refusals: SchedError[] = [];
  const places = await kind.places(context, within);
  for (const query of places) {
    const found = await search(context, kind, word, query).catch((error: unknown) => {
      if (!isOf(error, 'forbidden')) throw error;
      refusals.push(error);
      return { fits: [], others: [] };
    });
    if (found.fits.length > 0) return { fits: found.fits, known };
    known.push(...found.others);
  }
  if (refusals.length === places.length) throw refusals[0];
  return { fits: [], known };
};

/** The record with this ID, or the service's refusal that says there is none to be had. */
const readById = async (
  context: Context,
  { operation, input }: { operation: ReadOperation; input: Input },
): Promise<{ record: Json } | { refusal: SchedError }> => {
  const client = await context.client();
  try {
    return { record: await client.call(operation, input) };
  } catch (error) {
    // Assumed: a service that knows by its form that a word is no ID may answer 400 instead of 404.
    if (isOf(error, 'not-found', 'forbidden', 'usage')) return { refusal: error };
    throw error;
  }
};

export interface Found {
  uri: string;
  /** What GET says of it, where that was asked. */
  record?: Json;
  /** The token may not look it up: the word was taken as an ID, and may be none. */
  isUnchecked?: true;
}

/**
 * The one rule for a word that names a record: it is tried as an ID, then looked up as a name. `within` is the event type
 * whose schedules are meant.
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
    uri: `${await context.root()}/${collection}/${word}`,
    isUnchecked: true,
  });
  const read = mayBeId && kind.get !== undefined ? await readById(context, kind.get(word)) : undefined;
  if (read !== undefined && 'record' in read) return { uri: String(read.record.uri), record: read.record };
  const refusal = read?.refusal;
  // A 403 leaves open whether there is such an ID: some services answer so where there is none.
  const mayExist = refusal === undefined || refusal.category === 'forbidden';

  const listed = await lookUp(context, kind, word, within).catch((error: unknown) => {
    // A token that may not list names, or that has no organization to list them of, may still be given an ID.
    if (mayBeId && isOf(error, 'forbidden', ...(mayExist ? (['usage'] as const) : []))) return error;
    throw error;
  });
  const { fits, known } = listed instanceof SchedError ? { fits: [], known: [] } : listed;
  const isHidden = listed instanceof SchedError || refusal !== undefined;
  if (mayExist && isHidden && fits.length === 0) return asId();
  if (fits.length > 1) throw several(kind, word, fits);
  if (fits.length === 1) return { uri: fits[0]!.uri };
  const meant = nearest(word, known);
  throw new SchedError(
    'not-found',
    `No ${kind.words} with ${mayBeId ? 'ID or name' : 'the name'} "${word}"${meant === undefined ? '' : `. Did you mean "${meant}"?`}`,
    {
      outcome: 'not-sent',
      ...refusal?.facts,
      ...(listed instanceof SchedError ? { reason: `no such ID, and names can't be listed: ${listed.message}` } : {}),
      hint: `sched ${kind.listing}${within === undefined ? '' : ` --event-type ${idIn(within)}`}`,
    },
  );
};

/** The same for a request that is only written down: the shell of the reader is left to find it out. */
export const unknownName = (name: string, collection: string, context: Context, within?: string): string => {
  const { words, listing: command, row } = kinds[collection]!;
  const listing = `${command}${within === undefined ? '' : ` --event-type ${idIn(within)}`}`;
  const program = `.[] | select(.${row.name} == ${JSON.stringify(name)}).${row.uri}`;
  const lookUp = `"$(${forSameAccount(`sched ${listing}`, context.settings)} --jq ${singleQuoted(program)})"`;
  return context.curlVariables!.leave(`${words.replaceAll(' ', '_').toUpperCase()}_URI`, lookUp);
};
