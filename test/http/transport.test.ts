import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Server, type Socket } from 'node:net';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { SchedError } from '../../src/base/errors.ts';
import { paginate } from '../../src/client/paginate.ts';
import type { NetworkFailure } from '../../src/http/failure.ts';
import type { HttpRequest } from '../../src/http/message.ts';
import { createTransport, maxBodyBytes } from '../../src/http/transport.ts';
import { afterSend } from '../../src/node/send.ts';
import { heldClock } from '../support/held-clock.ts';
import { sample } from '../support/tier.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const listen = async (server: Server): Promise<number> => {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  closing.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

const web = async (answer: RequestListener) => `http://127.0.0.1:${await listen(createServer(answer))}`;

/** A TCP server. `answer` gets the connection and the first data of the request. */
const raw = async (answer: (socket: Socket, request: string) => void) =>
  `http://127.0.0.1:${await listen(
    createSocketServer((socket) => {
      socket.once('data', (data) => answer(socket, data.toString()));
    }),
  )}`;

/** Calls the listener for each message of undici on this channel, until the test is over. */
const onChannel = (name: string, listener: () => void) => {
  subscribe(name, listener);
  closing.push(() => unsubscribe(name, listener));
};

/** Without a clock of the test, no deadline ends. */
const transport = (env: Record<string, string> = {}, interrupted = new AbortController().signal, clock = heldClock()) =>
  createTransport({ env, clock, interrupted });

const deadline = 30_000;

const get = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'GET',
  url,
  headers: {},
  timeoutMs: deadline,
  ...more,
});
const post = (url: string, more: Partial<HttpRequest> = {}) => get(url, { method: 'POST', body: '{}', ...more });

const failure = (promise: Promise<unknown>): Promise<NetworkFailure> =>
  promise.then(
    () => expect.fail('it should have failed'),
    (error) => {
      expect(error.name).toBe('NetworkFailure');
      return error;
    },
  );

/** Nothing listens on the port of tcpmux. */
const deadPort = 1;

describe('transport', () => {
  test('sends method, path, query, headers and body unchanged, and reads the reply to its end', async () => {
    const seen: unknown[] = [];
    const url = await web(async (message, response) => {
      let body = '';
      for await (const chunk of message) body += chunk;
      seen.push(message.method, message.url, message.headers['user-agent'], body);
      response.writeHead(201, { 'X-Request-Id': 'r-1', 'set-cookie': ['a=1', 'b=2'] });
      response.write('{"name":');
      response.end('"Åsa ✓"}');
    });
    const request = post(`${url}/a%20b?c=d%2Fe`, { headers: { 'user-agent': 'sched/1' }, body: '{"x":"ü"}' });
    const reply = await transport()(request);
    expect(seen).toEqual(['POST', '/a%20b?c=d%2Fe', 'sched/1', '{"x":"ü"}']);
    expect(reply).toMatchObject({
      status: 201,
      headers: { 'x-request-id': 'r-1', 'set-cookie': 'a=1, b=2' },
      body: '{"name":"Åsa ✓"}',
    });
  });

  test.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['GZIP', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
  ])('decodes %s', async (encoding, compress) => {
    const url = await web((_, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(compress('{"name":"ü"}')),
    );
    expect((await transport()(get(url))).body).toBe('{"name":"ü"}');
  });

  const quickGzip = (body: Buffer) => gzipSync(body, { level: 1 });

  // R39
  const quickBrotli = (body: Buffer) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
  const ways: [encoding: string, compress: (body: Buffer) => Buffer][] = [
    ['gzip', quickGzip],
    ['br', quickBrotli],
  ];
  test.each(sample(ways, 1))(
    'stops at 32 MiB of text decoded from %s, even if the compressed reply is small',
    async (encoding, compress) => {
      const bomb = compress(Buffer.alloc(maxBodyBytes + 1, ' '));
      expect(bomb.length).toBeLessThan(150_000);
      const url = await web((_, response) => response.writeHead(200, { 'content-encoding': encoding }).end(bomb));
      const { message, sent } = await failure(transport()(get(url)));
      expect({ message, sent }).toEqual({ message: 'the reply is larger than 32 MiB', sent: true });
    },
  );

  test('stops at 32 MiB of plain text too', async () => {
    const url = await web((_, response) => response.writeHead(200).end(Buffer.alloc(maxBodyBytes + 1, ' ')));
    expect((await failure(transport()(get(url)))).message).toBe('the reply is larger than 32 MiB');
  });

  test('accepts exactly 32 MiB', async () => {
    const full = quickGzip(Buffer.alloc(maxBodyBytes, ' '));
    const url = await web((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(full));
    expect((await transport()(get(url))).body).toHaveLength(maxBodyBytes);
  });

  test.each<[string, (socket: Socket) => void]>([
    ['is cut short', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"resource":')],
    [
      'is cut short between chunks',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\n{"a\r\n'),
    ],
    [
      'is cut short inside gzip',
      (socket) => {
        const body = gzipSync('{"resource":{"uri":"x"}}').subarray(0, 20);
        socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`);
        socket.end(body);
      },
    ],
    [
      'claims to be gzip and is not',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 5\r\n\r\nhello'),
    ],
    ['is not HTTP', (socket) => socket.end('220 mail.example ESMTP\r\n')],
    ['never comes, because the connection is closed', (socket) => socket.end()],
    ['never comes, because the connection is reset', (socket) => socket.resetAndDestroy()],
    ['has 100 kB of headers', (socket) => socket.end(`HTTP/1.1 200 OK\r\nx-long: ${'a'.repeat(100_000)}\r\n\r\n`)],
  ])('fails, and reports the request as sent, if the reply %s', async (_, answer) => {
    const url = await raw(answer);
    for (const request of [get(url), post(url)]) {
      const { sent, host, message } = await failure(transport()(request));
      expect({ sent, host }).toEqual({ sent: true, host: new URL(url).host });
      expect(message).toMatch(/^[^\n]{5,200}$/);
    }
  });

  test('reports the status of a reply that was cut off', async () => {
    const cut = await raw((socket) => socket.end('HTTP/1.1 201 Created\r\ncontent-length: 100\r\n\r\n{"resource":'));
    expect((await failure(transport()(post(cut)))).status).toBe(201);
    const silent = await raw((socket) => socket.end());
    expect((await failure(transport()(post(silent)))).status).toBeUndefined();
  });

  // R38
  test.each<[string, string | undefined, RequestListener]>([
    ['stalls before the headers', undefined, () => {}],
    ['stalls after the headers', 'headers', (_, response) => response.writeHead(200).flushHeaders()],
    ['drips', 'bodyChunkReceived', (_, response) => response.write(' ')],
    [
      'drips inside gzip',
      'bodyChunkReceived',
      (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).write(gzipSync(' ').subarray(0, 5)),
    ],
  ])('has one deadline for headers and body if the reply %s', async (_, received, answer) => {
    const clock = heldClock();
    const end = () => {
      expect(clock.sleeping()).toEqual([deadline]);
      clock.end(deadline);
    };
    const url = await web((message, response) => {
      if (received !== undefined) onChannel(`undici:request:${received}`, end);
      answer(message, response);
      if (received === undefined) end();
    });
    const { message, sent } = await failure(transport({}, undefined, clock)(post(url)));
    expect({ message, sent }).toEqual({ message: 'no complete reply within 30 s', sent: true });
  });

  test('leaves no timer running after the reply', async () => {
    const clock = heldClock();
    const lengths: number[][] = [];
    const url = await web((_, response) => {
      lengths.push(clock.sleeping());
      response.end('{}');
    });
    await transport({}, undefined, clock)(get(url));
    expect([...lengths, clock.sleeping()]).toEqual([[deadline], []]);
  });

  test('rejects with the reason of an interruption', async () => {
    const stop = new AbortController();
    const reason = new Error('Interrupted');
    const url = await web(() => stop.abort(reason));
    await expect(transport({}, stop.signal)(get(url))).rejects.toBe(reason);
  });

  test('opens no new connection after an interruption, so that the program can end', async () => {
    const stop = new AbortController();
    let connections = 0;
    const count = () => {
      connections += 1;
    };
    subscribe('undici:client:beforeConnect', count);
    closing.push(() => unsubscribe('undici:client:beforeConnect', count));
    await new Promise((resolve) => {
      const answer: RequestListener = (message) => {
        message.socket.once('close', resolve);
        stop.abort(new Error('Interrupted'));
      };
      void web(answer).then((url) => transport({}, stop.signal)(get(url)).catch(() => {}));
    });
    await afterSend();
    expect(connections).toBe(1);
  });

  test('aborts a request that is no longer needed, before sending and during the reply', async () => {
    const unwanted = new AbortController();
    let asked = 0;
    const url = await web((_, response) => {
      asked += 1;
      response.write('{');
      unwanted.abort(new Error('Unwanted'));
    });
    const send = transport();
    expect((await failure(send(get(url, { signal: unwanted.signal })))).message).toBe('Unwanted');
    await expect(send(get(url, { signal: unwanted.signal }))).rejects.toThrow('Unwanted');
    expect(asked).toBe(1);
  });

  // R10
  test.each([301, 302, 303, 307, 308])('does not follow a redirect with status %i', async (status) => {
    const asked: (string | undefined)[] = [];
    const url = await web((message, response) => {
      asked.push(message.url);
      response.writeHead(status, { location: '/elsewhere' }).end();
    });
    expect((await transport()(get(`${url}/here`))).status).toBe(status);
    expect((await transport()(post(`${url}/here`))).status).toBe(status);
    expect(asked).toEqual(['/here', '/here']);
  });

  test('drops a byte order mark, and only the first one', async () => {
    const url = await web((_, response) => response.end('\uFEFF{"name":"\uFEFF"}'));
    expect((await transport()(get(url))).body).toBe('{"name":"\uFEFF"}');
  });

  test('decodes invalid UTF-8 as replacement characters', async () => {
    const url = await web((_, response) => response.end(Buffer.from([0x22, 0xff, 0xc3, 0x28, 0x22])));
    expect((await transport()(get(url))).body).toBe('"\uFFFD\uFFFD("');
  });

  test('decodes a character that is split between two chunks', async () => {
    const url = await web((_, response) => {
      const bytes = Buffer.from('"✓"');
      response.write(bytes.subarray(0, 2));
      response.end(bytes.subarray(2));
    });
    expect((await transport()(get(url))).body).toBe('"✓"');
  });
});

describe('transport: a request that was not sent', () => {
  test.each(['GET', 'POST'])('is reported as not sent if the connection is refused (%s)', async (method) => {
    const url = `http://127.0.0.1:${deadPort}`;
    const { message, sent } = await failure(transport()(get(url, { method })));
    expect({ message, sent }).toEqual({ message: 'connection refused', sent: false });
  });

  test('is reported as not sent if TLS fails', async () => {
    const url = await raw((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const { sent, message } = await failure(transport()(post(url.replace('http:', 'https:'))));
    expect(sent).toBe(false);
    expect(message).toBe('the TLS handshake failed');
  });

  // R38
  test.each(['GET', 'POST'])('ends at the deadline during the TLS handshake (%s)', async (method) => {
    const clock = heldClock();
    const url = (await raw(() => clock.end(deadline))).replace('http:', 'https:');
    const { sent, message } = await failure(transport({}, undefined, clock)(get(url, { method })));
    expect({ sent, message }).toEqual({ sent: false, message: 'no complete reply within 30 s' });
  });

  test('ends at the deadline if the proxy never opens the tunnel, and names the proxy', async () => {
    const clock = heldClock();
    const proxy = await raw(() => clock.end(deadline));
    const request = post('https://api.example.invalid/invitees');
    const { sent, message } = await failure(transport({ HTTPS_PROXY: proxy }, undefined, clock)(request));
    expect({ sent, message }).toEqual({
      sent: false,
      message: `no complete reply within 30 s, through the proxy ${proxy}`,
    });
  });

  test('ends on an interruption if the proxy never opens the tunnel', async () => {
    const stop = new AbortController();
    const reason = new Error('Interrupted');
    const proxy = await raw(() => stop.abort(reason));
    const request = post('https://api.example.invalid/invitees');
    await expect(transport({ HTTPS_PROXY: proxy }, stop.signal)(request)).rejects.toBe(reason);
  });

  test('ends on an interruption during the TLS handshake', async () => {
    const stop = new AbortController();
    const reason = new Error('Interrupted');
    const url = await raw(() => stop.abort(reason));
    await expect(transport({}, stop.signal)(post(url.replace('http:', 'https:')))).rejects.toBe(reason);
  });

  /** A proxy that replies to every CONNECT with this. */
  const proxyAnswering = async (answer: string) => {
    const seen: string[] = [];
    const proxy = await raw((socket, request) => {
      seen.push(request);
      socket.end(answer);
    });
    return { seen, proxy };
  };
  const reply = (status: number) => `HTTP/1.1 ${status} No\r\ncontent-length: 4\r\n\r\nbody`;
  const booking = () => post('https://api.example.invalid/invitees', { headers: { authorization: 'Bearer canary' } });

  test.each([
    [403, '', 'refused to connect to api.example.invalid'],
    [404, '', 'refused to connect to api.example.invalid'],
    [407, '', 'requires a login'],
    [407, 'robot:hunter2@', 'refused the login in HTTPS_PROXY'],
  ])('is not repeated if the proxy replies with %i (login %j)', async (status, login, words) => {
    const { proxy, seen } = await proxyAnswering(reply(status));
    const env = { HTTPS_PROXY: proxy.replace('//', `//${login}`) };
    const error = await transport(env)(booking()).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(SchedError);
    expect(error).toMatchObject({
      category: 'unavailable',
      message: `The proxy ${proxy} ${words}`,
      facts: { reason: `HTTP ${status} from the proxy`, outcome: 'not-sent' },
    });
    expect(seen.map((text) => text.split('\r\n')[0])).toEqual(['CONNECT api.example.invalid:443 HTTP/1.1']);
    expect(seen.join()).not.toContain('canary');
  });

  test.each([
    ['replies with 503', reply(503), ' replied with HTTP 503'],
    ['closes the connection', '', ': the connection was closed before the reply was complete'],
  ])('may be repeated if the proxy %s', async (_, answer, words) => {
    const { proxy } = await proxyAnswering(answer);
    const { sent, host, message, advice } = await failure(transport({ HTTPS_PROXY: proxy })(booking()));
    expect({ sent, host, message }).toEqual({
      sent: false,
      host: 'api.example.invalid',
      message: `the proxy ${proxy}${words}`,
    });
    expect(advice).toContain('check HTTPS_PROXY');
  });

  test('may be repeated if the proxy is not running', async () => {
    const proxy = `http://127.0.0.1:${deadPort}`;
    const { sent, message } = await failure(transport({ HTTPS_PROXY: proxy })(booking()));
    expect({ sent, message }).toEqual({ sent: false, message: `the proxy ${proxy}: connection refused` });
  });

  test('names the proxy if it closes the tunnel during the TLS handshake', async () => {
    const { proxy } = await proxyAnswering('HTTP/1.1 200 OK\r\n\r\n');
    const { sent, message } = await failure(transport({ HTTPS_PROXY: proxy })(booking()));
    expect({ sent, message }).toEqual({
      sent: false,
      message: `the connection was reset, through the proxy ${proxy}`,
    });
  });
});

describe('transport: connections', () => {
  const counting = async () => {
    const sockets = new Set<Socket>();
    const url = await web((message, response) => {
      sockets.add(message.socket);
      response.end('{}');
    });
    return { url, sockets };
  };

  test('are shared by reads', async () => {
    const { url, sockets } = await counting();
    const send = transport();
    for (let i = 0; i < 6; i += 1) await send(get(url));
    // A second connection may be opened before the first one counts as free again.
    expect(sockets.size).toBeLessThanOrEqual(2);
  });

  test('are new for every write', async () => {
    const { url, sockets } = await counting();
    const send = transport();
    await send(get(url));
    for (let i = 0; i < 3; i += 1) await send(post(url));
    expect(sockets.size).toBe(4);
  });

  test('to another machine go through the proxy, which sees only the host name', async () => {
    const { url, sockets } = await counting();
    const server = createServer();
    const seen: unknown[] = [];
    server.on('connect', (message, client: Socket) => {
      seen.push([message.url, message.headers.authorization]);
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      // Whatever the host name, the proxy connects to the test server.
      const socket = new (client.constructor as typeof Socket)();
      socket.connect(Number(new URL(url).port), '127.0.0.1');
      socket.on('error', () => client.destroy()).on('close', () => client.destroy());
      client.on('close', () => socket.destroy());
      client.pipe(socket).pipe(client);
    });
    const proxy = `http://127.0.0.1:${await listen(server)}`;
    const request = post('http://api.example.invalid/x', { headers: { authorization: 'Bearer canary' } });
    expect((await transport({ HTTP_PROXY: proxy })(request)).status).toBe(200);
    expect({ seen, reached: sockets.size }).toEqual({ seen: [['api.example.invalid:80', undefined]], reached: 1 });
  });

  test.each([
    ['localhost', true],
    ['127.0.0.1', false],
  ])('to a proxy at %s send its name in the TLS handshake: %j', async (host, isNamed) => {
    let hello = '';
    const proxy = await raw((socket, data) => {
      hello = data;
      socket.end();
    });
    const env = { HTTPS_PROXY: proxy.replace('http://127.0.0.1', `https://${host}`) };
    await failure(transport(env)(get('https://api.example.invalid/x')));
    expect([hello.length > 0, hello.includes(host)]).toEqual([true, isNamed]);
  });

  test('to this machine never go through a proxy', async () => {
    const { url, sockets } = await counting();
    const dead = `http://127.0.0.1:${deadPort}`;
    expect((await transport({ HTTP_PROXY: dead, HTTPS_PROXY: dead })(get(url))).status).toBe(200);
    expect(sockets.size).toBe(1);
  });
});

test('transport: the request for the next page is sent before the current page is processed', async () => {
  const url = await web((_, response) => response.end('{}'));
  const send = transport();
  let left = 0;
  const onLeft = () => {
    left += 1;
  };
  onChannel('undici:client:sendHeaders', onLeft);
  const fetch = async () => {
    // At least as many turns as there are layers.
    for (let layer = 0; layer < 100; layer += 1) await undefined;
    await send(get(url));
    return { items: [left], nextToken: String(left) };
  };
  const told: number[] = [];
  for await (const page of paginate(fetch, () => new Error('loop'), { limit: 3, afterSend })) told.push(...page, left);
  expect(told).toEqual([1, 2, 2, 3, 3, 3]);
});
