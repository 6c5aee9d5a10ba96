import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { unlimitedHeaders } from '../../src/sandbox/rules/rate-limits.ts';

const root = 'http://127.0.0.1';

interface Limit {
  limit: number;
  windowMs: number;
  /** How far the service's clock is ahead, in milliseconds. */
  ahead?: () => number;
}

/** What the service does with the next booking: whether it commits it, and how it replies. */
export type Behavior = (commit: () => unknown, response: ServerResponse) => void;

export const rowsAPage = 100;

/** An event in a very long list. */
export const rowOf = (page: number, index: number, rowBytes = 0) => ({
  uri: `${root}/scheduled_events/P${page}-${index}`,
  name: `Event ${index}`.padEnd(rowBytes, '.'),
  status: 'active',
  start_time: '2026-11-15T18:00:00Z',
});

interface Options {
  limit?: Limit;
  rowBytes?: number;
  /** The length of the list of events. */
  pages?: number;
}

/** A service with a few routes that counts its requests, for faults that need real sockets. */
export const smallService = async ({ limit, rowBytes = 0, pages = 10_000 }: Options = {}) => {
  const bookings: { email: string; start_time: string; event_type: string; created_at: string }[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const seen = { posts: 0, refused: 0, answered: 0, pages: 0, lookUps: 0 };
  let opened = Number.NEGATIVE_INFINITY;
  let used = 0;
  let behavior: Behavior = (commit, response) => response.writeHead(201).end(JSON.stringify({ resource: commit() }));
  let onPost: () => void = () => {};

  const invitee = (index: number) => ({
    uri: `${root}/scheduled_events/E${index}/invitees/I${index}`,
    event: `${root}/scheduled_events/E${index}`,
    email: bookings[index]!.email,
    name: 'Ada',
    status: 'active',
    created_at: bookings[index]!.created_at,
  });

  /** Whether the request is within the limit. Sets the rate limit headers. */
  const admit = (response: ServerResponse): boolean => {
    if (limit === undefined) {
      for (const [name, value] of Object.entries(unlimitedHeaders)) response.setHeader(name, value);
      return true;
    }
    const now = Date.now() + (limit.ahead?.() ?? 0);
    if (now >= opened + limit.windowMs) {
      opened = now;
      used = 0;
    }
    const fits = used < limit.limit;
    if (fits) used += 1;
    response
      .setHeader('x-ratelimit-limit', limit.limit)
      .setHeader('x-ratelimit-remaining', limit.limit - used)
      .setHeader('x-ratelimit-reset', Math.ceil((opened + limit.windowMs - now) / 1000));
    return fits;
  };

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, root);
    headers.push(request.headers);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (!admit(response)) {
      seen.refused += 1;
      return response.writeHead(429).end('{}');
    }
    seen.answered += 1;
    const answer = (value: unknown) => response.end(JSON.stringify(value));
    if (pathname === '/users/me')
      return answer({ resource: { uri: `${root}/users/U`, current_organization: `${root}/organizations/O` } });
    if (pathname === '/invitees') {
      seen.posts += 1;
      const body = JSON.parse(Buffer.concat(chunks).toString());
      const commit = () => {
        const { event_type, start_time } = body;
        bookings.push({ email: body.invitee.email, start_time, event_type, created_at: new Date().toISOString() });
        return invitee(bookings.length - 1);
      };
      behavior(commit, response);
      return onPost();
    }
    const [, event] = /^\/scheduled_events\/E(\d+)\/invitees$/.exec(pathname) ?? [];
    if (event !== undefined) return answer({ collection: [invitee(Number(event))] });
    if (pathname === '/scheduled_events' && searchParams.has('min_start_time')) {
      seen.lookUps += 1;
      return answer({
        collection: bookings.map(({ event_type, start_time }, index) => ({
          uri: `${root}/scheduled_events/E${index}`,
          event_type,
          start_time,
        })),
      });
    }
    if (pathname === '/scheduled_events') {
      seen.pages += 1;
      const page = Number(searchParams.get('page_token') ?? 0);
      return answer({
        collection: Array.from({ length: rowsAPage }, (_, index) => rowOf(page, index, rowBytes)),
        pagination: { next_page_token: page + 1 < pages ? String(page + 1) : null },
      });
    }
    response.writeHead(404).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    seen,
    headers,
    bookings,
    env: { SCHED_TOKEN: 'canary-token-0123456789', SCHED_BASE_URL: url },
    behave: (next: Behavior) => {
      behavior = next;
    },
    /** Resolves when a booking has been received and handled. */
    nextPost: () =>
      new Promise<void>((resolve) => {
        onPost = resolve;
      }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

export type SmallService = Awaited<ReturnType<typeof smallService>>;

/** A command that fetches that many pages, and the environment in which it sends no other requests. */
export const fetching = ({ env }: Pick<SmallService, 'env'>, pages: number, ...flags: string[]) => ({
  words: ['events', 'list', '--limit', String(pages * rowsAPage), '-o', 'id', ...flags],
  env: { ...env, SCHED_USER: `${root}/users/U`, SCHED_ORG: `${root}/organizations/O` },
});
