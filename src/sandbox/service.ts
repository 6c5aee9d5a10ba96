import type { HttpReply, HttpRequest, Send } from '../http/message.ts';
import type { Clock } from '../runtime.ts';
import { authenticate } from './authenticate.ts';
import type { Caller } from './handler.ts';
import { origin } from './names.ts';
import type { Page } from './page.ts';
import { parseBody, parseQuery } from './parse.ts';
import { Refusal } from './refusal.ts';
import { findRoute, type Route } from './route.ts';
import type { Store } from './store.ts';

/** A request that found its operation and its caller. */
export interface Call extends Route {
  caller: Caller;
  request: HttpRequest;
  /** Headers of the reply, whatever becomes of the request. */
  headers: Record<string, string>;
}

/** Stands between the caller and the handler: lets the call pass, or throws a `Refusal`. */
export type Guard = (call: Call) => void;

export interface ServiceOptions {
  store: Store;
  clock: Pick<Clock, 'now'>;
  /** In order; scope, plan, rate limit and the like. */
  guards?: readonly Guard[];
  /** For tests: an answer that breaks its row's shape, or any other fault of ours, is thrown instead of answered with 500. */
  verify?: boolean;
}

const header = ({ headers }: HttpRequest, name: string): string | undefined =>
  Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];

const urlOf = (request: HttpRequest): URL => {
  if (!URL.canParse(request.url, origin)) throw new Refusal(400, 'Invalid Argument', 'The address is malformed.');
  return new URL(request.url, origin);
};

/** The list and its filters, without the place in it: what a page token is good for. */
const listOf = (url: URL, { user }: Caller): string => {
  const filters = new URLSearchParams(url.searchParams);
  filters.delete('page_token');
  filters.delete('count');
  filters.sort();
  return `${user} ${url.pathname}?${filters}`;
};

const wrap = ({ kind }: { kind: 'one' | 'many' }, result: unknown, url: URL): object => {
  if (kind === 'one') return { resource: result };
  const { items, next, previous } = result as Page<unknown>;
  const address = (token: string | null) => {
    if (token === null) return null;
    const page = new URL(url.pathname + url.search, origin);
    page.searchParams.set('page_token', token);
    return page.href;
  };
  return {
    collection: items,
    pagination: {
      count: items.length,
      next_page: address(next),
      previous_page: address(previous),
      next_page_token: next,
      previous_page_token: previous,
    },
  };
};

/** Throws where an answer is not exactly what its row says. */
const checkAnswer = ({ row, noun, verb }: Route, result: unknown) => {
  const records = row.reply.kind === 'one' ? [result] : (result as Page<unknown>).items;
  for (const record of records) {
    const { error } = row.reply.of.schema.safeParse(record);
    if (error) throw new Error(`${noun} ${verb} answers with a wrong shape: ${error.message}`);
  }
};

/** The whole service as one function. */
export const createService = ({ store, clock, guards = [], verify = false }: ServiceOptions): Send => {
  let requests = 0;

  const answer = async (request: HttpRequest, headers: Record<string, string>): Promise<HttpReply> => {
    const url = urlOf(request);
    const route = await findRoute(request.method, url.pathname);
    const now = clock.now();
    const caller = authenticate(store, header(request, 'authorization'), now);
    for (const guard of guards) guard({ ...route, caller, request, headers });
    const input = {
      params: route.params,
      query: parseQuery(route.row, url.searchParams),
      body: parseBody(route.row, request, header(request, 'content-type')),
    };
    const perform = () => {
      const result = route.handle(input, { store, caller, now, asked: { list: listOf(url, caller), now } });
      if (verify) checkAnswer(route, result);
      return result;
    };
    const result = route.row.method === 'GET' ? perform() : store.transaction(perform);
    const { reply } = route.row;
    return { status: reply.status, headers, body: JSON.stringify(wrap(reply, result, url)) };
  };

  return async (request) => {
    const headers = {
      'content-type': 'application/json',
      'x-request-id': `${clock.now().toString(36)}-${++requests}`,
    };
    try {
      return await answer(request, headers);
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
