import type { Client } from '@modelcontextprotocol/client';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { describeBatch } from '../../../src/commands/mcp/batch.ts';
import { allTools, describeTool } from '../../../src/commands/mcp/tools.ts';
import { findNoun, nouns } from '../../../src/commands/registry.ts';
import { callTool } from '../../support/mcp-client.ts';
import { allowing, connectWith, logInAndConnect, type McpSandbox, serveMcp } from '../../support/mcp-http.ts';
import { sample } from '../../support/tier.ts';

const owner = 'sandbox_owner';

let sandbox: McpSandbox;
beforeAll(async () => {
  // None of these may reach a caller.
  sandbox = await serveMcp(['--no-limits'], {
    SCHED_TOKEN: 'operator_token',
    SCHED_BASE_URL: 'http://127.0.0.1:9',
    SCHED_USER: 'NOBODY',
    SCHED_TZ: 'Asia/Tokyo',
    CI: '1',
  });
});

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

type How = Parameters<typeof connectWith>;
const connect = async (token = owner, how: How[2] = {}, send?: How[3]) => {
  const connected = await connectWith(sandbox.mcp, token, how, send);
  open.push(connected.client);
  return connected;
};

const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** A message without the official client. */
const post = (message: unknown, headers: Record<string, string> = {}, token: string | null = owner) =>
  fetch(sandbox.mcp, {
    method: 'POST',
    headers: { ...json, ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  });

const hello = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};
const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };

const sessionOf = async (token = owner): Promise<string> => {
  const reply = await post(hello, {}, token);
  await reply.text();
  return reply.headers.get('mcp-session-id')!;
};

/** What a message in this session is answered with. */
const statusIn = async (session: string, token = owner, message: unknown = list) => {
  const reply = await post(message, { 'mcp-session-id': session }, token);
  await reply.text();
  return reply.status;
};

describe('the MCP server of a sandbox', () => {
  test('has all tools of mcp serve, with those that write', async () => {
    const { client } = await connect();
    const all = await allTools({ nouns, findNoun });
    const descriptions = all.map((tool) => describeTool(tool, false));
    expect((await client.listTools()).tools).toEqual([...descriptions, describeBatch(all)]);
    expect(client.getInstructions()).toContain('the built-in sandbox with invented data');
    expect(client.getInstructions()).toContain('in UTC, or in tz');
  });

  test('has rate limit headers, for what the tools may still send', async () => {
    const { url, mcp, stop } = await serveMcp();
    const headers = { ...json, authorization: `Bearer ${owner}` };
    const left = async (address: string, init: RequestInit = {}) => {
      const reply = await fetch(address, init);
      await reply.text();
      return [reply.headers.get('x-ratelimit-limit'), reply.headers.get('x-ratelimit-remaining')];
    };
    const message = { method: 'POST', headers, body: JSON.stringify(hello) };
    expect(await left(mcp, message)).toEqual(['500', '500']);
    await left(`${url}/users/me`, { headers });
    expect(await left(mcp, message)).toEqual(['500', '499']);
    expect(await left(mcp, { method: 'POST' })).toEqual(['500', '499']);
    expect(await left(`${url}/.well-known/oauth-protected-resource/mcp`)).toEqual(['500', '498']);
    expect(await left(`${url}/book/amara-lindqvist`)).toEqual([null, null]);
    await stop();
  });

  test.each(sample([false, true], 1))(
    'runs tools as the caller, page by page (newest revision: %s)',
    async (isModern) => {
      const { client } = await connect('sandbox_user', { isModern });
      const me = await callTool(client, 'users_me');
      expect(me.record).toMatchObject({ name: 'Tomás Ferreira' });
      expect(me.time_zone).toBe('UTC');
      const first = await callTool(client, 'events_list', { limit: 2 });
      const second = await callTool(client, 'events_list', { limit: 2, cursor: first.next_cursor });
      const uris = [...first.items, ...second.items].map(({ uri }) => uri);
      expect(new Set(uris).size).toBe(4);
    },
  );

  test('lets the role, the scopes and the plan of the token decide', async () => {
    const errorOf = async (token: string, name: string, values = {}) => {
      const { client } = await connect(token);
      return (await callTool(client, name, values)).error;
    };
    expect(await errorOf('sandbox_user', 'activity_list')).toMatchObject({ code: 'forbidden' });
    await sandbox.admin('POST', 'plan', { plan: 'free' });
    expect((await errorOf(owner, 'activity_list')).cause).toContain('plan');
    await sandbox.admin('POST', 'plan', { plan: 'enterprise' });
    expect(await errorOf('sandbox_events_only', 'users_me')).toMatchObject({
      code: 'forbidden',
      cause: expect.stringContaining('users:read'),
    });
    const read = await errorOf('sandbox_read_only', 'shares_create', { event_type: 'Intro call' });
    expect(read).toMatchObject({ code: 'forbidden' });
    const { client } = await connect('sandbox_read_only');
    const calls = [{ tool: 'users_me' }, { tool: 'shares_create', arguments: { event_type: 'Intro call' } }];
    expect(await callTool(client, 'batch', { calls })).toMatchObject({
      results: [{ status: 'done' }, { status: 'failed', error: { code: 'forbidden' } }],
    });
  });

  test.each(sample([false, true], 1))(
    'asks the person before a cancellation (newest revision: %s)',
    async (isModern) => {
      const next = async (client: Client) =>
        String((await callTool(client, 'events_list', { upcoming: true, status: 'active', limit: 1 })).items[0]!.uri);
      const { client: refusing } = await connect(owner, { isModern, answer: () => 'no' });
      const event = await next(refusing);
      expect((await callTool(refusing, 'events_cancel', { event: [event] })).error).toMatchObject({
        code: 'confirmation-required',
      });
      const questions: string[] = [];
      const agree = (question: string) => {
        questions.push(question);
        return 'yes' as const;
      };
      const { client: agreeing } = await connect(owner, { isModern, answer: agree });
      const { record } = await callTool(agreeing, 'events_cancel', { event: [event] });
      expect([record.status, questions.length]).toEqual(['canceled', 1]);
      const { client: mute } = await connect(owner, { isModern });
      const { error } = await callTool(mute, 'events_cancel', { event: [await next(mute)] });
      expect(error.code).toBe('confirmation-required');
    },
  );

  // R52
  test('counts a yes once, and only of the user who was asked', async () => {
    let yes: RequestInit = {};
    let stolen = '';
    const sendAs = async (token: string) => {
      const headers = new Headers(yes.headers);
      headers.set('authorization', `Bearer ${token}`);
      return (await fetch(sandbox.mcp, { ...yes, headers })).text();
    };
    const { client } = await connect(owner, { isModern: true, answer: () => 'yes' }, async (url, init) => {
      if (String(init?.body).includes('"confirm":true')) {
        yes = init!;
        stolen = await sendAs('sandbox_admin');
      }
      return fetch(url, init);
    });
    const { items } = await callTool(client, 'events_list', { upcoming: true, status: 'active', limit: 1 });
    const event = String(items[0]!.uri);
    await sandbox.admin('POST', 'faults', ['events.cancel 403 count=1']);
    expect((await callTool(client, 'events_cancel', { event: [event] })).isError).toBe(true);
    expect(stolen).toContain('"inputRequests"');
    expect(await sendAs(owner)).toContain('"inputRequests"');
    expect((await callTool(client, 'events_get', { event })).record.status).toBe('active');
  });

  test('says at once how long a rate limit lasts', async () => {
    const { client } = await connect();
    await sandbox.admin('POST', 'faults', ['users.me 429 count=1 header.x-ratelimit-reset=50']);
    const { error } = await callTool(client, 'users_me');
    expect(error).toMatchObject({ code: 'rate-limited', retry_after_s: 50 });
    // For the tests after it.
    sandbox.clock.time += 51_000;
  });
});

describe('the login of an MCP client', () => {
  test('is found, registered for and carried out by the official client', async () => {
    const { client, stored } = await logInAndConnect(sandbox.mcp, allowing('admin'));
    open.push(client);
    expect(stored.client).toMatchObject({ client_name: 'A client of the tests', token_endpoint_auth_method: 'none' });
    expect((await callTool(client, 'users_me')).record).toMatchObject({ name: 'Jonas Weber' });
    const bearer = { headers: { authorization: `Bearer ${stored.tokens!.access_token}` } };
    expect((await fetch(`${sandbox.url}/users/me`, bearer)).status).toBe(401);
  });

  test('is asked for with the address of the metadata, and must be for the MCP server', async () => {
    const place = `${sandbox.url}/.well-known/oauth-protected-resource/mcp`;
    const reply = await post(hello, {}, null);
    expect([reply.status, reply.headers.get('www-authenticate')]).toEqual([401, `Bearer resource_metadata="${place}"`]);
    const wrong = await post(hello, {}, 'wrong');
    expect(wrong.headers.get('www-authenticate')).toBe(
      `Bearer error="invalid_token", error_description="The access token is invalid.", resource_metadata="${place}"`,
    );
    const foreign = await (await post(hello, {}, 'sandbox_legacy')).json();
    expect(foreign).toMatchObject({ message: 'The access token was issued for another resource.' });
    expect(await (await fetch(place)).json()).toEqual({
      resource: sandbox.mcp,
      authorization_servers: [sandbox.url],
      scopes_supported: expect.arrayContaining(['scheduled_events:write']),
      bearer_methods_supported: ['header'],
    });
  });

  test('ends in the middle of a session when its token expires or is revoked', async () => {
    const { client, stored } = await logInAndConnect(sandbox.mcp, allowing());
    open.push(client);
    await callTool(client, 'users_me');
    const { access_token: expired } = stored.tokens!;
    await sandbox.admin('POST', 'clock', { advance_seconds: 3 * 3600 });
    expect((await post(hello, {}, expired)).status).toBe(401);
    // The official client refreshes.
    await callTool(client, 'users_me');
    const { access_token: fresh, refresh_token } = stored.tokens!;
    expect(fresh).not.toBe(expired);
    const form = new URLSearchParams({ client_id: stored.client!.client_id, token: refresh_token! });
    await fetch(`${sandbox.url}/oauth/revoke`, { method: 'POST', body: form });
    expect((await post(hello, {}, fresh)).status).toBe(401);
  });
});

describe('a request to the MCP server', () => {
  test.each([
    ['https://evil.example', 403],
    ['null', 403],
    ['http://127.0.0.1.evil.example', 403],
    ['http://localhost:6274', 200],
    ['http://127.0.0.1:1', 200],
  ])('from the origin %s gets %i', async (origin, status) => {
    const reply = await post(hello, { origin });
    await reply.text();
    expect(reply.status).toBe(status);
  });

  const wrong: [what: string, init: RequestInit, status: number][] = [
    ['another method', { method: 'PUT' }, 405],
    ['a preflight', { method: 'OPTIONS' }, 405],
    ['half a message', { body: '{' }, 400],
    ['a message before the first one', { body: JSON.stringify(list) }, 400],
    ['another type', { body: JSON.stringify(hello), headers: { 'content-type': 'text/plain' } }, 415],
    ['no type for the answer', { body: JSON.stringify(hello), headers: { accept: 'text/html' } }, 406],
    ['more than 1 MiB', { body: `"${'x'.repeat(1024 * 1024)}"` }, 413],
    ['more than 100 messages', { body: JSON.stringify(Array.from({ length: 101 }, () => list)) }, 400],
    ['an unknown session', { method: 'GET', headers: { 'mcp-session-id': 'unknown' } }, 404],
    ['the end of an unknown session', { method: 'DELETE', headers: { 'mcp-session-id': 'unknown' } }, 404],
  ];
  test.each(wrong)('with %s is refused', async (_, { headers, ...init }, status) => {
    const all = { ...json, authorization: `Bearer ${owner}`, ...(headers as Record<string, string>) };
    const reply = await fetch(sandbox.mcp, { method: 'POST', ...init, headers: all });
    await reply.text();
    expect(reply.status).toBe(status);
  });
});

test('the log of the sandbox has the messages, which no fault strikes, and what their tools request', async () => {
  await sandbox.admin('DELETE', 'log');
  await sandbox.admin('POST', 'faults', ['* 403']);
  const { client } = await connect('sandbox_admin');
  expect((await callTool(client, 'users_me')).error.code).toBe('forbidden');
  await sandbox.admin('DELETE', 'faults');
  const { log } = (await sandbox.admin('GET', 'log')) as { log: Record<string, unknown>[] };
  const call = log.find(({ body }) => String(body).includes('"users_me"'));
  expect(call).toMatchObject({ operation: 'mcp.message', status: 200, committed: false, token: 'admin', faults: [] });
  expect(log).toContainEqual(expect.objectContaining({ operation: 'users.me', faults: ['status'] }));
});

describe('a session', () => {
  test('belongs to its user, with any token of that user', async () => {
    const session = await sessionOf();
    expect(await statusIn(session, 'sandbox_user')).toBe(404);
    expect(await statusIn(session, 'sandbox_read_only')).toBe(200);
    const call = { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'users_me', arguments: {} } };
    const reply = await post(call, { 'mcp-session-id': session }, 'sandbox_events_only');
    expect(await reply.text()).toContain('users:read');
  });

  test('ends with DELETE, and after half an hour without a message', async () => {
    const deleted = await sessionOf();
    const headers = { authorization: `Bearer ${owner}`, 'mcp-session-id': deleted };
    expect((await fetch(sandbox.mcp, { method: 'DELETE', headers })).status).toBe(200);
    expect(await statusIn(deleted)).toBe(404);
    const [used, idle] = [await sessionOf(), await sessionOf()];
    sandbox.clock.time += 20 * 60_000;
    expect(await statusIn(used)).toBe(200);
    const stream = await fetch(sandbox.mcp, {
      headers: { ...json, authorization: `Bearer ${owner}`, 'mcp-session-id': idle },
    });
    sandbox.clock.time += 29 * 60_000;
    expect(await statusIn(used)).toBe(200);
    sandbox.clock.time += 60_000;
    sandbox.tick();
    // The stream of the session ends too, without another message.
    await stream.text();
    expect([await statusIn(used), await statusIn(idle)]).toEqual([200, 404]);
  });

  test('is the oldest of a user that ends when there are seventeen', async () => {
    const foreign = await sessionOf('sandbox_admin');
    const sessions: string[] = [];
    for (let count = 0; count < 17; count += 1) sessions.push(await sessionOf('sandbox_user'));
    const statuses = await Promise.all([0, 1, 16].map((index) => statusIn(sessions[index]!, 'sandbox_user')));
    expect(statuses).toEqual([404, 200, 200]);
    expect(await statusIn(foreign, 'sandbox_admin')).toBe(200);
  });

  test('repeats what a broken stream missed', async () => {
    const session = await sessionOf();
    const reply = await post(list, { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' });
    const [, first] = /^id: (\d+)/m.exec(await reply.text())!;
    const again = await fetch(sandbox.mcp, {
      headers: { ...json, authorization: `Bearer ${owner}`, 'mcp-session-id': session, 'last-event-id': first! },
    });
    expect(await again.text()).toContain('"events_list"');
  });
});
