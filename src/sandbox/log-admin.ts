import * as z from 'zod/mini';
import { described, flag, integer, list, record, text, type Value } from '../api/field.ts';
import { oauthPaths } from '../api/oauth-paths.ts';
import type { Operation } from '../api/operation.ts';
import { addressOf, type Dialect, errorIn, wireOf } from '../dialects/dialect.ts';
import type { HttpReply, HttpRequest, Send } from '../http/message.ts';
import { isObject, jsonIn } from '../json.ts';
import type { Clock } from '../system.ts';
import { type AdminCall, callsWith } from './admin.ts';
import { tokenIn } from './authenticate.ts';
import { targetsIn } from './dialect.ts';
import { Refusal } from './error-replies.ts';
import { checkOperations, type FaultScript, type RequestFacts, readFaults } from './faults/faults.ts';
import { inject } from './faults/inject.ts';
import type { WireService } from './http-server.ts';
import { mcpPath } from './oauth/resource.ts';
import { pageOperation } from './pages/visit.ts';
import { fingerprint, readyTokens } from './ready-tokens.ts';
import { findRoute } from './route.ts';

const LogRecord = record({
  number: integer('counts requests from 1'),
  at: text('time of the request, by the clock of the sandbox'),
  method: text('method of the request'),
  path: text('path with query'),
  operation: z.nullable(text('such as events.list; null if the request matches no operation')),
  status: z.nullable(integer("the service's status code; null if the request didn't reach the service")),
  committed: flag('whether the request changed data, even if its reply was lost'),
  faults: list(z.string(), 'kinds of the faults that affected it'),
  token: z.nullable(text("name of a ready-made token, or the beginning of another token's hash; null without a token")),
  window: z.nullable(text('the rate limit that refused it, such as general/minute')),
  milliseconds: z.nullable(integer('time until the reply; null before it')),
  // Bodies of OAuth requests contain secrets.
  body: z.nullable(text('the body of a write; null for OAuth requests, and for old requests if the log is full')),
  reply: z.nullable(text("the body of the service's reply, before any fault; null like body")),
});

export type LogEntry = Value<typeof LogRecord>;

/** Limits of the log. Above them, the oldest entries are dropped, and the oldest bodies. */
const longestLog = 10_000;
const longestBodies = 64 * 1024 * 1024;

export const createLog = () => {
  let entries: LogEntry[] = [];
  let bodies = 0;
  const sizeOf = ({ body, reply }: LogEntry) => (body?.length ?? 0) + (reply?.length ?? 0);
  return {
    get entries() {
      return entries;
    },
    clear() {
      entries = [];
      bodies = 0;
    },
    add(entry: LogEntry) {
      entries.push(entry);
      bodies += sizeOf(entry);
      if (entries.length > longestLog)
        for (const dropped of entries.splice(0, longestLog / 10)) bodies -= sizeOf(dropped);
    },
    /** Completes an entry, unless it was dropped meanwhile. */
    addReply(entry: LogEntry, reply: string) {
      if (entries.lastIndexOf(entry) < 0) return;
      entry.reply = reply;
      bodies += reply.length;
      if (bodies <= longestBodies) return;
      for (const old of entries) {
        if (bodies <= longestBodies * 0.9) return;
        bodies -= sizeOf(old);
        Object.assign(old, { body: null, reply: null });
      }
    },
  };
};

export interface LogContext {
  script: FaultScript;
  log: ReturnType<typeof createLog>;
}

const call = callsWith<LogContext>();

const Faults = record({ faults: list(z.unknown(), 'each fault, and how many requests it matched and struck') });
const Log = record({ log: list(LogRecord, 'the oldest request first') });

const Filters = record({
  operation: z.optional(text('only requests for this operation, such as events.list')),
  status: z.optional(integer('only requests that got this status code')),
});

const addFaults = async (body: unknown, script: FaultScript) => {
  try {
    const faults = readFaults(body);
    await checkOperations(faults);
    script.add(...faults);
  } catch (error) {
    throw new Refusal(400, 'Invalid Argument', (error as Error).message);
  }
};

/** Admin requests about the requests to the service: their log, and the faults that affect them. */
export const logCalls: readonly AdminCall<LogContext>[] = [
  call(
    'GET /__sandbox/log',
    'List the requests to the service',
    { query: Filters, reply: Log },
    ({ query }, { log }) => ({
      log: log.entries.filter((entry) =>
        (['operation', 'status'] as const).every((name) => (query[name] ?? entry[name]) === entry[name]),
      ),
    }),
  ),
  call('DELETE /__sandbox/log', 'Empty the log', { reply: Log }, (_, { log }) => {
    log.clear();
    return { log: [] };
  }),
  call('GET /__sandbox/faults', 'List the faults', { reply: Faults }, (_, { script }) => ({ faults: script.faults })),
  call(
    'POST /__sandbox/faults',
    'Add a fault, or a list of faults',
    { body: described(z.unknown(), 'written as in docs/sandbox.md'), reply: Faults, status: 201 },
    async ({ body }, { script }) => {
      await addFaults(body, script);
      return { faults: script.faults };
    },
  ),
  call('DELETE /__sandbox/faults', 'Remove all faults', { reply: Faults }, (_, { script }) => {
    script.clear();
    return { faults: [] };
  }),
];

const endpoints = new Map<string, string>(Object.entries(oauthPaths).map(([name, path]) => [path, name]));

/** The operation of a request: its name, and its path with names in place of IDs. */
interface Known {
  operation: string;
  template: string;
  row?: Operation;
}

/** A message to the MCP server. What its tool does at the service is logged by itself, and faults strike there. */
const message: Known = { operation: 'mcp.message', template: mcpPath };

const operationOf = async (
  { method, url }: HttpRequest,
  path: string,
  dialect: Dialect | undefined,
): Promise<Known | undefined> => {
  if (path === mcpPath) return message;
  const endpoint = endpoints.get(path);
  if (endpoint !== undefined) return { operation: `oauth.${endpoint}`, template: path };
  const page = pageOperation(path);
  if (page !== undefined) return { operation: page, template: path };
  const row = dialect
    ? (await targetsIn(dialect, method, new URL(url)))[0]?.row
    : (await findRoute(method, path).catch(() => undefined))?.row;
  return row && { operation: row.name, template: addressOf(dialect, row).path, row };
};

const addressesIn = (body: string | undefined): number => {
  if (!body?.includes('"emails"')) return 0;
  try {
    const { emails } = JSON.parse(body);
    return Array.isArray(emails) ? emails.length : 0;
  } catch {
    return 0;
  }
};

const tokenNameOf = ({ headers }: HttpRequest): string | null => {
  const secret = tokenIn(headers.authorization);
  if (secret === undefined) return null;
  return readyTokens.find(({ token }) => token === secret)?.name ?? fingerprint(secret).slice(0, 8);
};

/** The name of the rate limit in a reply with status 429. */
const windowOf = ({ status, body }: HttpReply): string | null =>
  status === 429 ? (/"window":"([^"]+)"/.exec(body)?.[1] ?? null) : null;

interface FaultWorld {
  clock: Pick<Clock, 'now' | 'sleep'>;
  /** The dialect of the service, whose addresses say which operation is meant. */
  dialect?: Dialect | undefined;
}

/** The error of a fault, with the service's own names. */
const inDialect = <Reply extends HttpReply>(reply: Reply, row: Operation, dialect: Dialect): Reply => {
  const error = jsonIn(reply.body);
  return isObject(error)
    ? { ...reply, body: JSON.stringify(errorIn('service', wireOf(dialect, row) ?? {}, error)) }
    : reply;
};

/** Adds scripted faults to the service, and writes its requests to the log. */
export const withFaults = (service: Send, { script, log, clock, dialect }: LogContext & FaultWorld): WireService => {
  let requests = 0;

  return async (request) => {
    const url = URL.canParse(request.url) ? new URL(request.url) : undefined;
    const path = url?.pathname ?? '';
    const known = url && (await operationOf(request, path, dialect));
    const asked: RequestFacts = {
      method: request.method,
      path,
      operation: known?.operation,
      template: known?.template,
      hasCursor: /[?&]page_token=/.test(url?.search ?? ''),
      addresses: addressesIn(request.body),
    };
    const faults = known === message ? [] : script.next(asked);
    const isShown = known !== undefined && !/^(?:oauth|pages)\./.test(known.operation);
    const started = clock.now();
    const entry: LogEntry = {
      number: ++requests,
      at: new Date(started).toISOString(),
      method: request.method,
      path: `${path}${url?.search ?? ''}`,
      operation: known?.operation ?? null,
      status: null,
      committed: false,
      faults: faults.map(({ kind }) => kind),
      token: tokenNameOf(request),
      window: null,
      milliseconds: null,
      body: isShown && request.method !== 'GET' ? (request.body ?? null) : null,
      reply: null,
    };
    log.add(entry);
    let isReached = false;
    const reply = await inject(
      async (handed) => {
        isReached = true;
        const answer = await service(handed);
        // Recorded now, because the log may be read before a slow reply is complete.
        const committed = request.method !== 'GET' && answer.status < 400 && known !== message;
        Object.assign(entry, { status: answer.status, committed, window: windowOf(answer) });
        if (isShown) log.addReply(entry, answer.body);
        return answer;
      },
      request,
      faults,
      clock,
    );
    entry.milliseconds = clock.now() - started;
    return isReached || !dialect || !known?.row ? reply : inDialect(reply, known.row, dialect);
  };
};
