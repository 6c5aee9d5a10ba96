import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../base/system.ts';
import { Refusal } from '../error-replies.ts';
import type { WireReply } from '../faults/inject.ts';
import { bytesOf, createFront, readBody, type WireService, withLength } from './front.ts';

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];

export interface Server {
  /** Without a trailing slash. */
  url: string;
  port: number;
  close(): Promise<void>;
}

/** Valid `Host` headers for this server. Clients leave out the port if it is the default one. */
export const hostHeadersAt = (port: number, more: readonly string[] = []): string[] =>
  [...loopbackNames, ...more]
    .map((name) => (/:\d+$/.test(name) ? name : `${name}:${port}`))
    .flatMap((host) => [host, new URL(`http://${host}`).host]);

/** Whether a text is a name that a sandbox can have beside its loopback address: `sandbox`, or `sandbox:8080`. */
export const isHostName = (text: string): boolean =>
  /^[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?(?::[1-9]\d{0,4})?$/.test(text) && URL.canParse(`http://${text}`);

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
}

/** Serves the service on the loopback address. Rejects with `EADDRINUSE` if the port is in use. */
export const serve = async (
  service: WireService,
  { port, sleep, refusalHeaders, patienceMs = 10_000, unref = false, hosts = [] }: ServeOptions,
): Promise<Server> => {
  const server = createServer({
    headersTimeout: patienceMs,
    requestTimeout: patienceMs * 3,
    // How often Node checks the two timeouts above.
    connectionsCheckingInterval: patienceMs / 5,
  });
  server.listen({ port, host: '127.0.0.1', exclusive: true });
  await once(server, 'listening');
  if (unref) server.unref().on('connection', (socket) => socket.unref());
  const bound = (server.address() as AddressInfo).port;
  const own = hostHeadersAt(bound, hosts);
  const front = createFront(service, refusalHeaders);
  const answer = (message: IncomingMessage): Promise<WireReply> =>
    front(async () => {
      checkHost(message, own);
      const { 'content-length': length, 'transfer-encoding': encoding, host } = message.headers;
      // RFC 9112 §6.3: without either header there is no body. Most requests are reads, and even an empty stream takes
      // time to read.
      const body = length === undefined && encoding === undefined ? '' : await readBody(message, length);
      const url = `http://${host}${message.url}`;
      return { method: message.method ?? 'GET', url, headers: requestHeaders(message), body };
    });
  server.on('request', async (message, response) => {
    const reply = await answer(message);
    // Fails if the server stops during a sleep; nobody waits for the reply then.
    await send(response, reply, sleep).catch(() => response.destroy());
  });
  return {
    url: new URL(`http://127.0.0.1:${bound}`).origin,
    port: bound,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
