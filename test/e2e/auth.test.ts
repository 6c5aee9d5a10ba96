import { closeSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { fingerprint } from '../../src/sandbox/oauth/ready-tokens.ts';
import { openDatabase } from '../../src/sandbox/store/database.ts';
import { leaksIn } from '../support/canary.ts';
import { spawnSync } from '../support/processes.ts';
import { terminals } from '../support/run.ts';
import { type SecretService, secretService, startSecretService } from '../support/secret-service.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { few, isDeep, sample, times } from '../support/tier.ts';
import { describeWith, pathOf } from '../support/tools.ts';
import {
  addressesOf,
  commandsOf,
  credentialFile,
  everythingBelow,
  expireToken,
  logIn,
  type RunningSandbox,
  sched,
  shell,
  startSandbox,
  storeLogin,
  temporaryHome,
  testClock,
  usedSandbox,
} from './program.ts';

let sandbox: RunningSandbox;
let home: string;
let data: string;
beforeAll(async () => {
  data = await usedSandbox();
  sandbox = await startSandbox('--auto-consent', '--no-limits', '--data', data);
});
afterAll(() => sandbox?.stop());
beforeEach(() => {
  home = temporaryHome();
});

const readsToken = async () => {
  const { code, stdout } = await shell(
    'echo "$PAT" | sched auth login --with-token --credential-store file --base-url "$BASE" && sched events list --limit 1 -o id',
    home,
    { PAT: sandbox.token, BASE: sandbox.base_url },
  );
  expect(code).toBe(0);
  expect(stdout).toMatch(/\/scheduled_events\/\S+\n$/);
};

// R18
const storesNothing = async () => {
  const token = 'canary-pat-0123456789abcdef';
  const path = join(home, 'bus');
  const clock = testClock();
  // The keychain has four seconds to reply.
  const server = createServer((socket) => {
    socket.on('error', () => {});
    clock.setAhead(4_000);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const words = ['auth', 'login', '--with-token', '--base-url', sandbox.base_url];
  const env = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}`, ...clock.env };
  const { code, stderr } = await sched(words, home, env, `${token}\n`);
  server.close();
  expect(code).toBe(3);
  expect(stderr).toContain('--credential-store file');
  expect(stderr).toContain('SCHED_TOKEN');
  expect(everythingBelow(home)).not.toContain(token);
};

// R21
const crowd = Number(process.env.SCHED_TEST_PROCESSES ?? times(3, 50));
const refreshesOnce = async () => {
  await storeLogin(addressesOf(sandbox), home);
  const read = () => JSON.parse(readFileSync(credentialFile(home), 'utf8'));
  const before = read();
  expireToken(home);
  /** The refresh tokens of the login that the service has issued, and whether they are spent. */
  const issued = async () => {
    const database = await openDatabase(data);
    const rows = database.all<{ hash: string; used_at: string | null }>(
      'SELECT hash, used_at FROM refresh_tokens WHERE family = (SELECT max(id) FROM families)',
    );
    database.close();
    return Object.fromEntries(rows.map(({ hash, used_at }) => [hash, used_at !== null]));
  };
  expect(await issued()).toEqual({ [fingerprint(before.refresh_token)]: false });
  // The processes wait for each other as they do for users, with pauses of 10 to 200 ms. Without pauses they would take longer.
  const ends = await Promise.all(
    Array.from({ length: crowd }, () => sched(['events', 'list', '--limit', '1', '--json=uri'], home)),
  );
  expect(ends.map(({ code, stderr }) => [code, stderr])).toEqual(ends.map(() => [0, '']));
  const after = read();
  expect(await issued()).toEqual({
    [fingerprint(before.refresh_token)]: true,
    [fingerprint(after.refresh_token)]: false,
  });
  for (const { access_token, refresh_token } of [before, after]) {
    expect(ends.flatMap(({ stdout }) => leaksIn(stdout, [access_token, refresh_token]))).toEqual([]);
  }
  expect(after.access_token).not.toBe(before.access_token);
};

const place = temporaryDirectory('full');
const mount = (...words: string[]) => spawnSync('mount', [...words, place]).status === 0;
const mountSmall = () => mount('-t', 'tmpfs', '-o', 'size=64k', 'none');
const unmount = () => spawnSync('umount', [place]).status === 0;

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

// R24
const spendsNothing = (code: string, spoil: () => unknown, restore: () => unknown) => async () => {
  expect(mountSmall()).toBe(true);
  onTestFinished(() => void unmount());
  const env = { SCHED_CONFIG_DIR: join(place, 'config') };
  await storeLogin(addressesOf(sandbox), temporaryHome(), env);
  const folder = join(place, 'config/credentials');
  const files = () => readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const before = files();
  spoil();
  for (const line of sample(['auth refresh', 'auth refresh --json'], 1)) {
    const { code: exit, stderr } = await sched(line.split(' '), home, env);
    expect(exit).toBe(3);
    expect(stderr).toContain('The login was not refreshed, because the new token could not be stored');
    expect(stderr).toContain(`${code}; the refresh token was not used`);
  }
  expect(files()).toEqual(before);
  restore();
  expect((await sched(['auth', 'refresh'], home, env)).code).toBe(0);
  expect(files()).toHaveLength(1);
  expect(files()).not.toEqual(before);
};
const fullDisk = spendsNothing('ENOSPC', fill, () => rmSync(join(place, 'filler')));
const readOnlyDisk = spendsNothing(
  'EROFS',
  () => mount('-o', 'remount,ro'),
  () => mount('-o', 'remount,rw'),
);
// On machines without permission to mount, the unit tests check this.
const canMount = pathOf('mount') !== undefined && mountSmall() && unmount();

few(1, {
  'auth login --with-token reads a token from a pipe, and the next command uses it': readsToken,
  'auth login on a bus that never replies stores nothing, and names the alternatives': storesNothing,
  [`${crowd} processes at expiry refresh the token once`]: refreshesOnce,
  ...(canMount && {
    'a refresh that cannot store the token on a full disk spends nothing, and works again afterwards': fullDisk,
    'a refresh that cannot store the token on a read-only disk spends nothing, and works afterwards': readOnlyDisk,
  }),
});

// R17
describeWith(...secretService, 'script')('auth login with a real keychain', () => {
  let service: SecretService;
  beforeAll(async () => {
    service = await startSecretService();
    await service.unlock();
  });
  afterAll(() => service?.stop());

  test('moves a login there from a file, keeps it in no file, and removes it at logout', {
    timeout: 30_000,
  }, async () => {
    const withBus = service.env;
    await storeLogin(addressesOf(sandbox), home);
    const { access_token, refresh_token } = JSON.parse(readFileSync(credentialFile(home), 'utf8'));
    const { code, text } = await logIn(sandbox, home, { flags: ['--credential-store', 'keychain'], env: withBus });
    expect([code, text]).toEqual([0, expect.stringContaining('The token is stored in the keychain (Secret Service)')]);
    // auth/keychain.test.ts refreshes a login there.
    if (isDeep) expect((await sched(['auth', 'refresh'], home, withBus)).code).toBe(0);
    const { stdout: token } = await sched(['auth', 'token'], home, withBus);
    expect(leaksIn(everythingBelow(home), [access_token, refresh_token, token.trim()])).toEqual([]);
    const files = readdirSync(join(home, '.config/sched'), { encoding: 'utf8', recursive: true });
    expect(files.filter((file) => !file.startsWith('.locks')).sort()).toEqual(['config.json', 'credentials']);
    // The old login is not revoked: that might revoke the new one too.
    const headers = { authorization: `Bearer ${access_token}` };
    expect((await fetch(`${sandbox.base_url}/users/me`, { headers })).status).toBe(200);
    expect((await sched(['auth', 'logout'], home, withBus)).code).toBe(0);
    const run = await commandsOf(home, withBus);
    expect((await run('auth status')).code).toBe(4);
  });

  // R24
  test('does not start a login if the profile cannot be written', { timeout: 30_000 }, async () => {
    const run = await commandsOf(home, { ...service.env, SCHED_CONFIG_DIR: '/dev/null/config' });
    const { code, screen } = await run(['auth', 'login', '--no-browser', ...addressesOf(sandbox)], {
      terminals,
      columns: 200,
    });
    expect(code).toBe(3);
    expect(screen).toContain('/dev/null/config');
    expect(screen).not.toContain('/oauth/authorize?');
  });
});
