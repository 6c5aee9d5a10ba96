import { beforeAll, describe, expect, it } from 'vitest';
import { fingerprint } from '../../../src/sandbox/oauth/ready-tokens.ts';
import { openWorld, origin, type World } from '../world.ts';
import { oauthOf, verifier } from './login.ts';

const mcp = `${origin}/mcp`;

describe('a client that registers itself', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
  });

  const register = async (metadata: unknown) => {
    const { status, body } = await world.call('POST', '/oauth/register', { token: null, body: metadata });
    return { status, body };
  };

  it('gets an ID and no secret', async () => {
    const { status, body } = await register({
      client_name: 'Desk\u202e helper\n',
      redirect_uris: ['http://localhost:3334/oauth/callback'],
      token_endpoint_auth_method: 'client_secret_post',
    });
    expect([status, body]).toEqual([
      201,
      {
        client_id: expect.stringMatching(/^sandbox_client_[\w-]{22}$/),
        client_id_issued_at: expect.any(Number),
        client_name: 'Desk helper',
        redirect_uris: ['http://localhost:3334/oauth/callback'],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      },
    ]);
    const { body: metadata } = await world.get('/.well-known/oauth-authorization-server', {}, { token: null });
    expect(metadata.registration_endpoint).toBe(`${origin}/oauth/register`);
  });

  it.each([
    ['https://evil.example/callback'],
    ['http://127.0.0.1.evil.example/callback'],
    ['http://127.0.0.1@evil.example/callback'],
    ['http://evil.example#@127.0.0.1/callback'],
    ['http://127.0.0.1:99999/callback'],
    ['http://127.0.0.1/callback#fragment'],
    [`http://127.0.0.1/${'x'.repeat(1000)}`],
  ])('is refused with the redirect URI %.50s', async (uri) => {
    const { status, body } = await register({ redirect_uris: ['http://127.0.0.1/callback', uri] });
    expect([status, body.error]).toEqual([400, 'invalid_redirect_uri']);
  });

  it.each([['[]'], ['{"redirect_uris":[]}'], ['{"redirect_uris":"http://127.0.0.1/"}'], ['{'], ['']])(
    'is refused with the body %s',
    async (body) => {
      expect((await register(body)).status).toBe(400);
    },
  );

  it('is refused if a web page sends it, which needs no permission for other types than JSON', async () => {
    const body = JSON.stringify({ redirect_uris: ['http://127.0.0.1/callback'] });
    const headers = { 'content-type': 'text/plain;application/json' };
    const reply = await world.send({ method: 'POST', url: `${origin}/oauth/register`, headers, body });
    expect([reply.status, JSON.parse(reply.body).error]).toEqual([400, 'invalid_client_metadata']);
  });

  it('is shown with its name, and redirected to any port of its own redirect URI only', async () => {
    const { body: client } = await register({
      client_name: '<b>Desk</b>',
      redirect_uris: ['http://localhost:3334/back'],
    });
    const oauth = oauthOf(world);
    const ask = (redirect_uri: string) => oauth.authorize({ client_id: client.client_id, redirect_uri });
    const page = await ask('http://localhost:4445/back');
    expect(page.body).toContain('&lt;b&gt;Desk&lt;/b&gt;, a program that gave itself this name');
    expect(page.body).toContain('a program on this computer');
    for (const other of ['http://localhost:3334/other', 'http://127.0.0.1:3334/back', 'https://localhost:3334/back'])
      expect((await ask(other)).body).toContain('is not registered for');
  });

  it('is forgotten after a hundred others', async () => {
    const oauth = oauthOf(world);
    const redirect_uri = 'http://127.0.0.1:1/callback';
    const first = (await register({ redirect_uris: [redirect_uri] })).body.client_id;
    world.store.transaction(() => {
      for (let index = 0; index < 98; index += 1)
        world.store.add('clients', { id: `other-${index}`, name: '', redirect_uris: '[]', created_at: '' });
    });
    const isKnown = async (client_id: string) => (await oauth.authorize({ client_id, redirect_uri })).status === 200;
    const second = (await register({ redirect_uris: [redirect_uri] })).body.client_id;
    expect([await isKnown(first), await isKnown(second)]).toEqual([true, true]);
    await register({ redirect_uris: [redirect_uri] });
    expect([await isKnown(first), await isKnown(second)]).toEqual([false, true]);
  });
});

describe('the resource of a login (RFC 8707)', () => {
  const forResource = (world: World, hash: string) =>
    world.store.all<{ resource: string | null }>('SELECT resource FROM access_tokens WHERE hash = ?', hash);

  it('stays with its tokens, also when they are refreshed', async () => {
    const world = await openWorld();
    const oauth = oauthOf(world);
    const first = await oauth.login({ resource: mcp });
    const { status, json: second } = await oauth.refresh(first.refresh_token, { resource: mcp });
    expect(status).toBe(200);
    for (const { access_token } of [first, second])
      expect(forResource(world, fingerprint(access_token))).toEqual([{ resource: '/mcp' }]);
    const wider = await oauth.refresh(second.refresh_token, { resource: origin });
    expect([wider.status, wider.json.error]).toEqual([400, 'invalid_target']);
    const plain = await oauth.login();
    expect(forResource(world, fingerprint(plain.access_token))).toEqual([{ resource: null }]);
  });

  it('is the API in a device login, which refuses another one', async () => {
    const oauth = oauthOf(await openWorld());
    const form = { client_id: 'sched-cli', scope: 'users:read' };
    const statusFor = async (more: object) =>
      (await oauth.post('/oauth/device_authorization', { ...form, ...more })).status;
    expect([await statusFor({}), await statusFor({ resource: origin }), await statusFor({ resource: mcp })]).toEqual([
      200, 200, 400,
    ]);
  });

  it('must be one of this server, and the same at both endpoints', async () => {
    const oauth = oauthOf(await openWorld());
    const errorOf = async (resource: string) => {
      const { location } = (await oauth.authorize({ resource })).headers;
      return new URL(location!).searchParams.get('error');
    };
    for (const other of ['https://elsewhere.example/mcp', `${origin}/mcp/other`, 'http://127.0.0.1:4011/mcp', 'mcp'])
      expect(await errorOf(other)).toBe('invalid_target');
    for (const [asked, sent] of [
      [mcp, origin],
      [undefined, mcp],
      [mcp, 'https://elsewhere.example/mcp'],
    ] as const) {
      const code = await oauth.code({ resource: asked });
      const { status, json } = await oauth.redeem(code, { resource: sent, code_verifier: verifier });
      expect([status, json.error]).toEqual([400, 'invalid_target']);
    }
    expect((await oauth.redeem(await oauth.code({ resource: `${mcp}/` }), { resource: mcp })).status).toBe(200);
    expect((await oauth.redeem(await oauth.code({ resource: mcp }))).status).toBe(200);
  });
});
