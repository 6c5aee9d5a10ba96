import { catalogue, rowsOf } from '../api/catalogue.ts';
import { type Collection, collections, type Noun } from '../api/collections.ts';
import { type Operation, pathParameters } from '../api/operation.ts';
import { type Dialect, wireOf } from '../dialects/dialect.ts';
import { notFound, wrongMethod } from './error-replies.ts';
import type { Caller, Handlers, PublicContext } from './handler.ts';

/** The handlers of every noun, loaded on the first request to one of its paths. A missing noun is a compile error. */
const handlers: { [N in Noun]: () => Promise<Handlers<N>> } = {
  events: async () => (await import('./handlers/events.ts')).events,
  invitees: async () => (await import('./handlers/invitees.ts')).invitees,
  'event-types': async () => (await import('./handlers/event-types.ts')).eventTypes,
  availability: async () => (await import('./handlers/availability.ts')).availability,
  shares: async () => (await import('./handlers/shares.ts')).shares,
  'one-offs': async () => (await import('./handlers/one-offs.ts')).oneOffs,
  locations: async () => (await import('./handlers/locations.ts')).locations,
  'routing-forms': async () => (await import('./handlers/routing-forms.ts')).routingForms,
  orgs: async () => (await import('./handlers/organizations.ts')).orgs,
  members: async () => (await import('./handlers/organizations.ts')).members,
  invitations: async () => (await import('./handlers/organizations.ts')).invitations,
  groups: async () => (await import('./handlers/groups.ts')).groups,
  users: async () => (await import('./handlers/users.ts')).users,
  activity: async () => (await import('./handlers/activity.ts')).activity,
  compliance: async () => (await import('./handlers/compliance.ts')).compliance,
  webhooks: async () => (await import('./handlers/webhooks.ts')).webhooks,
  mcp: async () => (await import('./handlers/mcp.ts')).mcp,
};

/** A handler without its specific types, which are checked where it is defined. */
type AnyHandler = (
  input: { params: object; query: unknown; body: unknown },
  context: PublicContext & { caller: Caller | undefined },
) => unknown;

export interface Route {
  row: Operation;
  params: Record<string, string>;
  handle: AnyHandler;
}

interface RouteEntry extends Omit<Route, 'params'> {
  pattern: RegExp;
}

/** `/users/{user}` ⇒ `^/users/(?<user>[A-Za-z0-9_-]{1,128})$` */
const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[A-Za-z0-9_-]{1,128})')}$`);

const nounsAt = (first: string): readonly Noun[] =>
  Object.hasOwn(collections, first) ? collections[first as Collection].nouns : [];

const loadEntries = async (first: string): Promise<RouteEntry[]> => {
  const entries = nounsAt(first).map(async (noun) => {
    const own = (await handlers[noun]()) as unknown as Record<string, AnyHandler>;
    const { optional } = 'optional' in catalogue[noun] ? await import('./handlers/optional.ts') : { optional: {} };
    const others = optional as unknown as Record<string, AnyHandler>;
    return Object.entries(await rowsOf(noun)).map(([verb, row]) => {
      return { row, pattern: patternOf(row.path), handle: row.optional ? others[row.name]! : own[verb]! };
    });
  });
  const parameters = ({ row }: RouteEntry) => pathParameters(row.path).length;
  // `/users/me` must come before `/users/{user}`.
  return (await Promise.all(entries)).flat().sort((one, other) => parameters(one) - parameters(other));
};

const loaded = new Map<string, RouteEntry[]>();

/** Loads the rows for a path's first segment once, so that a process only loads the nouns it needs. */
const entriesUnder = async (first: string): Promise<RouteEntry[]> => {
  const entries = await loadEntries(first);
  if (entries.length > 0) loaded.set(first, entries);
  return entries;
};

export const findRoute = async (method: string, pathname: string, dialect?: Dialect): Promise<Route> => {
  const first = pathname.split('/', 2)[1] ?? '';
  const allow = new Set<string>();
  for (const { row, pattern, handle } of loaded.get(first) ?? (await entriesUnder(first))) {
    const match = wireOf(dialect, row) ? pattern.exec(pathname) : null;
    if (!match) continue;
    if (row.method === method) return { row, params: match.groups ?? {}, handle };
    allow.add(row.method);
  }
  if (allow.size === 0) throw notFound('path');
  throw wrongMethod([...allow].join(', '));
};
