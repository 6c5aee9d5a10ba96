import { beforeEach, describe, expect, it } from 'vitest';
import { scopes } from '../../../src/api/scopes.ts';
import { amara, jonas, openWorld, organization, origin, tomas, type World } from '../world.ts';
import { challengeOf, type OAuth, oauthOf, redirectUri, scope, verifier } from './login.ts';

let world: World;
let oauth: OAuth;
beforeEach(async () => {
  world = await openWorld();
  oauth = oauthOf(world);
});

const me = async (token: string) => (await world.get('/users/me', {}, { token })).status;
const parametersOf = (location: string | undefined) => Object.fromEntries(new URL(location!).searchParams);

describe('oauth authorize', () => {
  it('shows a page that other sites cannot embed and that loads nothing from elsewhere', async () => {
    const { status, headers, body } = await oauth.authorize();
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'none'; form-action 'self' http://127.0.0.1:51515; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(body).toContain('<html lang="en">');
    expect(body).not.toMatch(/<script|https?:\/\//);
    for (const name of scope.split(' ')) expect(body).toContain(scopes[name as keyof typeof scopes].slice(1));
  });

  it('redirects with code, state and issuer after the user allows the request', async () => {
    const page = await oauth.authorize();
    const { status, headers } = await oauth.decide(page.body, {});
    expect([status, headers.location!.split('?')[0]]).toEqual([303, redirectUri]);
    expect(parametersOf(headers.location)).toEqual({
      code: expect.stringMatching(/^sandbox_code_[\w-]{43}$/),
      state: 'state-1',
      iss: 'http://127.0.0.1:4010',
    });
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  });

  it('redirects with access_denied after the user denies the request', async () => {
    const page = await oauth.authorize();
    const { status, headers } = await oauth.decide(page.body, { decision: 'deny' });
    expect(status).toBe(303);
    expect(parametersOf(headers.location)).toMatchObject({ error: 'access_denied', state: 'state-1' });
  });

  it.each([
    ['an unknown client', { client_id: 'nobody' }, ''],
    ['no client', { client_id: undefined }, ''],
    ['a client given twice', {}, '&client_id=sched-cli'],
    ['no redirect', { redirect_uri: undefined }, ''],
    ['a redirect given twice', {}, '&redirect_uri=https://evil.example/'],
    ['a foreign redirect', { redirect_uri: 'https://evil.example/callback' }, ''],
    ['another path', { redirect_uri: 'http://127.0.0.1:51515/callback/more' }, ''],
    ['a path that only becomes the right one', { redirect_uri: 'http://127.0.0.1:51515/x/../callback' }, ''],
    ['a query of its own', { redirect_uri: 'http://127.0.0.1:51515/callback?a=b' }, ''],
    ['a fragment', { redirect_uri: 'http://127.0.0.1:51515/callback#a' }, ''],
    ['a user', { redirect_uri: 'http://127.0.0.1:1@evil.example/callback' }, ''],
    ['https on the loopback', { redirect_uri: 'https://127.0.0.1:51515/callback' }, ''],
    ['a name for the loopback', { redirect_uri: 'http://localhost:51515/callback' }, ''],
    ['another spelling of the loopback', { redirect_uri: 'http://127.1:51515/callback' }, ''],
    ['a port out of range', { redirect_uri: 'http://127.0.0.1:70000/callback' }, ''],
    ["another client's redirect", { client_id: 'northlight-calendar' }, ''],
  ])('shows an error page and does not redirect: %s', async (_, changes, more) => {
    const { status, headers, body } = await oauth.authorize(changes, more);
    expect([status, headers.location]).toEqual([400, undefined]);
    expect(headers['content-security-policy']).toContain("form-action 'self';");
    expect(body).toContain('Invalid request');
    expect(body).not.toContain('evil');
  });

  it.each([
    ['a missing challenge', { code_challenge: undefined }, '', 'invalid_request'],
    ['a plain challenge', { code_challenge_method: 'plain' }, '', 'invalid_request'],
    ['a challenge without a method', { code_challenge_method: undefined }, '', 'invalid_request'],
    ['a challenge that is not a hash', { code_challenge: 'short' }, '', 'invalid_request'],
    ['no type', { response_type: undefined }, '', 'invalid_request'],
    ['another type', { response_type: 'token' }, '', 'unsupported_response_type'],
    ['no scope', { scope: undefined }, '', 'invalid_scope'],
    ['an unknown scope', { scope: 'users:read everything' }, '', 'invalid_scope'],
    ['a scope of Object', { scope: 'constructor' }, '', 'invalid_scope'],
    ['a repeated challenge', {}, `&code_challenge=${challengeOf('x')}`, 'invalid_request'],
    ['a repeated scope', {}, '&scope=users:read', 'invalid_request'],
  ])('redirects with an error for %s', async (_, changes, more, error) => {
    const { status, headers } = await oauth.authorize(changes, more);
    expect(status).toBe(302);
    expect(headers.location!.startsWith(`${redirectUri}?`)).toBe(true);
    const told = parametersOf(headers.location);
    expect(told).toMatchObject({ error, state: 'state-1', iss: 'http://127.0.0.1:4010' });
    expect(told.code).toBeUndefined();
  });

  it('omits a state that was given twice', async () => {
    const { headers } = await oauth.authorize({}, '&state=other');
    expect(parametersOf(headers.location)).toEqual({
      error: 'invalid_request',
      error_description: expect.any(String),
      iss: 'http://127.0.0.1:4010',
    });
  });

  it('accepts any port on either loopback address', async () => {
    for (const address of ['http://127.0.0.1:1/callback', 'http://[::1]:65535/callback', 'http://127.0.0.1/callback'])
      expect((await oauth.authorize({ redirect_uri: address })).status).toBe(200);
  });

  it('rejects a form that did not come from its own page in the last ten minutes', async () => {
    const { body } = await oauth.authorize();
    const refused = async (fields: Record<string, string>, headers?: Record<string, string>) => {
      const reply = await oauth.decide(body, fields, headers);
      expect([reply.status, reply.headers.location]).toEqual([400, undefined]);
    };
    await refused({}, { 'sec-fetch-site': 'cross-site' });
    await refused({}, { 'sec-fetch-site': 'same-site' });
    await refused({ ticket: '' });
    await refused({ ticket: 'e30.AAAA' });
    await refused({ user: 'elif' });
    await refused({ decision: 'maybe' });
    const [payload, signature] = /value="([^"]+)\.([^"]+)"/.exec(body)!.slice(1);
    const forged = Buffer.from(Buffer.from(payload!, 'base64url').toString().replace('51515', '51516'));
    await refused({ ticket: `${forged.toString('base64url')}.${signature}` });
    await refused({}, { 'content-type': 'text/plain' });
    world.clock.time += 600_001;
    await refused({});
    world.clock.time -= 1;
    expect((await oauth.decide(body, {}, { 'sec-fetch-site': 'same-origin' })).status).toBe(303);
  });

  it('with autoConsent, redirects at once as the user in login_hint', async () => {
    const scripted = await openWorld({ oauth: { autoConsent: true } });
    const auto = oauthOf(scripted);
    for (const [login_hint, owner] of [
      [undefined, amara],
      ['admin', jonas],
      ['user', tomas],
    ] as const) {
      const { status, headers } = await auto.authorize({ login_hint });
      expect(status).toBe(302);
      expect((await auto.redeem(auto.codeIn(headers.location))).json.owner).toBe(owner);
    }
    expect((await auto.authorize({ code_challenge: undefined })).headers.location).toContain('invalid_request');
  });

  it('answers HEAD like GET', async () => {
    for (const path of ['/oauth/device', '/.well-known/oauth-authorization-server', '/oauth/authorize']) {
      const [get, head] = await Promise.all(
        ['GET', 'HEAD'].map((method) => world.send({ method, url: `http://127.0.0.1:4010${path}`, headers: {} })),
      );
      expect([path, head!.status], path).toEqual([path, get!.status]);
    }
  });

  it('answers 405 to other methods', async () => {
    for (const [method, path, allow] of [
      ['DELETE', '/oauth/authorize', 'GET, POST'],
      ['GET', '/oauth/token', 'POST'],
      ['OPTIONS', '/oauth/token', 'POST'],
      ['GET', '/oauth/revoke', 'POST'],
      ['POST', '/.well-known/oauth-authorization-server', 'GET'],
    ] as const) {
      const { status, headers } = await world.call(method, path);
      expect([path, status, headers.allow]).toEqual([path, 405, allow]);
    }
  });
});

describe('oauth token', () => {
  it('issues tokens for the chosen user and the granted scopes', async () => {
    const { status, headers, json } = await oauth.redeem(await oauth.code({}, { user: 'admin' }));
    expect([status, headers['cache-control'], headers['content-type']]).toEqual([200, 'no-store', 'application/json']);
    expect(json).toEqual({
      access_token: expect.stringMatching(/^sandbox_access_/),
      refresh_token: expect.stringMatching(/^sandbox_refresh_/),
      token_type: 'Bearer',
      scope,
      expires_in: 7200,
      created_at: world.clock.time / 1000,
      owner: jonas,
      organization,
    });
    expect(await me(json.access_token)).toBe(200);
    const other = await world.get('/groups', { organization }, { token: json.access_token });
    expect([other.status, other.body.title]).toEqual([403, 'Insufficient scope']);
  });

  it('stores no secret in plain text', async () => {
    const { access_token, refresh_token } = await oauth.login();
    const code = await oauth.code();
    const kept = world.store
      .all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .map(({ name }) => JSON.stringify(world.store.all(`SELECT * FROM "${name}"`)))
      .join();
    for (const secret of [access_token, refresh_token, code, 'sandbox_owner', 'sandbox_legacy_refresh'])
      expect(kept).not.toContain(secret);
  });

  const refused = async (code: string, changes: Record<string, string>, error: string, status = 400) => {
    const reply = await oauth.redeem(code, changes);
    expect([reply.status, reply.json.error]).toEqual([status, error]);
    expect(reply.headers['cache-control']).toBe('no-store');
  };

  it('rejects a code used twice and revokes its tokens', async () => {
    const code = await oauth.code();
    const { json } = await oauth.redeem(code);
    const refreshed = (await oauth.refresh(json.refresh_token)).json;
    await refused(code, {}, 'invalid_grant');
    expect(await me(json.access_token)).toBe(401);
    expect(await me(refreshed.access_token)).toBe(401);
    expect((await oauth.refresh(refreshed.refresh_token)).json.error).toBe('invalid_grant');
  });

  it.each([
    ['a wrong verifier', { code_verifier: 'b'.repeat(43) }, 'invalid_grant'],
    ['another redirect', { redirect_uri: 'http://127.0.0.1:51516/callback' }, 'invalid_grant'],
    ['another client', { client_id: 'northlight-calendar' }, 'invalid_grant'],
    ['an unknown code', { code: 'sandbox_code_x' }, 'invalid_grant'],
    ['a malformed verifier', { code_verifier: 'short' }, 'invalid_request'],
    ['no verifier', { code_verifier: '' }, 'invalid_request'],
    ['no code', { code: '' }, 'invalid_request'],
    ['no redirect', { redirect_uri: '' }, 'invalid_request'],
    ['no client', { client_id: '' }, 'invalid_request'],
    ['no grant type', { grant_type: '' }, 'invalid_request'],
    ['an unsupported grant type', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['a grant of Object', { grant_type: 'constructor' }, 'unsupported_grant_type'],
  ])('rejects %s', async (_, changes, error) => refused(await oauth.code(), changes, error));

  it('rejects an unknown client with 401', async () =>
    refused(await oauth.code(), { client_id: 'nobody' }, 'invalid_client', 401));

  it('allows a single attempt per code', async () => {
    const code = await oauth.code();
    await refused(code, { code_verifier: 'b'.repeat(43) }, 'invalid_grant');
    await refused(code, {}, 'invalid_grant');
  });

  it('does not let another client use up a code', async () => {
    const code = await oauth.code();
    await refused(code, { client_id: 'northlight-calendar' }, 'invalid_grant');
    expect((await oauth.redeem(code)).status).toBe(200);
  });

  it('rejects a code after ten minutes', async () => {
    const [soon, late] = [await oauth.code(), await oauth.code()];
    world.clock.time += 599_999;
    expect((await oauth.redeem(soon)).status).toBe(200);
    world.clock.time += 1;
    await refused(late, {}, 'invalid_grant');
  });

  it('says that HTTP Basic is not offered', async () => {
    const { status, headers, body } = await world.send({
      method: 'POST',
      url: `${origin}/oauth/token`,
      headers: {
        authorization: `Basic ${btoa('sched-cli:')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=authorization_code&code=x',
    });
    expect([status, headers['www-authenticate']]).toEqual([401, 'Basic realm="not offered"']);
    expect(JSON.parse(body)).toEqual({
      error: 'invalid_client',
      error_description: "HTTP Basic isn't offered: send client_id as a field of the form.",
    });
  });

  // Comparing each name with all others takes longer than the time limit of a test.
  it('reads a form of 95,000 names', async () => {
    const names = Array.from({ length: 95_000 }, (_, index) => `n${index}=x`).join('&');
    expect((await oauth.token('n7=x')).json.error_description).toBe('client_id is missing.');
    expect((await oauth.token(`${names}&n7=y`)).json.error_description).toBe('Parameter given more than once: n7.');
  });

  it('rejects repeated parameters and bodies that are not forms', async () => {
    const code = await oauth.code();
    const form = `grant_type=authorization_code&client_id=sched-cli&code=${code}&code_verifier=${verifier}&redirect_uri=${encodeURIComponent(redirectUri)}`;
    for (const name of ['code', 'code_verifier', 'client_id', 'grant_type'])
      expect((await oauth.token(`${form}&${name}=x`)).json.error).toBe('invalid_request');
    const json = await oauth.post('/oauth/token', '', { 'content-type': 'application/json' });
    expect([json.status, JSON.parse(json.body).error]).toEqual([400, 'invalid_request']);
    expect((await oauth.token(form)).status).toBe(200);
  });

  it('allows eight requests per minute and user', async () => {
    const limited = await openWorld({ limits: true });
    const server = oauthOf(limited);
    let token = (await server.login()).refresh_token;
    for (let turn = 1; turn < 8; turn++) {
      const { status, headers, json } = await server.refresh(token);
      expect([status, headers['x-ratelimit-remaining']]).toEqual([200, String(7 - turn)]);
      token = json.refresh_token;
    }
    limited.clock.time += 30_001;
    const full = await server.refresh(token);
    expect([full.status, full.json.error]).toEqual([429, 'rate_limited']);
    expect(full.headers).toMatchObject({
      'x-ratelimit-limit': '8',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '30',
    });
    expect((await server.login({}, { user: 'admin' })).owner).toBe(jonas);
    limited.clock.time += 29_999;
    expect((await server.refresh(token)).status).toBe(200);
  });
});

describe('oauth refresh', () => {
  it('issues new tokens for a refresh token', async () => {
    const first = await oauth.login();
    world.clock.time += 1_000_000;
    const { status, json } = await oauth.refresh(first.refresh_token);
    expect(status).toBe(200);
    expect(json).toMatchObject({ scope, owner: amara, expires_in: 7200, created_at: world.clock.time / 1000 });
    expect(json.refresh_token).not.toBe(first.refresh_token);
    expect(await me(json.access_token)).toBe(200);
  });

  it('revokes all tokens of a login, and of no other, when a refresh token is used twice', async () => {
    const other = await oauth.login();
    const first = await oauth.login();
    const second = (await oauth.refresh(first.refresh_token)).json;
    const third = (await oauth.refresh(second.refresh_token)).json;
    expect((await oauth.refresh(first.refresh_token)).json.error).toBe('invalid_grant');
    for (const { access_token, refresh_token } of [first, second, third]) {
      expect(await me(access_token)).toBe(401);
      expect((await oauth.refresh(refresh_token)).json.error).toBe('invalid_grant');
    }
    expect(await me(other.access_token)).toBe(200);
    expect((await oauth.refresh(other.refresh_token)).status).toBe(200);
  });

  it('returns the same reply within the replay window', async () => {
    const kind = await openWorld({ oauth: { refreshReplayMilliseconds: 10_000 } });
    const server = oauthOf(kind);
    const first = await server.login();
    const one = await server.refresh(first.refresh_token);
    kind.clock.time += 9_999;
    const two = await server.refresh(first.refresh_token);
    expect([two.status, two.json]).toEqual([200, one.json]);
    kind.clock.time += 1;
    expect((await server.refresh(first.refresh_token)).json.error).toBe('invalid_grant');
    expect((await kind.get('/users/me', {}, { token: one.json.access_token })).status).toBe(401);
  });

  it('rejects the refresh token of another client', async () => {
    const { refresh_token } = await oauth.login();
    expect((await oauth.refresh(refresh_token, { client_id: 'northlight-calendar' })).json.error).toBe('invalid_grant');
    expect((await oauth.refresh('sandbox_refresh_x')).json.error).toBe('invalid_grant');
    expect((await oauth.refresh(refresh_token)).status).toBe(200);
  });

  it('converts a legacy token to one with all scopes', async () => {
    expect(await me('sandbox_legacy')).toBe(200);
    const { status, json } = await oauth.refresh('sandbox_legacy_refresh');
    expect([status, json.scope]).toEqual([200, Object.keys(scopes).join(' ')]);
    expect(await me('sandbox_legacy')).toBe(401);
    expect(await me(json.access_token)).toBe(200);
    expect((await oauth.refresh(json.refresh_token)).json.scope).toBe(json.scope);
  });

  it('accepts a refresh token once when two processes share a file', async () => {
    const { refresh_token } = await oauth.login();
    const other = await openWorld({ file: world.file });
    const replies = await Promise.all([oauth.refresh(refresh_token), oauthOf(other).refresh(refresh_token)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400]);
    other.store.close();
  });
});

describe('oauth revoke', () => {
  const revoke = (token: string, client_id = 'sched-cli') => oauth.post('/oauth/revoke', { token, client_id });

  it('ends the login of a refresh token, but only the token itself for an access token', async () => {
    const [one, two] = [await oauth.login(), await oauth.login()];
    expect((await revoke(one.refresh_token)).status).toBe(200);
    expect(await me(one.access_token)).toBe(401);
    expect((await revoke(two.access_token)).status).toBe(200);
    expect(await me(two.access_token)).toBe(401);
    expect((await oauth.refresh(two.refresh_token)).status).toBe(200);
  });

  it('returns 200 for unknown tokens and leaves the tokens of other clients alone', async () => {
    const { access_token, refresh_token } = await oauth.login();
    for (const token of ['sandbox_nothing', 'sandbox_owner']) expect((await revoke(token)).status).toBe(200);
    for (const token of [access_token, refresh_token])
      expect((await revoke(token, 'northlight-calendar')).status).toBe(200);
    expect([await me('sandbox_owner'), await me(access_token)]).toEqual([200, 200]);
    expect((await oauth.refresh(refresh_token)).status).toBe(200);
  });
});

describe('oauth metadata', () => {
  it.each(['oauth-authorization-server', 'openid-configuration'])(
    'describes the server under the requested address in %s',
    async (document) => {
      const url = `http://localhost:9999/.well-known/${document}`;
      const { status, body } = await world.get(url, {}, { token: null });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        issuer: 'http://localhost:9999',
        authorization_endpoint: 'http://localhost:9999/oauth/authorize',
        token_endpoint: 'http://localhost:9999/oauth/token',
        revocation_endpoint: 'http://localhost:9999/oauth/revoke',
        device_authorization_endpoint: 'http://localhost:9999/oauth/device_authorization',
        code_challenge_methods_supported: ['S256'],
        grant_types_supported: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
        token_endpoint_auth_methods_supported: ['none'],
        authorization_response_iss_parameter_supported: true,
      });
      // There are no ID tokens, so nothing is claimed about them.
      expect(Object.keys(body as object).filter((name) => /id_token|jwks|userinfo/.test(name))).toEqual([]);
    },
  );
});

describe('oauth introspect', () => {
  const describeOf = async (token: string, more: object = {}) => {
    const { status, body } = await oauth.post('/oauth/introspect', { client_id: 'sched-cli', token, ...more });
    return { status, body: JSON.parse(body) };
  };

  it('says what a token is good for, until it ends', async () => {
    const { access_token, refresh_token } = await oauth.login({ resource: `${origin}/mcp` });
    const now = Math.floor(world.clock.time / 1000);
    const facts = {
      active: true,
      scope,
      client_id: 'sched-cli',
      sub: amara,
      aud: `${origin}/mcp`,
      iss: origin,
      iat: now,
    };
    expect((await describeOf(access_token)).body).toEqual({ ...facts, token_type: 'Bearer', exp: now + 7200 });
    expect((await describeOf(refresh_token)).body).toEqual(facts);
    expect((await describeOf('sandbox_owner')).body).toMatchObject({ active: true, sub: amara, aud: origin });
    await oauth.refresh(refresh_token);
    expect((await describeOf(refresh_token)).body).toEqual({ active: false });
    world.clock.time += 7_200_000;
    expect((await describeOf(access_token)).body).toEqual({ active: false });
    expect((await describeOf('sandbox_nothing')).body).toEqual({ active: false });
  });

  it('refuses an unknown client, and a request without a token', async () => {
    expect((await describeOf('sandbox_owner', { client_id: 'nobody' })).status).toBe(401);
    expect((await describeOf('')).status).toBe(400);
  });
});
