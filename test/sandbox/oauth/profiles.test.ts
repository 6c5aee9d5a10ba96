import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createSandbox, type OAuthProfileName, type Sandbox } from '../../../src/create-sandbox.ts';
import { type ProfileName, profileNames, profiles } from '../../../src/sandbox/oauth/profiles.ts';
import { closeLater } from '../../support/temporary.ts';

const origin = 'https://sched.test';
const redirectUri = 'http://127.0.0.1:8910/callback';

// biome-ignore lint/suspicious/noExplicitAny: a test reads any reply
type Json = any;

/** What a client does wrong. */
interface Defects {
  noChallenge?: true;
  resource?: string;
  redirectUri?: string;
  noState?: true;
  usesCodeTwice?: true;
  ignoresExpiry?: true;
  usesRefreshTwice?: true;
  putsTokenInUrl?: true;
  ignoresIssuer?: true;
  needsRegistration?: true;
}

const open = async (oauth?: OAuthProfileName): Promise<Sandbox> => {
  const sandbox = await createSandbox({ listen: false, limits: false, autoConsent: true, world: 'empty', oauth });
  closeLater(() => void sandbox.close());
  return sandbox;
};

/** A client that follows the metadata: it registers if it can, else it uses the ID that `sched` has. */
const login = async (sandbox: Sandbox, defects: Defects = {}, documentUrl = 'http://127.0.0.1:1/client.json') => {
  const ask = async (path: string, more: RequestInit = {}): Promise<{ status: number; json: Json; location: URL }> => {
    const reply = await sandbox.fetch(new Request(new URL(path, origin), more));
    const text = await reply.text();
    const json = text !== '' && reply.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined;
    return { status: reply.status, json, location: new URL(reply.headers.get('location') ?? 'about:blank') };
  };
  const { json: metadata = {} } = await ask('/.well-known/oauth-authorization-server');
  const isOther = metadata.issuer !== undefined && metadata.issuer !== origin && !defects.ignoresIssuer;
  if (isOther || (defects.needsRegistration && metadata.registration_endpoint === undefined))
    return { status: 0, tokens: {} as Json };
  let client: Json = { client_id: 'sched-cli', client_secret: 'sandbox_client_secret' };
  if (metadata.client_id_metadata_document_supported) client = { client_id: documentUrl };
  else if (metadata.registration_endpoint !== undefined) {
    const body = JSON.stringify({ redirect_uris: [redirectUri], client_name: 'Test' });
    client = (await ask('/oauth/register', { method: 'POST', body, headers: { 'content-type': 'application/json' } }))
      .json;
  }
  const verifier = 'v'.repeat(43);
  const query = {
    client_id: client.client_id,
    response_type: 'code',
    redirect_uri: defects.redirectUri ?? redirectUri,
    scope: 'users:read',
    ...(defects.noState ? {} : { state: 's' }),
    ...(defects.resource === undefined ? {} : { resource: defects.resource }),
    ...(defects.noChallenge
      ? {}
      : {
          code_challenge: createHash('sha256').update(verifier).digest('base64url'),
          code_challenge_method: 'S256',
        }),
  };
  const isBasic = metadata.token_endpoint_auth_methods_supported?.includes('client_secret_basic');
  const token = async (form: Record<string, string>) => {
    const headers: Record<string, string> = isBasic
      ? { authorization: `Basic ${btoa(`${client.client_id}:${client.client_secret}`)}` }
      : {};
    const id: Record<string, string> = isBasic ? {} : { client_id: client.client_id };
    return ask('/oauth/token', { method: 'POST', headers, body: new URLSearchParams({ ...form, ...id }) });
  };
  const authorize = async (): Promise<Json> => {
    const { location } = await ask(`/oauth/authorize?${new URLSearchParams(query)}`);
    const code = location.searchParams.get('code');
    if (code === null) return undefined;
    const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri };
    const { json } = await token(form);
    if (defects.usesCodeTwice) await token(form);
    return json;
  };
  const call = (access: string) =>
    defects.putsTokenInUrl
      ? ask(`/users/me?access_token=${access}`)
      : ask('/users/me', { headers: { authorization: `Bearer ${access}` } });
  const tokens = await authorize();
  if (tokens === undefined) return { status: 0, tokens: {} as Json };
  const { status } = await call(tokens.access_token);
  if (status !== 200) return { status, tokens };
  const late: Awaited<ReturnType<typeof call>>[] = [];
  const waitForExpiry = async (access: string) => {
    await sandbox.clock.advance('2h1m');
    late.push(await call(access), await call(access));
  };
  await waitForExpiry(tokens.access_token);
  if (defects.ignoresExpiry) await call(tokens.access_token);
  else if (tokens.refresh_token !== undefined) {
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token };
    const { json: fresh } = await token(refresh);
    if (defects.usesRefreshTwice) await token(refresh);
    else if (fresh.access_token !== undefined) late.push(await call(fresh.access_token));
  } else {
    await waitForExpiry((await authorize()).access_token);
    late.push(await call((await authorize()).access_token));
  }
  return { status, tokens, late: late.map((each) => each.status) };
};

const missedBy = async (sandbox: Sandbox) =>
  (await sandbox.oauth()).filter(({ missed }) => missed !== null).map(({ step, missed }) => `${step}: ${missed}`);

/** A document of a client, at an address of this machine. */
const serveDocument = async () => {
  const server = createServer((_, response) => {
    const id = `http://127.0.0.1:${(server.address() as AddressInfo).port}/client.json`;
    const body = JSON.stringify({ client_id: id, redirect_uris: [redirectUri], client_name: 'CANARY' });
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeLater(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/client.json`;
};

describe('a correct client', () => {
  const others = profileNames.filter((name) => name !== 'wrong-issuer');
  test.each(others)('copes with %s, and misses no rule', async (name) => {
    const sandbox = await open(name);
    const { status, tokens, late = [] } = await login(sandbox, {}, await serveDocument());
    expect(await missedBy(sandbox)).toEqual([]);
    expect(status).toBe(200);
    expect(tokens.expires_in).toBe(/short|reuse/.test(name) ? 30 : 7200);
    expect(late).toEqual(name === 'no-refresh' ? [401, 401, 401, 401, 200] : [401, 401, 200]);
  });

  test('stops at wrong-issuer, and misses no rule', async () => {
    const sandbox = await open('wrong-issuer');
    expect((await login(sandbox)).status).toBe(0);
    expect((await sandbox.oauth()).map(({ step, missed }) => [step, missed])).toEqual([['discovery', null]]);
  });

  test('is told apart from others, with its steps in order', async () => {
    const sandbox = await open();
    await login(sandbox);
    await login(sandbox);
    const story = await sandbox.oauth();
    expect(new Set(story.map(({ client }) => client)).size).toBe(2);
    const steps = ['discovery', 'registration', 'authorize', 'token', 'call', 'call', 'refresh', 'call'];
    expect(story.map(({ step }) => step)).toEqual([...steps, ...steps]);
    expect(story.map(({ status }) => status).slice(0, 8)).toEqual([200, 201, 302, 200, 200, 401, 200, 200]);
  });
});

describe('a client with a defect', () => {
  test.each<[string, Defects, string]>([
    ['no PKCE', { noChallenge: true }, 'authorize: RFC 7636 §4.3'],
    ['a wrong resource', { resource: 'https://other.test/mcp' }, 'authorize: RFC 8707 §2'],
    ['a token for another resource', { resource: `${origin}/mcp` }, 'call: RFC 8707 §2'],
    ['a wrong redirect', { redirectUri: 'http://127.0.0.1:8910/other' }, 'authorize: RFC 6749 §3.1.2.3'],
    ['no state', { noState: true }, 'authorize: RFC 6749 §10.12'],
    ['a code that is used twice', { usesCodeTwice: true }, 'token: RFC 6749 §4.1.2'],
    ['no refresh', { ignoresExpiry: true }, 'call: RFC 6749 §1.5'],
    ['a refresh token that is used twice', { usesRefreshTwice: true }, 'refresh: RFC 9700 §4.14.2'],
    ['a token in the URL', { putsTokenInUrl: true }, 'call: RFC 6750 §2.3'],
  ])('is told its rule: %s', async (_, defects, rule) => {
    const sandbox = await open();
    const { tokens } = await login(sandbox, defects);
    expect(await missedBy(sandbox)).toEqual([expect.stringContaining(`${rule}: `)]);
    // No secret is in what people read.
    const text = JSON.stringify([await sandbox.oauth(), await sandbox.log()]);
    for (const secret of [tokens.access_token, tokens.refresh_token])
      if (secret !== undefined) expect(text).not.toContain(secret);
  });
});

describe('a client that stops after the metadata, or should have', () => {
  test.each<[ProfileName, Defects, string[]]>([
    ['default', { needsRegistration: true }, []],
    ['cimd-only', { needsRegistration: true }, ['Client ID metadata documents §3: the client ID must be the URL']],
    ['preregistered-only', { needsRegistration: true }, ['RFC 6749 §2.2: use a client ID that the server has given']],
    ['no-metadata', { needsRegistration: true }, ['RFC 8414 §3: without metadata, use addresses that the user sets']],
    ['wrong-issuer', { ignoresIssuer: true }, ["RFC 8414 §3.3: don't use metadata whose issuer is another one"]],
  ])('is told why: %s', async (name, defects, rules) => {
    const sandbox = await open(name);
    await login(sandbox, defects);
    expect(await missedBy(sandbox)).toEqual(rules.map((rule) => expect.stringContaining(`discovery: ${rule}`)));
  });

  test('is told about the step after it, if there is one', async () => {
    const sandbox = await open('preregistered-only');
    await sandbox.fetch(new Request(`${origin}/.well-known/oauth-authorization-server`));
    await sandbox.fetch(new Request(`${origin}/oauth/register`, { method: 'POST', body: '{}' }));
    expect(await missedBy(sandbox)).toEqual([expect.stringContaining('registration: RFC 8414 §2')]);
  });
});

describe('a profile', () => {
  const metadataOf = async (name: ProfileName) => {
    const sandbox = await open(name);
    const reply = await sandbox.fetch(new Request(`${origin}/.well-known/oauth-authorization-server`));
    return reply.status === 200 ? ((await reply.json()) as Json) : reply.status;
  };

  test('says in its metadata what it can do', async () => {
    expect(await metadataOf('no-metadata')).toBe(404);
    expect((await metadataOf('wrong-issuer')).issuer).toBe(`${origin}/tenant`);
    expect((await metadataOf('basic-only')).token_endpoint_auth_methods_supported).toEqual(['client_secret_basic']);
    expect((await metadataOf('no-refresh')).grant_types_supported).not.toContain('refresh_token');
    for (const name of profileNames.filter((each) => each !== 'no-metadata')) {
      const { clients } = profiles[name];
      const metadata = await metadataOf(name);
      expect([name, metadata.registration_endpoint !== undefined]).toEqual([
        name,
        clients.some((each) => each === 'registered'),
      ]);
      expect([name, metadata.client_id_metadata_document_supported === true]).toEqual([
        name,
        clients.some((each) => each === 'document'),
      ]);
    }
  });

  const authorize = async (sandbox: Sandbox, id: string, redirect = redirectUri) => {
    const query = new URLSearchParams({
      client_id: id,
      response_type: 'code',
      redirect_uri: redirect,
      scope: 'users:read',
      state: 's',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    });
    return (await sandbox.fetch(new Request(`${origin}/oauth/authorize?${query}`))).status;
  };

  test.each<[ProfileName, string, string]>([
    ['dcr-only', 'sched-cli', 'RFC 7591 §3: register first'],
    ['cimd-only', 'sched-cli', 'Client ID metadata documents §3: the client ID must be the URL'],
    ['preregistered-only', 'sandbox_client_x', 'RFC 6749 §2.2: use a client ID that the server has given'],
    ['default', 'sandbox_client_x', 'RFC 6749 §2.2: use the client ID of the registration'],
    ['default', 'http://127.0.0.1:1/client.json', 'RFC 7591 §3: register first'],
  ])('%s refuses the client %s and says why', async (name, id, rule) => {
    const sandbox = await open(name);
    expect(await authorize(sandbox, id)).toBe(400);
    expect(await missedBy(sandbox)).toEqual([expect.stringContaining(rule)]);
  });

  test('strict-redirect wants the same port', async () => {
    const sandbox = await open('strict-redirect');
    expect(await authorize(sandbox, 'sched-cli')).toBe(302);
    expect(await authorize(sandbox, 'sched-cli', 'http://127.0.0.1:8911/callback')).toBe(400);
    expect(await missedBy(sandbox)).toEqual([expect.stringContaining('that is registered, with the same port')]);
  });

  test('forgets-clients forgets those that registered, after three requests', async () => {
    const sandbox = await open('forgets-clients');
    const { tokens } = await login(sandbox);
    const [{ client } = { client: '' }] = await sandbox.oauth();
    const body = new URLSearchParams({
      grant_type: 'refresh_token',
      client_id: client!,
      refresh_token: tokens.refresh_token,
    });
    const reply = await sandbox.fetch(new Request(`${origin}/oauth/token`, { method: 'POST', body }));
    expect([reply.status, ((await reply.json()) as Json).error]).toEqual([401, 'invalid_client']);
    expect(await missedBy(sandbox)).toEqual([expect.stringContaining('register again')]);
    // A client that does so has missed nothing.
    await login(sandbox);
    expect(await missedBy(sandbox)).toEqual([]);
    expect(await authorize(sandbox, 'sched-cli')).toBe(302);
  });

  test('basic-only refuses a wrong secret, and a client without one', async () => {
    const sandbox = await open('basic-only');
    const statusOf = async (headers: Record<string, string>, more = {}) => {
      const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x', ...more });
      return (await sandbox.fetch(new Request(`${origin}/oauth/token`, { method: 'POST', headers, body }))).status;
    };
    const basic = (text: string) => ({ authorization: `Basic ${btoa(text)}` });
    expect(await statusOf({}, { client_id: 'sched-cli' })).toBe(401);
    expect(await statusOf(basic('sched-cli:wrong'))).toBe(401);
    expect(await statusOf(basic('sched-cli:sandbox_client_secret'), { client_id: 'northlight-calendar' })).toBe(401);
    expect(await statusOf(basic('sched-cli:sandbox_client_secret'))).toBe(400);
  });

  test('no-resource gives tokens for everything', async () => {
    const sandbox = await open('no-resource');
    expect((await login(sandbox, { resource: 'https://other.test' })).status).toBe(200);
  });

  test('that does not exist is refused', async () => {
    await expect(open('strict' as 'default')).rejects.toThrow('oauth must be one of default, dcr-only, ');
  });
});
