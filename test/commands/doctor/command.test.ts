import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { execFileSync } from '../../support/processes.ts';
import {
  createWorld,
  logIn,
  loginAddresses,
  network,
  outputs,
  replying,
  type WorldOptions,
} from '../../support/run.ts';
import { splitCommandLine } from '../../support/shell-words.ts';
import { credentialFile, expireToken, revokeLogin } from '../../support/stored-login.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';

describe('doctor', () => {
  test('reports unfinished bulk runs and damaged receipts', async () => {
    const home = temporaryDirectory();
    const { run } = await createWorld({ home });
    expect((await run('compliance delete a@b.example c@d.example --yes')).code).toBe(0);
    const folder = join(home, '.local/state/sched/receipts');
    const [name] = readdirSync(folder).filter((file) => file.endsWith('.jsonl'));
    const path = join(folder, name!);
    const runs = async () =>
      JSON.parse((await run('doctor --json')).stdout).filter(({ check }: { check: string }) => check === 'runs');
    expect(await runs()).toEqual([]);

    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    writeFileSync(path, `${lines.slice(0, -1).join('\n')}\n`);
    expect(await runs()).toMatchObject([{ status: 'note', finding: expect.stringContaining('is not finished') }]);

    writeFileSync(path, `${lines[0]}\n${lines.slice(2).join('\n')}\n`);
    expect(await runs()).toMatchObject([{ status: 'problem', finding: expect.stringContaining('is damaged') }]);
    const windows = { platform: 'win32', env: { SCHED_STATE_DIR: join(home, '.local/state/sched') } };
    expect((await run('doctor --json', windows)).stdout).toContain(`"sched compliance verify ${path}"`);
  });

  test.each([
    ['/dev/null/none', "the home directory /dev/null/none doesn't exist"],
    ['', 'HOME is empty'],
  ])("reports that it can't use a state directory below the home %j", async (home, reason) => {
    const { run } = await createWorld({ home });
    const found = JSON.parse((await run('doctor --json')).stdout).filter(
      ({ check }: { check: string }) => check === 'state directory',
    );
    expect(found).toMatchObject([
      { status: 'note', finding: expect.stringMatching(new RegExp(`^can't use .*: ${reason}$`)) },
    ]);
  });

  test('says that the base URL is wrong if its 404 is that of another server, unless something explains it', async () => {
    const env = { SCHED_TOKEN: 'pat_7f3k29sx81mqz04vbn56tyhw', SCHED_BASE_URL: 'https://api.example.com/nope' };
    const { run } = await createWorld({ home: temporaryDirectory(), env });
    const other = {
      send: replying({ status: 404, headers: { 'content-type': 'text/html' }, body: '<h1>Not Found</h1>' }),
    };
    const own = { send: replying({ status: 404, body: '{"title":"Resource Not Found"}' }) };
    const network = async (more: WorldOptions) =>
      JSON.parse((await run('doctor --network --json', more)).stdout).find(
        ({ check }: { check: string }) => check === 'network',
      );
    expect(await network(other)).toMatchObject({ status: 'problem', fix: 'change SCHED_BASE_URL' });
    expect(await network({ ...other, env: { SCHED_USER: 'https://api.example.com/users/U1' } })).toMatchObject({
      status: 'ok',
    });
    expect(await network(own)).toMatchObject({ status: 'ok' });
    const wrong = await run('events list', other);
    expect([wrong.code, wrong.stderr]).toEqual([
      3,
      expect.stringContaining('The base URL is not that of a scheduling service'),
    ]);
    expect((await run('events list', own)).code).toBe(5);
  });

  test("says how to turn zsh's builtin of the same name off, until a file of zsh does it", async () => {
    const home = temporaryDirectory();
    const { run } = await createWorld({ home, env: { SHELL: '/opt/bin/zsh' } });
    const shell = async (env = {}) => {
      const { stdout } = await run('doctor --json', { env });
      return JSON.parse(stdout).find(({ check }: { check: string }) => check === 'shell');
    };
    expect(await shell()).toMatchObject({ status: 'note', fix: "echo 'disable sched' >> ~/.zshrc" });
    writeFileSync(join(home, '.zshrc'), '# disable sched\nsource ~/.other.zsh\n');
    expect(await shell()).toMatchObject({ status: 'note' });
    for (const line of ['disable sched', 'true && disable -- sched', 'source ~/.sched.zsh', '. ~/.sched.zsh']) {
      writeFileSync(join(home, '.zshrc'), `autoload -U x\n${line}\n`);
      expect([line, await shell()]).toMatchObject([line, { status: 'ok' }]);
    }
    const elsewhere = temporaryDirectory();
    expect((await shell({ ZDOTDIR: elsewhere })).fix).toBe(`echo 'disable sched' >> ${join(elsewhere, '.zshrc')}`);
    expect(await shell({ SHELL: '/bin/bash' })).toBeUndefined();
  });

  test.each(sample([40, 60, 80, 100], 2))('fits on a terminal with %d columns', async (columns) => {
    const { run } = await createWorld({ home: temporaryDirectory() });
    const { stdout } = await run('doctor --color never', { columns, terminals: outputs });
    // A path stays whole, so that it can be copied.
    const wide = stdout.split('\n').filter((line) => line.length > columns && !/ \/\S+$/.test(line));
    expect(wide).toEqual([]);
    expect(stdout).toContain('configuration');
    expect(stdout).toMatch(/\n\nAll good, \d notes\n$/);
  });

  test('ends with a summary for people only, and advises nothing about what sched creates itself', async () => {
    const { run } = await createWorld({ home: temporaryDirectory() });
    const { stdout } = await run('doctor --json');
    expect(stdout).not.toContain('mkdir');
    expect(stdout).not.toContain('All good');
    const { code, stderr } = await run('doctor', { terminals: ['stdout'], env: { HTTPS_PROXY: 'ftp://x.example' } });
    expect(code).toBe(3);
    expect(stderr).toMatch(/^error: Found 1 problem and \d notes\n$/);
  });

  test.each([
    [
      'HTTPS_PROXY',
      'http://robot:hunter2@proxy.example:3128',
      'note',
      'HTTPS_PROXY is set: http://proxy.example:3128;',
    ],
    ['https_proxy', 'proxy.example:3128', 'note', 'https_proxy is set: http://proxy.example:3128;'],
    ['https_proxy', 'ftp://robot:hunter2@proxy.example', 'problem', 'https_proxy is not the URL of an http or'],
    ['NO_PROXY', 'example.com', 'note', 'NO_PROXY is set;'],
  ])('shows the proxy in %s=%s without its login', async (name, value, status, words) => {
    const { run } = await createWorld({ env: { [name]: value } });
    const { stdout } = await run('doctor --json');
    const found = JSON.parse(stdout).filter(({ check }: { check: string }) => check === 'proxy');
    expect(found).toMatchObject([{ status, finding: expect.stringContaining(words) }]);
    expect(found[0].fix).toMatch(`unset ${name}`);
    expect(stdout).not.toContain('hunter2');
    // With the fix, nothing is said of a proxy.
    expect((await run('doctor --json', { env: { [name]: '' } })).stdout).not.toContain('proxy');
  });
});

interface Finding {
  check: string;
  status: 'ok' | 'note' | 'problem';
  finding: string;
  fix: string | null;
}

describe('doctor names the problem, and its fix works', () => {
  const baseUrl = 'http://127.0.0.1:4010';
  let world: Awaited<ReturnType<typeof createWorld>>;
  let home: string;
  let config: string;
  beforeEach(async () => {
    home = temporaryDirectory();
    config = join(home, '.config/sched/config.json');
    world = await createWorld({ home, env: { SCHED_TOKEN: '', SCHED_BASE_URL: '' } });
  });

  const doctor = async (flags = '', more: WorldOptions = {}) => {
    const { code, stdout } = await world.run(`doctor --json ${flags}`, more);
    const findings = JSON.parse(stdout) as Finding[];
    const of = (check: string, status: Finding['status'] = 'problem') =>
      findings.find((each) => each.check === check && each.status === status);
    return { code, findings, of };
  };

  /** Carries a suggested fix out: a command of the program, or one of the shell. */
  const carryOut = async (fix: string) => {
    const [name, ...words] = splitCommandLine(fix);
    if (name === 'sched') return expect((await world.run(words)).code).toBe(0);
    execFileSync(name!, words);
  };

  const writeConfig = (text: string) => {
    mkdirSync(dirname(config), { recursive: true, mode: 0o700 });
    writeFileSync(config, text, { mode: 0o600 });
  };

  const withToken = () =>
    world.run(`auth login --with-token --credential-store file --base-url ${baseUrl}`, { stdin: `${world.token}\n` });

  test('broken JSON in the configuration', async () => {
    writeConfig('{\n  "version": 1,\n  "profiles": {,}\n}');
    const sick = await doctor();
    expect(sick.code).toBe(3);
    expect(sick.of('configuration')).toMatchObject({
      finding: expect.stringContaining('at line 3, column 16'),
      fix: `edit ${config}`,
    });
    writeFileSync(config, readFileSync(config, 'utf8').replace('{,}', '{}'));
    expect(await doctor()).toMatchObject({ code: 0 });
  });

  test('a token file that others may read', async () => {
    await withToken();
    expect((await doctor()).code).toBe(0);
    const file = credentialFile(home);
    chmodSync(file, 0o644);
    const sick = await doctor();
    expect(sick.code).toBe(3);
    expect(sick.of('file')).toMatchObject({ finding: `${file} can be read by others (mode 644)` });
    await carryOut(sick.of('file')!.fix!);
    expect((await doctor()).code).toBe(0);
  });

  test('no mode on Windows, where it means nothing', async () => {
    await withToken();
    const file = credentialFile(home);
    chmodSync(file, 0o644);
    const { of } = await doctor('', { platform: 'win32', env: { SCHED_CONFIG_DIR: dirname(dirname(file)) } });
    expect(of('file')).toBeUndefined();
    expect(of('config directory', 'ok')?.finding).toMatch(/ exists; sched can't see who may read it$/);
  });

  test('a missing directory', async () => {
    const found = (await doctor()).of('state directory', 'ok')!;
    expect(found.finding).toContain("doesn't exist yet; sched creates it when needed");
    const state = join(home, '.local/state/sched');
    mkdirSync(state, { recursive: true, mode: 0o700 });
    expect((await doctor()).of('state directory', 'ok')?.finding).toBe(`${state} is private`);
  });

  test('no keychain, for a login that is kept in one', async () => {
    const login = { store: 'keychain', issuer: 'x', client: 'y', user: 'z' };
    writeConfig(
      JSON.stringify({ version: 1, current: 'default', profiles: { default: { base_url: baseUrl, login } } }),
    );
    const sick = await doctor();
    expect(sick.code).toBe(3);
    const { finding, fix } = sick.of('credential store')!;
    expect(finding).toContain('The keychain (Secret Service) is unavailable');
    expect(fix).toContain('sched auth login -p default --credential-store file');
    expect((await withToken()).code).toBe(0);
    const well = await doctor();
    expect(well.code).toBe(0);
    expect(well.of('credential store', 'ok')?.finding).toBe('file (set in the profile)');
  });

  test('a token that has expired', async () => {
    expect((await logIn(world, loginAddresses)).code).toBe(0);
    expireToken(home, () => {}, world.machineNow());
    const found = (await doctor()).of('token', 'note')!;
    expect(found).toMatchObject({
      finding: expect.stringMatching(/^expired at /),
      fix: 'sched auth refresh -p default',
    });
    await carryOut(found.fix!);
    expect((await doctor()).of('token', 'note')?.finding).toMatch(/^expires at .*; not checked with the service$/);
    const withoutRefresh = (record: Record<string, unknown>) => {
      delete record.refresh_token;
    };
    expireToken(home, withoutRefresh, world.machineNow());
    const sick = await doctor();
    expect(sick.code).toBe(3);
    expect(sick.of('token')).toMatchObject({ fix: 'sched auth login -p default' });
    expect((await logIn(world, ['-p', 'default'])).code).toBe(0);
    expect((await doctor()).code).toBe(0);
  });

  test('a token that the service refuses', async () => {
    const env = { SCHED_BASE_URL: baseUrl, SCHED_TOKEN: 'wrong' };
    expect((await doctor('', { env })).of('token', 'note')?.finding).toMatch(/; not checked with the service$/);
    expect((await doctor('--network', { env })).of('token')).toMatchObject({
      finding: 'from SCHED_TOKEN (overrides stored logins); the service refuses it',
      fix: 'provide a valid token in SCHED_TOKEN',
    });
    expect((await doctor('--network', { env: { ...env, SCHED_TOKEN: world.token } })).of('token', 'ok')).toMatchObject({
      finding: expect.stringMatching(/; the service accepts it$/),
    });
    expect((await logIn(world, loginAddresses)).code).toBe(0);
    expect((await doctor('--network')).of('token', 'ok')?.finding).toMatch(/; the service accepts it$/);
    await revokeLogin(world, home);
    const sick = await doctor('--network');
    expect(sick.code).toBe(3);
    expect(sick.of('token')).toMatchObject({
      finding: expect.stringMatching(/^expires at .*; the service refuses it$/),
      fix: 'sched auth refresh -p default, or sched auth login -p default',
    });
  });

  test('a token that may not be sent to the base URL, without sending it', async () => {
    await withToken();
    const { stdout, requests } = await world.run('doctor --network --json', {
      env: { SCHED_BASE_URL: 'https://elsewhere.example' },
      send: replying({}),
    });
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({
        check: 'token',
        status: 'problem',
        finding: `The token is for ${baseUrl} and is not sent to https://elsewhere.example`,
      }),
    );
    expect(requests.filter(({ headers }) => 'authorization' in headers)).toEqual([]);
  });

  test('a token in the environment without a base URL, and nothing that a token makes unnecessary', async () => {
    const alone = await doctor('', { env: { SCHED_TOKEN: 'x' } });
    expect(alone.of('profile')).toMatchObject({ fix: 'set SCHED_BASE_URL' });
    const both = await doctor('', { env: { SCHED_TOKEN: 'x', SCHED_BASE_URL: baseUrl } });
    expect(both.code).toBe(0);
    for (const { findings } of [alone, both])
      expect(findings.map(({ fix }) => fix).join()).not.toContain('SCHED_TOKEN');
  });

  test("a configuration that doesn't exist yet", async () => {
    expect((await doctor()).of('configuration', 'ok')?.finding).toBe(
      `${config} doesn't exist yet; sched creates it when needed`,
    );
    await withToken();
    expect((await doctor()).of('configuration', 'ok')?.finding).toBe(config);
  });

  test('a clock that is wrong', async () => {
    const env = { SCHED_BASE_URL: baseUrl, SCHED_TOKEN: 'x' };
    const send = replying({ headers: { date: new Date(world.clock.now()).toUTCString() } });
    const sick = await doctor('--network', { env, send, clockAheadMs: 3_600_000 });
    expect(sick.code).toBe(3);
    expect(sick.of('clock')).toMatchObject({
      finding: "the system clock is 60 minutes ahead of the service's",
      fix: 'correct the system clock',
    });
    expect((await doctor('--network', { env, send, clockAheadMs: 0 })).code).toBe(0);
  });

  test('a host that cannot be reached', async () => {
    await withToken();
    await world.run('profiles set base_url http://127.0.0.1:1');
    const sick = await doctor('--network', { send: network });
    expect(sick.code).toBe(3);
    const { finding, fix } = sick.of('network')!;
    expect(finding).toBe("can't reach 127.0.0.1:1: connection refused");
    expect(fix).toContain('sched profiles set base_url URL -p default');
    await carryOut(`sched profiles set base_url ${baseUrl} -p default`);
    expect(await doctor('--network', { clockAheadMs: 0 })).toMatchObject({ code: 0 });
    expect((await world.run('users me')).code).toBe(0);
  });

  test('a base URL that is not a URL', async () => {
    const sick = await doctor('--network', { env: { SCHED_BASE_URL: 'not a url' } });
    expect(sick.code).toBe(3);
    expect(sick.of('address')?.finding).toMatch(/^SCHED_BASE_URL: /);
  });

  test('a booking and a receipt that cannot be read', async () => {
    const state = join(home, '.local/state/sched');
    for (const name of ['bookings', 'receipts']) mkdirSync(join(state, name), { recursive: true, mode: 0o700 });
    const booking = join(state, 'bookings', `zzzzzz-${'a'.repeat(64)}.1.json`);
    writeFileSync(booking, '', { mode: 0o600 });
    writeFileSync(join(state, 'elsewhere'), '{"type":"run","at":"2026-11-15T18:00:00Z","run":"one"}\n', {
      mode: 0o600,
    });
    symlinkSync(join(state, 'elsewhere'), join(state, 'receipts', 'one.jsonl'));
    const sick = await doctor('', { env: { SCHED_BASE_URL: baseUrl, SCHED_TOKEN: 'x' } });
    expect(sick.code).toBe(3);
    expect(sick.of('bookings')?.finding).toBe(`A booking ledger entry is damaged: ${booking}`);
    expect(sick.of('bookings')?.fix).toContain('remove the file');
    expect(sick.of('runs')?.finding).toContain('it is a symbolic link');
    // The other checks still ran.
    expect(sick.of('runtime', 'ok')?.finding).toBe(`Node ${process.versions.node} on linux`);
  });

  test('names the time zones that are corrected, because this Node does not know their newest rules', async () => {
    const winter = { timeZone: 'America/Winnipeg', timeZoneName: 'longOffset' } as const;
    const isKnown = new Intl.DateTimeFormat('en-US', winter).format(Date.parse('2026-12-01')).includes('GMT-05:00');
    const { finding } = (await doctor()).of('time zones', 'ok')!;
    expect(finding).toMatch(/^rules of release 20\d\d[a-z] of the tz database/);
    const corrected = new RegExp(
      `Those of Node ${process.versions.node} are older than 20\\d\\d[a-z]; sched corrects .*America/Winnipeg`,
    );
    expect(corrected.test(finding)).toBe(!isKnown);
    expect(finding.endsWith(', or newer')).toBe(isKnown);
  });

  test('a TZ that is no time zone', async () => {
    const { finding, status } = (await doctor('', { env: { TZ: 'Mars/Phobos' } })).of('TZ', 'note')!;
    expect([status, finding]).toEqual([
      'note',
      expect.stringMatching(/^TZ=Mars\/Phobos is not a supported time zone; using /),
    ]);
  });

  test('a home directory that is gone', async () => {
    rmSync(home, { recursive: true });
    const { finding } = (await doctor()).of('config directory', 'ok')!;
    expect(finding).toBe(`${dirname(config)} doesn't exist yet; sched creates it when needed`);
  });
});
