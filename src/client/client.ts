import { inspect } from '../api/inspect.ts';
import { isBooking, limits } from '../api/limits.ts';
import type { Operation } from '../api/operation.ts';
import type { RecordOf, ReplyOf } from '../api/sent.ts';
import { SchedError, sameCommand } from '../base/errors.ts';
import { type Json, jsonText } from '../base/json.ts';
import { version } from '../base/system.ts';
import { type Dialect, wireOf } from '../dialects/dialect.ts';
import { NetworkFailure } from '../http/failure.ts';
import { exchangeOf, type HttpReply, type HttpRequest, isSuccess, type Send, withRequestId } from '../http/message.ts';
import { decideAfterFailure, effectOf, failureOf, type WriteResult, writtenIn } from './outcome.ts';
import { type ListOptions, type ListPage, paginate } from './paginate.ts';
import { integrityError, readAnyPage, readPage, readRecordReply } from './read-reply.ts';
import { blamesParameter, refusalOf, subjectIn } from './refusal.ts';
import { fromWire, type Input, type NameSource, namesIn, toWire } from './wire.ts';

/** A request that the caller writes out, sent below the base URL with the credential. */
export interface RawInput {
  method: string;
  path: string;
  query?: readonly (readonly [name: string, value: string])[];
  headers?: Record<string, string>;
  body?: string | undefined;
}

/** An operation that changes nothing. Writes have their own method, because their reply may lack the record. */
export type ReadOperation = Operation & { readonly effect?: never };

export const isRead = (operation: Operation): operation is ReadOperation => operation.effect === undefined;

export interface Client {
  prepare(operation: Operation, input: Input): Promise<HttpRequest>;
  /** Whether a dialect says how the service differs. */
  hasDialect: boolean;
  /** Whether the service has the operation, as far as its dialect says. */
  offers(operation: Operation): boolean;
  /** Sends a read and returns its record. */
  call<Row extends ReadOperation>(operation: Row, input: Input): Promise<ReplyOf<Row>>;
  /** Sends a write. `beforeSend` runs right before each attempt leaves. */
  write<Row extends Operation>(
    operation: Row,
    input: Input,
    beforeSend?: () => Promise<void>,
  ): Promise<WriteResult<ReplyOf<Row>>>;
  /** The results page by page. Each page is fetched when the caller takes it. */
  pages<Row extends Operation>(
    operation: Row,
    input: Input,
    options?: ListOptions<RecordOf<Row>>,
  ): AsyncGenerator<RecordOf<Row>[]>;
  prepareRaw(input: RawInput): HttpRequest;
  /** Sends a raw request and returns the reply, whatever its status. */
  send(request: HttpRequest): Promise<HttpReply>;
  /** A list of records of any kind, page by page. `operation` is the list's operation, if known. */
  rawPages(input: RawInput, options?: ListOptions<Json>, operation?: Operation): AsyncGenerator<Json[]>;
}

interface ClientOptions {
  baseUrl: string;
  /** URL of the MCP server, for operations that live there. */
  mcpUrl?: string | undefined;
  /** Sends with the credential. */
  send: Send;
  /** Sends without a credential, for operations that need none: another host must never see a token. */
  sendPlain: Send;
  timeoutMs?: number;
  /** How the service differs from the catalogue, if it does. */
  dialect?: Dialect | undefined;
  /** What a dialect can name beside the input. Asked only if it does. */
  names?: NameSource;
}

/** The error if no complete reply came. A write that may have left the machine has an unknown outcome. */
const unreachable = (request: HttpRequest, failure: NetworkFailure): SchedError => {
  const unknown = failure.sent && request.method !== 'GET';
  const message = unknown
    ? `No reply from ${failure.host}: the request may or may not have been carried out`
    : `Can't reach ${failure.host}`;
  return new SchedError(unknown ? 'outcome-unknown' : 'unavailable', message, {
    reason: failure.message,
    ...(failure.advice === undefined ? {} : { advice: failure.advice }),
    outcome: unknown ? 'unknown' : failure.sent ? 'not-applied' : 'not-sent',
    http: exchangeOf(request),
  });
};

/** A list without `count` should be one page. If its reply names a next page anyway, that page is fetched too. */
export const isPaged = ({ query }: Operation): boolean => query !== undefined && Object.hasOwn(query.shape, 'count');

/** Whether a 404 may be about a record that the input names, besides a user and an organization. */
const namesRecord = ({ path, query, body }: Operation, input: Input): boolean => {
  const given = Object.keys({ ...input.query, ...input.body });
  const isRecord = (name: string) => {
    const field = query?.shape[name] ?? body?.shape[name];
    return field !== undefined && inspect(field).collection !== undefined;
  };
  return path.includes('{') || given.some((name) => !['user', 'organization'].includes(name) && isRecord(name));
};

const staleCursor = (request: HttpRequest, reply: HttpReply): SchedError =>
  new SchedError('unavailable', 'Listing took too long: the next page is no longer available', {
    reason: withRequestId('the page token expired', reply),
    advice: 'if another program reads the output, it must not be slow',
    hint: sameCommand,
    outcome: 'not-applied',
    http: exchangeOf(request, reply),
  });

const serverUrlOf = ({ server }: Operation, { baseUrl, mcpUrl }: ClientOptions): string => {
  if (server !== 'mcp') return baseUrl.replace(/\/+$/, '');
  // RFC 9728 §3.1: the path of the MCP server comes after the one of its metadata.
  if (mcpUrl !== undefined) return new URL(mcpUrl).origin;
  throw new SchedError('environment', 'The URL of the MCP server is not set', {
    reason: 'neither SCHED_MCP_URL nor the profile names one',
    outcome: 'not-sent',
  });
};

export const createClient = (options: ClientOptions): Client => {
  const { send, sendPlain, timeoutMs, dialect, names } = options;

  /** Builds a request with the headers and timeout that every request has. */
  const requestOf = (
    method: string,
    address: string,
    query: readonly (readonly [string, string])[],
    body: string | undefined,
    headers: Record<string, string> = {},
  ): HttpRequest => {
    const search = new URLSearchParams(query.map(([name, value]): [string, string] => [name, value])).toString();
    return {
      method,
      url: `${address}${search === '' ? '' : `?${search}`}`,
      headers: {
        accept: 'application/json',
        'user-agent': `sched/${version}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    };
  };

  const prepare = async (operation: Operation, input: Input): Promise<HttpRequest> => {
    const wire = toWire(dialect, operation, input, await namesIn(dialect, operation, names));
    const text = wire.body === undefined ? undefined : jsonText(wire.body);
    const request = requestOf(wire.method, `${serverUrlOf(operation, options)}${wire.path}`, wire.query, text);
    const own = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => input.path?.[name] ?? '');
    const path = dialect || namesRecord(operation, input) ? undefined : operation.assumed ? 'assumed' : 'documented';
    return { ...request, effect: effectOf(operation), isBooking: isBooking(operation), subject: subjectIn(own), path };
  };

  const prepareRaw = ({ method, path, query = [], headers, body }: RawInput): HttpRequest => ({
    ...requestOf(method, `${options.baseUrl.replace(/\/+$/, '')}${path}`, query, body, headers),
    subject: subjectIn(path),
  });

  const exchange = async (operation: Operation | undefined, request: HttpRequest): Promise<HttpReply> => {
    try {
      const reply = await (operation !== undefined && operation.scope === undefined ? sendPlain : send)(request);
      return operation === undefined ? reply : fromWire(dialect, operation, reply);
    } catch (error) {
      if (!(error instanceof NetworkFailure)) throw error;
      // The status was a success before the body was cut off. A write is then done, only its record is missing.
      if (decideAfterFailure(effectOf(request), failureOf(error)!) === 'done')
        return { status: error.status!, headers: {}, body: '' };
      throw unreachable(request, error);
    }
  };

  const call: Client['call'] = async (operation, input) => {
    const request = await prepare(operation, input);
    const reply = await exchange(operation, request);
    if (!isSuccess(reply)) throw refusalOf(request, reply);
    return readRecordReply(operation, request, reply);
  };

  const write: Client['write'] = async (operation, input, beforeSend) => {
    const request = { ...(await prepare(operation, input)), ...(beforeSend === undefined ? {} : { beforeSend }) };
    const result = writtenIn(operation, request, await exchange(operation, request));
    const isReadLater = wireOf(dialect, operation)?.reply?.read_back;
    return isReadLater && result.record === undefined ? { ...result, isReadLater } : result;
  };

  type Cursor = { count?: number; page_token?: string };

  // Never follow `next_page`, a URL from the network: only its token is used, with our own base URL.
  const listing = <Item>(
    requestAt: (cursor: Cursor | undefined) => HttpRequest | Promise<HttpRequest>,
    operation: Operation | undefined,
    listOptions: ListOptions<Item> | undefined,
    read: (request: HttpRequest, reply: HttpReply) => ListPage<Item>,
  ): AsyncGenerator<Item[]> => {
    const fetch = async (cursor: Cursor, signal: AbortSignal): Promise<ListPage<Item>> => {
      const { count: _, ...place } = cursor;
      const request = await requestAt(operation === undefined || isPaged(operation) ? cursor : place);
      const reply = await exchange(operation, { ...request, signal });
      if (isSuccess(reply)) return read(request, reply);
      const isStale = cursor.page_token !== undefined && reply.status === 400 && blamesParameter(reply, 'page_token');
      throw isStale ? staleCursor(request, reply) : refusalOf(request, reply);
    };
    return paginate(fetch, async (problem) => integrityError(await requestAt(undefined), problem), listOptions);
  };

  const pages: Client['pages'] = (operation, input, listOptions = {}) => {
    const wire = wireOf(dialect, operation);
    const most = wire?.page_size ?? dialect?.page_size ?? limits.pageSize.max;
    return listing(
      (cursor) => prepare(operation, { ...input, query: { ...input.query, ...cursor } }),
      operation,
      { ...listOptions, pageSize: Math.min(listOptions.pageSize ?? most, most) },
      (request, reply) => readPage(operation, request, reply, wire?.reply?.no_uri),
    );
  };

  const rawPages = (
    { query = [], ...input }: RawInput,
    listOptions?: ListOptions<Json>,
    operation?: Operation,
  ): AsyncGenerator<Json[]> => {
    const requestAt = (cursor: Cursor | undefined) => {
      const place = Object.entries(cursor ?? {}).map(([name, value]): [string, string] => [name, String(value)]);
      const others = query.filter(([name]) => !place.some(([own]) => own === name));
      return prepareRaw({ ...input, query: [...others, ...place] });
    };
    return listing(requestAt, operation, listOptions, readAnyPage);
  };

  return {
    prepare,
    hasDialect: dialect !== undefined,
    offers: (operation) => wireOf(dialect, operation) !== undefined,
    call,
    write,
    pages,
    prepareRaw,
    send: (request) => exchange(undefined, request),
    rawPages,
  };
};
