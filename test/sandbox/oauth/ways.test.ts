import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { allOperations } from '../../../src/api/catalogue.ts';
import { limits } from '../../../src/api/limits.ts';
import { knownScopes } from '../../../src/api/scopes.ts';
import type { Send } from '../../../src/http/message.ts';
import { createEndpoint } from '../../../src/sandbox/mcp/endpoint.ts';
import { fingerprint, loginsIn } from '../../../src/sandbox/oauth/ready-tokens.ts';
import { changePlan, plans } from '../../../src/sandbox/rules/subscription.ts';
import { timestamp } from '../../../src/sandbox/store/names.ts';
import { seededFile } from '../../support/seeded.ts';
import { random, sample } from '../../support/tier.ts';
import { openAt } from '../world/every-body.ts';
import { noon, organization, origin, user } from '../world.ts';
import { type OAuth, oauthOf } from './login.ts';

const mcp = `${origin}/mcp`;
const deviceForm = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', client_id: 'sched-cli' };

/** A device login that somebody allowed. */
const startDevice = async ({ oauth, send }: { oauth: OAuth; send: Send }, scope: string, role: string) => {
  const reply = await oauth.post('/oauth/device_authorization', { client_id: 'sched-cli', scope });
  const { device_code, user_code } = JSON.parse(reply.body);
  const page = await send({ method: 'GET', url: `${origin}/oauth/device?user_code=${user_code}`, headers: {} });
  const ticket = /name="ticket" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
  await oauth.post('/oauth/device', { ticket, user: role, decision: 'allow' });
  return { device_code };
};

const openServer = async () => {
  const clock = { time: noon, now: () => clock.time };
  const sandbox = await openAt(noon, { file: await seededFile(noon), clock });
  const { service: send, call } = sandbox;
  const oauth = oauthOf({ send });
  let given = '';
  const answer = async (_: Request, caller: { token: string }) => {
    given = caller.token;
    return new Response('{}');
  };
  const endpoint = createEndpoint({ sandbox, randomBytes, open: async () => ({ answer, close: async () => {} }) });
  const atMcp = async (token: string) =>
    (await endpoint.answer({ method: 'POST', url: mcp, headers: { authorization: `Bearer ${token}` }, body: '{}' }))!
      .status;
  /** The token with which the MCP server asks the API for whoever has this one. */
  const exchanged = async (token: string) => {
    expect(await atMcp(token)).toBe(200);
    return given;
  };
  const device = async (scope: string, role: string) => {
    const { device_code } = await startDevice({ oauth, send }, scope, role);
    return (await oauth.token({ ...deviceForm, device_code })).json;
  };
  return { ...sandbox, clock, oauth, exchanged, atMcp, device, call };
};

type Server = Awaited<ReturnType<typeof openServer>>;

interface Got {
  token: string;
  /** The refresh token of the login, if there is one. */
  refresh?: string;
  /** Where the token works. */
  resource: 'api' | 'mcp' | 'both';
}

/** How somebody can get a token with these scopes. */
const ways: Record<string, (server: Server, scope: string, role: string) => Promise<Got>> = {
  'made by hand': async ({ store }, scope, role) => {
    const token = `sandbox_own_${scope.replaceAll(/\W/g, '_')}_${role}`;
    const { id } = loginsIn(store).find((login) => login.role === role)!;
    store.add(
      'access_tokens',
      { hash: fingerprint(token), user: id, scopes: scope, created_at: timestamp(noon) },
      'IGNORE',
    );
    return { token, resource: 'both' };
  },
  'from a code': async ({ oauth }, scope, role) => {
    const { access_token: token, refresh_token: refresh } = await oauth.login({ scope }, { user: role });
    return { token, refresh, resource: 'api' };
  },
  'from a code, for the MCP server': async ({ oauth }, scope, role) => {
    const { access_token: token, refresh_token: refresh } = await oauth.login({ scope, resource: mcp }, { user: role });
    return { token, refresh, resource: 'mcp' };
  },
  refreshed: async ({ oauth }, scope, role) => {
    const login = await oauth.login({ scope }, { user: role });
    const { access_token: token, refresh_token: refresh } = (await oauth.refresh(login.refresh_token)).json;
    return { token, refresh, resource: 'api' };
  },
  'refreshed, for the MCP server': async ({ oauth }, scope, role) => {
    const login = await oauth.login({ scope, resource: mcp }, { user: role });
    const { access_token: token, refresh_token: refresh } = (await oauth.refresh(login.refresh_token)).json;
    return { token, refresh, resource: 'mcp' };
  },
  'for a device': async ({ device }, scope, role) => {
    const { access_token: token, refresh_token: refresh } = await device(scope, role);
    return { token, refresh, resource: 'api' };
  },
  'exchanged by the MCP server': async (server, scope, role) => {
    const { access_token, refresh_token: refresh } = await server.oauth.login({ scope, resource: mcp }, { user: role });
    return { token: await server.exchanged(access_token), refresh, resource: 'api' };
  },
  'refreshed and exchanged': async (server, scope, role) => {
    const login = await server.oauth.login({ scope, resource: mcp }, { user: role });
    const { access_token, refresh_token: refresh } = (await server.oauth.refresh(login.refresh_token)).json;
    return { token: await server.exchanged(access_token), refresh, resource: 'api' };
  },
};

const operations = (await allOperations()).filter(({ scope, optional }) => scope !== undefined && !optional);

/** What only admins and the owner may ask. */
const forAdmins = [
  `/activity_log_entries?${new URLSearchParams({ organization })}`,
  `/organization_invitations?${new URLSearchParams({ organization })}`,
  `/scheduled_events?${new URLSearchParams({ organization, user: user('amara') })}`,
];

describe.each(Object.entries(ways))('a token %s', (way, get) => {
  let server: Server;
  beforeAll(async () => {
    server = await openServer();
  });
  const status = async (token: string, path = '/users/me') => (await server.call('GET', path, undefined, token)).status;

  // R60
  test('allows what its scopes, its role and the plan do, and nothing else', async () => {
    const cells = plans.flatMap((plan) => ['owner', 'admin', 'user'].map((role) => ({ plan, role })));
    for (const { plan, role } of sample(cells, 2)) {
      changePlan(server.store, plan);
      const some = knownScopes.filter(() => random() < 0.4);
      const scopes = some.length === 0 ? ['users:read'] : some;
      const got = await get(server, scopes.join(' '), role);
      const token = got.resource === 'mcp' ? await server.exchanged(got.token) : got.token;
      const has = (scope: string) => scopes.some((each) => each === scope || each === scope.replace(':read', ':write'));
      for (const { name, method, path, scope, plan: needed } of operations) {
        const place = path.replaceAll(/\{\w+\}/g, 'NOBODY');
        const { body } = await server.call(method, place, method === 'GET' ? undefined : {}, token);
        const why = body.required_scopes ?? (/Enterprise/.test(body.message) ? 'plan' : 'neither');
        const expected = has(scope!) ? (needed === undefined || needed === plan ? 'neither' : 'plan') : [scope];
        expect([name, scopes, role, plan, why]).toEqual([name, scopes, role, plan, expected]);
      }
      const all = await get(server, knownScopes.join(' '), role);
      const whole = all.resource === 'mcp' ? await server.exchanged(all.token) : all.token;
      changePlan(server.store, 'enterprise');
      for (const path of forAdmins)
        expect([role, await status(whole, path)]).toEqual([role, role === 'user' ? 403 : 200]);
    }
  });

  test('works at the resource that it is for, and nowhere else', async () => {
    const { token, refresh, resource } = await get(server, 'users:read', 'user');
    expect([await status(token), await server.atMcp(token)]).toEqual([
      resource === 'mcp' ? 401 : 200,
      resource === 'api' ? 401 : 200,
    ]);
    if (refresh === undefined) return;
    // RFC 8707 §2.2: a refresh token gets no token for another resource.
    const [own, other] = way.includes('MCP') || way.includes('exchanged') ? [mcp, origin] : [origin, mcp];
    expect((await server.oauth.refresh(refresh, { resource: other })).json.error).toBe('invalid_target');
    expect((await server.oauth.refresh(refresh, { resource: own })).status).toBe(200);
  });

  test.each(['its time is over', 'its login is revoked', 'its login is used twice', 'its user is removed'])(
    'ends when %s',
    async (end) => {
      server = await openServer();
      const got = await get(server, 'users:read', 'user');
      const { refresh } = got;
      const token = got.resource === 'mcp' ? await server.exchanged(got.token) : got.token;
      expect(await status(token)).toBe(200);
      const { oauth, store, clock, call } = server;
      if (end === 'its time is over') {
        clock.time += limits.accessTokenSeconds * 1000 - 1;
        expect(await status(token)).toBe(200);
        clock.time += 1;
      } else if (end === 'its login is revoked') {
        await oauth.post('/oauth/revoke', { client_id: 'sched-cli', token: refresh ?? token });
      } else if (end === 'its login is used twice') {
        for (let time = 0; time < 2; time++) await oauth.refresh(refresh ?? '');
      } else {
        const { id } = loginsIn(store).find(({ role }) => role === 'user')!;
        const { id: member } = store.first<{ id: string }>('SELECT id FROM memberships WHERE user = ?', id)!;
        expect((await call('DELETE', `/organization_memberships/${member}`)).status).toBe(204);
      }
      const isOver = refresh !== undefined || end === 'its user is removed';
      expect(await status(token)).toBe(isOver ? 401 : 200);
      const asked = await oauth.post('/oauth/introspect', { client_id: 'sched-cli', token });
      expect(JSON.parse(asked.body).active).toBe(!isOver);
      if (got.resource !== 'api') expect(await server.atMcp(got.token)).toBe(isOver ? 401 : 200);
      if (refresh !== undefined)
        expect((await oauth.refresh(refresh)).status).toBe(end === 'its time is over' ? 200 : 400);
    },
  );
});

test('what somebody allowed gives no token once they are removed', async () => {
  const { oauth, service: send, call, store } = await openServer();
  const code = await oauth.code({}, { user: 'user' });
  const { device_code } = await startDevice({ oauth, send }, 'users:read', 'user');
  const { id } = loginsIn(store).find(({ role }) => role === 'user')!;
  const { id: member } = store.first<{ id: string }>('SELECT id FROM memberships WHERE user = ?', id)!;
  expect((await call('DELETE', `/organization_memberships/${member}`)).status).toBe(204);
  for (const reply of [await oauth.redeem(code), await oauth.token({ ...deviceForm, device_code })])
    expect([reply.status, reply.json.error]).toEqual([400, 'invalid_grant']);
});
