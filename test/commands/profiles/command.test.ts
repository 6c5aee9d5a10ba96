import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Send } from '../../../src/http/message.ts';
import { createWorld, logIn, loginAddresses, terminals, type WorldOptions } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

let world: Awaited<ReturnType<typeof createWorld>>;
let config: string;
beforeEach(async () => {
  config = temporaryDirectory();
  world = await createWorld({ env: { SCHED_CONFIG_DIR: config, SCHED_TOKEN: '', SCHED_BASE_URL: '' } });
});

const file = () => join(config, 'config.json');
const stored = () => JSON.parse(readFileSync(file(), 'utf8'));
const add = (name: string, more = '') => world.run(`profiles add ${name} --base-url https://api.example.com ${more}`);

describe('profiles', () => {
  test('can be added, and the first one becomes the current one', async () => {
    expect((await add('work', '--auth-url https://auth.example.com --client-id abc')).code).toBe(0);
    expect((await add('home')).code).toBe(0);
    expect(stored()).toEqual({
      version: 1,
      current: 'work',
      profiles: {
        work: { base_url: 'https://api.example.com', auth_url: 'https://auth.example.com', client_id: 'abc' },
        home: { base_url: 'https://api.example.com' },
      },
    });
    expect(statSync(file()).mode & 0o777).toBe(0o600);
  });

  test('are named in headings and answers of writes for people, as soon as there are two', async () => {
    const env = { SCHED_PROFILE: 'beta', SCHED_TOKEN: world.token };
    const lines = ['events list --limit 1', 'events next', 'event-types update "Intro call" --duration 20'];
    const shown = async (more: WorldOptions = {}) =>
      Promise.all(
        lines.map(async (line) => /[·[]\s?beta/.test((await world.run(line, { env, terminals, ...more })).screen)),
      );
    await world.run('profiles add beta --base-url http://127.0.0.1:4010');
    expect(await shown()).toEqual([false, false, false]);
    await world.run('profiles add alpha --base-url http://127.0.0.1:4010');
    expect(await shown()).toEqual([true, true, true]);
    const piped = await world.run('events list --limit 1', { env });
    expect(piped.stdout + piped.stderr).not.toContain('beta');
    expect((await world.run('--sandbox events list --limit 1', { terminals })).screen).not.toContain('beta');
  });

  test('say what decides in this shell if that is not the new default', async () => {
    await add('work');
    await add('home');
    const said = async (env: Record<string, string>) => (await world.run('profiles use home', { env })).stderr;
    expect(await said({})).toContain('For this terminal only: export SCHED_PROFILE=home');
    expect(await said({ SCHED_PROFILE: 'home' })).not.toContain('but');
    expect(await said({ SCHED_PROFILE: 'work' })).toContain(
      'is now "home", but in this shell SCHED_PROFILE decides: "work". To end that: unset SCHED_PROFILE',
    );
    expect(await said({ SCHED_TOKEN: 'x', SCHED_BASE_URL: 'https://api.example.com' })).toContain(
      'but in this shell SCHED_TOKEN and SCHED_BASE_URL decide',
    );
  });

  test("can't be added twice, or with an invalid name or URL", async () => {
    await add('work');
    expect((await add('work')).code).toBe(7);
    const wrong = await world.run('profiles add ../x --base-url http://api.example.com');
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('"../x" is not a valid profile name');
    const plain = await world.run('profiles add y --base-url http://api.example.com');
    expect(plain.stderr).toContain('--base-url: it must be https');
  });

  test('all problems with new settings are reported together', async () => {
    const { stderr } = await world.run('profiles add y --base-url http://api.example.com --org a --organization b');
    for (const problem of ['--base-url: it must be https', "--org and --organization can't be used together"])
      expect(stderr).toContain(problem);
    expect((await world.run('profiles set')).stderr).toContain('sched profiles set KEY VALUE');
  });

  test('can be listed, shown, used, changed and removed', async () => {
    await add('work');
    await add('home');
    const used = await world.run('profiles use home');
    expect(used.stderr).toContain('export SCHED_PROFILE=home');
    const { stdout } = await world.run('profiles list --json=name,current');
    expect(JSON.parse(stdout)).toEqual([
      { name: 'work', current: false },
      { name: 'home', current: true },
    ]);
    expect((await world.run('profiles set timezone Europe/Paris -p work')).code).toBe(0);
    expect(JSON.parse((await world.run('profiles show work --json=timezone')).stdout)).toEqual({
      timezone: 'Europe/Paris',
    });
    expect((await world.run('profiles set timezone CET')).code).toBe(2);
    expect((await world.run('profiles set color red')).code).toBe(2);
    expect((await world.run('profiles remove home')).code).toBe(12);
    const no = await world.run('profiles remove home', { terminals: ['stdin', 'stderr'], stdin: 'n\n' });
    expect([no.code, no.stderr]).toEqual([12, expect.stringContaining('Nothing removed.')]);
    expect((await world.run('profiles remove home --yes')).code).toBe(0);
    expect(Object.keys(stored().profiles)).toEqual(['work']);
  });

  test('are exported without personal data', async () => {
    await add('work', '--client-id abc --user ME --organization ORG');
    const { stdout } = await world.run('profiles export work');
    expect(JSON.parse(stdout)).toEqual({ base_url: 'https://api.example.com', client_id: 'abc', organization: 'ORG' });
    expect((await world.run('profiles export work --jq .client_id')).stdout).toBe('abc\n');
    const other = temporaryDirectory();
    const env = { SCHED_CONFIG_DIR: other };
    expect((await world.run('profiles add prod2 --from -', { env, stdin: stdout })).code).toBe(0);
  });

  test('are read from a file with a BOM and CRLF line ends', async () => {
    await add('work');
    writeFileSync(file(), `\ufeff${readFileSync(file(), 'utf8').replaceAll('\n', '\r\n')}`);
    expect((await world.run('profiles list -o id')).stdout).toBe('work\n');
  });

  test('lists the user who logged in, by name', async () => {
    expect((await logIn(world, loginAddresses, { home: temporaryDirectory() })).code).toBe(0);
    expect((await world.run('profiles list')).stdout).toMatch(/\tAmara Lindqvist\n$/);
  });

  test('report the position of an error in their file, and leave it unchanged', async () => {
    writeFileSync(file(), '{\n  "version": 1,\n  "profiles": {,}\n}');
    const { code, stderr } = await add('work');
    expect(code).toBe(3);
    expect(stderr).toContain('at line 3, column 16');
    expect(readFileSync(file(), 'utf8')).toContain('{,}');
    writeFileSync(file(), '{"version":1,"profiles":{"work":{"base_url":"ftp://x","colour":1}}}');
    const wrong = await world.run('profiles list');
    expect(wrong.code).toBe(3);
    expect(wrong.stderr).toContain('profiles.work.base_url');
  });

  test('that do not exist are reported with the existing ones', async () => {
    await add('work');
    const { code, stderr } = await world.run('events list -p wrok');
    expect(code).toBe(2);
    expect(stderr).toContain('No profile named "wrok"');
    expect(stderr).toContain('work');
  });

  test('without a login get a hint to log in', async () => {
    await add('work');
    const { code, stderr } = await world.run('events list');
    expect(code).toBe(4);
    expect(stderr).toContain('try: sched auth login -p work');
  });

  test('supply the base URL for a token from the environment', async () => {
    await world.run('profiles add sand --base-url http://127.0.0.1:4010');
    const { code } = await world.run('users me -p sand', { env: { SCHED_TOKEN: world.token } });
    expect(code).toBe(0);
  });

  test('set the time zone, and the output format on a terminal', async () => {
    await world.run('profiles add sand --base-url http://127.0.0.1:4010');
    await world.run('profiles set timezone Asia/Tokyo');
    await world.run('profiles set output json');
    const env = { SCHED_TOKEN: world.token };
    const shown = await world.run('events list --limit 1 -p sand', { env, terminals: ['stdout'] });
    expect(JSON.parse(shown.stdout)).toHaveLength(1);
    const table = await world.run('events list --limit 1 -p sand -o table', {
      env,
      terminals: ['stdout'],
      columns: 120,
    });
    expect(table.stdout).toContain('Asia/Tokyo');
    const piped = await world.run('events list --limit 1 -p sand', { env });
    expect(piped.stdout).toContain('\t');
  });

  test('lose a setting that is set to an empty value', async () => {
    await add('work');
    await world.run('profiles set timezone Europe/Paris');
    expect(stored().profiles.work).toEqual({ base_url: 'https://api.example.com', timezone: 'Europe/Paris' });
    expect((await world.run(['profiles', 'set', 'timezone', ''])).code).toBe(0);
    expect(stored().profiles.work).toEqual({ base_url: 'https://api.example.com' });
  });

  test('of two accounts side by side never send the token of the other', async () => {
    const home = temporaryDirectory();
    const accounts = {
      one: { origin: 'http://127.0.0.1:4010', token: 'sandbox_owner', tokens: new Set<string>() },
      two: { origin: 'http://127.0.0.1:4020', token: 'sandbox_user', tokens: new Set<string>() },
    };
    // One service behind both addresses that writes down which tokens it is shown at which.
    const send: Send = (request) => {
      const { tokens } = Object.values(accounts).find(({ origin }) => request.url.startsWith(origin))!;
      tokens.add(request.headers.authorization!.replace('Bearer ', ''));
      return world.service(request);
    };
    const run = (line: string, more: WorldOptions = {}) => world.run(line, { home, send, ...more });
    for (const [name, { origin, token }] of Object.entries(accounts)) {
      const line = `auth login -p ${name} --with-token --credential-store file --base-url ${origin}`;
      expect((await run(line, { stdin: `${token}\n` })).code).toBe(0);
    }
    const name = async (words: string, env: Record<string, string> = {}) =>
      JSON.parse((await run(`users me --json=name ${words}`, { env })).stdout).name;
    const [amara, tomas] = ['Amara Lindqvist', 'Tomás Ferreira'];
    expect([await name('-p one'), await name('-p two')]).toEqual([amara, tomas]);
    expect([await name('', { SCHED_PROFILE: 'one' }), await name('', { SCHED_PROFILE: 'two' })]).toEqual([
      amara,
      tomas,
    ]);
    expect(await name('')).toBe(amara);
    expect((await run('profiles use two')).stderr).toContain('export SCHED_PROFILE=two');
    expect(await name('')).toBe(tomas);
    expect(await name('', { SCHED_PROFILE: 'one' })).toBe(amara);
    // The address of one with the login of the other.
    const crossed = await run('users me -p two', { env: { SCHED_BASE_URL: accounts.one.origin } });
    expect(crossed).toMatchObject({ code: 4, requests: [] });
    const sent = Object.values(accounts).map(({ tokens }) => [...tokens]);
    expect(sent).toEqual([['sandbox_owner'], ['sandbox_user']]);
  });

  test('that a colleague hands over need only a login', async () => {
    const [mine, colleague] = [temporaryDirectory(), temporaryDirectory()];
    const shared = await createWorld({ env: { SCHED_TOKEN: '', SCHED_BASE_URL: '' } });
    const prod = [...loginAddresses, '-p', 'prod'];
    expect((await logIn(shared, prod, { home: mine })).code).toBe(0);
    const { stdout } = await shared.run('profiles export prod', { home: mine });
    const added = await shared.run('profiles add prod2 --from -', { home: colleague, stdin: stdout });
    expect(added).toMatchObject({ code: 0, stderr: expect.stringContaining('sched auth login -p prod2') });
    expect((await shared.run('events list', { home: colleague })).code).toBe(4);
    expect((await logIn(shared, ['-p', 'prod2'], { home: colleague })).code).toBe(0);
    expect((await shared.run('events list --limit 1', { home: colleague })).code).toBe(0);
  });
});
