import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { raw, type Seen } from '../sandbox/wire.ts';
import { serveMcp } from '../support/mcp-http.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');
const heap = (): number => {
  collect();
  return process.memoryUsage().heapUsed;
};

const message = (method: string, params: object = {}, id = 1) => ({ jsonrpc: '2.0', id, method, params });
const call = message('tools/call', { name: 'events_list', arguments: {} });
const hello = message('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'hostile', version: '1' },
});
const answer = { jsonrpc: '2.0', id: 0, result: { action: 'accept', content: { confirm: true } } };
const newest = (version: string) => ({
  ...call,
  params: { ...call.params, _meta: { 'io.modelcontextprotocol/protocolVersion': version } },
});

type Headers = Record<string, string | undefined>;

// R60
test('500 hostile requests run no tool, learn nothing and leave nothing behind', async () => {
  const { url, admin, stop } = await serveMcp(['--no-limits']);
  const { port, host } = new URL(url);

  /** A request over a plain socket. `gone` means that the client goes away without reading. */
  const send = (method: string, headers: Headers, body?: string, gone?: Promise<unknown>): Promise<Seen> => {
    const all: Headers = {
      host,
      connection: 'close',
      authorization: 'Bearer sandbox_user',
      accept: 'application/json, text/event-stream',
      ...(body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(body)}` }),
      ...headers,
    };
    const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
    const text = `${method} /mcp HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
    return raw(Number(port), text, gone === undefined ? {} : { patience: gone });
  };
  const post = (content: unknown, headers: Headers = {}) =>
    send('POST', headers, typeof content === 'string' ? content : JSON.stringify(content));
  const start = async (token: string) =>
    (await post(hello, { authorization: `Bearer ${token}` })).headers['mcp-session-id']!;

  const victim = await start('sandbox_owner');
  const others = { 'mcp-session-id': victim };
  const owner = { authorization: 'Bearer sandbox_owner' };
  const soon = () => new Promise(setImmediate);

  const refused: Record<string, () => Promise<Seen>> = {
    'a foreign origin': () => post(call, { ...owner, ...others, origin: 'https://evil.example' }),
    'an opaque origin': () => post(call, { ...owner, ...others, origin: 'null' }),
    'a foreign host': () => post(call, { ...owner, ...others, host: 'evil.example' }),
    'a host with another port': () => post(call, { ...owner, ...others, host: '127.0.0.1:1' }),
    'no token': () => post(call, { ...others, authorization: undefined }),
    'an unknown token': () => post(call, { ...others, authorization: 'Bearer guessed' }),
    'a token for the API': () => post(call, { ...others, authorization: 'Bearer sandbox_legacy' }),
    'a call in the session of another': () => post(call, others),
    'an answer in the session of another': () => post(answer, others),
    'the stream of another': () => send('GET', others),
    'what the stream of another missed': () => send('GET', { ...others, 'last-event-id': '1' }),
    'the end of the session of another': () => send('DELETE', others),
    'a guessed session': () => post(call, { 'mcp-session-id': 'x'.repeat(32) }),
    'a call without a session': () => post(call),
    'a batch of calls without a session': () => post(Array.from({ length: 100 }, () => call)),
    'a batch that is too long': () => post(Array.from({ length: 1000 }, () => call)),
    'a batch that begins a session': () => post([hello, call]),
    'a body of 2 MiB': () => post(`"${'x'.repeat(2 * 1024 * 1024)}"`),
    'half a message': () => post('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{'),
    'a very deep message': () => post(`${'['.repeat(50_000)}${']'.repeat(50_000)}`),
    'a message of another type': () => post(call, { 'content-type': 'text/plain' }),
    'a message with a poisoned prototype': () => post('{"__proto__":{"jsonrpc":"2.0"},"id":1,"method":"tools/call"}'),
    'an unknown revision': () => post(newest('2099-01-01'), { 'mcp-protocol-version': '2099-01-01' }),
    'another method': () => send('PUT', {}, '{}'),
  };
  const left: Record<string, () => Promise<Seen>> = {
    'a session that is never used': () => post(hello),
    'a stream that nobody reads': async () =>
      send('GET', { 'mcp-session-id': await start('sandbox_user') }, undefined, soon()),
    'half a request': () => send('POST', { 'content-length': '1000' }, '{', soon()),
  };

  const learned: string[] = [];
  let requests = 0;
  const attack = async (rounds: number) => {
    for (let round = 0; round < rounds; round += 1) {
      for (const [what, strike] of Object.entries(refused)) {
        const { status, head, body } = await strike();
        requests += 1;
        expect([what, status >= 400 || status === 0]).toEqual([what, true]);
        const text = `${head}\n${body}`;
        if (text.includes(victim) || /northlight|sandbox_(?!owner)/i.test(text)) learned.push(what);
      }
      await Promise.all(Object.values(left).map((strike) => strike()));
      requests += Object.keys(left).length;
    }
  };
  /** No tool made a request. The messages themselves must not be in the memory that is measured. */
  const clearLog = async () => {
    const { log } = (await admin('GET', 'log')) as { log: { operation: string | null }[] };
    expect(log.filter(({ operation }) => operation !== 'mcp.message')).toEqual([]);
    await admin('DELETE', 'log');
  };
  await attack(4);
  await clearLog();
  const before = heap();
  await attack(15);
  await clearLog();
  const grown = heap() - before;
  process.stdout.write(`${JSON.stringify({ requests, grown })}\n`);

  expect(requests).toBeGreaterThan(500);
  expect(learned).toEqual([]);
  expect(grown).toBeLessThan(4 * 1024 * 1024);
  const list = await post(message('tools/list'), { ...owner, ...others });
  expect([list.status, list.body.includes('events_list')]).toEqual([200, true]);
  await stop();
}, 120_000);
