import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../base/system.ts';
import type { HttpRequest } from '../../http/message.ts';
import { Refusal, refusalOf } from '../error-replies.ts';
import type { WireReply } from '../faults/inject.ts';

const bodyLimitBytes = 1024 * 1024;

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];

/** A service whose replies can carry transport faults. */
export type WireService = (request: HttpRequest) => Promise<WireReply>;

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

const readBody = async (message: IncomingMessage): Promise<string> => {
  const tooLarge = () =>
    new Refusal(413, 'Payload Too Large', 'The body is larger than 1 MiB.', {}, { connection: 'close' });
  const { 'content-length': length, 'transfer-encoding': encoding } = message.headers;
  if (Number(length ?? 0) > bodyLimitBytes) throw tooLarge();
  // RFC 9112 §6.3: without either header there is no body. Most requests are reads, and even an empty stream takes time to read.
  if (length === undefined && encoding === undefined) return '';
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bodyLimitBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
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

const bytesOf = ({ bytes, body }: WireReply): Uint8Array => bytes ?? Buffer.from(body);

const send = async (response: ServerResponse, reply: WireReply, sleep: Clock['sleep'] | undefined): Promise<void> => {
  const { status, headers, body, bytes, reset, drip, stream } = reply;
  if (reset === 'at once') return void response.socket?.resetAndDestroy();
  if (stream !== undefined) {
    response.writeHead(status, headers);
    response.flushHeaders();
    const pieces = stream[Symbol.asyncIterator]();
    // A client that goes away while nothing is sent would not be noticed otherwise.
    response.once('close', () => void pieces.return?.().catch(() => {}));
    for (let piece = await pieces.next(); !piece.done && !response.destroyed; piece = await pieces.next())
      await writeOut(response, Buffer.from(piece.value));
    return void response.end();
  }
  const length = bytes?.length ?? Buffer.byteLength(body);
  // RFC 9110 §8.6: these have no body. With a content-length, a client would wait for one or reject the reply.
  const isBare = status === 204 || status === 304;
  response.writeHead(status, isBare ? headers : { ...headers, 'content-length': length });
  if (reset !== undefined) {
    response.flushHeaders();
    await writeOut(response, bytesOf(reply).subarray(0, reset));
    await sleep?.(20);
    return void response.socket?.resetAndDestroy();
  }
  // A string is sent in one piece with the headers. If every character is one byte, the text is ASCII, and `latin1`
  // copies the same bytes without encoding them.
  if (drip === undefined || sleep === undefined)
    return void response.end(bytes ?? body, length === body.length ? 'latin1' : 'utf8');
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
  let requests = 0;
  const answer = async (message: IncomingMessage): Promise<WireReply> => {
    requests += 1;
    try {
      checkHost(message, own);
      const body = await readBody(message);
      const url = `http://${message.headers.host}${message.url}`;
      return await service({ method: message.method ?? 'GET', url, headers: requestHeaders(message), body });
    } catch (error) {
      const { status, headers, body } = refusalOf(error);
      const usual = { 'content-type': 'application/json', 'x-request-id': `refused-${requests}` };
      // Any other error can mean that the sandbox is closing, and its data with it.
      const limits = error instanceof Refusal ? refusalHeaders?.() : {};
      return { status, headers: { ...usual, ...limits, ...headers }, body };
    }
  };
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
