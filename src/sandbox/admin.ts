import { oauthPaths } from '../api/oauth-paths.ts';
import type { HttpRequest, Send } from '../http/message.ts';
import type { Clock } from '../system.ts';
import { Refusal, refusalOf } from './error-replies.ts';
import { type FaultScript, type RequestFacts, readFaults, unknownOperation } from './faults/faults.ts';
import { inject, type WireReply } from './faults/inject.ts';
import { timingSafeSame } from './oauth/signing.ts';
import { findRoute } from './route.ts';

/** Requests under `/__sandbox/` need this header with the secret of the running server. */
export const adminHeader = 'x-sandbox-admin';

export interface LogEntry {
  number: number;
  at: string;
  method: string;
  /** Path with query. */
  path: string;
  /** Such as `events.list`; `null` if the request matches no operation. */
  operation: string | null;
  /** The service's status code; `null` if the request didn't reach the service. */
  status: number | null;
  /** Whether the request changed data, even if its reply was lost. */
  committed: boolean;
  faults: string[];
  /** The unparsed body of a write; `null` for reads, and for OAuth requests, whose bodies contain secrets. */
  body: string | null;
}

/** Answers an admin request with the JSON of its reply, or throws a `Refusal`. */
export type AdminCall = (request: HttpRequest) => unknown;

interface AdminOptions {
  script: FaultScript;
  secret: string;
  clock: Pick<Clock, 'now' | 'sleep'>;
  more?: Record<string, AdminCall>;
}

/** Limits of the log; above them, the oldest entries are dropped. */
const longestLog = 10_000;
const longestBodies = 64 * 1024 * 1024;

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

const isChange = ({ method }: HttpRequest, operation: string | undefined): boolean =>
  method !== 'GET' && operation !== undefined && !operation.startsWith('oauth.');

const answerAdmin = async (answer: AdminCall, request: HttpRequest, status: number): Promise<WireReply> => {
  const headers = { 'content-type': 'application/json' };
  try {
    return { status, headers, body: JSON.stringify(await answer(request)) };
  } catch (error) {
    const refusal = refusalOf(error);
    return { status: refusal.status, headers, body: refusal.body };
  }
};

export const bodyOf = ({ body = '' }: HttpRequest): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Refused below.
  }
  throw new Refusal(400, 'Invalid Argument', 'The body must be a JSON object.');
};

/** Adds scripted faults and a request log to the service, with admin requests to read and change both. */
export const withFaults = (service: Send, { script, secret, clock, more = {} }: AdminOptions) => {
  let log: LogEntry[] = [];
  let requests = 0;
  let bodies = 0;

  const note = (entry: LogEntry) => {
    log.push(entry);
    bodies += entry.body?.length ?? 0;
    if (log.length <= longestLog && bodies <= longestBodies) return;
    for (const { body } of log.splice(0, Math.ceil(log.length / 10))) bodies -= body?.length ?? 0;
  };

  const adding = 'POST /__sandbox/faults';
  const calls: Record<string, AdminCall> = {
    'GET /__sandbox/log': () => ({ log }),
    'DELETE /__sandbox/log': () => {
      log = [];
      bodies = 0;
      return { log };
    },
    'GET /__sandbox/faults': () => ({ faults: script.faults }),
    [adding]: async ({ body = '' }) => {
      try {
        const faults = readFaults(body);
        const unknown = await unknownOperation(faults);
        if (unknown !== undefined) throw new Error(`no operation named "${unknown}"`);
        script.add(...faults);
        return { faults: script.faults };
      } catch (error) {
        throw new Refusal(400, 'Invalid Argument', (error as Error).message);
      }
    },
    'DELETE /__sandbox/faults': () => {
      script.clear();
      return { faults: [] };
    },
    ...more,
  };

  return async (request: HttpRequest): Promise<WireReply> => {
    const url = URL.canParse(request.url) ? new URL(request.url) : undefined;
    const path = url?.pathname ?? '';
    const call = `${request.method} ${path}`;
    // Without the secret, the path doesn't exist.
    if (Object.hasOwn(calls, call) && timingSafeSame(request.headers[adminHeader] ?? '', secret))
      return answerAdmin(calls[call]!, request, call === adding ? 201 : 200);
    const known = await operationOf(request, path);
    const asked: RequestFacts = {
      method: request.method,
      path,
      ...known,
      hasCursor: /[?&]page_token=/.test(url?.search ?? ''),
      addresses: addressesIn(request.body),
    };
    const faults = script.next(asked);
    const entry: LogEntry = {
      number: ++requests,
      at: new Date(clock.now()).toISOString(),
      method: request.method,
      path: `${path}${url?.search ?? ''}`,
      operation: known?.operation ?? null,
      status: null,
      committed: false,
      faults: faults.map(({ kind }) => kind),
      body: isChange(request, known?.operation) ? (request.body ?? null) : null,
    };
    note(entry);
    return inject(
      async (handed) => {
        const answer = await service(handed);
        // Recorded now, because the log may be read before a slow reply is complete.
        Object.assign(entry, { status: answer.status, committed: request.method !== 'GET' && answer.status < 400 });
        return answer;
      },
      request,
      faults,
      clock,
    );
  };
};
