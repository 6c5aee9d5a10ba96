import { oauthPaths } from '../../api/oauth-paths.ts';
import type { Operation } from '../../api/operation.ts';
import { isObject, jsonIn } from '../../base/json.ts';
import type { Clock } from '../../base/system.ts';
import { addressOf, type Dialect, errorIn, wireOf } from '../../dialects/dialect.ts';
import type { HttpReply, HttpRequest, Send } from '../../http/message.ts';
import type { LogContext, LogEntry } from '../admin/log-admin.ts';
import { targetsIn } from '../dialect.ts';
import { tokenIn } from '../oauth/authenticate.ts';
import { fingerprint, readyTokens } from '../oauth/ready-tokens.ts';
import { mcpPath } from '../oauth/resource.ts';
import { oauthFacts } from '../oauth/story.ts';
import { pageOperation } from '../pages/visit.ts';
import { findRoute } from '../route.ts';
import type { WireService } from '../server/front.ts';
import { urlOf } from '../server/request-url.ts';
import type { RequestFacts } from './faults.ts';
import { inject } from './inject.ts';

const endpoints = new Map<string, string>(Object.entries(oauthPaths).map(([name, path]) => [path, name]));

/** The operation of a request: its name, and its path with names in place of IDs. */
interface RequestOperation {
  name: string;
  template: string;
  row?: Operation;
}

/** A message to the MCP server. What its tool does at the service is logged by itself, and faults strike there. */
const message: RequestOperation = { name: 'mcp.message', template: mcpPath };

const operationOf = async (
  { method, url }: HttpRequest,
  path: string,
  dialect: Dialect | undefined,
): Promise<RequestOperation | undefined> => {
  if (path === mcpPath) return message;
  const endpoint = endpoints.get(path);
  if (endpoint !== undefined) return { name: `oauth.${endpoint}`, template: path };
  const page = pageOperation(path);
  if (page !== undefined) return { name: page, template: path };
  const row = dialect
    ? (await targetsIn(dialect, method, new URL(url)))[0]?.row
    : (await findRoute(method, path).catch(() => undefined))?.row;
  return row && { name: row.name, template: addressOf(dialect, row).path, row };
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
const refusingWindow = ({ status, body }: HttpReply): string | null =>
  status === 429 ? (/"window":"([^"]+)"/.exec(body)?.[1] ?? null) : null;

interface FaultWorld {
  clock: Pick<Clock, 'now' | 'sleep'>;
  /** The dialect of the service, whose addresses say which operation is meant. */
  dialect?: Dialect | undefined;
  /** The client that a token was issued to. */
  clientOf?: (token: string) => string | undefined;
}

/** An access token doesn't belong into an address, and not into the log either. */
const withoutToken = (search: string): string => search.replace(/([?&]access_token=)[^&]*/g, '$1…');

/** The error of a fault, with the service's own names. */
const inDialect = <Reply extends HttpReply>(reply: Reply, row: Operation, dialect: Dialect): Reply => {
  const error = jsonIn(reply.body);
  return isObject(error)
    ? { ...reply, body: JSON.stringify(errorIn('service', wireOf(dialect, row) ?? {}, error)) }
    : reply;
};

/** Adds scripted faults to the service, and writes its requests to the log. */
export const withFaults = (
  service: Send,
  { script, log, clock, dialect, clientOf }: LogContext & FaultWorld,
): WireService => {
  let requests = 0;

  return async (request) => {
    const url = urlOf(request);
    const path = url?.pathname ?? '';
    const operation = url && (await operationOf(request, path, dialect));
    const facts: RequestFacts = {
      method: request.method,
      path,
      operation: operation?.name,
      template: operation?.template,
      hasCursor: /[?&]page_token=/.test(url?.search ?? ''),
      addresses: addressesIn(request.body),
    };
    const faults = operation === message ? [] : script.next(facts);
    const isShown = operation !== undefined && !/^(?:oauth|pages)\./.test(operation.name);
    const started = clock.now();
    const entry: LogEntry = {
      number: ++requests,
      at: new Date(started).toISOString(),
      method: request.method,
      path: `${path}${withoutToken(url?.search ?? '')}`,
      operation: operation?.name ?? null,
      status: null,
      committed: false,
      faults: faults.map(({ kind }) => kind),
      token: tokenNameOf(request),
      window: null,
      milliseconds: null,
      body: isShown && request.method !== 'GET' ? (request.body ?? null) : null,
      oauth: null,
      reply: null,
    };
    log.add(entry);
    let isReached = false;
    const reply = await inject(
      async (handed) => {
        isReached = true;
        const answer = await service(handed);
        // Recorded now, because the log may be read before a slow reply is complete.
        const committed = request.method !== 'GET' && answer.status < 400 && operation !== message;
        Object.assign(entry, { status: answer.status, committed, window: refusingWindow(answer) });
        if (url !== undefined) entry.oauth = oauthFacts(request, url, answer, clientOf ?? (() => undefined));
        if (isShown) log.addReply(entry, answer.body);
        return answer;
      },
      request,
      faults,
      clock,
    );
    entry.milliseconds = clock.now() - started;
    return isReached || !dialect || !operation?.row ? reply : inDialect(reply, operation.row, dialect);
  };
};
