import { once } from 'node:events';
import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../base/system.ts';
import { isLoopback } from '../../base/uri.ts';
import { notFound, Refusal } from '../error-replies.ts';
import type { WireReply } from '../faults/inject.ts';
import { bytesOf, createFront, readBody, type WireService, withLength } from './front.ts';
import { urlOf } from './request-url.ts';

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];

export interface Server {
  /** Without a trailing slash. */
  url: string;
  port: number;
  close(): Promise<void>;
}

/** Valid `Host` headers for this server. Clients leave out the port if it is the default one. */
export const hostHeadersAt = (port: number, more: readonly string[] = [], scheme = 'http'): string[] =>
  [...loopbackNames, ...more]
    .map((name) => (/:\d+$/.test(name) ? name : `${name}:${port}`))
    .flatMap((host) => [host, new URL(`${scheme}://${host}`).host]);

/** Whether a text is a name that a sandbox can have beside its loopback address: `sandbox`, or `sandbox:8080`. */
export const isHostName = (text: string): boolean =>
  /^[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?(?::[1-9]\d{0,4})?$/.test(text) && URL.canParse(`http://${text}`);

/** The origin that a text names, without a path. */
export const originIn = (text: string): string | undefined => {
  const { origin, href, protocol } = URL.canParse(text) ? new URL(text) : { origin: '', href: '', protocol: '' };
  return /^https?:$/.test(protocol) && href === `${origin}/` ? origin : undefined;
};

/**
 * Protects against DNS rebinding: a web page can point its own host name here, but then sends that name as `Host`. A target
 * such as `*@elsewhere.example/` would name another host in the URL.
 */
const checkHost = ({ url, headers: { host } }: IncomingMessage, own: readonly string[]) => {
  if (!own.includes(host?.toLowerCase() ?? '') || url?.startsWith('*'))
    throw new Refusal(421, 'Misdirected Request', "This isn't a name of the sandbox: see --allow-host.");
};

const requestHeaders = (message: IncomingMessage): Record<string, string> => {
  const headers: Record<string, string> = {};
  for (const name in message.headers) {
    const value = message.headers[name];
    headers[name] = typeof value === 'string' ? value : (value ?? []).join(', ');
  }
  return headers;
};

/** Waits until the bytes are handed over, because a reset discards pending ones. */
const writeOut = (response: ServerResponse, bytes: Uint8Array): Promise<void> =>
  new Promise((resolve) => {
    response.write(bytes, () => resolve());
  });

const send = async (response: ServerResponse, reply: WireReply, sleep: Clock['sleep'] | undefined): Promise<void> => {
  const { status, body, bytes, reset, drip, stream } = reply;
  if (reset === 'at once') return void response.socket?.resetAndDestroy();
  if (stream !== undefined) {
    response.writeHead(status, reply.headers);
    response.flushHeaders();
    const pieces = stream[Symbol.asyncIterator]();
    // A client that goes away while nothing is sent would not be noticed otherwise.
    response.once('close', () => void pieces.return?.().catch(() => {}));
    for (let piece = await pieces.next(); !piece.done && !response.destroyed; piece = await pieces.next())
      await writeOut(response, Buffer.from(piece.value));
    return void response.end();
  }
  const headers = withLength(reply);
  response.writeHead(status, headers);
  if (reset !== undefined) {
    response.flushHeaders();
    await writeOut(response, bytesOf(reply).subarray(0, reset));
    await sleep?.(20);
    return void response.socket?.resetAndDestroy();
  }
  // A string is sent in one piece with the headers. If every character is one byte, the text is ASCII, and `latin1`
  // copies the same bytes without encoding them.
  if (drip === undefined || sleep === undefined)
    return void response.end(bytes ?? body, headers['content-length'] === String(body.length) ? 'latin1' : 'utf8');
  for (const byte of bytesOf(reply)) {
    if (response.destroyed) return;
    await writeOut(response, Uint8Array.of(byte));
    await sleep(drip);
  }
  response.end();
};

/** Whether a request comes from this machine, and was meant for it: a proxy passes on the name that its client used. */
const isFromHere = ({ socket, headers: { host = '' } }: IncomingMessage): boolean =>
  isLoopback((socket.remoteAddress ?? '').replace(/^::ffff:/, '')) &&
  loopbackNames.includes(host.toLowerCase().replace(/:\d+$/, ''));

/** All addresses of the machine, which include the loopback address. */
const isEveryAddress = (address: string): boolean => /^[0:.]+$/.test(address);

interface ServeOptions {
  /** 0 picks a free port. */
  port: number;
  sleep?: Clock['sleep'];
  /** Headers for requests that are refused before the service sees them. */
  refusalHeaders?: () => Record<string, string>;
  /** How long a client may take to send its headers; three times as long for the whole request. */
  patienceMs?: number;
  /** Doesn't keep the process running. */
  unref?: boolean | undefined;
  /** Names beside the loopback address, with or without a port. */
  hosts?: readonly string[];
  /** The `Host` header of clients that use the name in links. */
  ownHost?: string | undefined;
  /** An address to listen on beside the loopback address. */
  bind?: string | undefined;
  /** What other machines get no answer from: 404, as for a path that doesn't exist. */
  isLocal?: (path: string) => boolean;
  /** Certificate and key, if it speaks TLS. */
  tls?: { cert: string; key: string } | undefined;
}

/**
 * Serves the service on the loopback address, and on another one if it is given. Rejects with `EADDRINUSE` if the port is
 * in use.
 */
export const serve = async (
  service: WireService,
  { port, sleep, refusalHeaders, patienceMs = 10_000, unref = false, hosts = [], ...more }: ServeOptions,
): Promise<Server> => {
  const { tls, bind, ownHost, isLocal } = more;
  const scheme = tls === undefined ? 'http' : 'https';
  const { createServer: createTlsServer } = tls === undefined ? {} : await import('node:https');
  const servers: HttpServer[] = [];
  const listen = async (at: number, host: string): Promise<number> => {
    const times = {
      headersTimeout: patienceMs,
      requestTimeout: patienceMs * 3,
      // How often Node checks the two timeouts above.
      connectionsCheckingInterval: patienceMs / 5,
    };
    const server = createTlsServer?.({ ...times, ...tls }, respond) ?? createServer(times, respond);
    server.listen({ port: at, host, exclusive: true });
    await once(server, 'listening');
    if (unref) server.unref().on('connection', (socket) => socket.unref());
    servers.push(server);
    return (server.address() as AddressInfo).port;
  };
  let own: string[] = [];
  const front = createFront(service, refusalHeaders);
  const answer = (message: IncomingMessage): Promise<WireReply> =>
    front(async () => {
      checkHost(message, own);
      const url = `${scheme}://${message.headers.host}${message.url}`;
      if (isLocal?.(urlOf({ url })?.pathname ?? '') && !isFromHere(message)) throw notFound('path');
      const { 'content-length': length, 'transfer-encoding': encoding } = message.headers;
      // RFC 9112 §6.3: without either header there is no body. Most requests are reads, and even an empty stream takes
      // time to read.
      const body = length === undefined && encoding === undefined ? '' : await readBody(message, length);
      return { method: message.method ?? 'GET', url, headers: requestHeaders(message), body };
    });
  const respond = async (message: IncomingMessage, response: ServerResponse) => {
    const reply = await answer(message);
    // Fails if the server stops during a sleep; nobody waits for the reply then.
    await send(response, reply, sleep).catch(() => response.destroy());
  };
  const close = () =>
    Promise.all(
      servers.map(
        (server) =>
          new Promise<void>((resolve) => {
            server.close(() => resolve());
            server.closeAllConnections();
          }),
      ),
    );
  const isElsewhere = bind !== undefined && !isEveryAddress(bind);
  const bound = await listen(port, bind === undefined || isElsewhere ? '127.0.0.1' : bind);
  own = [...hostHeadersAt(bound, hosts, scheme), ...(ownHost === undefined ? [] : [ownHost])];
  if (isElsewhere)
    await listen(bound, bind).catch(async (error) => {
      await close();
      throw error;
    });
  return {
    url: new URL(`${scheme}://127.0.0.1:${bound}`).origin,
    port: bound,
    close: async () => void (await close()),
  };
};
