import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { HeadlessRuntime } from '../../runtime.ts';
import type { McpCaller, McpServer } from '../../sandbox/mcp/endpoint.ts';
import { createEventStore } from './event-store.ts';

/** A session that nobody used for so long ends. A client then starts another one. */
const idleMilliseconds = 30 * 60_000;
/** Sessions of a user. The one that was not used for the longest time ends first. */
const mostSessions = 16;
/** Streams of clients that wait for changes, of all users. */
const mostSubscriptions = 64;

interface Session {
  user: string;
  usedAt: number;
  transport: WebStandardStreamableHTTPServerTransport;
}

/** The reply to an unknown session, and to one of another user. */
const noSession = (): Response =>
  Response.json({ jsonrpc: '2.0', error: { code: -32_001, message: 'Session not found' }, id: null }, { status: 404 });

/**
 * Serves MCP over HTTP. Clients of the newest revision send everything with each request. Older ones have a session,
 * which belongs to the user who started it. Each message runs with the token that came with it.
 */
export const serveSessions = (
  createServer: () => Server,
  { clock, every, randomBytes }: Pick<HeadlessRuntime, 'clock' | 'every' | 'randomBytes'>,
): McpServer => {
  /** By ID, the one that was used last at the end. */
  const sessions = new Map<string, Session>();
  const modern = createMcpHandler(createServer, {
    legacy: 'reject',
    // A client cancels a call by going away, which only a stream notices.
    responseMode: 'sse',
    maxSubscriptions: mostSubscriptions,
  });

  const use = (id: string, session: Session): void => {
    sessions.delete(id);
    sessions.set(id, { ...session, usedAt: clock.now() });
  };
  const end = async (id: string): Promise<void> => {
    const session = sessions.get(id);
    sessions.delete(id);
    await session?.transport.close();
  };
  const sweep = (): void => {
    for (const [id, { usedAt }] of sessions) if (clock.now() - usedAt >= idleMilliseconds) void end(id);
  };
  const stop = every(60_000, sweep);

  /** A transport without a session yet. It refuses everything but the message that starts one. */
  const start = async (user: string): Promise<WebStandardStreamableHTTPServerTransport> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => Buffer.from(randomBytes(24)).toString('base64url'),
      eventStore: createEventStore(),
      onsessioninitialized: async (id) => {
        use(id, { user, usedAt: 0, transport });
        const own = [...sessions].filter(([, session]) => session.user === user);
        for (const [oldest] of own.slice(0, -mostSessions)) await end(oldest);
      },
      onsessionclosed: end,
    });
    await createServer().connect(transport);
    return transport;
  };

  const answer = async (request: Request, { user, token }: McpCaller): Promise<Response> => {
    const authInfo = { token, clientId: '', scopes: [], extra: { user } };
    if (!(await isLegacyRequest(request))) return modern.fetch(request, { authInfo });
    sweep();
    const id = request.headers.get('mcp-session-id');
    if (id === null) return (await start(user)).handleRequest(request, { authInfo });
    const session = sessions.get(id);
    if (session?.user !== user) return noSession();
    use(id, session);
    return session.transport.handleRequest(request, { authInfo });
  };

  return {
    answer,
    close: async () => {
      stop();
      await Promise.all([modern.close(), ...[...sessions.keys()].map(end)]);
    },
  };
};
