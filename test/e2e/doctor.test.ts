import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { execFileSync } from '../support/processes.ts';
import {
  credentialFile,
  expireToken,
  logIn,
  program,
  type RunningSandbox,
  runner,
  sched,
  shell,
  startSandbox,
  temporaryHome,
} from './program.ts';

interface Finding {
  check: string;
  status: 'ok' | 'note' | 'problem';
  finding: string;
  fix: string | null;
}

let sandbox: RunningSandbox;
let home: string;
let config: string;
beforeAll(async () => {
  sandbox = await startSandbox('--auto-consent');
});
afterAll(() => sandbox?.stop());
beforeEach(() => {
  home = temporaryHome();
  config = join(home, '.config/sched/config.json');
});

const doctor = async (flags: string[] = [], env: Record<string, string> = {}) => {
  const { code, stdout } = await sched(['doctor', '--json', ...flags], home, env);
  const findings = JSON.parse(stdout) as Finding[];
  const of = (check: string, status: Finding['status'] = 'problem') =>
    findings.find((each) => each.check === check && each.status === status);
  return { code, of };
};

const writeConfig = (value: unknown) => {
  mkdirSync(dirname(config), { recursive: true, mode: 0o700 });
  writeFileSync(config, typeof value === 'string' ? value : JSON.stringify(value), { mode: 0o600 });
};

const withToken = () =>
  shell(
    `echo ${sandbox.token} | sched auth login --with-token --credential-store file --base-url ${sandbox.base_url}`,
    home,
  );

test('doctor says what runs the program', async () => {
  const isNode = program.length > 0;
  const node = isNode && execFileSync(runner, ['--print', 'process.versions.node'], { encoding: 'utf8' }).trim();
  const { finding } = (await doctor()).of('runtime', 'ok')!;
  expect(finding).toBe(`${isNode ? `Node ${node}` : 'one file that needs no Node,'} on ${process.platform}`);
});

describe('doctor names what is wrong, and its fix works', () => {
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
    expect((await shell(sick.of('file')!.fix!, home)).code).toBe(0);
    expect((await doctor()).code).toBe(0);
  });

  test('a missing directory', async () => {
    const sick = await doctor();
    const found = sick.of('state directory', 'note')!;
    expect(found.finding).toContain('is not there yet');
    expect((await shell(found.fix!, home)).code).toBe(0);
    expect((await doctor()).of('state directory', 'ok')).toBeDefined();
  });

  test('no keychain, for a login that is kept in one', async () => {
    const login = { store: 'keychain', issuer: 'x', client: 'y', user: 'z' };
    writeConfig({ version: 1, current: 'default', profiles: { default: { base_url: sandbox.base_url, login } } });
    const sick = await doctor();
    expect(sick.code).toBe(3);
    const { finding, fix } = sick.of('credential store')!;
    expect(finding).toContain('there is no session bus');
    expect(fix).toContain('sched auth login --credential-store file');
    expect((await withToken()).code).toBe(0);
    const well = await doctor();
    expect(well.code).toBe(0);
    expect(well.of('credential store', 'ok')).toBeDefined();
  });

  test('a token that has run out', async () => {
    expect((await logIn(sandbox, home)).code).toBe(0);
    expireToken(home);
    const found = (await doctor()).of('token', 'note')!;
    expect(found).toMatchObject({
      finding: expect.stringMatching(/^expired at /),
      fix: 'sched auth refresh -p default',
    });
    expect((await shell(found.fix!, home)).code).toBe(0);
    expect((await doctor()).of('token', 'ok')?.finding).toContain('good until');
    expireToken(home, (record) => {
      delete record.refresh_token;
    });
    const sick = await doctor();
    expect(sick.code).toBe(3);
    expect(sick.of('token')).toMatchObject({ fix: 'sched auth login -p default' });
    expect((await logIn(sandbox, home)).code).toBe(0);
    expect((await doctor()).code).toBe(0);
  });

  test('a clock that is wrong', async () => {
    let ahead = -3_600_000;
    const server = createServer((_, response) => {
      response
        .setHeader('date', new Date(Date.now() + ahead).toUTCString())
        .writeHead(401)
        .end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const env = { SCHED_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, SCHED_TOKEN: 'x' };
    const sick = await doctor(['--network'], env);
    expect(sick.code).toBe(3);
    expect(sick.of('clock')).toMatchObject({
      finding: "this clock is 60 minutes ahead of the service's",
      fix: "set the machine's clock",
    });
    ahead = 0;
    expect((await doctor(['--network'], env)).code).toBe(0);
    server.close();
  });

  test('a host that cannot be reached', async () => {
    await withToken();
    await sched(['profiles', 'set', 'base_url', 'http://127.0.0.1:1'], home);
    const sick = await doctor(['--network']);
    expect(sick.code).toBe(3);
    const { finding, fix } = sick.of('network')!;
    expect(finding).toBe('127.0.0.1:1 cannot be reached: connection refused');
    expect(fix).toContain('sched profiles set base_url URL -p default');
    await shell(`sched profiles set base_url ${sandbox.base_url} -p default`, home);
    expect(await doctor(['--network'])).toMatchObject({ code: 0 });
    expect((await sched(['users', 'me'], home)).code).toBe(0);
  });

  test('a proxy', async () => {
    const env = { HTTPS_PROXY: 'http://user:canary-password-1@proxy.example.com:3128' };
    const found = (await doctor([], env)).of('proxy', 'note')!;
    expect(found.finding).toContain('HTTPS_PROXY is set');
    const { stdout } = await shell(`${found.fix!.split(',')[0]}; sched doctor --json`, home, env);
    expect(stdout).not.toContain('proxy');
  });

  test('a base URL that is none', async () => {
    const sick = await doctor(['--network'], { SCHED_BASE_URL: 'not a url' });
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
    const sick = await doctor([], { SCHED_BASE_URL: sandbox.base_url, SCHED_TOKEN: 'x' });
    expect(sick.code).toBe(3);
    expect(sick.of('bookings')?.finding).toBe(`The memory of a booking is damaged: ${booking}`);
    expect(sick.of('bookings')?.fix).toContain('remove the file');
    expect(sick.of('runs')?.finding).toContain('it is a symbolic link');
    expect(sick.of('runtime', 'ok')).toBeDefined();
  });

  test('a home that is gone', async () => {
    rmSync(home, { recursive: true });
    expect((await doctor()).of('config directory', 'note')).toBeDefined();
  });
});
