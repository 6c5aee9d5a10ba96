import type { Clock } from '../../base/system.ts';
import type { WireReply } from '../faults/inject.ts';
import { bytesOf, createFront, readBody, type WireService, withLength } from './front.ts';

/** As `fetch` of Node reports that a connection was reset. */
const resetError = () =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }) });

/** The body of a reply that doesn't come at once, or not to its end. */
async function* piecesOf(reply: WireReply, sleep: Clock['sleep']): AsyncGenerator<Uint8Array> {
  const { stream, reset, drip } = reply;
  if (stream !== undefined) {
    const encoder = new TextEncoder();
    for await (const piece of stream) yield encoder.encode(piece);
    return;
  }
  if (typeof reset === 'number') {
    yield bytesOf(reply).subarray(0, reset);
    throw resetError();
  }
  for (const byte of bytesOf(reply)) {
    yield Uint8Array.of(byte);
    await sleep(drip!);
  }
}

const isWhole = ({ stream, reset, drip }: WireReply) =>
  stream === undefined && reset === undefined && drip === undefined;

const responseTo = ({ method }: Request, reply: WireReply, sleep: Clock['sleep']): Response => {
  const { status, stream, reset } = reply;
  if (reset === 'at once') throw resetError();
  const hasBody = method !== 'HEAD' && status !== 204 && status !== 304;
  const body = isWhole(reply) ? bytesOf(reply) : ReadableStream.from(piecesOf(reply, sleep));
  const headers = stream === undefined ? withLength(reply) : reply.headers;
  return new Response(hasBody ? body : null, { status, headers });
};

/** The result of the work, unless the request is aborted before. */
const unlessAborted = <Value>({ signal }: Request, work: Promise<Value>): Promise<Value> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });

interface FetchOptions {
  sleep: Clock['sleep'];
  refusalHeaders?: () => Record<string, string>;
}

/**
 * The service as a function like `fetch`, without a server. Any origin is its own: replies carry that of the request.
 * It follows no redirect, and a compressed body stays compressed, as between a server and its client.
 */
export const fetchFrom = (service: WireService, { sleep, refusalHeaders }: FetchOptions) => {
  const front = createFront(service, refusalHeaders);
  const answer = async (request: Request): Promise<Response> => {
    const { method, body } = request;
    const url = new URL(request.url);
    const headers = { ...Object.fromEntries(request.headers), host: url.host };
    const reply = await front(async () => {
      const text = body === null ? '' : await readBody(body, request.headers.get('content-length'));
      return { method, url: `${url.origin}${url.pathname}${url.search}`, headers, body: text };
    });
    return responseTo(request, reply, sleep);
  };
  return (request: Request): Promise<Response> => unlessAborted(request, answer(request));
};
