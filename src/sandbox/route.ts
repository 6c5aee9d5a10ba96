import { catalogue, type Noun } from '../api/catalogue.ts';
import type { Operation } from '../api/operation.ts';
import type { Context, Handlers } from './handler.ts';
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
    under: ['event_types'],
    handlers: async () => (await import('./handlers/event-types.ts')).eventTypes,
  },
  users: {
    under: ['users'],
    handlers: async () => (await import('./handlers/users.ts')).users,
  },
};

/** A handler as the pipeline sees it: what its types promise was checked where it was written. */
type AnyHandler = (input: { params: object; query: unknown; body: unknown }, context: Context) => unknown;

export interface Route {
  noun: Noun;
  verb: string;
  row: Operation;
  params: Record<string, string>;
  handle: AnyHandler;
}

const idPattern = /^[A-Za-z0-9_-]{1,128}$/;

/** The path's parameters, or `undefined` where it is another path. */
const match = (path: string, segments: string[]): Record<string, string> | undefined => {
  const parts = path.split('/').slice(1);
  if (parts.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const segment = segments[index]!;
    if (!part.startsWith('{')) {
      if (part !== segment) return undefined;
    } else if (idPattern.test(segment)) params[part.slice(1, -1)] = segment;
    else return undefined;
  }
  return params;
};

const routesUnder = async (segments: string[]): Promise<Route[]> => {
  const asked = (Object.keys(nouns) as Noun[]).filter((noun) => nouns[noun].under.includes(segments[0] ?? ''));
  const found = asked.map(async (noun) => {
    const rows: Record<string, Operation> = await catalogue[noun].load();
    const handlers = (await nouns[noun].handlers()) as unknown as Record<string, AnyHandler>;
    return Object.entries(rows).flatMap(([verb, row]) => {
      const params = match(row.path, segments);
      return params ? [{ noun, verb, row, params, handle: handlers[verb]! }] : [];
    });
  });
  // `/users/me` before `/users/{user}`.
  return (await Promise.all(found)).flat().sort((a, b) => Object.keys(a.params).length - Object.keys(b.params).length);
};

export const findRoute = async (method: string, pathname: string): Promise<Route> => {
  const routes = await routesUnder(pathname.split('/').slice(1));
  const route = routes.find(({ row }) => row.method === method);
  if (route) return route;
  if (routes.length === 0) throw notFound('path');
  const allow = [...new Set(routes.map(({ row }) => row.method))].join(', ');
  throw new Refusal(405, 'Method Not Allowed', `This path takes ${allow}.`, {}, { allow });
};
