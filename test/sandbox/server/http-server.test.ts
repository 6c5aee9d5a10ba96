import { request } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WireService } from '../../../src/sandbox/server/front.ts';
import { hostHeadersAt, type Server, serve } from '../../../src/sandbox/server/http-server.ts';
import { openWorld } from '../world.ts';

interface Options {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** Sent as it is, instead of the path. */
  target?: string;
}

describe('server', () => {
  let server: Server;
  beforeAll(async () => {
    const refusalHeaders = () => ({ 'x-ratelimit-limit': '500' });
    server = await serve((await openWorld()).send, { port: 0, refusalHeaders });
  });
  afterAll(() => server.close());

  const ask = (path: string, { method = 'GET', headers = {}, body, target }: Options = {}) =>
    new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
      const sent = request(server.url + path, { method, headers, ...(target && { path: target }) }, async (reply) => {
        let text = '';
        for await (const chunk of reply) text += chunk;
        resolve({ status: reply.statusCode!, headers: reply.headers, body: text });
      });
      sent.on('error', reject);
      sent.end(body);
    });

  const authorization = 'Bearer sandbox_owner';

  it('serves on the loopback address, without CORS headers', async () => {
    const { status, headers, body } = await ask('/users/me', {
      headers: { authorization, origin: 'https://evil.example' },
    });
    expect([status, JSON.parse(body).resource.name]).toEqual([200, 'Amara Lindqvist']);
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
  });

  it('rejects other host names', async () => {
    const statusFor = async (host: string) => (await ask('/users/me', { headers: { authorization, host } })).status;
    expect(await statusFor(`localhost:${server.port}`)).toBe(200);
    for (const host of [`evil.example:${server.port}`, '127.0.0.1', `127.0.0.1:${server.port + 1}`, 'evil.example'])
      expect(await statusFor(host)).toBe(421);
    const { headers } = await ask('/users/me', { headers: { authorization, host: 'evil.example' } });
    expect(headers['x-ratelimit-limit']).toBe('500');
    const target = '*@evil.example/.well-known/oauth-authorization-server';
    expect((await ask('', { target })).status).toBe(421);
  });

  it('accepts a host name without the default port', () => {
    expect(hostHeadersAt(80)).toEqual(expect.arrayContaining(['127.0.0.1', 'localhost', '[::1]', '127.0.0.1:80']));
    expect(hostHeadersAt(4010)).not.toContain('127.0.0.1');
  });

  it('rejects CORS preflight requests', async () => {
    const preflight = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    for (const path of ['/invitees', '/oauth/token', '/oauth/authorize']) {
      const { status, headers } = await ask(path, { method: 'OPTIONS', headers: preflight });
      expect(status).toBe(405);
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });

  it('listens on the loopback address only', async () => {
    const socket = connect(server.port, '127.0.0.2');
    await expect(
      new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject)),
    ).rejects.toThrow();
    socket.destroy();
  });

  it('rejects bodies over 1 MiB, with or without content-length', async () => {
    const headers = { authorization, 'content-type': 'application/json' };
    const body = JSON.stringify({ reason: 'x'.repeat(1024 * 1024) });
    const path = '/scheduled_events/NONE/cancellation';
    expect((await ask(path, { method: 'POST', headers, body })).status).toBe(413);
    const chunked = { ...headers, 'transfer-encoding': 'chunked' };
    expect((await ask(path, { method: 'POST', headers: chunked, body })).status).toBe(413);
    expect((await ask(path, { method: 'POST', headers, body: '{"reason":"x"}' })).status).toBe(404);
  });

  it('sends all text as UTF-8', async () => {
    // Latin-1 characters must be sent as UTF-8 too, not as one byte each.
    for (const text of ['plain', 'Lucía', '日本', '🎉']) {
      const body = JSON.stringify({ text });
      const each = await serve(async () => ({ status: 200, headers: {}, body }), { port: 0 });
      const reply = await fetch(each.url);
      expect(reply.headers.get('content-length')).toBe(String(Buffer.byteLength(body)));
      expect(Buffer.from(await reply.arrayBuffer()).equals(Buffer.from(body))).toBe(true);
      await each.close();
    }
  });

  it('ends a stream that waits when its client goes away', async () => {
    let end = (_: string) => {};
    const ended = new Promise<string>((resolve) => {
      end = resolve;
    });
    const waiting: AsyncIterator<string> = {
      next: () => new Promise(() => {}),
      return: async () => {
        end('ended');
        return { done: true, value: undefined };
      },
    };
    const stream = { [Symbol.asyncIterator]: () => waiting };
    const each = await serve(async () => ({ status: 200, headers: {}, body: '', stream }), { port: 0 });
    const gone = new AbortController();
    await fetch(each.url, { signal: gone.signal });
    gone.abort();
    expect(await ended).toBe('ended');
    await each.close();
  });

  it('rejects with EADDRINUSE if the port is in use', async () => {
    const again = serve(async () => ({ status: 200, headers: {}, body: '' }), { port: server.port });
    await expect(again).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('closes at once, even with open connections', async () => {
    const short = await serve(async () => ({ status: 200, headers: {}, body: '' }), { port: 0 });
    const socket = connect(short.port, '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => {});
    await short.close();
    await closed;
    expect(socket.destroyed).toBe(true);
  });
});

describe('a server at another address', () => {
  const isLocal = (path: string) => path === '/' || path.startsWith('/__sandbox/');
  const service: WireService = async ({ url }) => ({ status: 200, headers: {}, body: url });

  const ask = (address: string, port: number, host: string, path = '/users/me', headers = {}) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const sent = request(
        { agent: false, host: address, port, path, headers: { host, ...headers } },
        async (reply) => {
          let text = '';
          for await (const chunk of reply) text += chunk;
          resolve({ status: reply.statusCode!, text });
        },
      );
      sent.on('error', reject).end();
    });

  it.each(['127.0.0.2', '0.0.0.0', '::'])('listens on %s, and always on the loopback address', async (bind) => {
    const server = await serve(service, { port: 0, bind, hosts: ['sandbox'] });
    const host = `sandbox:${server.port}`;
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
    for (const address of ['127.0.0.1', bind === '::' ? '::1' : '127.0.0.2'])
      expect(await ask(address, server.port, host)).toEqual({ status: 200, text: `http://${host}/users/me` });
    await server.close();
    await expect(ask('127.0.0.1', server.port, host)).rejects.toThrow('ECONNREFUSED');
  });

  it('frees its port if the other address is not of this machine', async () => {
    const free = await serve(service, { port: 0 });
    await free.close();
    await expect(serve(service, { port: free.port, bind: '192.0.2.1' })).rejects.toThrow('EADDRNOTAVAIL');
    await (await serve(service, { port: free.port })).close();
  });

  it('hides what is local from other names and other machines, whatever headers say', async () => {
    const server = await serve(service, { port: 0, bind: '0.0.0.0', hosts: ['sandbox', '192.0.2.7'], isLocal });
    const { port } = server;
    const paths = [
      '/',
      '/?x',
      '/__sandbox/clock',
      '/./__sandbox/clock',
      '/x/../__sandbox/clock',
      '/__sandbox/desk/stream',
    ];
    const forged = { 'x-forwarded-host': '127.0.0.1', 'x-forwarded-for': '127.0.0.1', forwarded: 'for=127.0.0.1' };
    for (const path of paths) {
      expect([path, (await ask('127.0.0.1', port, `127.0.0.1:${port}`, path)).status]).toEqual([path, 200]);
      for (const host of ['sandbox', '192.0.2.7'])
        expect([path, (await ask('127.0.0.1', port, `${host}:${port}`, path, forged)).status]).toEqual([path, 404]);
    }
    expect((await ask('127.0.0.1', port, `sandbox:${port}`)).status).toBe(200);
    // A page whose own name points here, and a name that only looks like an allowed one.
    for (const host of ['evil.example', 'sandbox.evil.example', 'xsandbox', '127.0.0.1.evil.example'])
      expect((await ask('127.0.0.1', port, `${host}:${port}`, '/users/me', forged)).status).toBe(421);
    const address = Object.values(networkInterfaces()).flatMap((each = []) => each);
    // A request from another machine that says it is from here.
    for (const { address: outside } of address.filter(({ internal, family }) => !internal && family === 'IPv4'))
      for (const path of paths) expect((await ask(outside, port, `127.0.0.1:${port}`, path)).status).toBe(404);
    await server.close();
  });

  it('accepts the host of the name in links, as a proxy passes it on', async () => {
    const server = await serve(service, { port: 0, ownHost: 'sched.test' });
    expect((await ask('127.0.0.1', server.port, 'sched.test')).status).toBe(200);
    for (const host of ['sched.test:8080', 'other.test', 'x.sched.test'])
      expect((await ask('127.0.0.1', server.port, host)).status).toBe(421);
    await server.close();
  });
});
