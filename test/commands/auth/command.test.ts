import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { SchedError } from '../../../src/base/errors.ts';
import { scopesToAsk } from '../../../src/commands/auth/scope-flag.ts';
import { NetworkFailure } from '../../../src/http/failure.ts';
import type { Send } from '../../../src/http/message.ts';
import { joinedLines } from '../../every-command/help-lines.ts';
import { addCanary, leaksIn } from '../../support/canary.ts';
import {
  createWorld,
  lastJson,
  logIn,
  loginAddresses,
  outputs,
  terminals,
  type WorldOptions,
} from '../../support/run.ts';
import { usedHome } from '../../support/seeded.ts';
import { credentialFile, everythingBelow, revokeLogin } from '../../support/stored-login.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';

let world: Awaited<ReturnType<typeof createWorld>>;
let home: string;
beforeEach(async () => {
  home = temporaryDirectory();
  world = await createWorld({ home, env: { SCHED_TOKEN: '', SCHED_BASE_URL: '' } });
});

const login = (more = '', stdin = `${world.token}\n`) =>
  world.run(`auth login --with-token --credential-store file --base-url http://127.0.0.1:4010 ${more}`, { stdin });

describe('auth login --with-token', () => {
  test('checks and stores the token, and later commands use it', async () => {
    const { code, stdout, stderr } = await login('--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      profile: 'default',
      source: 'file',
      kind: 'pat',
      user_name: 'Amara Lindqvist',
      usable: true,
    });
    expect(stderr).toContain('Logged in as Amara Lindqvist');
    const list = await world.run('events list --limit 1 --json');
    expect(list.code).toBe(0);
    expect(list.requests.map(({ url }) => new URL(url).pathname)).toEqual(['/scheduled_events']);
  });

  test('stores nothing if the service rejects the token', async () => {
    const { code } = await login('', 'wrong-token');
    expect(code).toBe(4);
    expect((await world.run('auth status')).code).toBe(4);
    expect(everythingBelow(home)).toBe('');
  });

  test('rejects a malformed token without printing it', async () => {
    const { code, stdout, stderr, requests } = await login('', 'two words\n');
    expect({ code, requests }).toEqual({ code: 4, requests: [] });
    expect(stdout + stderr).not.toContain('two words');
  });

  test('reports a missing address', async () => {
    const { code, stderr } = await world.run('auth login --with-token --credential-store sieve');
    expect(code).toBe(2);
    expect(stderr).toContain('Missing required flag --base-url');
  });

  test('reports a wrong flag before a missing terminal', async () => {
    const { code, stderr } = await world.run('auth login --credential-store sieve --client-auth jwt');
    expect(code).toBe(2);
    for (const problem of ['--client-auth must be post or basic', '--credential-store must be one of keychain, file'])
      expect(stderr).toContain(problem);
  });

  test('does not ask about the file again for a second profile', async () => {
    const line = 'auth login --with-token --base-url http://127.0.0.1:4010 -p second';
    const terminals: WorldOptions['terminals'] = ['stdin', 'stderr'];
    const asked = await world.run(line, { terminals, stdin: `n\n` });
    expect(asked.stderr).toContain('Store the token in a file');
    await login('-p first');
    const { code, stderr } = await world.run(line, { terminals, stdin: `${world.token}\n` });
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('Store the token in a file')]);
  });

  test('without a keychain stores no file and names the alternatives', async () => {
    const { code, stderr } = await world.run('auth login --with-token --base-url http://127.0.0.1:4010', {
      stdin: world.token,
    });
    expect(code).toBe(3);
    expect(stderr).toContain('--credential-store file');
    expect(stderr).toContain('SCHED_TOKEN');
    expect(everythingBelow(home)).not.toContain(world.token);
  });
});

describe('auth login', () => {
  test('fails immediately without a terminal, and in CI', async () => {
    const line = 'auth login --base-url http://127.0.0.1:4010 --auth-url http://127.0.0.1:4010 --client-id x';
    const { code, stderr } = await world.run(line);
    expect(code).toBe(4);
    expect(stderr).toContain('--with-token');
    const inCi = await world.run(line, { env: { CI: 'true' }, terminals });
    expect(inCi.code).toBe(4);
  });

  /** Waits for a browser that never answers, without prompts. Returns the line that suggests --paste. */
  const suggestion = async (flags: string[], more: WorldOptions) => {
    const words = ['auth', 'login', '--no-input', '--credential-store=file', ...loginAddresses, ...flags];
    const { code, stderr } = await world.run(words, { terminals: ['stdin', 'stderr'], ...more });
    expect([code, stderr]).toEqual([4, expect.stringContaining('The login timed out')]);
    return joinedLines(stderr)
      .split('\n')
      .find((line) => line.includes('--paste'))
      ?.trim();
  };
  const overSsh = { SSH_CONNECTION: '::1 1 ::1 22' };

  test.each<[string, string[], WorldOptions]>([
    ['no browser opens', [], {}],
    ['--no-browser is set', ['--no-browser'], {}],
    ['the terminal is on another machine', [], { env: overSsh, openBrowser: async () => true }],
  ])('suggests --paste if %s', async (_, flags, more) => {
    const again = ['sched auth login --no-input --credential-store=file', ...loginAddresses, ...flags, '--paste'].join(
      ' ',
    );
    expect(await suggestion(flags, more)).toBe(again);
  });

  test('suggests --device without the flags that it refuses', async () => {
    const words = ['auth', 'login', '--no-input', '--credential-store=file', '--no-browser', ...loginAddresses];
    const { stderr } = await world.run(words, { terminals: ['stdin', 'stderr'] });
    const again = ['sched auth login --no-input --credential-store=file', ...loginAddresses, '--device'].join(' ');
    expect(joinedLines(stderr)).toContain(
      `To log in with a code on another machine, press Ctrl-C and run:\n  ${again}\n`,
    );
  });

  test('does not suggest --paste if a browser opens on this machine', async () => {
    expect(await suggestion([], { openBrowser: async () => true })).toBeUndefined();
  });

  test('requests all scopes except sensitive ones', () => {
    const asked = scopesToAsk({ readOnly: false, currentScopes: [] });
    expect(asked).toContain('scheduled_events:write');
    expect(asked).not.toContain('scheduled_events:read');
    const sensitive = ['data_compliance:write', 'activity_log:read', 'organizations:write', 'webhooks:read'];
    // Most services don't know the last one.
    for (const scope of [...sensitive, 'scheduling_links:write']) expect(asked).not.toContain(scope);
    expect(scopesToAsk({ readOnly: true, currentScopes: [] }).every((scope) => scope.endsWith(':read'))).toBe(true);
    expect(scopesToAsk({ scopesToAdd: ['shares:write'], readOnly: false, currentScopes: ['users:read'] })).toEqual([
      'users:read',
      'shares:write',
    ]);
    const first = scopesToAsk({ scopesToAdd: ['data_compliance:write'], readOnly: false, currentScopes: [] });
    expect(first).toEqual([...asked, 'data_compliance:write']);
    expect(scopesToAsk({ scopes: ['users:read'], readOnly: false, currentScopes: ['shares:write'] })).toEqual([
      'users:read',
    ]);
  });
});

describe('a login', () => {
  test('asks the service about its status, except with --offline', async () => {
    await login();
    expect(await world.run('auth status --offline --json')).toMatchObject({ code: 0, requests: [] });
    expect((await world.run('auth status')).requests).toHaveLength(1);
    const send = async () => ({ status: 401, headers: {}, body: '{}' });
    expect((await world.run('auth status', { send })).code).toBe(4);
    const removed = await world.run('auth status --check');
    expect([removed.code, removed.requests]).toEqual([2, []]);
  });

  test('shows what is stored if the service does not answer', async () => {
    await login();
    const send: Send = async () => ({ status: 503, headers: {}, body: '' });
    const { code, stdout } = await world.run('auth status --json', { send });
    expect(code).toBe(9);
    expect(JSON.parse(stdout)).toMatchObject({ profile: 'default', usable: null, status: 'not checked' });
  });

  test('is not called usable before the service was asked', async () => {
    expect(JSON.parse((await login('--json')).stdout)).toMatchObject({ usable: true, status: 'accepted' });
    const unchecked = await world.run('auth status --offline --json');
    expect(JSON.parse(unchecked.stdout)).toMatchObject({ usable: null, status: 'not checked' });
    const checked = await world.run('auth status --json');
    expect(JSON.parse(checked.stdout)).toMatchObject({ usable: true, status: 'accepted' });
    const offline = await world.run('auth status --offline', { terminals: outputs });
    expect(offline.stderr).toBe('Not checked with the service, because of --offline\n');
    const asked = await world.run('auth status', { terminals: outputs });
    expect([asked.stdout, asked.stderr]).toEqual([expect.stringContaining('✔ Logged in as Amara Lindqvist\n'), '']);
    const env = { SCHED_TOKEN: 'wrong', SCHED_BASE_URL: 'http://127.0.0.1:4010' };
    const wrong = await world.run('auth status --offline --json', { env });
    expect(JSON.parse(wrong.stdout)).toMatchObject({ usable: null, status: 'not checked' });
    const refused = await world.run('auth status --json', { env });
    expect(JSON.parse(refused.stdout)).toMatchObject({ usable: false, status: 'refused' });
  });

  test('that was revoked is reported as such, and not as expired at a time to come', async () => {
    expect((await logIn(world, loginAddresses)).code).toBe(0);
    await revokeLogin(world, home);
    const unchecked = await world.run('auth status --offline --json');
    expect(JSON.parse(unchecked.stdout)).toMatchObject({ usable: null, status: 'not checked' });
    const { code, stdout, stderr } = await world.run('auth status -o yaml');
    expect(code).toBe(4);
    expect(stdout).toMatch(/^usable: false\nstatus: refused$/m);
    expect(stderr).toBe(
      [
        'error: The login is no longer valid',
        'cause: it was revoked or has expired: the service no longer accepts the refresh token',
        'try: sched auth login -p default\n',
      ].join('\n'),
    );
  });

  test('that is no longer valid gets a hint with its own profile, even if another one is current', async () => {
    await login('-p home');
    await login('-p work');
    const send = async () => ({ status: 401, headers: {}, body: '{}' });
    for (const line of ['users me -p work', 'api /users/me -p work', 'auth status -p work']) {
      const { code, stderr } = await world.run(line, { send });
      expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringMatching(/^try: sched auth login -p work$/m) });
    }
    const env = { SCHED_TOKEN: 'wrong' };
    const { stderr } = await world.run('auth status -p work', { send, env });
    expect(stderr).toMatch(/^cause: HTTP 401; provide a valid token in SCHED_TOKEN$/m);
  });

  test.each([
    ['expired', 1, 'not-sent'],
    ['refused', 9e15, 'not-applied'],
  ])("that is %s and can't be refreshed reports a definite outcome for a write", async (_, expires_at, outcome) => {
    await login();
    const type = JSON.parse((await world.run('event-types list --limit 1 --json')).stdout)[0].uri;
    const folder = join(home, '.config/sched/credentials');
    const file = join(folder, readdirSync(folder)[0]!);
    const record = JSON.parse(readFileSync(file, 'utf8'));
    const oauth = { ...record, kind: 'oauth', client_id: 'x', refresh_token: 'refresh-me', expires_at };
    writeFileSync(file, JSON.stringify(oauth));
    const send: Send = async ({ url }) => ({ status: url.endsWith('/oauth/token') ? 503 : 401, headers: {}, body: '' });
    const person = '--email a@b.example --name A --timezone UTC --start 2027-02-01T10:00Z';
    for (const line of [`shares create --event-type ${type}`, `invitees create --event-type ${type} ${person}`]) {
      const { code, stderr } = await world.run(`${line} --json`, { send });
      expect([code, JSON.parse(stderr.trim().split('\n').at(-1)!).error.outcome]).toEqual([9, outcome]);
    }
  });

  test('that has expired is refreshed once by auth refresh', async () => {
    await login();
    const folder = join(home, '.config/sched/credentials');
    const file = join(folder, readdirSync(folder)[0]!);
    const record = JSON.parse(readFileSync(file, 'utf8'));
    const oauth = { ...record, kind: 'oauth', client_id: 'x', refresh_token: 'refresh-me', expires_at: 1 };
    writeFileSync(file, JSON.stringify(oauth));
    let refreshes = 0;
    const send: Send = async () => {
      refreshes += 1;
      const tokens = { access_token: `new-${refreshes}`, token_type: 'Bearer', expires_in: 7200 };
      return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(tokens) };
    };
    expect([(await world.run('auth refresh', { send })).code, refreshes]).toEqual([0, 1]);
    expect([(await world.run('auth refresh', { send })).code, refreshes]).toEqual([0, 2]);
  });

  test('is refreshed although a signal comes meanwhile, and the error says so', async () => {
    await login();
    const folder = join(home, '.config/sched/credentials');
    const file = join(folder, readdirSync(folder)[0]!);
    const oauth = { kind: 'oauth', client_id: 'x', refresh_token: 'refresh-me' };
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...oauth }));
    const controller = new AbortController();
    const send: Send = async () => {
      controller.abort(new SchedError('terminated', 'Terminated'));
      const tokens = { access_token: 'new', token_type: 'Bearer', expires_in: 7200 };
      return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(tokens) };
    };
    const { code, stderr } = await world.run('auth refresh --json', { send, interrupted: controller.signal });
    expect([code, lastJson(stderr).error.outcome]).toEqual([143, 'applied']);
    expect(JSON.parse(readFileSync(file, 'utf8')).access_token).toBe('new');
  });

  test('with a personal access token is not refreshed, and not reported as invalid', async () => {
    await login();
    const { code, stderr, requests } = await world.run('auth refresh');
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toBe(
      "error: A personal access token can't be refreshed\ncause: it stays valid until you revoke it in the service's settings\n",
    );
  });

  test('in the sandbox shows who you are there', async () => {
    const used = { home: await usedHome(world.clock.now()) };
    const { code, stdout } = await world.run('--sandbox auth status --json', used);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      source: 'sandbox',
      base_url: 'http://127.0.0.1:4010',
      user_name: 'Amara Lindqvist',
      status: 'accepted',
    });
    expect(await world.run('--sandbox auth status --offline', used)).toMatchObject({ code: 0 });
  });

  test('from the environment shows user and organization', async () => {
    const env = { SCHED_TOKEN: world.token, SCHED_BASE_URL: 'http://127.0.0.1:4010' };
    const me = JSON.parse((await world.run('users me --json', { env })).stdout);
    const { stdout } = await world.run('auth status --json', { env });
    expect(JSON.parse(stdout)).toMatchObject({ user: me.uri, organization: me.current_organization });
  });

  test('prints its token only with auth token', async () => {
    await login();
    expect((await world.run('auth token')).stdout).toBe(`${world.token}\n`);
    for (const line of ['auth status --json', 'profiles list --json', 'profiles export', 'doctor --json']) {
      const { stdout, stderr } = await world.run(line);
      expect(stdout + stderr).not.toContain(world.token);
    }
  });

  test('is sent only to its own origin, even if SCHED_BASE_URL names another', async () => {
    await login();
    const env = { SCHED_BASE_URL: 'http://127.0.0.1:9' };
    const { code, stderr, requests } = await world.run('events list', { env });
    expect({ code, requests }).toEqual({ code: 4, requests: [] });
    expect(stderr).toContain('The token is for http://127.0.0.1:4010');
  });

  test('is not printed if the service quotes it in an error', async () => {
    const token = 'canary-0123456789';
    const send = async () => ({
      status: 403,
      headers: { 'x-request-id': token },
      body: JSON.stringify({ title: 'No', message: `Bearer ${token} may not`, details: [{ message: token }] }),
    });
    for (const line of ['users me', 'users me --json', 'api /users/me']) {
      const { code, stdout, stderr } = await world.run(line, {
        env: { SCHED_TOKEN: token, SCHED_BASE_URL: 'http://127.0.0.1:4010' },
        send,
      });
      expect(code).toBe(5);
      expect(stdout + stderr).toContain('[token] may not');
    }
  });

  test.each(sample([200, 403, 429, 503], 2))('is not printed as a request ID after HTTP %i', async (status) => {
    const token = 'canary-0123456789';
    const send = async () => ({ status, headers: { 'x-request-id': token, 'retry-after': '9999' }, body: 'oops' });
    const env = { SCHED_TOKEN: token, SCHED_BASE_URL: 'http://127.0.0.1:4010' };
    // world.run also checks all output for secrets.
    for (const line of ['users me -v', 'users me --json', 'api /users/me -v', 'api /users/me -i'])
      expect((await world.run(line, { env, send })).stdout).not.toContain(token);
  });

  test('is overridden by a token in the environment, with a warning', async () => {
    expect((await login('', `${world.token}\n`)).stderr).not.toContain('overrides');
    const line = 'auth login --with-token --credential-store file --base-url http://127.0.0.1:4010';
    const during = await world.run(line, { stdin: world.token, env: { SCHED_TOKEN: 'sandbox_user' } });
    expect(during.stderr).toContain('SCHED_TOKEN is set and overrides this login');
    const env = { SCHED_TOKEN: 'sandbox_user' };
    const { stdout } = await world.run('users me --json=name', { env });
    expect(JSON.parse(stdout).name).not.toBe('Amara Lindqvist');
  });

  test('is deleted by logout, and a second logout succeeds', async () => {
    await login();
    const config = () => JSON.parse(readFileSync(join(home, '.config/sched/config.json'), 'utf8'));
    expect(config().profiles.default.login).toMatchObject({ store: 'file' });
    const out = await world.run('auth logout');
    expect(out).toMatchObject({ code: 0, stdout: '', requests: [] });
    expect(out.stderr).toBe(
      "logged out: default (nothing to revoke: personal access tokens are revoked in the service's settings)\n",
    );
    expect(config().profiles.default.login).toBeUndefined();
    const again = await world.run('auth logout');
    expect(again).toMatchObject({ code: 0 });
    expect(again.stderr).toContain('Not logged in');
    expect((await world.run('events list')).code).toBe(4);
    expect(everythingBelow(home)).not.toContain(world.token);
  });

  test.each(['auth logout', 'profiles remove default --yes'])(
    "that %s can't revoke is deleted with a warning, even with --quiet",
    async (line) => {
      await login();
      const folder = join(home, '.config/sched/credentials');
      const file = join(folder, readdirSync(folder).find((name) => name.endsWith('.json'))!);
      const record = JSON.parse(readFileSync(file, 'utf8'));
      writeFileSync(file, JSON.stringify({ ...record, kind: 'oauth', client_id: 'x', refresh_token: 'refresh-me' }));
      const send = async () => {
        throw new NetworkFailure('127.0.0.1:4010', 'connection refused', false);
      };
      const { code, stderr } = await world.run(`${line} --quiet`, { send });
      expect(code).toBe(0);
      expect(stderr).toBe(
        'The login of default was not revoked (127.0.0.1:4010: connection refused): it stays valid until it expires or you revoke it at the service\n',
      );
      expect(everythingBelow(home)).not.toContain('refresh-me');
      expect((await world.run('events list')).code).toBe(4);
    },
  );

  test('is separate for each profile', async () => {
    await login('-p one');
    await login('-p two', 'sandbox_user\n');
    const name = async (line: string, env = {}) =>
      JSON.parse((await world.run(`users me --json=name ${line}`, { env })).stdout).name;
    expect(await name('-p one')).toBe('Amara Lindqvist');
    expect(await name('-p two')).not.toBe('Amara Lindqvist');
    expect(await name('', { SCHED_PROFILE: 'two' })).toBe(await name('-p two'));
    await world.run('profiles use two');
    expect(await name('')).toBe(await name('-p two'));
    expect(await name('-p one')).toBe('Amara Lindqvist');
  });

  test('that replaces another one deletes the old token', async () => {
    await login('', 'sandbox_user\n');
    await login();
    expect(everythingBelow(home)).not.toContain('sandbox_user');
    expect((await world.run('auth token')).stdout).toBe(`${world.token}\n`);
    await login();
    expect((await world.run('auth token')).stdout).toBe(`${world.token}\n`);
  });

  test('of the same user is separate for each profile', async () => {
    await login('-p careful', 'sandbox_read_only\n');
    await login('-p full');
    expect((await world.run('auth token -p careful')).stdout).toBe('sandbox_read_only\n');
    expect((await world.run('auth token -p full')).stdout).toBe(`${world.token}\n`);
    await world.run('auth logout -p full');
    expect((await world.run('users me -p careful')).code).toBe(0);
  });

  test('by OAuth is printed only by auth token', async () => {
    expect((await logIn(world, loginAddresses)).code).toBe(0);
    const { access_token, refresh_token } = JSON.parse(readFileSync(credentialFile(home), 'utf8'));
    // From now on every run is searched for them.
    for (const secret of [access_token, refresh_token]) addCanary(secret);
    for (const line of ['auth status --json', 'auth status -v', 'users me -v', 'doctor', 'profiles show'])
      expect([line, (await world.run(line, { env: { SCHED_DEBUG: '1' } })).code]).toEqual([line, 0]);
    // It finds that the clock is wrong.
    expect((await world.run('doctor --network', { env: { SCHED_DEBUG: '1' } })).code).toBe(3);
    expect((await world.run('auth token')).stdout).toBe(`${access_token}\n`);
    expect(await world.run('auth logout')).toMatchObject({
      code: 0,
      stderr: 'logged out: default (revoked at the service)\n',
    });
    expect(leaksIn(everythingBelow(home), [access_token, refresh_token])).toEqual([]);
    expect((await world.run('auth logout')).code).toBe(0);
  });

  // R43
  test('shows a hostile user name safely', async () => {
    const hostile = 'Eve\u202e\x1b[2J\u200b\u2028\rEve';
    const send: Send = async (request) => {
      const reply = await world.service(request);
      if (!request.url.endsWith('/users/me')) return reply;
      const { resource } = JSON.parse(reply.body);
      return { ...reply, body: JSON.stringify({ resource: { ...resource, name: hostile, email: hostile } }) };
    };
    const terminal: WorldOptions = { send, terminals, env: { NO_COLOR: '1' } };
    const runs = [await logIn(world, loginAddresses, terminal), await world.run('auth refresh', terminal)];
    for (const { code, screen } of runs) {
      expect(code).toBe(0);
      expect(screen).toMatch(/<U\+202E>/);
      expect(screen.replace(/\n|\r\x1b\[K/g, '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u200B\u2028]/u);
    }
  });
});
