import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { HttpRequest, Send } from '../../../src/http/message.ts';
import { addCanary } from '../../support/canary.ts';
import {
  createWorld,
  logIn,
  loginAddresses,
  type Result,
  terminals,
  type WorldOptions,
  withLimit,
} from '../../support/run.ts';
import { credentialFile, expireToken } from '../../support/stored-login.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';

const origin = 'http://127.0.0.1:4010';
const other = 'http://127.0.0.1:4011';
const document = `${origin}/.well-known/oauth-authorization-server`;

let world: Awaited<ReturnType<typeof createWorld>>;
let home: string;
/** The metadata of the server. Without it there is none. */
let metadata: object | undefined;
beforeEach(async () => {
  home = temporaryDirectory();
  world = await createWorld({ home, env: { SCHED_TOKEN: '', SCHED_BASE_URL: '' } });
  metadata = undefined;
});

const addresses = (more: object = {}) => ({
  issuer: origin,
  authorization_endpoint: `${origin}/oauth/authorize`,
  token_endpoint: `${origin}/oauth/token`,
  revocation_endpoint: `${origin}/oauth/revoke`,
  ...more,
});

/** The sandbox, with other metadata. It listens to every origin and accepts other names for its paths. */
const send: Send = async (request) => {
  if (request.url.includes('/.well-known/')) {
    const body = request.url === document && metadata !== undefined ? JSON.stringify(metadata) : undefined;
    const headers = { 'content-type': 'application/json' };
    return body === undefined ? { status: 404, headers, body: '{}' } : { status: 200, headers, body };
  }
  return world.service({ ...request, url: request.url.replace('/other/', '/oauth/') });
};

const login = (flags: string[] = [], more: WorldOptions = {}) =>
  logIn(world, flags.length === 0 ? loginAddresses : flags, { send, ...more });
const again = (more: WorldOptions = {}, ...flags: string[]) => login(['-p', 'default', ...flags], more);
const profile = () => JSON.parse(readFileSync(join(home, '.config/sched/config.json'), 'utf8')).profiles.default;
const urls = ({ requests }: Result) => requests.map(({ method, url }) => `${method} ${url}`);
const posts = (result: Result) => urls(result).filter((line) => line.startsWith('POST'));
const forms = (result: Result) =>
  result.requests
    .filter(({ method }: HttpRequest) => method === 'POST')
    .map(({ body }) => Object.fromEntries(new URLSearchParams(body)));

describe('auth login finds the addresses of the server', () => {
  test('and uses fixed paths below the auth URL if there is no metadata', async () => {
    const { code, stderr } = await login([...loginAddresses, '--verbose']);
    expect(code).toBe(0);
    expect(stderr).toContain(
      [
        'Authorization server (no metadata found, so the usual addresses are used):',
        `  issuer     ${origin}`,
        `  authorize  ${origin}/oauth/authorize`,
        `  token      ${origin}/oauth/token`,
        `  revoke     ${origin}/oauth/revoke\n`,
      ].join('\n'),
    );
    expect(profile()).toMatchObject({ issuer: origin, token_url: `${origin}/oauth/token` });
    const exported = JSON.parse((await world.run('profiles export')).stdout);
    expect(exported).toMatchObject({
      issuer: origin,
      authorize_url: `${origin}/oauth/authorize`,
      token_url: `${origin}/oauth/token`,
      revoke_url: `${origin}/oauth/revoke`,
    });
  });

  test('and sends codes and tokens where the metadata says', async () => {
    metadata = addresses({ token_endpoint: `${origin}/other/token`, revocation_endpoint: `${origin}/other/revoke` });
    const result = await login();
    expect([result.code, posts(result)]).toEqual([0, [`POST ${origin}/other/token`]]);
    expireToken(home, () => {}, world.machineNow());
    const used = await world.run('users me', { send });
    // R7: a refresh doesn't ask for metadata.
    expect([used.code, urls(used)]).toEqual([0, [`POST ${origin}/other/token`, `GET ${origin}/users/me`]]);
    expect(posts(await world.run('auth logout', { send }))).toEqual(Array(2).fill(`POST ${origin}/other/revoke`));
  });

  // R7
  test.each(['http://id.example/token', 'ftp://127.0.0.1/token', 'https://a:b@127.0.0.1:4010/token'])(
    'and never uses the address %s',
    async (token_endpoint) => {
      metadata = addresses({ token_endpoint });
      const result = await login();
      expect([result.code, urls(result)]).toEqual([13, [`GET ${document}`]]);
      expect(result.stderr.replace(/\s+/g, ' ')).toContain(`the token address "${token_endpoint}": it must`);
    },
  );

  describe('on another origin', () => {
    beforeEach(() => {
      metadata = addresses({ token_endpoint: `${other}/oauth/token` });
    });

    test('only if the user confirms it, and then does not ask again', async () => {
      const refused = await login([], { stdin: 'n\n' });
      expect([refused.code, urls(refused)]).toEqual([12, [`GET ${document}`]]);
      const allowed = await login([], { stdin: 'y\n' });
      expect([allowed.code, posts(allowed)]).toEqual([0, [`POST ${other}/oauth/token`]]);
      expect(allowed.stderr).toContain(
        `The authorization server ${origin} names addresses on another origin.\n  token  ${other}/oauth/token\nSend your login there? [y/N] `,
      );
      const later = await again();
      expect([later.code, later.stderr.includes('[y/N]')]).toEqual([0, false]);
    });

    test('but neither without prompts nor with --yes', async () => {
      const silent = await login([...loginAddresses, '--no-input']);
      expect([silent.code, urls(silent)]).toEqual([12, [`GET ${document}`]]);
      expect(silent.stderr.replace(/\s+/g, ' ')).toContain(`names token ${other}/oauth/token`);
      const yes = await login([...loginAddresses, '--yes'], { stdin: 'n\n' });
      expect([yes.code, urls(yes)]).toEqual([12, [`GET ${document}`]]);
    });
  });

  describe('and when the metadata changes later', () => {
    beforeEach(async () => {
      metadata = addresses();
      expect((await login()).code).toBe(0);
      metadata = addresses({ token_endpoint: `${origin}/other/token` });
    });
    const [old, fresh] = [`${origin}/oauth/token`, `${origin}/other/token`];

    test('asks before it uses the new addresses', async () => {
      const kept = await again({ stdin: '\n' });
      expect(kept.stderr).toContain(`  token  ${old} (now ${fresh})\nUse the new addresses? [y/N] `);
      expect([kept.code, posts(kept), profile().token_url]).toEqual([0, [`POST ${old}`], old]);
      const changed = await again({ stdin: 'y\n' });
      expect([changed.code, posts(changed), profile().token_url]).toEqual([0, [`POST ${fresh}`], fresh]);
    });

    test('keeps the old ones without prompts, and says so', async () => {
      const silent = await again({}, '--no-input');
      expect([silent.code, posts(silent), profile().token_url]).toEqual([0, [`POST ${old}`], old]);
      expect(silent.stderr).toContain(`  token  ${old} (now\n  ${fresh})`);
    });

    test('also if the profile is from a version that kept no addresses', async () => {
      const file = join(home, '.config/sched/config.json');
      const config = JSON.parse(readFileSync(file, 'utf8'));
      for (const key of ['authorize_url', 'token_url', 'revoke_url']) delete config.profiles.default[key];
      writeFileSync(file, JSON.stringify(config));
      const kept = await again({ stdin: 'n\n' });
      expect([kept.code, posts(kept)]).toEqual([0, [`POST ${old}`]]);
    });

    test('forgets them if another server is named', async () => {
      const { code } = await world.run(`profiles set auth_url ${other}`);
      expect([code, profile().auth_url, profile().token_url, profile().issuer]).toEqual([
        0,
        other,
        undefined,
        undefined,
      ]);
    });
  });

  test('and the settings of the profile win', async () => {
    await login();
    expect((await world.run(`profiles set token_url ${origin}/other/token`)).code).toBe(0);
    expireToken(home, () => {}, world.machineNow());
    expect(posts(await world.run('users me', { send }))).toEqual([`POST ${origin}/other/token`]);
    for (const wrong of ['http://id.example/token', 'token', `${origin}/#x`])
      expect((await world.run(['profiles', 'set', 'token_url', wrong])).code).toBe(2);
  });
});

describe('the issuer', () => {
  test('of the reply must be the same, including a trailing slash', async () => {
    metadata = addresses({ issuer: `${origin}/` });
    const { code, stderr } = await login();
    expect(code).toBe(4);
    const said = stderr.replace(/[\s\\]+/g, ' ');
    expect(said).toContain(
      `cause: the reply names "${origin}", but this login is at "${origin}/" try: sched auth login `,
    );
    expect(said).toContain(`${loginAddresses.join(' ')} --issuer ${origin} `);
    expect((await login([...loginAddresses, '--issuer', origin])).code).toBe(0);
    expect(profile().issuer).toBe(origin);
  });

  test('may be set, with its trailing slash, if it is not the auth URL', async () => {
    metadata = addresses();
    const words = ['--base-url', origin, '--auth-url', `${other}/login`, '--client-id', 'sched-cli'];
    const result = await login([...words, '--issuer', origin]);
    expect([result.code, urls(result)[0]]).toEqual([0, `GET ${document}`]);
    expect(profile()).toMatchObject({ auth_url: `${other}/login`, issuer: origin });
    const later = await again();
    expect([later.code, urls(later)[0]]).toEqual([0, `GET ${document}`]);
    await world.run(`profiles set issuer ${origin}/`);
    expect(profile().issuer).toBe(`${origin}/`);
  });

  test('of the metadata must be the one that was asked', async () => {
    metadata = addresses({ issuer: 'https://id.example/tenant' });
    const { code, stderr } = await login();
    expect(code).toBe(13);
    expect(stderr).toMatch(/; if that is your server, add --issuer\s+https:\/\/id\.example\/tenant$/m);
  });
});

describe('the secret of a client', () => {
  const secret = 'canary+client/secret with:signs';
  addCanary(secret);
  const file = () => {
    const path = join(home, 'secret');
    writeFileSync(path, `${secret}\n`);
    return path;
  };

  test('is sent with each request of the login, stored beside the token, and used for the next login', async () => {
    const result = await login([...loginAddresses, '--client-secret-file', file()]);
    expect([result.code, forms(result)]).toEqual([0, [expect.objectContaining({ client_secret: secret })]]);
    expect(JSON.parse(readFileSync(credentialFile(home), 'utf8')).client_secret).toBe(secret);
    expect(profile().client_auth).toBe('client_secret_post');
    expireToken(home, () => {}, world.machineNow());
    const refreshed = await world.run('users me', { send });
    expect(forms(refreshed)).toEqual([expect.objectContaining({ grant_type: 'refresh_token', client_secret: secret })]);
    const next = await again();
    expect([next.code, forms(next)[0]?.client_secret]).toEqual([0, secret]);
    const logout = await world.run('auth logout', { send });
    expect(forms(logout).map((form) => form.client_secret)).toEqual([secret, secret]);
    const without = await again();
    expect([without.code, posts(without)]).toEqual([2, []]);
    expect(without.stderr).toContain('has a secret, which is not stored on this machine');
  });

  test('is sent in a header if the metadata offers only that', async () => {
    metadata = addresses({ token_endpoint_auth_methods_supported: ['client_secret_basic'] });
    const result = await login([...loginAddresses, '--client-secret-file', file()], {
      send: async (request) => {
        // The sandbox knows public clients only.
        const body = request.headers.authorization?.startsWith('Basic ')
          ? `${request.body}&client_id=sched-cli`
          : request.body;
        return send({ ...request, ...(body === undefined ? {} : { body }) });
      },
    });
    const sent = result.requests.find(({ method }) => method === 'POST')!;
    const encoded = Buffer.from(sent.headers.authorization!.slice('Basic '.length), 'base64').toString();
    // An ID of unreserved characters stays as it is, for servers that don't decode it.
    expect([result.code, encoded]).toEqual([0, 'sched-cli:canary%2Bclient%2Fsecret+with%3Asigns']);
    expect(profile().client_auth).toBe('client_secret_basic');
  });

  describe('of a client that is registered for one way to send it', () => {
    const [post, basic] = ['client_secret_post', 'client_secret_basic'] as const;
    const methodOf = ({ headers, body }: HttpRequest) =>
      headers.authorization?.startsWith('Basic ') ? basic : new URLSearchParams(body).has('client_secret') ? post : '';
    const methods = ({ requests }: Result) => requests.map(methodOf).filter(Boolean);
    /** The sandbox knows public clients only. */
    const registered =
      (method: string | undefined): Send =>
      async (request) => {
        const used = methodOf(request);
        if (request.method !== 'POST' || used === '') return send(request);
        if (used !== method)
          return {
            status: 401,
            headers: { 'content-type': 'application/json', 'www-authenticate': 'Basic realm="x"' },
            body: JSON.stringify({ error: 'invalid_client' }),
          };
        return send({ ...request, body: `${request.body}${used === basic ? '&client_id=sched-cli' : ''}` });
      };
    const withSecret = () => [...loginAddresses, '--client-secret-file', file()];

    const cells = [
      [post, 'without metadata', undefined],
      [basic, 'without metadata', undefined],
      [post, 'that offers both', [basic, post]],
      [basic, 'that offers both', [basic, post]],
      [basic, 'that says nothing about it', []],
    ] as const;
    test.each(sample(cells, 1, ([method]) => method))(
      '%s, at a server %s: logs in, refreshes and logs out',
      async (method, _, offered) => {
        if (offered !== undefined)
          metadata = addresses(offered.length === 0 ? {} : { token_endpoint_auth_methods_supported: offered });
        const here = { send: registered(method) };
        const first = await login(withSecret(), here);
        // As the documentation shows it first.
        expect([first.code, methods(first)]).toEqual([0, method === post ? [post] : [post, basic]]);
        expect(profile().client_auth).toBe(method);
        expireToken(home, () => {}, world.machineNow());
        expect(methods(await world.run('users me', here))).toEqual([method]);
        const next = await again(here);
        expect([next.code, methods(next), next.stderr.includes('[y/N]')]).toEqual([0, [method], false]);
        const logout = await world.run('auth logout', here);
        expect([logout.code, methods(logout)]).toEqual([0, [method, method]]);
        expect(logout.stdout + logout.stderr).toContain('revoked at the service');
      },
    );

    test('tries no other way if --client-auth decides, and names that flag', async () => {
      const wrong = await login([...withSecret(), '--client-auth', 'post'], { send: registered(basic) });
      expect([wrong.code, methods(wrong)]).toEqual([4, [post]]);
      expect(wrong.stderr.replace(/\s+/g, ' ')).toContain('check --client-id, --client-auth and the secret');
      const right = await login([...withSecret(), '--client-auth', 'basic'], { send: registered(basic) });
      expect([right.code, methods(right), profile().client_auth]).toEqual([0, [basic], basic]);
    });

    test('says what to check if both ways are refused', async () => {
      const result = await login(withSecret(), { send: registered(undefined) });
      expect([result.code, methods(result)]).toEqual([4, [post, basic]]);
      expect(result.stderr.replace(/\s+/g, ' ')).toContain('check --client-id and the secret in the file of');
    });

    test('suggests the other way if the server voids the code at the first try', async () => {
      const strict: Send = async (request) =>
        methodOf(request) === ''
          ? send(request)
          : {
              status: 400,
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify({ error: methodOf(request) === basic ? 'invalid_grant' : 'invalid_client' }),
            };
      const result = await login(withSecret(), { send: strict });
      expect([result.code, result.stderr]).toEqual([4, expect.stringMatching(/^try: [\s\S]*--client-auth basic$/m)]);
    });

    test('must be a word that sched knows, and needs a secret', async () => {
      const wrong = await login([...withSecret(), '--client-auth', 'jwt']);
      expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--client-auth must be post or basic')]);
      const none = await login([...loginAddresses, '--client-auth', 'basic']);
      expect([none.code, posts(none), none.stderr]).toEqual([2, [], expect.stringContaining('--client-secret-file')]);
      await login();
      expect((await world.run('profiles set client_auth basic')).code).toBe(0);
      expect(profile().client_auth).toBe(basic);
    });
  });

  test('is not printed when the server quotes it, nor a part of the code', async () => {
    let tries = 0;
    const quoting: Send = async (request) => {
      if (request.method !== 'POST') return send(request);
      const code = new URLSearchParams(request.body).get('code')!;
      const words = [`${secret} ${request.body}`, `no code ${code.slice(20, 30)}...`][tries++ % 2];
      const error = { error: 'invalid_client', error_description: words };
      return { status: 401, headers: { 'content-type': 'application/json' }, body: JSON.stringify(error) };
    };
    for (const shown of [
      '[client secret]',
      'cause: invalid_client (the explanation repeats a secret, so it is not shown)',
    ]) {
      const words = [...loginAddresses, '--client-secret-file', file(), '--client-auth', 'post'];
      const { code, stderr } = await login(words, { send: quoting });
      expect([code, stderr.replace(/\s+/g, ' ')]).toEqual([4, expect.stringContaining(shown)]);
      expect(stderr).toContain('--client-secret-file');
    }
  });

  test('is not part of an exported profile, which says so', async () => {
    await login([...loginAddresses, '--client-secret-file', file()]);
    const { stdout, stderr } = await world.run('profiles export');
    expect(JSON.parse(stdout).client_auth).toBe('client_secret_post');
    expect(stderr).toContain('The secret of the client is not included');
  });

  test('must be one line of printable characters, and is never repeated', async () => {
    for (const text of ['', 'two\nlines', 'caf\u00e9']) {
      writeFileSync(join(home, 'wrong'), text);
      const result = await login([...loginAddresses, '--client-secret-file', join(home, 'wrong')]);
      expect([result.code, result.requests]).toEqual([2, []]);
      expect(result.stderr).not.toContain('lines"');
    }
    const missing = await login([...loginAddresses, '--client-secret-file', join(home, 'nowhere')]);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('no such file')]);
    const remote = await login([...loginAddresses, '--client-secret-file', '-'], {
      stdin: secret,
      env: { SSH_CONNECTION: '1' },
    });
    expect(remote.stderr.replace(/\s+/g, ' ')).toContain('with --client-secret-file FILE --paste');
    const both = await login([...loginAddresses, '--client-secret-file', '-', '--paste']);
    expect(both.stderr).toContain("--client-secret-file - can't be used together with --paste");
  });
});

describe('scopes', () => {
  /** The scopes in the address of a login that nobody finishes. */
  const requested = async (...flags: string[]) => {
    let url = '';
    const { stderr } = await world.run(['auth', 'login', '--credential-store', 'file', ...loginAddresses, ...flags], {
      send,
      terminals,
      columns: 200,
      openBrowser: async (address) => {
        url = address;
        return true;
      },
    });
    const { searchParams } = new URL(url);
    return { scopes: searchParams.get('scope')!.split(' '), prompt: searchParams.get('prompt'), stderr };
  };

  test('are sent as typed, with a note if sched does not know them', async () => {
    const { scopes, stderr } = await requested('--scopes', 'users:read,user:read,https://example.com/auth/calendar');
    expect(scopes).toEqual(['users:read', 'user:read', 'https://example.com/auth/calendar']);
    expect(stderr).toContain(
      `sched doesn't know the scope "user:read" (did you mean "users:read"?). Requesting it as typed.`,
    );
    expect(stderr).toContain('the scope "https://example.com/auth/calendar". Requesting it as typed.');
    expect(stderr).not.toContain('the scope "users:read"');
  });

  test('are those of the login, and more with --add-scopes', async () => {
    const stored = () =>
      JSON.parse(readFileSync(credentialFile(home), 'utf8'))
        .scope.split(' ')
        .toSorted();
    expect((await login([...loginAddresses, '--scopes', 'users:read,event_types:read'])).code).toBe(0);
    expect(stored()).toEqual(['event_types:read', 'users:read']);
    const share = 'shares create --event-type YBL6DUNR9FS4PNP6 --duration 15 --json';
    const refused = await world.run(share);
    expect([refused.code, refused.requests]).toEqual([5, []]);
    expect(JSON.parse(refused.stderr).error).toMatchObject({
      message: 'This login is not allowed to create single-use scheduling links',
      cause: 'it lacks the scope shares:write; nothing was sent',
      hint: 'sched auth login -p default --add-scopes shares:write',
      outcome: 'not-sent',
    });
    expect((await again({}, '--add-scopes', 'shares:write')).code).toBe(0);
    expect(stored()).toEqual(['event_types:read', 'shares:write', 'users:read']);
    expect((await world.run(share)).code).toBe(0);
  });

  test('with offline_access ask for consent, as OpenID requires', async () => {
    const { scopes, prompt, stderr } = await requested('--read-only', '--add-scopes', 'offline_access');
    expect(scopes).toEqual(expect.arrayContaining(['offline_access', 'scheduled_events:read']));
    expect(scopes.every((scope) => scope.endsWith(':read') || scope === 'offline_access')).toBe(true);
    expect([prompt, stderr.includes("doesn't know the scope")]).toEqual(['consent', false]);
    expect((await requested()).prompt).toBeNull();
  });
});

describe('auth login without a refresh token', () => {
  test.each([
    [7200, '2h 00m'],
    [12, '12s'],
  ])('of %i s says at once when it ends, and how to ask for one', async (expires_in, life) => {
    const { code, stderr } = await login([], {
      send: async (request) => {
        const reply = await send(request);
        if (!request.url.endsWith('/oauth/token')) return reply;
        const { refresh_token: _, ...rest } = JSON.parse(reply.body);
        return { ...reply, body: JSON.stringify({ ...rest, expires_in }) };
      },
    });
    expect(code).toBe(0);
    expect(stderr.replace(/\s+/g, ' ')).toContain(
      `The server issued no refresh token, so this login ends in ${life} and can't be refreshed.`,
    );
    expect(stderr).toContain(
      'To ask for a refresh token:\n  sched auth login -p default --add-scopes offline_access\n',
    );
  });
});

describe('auth login --device', () => {
  const device = (flags: string[], decision: string) =>
    world.run(['auth', 'login', '--device', '--credential-store', 'file', ...loginAddresses, ...flags], {
      terminals,
      clock: withLimit(world.clock, 300_000),
      send: async (request) => {
        const reply = await world.service(request);
        if (!request.url.endsWith('/device_authorization') || decision === '') return reply;
        const page = await world.service({
          method: 'GET',
          url: JSON.parse(reply.body).verification_uri_complete,
          headers: {},
        });
        const ticket = /name="ticket" value="([^"]+)"/.exec(page.body)![1]!;
        await world.service({
          method: 'POST',
          url: `${origin}/oauth/device`,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: String(new URLSearchParams({ ticket, user: 'admin', decision })),
        });
        return reply;
      },
    });

  test('logs in with a code at the sandbox', async () => {
    const { code, stderr } = await device([], 'allow');
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^Open this URL in any browser, on any machine:\nhttp:\/\/127\.0\.0\.1:4010\/oauth\/device$/m,
    );
    expect(stderr).toMatch(/^Enter this code there: [A-Z]{4}-[A-Z]{4}$/m);
    expect(stderr).toContain('Waiting up to 5 minutes for you to finish in the browser.');
    expect(stderr).toContain('Logged in as Jonas');
  });

  // R8
  test.each([
    ['denied', 'deny', 'The login was denied'],
    ['not decided in five minutes', '', 'The login timed out'],
  ])('ends if it is %s', async (_, decision, message) => {
    const before = world.clock.now();
    const { code, stderr } = await device([], decision);
    expect([code, stderr]).toEqual([4, expect.stringContaining(message)]);
    expect(world.clock.now() - before).toBeLessThanOrEqual(300_000);
  });

  test('is refused with other ways to log in, and if the server does not offer it', async () => {
    expect((await device(['--paste'], 'allow')).code).toBe(2);
    const { code, stderr } = await login([...loginAddresses, '--device']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('the authorization server offers no device login')]);
    const [, suggested] = stderr.split('try: ');
    expect([suggested!.includes('--no-browser'), suggested!.includes('--device')]).toEqual([true, false]);
  });
});
