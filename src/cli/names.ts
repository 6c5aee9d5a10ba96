import { availability } from '../api/availability.ts';
import { eventTypes } from '../api/event-types.ts';
import { groups } from '../api/groups.ts';
import type { Operation } from '../api/operation.ts';
import { routingForms } from '../api/routing-forms.ts';
import type { Input, ReadOperation } from '../client/client.ts';
import type { Json } from '../client/reading.ts';
import { SchedError } from '../errors.ts';
import { nearest } from '../nearest.ts';
import type { Context } from './context.ts';
import { forSameAccount } from './creation.ts';
import { fold } from './fold.ts';
import { ownOrganization } from './identity.ts';
import { isPlainId } from './ids.ts';

/** A kind of record that people know by name. */
interface Kind {
  words: string;
  /** The command that shows the names. */
  listing: string;
  list: Operation;
  /** Reads one by its ID. Where there is no such thing, the list has them all. */
  get?: (id: string) => { operation: ReadOperation; input: Input };
  /** Where they are looked for, one place after another until one has it. */
  places(context: Context, within: string | undefined): Promise<Query[]>;
}

type Query = Record<string, string>;

const ofOrganization: Kind['places'] = async (context) => [{ organization: ownOrganization(await context.identity()) }];

const kinds: Readonly<Record<string, Kind>> = {
  event_types: {
    words: 'event type',
    listing: 'event-types list',
    list: eventTypes.list,
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
    get: (id) => ({ operation: groups.get, input: { path: { group: id } } }),
    places: ofOrganization,
  },
  routing_forms: {
    words: 'routing form',
    listing: 'routing-forms list',
    list: routingForms.list,
    places: ofOrganization,
  },
  event_type_availability_schedules: {
    words: 'availability schedule',
    listing: 'availability list',
    list: availability.list,
    places: async (_, within) => [{ event_type: within! }],
  },
};

export const idOf = (uri: unknown): string => String(uri).split('/').at(-1)!;

/** At most this many are named where several fit. */
const mostNamed = 5;

const several = ({ words, listing }: Kind, name: string, fits: readonly Json[]): SchedError => {
  const named = fits.slice(0, mostNamed).map((fit) => `${fit.name} (${idOf(fit.uri)})`);
  const rest = fits.length > mostNamed ? ` and ${fits.length - mostNamed} more` : '';
  return new SchedError('usage', `${fits.length} ${words}s are called '${name}': ${named.join(', ')}${rest}`, {
    hint: `give the ID instead of the name: ${idOf(fits[0]!.uri)}; sched ${listing} shows them all`,
    outcome: 'not-sent',
  });
};

/** Records of that name, letter for letter, or else as people type it; the one of that ID; and all other names. */
const search = async (context: Context, kind: Kind, name: string, query: Query) => {
  const client = await context.client();
  const exact: Json[] = [];
  const alike: Json[] = [];
  const others: string[] = [];
  let withId: Json | undefined;
  for await (const page of client.pages(kind.list, { query })) {
    for (const record of page) {
      if (idOf(record.uri) === name) withId = record;
      if (record.name === name) exact.push(record);
      else if (fold(String(record.name)) === fold(name)) alike.push(record);
      else others.push(String(record.name));
    }
  }
  const fits = exact.length > 0 ? exact : alike;
  return { fits: fits.length === 0 && withId !== undefined ? [withId] : fits, others };
};

/**
 * The URI of the record with this name. A name that could be an ID is taken as one where no record has it; `within` is
 * the event type whose schedules are meant.
 */
export const uriOfName = async (
  name: string,
  collection: string,
  context: Context,
  within?: string,
): Promise<string> => {
  const kind = kinds[collection]!;
  const known: string[] = [];
  let isWhole = true;
  const places = await kind.places(context, within);
  for (const [index, query] of places.entries()) {
    const found = await search(context, kind, name, query).catch((error: unknown) => {
      // Who may not list them all, or not at all, may still have typed an ID.
      const mayGoOn = index > 0 || isPlainId(name);
      if (!(mayGoOn && error instanceof SchedError && error.category === 'forbidden')) throw error;
      isWhole = false;
      return { fits: [], others: [] };
    });
    if (found.fits.length > 1) throw several(kind, name, found.fits);
    if (found.fits.length === 1) return String(found.fits[0]!.uri);
    known.push(...found.others);
  }
  if (isPlainId(name) && (await isId(context, kind, name, isWhole)))
    return `${await context.root()}/${collection}/${name}`;
  const meant = nearest(name, known);
  throw new SchedError(
    'not-found',
    `No ${kind.words} is called '${name}'${meant === undefined ? '' : `, did you mean '${meant}'?`}`,
    {
      hint: `sched ${kind.listing}${within === undefined ? '' : ` --event-type ${idOf(within)}`}`,
      outcome: 'not-sent',
    },
  );
};

/**
 * Whether a record that was not listed has this ID. Where that cannot be asked, and not all were listed, the service will
 * tell, with the request that needs it.
 */
const isId = async (context: Context, { get }: Kind, id: string, isListWhole: boolean): Promise<boolean> => {
  if (get === undefined) return !isListWhole;
  const { operation, input } = get(id);
  const client = await context.client();
  return client.call(operation, input).then(
    () => true,
    (error: unknown) => !(error instanceof SchedError && error.category === 'not-found'),
  );
};

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The same for a request that is only written down: the shell of the reader is left to find it out. */
export const unknownName = (name: string, collection: string, context: Context, within?: string): string => {
  const { words, listing: command } = kinds[collection]!;
  const listing = `${command}${within === undefined ? '' : ` --event-type ${idOf(within)}`}`;
  const program = `.[] | select(.name == ${JSON.stringify(name)}).uri`;
  const lookUp = `"$(${forSameAccount(`sched ${listing}`, context.settings)} --jq ${quoted(program)})"`;
  return context.unknowns!.leave(`${words.replaceAll(' ', '_').toUpperCase()}_URI`, lookUp);
};
