import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Delivery,
  openReceiver,
  type Receiver,
  type ReceiverOptions,
} from '../../../src/commands/webhooks/work-receiver.ts';
import { gate } from '../../support/gate.ts';
import { machineDay } from '../../support/run.ts';
import { times } from '../../support/tier.ts';
import { deliver, post, sample, signed, signingKey } from '../../support/webhooks.ts';

let receiver: Receiver;
let deliveries: Delivery[];
let refusals: string[];

const open = (more: Partial<ReceiverOptions> = {}) =>
  openReceiver({
    host: '127.0.0.1',
    port: 0,
    key: signingKey,
    signatureHeader: 'webhook-signature',
    toleranceMs: 180_000,
    now: () => machineDay,
    onDelivery: async (delivery) => {
      deliveries.push(delivery);
      return { status: 200, text: 'ok' };
    },
    onRefusal: (refusal) => refusals.push(refusal),
    ...more,
  });

beforeEach(async () => {
  deliveries = [];
  refusals = [];
  receiver = await open();
});
afterEach(() => receiver.close());

const body = JSON.stringify(sample());
const json = { 'content-type': 'application/json' };

/** Sends these bytes and returns everything that comes back until the connection ends. */
const raw = (text: string | Buffer, port = receiver.port): Promise<string> =>
  new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(answer));
  });

describe('receiver', () => {
  test('passes a signed delivery on, with the exact bytes and headers', async () => {
    const text = `${JSON.stringify(sample(), null, 1)}\n`;
    const headers = { ...json, 'webhook-signature': signed(text), 'x-request-id': 'r1' };
    expect(await post(receiver.url, text, headers)).toEqual({ status: 200, text: 'ok\n' });
    expect(deliveries).toMatchObject([{ content: sample(), body: text, headers }]);
    expect(refusals).toEqual([]);
  });

  test('accepts every path, because a tunnel may have its own', async () => {
    expect((await deliver(`${receiver.url}hooks/a?b=c`)).status).toBe(200);
  });

  test('answers what the delivery led to', async () => {
    const other = await open({ onDelivery: async () => ({ status: 502, text: 'no' }) });
    expect(await deliver(other.url)).toEqual({ status: 502, text: 'no\n' });
    await other.close();
  });

  test('closes the connection if the delivery leads to an error', async () => {
    const other = await open({ onDelivery: () => Promise.reject(new Error('stopped')) });
    await expect(deliver(other.url)).rejects.toThrow(/hang up|reset/);
    await other.close();
  });

  test.each([
    ['forged', 401, { 'webhook-signature': signed('{}') }],
    ['forged', 401, { 'webhook-signature': signed(body, machineDay, 'another key') }],
    ['too old', 401, { 'webhook-signature': signed(body, machineDay - 181_000) }],
    ['too old', 401, { 'webhook-signature': signed(body, machineDay + 181_000) }],
    ['malformed', 400, {}],
    ['malformed', 400, { 'webhook-signature': 'nonsense' }],
  ])('refuses a delivery that is %s with %i', async (refusal, status, headers) => {
    expect((await post(receiver.url, body, { ...json, ...headers })).status).toBe(status);
    expect([refusals, deliveries]).toEqual([[refusal], []]);
  });

  test('reads the signature in the header that it is given, and in no other', async () => {
    const other = await open({ signatureHeader: 'x-hook-signature' });
    expect((await post(other.url, body, { 'X-Hook-Signature': signed(body) })).status).toBe(200);
    expect((await deliver(other.url)).status).toBe(400);
    await other.close();
  });

  test('accepts another tolerance', async () => {
    const other = await open({ toleranceMs: 600_000 });
    expect((await deliver(other.url, sample(), machineDay - 500_000)).status).toBe(200);
    await other.close();
  });

  test.each([
    ['an array', '[]'],
    ['a text', '"a"'],
    ['nothing', ''],
    ['half an object', '{"event":'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['101 levels', `{"a":${'['.repeat(101)}${']'.repeat(101)}}`],
    ['half a million levels', `{"a":${'['.repeat(500_000)}${']'.repeat(500_000)}}`],
  ])('refuses a signed body with %s', async (_, bytes) => {
    expect((await post(receiver.url, bytes, { 'webhook-signature': signed(bytes) })).status).toBe(400);
    expect([refusals, deliveries]).toEqual([['malformed'], []]);
  });

  test.each(['GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])('refuses %s', async (method) => {
    const headers = { 'webhook-signature': signed(body) };
    expect((await post(receiver.url, '', headers, method)).status).toBe(405);
    expect([refusals, deliveries]).toEqual([['not a POST'], []]);
  });

  test('accepts a body of 1 MiB, and no byte more, with or without a declared length', async () => {
    const sized = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`;
    const statusOf = async (bytes: number, more: Record<string, string>) => {
      const text = sized(bytes);
      return (await post(receiver.url, text, { 'webhook-signature': signed(text), ...more })).status;
    };
    const mebibyte = 1024 * 1024;
    const chunked = { 'transfer-encoding': 'chunked' };
    for (const more of [{ 'content-length': String(mebibyte) }, chunked])
      expect(await statusOf(mebibyte, more)).toBe(200);
    for (const more of [{ 'content-length': String(mebibyte + 1) }, chunked])
      expect(await statusOf(mebibyte + 1, more)).toBe(413);
    expect([refusals, deliveries.length]).toEqual([['too large', 'too large'], 2]);
  });

  test('answers a declared length over 1 MiB before the body arrives', async () => {
    const socket = connect(receiver.port, '127.0.0.1');
    const first = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
    socket.write(
      `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9000000\r\nWebhook-Signature: ${signed(body)}\r\n\r\n{`,
    );
    expect(await first).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  test('answers a malformed signature before the body arrives', async () => {
    const socket = connect(receiver.port, '127.0.0.1');
    const first = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 90\r\nWebhook-Signature: t=1\r\n\r\n{');
    expect(await first).toMatch(/^HTTP\/1\.1 400 /);
    socket.destroy();
  });

  test.each([
    ['headers', 'POST / HTTP/1.1\r\nHost: a\r\n'],
    ['a body', `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\nWebhook-Signature: ${signed(body)}\r\n\r\n{`],
  ])('ends a request whose sender never finishes %s', async (_, text) => {
    const hasty = await open({ patienceMs: 5 });
    expect(await raw(text, hasty.port)).toMatch(/^HTTP\/1\.1 408 /);
    expect([refusals, deliveries]).toEqual([['too slow'], []]);
    await hasty.close();
  });

  test.each([
    ['no HTTP', '\x16\x03\x01\x02\x00\x01\x00'],
    ['headers that are too large', `POST / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}'],
    ['a length and chunks', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n{}'],
  ])('refuses %s', async (_, text) => {
    expect(await raw(text)).toMatch(/^HTTP\/1\.1 400 /);
    expect([refusals, deliveries]).toEqual([['malformed'], []]);
  });

  test('refuses two signature headers', async () => {
    const line = `Webhook-Signature: ${signed(body)}\r\n`;
    const answer = await raw(
      `POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${line}${line}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(deliveries).toEqual([]);
  });

  test('passes no request on that is smuggled behind another', async () => {
    const forged = `POST / HTTP/1.1\r\nHost: a\r\nWebhook-Signature: ${signed('{}')}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
    await raw(`${forged}${forged}GARBAGE\r\n\r\n`);
    expect(deliveries).toEqual([]);
  });

  test('still receives after hundreds of broken connections', async () => {
    const turns = times(2, 10);
    for (let turn = 0; turn < turns; turn += 1)
      await Promise.all(Array.from({ length: 100 }, (_, n) => raw(n % 2 ? 'GARBAGE\r\n\r\n' : '\0\0\0\r\n\r\n')));
    expect(refusals).toHaveLength(turns * 100);
    expect((await deliver(receiver.url)).status).toBe(200);
  });

  const slow = () =>
    new Promise<Socket>((resolve, reject) => {
      const socket = connect(receiver.port, '127.0.0.1', () => resolve(socket)).once('error', reject);
      socket.write('POST / HTTP/1.1\r\n');
    });

  test('receives at once while hundreds of senders are slow', async () => {
    const sockets: Socket[] = [];
    for (let n = 0; n < 200; n += 1) sockets.push(await slow());
    expect((await deliver(receiver.url)).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  test('holds at most 128 connections at once, and closes the oldest one without a valid delivery', async () => {
    const sockets: Socket[] = [];
    for (let n = 0; n < 128; n += 1) sockets.push(await slow());
    const closed = new Promise((resolve) => sockets[0]!.resume().once('close', resolve));
    const last = await slow();
    await closed;
    expect(sockets.filter(({ readyState }) => readyState === 'open')).toHaveLength(127);
    expect(last.readyState).toBe('open');
    for (const socket of [...sockets, last]) socket.destroy();
  });

  test('closes no connection whose delivery is being handled', async () => {
    const held = gate();
    let handled = 0;
    const all = gate();
    const other = await open({
      onDelivery: async () => {
        handled += 1;
        if (handled === 128) all.release();
        await held.promise;
        return { status: 200, text: 'ok' };
      },
    });
    const sent = Array.from({ length: 128 }, () => deliver(other.url));
    await all.promise;
    await expect(deliver(other.url)).rejects.toThrow(/hang up|reset/);
    held.release();
    expect(new Set((await Promise.all(sent)).map(({ status }) => status))).toEqual(new Set([200]));
    await other.close();
  });

  test('binds to the address it is given, and to no other', async () => {
    const socket = connect(receiver.port, '127.0.0.2');
    await expect(
      new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject)),
    ).rejects.toThrow();
    socket.destroy();
    const six = await open({ host: '::1' });
    expect(six.url).toBe(`http://[::1]:${six.port}/`);
    expect((await deliver(six.url)).status).toBe(200);
    await six.close();
  });

  test('rejects if the port is in use', async () => {
    await expect(open({ port: receiver.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
