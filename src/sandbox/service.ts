import { randomBytes as someBytes } from 'node:crypto';
import { oauthPaths } from '../api/oauth-paths.ts';
import type { Operation } from '../api/operation.ts';
import type { HttpReply, HttpRequest, Send } from '../http/message.ts';
import type { Clock } from '../runtime.ts';
import { authenticate, findHolder } from './authenticate.ts';
import { carryOutDeletions } from './deletion.ts';
import type { Caller } from './handler.ts';
import { origin } from './names.ts';
import type { OAuthOptions } from './oauth/endpoints.ts';
import type { RandomBytes } from './oauth/key.ts';
import type { Page } from './page.ts';
import { parseBody, parseQuery } from './parse.ts';
import { Refusal } from './refusal.ts';
import { requireScope } from './require-scope.ts';
import { findRoute, type Route } from './route.ts';
import type { Store } from './store.ts';
import { requirePlan } from './subscription.ts';
import { throttle, unlimitedHeaders } from './throttle.ts';

/** A request that found its operation and its caller. */
export interface Call extends Route {
  caller: Caller;
  request: HttpRequest;
  /** Headers of the reply, whatever becomes of the request. */
  headers: Record<string, string>;
}

/** Stands between the caller and the handler: lets the call pass, or throws a `Refusal`. Not asked where no token is. */
export type Guard = (call: Call) => void;

export interface ServiceOptions {
  store: Store;
  clock: Pick<Clock, 'now'>;
  /** Asked in order, after the rate limit and the scope and before the plan. */
  guards?: readonly Guard[];
  /** Whether requests are counted and refused, as the plan says; they are unless told. */
  limits?: boolean;
  oauth?: OAuthOptions;
  /** Where secrets come from. */
  randomBytes?: RandomBytes;
  /** For tests: an answer that breaks its row's shape, or any other fault of ours, is thrown instead of answered with 500. */
  verify?: boolean;
}

const oauthAddresses: readonly string[] = Object.values(oauthPaths);

/** Node's names are lower-case already; a caller in this process may write them as it likes. */
const header = ({ headers }: HttpRequest, name: string): string | undefined =>
  headers[name] ?? Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];

const urlOf = (request: HttpRequest): URL => {
  try {
    return new URL(request.url, origin);
  } catch {
    throw new Refusal(400, 'Invalid Argument', 'The address is malformed.');
  }
};

/** The list and its filters, without the place in it: what a page token is good for. */
const listOf = (url: URL, caller: Caller | undefined): string => {
  const filters = [...url.searchParams].filter(([name]) => name !== 'page_token' && name !== 'count');
  return JSON.stringify([caller?.user, url.pathname, ...filters.sort()]);
};

const isPaged = ({ query }: Operation): boolean => query !== undefined && 'page_token' in query.shape;

const jsonOf = (record: unknown): string => (typeof record === 'string' ? record : JSON.stringify(record));

/** The answer as JSON, in its envelope. */
const wrap = ({ kind }: Operation['reply'], result: unknown, url: URL): string => {
  if (kind === 'one') return `{"resource":${jsonOf(result)}}`;
  if (kind === 'bare') return jsonOf(result);
  if (Array.isArray(result)) return JSON.stringify({ collection: result });
  const { items, count, next, previous } = result as Page<unknown>;
  const address = (token: string | null) => {
    if (token === null) return null;
    const query = new URLSearchParams(url.searchParams);
    query.set('page_token', token);
    return `${origin}${url.pathname}?${query}`;
  };
  const pagination = {
    count,
    next_page: address(next),
    previous_page: address(previous),
    next_page_token: next,
    previous_page_token: previous,
  };
  return `{"collection":[${items}],"pagination":${JSON.stringify(pagination)}}`;
};

const recordsOf = ({ kind }: Operation['reply'], result: unknown): unknown[] => {
  if (kind !== 'many') return [JSON.parse(jsonOf(result))];
  return Array.isArray(result) ? result : JSON.parse(`[${(result as Page<unknown>).items}]`);
};

/** Throws where an answer is not exactly what its row says. */
const checkAnswer = ({ row, noun, verb }: Route, result: unknown) => {
  for (const record of recordsOf(row.reply, result)) {
    const { error } = row.reply.of.record.safeParse(record);
    if (error) throw new Error(`${noun} ${verb} answers with a wrong shape: ${error.message}`);
  }
};

/** The whole service as one function. */
export const createService = ({
  store,
  clock,
  guards = [],
  limits = true,
  oauth = {},
  randomBytes = someBytes,
  verify = false,
}: ServiceOptions): Send => {
  let requests = 0;

  const answer = async (request: HttpRequest, now: number, headers: Record<string, string>): Promise<HttpReply> => {
    const url = urlOf(request);
    if (oauthAddresses.includes(url.pathname)) {
      const { answerOAuth } = await import('./oauth/endpoints.ts');
      const contentType = header(request, 'content-type');
      const site = header(request, 'sec-fetch-site');
      const reply = answerOAuth({ store, now, url, request, contentType, site, limits, randomBytes, ...oauth });
      return { ...reply, headers: { ...headers, ...reply.headers } };
    }
    const authorization = header(request, 'authorization');
    const holder = findHolder(store, authorization, now);
    if (!limits) Object.assign(headers, unlimitedHeaders);
    else if (holder) throttle(store, holder.caller, { method: request.method, pathname: url.pathname }, now, headers);
    const route = await findRoute(request.method, url.pathname);
    if (holder?.isDeletionDue) carryOutDeletions(store, now);
    const isPublic = route.row.scope === undefined;
    const caller = isPublic ? undefined : authenticate(holder, authorization, now);
    if (caller) {
      requireScope(route.row, caller);
      for (const guard of guards) guard({ ...route, caller, request, headers });
      requirePlan(route.row, caller.plan);
    }
    const input = {
      params: route.params,
      query: parseQuery(route.row, url),
      body: route.row.method === 'GET' ? undefined : parseBody(route.row, request, header(request, 'content-type')),
    };
    const perform = () => {
      const asked = { list: isPaged(route.row) ? listOf(url, caller) : '', now };
      const result = route.handle(input, { store, caller, now, asked, server: url.origin });
      if (verify) checkAnswer(route, result);
      return result;
    };
    const result = route.row.method === 'GET' ? perform() : store.transaction(perform);
    const { reply } = route.row;
    return { status: reply.status, headers, body: wrap(reply, result, url) };
  };

  return async (request) => {
    const now = clock.now();
    const headers = {
      'content-type': 'application/json',
      'x-request-id': `${now.toString(36)}-${++requests}`,
      // By the sandbox's own clock, which may have been moved: the HTTP server would send the system's time.
      date: new Date(now).toUTCString(),
    };
    try {
      return await answer(request, now, headers);
    } catch (error) {
      if (error instanceof Refusal) {
        const { status, title, message, more } = error;
        const body = JSON.stringify({ title, message, ...more });
        return { status, headers: { ...headers, ...error.headers }, body };
      }
      if (verify) throw error;
      const body = JSON.stringify({ title: 'Internal Server Error', message: 'The sandbox failed.' });
      return { status: 500, headers, body };
    }
  };
};
