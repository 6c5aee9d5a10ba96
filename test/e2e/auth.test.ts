import { closeSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/sandbox/database.ts';
import { addCanary, expectNoSecret, leaksIn } from '../support/canary.ts';
import { spawnSync } from '../support/processes.ts';
import { createWorld, replying } from '../support/run.ts';
import { noSecretService, type SecretService, startSecretService } from '../support/secret-service.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { times } from '../support/times.ts';
import {
  credentialFile,
  everythingBelow,
  expireToken,
  logIn,
  type RunningSandbox,
  sched,
  schedInTerminal,
  shell,
  startSandbox,
  temporaryHome,
} from './program.ts';

let sandbox: RunningSandbox;
let home: string;
const data = join(temporaryDirectory('data'), 'sandbox.db');
beforeAll(async () => {
  sandbox = await startSandbox('--auto-consent', '--no-limits', '--data', data);
});
afterAll(() => sandbox?.stop());
beforeEach(() => {
  home = temporaryHome();
});

describe('auth login --with-token', () => {
  test('reads a token from a pipe, and the next command uses it', async () => {
    const { code, stdout } = await shell(
      'echo "$PAT" | sched auth login --with-token --credential-store file --base-url "$BASE" && sched events list --limit 1 -o id',
      home,
      { PAT: sandbox.token, BASE: sandbox.base_url },
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/\/scheduled_events\/\S+\n$/);
  });

  test('stores nothing of a wrong one', async () => {
    addCanary('wrong-token-0123456789');
    const { code } = await shell(
      'echo "$PAT" | sched auth login --with-token --credential-store file --base-url "$BASE" && sched events list --limit 1',
      home,
      { PAT: 'wrong-token-0123456789', BASE: sandbox.base_url },
    );
    expect(code).toBe(4);
    expect(everythingBelow(home)).toBe('');
  });
});

// R18
describe('auth login without a keychain', () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  const expectNothingKept = async (env: Record<string, string>) => {
    const token = 'canary-pat-0123456789abcdef';
    const began = Date.now();
    const { code, stderr } = await sched(
      ['auth', 'login', '--with-token', '--base-url', sandbox.base_url],
      home,
      env,
      `${token}\n`,
    );
    expect(Date.now() - began).toBeLessThan(6_000);
    expect(code).toBe(3);
    expect(stderr).toContain('--credential-store file');
    expect(stderr).toContain('SCHED_TOKEN');
    expect(everythingBelow(home)).not.toContain(token);
  };

  test('on a machine without a session bus', () => expectNothingKept({}));

  test('on a bus that never answers', async () => {
    const path = join(home, 'bus');
    server = createServer((socket) => socket.on('error', () => {}));
    await new Promise<void>((resolve) => server!.listen(path, resolve));
    await expectNothingKept({ DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` });
  });

  test('and without a person is refused at once', async () => {
    const { code, stderr } = await sched(['auth', 'login', '--base-url', sandbox.base_url], home);
    expect(code).toBe(4);
    expect(stderr).toContain('sched auth login --with-token');
  });
});

// R11
test('a stored token is not sent to another origin, whatever the environment says', async () => {
  expect((await logIn(sandbox, home)).code).toBe(0);
  let connections = 0;
  const listener = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  const { code, stderr } = await sched(['events', 'list'], home, { SCHED_BASE_URL: `http://127.0.0.1:${port}` });
  listener.close();
  expect({ code, connections }).toEqual({ code: 4, connections: 0 });
  expect(stderr).toContain(`belongs to ${sandbox.base_url}`);
});

// R21
const crowd = Number(process.env.SCHED_TEST_PROCESSES ?? times(8, 50));
test(`${crowd} processes at expiry renew the token once`, { timeout: 120_000 }, async () => {
  expect((await logIn(sandbox, home)).code).toBe(0);
  const read = () => JSON.parse(readFileSync(credentialFile(home), 'utf8'));
  const before = read();
  expireToken(home);
  const refreshes = () => {
    const database = openDatabase(data);
    return database.then((opened) => {
      const [{ count }] = opened.all<{ count: number }>(
        'SELECT count(*) AS count FROM refresh_tokens WHERE family = (SELECT max(id) FROM families)',
      ) as [{ count: number }];
      opened.close();
      return count - 1;
    });
  };
  expect(await refreshes()).toBe(0);
  const ends = await Promise.all(
    Array.from({ length: crowd }, () => sched(['events', 'list', '--limit', '1', '--json=uri'], home)),
  );
  expect(ends.map(({ code, stderr }) => [code, stderr])).toEqual(ends.map(() => [0, '']));
  expect(await refreshes()).toBe(1);
  const after = read();
  for (const { access_token, refresh_token } of [before, after]) {
    expect(ends.flatMap(({ stdout }) => leaksIn(stdout, [access_token, refresh_token]))).toEqual([]);
  }
  expect(after.access_token).not.toBe(before.access_token);
  expect((await sched(['auth', 'refresh'], home)).code).toBe(0);
});

// R24
describe('a refresh whose new token cannot be stored', () => {
  const place = temporaryDirectory('full');
  const mount = (...words: string[]) => spawnSync('mount', [...words, place]).status === 0;
  const mountSmall = () => mount('-t', 'tmpfs', '-o', 'size=64k', 'none');
  const unmount = () => spawnSync('umount', [place]).status === 0;
  // The unit tests hold the rule where nobody may mount anything.
  const canMount = mountSmall() && unmount();
  beforeAll(() => {
    mountSmall();
  });
  afterAll(() => {
    unmount();
  });

  const fill = () => {
    const file = openSync(join(place, 'filler'), 'w');
    try {
      for (;;) writeSync(file, Buffer.alloc(4096));
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENOSPC' });
    } finally {
      closeSync(file);
    }
  };

  test.runIf(canMount).each([
    ['a full disk', 'ENOSPC', fill, () => rmSync(join(place, 'filler'))],
    ['a read-only disk', 'EROFS', () => mount('-o', 'remount,ro'), () => mount('-o', 'remount,rw')],
  ])('spends nothing on %s, and works again afterwards', async (_, code, spoil, restore) => {
    const env = { SCHED_CONFIG_DIR: join(place, 'config') };
    expect((await logIn(sandbox, home, { env })).code).toBe(0);
    const folder = join(place, 'config/credentials');
    const files = () => readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    const before = files();
    spoil();
    for (const line of ['auth refresh', 'auth refresh --json']) {
      const { code: exit, stderr } = await sched(line.split(' '), home, env);
      expect(exit).toBe(3);
      expect(stderr).toContain('The login was not refreshed, because the new token could not be stored');
      expect(stderr).toContain(`${code}; the refresh token is unspent`);
    }
    expect(files()).toEqual(before);
    restore();
    expect((await sched(['auth', 'refresh'], home, env)).code).toBe(0);
    expect(files()).toHaveLength(1);
    expect(files()).not.toEqual(before);
  });
});

describe('a login', () => {
  test('appears in no output but that of auth token', async () => {
    await logIn(sandbox, home);
    const { access_token, refresh_token } = JSON.parse(readFileSync(credentialFile(home), 'utf8'));
    for (const secret of [access_token, refresh_token]) addCanary(secret);
    for (const line of [
      'auth status --json',
      'auth status --check -v',
      'users me -v',
      'doctor --network',
      'profiles show',
    ])
      expect([line, (await sched(line.split(' '), home, { SCHED_DEBUG: '1' })).code]).toEqual([line, 0]);
    expect((await sched(['auth', 'token'], home)).stdout).toBe(`${access_token}\n`);
    const logout = await sched(['auth', 'logout'], home);
    expect(logout).toMatchObject({ code: 0, stderr: 'logged out: default (revoked at the service)\n' });
    expect(leaksIn(everythingBelow(home), [access_token, refresh_token])).toEqual([]);
    expect((await sched(['auth', 'logout'], home)).code).toBe(0);
  });
});

describe('the search for secrets (R12)', () => {
  const token = 'canary+token/0123456789~?';

  test.each([
    ['plain', token],
    ['base64', Buffer.from(`Bearer ${token}`).toString('base64')],
    ['base64', Buffer.from(`x${token}`).toString('base64')],
    ['base64', Buffer.from(`xyz:${token}x`).toString('base64url')],
    ['plain, escaped', encodeURIComponent(token)],
    ['plain, escaped', [...token].map((char) => `\\u00${char.charCodeAt(0).toString(16)}`).join('')],
    ['plain, escaped', [...token].map((char) => `&#${char.charCodeAt(0)};`).join('')],
    ['hex', Buffer.from(token).toString('hex').toUpperCase()],
  ])('catches a deliberate leak, %s', async (form, leak) => {
    const given = { line: ['users', 'me'], env: { SCHED_TOKEN: token } };
    const told = `R12: sched users me: stdout holds a secret of ${token.length} characters, ${form}`;
    expect(() => expectNoSecret(given, { stdout: `{"name":"${leak}"}`, stderr: '' })).toThrow(told);
  });

  test('catches what the program prints in process', async () => {
    addCanary(token);
    const world = await createWorld();
    const send = replying({
      body: JSON.stringify({ resource: { uri: 'http://127.0.0.1:4010/users/A', name: token } }),
    });
    // The program does not know that it is a secret.
    await expect(world.run('users me --json', { send })).rejects.toThrow(
      `R12: sched users me --json: stdout holds a secret of ${token.length} characters, plain`,
    );
  });

  test('looks at stderr too, and lets auth token answer', () => {
    const env = { SCHED_TOKEN: token };
    const line = ['auth', 'token'];
    expectNoSecret({ line, env }, { stdout: token, stderr: '' });
    expect(() => expectNoSecret({ line, env }, { stdout: '', stderr: token })).toThrow('stderr');
    expect(() => expectNoSecret({ line: ['auth', 'status'], env }, { stdout: token, stderr: '' })).toThrow('stdout');
    expectNoSecret(
      { line: ['users', 'me'], env: { SCHED_TOKEN: 'sandbox_owner' } },
      { stdout: 'sandbox_owner', stderr: '' },
    );
  });
});

// R43
test('a login shows what the service says of a person, and obeys none of it', async () => {
  const hostile = await startSandbox('--auto-consent', '--fault', 'users.me hostile-strings count=all');
  try {
    const screens = [await logIn(hostile, home), await schedInTerminal(['auth', 'refresh'], home).done];
    for (const { code, text } of screens) {
      expect(code).toBe(0);
      expect(text).toMatch(/<U\+202E>|\\x1b/);
      expect(text.replace(/\r?\n|\r\x1b\[K/g, '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u200B\u2028]/u);
    }
  } finally {
    await hostile.stop();
  }
});

// R17
describe.skipIf(noSecretService !== '')(`auth login with a real keychain ${noSecretService}`, () => {
  let service: SecretService;
  beforeAll(async () => {
    service = await startSecretService();
    service.unlock();
  });
  afterAll(() => service?.stop());

  test('keeps the token there and in no file, and forgets it again', { timeout: 30_000 }, async () => {
    const withBus = service.env;
    await expect
      .poll(async () => (await sched(['doctor', '--json'], home, withBus)).stdout, { timeout: 10_000 })
      .toContain('(Secret Service) works');
    const { code, text } = await logIn(sandbox, home, { flags: [], env: withBus });
    expect(code).toBe(0);
    expect(text).toContain('the token is kept in the keychain (Secret Service)');
    const status = await sched(['auth', 'status', '--json'], home, withBus);
    expect(JSON.parse(status.stdout)).toMatchObject({ source: 'keychain', user_name: 'Amara Lindqvist' });
    expect((await sched(['events', 'list', '--limit', '1'], home, withBus)).code).toBe(0);
    expect((await sched(['auth', 'refresh'], home, withBus)).code).toBe(0);
    const { stdout: token } = await sched(['auth', 'token'], home, withBus);
    expect(leaksIn(everythingBelow(home), [token.trim()])).toEqual([]);
    expect(readdirSync(join(home, '.config/sched'))).toEqual(['config.json']);
    expect((await sched(['auth', 'logout'], home, withBus)).code).toBe(0);
    expect((await sched(['auth', 'status'], home, withBus)).code).toBe(4);
  });

  // R24
  test('asks for no login that no profile could name', { timeout: 30_000 }, async () => {
    const { base_url, auth_url, client_id } = sandbox;
    const addresses = ['--base-url', base_url, '--auth-url', auth_url, '--client-id', client_id];
    const env = { ...service.env, SCHED_CONFIG_DIR: '/dev/null/config' };
    const terminal = schedInTerminal(['auth', 'login', '--no-browser', ...addresses], home, env);
    const { code, text } = await terminal.done;
    expect(code).toBe(3);
    expect(text).toContain('/dev/null/config');
    expect(text).not.toContain('/oauth/authorize');
  });

  test('moves to it from a file, of which nothing is left', { timeout: 30_000 }, async () => {
    const withBus = service.env;
    expect((await logIn(sandbox, home)).code).toBe(0);
    const { access_token, refresh_token } = JSON.parse(readFileSync(credentialFile(home), 'utf8'));
    const { code, text } = await logIn(sandbox, home, { flags: ['--credential-store', 'keychain'], env: withBus });
    expect([code, text]).toEqual([0, expect.stringContaining('the token is kept in the keychain')]);
    expect(leaksIn(everythingBelow(home), [access_token, refresh_token])).toEqual([]);
    expect((await sched(['users', 'me'], home, withBus)).code).toBe(0);
    // Ending the one might end the other at the service, so it is not told.
    const env = { SCHED_TOKEN: access_token, SCHED_BASE_URL: sandbox.base_url };
    expect((await sched(['users', 'me'], home, env)).code).toBe(0);
    expect((await sched(['auth', 'logout'], home, withBus)).code).toBe(0);
  });
});
