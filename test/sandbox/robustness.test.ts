import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, onTestFinished, test } from 'vitest';
import { dice } from '../../src/sandbox/seed/random.ts';
import { serve } from '../../src/sandbox/server/http-server.ts';
import { runs, times } from '../support/tier.ts';
import { openWire, raw } from './wire.ts';
import { amara, openWorld } from './world.ts';

const slowClients = 100;

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');
const heapBytes = () => {
  collect();
  return process.memoryUsage().heapUsed;
};

const list = `/scheduled_events?user=${encodeURIComponent(amara)}&count=3`;

const paths = [
  list,
  '/users/me',
  '/invitees',
  '/event_types',
  '/scheduled_events/%00/invitees',
  '/../../etc/passwd',
  '//users/me',
  '/users/me?%',
  '/users/%E0%A4%A',
  '/oauth/token',
  '/oauth/authorize?client_id=%F0%9F%98%80',
  '/__sandbox/log',
  '/data_compliance/invitee_deletion',
  'http://elsewhere.example/users/me',
  '*',
  `/${'a'.repeat(5000)}`,
  `${list}&page_token=${'A'.repeat(300)}`,
];
const methods = [
  'GET',
  'GET',
  'GET',
  'GET',
  'POST',
  'POST',
  'PATCH',
  'DELETE',
  'PUT',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'get',
  'BREW',
];
const bodies = [
  '{}',
  '{',
  '[]',
  'null',
  '"text"',
  '{"emails":1}',
  '{"emails":["a@b.example",null]}',
  '{"__proto__":{"x":1},"constructor":1}',
  '\ud800',
  '\u0000',
  `${'['.repeat(50_000)}`,
  `{"a":${'9'.repeat(5000)}}`,
  'grant_type=refresh_token&grant_type=x&refresh_token=%',
  'x'.repeat(100_000),
];
const types = [
  'application/json',
  'application/json; charset=utf-16',
  'application/x-www-form-urlencoded',
  'text/plain',
  '',
];

/** Makes a random request; half of them also get some random bytes changed. */
const makeFuzz = (seed: number, port: number) => {
  const roll = dice(seed);
  const one = <Value>(values: readonly Value[]): Value => values[roll(values.length)]!;
  return (): Buffer => {
    const body = roll(2) ? one(bodies) : '';
    const length = roll(10) ? Buffer.byteLength(body) : roll(1000) - 5;
    const lines = [
      `${one(methods)} ${one(paths)} HTTP/${one(['1.1', '1.1', '1.1', '1.0', '9.9'])}`,
      `host: ${roll(10) ? `127.0.0.1:${port}` : 'elsewhere.example'}`,
      `authorization: ${one(['Bearer sandbox_owner', 'Bearer sandbox_owner', 'Bearer', 'Basic x', `Bearer ${'x'.repeat(3000)}`])}`,
      'connection: close',
      `content-type: ${one(types)}`,
      ...(body === '' ? [] : [roll(8) ? `content-length: ${length}` : 'transfer-encoding: chunked']),
    ];
    const bytes = Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
    if (roll(2)) for (let times = roll(6); times >= 0; times--) bytes[roll(bytes.length)] = roll(256);
    return bytes;
  };
};

const inTurns = async (count: number, width: number, work: () => Promise<void>) => {
  let left = count;
  const worker = async () => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: width }, worker));
};

describe('robustness', () => {
  test('survives fuzzed requests with flat memory', async () => {
    const { port, get, clock } = await openWire();
    const { numRuns: fuzzed, seed } = runs(40, 10_000);
    const make = makeFuzz(seed, port);
    const statuses: Record<string, number> = {};
    const sensible: number[] = [];
    const ask = async () => {
      // Avoids the rate limit, which isn't tested here.
      clock.time += 2000;
      // A valid request beside each must keep working. A request without a reply by then is incomplete.
      const valid = get('/users/me');
      const { status } = await raw(port, make(), { patience: valid });
      sensible.push((await valid).status);
      statuses[status] = (statuses[status] ?? 0) + 1;
    };
    await inTurns(fuzzed / 4, 60, ask);
    const before = heapBytes();
    await inTurns(fuzzed, 60, ask);
    const grown = (heapBytes() - before) / 1024 / 1024;
    expect(Object.keys(statuses).filter((status) => Number(status) >= 500)).toEqual([]);
    expect(sensible).toEqual(sensible.map(() => 200));
    expect(grown).toBeLessThan(times(8, 16));
    expect(sensible.length).toBeGreaterThanOrEqual(fuzzed);
  });

  test('rejects oversized requests and keeps working', async () => {
    const { port, ask, get } = await openWire();
    const huge = await ask('GET', '/users/me', undefined, { 'x-huge': 'x'.repeat(100_000) });
    expect(huge.status).toBe(431);
    const announced = await ask('POST', '/invitees', '', { 'content-length': String(2 ** 31) });
    expect(announced.status).toBe(413);
    const head = `POST /invitees HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ntransfer-encoding: chunked\r\n\r\n`;
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    // The reply comes before the end of the body, so the rest may hit a closed connection.
    const streamed = await raw(port, head + chunk.repeat(20));
    expect([413, 0]).toContain(streamed.status);
    expect((await ask('POST', '/invitees', '{"a":')).status).toBe(400);
    expect((await get('/users/me')).status).toBe(200);
  });

  /** Clients that send half a request, and then nothing. */
  const connectSlowClients = (port: number): Socket[] =>
    Array.from({ length: slowClients }, () => {
      const socket = connect(port, '127.0.0.1', () => socket.write('GET /users/me HTTP/1.1\r\nhost: 127'));
      return socket.on('error', () => {}).on('data', () => {});
    });

  test(`answers others while ${slowClients} slow clients are connected`, async () => {
    const { send } = await openWorld();
    const { port, close } = await serve(send, { port: 0 });
    onTestFinished(close);
    const sockets = connectSlowClients(port);
    const head = `GET ${list} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer sandbox_owner\r\nconnection: close`;
    const seen = await raw(port, `${head}\r\n\r\n`);
    const stillThere = sockets.filter(({ destroyed }) => !destroyed).length;
    expect([seen.status, stillThere]).toEqual([200, slowClients]);
  });

  test(`disconnects ${slowClients} slow clients`, async () => {
    const { send } = await openWorld();
    const { port, close } = await serve(send, { port: 0, patienceMs: 5 });
    onTestFinished(close);
    // Not `once` of node:events, which rejects if the connection is reset.
    const ends = connectSlowClients(port).map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    expect(await Promise.all(ends)).toHaveLength(slowClients);
  });
});
