import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SchedError } from '../base/errors.ts';
import type { Clock } from '../base/system.ts';
import { type CallbackRequest, type CallbackResult, callbackPath, type Grant } from './callback.ts';
import { type PageKind, resultPage } from './callback-page.ts';

/** A verdict that ends the login. */
type SettledCallback = Exclude<CallbackResult, { kind: 'ignored' }>;

interface CallbackListener<Result> {
  readonly redirectUri: string;
  readonly result: Promise<Result>;
  /** Ends the login with a verdict on an address that the user pasted, unless a callback arrived before. */
  settle(verdict: SettledCallback): void;
  /** Frees the port, at most half a second after the page was sent. */
  close(): Promise<void>;
}

interface ListenerOptions<Result> {
  /** 0 or undefined: any free port. */
  port?: number | undefined;
  again: string;
  clock: Pick<Clock, 'sleep'>;
  check(request: CallbackRequest, redirectUri: string): CallbackResult;
  /** Called at most once, whatever arrives. The browser gets its page when this is done. */
  exchange(grant: Grant): Promise<Result>;
}

/** A literal address instead of a name, so that only this machine can reach the listener. */
const address = '127.0.0.1';

/** A connection that hasn't sent all its headers by then is dropped. */
const headersTimeoutMs = 5_000;
const lingerMs = 500;

const listenOn = async (server: ReturnType<typeof createServer>, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) =>
      reject(
        new SchedError('environment', `Can't listen on ${address}:${port}`, {
          reason: code === 'EADDRINUSE' ? 'the port is in use' : (code ?? "the port can't be opened"),
          hint: { flags: { port: false } },
          outcome: 'not-sent',
        }),
      ),
    );
    server.listen({ host: address, port, exclusive: true }, () => resolve((server.address() as AddressInfo).port));
  });

/** Waits for a login's callback on the loopback address. Other requests get an error page and change nothing. */
export const openListener = async <Result>(options: ListenerOptions<Result>): Promise<CallbackListener<Result>> => {
  const { clock, check, exchange } = options;
  let redirectUri = '';
  let page: Promise<PageKind> | undefined;
  let resolve!: (value: Result) => void;
  let reject!: (reason: unknown) => void;
  const result = new Promise<Result>((...ends) => {
    [resolve, reject] = ends;
  });
  const answering = new Set<Promise<void>>();
  // The login may have ended for another reason, and then nothing awaits this promise.
  result.catch(() => {});

  const pageAfter = async (verdict: SettledCallback): Promise<PageKind> => {
    if (verdict.kind === 'refused') {
      reject(verdict.error);
      return verdict.page;
    }
    try {
      resolve(await exchange(verdict.grant));
      return 'success';
    } catch (error) {
      reject(error);
      return 'failed';
    }
  };

  /** The first verdict decides. If the browser repeats the callback, it gets the same page. */
  const settle = (verdict: SettledCallback): Promise<PageKind> => {
    page ??= pageAfter(verdict);
    return page;
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    request.resume();
    const verdict = check(
      { method: request.method ?? '', target: request.url ?? '', host: request.headers.host },
      redirectUri,
    );
    const page = resultPage(verdict.kind === 'ignored' ? 'unexpected' : await settle(verdict), options.again);
    const status = verdict.kind === 'ignored' ? verdict.status : 200;
    response.writeHead(status, { ...page.headers, ...(status === 405 ? { allow: 'GET' } : {}) });
    response.end(page.body);
  };

  const server = createServer(
    { headersTimeout: headersTimeoutMs, requestTimeout: headersTimeoutMs, connectionsCheckingInterval: 1_000 },
    (request, response) => {
      const ending = new Promise<void>((end) => response.once('close', end)).then(() => {
        answering.delete(ending);
      });
      answering.add(ending);
      answer(request, response).catch(() => response.destroy());
    },
  );
  // A malformed request closes only its own connection.
  server.on('clientError', (_, socket) => socket.destroy());
  const port = await listenOn(server, options.port ?? 0);
  server.on('error', () => {});
  redirectUri = `http://${address}:${port}${callbackPath}`;

  const close = async (): Promise<void> => {
    const closing = new Promise<void>((onClose) => server.close(() => onClose()));
    // Requests in progress get a moment to finish; idle connections get none.
    const linger = new AbortController();
    await Promise.race([Promise.all(answering), clock.sleep(lingerMs, linger.signal).catch(() => {})]);
    linger.abort();
    server.closeAllConnections();
    await closing;
  };
  return { redirectUri, result, settle: (verdict) => void settle(verdict), close };
};
