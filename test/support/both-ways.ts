import { request as ask } from 'node:http';
import { expect } from 'vitest';
import type { HttpReply, HttpRequest, Send } from '../../src/http/message.ts';
import { fetchFrom } from '../../src/sandbox/server/fetch.ts';
import { serve } from '../../src/sandbox/server/http-server.ts';
import { closeLater } from './temporary.ts';

interface Turn {
  request: HttpRequest;
  reply: HttpReply;
}

interface Seen {
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
}

const turnHeader = 'x-turn';

/** Headers that belong to a connection, and those that only one way to send a request adds. */
const own = ['connection', 'keep-alive', 'content-length', 'transfer-encoding', turnHeader];

const without = (headers: Record<string, string>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));

/** Sends a request over a socket. */
const overSocket = (port: number, { method, url, headers, body }: HttpRequest): Promise<Seen> =>
  new Promise((resolve, reject) => {
    const { pathname, search, host } = new URL(url);
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const options = { port, method, path: pathname + search, headers: { ...headers, host, ...length } };
    const sent = ask(options, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
      resolve({ status: response.statusCode!, headers: Object.fromEntries(headers), bytes: Buffer.concat(chunks) });
    });
    sent.on('error', reject).end(body);
  });

/**
 * A service that gets each request both ways: over a socket and through `fetch`. The first one is carried out. The second
 * must arrive as the same request, and its reply must be the same bytes.
 */
export const bothWays = (service: Send, host: string): Send => {
  const turns = new Map<string, Turn>();
  let count = 0;
  const once: Send = async ({ headers, ...more }) => {
    const turn = headers[turnHeader]!;
    const request = { ...more, headers: without(headers, own) };
    const first = turns.get(turn);
    if (first !== undefined) {
      expect(request).toEqual(first.request);
      return first.reply;
    }
    const reply = await service({ ...more, headers: without(headers, [...own, 'host']) });
    turns.set(turn, { request, reply });
    return reply;
  };
  const fetch = fetchFrom(once, { sleep: async () => {} });
  const served = serve(once, { port: 0, hosts: [host] });
  closeLater(() => void served.then(({ close }) => close()));
  return async (request) => {
    if (new URL(request.url).host !== host) return service(request);
    const turn = `${++count}`;
    const { method, url, body, headers } = { ...request, headers: { ...request.headers, [turnHeader]: turn } };
    const first = await overSocket((await served).port, { ...request, headers });
    const response = await fetch(new Request(url, { method, headers, ...(body ? { body } : {}) }));
    turns.delete(turn);
    const bytes = Buffer.from(await response.arrayBuffer());
    const second = Object.fromEntries(response.headers);
    // The server of Node adds a date.
    const added = second.date === undefined ? ['date'] : [];
    expect([response.status, second]).toEqual([
      first.status,
      without(first.headers, ['connection', 'keep-alive', ...added]),
    ]);
    expect(bytes.equals(first.bytes)).toBe(true);
    return { status: first.status, headers: without(second, ['content-length']), body: bytes.toString() };
  };
};
