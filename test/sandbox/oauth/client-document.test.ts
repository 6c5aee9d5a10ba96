import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createSandbox } from '../../../src/create-sandbox.ts';
import { isDocumentUrl, readDocument } from '../../../src/sandbox/oauth/client-document.ts';
import { createAuthority } from '../../e2e/tls.ts';
import { closeLater } from '../../support/temporary.ts';

/** Another service of this machine, with something private. */
const serve = async (answer: RequestListener) => {
  const seen: { url: string; headers: NodeJS.Dict<string | string[]> }[] = [];
  const server = createServer((request, response) => {
    seen.push({ url: request.url!, headers: request.headers });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeLater(() => {
    server.closeAllConnections();
    server.close();
  });
  return { id: `http://127.0.0.1:${(server.address() as AddressInfo).port}/client.json`, seen };
};

const json = { 'content-type': 'application/json' };
const never = (_: number, signal?: AbortSignal) =>
  new Promise<void>((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

describe('the document of a client', () => {
  test('is read without credentials, and only its redirect URIs are kept', async () => {
    const { id, seen } = await serve((_, response) => {
      response
        .writeHead(200, json)
        .end(JSON.stringify({ client_id: id, redirect_uris: ['http://127.0.0.1/x'], client_name: 'C' }));
    });
    expect(await readDocument(id, never)).toEqual({ redirectUris: ['http://127.0.0.1/x'] });
    expect(seen).toHaveLength(1);
    expect(Object.keys(seen[0]!.headers).sort()).toEqual(['accept', 'connection', 'host']);
  });

  test('may be at an address with a certificate that nobody vouches for', async () => {
    const { key, cert } = createAuthority().certify('IP:127.0.0.1');
    const server = createSecureServer({ key, cert }, (_, response) =>
      response.writeHead(200, json).end(JSON.stringify({ client_id: id, redirect_uris: ['http://127.0.0.1/x'] })),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closeLater(() => server.close());
    const id = `https://127.0.0.1:${(server.address() as AddressInfo).port}/client.json`;
    expect(await readDocument(id, never)).toEqual({ redirectUris: ['http://127.0.0.1/x'] });
  });

  test.each([
    'https://client.example/client.json',
    'http://localhost:8080/client.json',
    'http://127.0.0.1.example:8080/client.json',
    'http://127.0.0.1@client.example/client.json',
    'http://user@127.0.0.1/client.json',
    'http://10.0.0.1/client.json',
    'http://192.168.1.1/client.json',
    'http://169.254.169.254/latest/meta-data',
    'http://0.0.0.0/client.json',
    'http://[::]/client.json',
    'http://[::ffff:127.0.0.1]/client.json',
    'http://[fd00::1]/client.json',
    'http://2130706433/client.json',
    'http://0x7f.1/client.json',
    'http://127.1/client.json',
    'http://127.0.0.1/',
    'http://127.0.0.1',
    'http://127.0.0.1/a/../client.json',
    'http://127.0.0.1/client.json?x=1',
    'http://127.0.0.1/client.json#x',
    'http://127.0.0.1:99999/client.json',
    'http://127.0.0.999/client.json',
    'HTTP://127.0.0.1/client.json',
    'ftp://127.0.0.1/client.json',
    'file:///etc/passwd',
    'http://127.0.0.1/client.json\n',
  ])('is not asked for at %s', async (id) => {
    expect(isDocumentUrl(id)).toBe(false);
    expect(await readDocument(id, never)).toEqual({ problem: expect.stringContaining('only reads documents at') });
  });

  test('may be at any literal loopback address', () => {
    for (const id of [
      'http://127.0.0.1/c',
      'http://127.3.2.1:8080/c.json',
      'http://[::1]:1/a/b',
      'https://127.0.0.1/c',
    ])
      expect([id, isDocumentUrl(id)]).toEqual([id, true]);
  });

  test.each<[string, RequestListener, string]>([
    ['a redirect', (_, r) => r.writeHead(302, { ...json, location: 'http://10.0.0.1/' }).end(), 'status 200'],
    ['an error', (_, r) => r.writeHead(500, json).end('{"SECRET":1}'), 'status 200'],
    ['a page', (_, r) => r.writeHead(200, { 'content-type': 'text/html' }).end('<b>SECRET</b>'), 'not sent as JSON'],
    ['other JSON', (_, r) => r.writeHead(200, json).end('{"password":"SECRET"}'), 'its own address as client_id'],
    ['broken JSON', (_, r) => r.writeHead(200, json).end('{"SECRET'), 'its own address as client_id'],
    ['a list', (_, r) => r.writeHead(200, json).end('["SECRET"]'), 'its own address as client_id'],
    [
      'a cut connection',
      (_, r) => void r.writeHead(200, { ...json, 'content-length': 99 }).write('{', () => r.destroy()),
      'ended too early',
    ],
    ['10 MB', (_, r) => r.writeHead(200, json).end('S'.repeat(10_000_000)), 'larger than 64 kB'],
  ])('is refused if it is %s, and nothing of it is said', async (_, answer, why) => {
    const { id, seen } = await serve(answer);
    const result = await readDocument(id, never);
    expect(result).toEqual({ problem: expect.stringContaining(why) });
    expect(JSON.stringify(result)).not.toContain('SECRET');
    expect(seen).toHaveLength(1);
  });

  test('is read up to its 65,536th byte', async () => {
    let sent = 0;
    const { id } = await serve((request, response) => {
      response.writeHead(200, json);
      const pour = () => {
        for (let turn = 0; turn < 4; turn += 1) {
          sent += 16_384;
          response.write('S'.repeat(16_384));
        }
        if (!request.socket.destroyed && sent < 2 ** 28) setImmediate(pour);
      };
      pour();
    });
    expect(await readDocument(id, never)).toEqual({ problem: expect.stringContaining('larger than 64 kB') });
    expect(sent).toBeLessThan(2 ** 28);
  });

  test('may take two seconds, also if it comes byte by byte', async () => {
    const waits: number[] = [];
    let end = () => {};
    const sleep = (milliseconds: number) => {
      waits.push(milliseconds);
      return new Promise<void>((resolve) => {
        end = resolve;
      });
    };
    let leave = () => {};
    const gone = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const { id } = await serve((request, response) => {
      request.socket.on('close', leave);
      response.writeHead(200, json).write('{');
      end();
    });
    expect(await readDocument(id, sleep)).toEqual({ problem: expect.stringContaining('longer than two seconds') });
    expect(waits).toEqual([2000]);
    await gone;
    expect(await readDocument('http://127.0.0.1:1/client.json', never)).toEqual({
      problem: 'nothing answers at its address',
    });
  });

  test('reaches no page, log or explanation, and is not asked for by other profiles', async () => {
    const { id, seen } = await serve((_, response) => {
      const text = {
        client_id: id,
        redirect_uris: ['http://127.0.0.1/x'],
        client_name: 'SECRET',
        contacts: ['SECRET'],
      };
      response.writeHead(200, json).end(JSON.stringify(text));
    });
    const query = new URLSearchParams({
      client_id: id,
      response_type: 'code',
      redirect_uri: 'http://127.0.0.1:1/x',
      scope: 'users:read',
      state: 's',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    });
    for (const [oauth, status] of [
      ['cimd-only', 200],
      ['default', 400],
      ['dcr-only', 400],
    ] as const) {
      const sandbox = await createSandbox({ listen: false, world: 'empty', oauth });
      const reply = await sandbox.fetch(new Request(`${sandbox.url}/oauth/authorize?${query}`));
      const text = await reply.text();
      expect([oauth, reply.status]).toEqual([oauth, status]);
      if (status === 200) expect(text).toContain(`The program at ${new URL(id).host}, a program on this computer`);
      expect(JSON.stringify([text, await sandbox.log(), await sandbox.oauth()])).not.toContain('SECRET');
      await sandbox.close();
    }
    expect(seen).toHaveLength(1);
  });
});
