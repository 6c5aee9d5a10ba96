import * as z from 'zod/mini';
import {
  type Field,
  flag,
  integer,
  list,
  type RecordField,
  record,
  type Shape,
  text,
  type Value,
} from '../api/field.ts';
import { oauthPaths } from '../api/oauth-paths.ts';
import type { HttpReply, HttpRequest, Send } from '../http/message.ts';
import type { Clock } from '../system.ts';
import { Refusal, refusalOf } from './error-replies.ts';
import { type FaultScript, type RequestFacts, readFaults, unknownOperation } from './faults/faults.ts';
import { inject, type WireReply } from './faults/inject.ts';
import { timingSafeSame } from './oauth/signing.ts';
import { parseJsonBody, parseQuery } from './parse.ts';
import { findRoute } from './route.ts';

/** Requests under `/__sandbox/` need this header with the secret of the running server. */
export const adminHeader = 'x-sandbox-admin';

interface AdminInput<Query, Body> {
  /** What stands in the braces of the path. */
  params: Record<string, string>;
  query: Query;
  body: Body;
  url: URL;
}

/** One admin request: what it is for, what it takes, and how it is answered. `sandbox openapi --admin` shows all. */
export interface AdminCall<Context, Query = unknown, Body = unknown> {
  method: 'GET' | 'POST' | 'DELETE';
  /** Such as `/__sandbox/snapshots/{name}`. */
  path: `/__sandbox/${string}`;
  summary: string;
  query?: RecordField;
  body?: Field;
  reply: Field;
  /** By default 200. */
  status?: 201;
  /** Returns the reply, or throws a `Refusal`. */
  handle(input: AdminInput<Query, Body>, context: Context): unknown;
}

/** Makes calls whose input has the types of their schemas. */
export const callsWith =
  <Context>() =>
  <Query extends Shape, Body extends Field>(
    call: AdminCall<Context, Value<RecordField<Query>>, Value<Body>> & { query?: RecordField<Query>; body?: Body },
  ): AdminCall<Context> =>
    call;

const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);

/** Answers an admin request; `undefined` if there is no such call. */
export const answerAdmin = async <Context>(
  calls: readonly AdminCall<Context>[],
  context: Context,
  request: HttpRequest,
): Promise<HttpReply | undefined> => {
  const url = new URL(request.url);
  const call = calls.find(({ method, path }) => method === request.method && patternOf(path).test(url.pathname));
  if (call === undefined) return undefined;
  const headers = { 'content-type': 'application/json' };
  try {
    const params = { ...patternOf(call.path).exec(url.pathname)!.groups };
    const query = parseQuery(call, url);
    const body = parseJsonBody(call, (request.body ?? '').trim());
    const reply = await call.handle({ params, query, body, url }, context);
    return { status: call.status ?? 200, headers, body: JSON.stringify(reply) };
  } catch (error) {
    const refusal = refusalOf(error);
    return { status: refusal.status, headers, body: refusal.body };
  }
};

const LogRecord = record({
  number: integer('counts requests from 1'),
  at: text('time of the request, by the clock of the sandbox'),
  method: text('method of the request'),
  path: text('path with query'),
  operation: z.nullable(text('such as events.list; null if the request matches no operation')),
  status: z.nullable(integer("the service's status code; null if the request didn't reach the service")),
  committed: flag('whether the request changed data, even if its reply was lost'),
  faults: list(z.string(), 'kinds of the faults that affected it'),
  // Bodies of OAuth requests contain secrets.
  body: z.nullable(text('the body of a write; null for OAuth requests, and for old requests if the log is full')),
  reply: z.nullable(text("the body of the service's reply, before any fault; null like body")),
});

export type LogEntry = Value<typeof LogRecord>;

/** Limits of the log. Above them, the oldest entries are dropped, and the oldest bodies. */
const longestLog = 10_000;
const longestBodies = 64 * 1024 * 1024;

const createLog = () => {
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

/** Admin requests about the requests to the service: their log, and the faults that affect them. */
export const logCalls: readonly AdminCall<LogContext>[] = [
  call({
    method: 'GET',
    path: '/__sandbox/log',
    summary: 'List the requests to the service',
    query: record({
      operation: z.optional(text('only requests for this operation, such as events.list')),
      status: z.optional(integer('only requests that got this status code')),
    }),
    reply: Log,
    handle: ({ query: { operation, status } }, { log }) => ({
      log: log.entries.filter(
        (entry) => (operation ?? entry.operation) === entry.operation && (status ?? entry.status) === entry.status,
      ),
    }),
  }),
  call({
    method: 'DELETE',
    path: '/__sandbox/log',
    summary: 'Empty the log',
    reply: Log,
    handle: (_, { log }) => {
      log.clear();
      return { log: [] };
    },
  }),
  call({
    method: 'GET',
    path: '/__sandbox/faults',
    summary: 'List the faults',
    reply: Faults,
    handle: (_, { script }) => ({ faults: script.faults }),
  }),
  call({
    method: 'POST',
    path: '/__sandbox/faults',
    summary: 'Add a fault, or a list of faults',
    body: z.unknown(),
    reply: Faults,
    status: 201,
    async handle({ body }, { script }) {
      try {
        const faults = readFaults(JSON.stringify(body));
        const unknown = await unknownOperation(faults);
        if (unknown !== undefined) throw new Error(`no operation named "${unknown}"`);
        script.add(...faults);
        return { faults: script.faults };
      } catch (error) {
        throw new Refusal(400, 'Invalid Argument', (error as Error).message);
      }
    },
  }),
  call({
    method: 'DELETE',
    path: '/__sandbox/faults',
    summary: 'Remove all faults',
    reply: Faults,
    handle: (_, { script }) => {
      script.clear();
      return { faults: [] };
    },
  }),
];

interface AdminOptions<Context> {
  script: FaultScript;
  secret: string;
  clock: Pick<Clock, 'now' | 'sleep'>;
  /** By default, only those about requests. */
  calls?: readonly AdminCall<Context & LogContext>[];
  /** What `calls` need besides. */
  context?: Context;
}

const endpoints = new Map<string, string>(Object.entries(oauthPaths).map(([name, path]) => [path, name]));

const operationOf = async ({ method }: HttpRequest, path: string) => {
  const endpoint = endpoints.get(path);
  if (endpoint !== undefined) return { operation: `oauth.${endpoint}`, template: path };
  const route = await findRoute(method, path).catch(() => undefined);
  return route && { operation: route.row.name, template: route.row.path };
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

/** Adds scripted faults and a request log to the service, with admin requests to read and change both. */
export const withFaults = <Context extends object = object>(
  service: Send,
  { script, secret, clock, calls = logCalls, context }: AdminOptions<Context>,
) => {
  const log = createLog();
  let requests = 0;

  return async (request: HttpRequest): Promise<WireReply> => {
    const url = URL.canParse(request.url) ? new URL(request.url) : undefined;
    const path = url?.pathname ?? '';
    // Without the secret, the path doesn't exist.
    if (path.startsWith('/__sandbox/') && timingSafeSame(request.headers[adminHeader] ?? '', secret)) {
      const reply = await answerAdmin(calls, { ...context!, script, log }, request);
      if (reply !== undefined) return reply;
    }
    const known = await operationOf(request, path);
    const asked: RequestFacts = {
      method: request.method,
      path,
      ...known,
      hasCursor: /[?&]page_token=/.test(url?.search ?? ''),
      addresses: addressesIn(request.body),
    };
    const faults = script.next(asked);
    const isShown = known !== undefined && !known.operation.startsWith('oauth.');
    const entry: LogEntry = {
      number: ++requests,
      at: new Date(clock.now()).toISOString(),
      method: request.method,
      path: `${path}${url?.search ?? ''}`,
      operation: known?.operation ?? null,
      status: null,
      committed: false,
      faults: faults.map(({ kind }) => kind),
      body: isShown && request.method !== 'GET' ? (request.body ?? null) : null,
      reply: null,
    };
    log.add(entry);
    return inject(
      async (handed) => {
        const answer = await service(handed);
        // Recorded now, because the log may be read before a slow reply is complete.
        Object.assign(entry, { status: answer.status, committed: request.method !== 'GET' && answer.status < 400 });
        if (isShown) log.addReply(entry, answer.body);
        return answer;
      },
      request,
      faults,
      clock,
    );
  };
};
