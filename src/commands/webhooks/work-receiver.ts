import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { isObject, parseJson } from '../../base/json.ts';
import { plainHeaders } from '../../http/message.ts';
import { checkSignature, readSignature } from './work-signature.ts';

/** R51: a larger body is refused, by its declared length or while it is read. */
export const mostBodyBytes = 1024 * 1024;

/** The deepest nesting of objects and lists. A delivery has about five levels. */
const mostLevels = 100;

/** With bodies of 1 MiB, this also limits memory. */
const mostConnections = 128;

/** How long a sender may take for its request. */
const patienceMs = 10_000;

/** A delivery whose signature and age are right. */
export interface Delivery {
  /** The parsed body. */
  content: Record<string, unknown>;
  body: string;
  headers: Readonly<Record<string, string>>;
}

/** Why a request was refused. It never contains text of the request. */
export type RefusalReason = 'forged' | 'too old' | 'malformed' | 'too large' | 'too slow' | 'not a POST';

export interface ReceiverReply {
  status: number;
  text: string;
}

const refusals: Record<RefusalReason, ReceiverReply> = {
  forged: { status: 401, text: "The signature doesn't match." },
  'too old': { status: 401, text: 'The time of the signature is too far from now.' },
  malformed: { status: 400, text: 'This is not a signed delivery.' },
  'too large': { status: 413, text: 'The body is larger than 1 MiB.' },
  'too slow': { status: 408, text: 'The request took too long.' },
  'not a POST': { status: 405, text: 'Send deliveries with POST.' },
};

export interface ReceiverOptions {
  /** 0 for any free port. */
  port: number;
  host: string;
  key: string;
  /** Name of the header with the signature, in lower case. */
  signatureHeader: string;
  toleranceMs: number;
  now(): number;
  onDelivery(delivery: Delivery): Promise<ReceiverReply>;
  onRefusal(refusal: RefusalReason): void;
  patienceMs?: number;
}

export interface Receiver {
  url: string;
  port: number;
  /** Resolves when the server can't receive any more, without having been closed. */
  lost: Promise<Error>;
  close(): Promise<void>;
}

/** Reads the body, or returns undefined if it is too large. Rejects if the sender closes the connection. */
const readMessageBody = async (message: IncomingMessage): Promise<Buffer | undefined> => {
  if (Number(message.headers['content-length'] ?? 0) > mostBodyBytes) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > mostBodyBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

const isDeeperThan = (levels: number, value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((each) => isDeeperThan(levels - 1, each)));

/** The object in the body. Undefined if there is none, or if it is nested too deeply to be printed in every format. */
const deliveryContent = (body: string): Record<string, unknown> | undefined => {
  try {
    const value = parseJson(body);
    return isObject(value) && !isDeeperThan(mostLevels, value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** Text of valid UTF-8, which is the same bytes again when it is sent. */
const exactText = (bytes: Buffer): string | undefined => {
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : undefined;
};

/** Checks a request. R51: nothing of it is parsed, printed or forwarded before its signature and age are checked. */
const readSignedDelivery = async (
  message: IncomingMessage,
  { key, signatureHeader, toleranceMs, now }: ReceiverOptions,
): Promise<Delivery | RefusalReason> => {
  if (message.method !== 'POST') return 'not a POST';
  const headers = plainHeaders(message.headers);
  const header = headers[signatureHeader] ?? '';
  if (typeof readSignature(header) === 'string') return 'malformed';
  const bytes = await readMessageBody(message);
  if (bytes === undefined) return 'too large';
  const { kind } = checkSignature({ header, body: bytes }, { key, toleranceMs, now: now() });
  if (kind !== 'ok') return kind;
  const body = exactText(bytes);
  const content = body === undefined ? undefined : deliveryContent(body);
  return content === undefined ? 'malformed' : { content, body: body!, headers };
};

const sendReply = (response: ServerResponse, { status, text }: ReceiverReply): void => {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    ...(status === 405 ? { allow: 'POST' } : {}),
  });
  response.end(`${text}\n`);
};

/**
 * Limits the connections. A new one takes the place of the one that has been without a valid delivery for the longest
 * time: slow senders can't keep others out. Returns a function that protects a connection while its delivery is handled.
 */
const limitConnections = (server: Server) => {
  const idle = new Set<Socket>();
  let busy = 0;
  server.on('connection', (socket) => {
    idle.add(socket);
    socket.once('close', () => idle.delete(socket));
    if (idle.size + busy <= mostConnections) return;
    const [oldest] = idle;
    idle.delete(oldest!);
    oldest!.destroy();
  });
  return async <Value>(socket: Socket, work: Promise<Value>): Promise<Value> => {
    idle.delete(socket);
    busy += 1;
    try {
      return await work;
    } finally {
      busy -= 1;
      if (!socket.destroyed) idle.add(socket);
    }
  };
};

/** Receives deliveries over HTTP. Rejects if the address can't be used, for example with `EADDRINUSE`. */
export const openReceiver = async (options: ReceiverOptions): Promise<Receiver> => {
  const { onDelivery, onRefusal, patienceMs: patience = patienceMs } = options;
  const server = createServer({
    requestTimeout: patience,
    connectionsCheckingInterval: patience / 5,
  });
  const protect = limitConnections(server);
  const answer = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const delivery = await readSignedDelivery(message, options);
    if (typeof delivery !== 'string') return sendReply(response, await protect(message.socket, onDelivery(delivery)));
    onRefusal(delivery);
    sendReply(response, refusals[delivery]);
    // Discards the rest of a body that is too large. Closing the connection instead could also discard the answer.
    message.resume();
  };
  server.on('request', (message, response) => {
    // Only fails if the sender is gone, or the answer can't be decided. Then the sender repeats the delivery.
    answer(message, response).catch(() => response.destroy());
  });
  // Requests that are not HTTP, and those that take too long.
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET') return void socket.destroy();
    const refusal: RefusalReason = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'too slow' : 'malformed';
    onRefusal(refusal);
    if (socket.writable) socket.write(`HTTP/1.1 ${refusals[refusal].status} Refused\r\nConnection: close\r\n\r\n`);
    socket.destroy();
  });
  server.listen({ host: options.host, port: options.port, exclusive: true });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const lost = new Promise<Error>((resolve) => {
    server.on('error', resolve);
    server.on('close', () => resolve(new Error('the socket was closed')));
  });
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${port}/`,
    port,
    lost,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
