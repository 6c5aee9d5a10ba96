import { catalogue, type Noun } from '../api/catalogue.ts';
import { type Operation, pathParameters } from '../api/operation.ts';
import type { Caller, Handlers, PublicContext } from './handler.ts';
import { notFound, Refusal } from './refusal.ts';

type NounRoutes<N extends Noun> = {
  /** First segments of the noun's paths, so that a request builds the schemas of its own noun only. */
  under: readonly string[];
  handlers: () => Promise<Handlers<N>>;
};

export const nouns: { [N in Noun]: NounRoutes<N> } = {
  events: {
    under: ['scheduled_events'],
    handlers: async () => (await import('./handlers/events.ts')).events,
  },
  invitees: {
    under: ['scheduled_events', 'invitees'],
    handlers: async () => (await import('./handlers/invitees.ts')).invitees,
  },
  'event-types': {
    under: ['event_types', 'event_type_memberships'],
    handlers: async () => (await import('./handlers/event-types.ts')).eventTypes,
  },
  availability: {
    under: ['event_type_availability_schedules'],
    handlers: async () => (await import('./handlers/availability.ts')).availability,
  },
  shares: {
    under: ['shares'],
    handlers: async () => (await import('./handlers/shares.ts')).shares,
  },
  'one-offs': {
    under: ['one_off_event_types'],
    handlers: async () => (await import('./handlers/one-offs.ts')).oneOffs,
  },
  locations: {
    under: ['locations'],
    handlers: async () => (await import('./handlers/locations.ts')).locations,
  },
  'routing-forms': {
    under: ['routing_forms', 'routing_form_submissions'],
    handlers: async () => (await import('./handlers/routing-forms.ts')).routingForms,
  },
  orgs: {
    under: ['organizations'],
    handlers: async () => (await import('./handlers/organizations.ts')).orgs,
  },
  members: {
    under: ['organization_memberships'],
    handlers: async () => (await import('./handlers/organizations.ts')).members,
  },
  invitations: {
    under: ['organization_invitations'],
    handlers: async () => (await import('./handlers/organizations.ts')).invitations,
  },
  groups: {
    under: ['groups', 'group_relationships'],
    handlers: async () => (await import('./handlers/groups.ts')).groups,
  },
  users: {
    under: ['users'],
    handlers: async () => (await import('./handlers/users.ts')).users,
  },
  activity: {
    under: ['activity_log_entries'],
    handlers: async () => (await import('./handlers/activity.ts')).activity,
  },
  compliance: {
    under: ['data_compliance'],
    handlers: async () => (await import('./handlers/compliance.ts')).compliance,
  },
  mcp: {
    under: ['.well-known'],
    handlers: async () => (await import('./handlers/mcp.ts')).mcp,
  },
};

/** A handler as the pipeline sees it: what its types promise was checked where it was written. */
type AnyHandler = (
  input: { params: object; query: unknown; body: unknown },
  context: PublicContext & { caller: Caller | undefined },
) => unknown;

export interface Route {
  noun: Noun;
  verb: string;
  row: Operation;
  params: Record<string, string>;
  handle: AnyHandler;
}

/** A row with the paths it answers, and its handler. */
interface Entry extends Omit<Route, 'params'> {
  pattern: RegExp;
}

/** `/users/{user}` ⇒ `^/users/(?<user>[A-Za-z0-9_-]{1,128})$` */
const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[A-Za-z0-9_-]{1,128})')}$`);

const loadEntries = async (first: string): Promise<Entry[]> => {
  const asked = (Object.keys(nouns) as Noun[]).filter((noun) => nouns[noun].under.includes(first));
  const found = asked.map(async (noun) => {
    const rows: Record<string, Operation> = await catalogue[noun].load();
    const handlers = (await nouns[noun].handlers()) as unknown as Record<string, AnyHandler>;
    return Object.entries(rows).map(([verb, row]) => {
      return { noun, verb, row, pattern: patternOf(row.path), handle: handlers[verb]! };
    });
  });
  const parameters = ({ row }: Entry) => pathParameters(row.path).length;
  // `/users/me` before `/users/{user}`.
  return (await Promise.all(found)).flat().sort((one, other) => parameters(one) - parameters(other));
};

const firstSegments = new Set(Object.values(nouns).flatMap(({ under }) => under));
const loaded = new Map<string, Entry[]>();

/** Loaded once for each first segment: only what a process is asked for. */
const entriesUnder = async (first: string): Promise<Entry[]> => {
  const entries = await loadEntries(first);
  if (firstSegments.has(first)) loaded.set(first, entries);
  return entries;
};

export const findRoute = async (method: string, pathname: string): Promise<Route> => {
  const first = pathname.split('/', 2)[1] ?? '';
  const allow = new Set<string>();
  for (const { noun, verb, row, pattern, handle } of loaded.get(first) ?? (await entriesUnder(first))) {
    const found = pattern.exec(pathname);
    if (!found) continue;
    if (row.method === method) return { noun, verb, row, params: found.groups ?? {}, handle };
    allow.add(row.method);
  }
  if (allow.size === 0) throw notFound('path');
  const methods = [...allow].join(', ');
  throw new Refusal(405, 'Method Not Allowed', `This path takes ${methods}.`, {}, { allow: methods });
};
