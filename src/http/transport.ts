import type { Dispatcher } from 'undici';
import Pool from 'undici/lib/dispatcher/pool.js';
import { SchedError } from '../base/errors.ts';
import { adviceFor, meaningOf } from '../base/network-errors.ts';
import type { Clock, Env } from '../base/system.ts';
import { NetworkFailure } from './failure.ts';
import { defaultTimeoutMs, type HttpReply, type HttpRequest, plainHeaders, type Send } from './message.ts';
import { type HttpProxy, proxyFor } from './proxy.ts';

interface TransportOptions {
  env: Env;
  clock: Pick<Clock, 'sleep'>;
  interrupted: AbortSignal;
}

/** The most decoded bytes to read from one reply. Protects against decompression bombs. */
export const maxBodyBytes = 32 * 1024 * 1024;

/** The most connections to one origin. */
const connections = 8;

/** Made once: a new reason for each request would cost more than the timer it ends. */
const over = new Error('the request is over');

const tooLarge = (): Error => new Error(`the reply is larger than ${maxBodyBytes / 1024 / 1024} MiB`);

/** Decodes a body by its `content-encoding`, up to the size limit. */
const decodeBody = async (body: Buffer, encoding: string): Promise<Buffer> => {
  const { brotliDecompress, gunzip, inflate } = await import('node:zlib');
  const decoders: Record<string, typeof gunzip> = {
    gzip: gunzip,
    'x-gzip': gunzip,
    deflate: inflate,
    br: brotliDecompress,
  };
  const decode = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined;
  if (decode === undefined || body.length === 0) return body;
  return new Promise((resolve, reject) => {
    decode(body, { maxOutputLength: maxBodyBytes }, (error, text) => {
      if (error === null) return resolve(text);
      reject((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge() : error);
    });
  });
};

const bodyText = async (body: Buffer, encoding: string | undefined): Promise<string> => {
  const plain = encoding === undefined ? body : await decodeBody(body, encoding.trim().toLowerCase());
  return plain.toString('utf8').replace(/^\uFEFF/, '');
};

type RawReply = { status: number; headers: Record<string, string>; body: Buffer };

/** How far an exchange got. */
interface ExchangeProgress {
  sent: boolean;
  status?: number;
}

/** Sends one request and reads its reply as bytes. It counts as sent once connection, TLS and tunnel are ready. */
const sendOnce = (
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  signal: AbortSignal,
  progress: ExchangeProgress,
): Promise<RawReply> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let start: Omit<RawReply, 'body'> | undefined;
    dispatcher.dispatch(options, {
      onRequestStart: (controller) => {
        if (signal.aborted) return controller.abort(signal.reason);
        progress.sent = true;
        signal.addEventListener('abort', () => controller.abort(signal.reason), { once: true });
      },
      onResponseStart: (_controller, status, headers) => {
        start = { status, headers: plainHeaders(headers) };
        progress.status = status;
      },
      onResponseData: (controller, chunk) => {
        size += chunk.length;
        if (size > maxBodyBytes) controller.abort(tooLarge());
        else chunks.push(chunk);
      },
      onResponseEnd: () => resolve({ ...start!, body: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) }),
      onResponseError: (_controller, error) => reject(error),
    });
  });

/** The network. One deadline covers connecting, headers and body; redirects are never followed here. */
export const createTransport = ({ env, clock, interrupted }: TransportOptions): Send => {
  const pools = new Map<string, Promise<Dispatcher>>();

  const dispatcherFor = async (
    url: URL,
    proxy: HttpProxy | undefined,
    timeout: number,
    signal: AbortSignal,
  ): Promise<Dispatcher> => {
    // An unfinished connection must not keep the program running.
    const connect = { timeout, signal };
    if (proxy === undefined) return new Pool(url.origin, { connections, connect, allowH2: false });
    const { tunnelsTo } = await import('./tunnel.ts');
    return tunnelsTo(url, proxy, connect, connections);
  };

  const pooled = (url: URL, proxy: HttpProxy | undefined, timeout: number): Promise<Dispatcher> => {
    const pool = pools.get(url.origin) ?? dispatcherFor(url, proxy, timeout, interrupted);
    pools.set(url.origin, pool);
    return pool;
  };

  return async (request: HttpRequest): Promise<HttpReply> => {
    const url = new URL(request.url);
    const proxy = proxyFor(url, env);
    const timeout = request.timeoutMs ?? defaultTimeoutMs;
    const progress: ExchangeProgress = { sent: false };
    const cutter = new AbortController();
    const { signal } = cutter;
    // An idle connection may break during a write and leave the outcome unknown. So a write gets a new connection,
    // unless it may be sent twice.
    const isPooled = request.method === 'GET' || request.effect === 'deletion';
    const dispatcher = await (isPooled ? pooled(url, proxy, timeout) : dispatcherFor(url, proxy, timeout, signal));
    interrupted.throwIfAborted();
    request.signal?.throwIfAborted();
    const finished = new AbortController();
    clock.sleep(timeout, finished.signal).then(
      () => cutter.abort(new Error(`no complete reply within ${timeout / 1000} s`)),
      () => {},
    );
    // Listeners are added and removed by hand: AbortSignal.any would keep each reply in memory as long as the program
    // runs.
    const onInterruption = () => cutter.abort(interrupted.reason);
    interrupted.addEventListener('abort', onInterruption, { once: true });
    const onUnwanted = () => cutter.abort(request.signal!.reason);
    request.signal?.addEventListener('abort', onUnwanted, { once: true });
    // The library checks the signal only after connecting.
    const cutOff = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    const whole = async (): Promise<HttpReply> => {
      const options = {
        origin: url.origin,
        path: url.pathname + url.search,
        method: request.method as Dispatcher.HttpMethod,
        headers: { 'accept-encoding': 'gzip, br', ...request.headers },
        body: request.body,
        headersTimeout: 0,
        bodyTimeout: 0,
      };
      const { status, headers, body } = await sendOnce(dispatcher, options, signal, progress);
      return { status, headers, body: await bodyText(body, headers['content-encoding']) };
    };
    try {
      return await Promise.race([whole(), cutOff]);
    } catch (error) {
      // After an interruption, an open connection would keep the program running.
      if (!progress.sent || interrupted.aborted) {
        pools.delete(url.origin);
        dispatcher.destroy().catch(() => {});
      }
      if (interrupted.aborted) throw interrupted.reason;
      const cause = (signal.aborted ? signal.reason : error) as Error;
      if (cause instanceof NetworkFailure || cause instanceof SchedError) throw cause;
      const way = proxy === undefined ? '' : `, through the proxy ${proxy.url}`;
      const { sent, status } = progress;
      throw new NetworkFailure(url.host, (meaningOf(cause) ?? cause.message) + way, sent, {
        status,
        advice: adviceFor(cause),
      });
    } finally {
      finished.abort(over);
      interrupted.removeEventListener('abort', onInterruption);
      request.signal?.removeEventListener('abort', onUnwanted);
      if (!isPooled) dispatcher.close().catch(() => {});
    }
  };
};
