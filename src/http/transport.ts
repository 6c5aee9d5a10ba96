import { type Duplex, pipeline } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import { NetworkFailure } from './failure.ts';
import type { HttpReply, HttpRequest, Send } from './message.ts';
import { proxyFor } from './proxy.ts';

interface Clock {
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export interface TransportOptions {
  env: Readonly<Record<string, string | undefined>>;
  clock: Clock;
  interrupted: AbortSignal;
}

/** Decoded bytes of one reply that are read before giving up: a compressed bomb ends here. */
export const maxBodyBytes = 32 * 1024 * 1024;

const defaultTimeout = 30_000;

const words: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the name server did not answer',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'network unreachable',
  ECONNRESET: 'the connection was reset',
  UND_ERR_SOCKET: 'the connection was closed before the reply was complete',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_HEADERS_OVERFLOW: 'the reply has oversized headers',
};

const inWords = ({ code = '', message }: Error & { code?: string }): string =>
  words[code] ?? (/^(EPROTO$|ERR_SSL_)/.test(code) ? 'the TLS handshake failed' : message);

const decoders: Record<string, () => Duplex> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

const readBody = async (body: Dispatcher.ResponseData['body'], encoding: string | undefined): Promise<string> => {
  const decoder = decoders[encoding?.trim().toLowerCase() ?? ''];
  const stream: AsyncIterable<Buffer> = decoder === undefined ? body : pipeline(body, decoder(), () => {});
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new Error(`the reply is larger than ${maxBodyBytes / 1024 / 1024} MiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
};

/** Tells when the request itself goes out, after its connection, TLS and the proxy's tunnel stand. */
const noticing =
  (onSent: () => void): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) => {
    const start = handler.onRequestStart?.bind(handler);
    handler.onRequestStart = (controller, context) => {
      onSent();
      start?.(controller, context);
    };
    return dispatch(options, handler);
  };

const plainHeaders = (headers: Dispatcher.ResponseData['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );

/** The network. One deadline covers connecting, headers and body; redirects are never followed here. */
export const createTransport = ({ env, clock, interrupted }: TransportOptions): Send => {
  const pools = new Map<string, Dispatcher>();

  const dispatcherFor = (url: URL, timeout: number, signal: AbortSignal): Dispatcher => {
    const proxy = proxyFor(url, env);
    // A connection that is still being made must not keep the program from ending.
    const connect = { timeout, signal };
    return proxy === undefined
      ? new Agent({ connections: 8, connect })
      : new ProxyAgent({ uri: proxy, proxyTls: connect });
  };

  const pooled = (url: URL, timeout: number): Dispatcher => {
    const pool = pools.get(url.origin) ?? dispatcherFor(url, timeout, interrupted);
    pools.set(url.origin, pool);
    return pool;
  };

  return async (request: HttpRequest): Promise<HttpReply> => {
    const url = new URL(request.url);
    const timeout = request.timeoutMs ?? defaultTimeout;
    let sent = false;
    interrupted.throwIfAborted();
    const finished = new AbortController();
    const cut = new AbortController();
    const { signal } = cut;
    clock.sleep(timeout, finished.signal).then(
      () => cut.abort(new Error(`no complete reply within ${timeout / 1000} s`)),
      () => {},
    );
    // Listened to by hand and let go of at the end: a signal made by AbortSignal.any would keep each reply alive for as
    // long as the program runs.
    const onInterruption = () => cut.abort(interrupted.reason);
    interrupted.addEventListener('abort', onInterruption, { once: true });
    // An idle connection may die under a write and leave its outcome open, so a write gets a fresh one; what may be sent
    // twice needs none.
    const isPooled = request.method === 'GET' || request.effect === 'deletion';
    const dispatcher = isPooled ? pooled(url, timeout) : dispatcherFor(url, timeout, signal);
    const noticed = dispatcher.compose(
      noticing(() => {
        sent = true;
      }),
    );
    // The library heeds the signal only once it is connected.
    const cutOff = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    const exchange = async (): Promise<HttpReply> => {
      const reply = await noticed.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: request.method as Dispatcher.HttpMethod,
        headers: { 'accept-encoding': 'gzip, br', ...request.headers },
        body: request.body,
        signal,
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      const headers = plainHeaders(reply.headers);
      return { status: reply.statusCode, headers, body: await readBody(reply.body, headers['content-encoding']) };
    };
    try {
      return await Promise.race([exchange(), cutOff]);
    } catch (error) {
      if (!sent) {
        pools.delete(url.origin);
        dispatcher.destroy().catch(() => {});
      }
      if (interrupted.aborted) throw interrupted.reason;
      const cause = (signal.aborted ? signal.reason : error) as Error;
      throw new NetworkFailure(url.host, inWords(cause), sent);
    } finally {
      finished.abort();
      interrupted.removeEventListener('abort', onInterruption);
      if (!isPooled) dispatcher.close().catch(() => {});
    }
  };
};
