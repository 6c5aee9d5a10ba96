import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { Server } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createSandbox, type Sandbox } from '../src/create-sandbox.ts';
import { oauthOf } from './sandbox/oauth/login.ts';
import { temporaryDirectory, temporaryFile } from './support/temporary.ts';

const get = (sandbox: Sandbox, path: string, token = sandbox.token()) =>
  fetch(`${sandbox.url}${path}`, { headers: { authorization: `Bearer ${token}` } });

const nameOf = async (sandbox: Sandbox, token: string) =>
  ((await (await get(sandbox, '/users/me', token)).json()) as { resource: { name: string } }).resource.name;

/** Sends a request with another host name than that of its address. */
const askAs = (sandbox: Sandbox, host: string, path: string, body?: string) =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    const headers = { host, authorization: `Bearer ${sandbox.token()}`, 'content-type': 'application/json' };
    const sent = request(
      sandbox.url + path,
      { method: body === undefined ? 'GET' : 'POST', headers },
      async (reply) => {
        let text = '';
        for await (const chunk of reply) text += chunk;
        resolve({ status: reply.statusCode!, text });
      },
    );
    sent.on('error', reject).end(body);
  });

/** What a tool of the MCP server answers to a new client. */
const callTool = async (sandbox: Sandbox, name: string, given: object): Promise<string> => {
  const send = async (body: object, session?: string) => {
    const headers = {
      authorization: `Bearer ${sandbox.token()}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(session !== undefined && { 'mcp-session-id': session }),
    };
    const text = JSON.stringify({ jsonrpc: '2.0', ...body });
    return sandbox.fetch(new Request('https://api.example.com/mcp', { method: 'POST', headers, body: text }));
  };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  const opened = await send({ id: 1, method: 'initialize', params });
  const call = { id: 2, method: 'tools/call', params: { name, arguments: given } };
  return (await send(call, opened.headers.get('mcp-session-id')!)).text();
};

describe('createSandbox', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await createSandbox({ plan: 'standard' });
  });
  afterAll(() => sandbox?.close());

  test('serves the service with tokens by role', async () => {
    expect(await nameOf(sandbox, sandbox.token())).toBe('Amara Lindqvist');
    expect(await nameOf(sandbox, sandbox.token('user'))).toBe('Tomás Ferreira');
    expect(() => sandbox.token('boss' as 'owner')).toThrow('token must be one of owner, admin, user, ');
    expect(sandbox.environment).toMatchObject({ SCHED_BASE_URL: sandbox.url, SCHED_TOKEN: sandbox.token('owner') });
  });

  test('has the names that it is given, and no others', async () => {
    const named = await createSandbox({ hosts: ['Sandbox', 'proxy:8080'] });
    const { port } = new URL(named.url);
    const own = `sandbox:${port}`;
    const statusFor = async (host: string) => (await askAs(named, host, '/users/me')).status;
    for (const host of [own, 'SANDBOX:'.concat(port), 'proxy:8080', `127.0.0.1:${port}`])
      expect([host, await statusFor(host)]).toEqual([host, 200]);
    for (const host of ['sandbox', `proxy:${port}`, 'proxy', `a.sandbox:${port}`, `sandbox.evil.example:${port}`])
      expect([host, await statusFor(host)]).toEqual([host, 421]);
    const { text } = await askAs(named, own, '/users/me');
    expect(JSON.parse(text).resource.uri).toMatch(`http://${own}/users/`);
    // A page links to itself, whatever its name.
    const [page, other] = await Promise.all(
      [own, `127.0.0.1:${port}`].map((host) => askAs(named, host, '/book/amara-lindqvist')),
    );
    expect(page!.text).toContain('href="/book/amara-lindqvist/');
    expect(page!.text.replaceAll(own, `127.0.0.1:${port}`)).toBe(other!.text);
    const bodyFor = (host: string) => JSON.stringify({ event_type: `http://${host}/event_types/NONE`, name: 'A' });
    expect((await askAs(named, own, '/shares', bodyFor('proxy:8080'))).status).toBe(404);
    expect((await askAs(named, own, '/shares', bodyFor('evil.example'))).status).toBe(400);
    await named.close();
    await expect(createSandbox({ hosts: ['*.example'] })).rejects.toThrow('hosts must be names such as sandbox');
  });

  test('moves the clock', async () => {
    await sandbox.clock.set(new Date('2030-01-01T00:00:00Z'));
    expect((await sandbox.clock.now()).toISOString()).toMatch(/^2030-01-01T00:00:/);
    const { headers } = await get(sandbox, '/users/me');
    expect(headers.get('date')).toMatch(/^Tue, 01 Jan 2030 00:00:/);
    const stopped = await sandbox.clock.freeze();
    const later = await sandbox.clock.advance('1h30m');
    expect(later.getTime() - stopped.getTime()).toBe(5_400_000);
    expect(await sandbox.clock.advance(1)).toEqual(new Date(later.getTime() + 1));
    expect((await sandbox.clock.resume()).toISOString()).toMatch(/^2030-01-01T01:30:/);
    await expect(sandbox.clock.advance('a while')).rejects.toThrow('Can\'t read "a while" as a duration such as 1h30m');
    await expect(sandbox.clock.set('noon')).rejects.toThrow('time must be now or a time such as');
  });

  test('adds, lists and clears faults, and logs requests with them', async () => {
    await sandbox.faults.add('events.list 503', { kind: 'html', operation: 'users.me' });
    expect((await get(sandbox, '/scheduled_events')).status).toBe(503);
    expect((await sandbox.faults.list()).map(({ struck }) => struck)).toEqual([1, 0]);
    await sandbox.faults.clear();
    expect(await sandbox.faults.list()).toEqual([]);
    expect((await sandbox.log()).at(-1)).toMatchObject({ operation: 'events.list', status: null, faults: ['status'] });
    await expect(sandbox.faults.add('events.lst 503')).rejects.toThrow('Unknown operation "events.lst" in a fault');
  });

  test('sends a sample to a webhook, and again', async () => {
    const { resource } = (await (await get(sandbox, '/users/me')).json()) as {
      resource: { current_organization: string };
    };
    // Nobody listens there.
    const url = 'http://127.0.0.1:9/hooks';
    await fetch(`${sandbox.url}/webhook_subscriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sandbox.token()}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        url,
        events: ['invitee.created'],
        organization: resource.current_organization,
        scope: 'organization',
      }),
    });
    const [delivery] = await sandbox.trigger('invitee.created', { to: url, set: { 'payload.name': 'Ada' } });
    expect(delivery).toMatchObject({ url, event: 'invitee.created', attempts: [{ status: null }] });
    expect(delivery!.body.payload.name).toBe('Ada');
    expect((await sandbox.resend(delivery!.number)).attempts).toHaveLength(2);
    expect((await sandbox.deliveries())[0]).toMatchObject({ number: delivery!.number });
    await expect(sandbox.trigger('invitee.moved')).rejects.toThrow('event must be one of invitee.created, ');
  });

  test('goes back to a snapshot, and shows notices', async () => {
    await sandbox.snapshot();
    const { collection } = (await (await get(sandbox, '/scheduled_events?status=active')).json()) as {
      collection: { uri: string }[];
    };
    const { uri } = collection[0]!;
    const statusOf = async () => JSON.parse(await (await get(sandbox, new URL(uri).pathname)).text()).resource.status;
    await fetch(`${uri}/cancellation`, { method: 'POST', headers: { authorization: `Bearer ${sandbox.token()}` } });
    expect(await statusOf()).toBe('canceled');
    const [notice] = await sandbox.notices({ kind: 'event.canceled' });
    expect((await sandbox.notices({ to: notice!.to })).map(({ to }) => to)).toContain(notice!.to);
    await sandbox.restore();
    expect(await statusOf()).toBe('active');
    expect(await sandbox.notices()).toEqual([]);
    await expect(sandbox.restore('other')).rejects.toThrow('The snapshot "other" doesn\'t exist.');
  });

  test('moves its clock by days', async () => {
    const before = await sandbox.clock.now();
    const after = await sandbox.clock.advance('7d');
    const days = (after.getTime() - before.getTime()) / 86_400_000;
    expect(days).toBeGreaterThanOrEqual(7);
    expect(days).toBeLessThan(7.1);
    await expect(sandbox.clock.advance('7 days')).rejects.toThrow('as a duration such as 1h30m or 7d');
    await sandbox.clock.advance(0);
  });

  test('makes the first content again', async () => {
    const list = async () => (await (await get(sandbox, '/webhook_subscriptions')).text()).includes('127.0.0.1:9');
    await sandbox.reset();
    expect(await list()).toBe(false);
    expect(await sandbox.deliveries()).toEqual([]);
  });
});

describe('createSandbox without a port', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await createSandbox({ listen: false, limits: false });
  });
  afterAll(() => sandbox?.close());

  test('shares no address, state, cache or settings with another sandbox or the person, and removes them', async () => {
    const other = await createSandbox({ listen: false });
    const places = [sandbox, other].map(({ environment: env }) => [
      env.SCHED_BASE_URL!,
      env.SCHED_STATE_DIR!,
      env.SCHED_CACHE_DIR!,
      env.SCHED_CONFIG_DIR!,
    ]);
    expect(new Set(places.flat()).size).toBe(8);
    expect(sandbox.environment.SCHED_STATE_DIR).toBe(places[0]![1]);
    expect(new URL(places[0]![0]!).hostname).toMatch(/^127\./);
    const folder = dirname(places[1]![1]!);
    expect(existsSync(folder)).toBe(true);
    await other.close();
    expect(existsSync(folder)).toBe(false);
  });

  const ask = (path: string, more: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${sandbox.token()}`, 'content-type': 'application/json' };
    return sandbox.fetch(new Request(new URL(path, 'https://api.example.com'), { headers, ...more }));
  };

  test('answers the API, pages, logins and the desk as one function', async () => {
    const me = (await (await ask('/users/me')).json()) as { resource: { uri: string; scheduling_url: string } };
    expect(me.resource.uri).toMatch(/^https:\/\/api\.example\.com\/users\//);
    expect(await (await ask(me.resource.scheduling_url)).text()).toContain('Amara Lindqvist');
    expect((await ask('/oauth/authorize')).status).toBe(400);
    expect(await (await ask('/', { headers: { accept: 'text/html' } })).text()).toContain('Desk');
    const { SCHED_SANDBOX_ADMIN: secret = '' } = sandbox.environment;
    expect((await ask('/__sandbox/log')).status).toBe(404);
    expect((await ask('/__sandbox/log', { headers: { 'x-sandbox-admin': secret } })).status).toBe(200);
  });

  test('opens no port, and works like a server otherwise', async () => {
    const listen = vi.spyOn(Server.prototype, 'listen');
    await (await createSandbox({ listen: false })).close();
    expect(listen).not.toHaveBeenCalled();
    await (await createSandbox()).close();
    expect(listen).toHaveBeenCalledOnce();
    await sandbox.snapshot();
    await sandbox.faults.add('users.me 503', 'users.me reset-after at=2');
    expect((await ask('/users/me')).status).toBe(503);
    await expect(ask('/users/me')).rejects.toThrow('fetch failed');
    await sandbox.clock.set('2031-01-01T00:00:00Z');
    expect((await ask('/users/me')).headers.get('date')).toMatch(/^Wed, 01 Jan 2031/);
    await sandbox.restore();
    expect((await sandbox.log()).filter(({ operation }) => operation === 'users.me')).toHaveLength(4);
  });

  test('waits for deliveries, notices and requests, with a function or fields', async () => {
    const mark = await sandbox.mark();
    const waiting = sandbox.waitFor('request', { operation: 'users.me', status: 200 });
    await sandbox.log();
    await ask('/users/me');
    expect(await waiting).toMatchObject({ method: 'GET', path: '/users/me' });
    await ask('/groups');
    const denied = await sandbox.waitFor('request', ({ status }) => status! >= 400, { since: mark });
    expect(denied.operation).toBe('groups.list');
    const late = sandbox.waitFor('request', { operation: 'orgs.get' }, { since: mark, timeout: '60ms' });
    await expect(late).rejects.toThrow(
      'No request matched within 60ms: 2 other requests came: GET /users/me (200), GET /groups (400)',
    );
    await expect(sandbox.waitFor('notice', {}, { timeout: 60 })).rejects.toThrow('No notice came while it waited');
    await expect(sandbox.waitFor('mail' as 'notice')).rejects.toThrow('delivery, notice, request, not "mail"');
    await expect(sandbox.waitFor('notice', {}, { since: 'now' })).rejects.toThrow('since must be a mark');
  });

  test('has the MCP server, whose tools use the data of the sandbox', async () => {
    expect(await callTool(sandbox, 'users_get', { user: 'me' })).toContain('Amara Lindqvist');
    expect((await sandbox.log()).at(-1)).toMatchObject({ operation: 'users.me', status: 200 });
    expect((await sandbox.fetch(new Request('https://api.example.com/mcp', { method: 'POST' }))).status).toBe(401);
  });

  test('refuses a request after close', async () => {
    const other = await createSandbox({ listen: false, world: 'empty' });
    await other.close();
    await expect(other.fetch(new Request(other.url))).rejects.toThrow('The sandbox is closed');
  });

  test('gives a server the same function', async () => {
    const served = await createSandbox({ world: 'empty' });
    const headers = { authorization: `Bearer ${served.token()}` };
    const replies = [
      await fetch(`${served.url}/users/me`, { headers }),
      await served.fetch(new Request(`${served.url}/users/me`, { headers })),
    ];
    const [over, direct] = await Promise.all(replies.map((reply) => reply.text()));
    expect(direct).toBe(over);
    await served.close();
  });
});

describe('createSandbox: options', () => {
  afterEach(() => void vi.unstubAllEnvs());

  test('turn off rate limits, add faults, and choose the kind of the organization', async () => {
    const options = { world: 'empty', plan: 'free', kind: 'individual', limits: false } as const;
    const sandbox = await createSandbox({ ...options, faults: ['users.me 418'] });
    try {
      for (let request = 0; request < 11; request++)
        expect((await get(sandbox, '/users/me')).status).toBe(request ? 200 : 418);
      expect(() => sandbox.token('user')).toThrow('token must be one of owner, read_only, ');
    } finally {
      await sandbox.close();
    }
  });

  test('begin with a world of your own, as a file or an object, at a fixed time', async () => {
    const path = temporaryFile('world.yaml');
    writeFileSync(path, 'sandbox: 1\norganization: { name: Fjord }\nusers: { nora: { name: Nora Quist } }\n');
    const content = { sandbox: 1, organization: { name: 'Fjord' }, users: { nora: { name: 'Nora Quist' } } };
    const now = '2026-11-30T08:00:00Z';
    const replies: string[] = [];
    for (const world of [path, content]) {
      const sandbox = await createSandbox({ world, now, limits: false });
      expect((await sandbox.clock.freeze()).toISOString()).toMatch(/^2026-11-30T08:00:/);
      expect(() => sandbox.token('admin')).toThrow('token must be one of owner, read_only, events_only, legacy');
      replies.push((await (await get(sandbox, '/users/me')).text()).replaceAll(sandbox.url, ''));
      await sandbox.close();
    }
    expect(JSON.parse(replies[0]!).resource.name).toBe('Nora Quist');
    expect(replies[1]).toBe(replies[0]);
  });

  test('speak a dialect: one that comes with sched, or a file', async () => {
    // What the person calls by the same name is another dialect.
    const home = temporaryDirectory('home');
    vi.stubEnv('HOME', home);
    mkdirSync(join(home, '.config/sched/dialects'), { recursive: true });
    writeFileSync(join(home, '.config/sched/dialects/calendly.yaml'), 'dialect: 2');
    const file = temporaryFile('acme.yaml');
    writeFileSync(file, 'dialect: 1\nname: acme\noperations: { users.me: { path: /who } }\n');
    const found = [];
    for (const dialect of [undefined, 'calendly', file]) {
      const sandbox = await createSandbox({ world: 'empty', listen: false, dialect });
      const headers = { authorization: `Bearer ${sandbox.token()}` };
      const statusOf = async (path: string) =>
        (await sandbox.fetch(new Request(sandbox.url + path, { headers }))).status;
      found.push([
        sandbox.environment.SCHED_DIALECT,
        await statusOf('/organization_invitations'),
        await statusOf('/who'),
      ]);
      // Its tools speak it, too, and only calendly offers this one.
      const answer = await callTool(sandbox, 'shares_create_link', {});
      expect(answer).toContain(dialect === 'calendly' ? 'Wrong arguments' : 'No tool');
      expect(await callTool(sandbox, 'users_get', { user: 'me' })).toContain('Amara Lindqvist');
      await sandbox.close();
    }
    expect(found).toEqual([
      [undefined, 400, 404],
      ['calendly', 404, 404],
      [file, 400, 200],
    ]);
  });

  test('give a used refresh token the same reply for a while', async () => {
    const sandbox = await createSandbox({ world: 'empty', listen: false, refreshReplayWindow: '10s' });
    await sandbox.clock.freeze();
    const { login, refresh } = oauthOf({
      send: async ({ url, ...rest }) => {
        const reply = await sandbox.fetch(new Request(url, rest));
        return { status: reply.status, headers: Object.fromEntries(reply.headers), body: await reply.text() };
      },
    });
    const { refresh_token: used } = await login();
    const first = await refresh(used);
    await sandbox.clock.advance('9s');
    expect((await refresh(used)).json).toEqual(first.json);
    await sandbox.clock.advance('1s');
    expect((await refresh(used)).json.error).toBe('invalid_grant');
    await sandbox.close();
  });

  test('that are wrong are refused', async () => {
    await expect(createSandbox({ dialect: 'klingon' })).rejects.toThrow(
      'dialect must be one of calendly, or a file such',
    );
    const file = temporaryFile('wrong.yaml');
    writeFileSync(file, 'dialect: 1\nname: acme\noperations: { user.me: {} }\n');
    await expect(createSandbox({ dialect: file })).rejects.toThrow(`${file}:3:15: unknown operation user.me`);
    await expect(createSandbox({ refreshReplayWindow: 'long' })).rejects.toThrow('Can\'t read "long" as a duration');
    await expect(createSandbox({ world: 'huge' })).rejects.toThrow('world must be');
    await expect(createSandbox({ world: { sandbox: 1, user: {} } })).rejects.toThrow('Did you mean users?');
    await expect(createSandbox({ now: 'soon' })).rejects.toThrow('now must be a time such as 2026-12-01T09:00:00Z');
    await expect(createSandbox({ plan: 'gold' as 'free' })).rejects.toThrow('plan must be one of trial, free, ');
    await expect(createSandbox({ kind: 'club' as 'team' })).rejects.toThrow('kind must be one of team, individual');
    await expect(createSandbox({ faults: ['sometimes'] })).rejects.toThrow('"sometimes" is not a fault');
    const data = temporaryFile('text.db');
    writeFileSync(data, 'not a database');
    await expect(createSandbox({ data })).rejects.toThrow(`The file is not a SQLite database. (${data})`);
  });

  test('keep data in a file, which another sandbox can use after close', async () => {
    const data = temporaryFile('library.db');
    const first = await createSandbox({ world: 'empty', data });
    await first.clock.set('2030-01-01T00:00:00Z');
    await Promise.all([first.close(), first.close()]);
    await first.close();
    await expect(first.log()).rejects.toThrow('The sandbox is closed');
    expect(existsSync(data)).toBe(true);
    const second = await createSandbox({ data });
    expect((await second.clock.now()).getUTCFullYear()).toBe(2030);
    await second.close();
  });
});
