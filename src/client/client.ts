import type { Operation } from '../api/operation.ts';
import { SchedError } from '../errors.ts';
import { NetworkFailure } from '../http/failure.ts';
import type { HttpReply, HttpRequest, Send } from '../http/message.ts';
import { version } from '../version.ts';
import { type ListOptions, type Page, paginate } from './paginate.ts';
import { integrityError, type Json, readOne, readPage } from './reading.ts';
import { complainsOf, refusalOf } from './refusal.ts';

/** What a caller gives an operation: already in the service's own names and forms. */
export interface Input {
  path?: Record<string, string>;
  query?: Record<string, string | number | boolean>;
  body?: unknown;
}

export interface Client {
  prepare(operation: Operation, input: Input): HttpRequest;
  call(operation: Operation, input: Input): Promise<Json>;
  /** The results page by page, fetched as they are taken. */
  pages(operation: Operation, input: Input, options?: ListOptions<Json>): AsyncGenerator<Json[]>;
}

export interface ClientOptions {
  baseUrl: string;
  send: Send;
  timeoutMs?: number;
}

/** No complete reply came: for a write that may have left, nobody knows whether it was carried out. */
const unreachable = (request: HttpRequest, failure: NetworkFailure): SchedError => {
  const unknown = failure.sent && request.method !== 'GET';
  const message = unknown
    ? `No answer from ${failure.host}: it may or may not have been done`
    : `Cannot reach ${failure.host}`;
  return new SchedError(unknown ? 'outcome-unknown' : 'unavailable', message, {
    reason: failure.message,
    outcome: unknown ? 'unknown' : failure.sent ? 'not-applied' : 'not-sent',
    http: { method: request.method, path: new URL(request.url).pathname },
  });
};

const staleCursor = (request: HttpRequest): SchedError =>
  new SchedError('unavailable', 'The listing took too long: its next page is no longer to be had', {
    reason: 'the service let the page token lapse',
    hint: 'run it again, with nothing slow at the other end of the pipe',
    outcome: 'not-applied',
    http: { status: 400, method: request.method, path: new URL(request.url).pathname },
  });

export const createClient = ({ baseUrl, send, timeoutMs }: ClientOptions): Client => {
  const base = baseUrl.replace(/\/+$/, '');

  const prepare = (operation: Operation, { path = {}, query = {}, body }: Input): HttpRequest => {
    const filled = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name]!));
    const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
    const search = new URLSearchParams(pairs).toString();
    return {
      method: operation.method,
      url: `${base}${filled}${search === '' ? '' : `?${search}`}`,
      headers: {
        accept: 'application/json',
        'user-agent': `sched/${version}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    };
  };

  const exchange = async (request: HttpRequest): Promise<HttpReply> => {
    try {
      return await send(request);
    } catch (error) {
      throw error instanceof NetworkFailure ? unreachable(request, error) : error;
    }
  };

  const isSuccess = ({ status }: HttpReply): boolean => status >= 200 && status <= 299;

  const call = async (operation: Operation, input: Input): Promise<Json> => {
    const request = prepare(operation, input);
    const reply = await exchange(request);
    if (!isSuccess(reply)) throw refusalOf(request, reply);
    return readOne(operation, request, reply);
  };

  const pages = (operation: Operation, input: Input, options?: ListOptions<Json>): AsyncGenerator<Json[]> => {
    // `next_page` is an address from the network and is never followed: its token goes to our own base URL.
    const fetch = async (cursor: { count: number; page_token?: string }): Promise<Page<Json>> => {
      const request = prepare(operation, { ...input, query: { ...input.query, ...cursor } });
      const reply = await exchange(request);
      if (isSuccess(reply)) return readPage(operation, request, reply);
      const isStale = cursor.page_token !== undefined && reply.status === 400 && complainsOf(reply, 'page_token');
      throw isStale ? staleCursor(request) : refusalOf(request, reply);
    };
    const onLoop = () =>
      integrityError(prepare(operation, input), 'pagination.next_page_token repeats: the listing would never end');
    return paginate(fetch, onLoop, options);
  };

  return { prepare, call, pages };
};
