import { mcp } from '../../api/mcp.ts';
import type { RandomBytes } from '../../base/system.ts';
import { isLoopbackUrl } from '../../base/uri.ts';
import type { HttpRequest } from '../../http/message.ts';
import { denied, refusalOf, wrongMethod } from '../error-replies.ts';
import type { WireReply } from '../faults/inject.ts';
import type { Caller } from '../handler.ts';
import { resourceMetadata } from '../handlers/mcp.ts';
import { authenticate, findHolder, tokenIn } from '../oauth/authenticate.ts';
import { exchangeToken } from '../oauth/grants.ts';
import { fingerprint } from '../oauth/ready-tokens.ts';
import { mcpPath } from '../oauth/resource.ts';
import { signerOf } from '../oauth/signing.ts';
import type { Sandbox } from '../open.ts';
import { currentHeaders } from '../rules/rate-limits.ts';
import { urlOf } from '../server/request-url.ts';

/** Who sends a message, according to its token. */
export interface McpCaller {
  user: string;
  /** For requests to the API. */
  token: string;
}

/** Speaks the protocol. Its callers are checked before. */
export interface McpServer {
  answer(request: Request, caller: McpCaller): Promise<Response>;
  close(): Promise<void>;
}

interface EndpointOptions {
  sandbox: Sandbox;
  randomBytes: RandomBytes;
  /** Starts the server. Called for the first client. */
  open(): Promise<McpServer>;
}

/** RFC 9728 §3.1: the path of the resource follows the well-known one. */
const metadataPath = `${mcp.metadata.path}${mcpPath}`;

const methods: readonly string[] = ['GET', 'POST', 'DELETE'];

const jsonReply = (status: number, body: string, headers: Record<string, string> = {}): WireReply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body,
});

/** RFC 9728 §5.1: tells a client without a valid token where to get one. */
const challenge = (origin: string, hasToken: boolean, why: string): Record<string, string> => {
  const place = `resource_metadata="${origin}${metadataPath}"`;
  const error = hasToken ? `error="invalid_token", error_description="${why}", ` : '';
  return { 'www-authenticate': `Bearer ${error}${place}` };
};

/** A web page that isn't of this computer must not reach the server, not even with a token. */
const checkRequest = ({ method, headers: { origin } }: HttpRequest, own: string): void => {
  if (!methods.includes(method)) throw wrongMethod(methods.join(', '));
  if (origin !== undefined && origin !== own && !isLoopbackUrl(origin))
    throw denied('The MCP server only accepts requests from programs and pages on this computer.');
};

/** The pieces of a body. Reading can be stopped while it waits. */
const piecesOf = (body: ReadableStream<Uint8Array>): AsyncIterable<string> => {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        const { done, value } = await reader.read();
        return done ? { done, value: undefined } : { done, value };
      },
      return: async () => {
        await reader.cancel();
        return { done: true, value: undefined };
      },
    }),
  };
};

const wireReply = async (response: Response): Promise<WireReply> => {
  const { status, body } = response;
  // How long a connection lives is for the HTTP server and its client to decide.
  const { connection: _, ...headers } = Object.fromEntries(response.headers);
  if (body === null || !headers['content-type']?.startsWith('text/event-stream'))
    return { status, headers, body: await response.text() };
  return { status, headers, body: '', stream: piecesOf(body) };
};

/** The MCP server of a sandbox: at `/mcp`, with its metadata. Each request needs a token for it (R60). */
export const createEndpoint = ({ sandbox, randomBytes, open }: EndpointOptions) => {
  const { store, clock } = sandbox;
  let opened: Promise<McpServer> | undefined;

  /** The caller, and for whom the requests of the caller's tools count. */
  const callerOf = ({ headers: { authorization } }: HttpRequest): McpCaller & { counted: Caller } =>
    store.transaction(() => {
      const now = clock.now();
      const holder = findHolder(store, authorization);
      const counted = authenticate(holder, authorization, now, mcpPath, sandbox.oauth.ignoresResource);
      const { user } = counted;
      const given = tokenIn(authorization)!;
      if (holder!.isPersonal) return { user, token: given, counted };
      const token = exchangeToken({ store, seal: signerOf(store, randomBytes) }, given);
      return { user, token, counted: { ...counted, token: fingerprint(token) } };
    });

  const refuse = (error: unknown, { origin }: URL, hasToken: boolean): WireReply => {
    const { status, body, message, headers, missed } = refusalOf(error);
    const more = status === 401 ? challenge(origin, hasToken, message) : headers;
    return { ...jsonReply(status, body, { ...sandbox.refusalHeaders(), ...more }), missed };
  };

  return {
    /** Undefined if the request isn't for the MCP server. */
    async answer(request: HttpRequest): Promise<WireReply | undefined> {
      if (!request.url.includes(mcpPath)) return undefined;
      const url = urlOf(request);
      if (url?.pathname === metadataPath && request.method === 'GET')
        return jsonReply(200, JSON.stringify(resourceMetadata(url.origin, mcpPath)), sandbox.refusalHeaders());
      if (url?.pathname !== mcpPath) return undefined;
      const { method, headers, body } = request;
      let caller: ReturnType<typeof callerOf>;
      try {
        checkRequest(request, url.origin);
        caller = callerOf(request);
      } catch (error) {
        return refuse(error, url, tokenIn(headers.authorization) !== undefined);
      }
      opened ??= open();
      const message = new Request(url, { method, headers, ...(method === 'POST' && { body: body ?? '' }) });
      const { counted, ...sender } = caller;
      const reply = await wireReply(await (await opened).answer(message, sender));
      // The message itself isn't counted.
      const limits = currentHeaders(store, counted, clock.now(), sandbox.limits);
      return { ...reply, headers: { ...reply.headers, ...limits } };
    },
    close: async () => (await opened)?.close(),
  };
};
