import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { keyFile, startHandler } from '../support/listening.ts';
import { times } from '../support/tier.ts';
import { deliver, sample, signed } from '../support/webhooks.ts';
import { startListener } from './listener.ts';

/** So many that each kind comes often. */
const total = times(150, 10_000);
const mebibyte = 1024 * 1024;

interface Hostile {
  method?: string;
  headers?: Record<string, string>;
  body?: Buffer;
}

/** Requests that are HTTP, and must be refused. `n` makes each a little different. */
const requests: ((n: number, body: Buffer, now: number) => Hostile & { status: number })[] = [
  (_, body) => ({ status: 400, body }),
  (_, body, now) => ({ status: 401, body, headers: { 'webhook-signature': signed(body, now, 'another key') } }),
  (_, body, now) => ({
    status: 401,
    body: Buffer.concat([body, Buffer.from(' ')]),
    headers: { 'webhook-signature': signed(body, now) },
  }),
  (n, body, now) => ({ status: 401, body, headers: { 'webhook-signature': signed(body, now - 200_000 - n * 1000) } }),
  (n, body, now) => ({ status: 401, body, headers: { 'webhook-signature': signed(body, now + 200_000 + n * 1000) } }),
  (n, body) => ({
    status: 400,
    body,
    headers: { 'webhook-signature': `t=${'9'.repeat(n % 300)},v1=${'f'.repeat(n % 500)}` },
  }),
  (n, body) => ({
    status: 400,
    body,
    headers: {
      'webhook-signature': Array(n % 200)
        .fill('v1=00')
        .join(','),
    },
  }),
  (n, _, now) => {
    const body = Buffer.from([0xff, 0xfe, n & 255, 0xc0, 0x80, 0xed, 0xa0, 0x80]);
    return { status: 400, body, headers: { 'webhook-signature': signed(body, now) } };
  },
  (n, _, now) => {
    const body = Buffer.from(`${'['.repeat(n)}`);
    return { status: 400, body, headers: { 'webhook-signature': signed(body, now), 'content-encoding': 'gzip' } };
  },
  (_, body, now) => ({
    status: 405,
    method: 'PUT',
    body,
    headers: { 'webhook-signature': signed(body, now), 'content-length': String(body.length) },
  }),
];

/** Bytes that are hardly HTTP. */
const garbage: ((n: number, signature: string, body: Buffer) => string | Buffer)[] = [
  () => Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc]),
  (n) => Buffer.from(Array.from({ length: 200 }, (_, i) => (i * n) & 255)),
  (n) => `POST / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(17_000 + n)}\r\n\r\n`,
  () => 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n{}',
  () => 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nZZZ\r\n',
  (_, signature, body) =>
    `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -${body.length}\r\nWebhook-Signature: ${signature}\r\n\r\n${body}`,
  // Garbage behind a refused request on the same connection.
  () => 'GET / HTTP/1.1\r\nHost: a\r\n\r\nPOST\0/ HTTP/9.9\r\n\r\n'.repeat(3),
];

const send = (url: string, agent: Agent, { method = 'POST', headers = {}, body }: Hostile): Promise<number> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent }, (reply) => {
      reply.resume().on('end', () => resolve(reply.statusCode!));
    });
    sent.on('error', reject);
    sent.end(body);
  });

const sendRaw = (port: number, bytes: string | Buffer): Promise<void> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes));
    socket.on('error', () => {});
    socket.on('close', () => resolve());
    socket.resume();
  });

/** Connections that send a byte of a body and then nothing. */
const stall = (port: number, signature: string): Promise<Socket> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\nWebhook-Signature: ${signature}\r\n\r\n{`);
      resolve(socket);
    });
    socket.on('error', () => {});
  });

const inParallel = async (count: number, work: (n: number) => Promise<void>): Promise<void> => {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: 24 }, worker));
};

test('webhooks listen survives thousands of hostile deliveries, and forwards none of them', async () => {
  const handler = await startHandler(204);
  const listener = await startListener(['--signing-key-file', keyFile(), '--forward-to', handler.url, '-o', 'jsonl']);
  const port = Number(new URL(listener.url).port);
  const now = Date.now();
  const slow = await Promise.all(Array.from({ length: 40 }, () => stall(port, signed('{', now))));
  const agent = new Agent({ keepAlive: true, maxSockets: 24 });
  const wrong: string[] = [];
  await inParallel(total - slow.length, async (n) => {
    const body = Buffer.from(JSON.stringify(sample({ n })));
    const turn = Math.floor(n / 5);
    if (n % 5 === 4) return sendRaw(port, garbage[turn % garbage.length]!(n, signed(body, now), body));
    if (n % 500 === 0) {
      const large = Buffer.alloc(mebibyte + 1 + n, '{');
      const headers: Record<string, string> = { 'webhook-signature': signed(large, now) };
      if (n % 1000 === 0) headers['content-length'] = String(large.length);
      else headers['transfer-encoding'] = 'chunked';
      const status = await send(listener.url, agent, { body: large, headers });
      if (status !== 413) wrong.push(`large: ${status}`);
      return;
    }
    const kind = turn % requests.length;
    const { status, ...hostile } = requests[kind]!(n, body, now);
    const got = await send(listener.url, agent, hostile);
    if (got !== status) wrong.push(`kind ${kind}: ${got} instead of ${status}`);
  });
  agent.destroy();
  expect(wrong).toEqual([]);
  expect([listener.isRunning(), listener.stdout(), handler.requests]).toEqual([true, '', []]);

  // It still receives, while the slow ones keep their connections.
  expect((await deliver(listener.url, sample(), Date.now())).status).toBe(200);
  expect(handler.requests).toHaveLength(1);
  for (const socket of slow) socket.destroy();
  expect(await listener.stop()).toBe(0);
  expect(listener.stdout().trim().split('\n')).toHaveLength(1);
  const [, received, refused] = /Stopped: (\d+) delivery received, ([\d,]+) refused/.exec(listener.stderr())!;
  expect(received).toBe('1');
  expect(Number(refused!.replace(',', ''))).toBeGreaterThanOrEqual(total - slow.length);
  // However many are refused, the notes stay few.
  expect(listener.stderr().match(/Refused/g)!.length).toBeLessThan(30);
}, 60_000);
