import { readFileSync, writeFileSync } from 'node:fs';
import { request as askOverTls } from 'node:https';
import { beforeAll, describe, expect, test } from 'vitest';
import { createAuthority } from '../../e2e/tls.ts';
import { createWorld, network, someday } from '../../support/run.ts';
import { seededFile } from '../../support/seeded.ts';
import { startServing } from '../../support/serving.ts';
import { closeLater, temporaryDirectory, temporaryFile } from '../../support/temporary.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test reads any reply
type Json = any;

let world: Awaited<ReturnType<typeof createWorld>>;
beforeAll(async () => {
  world = await createWorld({
    home: temporaryDirectory(),
    env: { SCHED_TOKEN: '', SCHED_BASE_URL: '' },
    send: network,
  });
});

const start = async (...flags: string[]) => {
  const data = await seededFile(someday);
  const { text, stop } = await startServing(world.run, ['--json', '--data', data, ...flags]);
  return { facts: JSON.parse(text), data, stop };
};

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

describe('sandbox start --base-url', () => {
  test('puts the name into all links, and listens as before', async () => {
    const { facts, data } = await start('--base-url', 'https://sched.test');
    expect(facts).toMatchObject({ base_url: 'https://sched.test', auth_url: 'https://sched.test' });
    const { listening } = facts;
    expect(listening).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const ask = async (path: string): Promise<Json> => (await fetch(listening + path, bearer(facts.token))).json();
    expect((await ask('/users/me')).resource.uri).toMatch('https://sched.test/users/');
    const metadata = await ask('/.well-known/oauth-authorization-server');
    expect(Object.values(metadata).filter((value) => String(value).includes('127.0.0.1'))).toEqual([]);
    expect(metadata.issuer).toBe('https://sched.test');
    const challenge = (await fetch(`${listening}/mcp`, { method: 'POST' })).headers.get('www-authenticate');
    expect(challenge).toContain('resource_metadata="https://sched.test/.well-known/');
    // A header of a proxy changes nothing.
    const headers = { ...bearer(facts.token).headers, 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'ftp' };
    expect(await (await fetch(`${listening}/users/me`, { headers })).text()).not.toContain('evil');
    // Other commands find the sandbox where it listens.
    const env = await world.run(`sandbox env --data ${data}`);
    expect(env.stdout).toContain(`SCHED_BASE_URL=${listening}`);
    const listed = await world.run(`users get me -o json`, {
      env: { SCHED_TOKEN: facts.token, SCHED_BASE_URL: listening },
    });
    expect(JSON.parse(listed.stdout).uri).toMatch('https://sched.test/users/');
  });

  test('a form of its pages works at both names', async () => {
    const { facts } = await start('--base-url', 'https://sched.test');
    const page = await (await fetch(`${facts.listening}/book/amara-lindqvist`)).text();
    expect(page).toContain('href="/book/amara-lindqvist/');
    const query = new URLSearchParams({
      client_id: 'sched-cli',
      response_type: 'code',
      redirect_uri: 'http://127.0.0.1:5151/callback',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
      scope: 'users:read',
      state: '1',
    });
    const text = await (await fetch(`${facts.listening}/oauth/authorize?${query}`)).text();
    const body = new URLSearchParams({
      ticket: /name="ticket" value="([^"]+)"/.exec(text)![1]!,
      user: 'owner',
      decision: 'deny',
    });
    const decide = async (origin: string) => {
      const headers = { origin, 'sec-fetch-site': 'same-origin' };
      const sent = { method: 'POST', body, headers, redirect: 'manual' } as const;
      return (await fetch(`${facts.listening}/oauth/authorize`, sent)).status;
    };
    expect(await Promise.all(['https://sched.test', facts.listening].map(decide))).toEqual([303, 303]);
    expect(await Promise.all(['https://evil.example', 'http://127.0.0.1:1', 'null'].map(decide))).toEqual([
      400, 400, 400,
    ]);
  });
});

describe('sandbox start --cert --key', () => {
  test('speaks TLS', async () => {
    const { certify, file } = createAuthority();
    const { cert, key } = certify('IP:127.0.0.1');
    const [certFile, keyFile] = [temporaryFile('cert.pem'), temporaryFile('key.pem')];
    writeFileSync(certFile, cert);
    writeFileSync(keyFile, key);
    const { facts } = await start('--cert', certFile, '--key', keyFile);
    expect(facts.base_url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    const { uri, issuer } = await new Promise<{ uri: string; issuer: string }>((resolve, reject) => {
      const sent = askOverTls(
        `${facts.base_url}/users/me`,
        { ca: readFileSync(file), ...bearer(facts.token) },
        async (reply) => {
          let text = '';
          for await (const chunk of reply) text += chunk;
          resolve({ uri: JSON.parse(text).resource.uri, issuer: String(reply.statusCode) });
        },
      );
      closeLater(() => sent.destroy());
      sent.on('error', reject).end();
    });
    expect([uri.startsWith(`${facts.base_url}/users/`), issuer]).toEqual([true, '200']);
  });
});

describe('sandbox start --bind', () => {
  test('has random tokens, also after a reset, and the data keeps the well-known ones', async () => {
    const { facts, data, stop } = await start('--bind', '127.0.0.2', '--allow-host', 'sandbox');
    const { listening, token, tokens, admin_token: secret } = facts;
    const statusOf = async (given: string) => (await fetch(`${listening}/users/me`, bearer(given))).status;
    expect(token).toMatch(/^sandbox_owner_[\w-]{32}$/);
    expect(new Set(Object.values(tokens)).size).toBe(6);
    expect([await statusOf(token), await statusOf(tokens.user), await statusOf('sandbox_owner')]).toEqual([
      200, 200, 401,
    ]);
    await fetch(`${listening}/__sandbox/reset`, { method: 'POST', headers: { 'x-sandbox-admin': secret }, body: '{}' });
    expect([await statusOf(token), await statusOf('sandbox_owner')]).toEqual([200, 401]);
    const listed = await fetch(`${listening}/__sandbox/tokens`, { headers: { 'x-sandbox-admin': secret } });
    expect(((await listed.json()) as Json).tokens[0].token).toBe(token);
    expect((await world.run(`sandbox env --data ${data}`)).stdout).toContain(token);
    // The tools of the MCP server reach the service, which knows other tokens.
    const headers = {
      ...bearer(token).headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const message = (method: string, given: object, id: number) =>
      JSON.stringify({ jsonrpc: '2.0', id, method, params: given });
    const opened = await fetch(`${listening}/mcp`, { method: 'POST', headers, body: message('initialize', params, 1) });
    const session = { ...headers, 'mcp-session-id': opened.headers.get('mcp-session-id')! };
    const call = message('tools/call', { name: 'users_get', arguments: { user: 'me' } }, 2);
    const answer = await fetch(`${listening}/mcp`, { method: 'POST', headers: session, body: call });
    expect(await answer.text()).toContain('Amara Lindqvist');
    const { stderr } = await stop();
    expect(stderr).toContain('Other machines may reach the sandbox at 127.0.0.2. Its ready-made tokens are random');
    // Without the flag, the same data has the well-known tokens again.
    const usual = await startServing(world.run, ['--json', '--data', data]);
    expect(JSON.parse(usual.text).token).toBe('sandbox_owner');
  });

  test('keeps the desk and admin requests to this machine, unless they are allowed', async () => {
    const hidden = await start('--bind', '127.0.0.2', '--allow-host', '127.0.0.2');
    const open = await start('--bind', '127.0.0.2', '--allow-host', '127.0.0.2', '--allow-admin');
    const clockAt = async ({ facts }: typeof open, address: string) => {
      const url = facts.listening.replace('127.0.0.1', address);
      return (await fetch(`${url}/__sandbox/clock`, { headers: { 'x-sandbox-admin': facts.admin_token } })).status;
    };
    expect([await clockAt(hidden, '127.0.0.1'), await clockAt(hidden, '127.0.0.2')]).toEqual([200, 404]);
    expect([await clockAt(open, '127.0.0.1'), await clockAt(open, '127.0.0.2')]).toEqual([200, 200]);
  });
});
