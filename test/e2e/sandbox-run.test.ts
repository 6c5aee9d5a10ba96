import { readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { afterEach, describe, expect, test } from 'vitest';
import { type ChildProcess, spawn } from '../support/processes.ts';
import { createWorld } from '../support/run.ts';
import { cleanEnvironment, program, runner, sched, schedInTerminal, temporaryHome } from './program.ts';

const run = (words: string[], env: Record<string, string> = {}) =>
  sched(['sandbox', 'run', ...words], temporaryHome(), env);

/** For what does not ask the service, a world that is quickly made. */
const runInEmptyWorld = (words: string[], env: Record<string, string> = {}) => run(['--seed', 'empty', ...words], env);

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

/** Starts a command inside that says its process and its address, and waits for what it says. */
const startInside = async (script: string) => {
  const words = [
    'sandbox',
    'run',
    '--seed',
    'empty',
    '--',
    'bash',
    '-c',
    `echo "$$ $SCHED_BASE_URL $(command -v sched)"; ${script}`,
  ];
  const child = spawn(runner, [...program, ...words], { env: cleanEnvironment(temporaryHome()) });
  running.push(child);
  const line = await new Promise<string>((resolve) => child.stdout.once('data', (text) => resolve(String(text))));
  const [pid, url, launcher] = line.trim().split(' ') as [string, string, string];
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', resolve);
  });
  return { child, ended, pid: Number(pid), port: Number(new URL(url).port), launcher };
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.unref();
  });

describe('sandbox run', () => {
  test('gives the command a service and this very sched', async () => {
    const { code, stdout, stderr } = await run(['--', 'bash', '-c', 'sched events list --json | jq length']);
    expect([code, stderr]).toEqual([0, '']);
    expect(Number(stdout)).toBeGreaterThan(10);
  });

  test.each([
    ['exit 7', 7],
    ['exit 0', 0],
    ['kill -TERM $$', 143],
    ['kill -KILL $$', 137],
  ])("ends as the command does: '%s' is %i", async (script, code) => {
    expect(await runInEmptyWorld(['--', 'bash', '-c', script])).toEqual({ code, stdout: '', stderr: '' });
  });

  test('sets the environment, and takes out what would lead elsewhere', async () => {
    const { stdout } = await runInEmptyWorld(['--plan', 'free', '--', 'env'], {
      SCHED_SANDBOX: '1',
      SCHED_PROFILE: 'work',
      SCHED_USER: 'somebody',
      SCHED_OUTPUT: 'json',
    });
    const names = stdout.split('\n').flatMap((line) => /^(SCHED_\w+)=/.exec(line)?.[1] ?? []);
    const set = ['AUTH_URL', 'BASE_URL', 'CLIENT_ID', 'MCP_URL', 'OUTPUT', 'SANDBOX_ADMIN', 'TOKEN'];
    expect(names.toSorted()).toEqual(set.map((name) => `SCHED_${name}`));
  });

  test('hands words on as they are, without a shell, whatever they say', async () => {
    const words = ['$HOME', '--yes', '-h', 'a b', '--', '*', 'compliance'];
    const { code, stdout } = await runInEmptyWorld(['--', 'printf', '%s\\n', ...words]);
    expect([code, stdout.trim().split('\n')]).toEqual([0, words]);
    expect(
      (await runInEmptyWorld(['--', 'bash', '-c', 'exit 5', 'compliance', 'delete', 'ada@engine.example'])).code,
    ).toBe(5);
  });

  test('starts a fresh world each time, or goes on with a file', async () => {
    const data = `${temporaryHome()}/data.db`;
    const cancel = 'sched events cancel "$(sched events list --upcoming --status active --limit 1 -o id)" --yes -o id';
    const left = 'sched events list --upcoming --status active --json | jq length';
    const count = async (script: string, ...flags: string[]) =>
      Number((await run([...flags, '--', 'bash', '-c', script])).stdout.trim().split('\n').at(-1));
    const before = await count(left);
    expect(await count(`${cancel}; ${left}`, '--data', data)).toBe(before - 1);
    expect(await count(left, '--data', data)).toBe(before - 1);
    expect(await count(left)).toBe(before);
  });

  test('says what is wrong with the line, and starts nothing', async () => {
    const world = await createWorld();
    for (const words of [[], ['bash'], ['--'], ['bash', '--', 'true'], ['--plan', 'gold', '--', 'true']])
      expect((await world.run(['sandbox', 'run', ...words])).code).toBe(2);
    expect((await run(['bash'])).code).toBe(2);
    const { code, stderr } = await runInEmptyWorld(['--', 'no-such-program']);
    expect([code, stderr]).toEqual([3, expect.stringContaining('there is no such program')]);
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('passes %s on and leaves no process, port or file behind', async (signal, code) => {
    const { child, ended, pid, port, launcher } = await startInside('exec sleep 60');
    expect([isAlive(pid), await isListening(port)]).toEqual([true, true]);
    child.kill(signal);
    expect(await ended).toBe(code);
    expect([isAlive(pid), await isListening(port)]).toEqual([false, false]);
    expect(readdirSync(tmpdir())).not.toContain(launcher.split('/').at(-2));
  });

  test('ends the command with the terminal, though only the first on it is told', async () => {
    const home = temporaryHome();
    const words = ['sandbox', 'run', '--seed', 'empty', '--', 'bash', '-c', 'echo "inside: $$"; exec sleep 60'];
    const terminal = schedInTerminal(words, home, { TMPDIR: home });
    const pid = Number((await terminal.until(/inside: (\d+)/))[1]);
    terminal.close();
    await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
    await expect.poll(() => readdirSync(home).filter((name) => name.startsWith('sched-run-'))).toEqual([]);
  });

  test('waits for a command that takes its time to end', async () => {
    const { child, ended, port } = await startInside("trap 'sleep 0.3; exit 9' TERM; while :; do sleep 0.05; done");
    child.kill('SIGTERM');
    child.kill('SIGTERM');
    expect(await ended).not.toBe(0);
    expect(await isListening(port)).toBe(false);
  });
});

describe('sandbox run: goes wrong as it is told', () => {
  test('by flag, by file and by call, and says what happened', async () => {
    const file = `${temporaryHome()}/faults.json`;
    writeFileSync(file, JSON.stringify([{ kind: 'html', operation: 'groups.list' }]));
    const ask = (path: string, more = '') =>
      `curl -s -o /dev/null -w '%{http_code} %{content_type}\\n' -H "authorization: Bearer $SCHED_TOKEN" ${more} "$SCHED_BASE_URL${path}"`;
    const admin = '-H "x-sandbox-admin: $SCHED_SANDBOX_ADMIN"';
    const script = [
      ask('/users/me'),
      ask('/users/me'),
      ask('/groups?organization=$(sched users me --jq .current_organization)'),
      ask('/__sandbox/faults', `${admin} -d '{"kind":"status","status":502,"operation":"users.*"}'`),
      ask('/users/me'),
      `curl -s ${admin} $SCHED_BASE_URL/__sandbox/log | jq -c '[.log[].faults[]]'`,
    ].join('; ');
    const flags = ['--fault', 'users.me 418', '--faults', file];
    const { stdout } = await run([...flags, '--', 'bash', '-c', script]);
    expect(stdout.trim().split('\n')).toEqual([
      '418 application/json',
      '200 application/json',
      '200 text/html; charset=utf-8',
      '201 application/json',
      '502 application/json',
      '["status","html","status"]',
    ]);
  });

  test('and refuses what it does not understand, all at once', async () => {
    const faults = ['boom', 'users.me 503 at=soon', 'event.list html'].flatMap((each) => ['--fault', each]);
    const flags = [...faults, '--faults', '/nowhere.json', '--seed', 'big'];
    const { code, stderr } = await run([...flags, '--', 'true']);
    expect(code).toBe(2);
    for (const words of ["'boom' names none", 'at must be', "'event.list'", '/nowhere.json', "--seed 'big'"])
      expect(stderr).toContain(words);
  });

  test.each(['delay ms=60000', 'drip ms=60000'])('and waits for none when the command has ended: %s', async (fault) => {
    const ask = 'curl -s -m 0.5 -H "authorization: Bearer $SCHED_TOKEN" $SCHED_BASE_URL/users/me';
    const script = `for each in {1..12}; do ${ask} >/dev/null & done; wait; exit 3`;
    const { code, stderr } = await run(['--fault', `${fault} count=all`, '--', 'bash', '-c', script]);
    expect([code, stderr]).toEqual([3, '']);
  });

  test('takes a file of faults as a Windows editor saves it', async () => {
    const file = `${temporaryHome()}/faults.json`;
    writeFileSync(file, '\ufeff[\r\n  {"kind":"status","status":418,"operation":"users.me"}\r\n]\r\n');
    const { stdout } = await run(['--faults', file, '--', 'bash', '-c', 'sched api /users/me -i | head -1']);
    expect(stdout).toContain('418');
  });
});

describe('sandbox clock', () => {
  test('moves the clock of a service that runs on the same data', async () => {
    const home = temporaryHome();
    const data = `${home}/data.db`;
    const clock = async (...words: string[]) =>
      JSON.parse((await sched(['sandbox', 'clock', ...words, '--data', data, '--json'], home)).stdout);
    expect((await clock()).offset_seconds).toBe(0);
    const left = `curl -si -H "authorization: Bearer $SCHED_TOKEN" $SCHED_BASE_URL/users/me | tr -d '\\r' | sed -n 's/^x-ratelimit-remaining: //p'`;
    const script = `${left}; ${left}; sched sandbox clock advance 2m --data ${data} -o json >/dev/null; ${left}`;
    const [first, second, third] = (await run(['--data', data, '--', 'bash', '-c', script])).stdout
      .split('\n')
      .map(Number);
    expect([first! - second!, third]).toEqual([1, first]);
    expect((await clock('set', '2030-01-01T00:00:00Z')).time).toMatch(/^2030-01-01T00:00:0/);
    expect((await clock('set', 'now')).offset_seconds).toBe(0);
    expect((await clock('set', '-2h')).offset_seconds).toBe(-7200);
    const world = await createWorld();
    for (const words of [['set'], ['advance', 'soon'], ['advance', '-2h'], ['rewind', '1h']])
      expect((await world.run(['sandbox', 'clock', ...words, '--data', data], { home })).code).toBe(2);
  });
});

describe('sandbox openapi', () => {
  test('prints the description', async () => {
    const { code, stdout } = await sched(['sandbox', 'openapi'], temporaryHome());
    expect([code, JSON.parse(stdout).openapi]).toEqual([0, '3.1.0']);
  });
});
