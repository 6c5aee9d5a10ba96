import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { isEmailAddress } from '../../api/email-address.ts';
import { isObject, jsonIn } from '../../base/json.ts';
import type { Clock } from '../../base/system.ts';
import type { HttpReply, HttpRequest, Send } from '../../http/message.ts';
import { dice } from '../seed/random.ts';
import { staleCursor } from '../store/list-page.ts';
import type { Fault, FaultKind } from './faults.ts';

/** A reply plus transport faults, which only a server can cause. */
export interface WireReply extends HttpReply {
  /** Sent instead of `body`. */
  bytes?: Uint8Array;
  /** Resets the connection: at once, or after this many bytes of the body. */
  reset?: 'at once' | number;
  drip?: number;
  /** The rule of OAuth that the client missed, in a sentence. For the log only. */
  missed?: string | undefined;
  /** Sent instead of `body`, piece by piece, for as long as the client stays. */
  stream?: AsyncIterable<string>;
}

const resetReply: WireReply = { status: 0, headers: {}, body: '', reset: 'at once' };

const elsewhere = 'https://elsewhere.example';

/** One of each dangerous sequence, so that a program that mishandles any of them is caught. */
export const hostile =
  '=1+1\u001b[31m\u001b]0;owned\u0007\u009b2J\r\n::error::x\n##[error]x\u202egnp.exe\u200b\u0000\ud83d\ude00<script>alert(1)</script>\'"\\';

/** Text that programs parse and would reject if changed: addresses, times, enum values. */
const isFormal = (text: string): boolean =>
  isEmailAddress(text) ||
  /^https?:\/\/|^\d{4}-\d\d-\d\dT|^[a-z0-9_]+$|^#[0-9a-f]{6}$|^[A-Z][A-Za-z]+\/[\w/+-]+$|^[A-Za-z0-9_-]{40,}$|^\d\d:\d\d$|^[a-z]{2}(-[A-Z]{2})?$/.test(
    text,
  );

const poison = (value: unknown): unknown => {
  if (typeof value === 'string') return isFormal(value) ? value : `${value}${hostile}`;
  if (Array.isArray(value)) return value.map(poison);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, name === 'pagination' ? each : poison(each)]),
  );
};

interface ListBody {
  pagination?: { next_page: string | null; next_page_token: string | null };
}

const listBody = ({ body }: HttpReply): ListBody | undefined => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};

/** The reply with changed JSON, or the same reply if its body isn't JSON. */
const rewritten = (reply: WireReply, change: (json: ListBody) => unknown): WireReply => {
  const json = listBody(reply);
  return json === undefined ? reply : { ...reply, body: JSON.stringify(change(json)) };
};

const foreignNextPage = (reply: WireReply, { location = elsewhere }: Fault, { url }: HttpRequest): WireReply =>
  rewritten(reply, (json) => {
    if (json.pagination === undefined) return json;
    const { pathname, search } = new URL(json.pagination.next_page ?? url);
    return { ...json, pagination: { ...json.pagination, next_page: `${location}${pathname}${search}` } };
  });

const repeatCursor = (reply: WireReply, _: Fault, { url }: HttpRequest): WireReply => {
  const cursor = new URL(url).searchParams.get('page_token');
  return rewritten(reply, (json) => {
    if (json.pagination === undefined || cursor === null) return json;
    return { ...json, pagination: { ...json.pagination, next_page: url, next_page_token: cursor } };
  });
};

const noRateHeaders = (reply: WireReply): WireReply => ({
  ...reply,
  headers: Object.fromEntries(Object.entries(reply.headers).filter(([name]) => !name.startsWith('x-ratelimit'))),
});

const absurdRateHeaders = (reply: WireReply): WireReply => ({
  ...reply,
  headers: {
    ...reply.headers,
    'x-ratelimit-limit': '-1',
    'x-ratelimit-remaining': 'many',
    'x-ratelimit-reset': '99999999999999999999',
  },
});

const garbage = (reply: WireReply, { seed = 1, bytes = 200 }: Fault): WireReply => {
  const roll = dice(seed);
  // 0xff is never valid in UTF-8.
  return { ...reply, bytes: Uint8Array.from({ length: bytes }, (_, index) => (index === 0 ? 0xff : roll(256))) };
};

const html = (reply: WireReply, { status = reply.status }: Fault): WireReply => ({
  ...reply,
  status,
  headers: { ...reply.headers, 'content-type': 'text/html; charset=utf-8' },
  body: '<!doctype html><title>Please stand by</title><h1>Please stand by</h1><p>The gateway is down for maintenance.</p>\n',
});

const gzipBomb = (reply: WireReply, { mib = 64 }: Fault): WireReply => ({
  ...reply,
  headers: { ...reply.headers, 'content-encoding': 'gzip' },
  bytes: gzipSync(Buffer.alloc(mib * 1024 * 1024, ' '), { level: 9 }),
});

const sizeOf = ({ bytes, body }: WireReply): number => bytes?.length ?? Buffer.byteLength(body);

type Refuse = (fault: Fault, request: HttpRequest) => WireReply;
type Alter = (reply: WireReply, fault: Fault, request: HttpRequest) => WireReply;

const errorReply = (status: number, title: string, headers: Record<string, string> = {}): WireReply => ({
  status,
  headers: { 'content-type': 'application/json', 'x-request-id': 'injected', ...headers },
  body: JSON.stringify({ title, message: 'This is a scripted fault.' }),
});

/** Faults that reply instead of the service; the request doesn't reach it. */
const refusals: Partial<Record<FaultKind, Refuse>> = {
  status: ({ status = 503, headers, body }) => {
    const reply = errorReply(status, `Status ${status}`, headers);
    return body === undefined ? reply : { ...reply, body };
  },
  'reset-before': () => resetReply,
  'too-many-addresses': ({ limit = 100 }) => errorReply(413, `At most ${limit} addresses per request`),
  'stale-cursor': () => ({ ...errorReply(400, ''), body: staleCursor().body }),
  redirect: ({ status = 307, location = elsewhere, headers }, { url }) => {
    const { pathname, search } = new URL(url);
    const target = /^https?:\/\/[^/]+$/.test(location) ? `${location}${pathname}${search}` : location;
    return errorReply(status, 'Redirected', { ...headers, location: target });
  },
};

/** Faults that change the service's reply after the request was carried out. */
const alterations: Partial<Record<FaultKind, Alter>> = {
  'reset-after': () => resetReply,
  'lost-token': () => resetReply,
  truncate: (reply, { bytes = Math.floor(sizeOf(reply) / 2) }) => ({ ...reply, reset: bytes }),
  drip: (reply, { ms = 20 }) => ({ ...reply, drip: ms }),
  garbage,
  html,
  'wrong-content-type': (reply, { type = 'text/plain' }) => ({
    ...reply,
    headers: { ...reply.headers, 'content-type': type },
  }),
  'gzip-bomb': gzipBomb,
  'foreign-next-page': foreignNextPage,
  'repeat-cursor': repeatCursor,
  'hostile-strings': (reply) => rewritten(reply, poison),
  'no-rate-headers': noRateHeaders,
  'absurd-rate-headers': absurdRateHeaders,
};

/**
 * A deletion that is accepted and leaves some of its people. Their places are taken by addresses that nobody has. Who is
 * left depends on the address alone, so that a repeated request leaves the same people.
 */
const keepSome = (request: HttpRequest, { share = '100%', seed = 1 }: Fault): HttpRequest => {
  const body = jsonIn(request.body ?? '');
  const isKept = (address: string) =>
    hash('sha256', `${seed} ${address.toLowerCase()}`, 'buffer').readUInt32BE() / 2 ** 32 <
    Number.parseFloat(share) / 100;
  const left = (value: unknown): unknown =>
    typeof value === 'string' && isKept(value) ? `nobody-${hash('sha256', value).slice(0, 16)}@sched.invalid` : value;
  if (!isObject(body)) return request;
  const lists = Object.entries(body).map(([name, each]) => [name, Array.isArray(each) ? each.map(left) : each]);
  return { ...request, body: JSON.stringify(Object.fromEntries(lists)) };
};

const find = (faults: readonly Fault[], kind: FaultKind) => faults.find((fault) => fault.kind === kind);

export const inject = async (
  service: Send,
  request: HttpRequest,
  faults: readonly Fault[],
  clock: Pick<Clock, 'sleep'>,
): Promise<WireReply> => {
  const delay = find(faults, 'delay');
  if (delay) await clock.sleep(delay.ms ?? 1000);
  const refused = faults.find(({ kind }) => refusals[kind]);
  if (refused) return refusals[refused.kind]!(refused, request);
  const kept = find(faults, 'keep');
  const reply = await service(kept === undefined ? request : keepSome(request, kept));
  const slow = find(faults, 'slow-token');
  if (slow) await clock.sleep(slow.ms ?? 1000);
  return faults.reduce<WireReply>((so, fault) => alterations[fault.kind]?.(so, fault, request) ?? so, reply);
};
