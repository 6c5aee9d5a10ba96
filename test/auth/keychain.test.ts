import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { usualServer } from '../../src/auth/auth-server.ts';
import { credentialKey, recordFromLogin, recordFromToken } from '../../src/auth/credential.ts';
import { longestPart, splitEntries } from '../../src/auth/split-value.ts';
import { openCredentialStore } from '../../src/auth/stores.ts';
import type { Clock } from '../../src/base/system.ts';
import { startChild } from '../../src/node/children.ts';
import { clock as realClock } from '../../src/node/clock.ts';
import { gate } from '../support/gate.ts';
import { heldClock } from '../support/held-clock.ts';
import { type Daemon, type SecretService, secretService, startSecretService } from '../support/secret-service.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { few, sample, times } from '../support/tier.ts';
import { describeWith } from '../support/tools.ts';
import { until } from '../support/until.ts';
import { buildWorker, startWorker } from './support/build-worker.ts';
import { everythingIn, fingerprint, machineIn, memoryEntries, random } from './support/memory.ts';
import { canary, createOAuthServer, serve } from './support/oauth-server.ts';

const token = `${canary}-pat-0123456789`;
const record = (accessToken = token) => ({
  ...recordFromToken(accessToken, { origin: 'https://api.example.com', now: 1 }),
  owner: 'https://api.example.com/users/Zoë',
});
const key = credentialKey(record());

/** How long the keychain may take to reply, and its helper process to start. */
const keychainLimit = 4_000;
const startLimit = 20_000;

const keychain = (env: Record<string, string>, clock: Clock = realClock) =>
  openCredentialStore(
    'keychain',
    { env, platform: 'linux', clock, machine: machineIn('/nonexistent'), randomBytes: random, startChild },
    '/nonexistent',
  );

let folder: string;
beforeEach(() => {
  folder = temporaryDirectory('keychain');
});

// R18
const expectUnavailable = async (work: () => Promise<unknown>, reason: RegExp) => {
  const error = await work().then(
    (value) => expect.fail(`answered ${value}`),
    (thrown) => thrown,
  );
  expect(error).toMatchObject({ category: 'environment' });
  expect(error.facts.hint).toEqual({ command: ['auth', 'login'], flags: { 'credential-store': 'file' } });
  expect(error.facts.advice).toContain('SCHED_TOKEN');
  expect(error.facts.reason).toMatch(reason);
  expect(everythingIn(error)).not.toContain(canary);
  expect(readdirSync(folder, { recursive: true }).filter((name) => !String(name).endsWith('bus'))).toEqual([]);
};

const operations = {
  probe: async (env: Record<string, string>, clock?: Clock) => (await keychain(env, clock)).probe(),
  read: async (env: Record<string, string>, clock?: Clock) => (await keychain(env, clock)).read(key),
  write: async (env: Record<string, string>, clock?: Clock) => (await keychain(env, clock)).write(key, record()),
  remove: async (env: Record<string, string>, clock?: Clock) => (await keychain(env, clock)).remove(key),
};

const expectAllUnavailable = async (env: Record<string, string>, reason: RegExp, clock?: Clock) => {
  for (const operation of sample(Object.values(operations), 1))
    await expectUnavailable(() => operation(env, clock), reason);
};

describe('keychain: no operation confuses "unavailable" with "not found"', () => {
  let server: Server | undefined;
  afterEach(() => server?.close());
  const path = () => join(folder, 'bus');
  const env = () => ({ DBUS_SESSION_BUS_ADDRESS: `unix:path=${path()}`, HOME: folder, PATH: process.env.PATH ?? '' });
  const listen = (onData: (socket: Socket) => void) =>
    new Promise<void>((resolve) => {
      server = createServer((socket) => {
        socket.on('error', () => {});
        socket.on('data', () => onData(socket));
      }).listen(path(), resolve);
    });

  few(1, {
    'without a session bus': () => expectAllUnavailable({ HOME: folder }, /no session bus/),
    'with a bus that no longer exists': () => expectAllUnavailable(env(), /bus: No such file/),
    'with a bus that accepts the connection but never replies': async () => {
      const clock = heldClock();
      await listen(() => clock.end(keychainLimit));
      await expectAllUnavailable(env(), /no reply within 4 s/, clock);
    },
    'with a bus that stops replying after the greeting': async () => {
      const clock = heldClock();
      await listen((socket) => {
        clock.end(keychainLimit);
        socket.write('OK 0123456789abcdef0123456789abcdef\r\n');
      });
      await expectAllUnavailable(env(), /no reply within 4 s/, clock);
    },
    'with a socket that is not a bus': async () => {
      const clock = heldClock();
      await listen((socket) => {
        socket.write('HTTP/1.1 400 Bad Request\r\n\r\n');
        clock.end(keychainLimit);
      });
      await expectAllUnavailable(env(), /no reply within 4 s/, clock);
    },
  });
});

test('keychain: reports that its helper process could not be started', async () => {
  const { keychainVault } = await import('../../src/auth/keychain.ts');
  const machine = { executable: join(tmpdir(), 'no-such-program') };
  const vault = keychainVault({
    env: {},
    platform: 'darwin',
    clock: realClock,
    machine,
    randomBytes: random,
    startChild,
  });
  await expect(vault.use((entries) => entries.get('x'))).rejects.toMatchObject({
    category: 'environment',
    facts: { reason: 'the helper process could not be started (ENOENT)' },
  });
  expect(vault.describe()).toBe('the macOS keychain');
});

// A binding whose native part is missing or broken, instead of the real one.
test.each([
  [
    'throw Object.assign(new Error("no"), { code: "MODULE_NOT_FOUND" })',
    /keychain module is not installed/,
    /MODULE_NOT_FOUND/,
  ],
  ['exports.AsyncEntry = class { constructor() { throw new Error("broken") } }', /unavailable/, /broken/],
  ['exports.AsyncEntry = class { getPassword() { process.exit(7) } }', /unavailable/, /ended early/],
])('keychain: reports a binding that runs %s', async (code, message, reason) => {
  const { keychainVault } = await import('../../src/auth/keychain.ts');
  const binding = join(folder, 'binding.cjs');
  writeFileSync(binding, code);
  const vault = keychainVault(
    { env: {}, platform: 'darwin', clock: heldClock(), machine: machineIn('/'), randomBytes: random, startChild },
    () => binding,
  );
  const error = await vault.use((entries) => entries.get('x')).catch((thrown) => thrown);
  expect(error.category).toBe('environment');
  expect(error.message).toMatch(message);
  expect(error.facts.reason).toMatch(reason);
});

// R18
test.each([
  ['exports.AsyncEntry = class { getPassword() { hang() } }', keychainLimit, /no reply within 4 s/],
  ['hang();', startLimit, /the helper process did not start within 20 s/],
] as const)('keychain: kills its helper process if the binding hangs in %s', async (code, limit, reason) => {
  const { keychainVault } = await import('../../src/auth/keychain.ts');
  const [binding, hanging] = [join(folder, 'binding.cjs'), join(folder, 'hanging')];
  const hang = `require('fs').writeFileSync(${JSON.stringify(hanging)}, String(process.pid)); for (;;);`;
  writeFileSync(binding, `const hang = () => { ${hang} }; ${code}`);
  const clock = heldClock();
  const vault = keychainVault(
    { env: {}, platform: 'darwin', clock, machine: machineIn('/'), randomBytes: random, startChild },
    () => binding,
  );
  const failed = vault.use((entries) => entries.get('x')).catch((thrown) => thrown);
  await until(() => existsSync(hanging) && readFileSync(hanging, 'utf8') !== '', folder);
  clock.end(limit);
  expect(await failed).toMatchObject({
    category: 'environment',
    facts: { reason: expect.stringMatching(reason) },
  });
  const pid = Number(readFileSync(hanging, 'utf8'));
  await until(() => !machineIn('/').isAlive(pid));
});

// R12
test('keychain: does not print an error that quotes the secret', async () => {
  const { keychainVault } = await import('../../src/auth/keychain.ts');
  const binding = join(folder, 'binding.cjs');
  writeFileSync(
    binding,
    'exports.AsyncEntry = class { async getPassword() {} async setPassword(text) { throw new Error("cannot keep " + text) } }',
  );
  const world = {
    env: {},
    platform: 'darwin',
    clock: realClock,
    machine: machineIn('/'),
    randomBytes: random,
    startChild,
  };
  const vault = keychainVault(world, () => binding);
  const error = await vault.use((entries) => entries.set('x', token)).catch((thrown) => thrown);
  expect(error.facts.reason).toBe('the keychain refused the request');
  expect(everythingIn(error)).not.toContain(canary);
});

test('keychain: the standalone program runs itself, because it contains the binding', async () => {
  const { keychainVault } = await import('../../src/auth/keychain.ts');
  const executable = join(folder, 'sched');
  writeFileSync(executable, '#!/bin/sh\necho "{}"\nread -r _\nprintf \'{"value":"%s"}\\n\' "$*"\nread -r _\n', {
    mode: 0o755,
  });
  const machine = { executable, isStandalone: true };
  const world = { env: {}, platform: 'darwin', clock: realClock, machine, randomBytes: random, startChild };
  const vault = keychainVault(world, () => expect.fail('looked for a binding'));
  expect(await vault.use((entries) => entries.get('x'))).toBe('__keychain');
});

test('keychain: passes no token from the environment to its child', async () => {
  const { keychainVault } = await import('../../src/auth/keychain.ts');
  const binding = join(folder, 'binding.cjs');
  writeFileSync(
    binding,
    'exports.AsyncEntry = class { async getPassword() { return JSON.stringify([process.env, process.argv]) } }',
  );
  const env = { SCHED_TOKEN: token, NODE_OPTIONS: '--no-such-option', LANG: 'C' };
  const vault = keychainVault(
    { env, platform: 'darwin', clock: realClock, machine: machineIn('/'), randomBytes: random, startChild },
    () => binding,
  );
  const seen = await vault.use((entries) => entries.get('x'));
  expect(seen).toContain('"LANG":"C"');
  expect(seen).not.toContain(canary);
});

// R19
describe('keychain: long values', () => {
  const long = JSON.stringify({ token: 'x'.repeat(5_000), name: 'Zoë 😀'.repeat(50) });

  test('are split into parts that fit, and are read back complete', async () => {
    const plain = memoryEntries();
    const entries = splitEntries(plain, random);
    await entries.set('n', long);
    expect(plain.texts.size).toBeGreaterThan(4);
    for (const text of plain.texts.values()) {
      expect(text.length).toBeLessThanOrEqual(longestPart);
      expect(text).toMatch(/^[\x20-\x7e]*$/);
    }
    expect(JSON.parse((await entries.get('n'))!)).toEqual(JSON.parse(long));
    await entries.set('n', '"short"');
    expect([...plain.texts]).toEqual([['n', '"short"']]);
    await entries.set('n', long);
    expect(await entries.delete('n')).toBe(true);
    expect(plain.texts.size).toBe(0);
    expect(await entries.delete('n')).toBe(false);
    expect(await entries.get('n')).toBeUndefined();
  });

  test('are never returned in part', async () => {
    for (const spoil of ['delete', 'cut', 'list'] as const) {
      const plain = memoryEntries();
      const entries = splitEntries(plain, random);
      await entries.set('n', long);
      const part = [...plain.texts.keys()].find((name) => name.endsWith('.2'))!;
      if (spoil === 'delete') plain.texts.delete(part);
      if (spoil === 'cut') plain.texts.set(part, plain.texts.get(part)!.slice(1));
      if (spoil === 'list') plain.texts.set('n', plain.texts.get('n')!.slice(0, -5));
      await expect(entries.get('n')).rejects.toThrow(/parts/);
    }
  });

  test('keep the old value until the new one is complete', async () => {
    const plain = memoryEntries();
    await splitEntries(plain, random).set('n', long);
    let writes = 0;
    const failing = {
      ...plain,
      set: async (name: string, text: string) => {
        writes += 1;
        if (writes === 3) throw new Error('killed');
        await plain.set(name, text);
      },
    };
    await expect(splitEntries(failing, random).set('n', long.replaceAll('x', 'y'))).rejects.toThrow('killed');
    expect(await splitEntries(plain, random).get('n')).toContain('xxx');
  });

  test('are read again if another process replaces them during the read', async () => {
    const plain = memoryEntries();
    await splitEntries(plain, random).set('n', long);
    let replaced = false;
    const racing = {
      ...plain,
      get: async (name: string) => {
        const text = await plain.get(name);
        if (name === 'n' && !replaced) {
          replaced = true;
          await splitEntries(plain, random).set('n', long.replaceAll('x', 'y'));
        }
        return text;
      },
    };
    expect(await splitEntries(racing, random).get('n')).toContain('yyy');
  });
});

// R17. In this order: the service is missing, then unlocked, then stopped, and locked after its next start.
describeWith(...secretService)('keychain: a real Secret Service', { shuffle: false }, () => {
  let service: SecretService;
  let env: Record<string, string>;
  beforeAll(async () => {
    service = await startSecretService();
    env = { PATH: process.env.PATH ?? '', HOME: service.folder, LANG: 'C.UTF-8', ...service.env };
  });
  afterAll(() => service?.stop());

  test('reports that the service is missing', () =>
    expectUnavailable(() => operations.read(env), /org\.freedesktop\.secrets was not provided/));

  describe('that is unlocked', () => {
    let daemon: Daemon;
    beforeAll(async () => {
      daemon = await service.unlock();
    });
    afterAll(() => daemon?.stop());

    few(1, {
      'writes, reads, replaces and removes credentials': async () => {
        const store = await keychain(env);
        await store.write(key, record());
        expect(await store.read(key)).toEqual(record());
        const long = record(`${canary}-${'x'.repeat(6_000)}`);
        await store.write(key, long);
        expect(await (await keychain(env)).read(key)).toEqual(long);
        const release = await store.reserve(key, long);
        await store.write(key, record());
        await release();
        expect(await store.read(key)).toEqual(record());
        expect(await store.remove(key)).toBe(true);
        expect(await store.read(key)).toBeUndefined();
        expect(await store.remove(key)).toBe(false);
      },
      // R21
      'refreshes a login once for two config directories': async () => {
        const store = await keychain(env);
        const { promise: hold, release } = gate();
        const server = createOAuthServer({ hold });
        const socket = await serve(server.send);
        const { access, refresh } = server.start();
        const expired = recordFromLogin(
          { accessToken: access, refreshToken: refresh, expiresInSeconds: 7200, owner: 'U1' },
          {
            client: { server: usualServer(socket.url), id: 'c' },
            origin: 'https://api.example.com',
            scopes: [],
            now: 1,
          },
        );
        await store.write(credentialKey(expired), expired);
        const home = service.folder;
        const file = await buildWorker();
        const log = join(home, 'log');
        writeFileSync(log, '');
        const plan = {
          server: socket.url,
          home,
          log,
          store: 'keychain' as const,
          key: credentialKey(expired),
          helper: true,
          isCrowded: true,
        };
        const workers = Array.from({ length: times(2, 6) }, (_, index) =>
          startWorker(file, { ...plan, config: join(home, `config-${index % 2}`) }, env),
        );
        await Promise.all(workers.map(({ ready }) => ready));
        for (const worker of workers) worker.say('go');
        const waiting = () => readFileSync(log, 'utf8').match(/^wait /gm)?.length;
        await until(() => waiting() === workers.length, home);
        release();
        const ends = await Promise.all(workers.map(({ done }) => done));
        const { access_token: token } = (await store.read(credentialKey(expired)))!;
        expect(new Set(ends.map(({ said }) => said))).toEqual(new Set([fingerprint(token)]));
        expect(server.counts).toMatchObject({ refresh: 1, reuse: 0 });
        await socket.close();
      },
    });
    // The last test, because the service replies to nobody after it.
    test('reports that it is stopped', { timeout: 30_000 }, async () => {
      daemon.halt();
      // The time is over when the keychain has been asked, which the test sees on the way to the bus.
      const clock = heldClock();
      const path = join(folder, 'bus');
      const [, busPath = ''] = /^unix:path=([^,]+)/.exec(env.DBUS_SESSION_BUS_ADDRESS!)!;
      const way = createServer((socket) => {
        const bus = connect(busPath);
        for (const end of [socket, bus]) end.on('error', () => {});
        socket.pipe(bus).pipe(socket);
        socket.on('data', (data) => data.includes('OpenSession') && clock.end(keychainLimit));
      }).listen(path);
      const onTheWay = { ...env, DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` };
      await expectUnavailable(() => operations.read(onTheWay, clock), /no reply within 4 s/);
      way.close();
    });
  });

  test('reports that the service is locked', { timeout: 30_000 }, async () => {
    // The keyring made above exists, but this time it is not unlocked.
    const daemon = await service.startLocked();
    for (const operation of sample([operations.probe, operations.write], 1))
      await expectUnavailable(() => operation(env), /prompt|no reply/);
    await daemon.stop();
  });
});
