import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../../src/base/system.ts';
import { runChild } from '../../../src/node/programs.ts';
import { whileFailing } from '../../support/failing-calls.ts';
import { createWorld, network, someday, type WorldOptions } from '../../support/run.ts';
import { seededFile, usedHome } from '../../support/seeded.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { needs } from '../../support/tools.ts';

type Environment = Record<string, string>;

let world: Awaited<ReturnType<typeof createWorld>>;
beforeEach(async () => {
  world = await createWorld({
    home: await usedHome(someday),
    env: { SCHED_TOKEN: '', SCHED_BASE_URL: '' },
    send: network,
  });
});

/** `sandbox run` with a function in place of the program that it starts. */
const runInside = (
  flags: string[],
  inside: (env: Environment, command: readonly string[]) => Promise<number>,
  more: WorldOptions = {},
) =>
  world.run(['sandbox', 'run', ...flags, '--', 'program', 'with', 'words'], {
    ...more,
    spawn: (command, { env }) => inside(env as Environment, command),
  });

/** Asks the service that a program inside finds in its environment. */
const ask = (env: Environment, path: string, init: RequestInit = {}) =>
  fetch(`${env.SCHED_BASE_URL}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${env.SCHED_TOKEN}`, 'x-sandbox-admin': env.SCHED_SANDBOX_ADMIN! },
  });

describe('sandbox run', () => {
  test.each([
    ['exit 7', 7],
    ['exit 0', 0],
    ['kill -TERM $$', 143],
    ['kill -KILL $$', 137],
  ])("ends as the command does: '%s' is %i", async (script, code) => {
    needs('sh');
    const words = ['sandbox', 'run', '--seed', 'empty', '--', 'sh', '-c', script];
    const env = { PATH: process.env.PATH! };
    expect(await world.run(words, { env, spawn: runChild })).toMatchObject({ code, stdout: '', stderr: '' });
  });

  test("ends as the command does also if the directory of its sched can't be removed", async () => {
    const run = () => runInside(['--seed', 'empty'], async () => 7, { program: ['sched'] });
    expect(await whileFailing('rm', (path) => path.includes('sched-run-'), run)).toMatchObject({ code: 7, stderr: '' });
  });

  test('says what failed if there is no room for the directory of its sched', async () => {
    const run = () => runInside(['--seed', 'empty'], async () => 7, { program: ['sched'] });
    const { code, stderr } = await whileFailing('mkdtemp', (path) => path.includes('sched-run-'), run);
    expect([code, stderr]).toEqual([3, expect.stringMatching(/Can't write .*sched-run-/)]);
  });

  test('names the dialect that the sandbox speaks to the program inside', async () => {
    const found: [string | undefined, number][] = [];
    const inside = async (env: Environment) => {
      found.push([env.SCHED_DIALECT, (await ask(env, '/organization_invitations')).status]);
      return 0;
    };
    const flags = ['--seed', 'empty'];
    await runInside(flags, inside, { env: { SCHED_DIALECT: 'calendly' } });
    await runInside([...flags, '--dialect', 'calendly'], inside);
    expect(found).toEqual([
      [undefined, 400],
      ['calendly', 404],
    ]);
  });

  test('sets the environment, and removes conflicting variables', async () => {
    let names: string[] = [];
    const { code } = await runInside(
      ['--seed', 'empty', '--plan', 'free'],
      async (env) => {
        names = Object.keys(env).filter((name) => name.startsWith('SCHED_'));
        return 0;
      },
      { env: { SCHED_SANDBOX: '1', SCHED_PROFILE: 'work', SCHED_USER: 'somebody', SCHED_OUTPUT: 'json' } },
    );
    const set = ['AUTH_URL', 'BASE_URL', 'CACHE_DIR', 'CLIENT_ID', 'CONFIG_DIR', 'MCP_URL', 'OUTPUT', 'SANDBOX_ADMIN'];
    expect([code, names.sort()]).toEqual([0, [...set, 'STATE_DIR', 'TOKEN'].map((name) => `SCHED_${name}`)]);
  });

  test('keeps what sched notes inside apart from what the person has, and removes it', async () => {
    const home = temporaryDirectory('home');
    const kept = join(home, 'kept');
    let inside: string[] = [];
    const { code } = await runInside(
      [],
      async (env) => {
        const booking = '--event-type "Intro call" --first-free --email ada@engine.example --name Ada --timezone UTC';
        const { stderr } = await world.run(`invitees create ${booking}`, { env });
        expect(stderr).toContain('booked: ');
        inside = [env.SCHED_STATE_DIR!, env.SCHED_CACHE_DIR!];
        expect(inside.map((place) => readdirSync(place).length > 0)).toEqual([true, true]);
        return 0;
      },
      { home, env: { SCHED_STATE_DIR: kept, SCHED_CACHE_DIR: kept, SCHED_CONFIG_DIR: kept } },
    );
    expect(code).toBe(0);
    expect(inside.filter((place) => existsSync(place))).toEqual([]);
    expect(readdirSync(home, { recursive: true })).toEqual([]);
  });

  test('passes all words after -- to the command, even those that look like flags of sched', async () => {
    const command = ['bash', '-c', 'exit 5', '--yes', '-h', '--', 'compliance', 'delete', 'ada@engine.example'];
    let started: readonly string[] = [];
    const { code } = await world.run(['sandbox', 'run', '--seed', 'empty', '--', ...command], {
      spawn: async (words) => {
        started = words;
        return 5;
      },
    });
    expect([code, started]).toEqual([5, command]);
  });

  test('serves links that lead back to it, and takes URIs of an earlier run', async () => {
    const { code } = await runInside(['--data', await seededFile(someday)], async (env) => {
      let next: string | null = `${env.SCHED_BASE_URL}/scheduled_events?count=20`;
      const uris: string[] = [];
      while (next !== null) {
        expect(next).toMatch(`${env.SCHED_BASE_URL}/`);
        const page = (await (await ask({ ...env, SCHED_BASE_URL: '' }, next)).json()) as {
          collection: { uri: string }[];
          pagination: { next_page: string | null };
        };
        uris.push(...page.collection.map(({ uri }) => uri));
        next = page.pagination.next_page;
      }
      expect(uris.length).toBeGreaterThan(40);
      expect((await ask({ ...env, SCHED_BASE_URL: '' }, uris.at(-1)!)).status).toBe(200);
      const earlier = uris[0]!.replace(env.SCHED_BASE_URL!, 'http://127.0.0.1:4010');
      const shown = await world.run(['events', 'get', earlier, '--json=uri'], { env });
      expect(JSON.parse(shown.stdout)).toEqual({ uri: uris[0] });
      return 0;
    });
    expect(code).toBe(0);
  });

  test('tells its time to everyone who asks, and neither counts, logs nor breaks that request', async () => {
    const { code } = await runInside(['--seed', 'empty', '--fault', '503'], async (env) => {
      await world.run('sandbox clock set 2031-05-01T00:00:00Z', { env });
      const { status, headers } = await fetch(`${env.SCHED_BASE_URL}/__sandbox/time`);
      expect([status, headers.get('date')]).toEqual([204, expect.stringMatching('^Thu, 01 May 2031 00:00:')]);
      const admin = async (path: string) => (await ask(env, `/__sandbox/${path}`)).json();
      expect(await admin('log')).toEqual({ log: [] });
      expect(await admin('rate_windows')).toEqual({ rate_windows: [] });
      expect((await ask(env, '/users/me')).status).toBe(503);
      expect((await fetch(`${env.SCHED_BASE_URL}/__sandbox/time`, { method: 'POST' })).status).toBe(404);
      expect((await fetch(`${env.SCHED_BASE_URL}/__sandbox/clock`)).status).toBe(404);
      return 0;
    });
    expect(code).toBe(0);
  });

  test('is what other sandbox commands inside it use', async () => {
    const own = await world.run('sandbox clock --json');
    const { code } = await runInside(['--seed', 'empty'], async (env) => {
      const at = async (line: string) => JSON.parse((await world.run(`sandbox clock ${line} --json`, { env })).stdout);
      const serviceTime = async () => Date.parse((await ask(env, '/users/me')).headers.get('date')!);
      expect(await at('')).toMatchObject({ offset_seconds: 0, data: ':memory:' });
      const before = await serviceTime();
      expect(await at('advance 2h')).toMatchObject({ offset_seconds: 7200 });
      expect(Math.round((await serviceTime()) - before)).toBeGreaterThanOrEqual(7_200_000);
      expect(await at('set 2031-05-01T00:00:00Z')).toMatchObject({
        time: expect.stringMatching(/^2031-05-01T00:00:0/),
      });
      expect(await at('set now')).toMatchObject({ offset_seconds: 0 });
      const openapi = await world.run('sandbox openapi', { env });
      expect(JSON.parse(openapi.stdout).servers[0].url).toBe(env.SCHED_BASE_URL);
      const events = async () => JSON.parse((await world.run('events list --json', { env })).stdout).length;
      expect(await events()).toBe(0);
      const reset = await world.run('sandbox reset --seed demo --yes', { env });
      expect([reset.code, reset.stderr]).toEqual([0, expect.stringContaining(`sandbox reset: ${env.SCHED_BASE_URL}`)]);
      expect(await events()).toBeGreaterThan(50);
      // A named file is that file, wherever the command runs.
      const file = await seededFile(someday);
      await world.run(`sandbox clock advance 1h --data ${file}`, { env });
      expect(await at('')).toMatchObject({ offset_seconds: 0 });
      return 0;
    });
    expect(code).toBe(0);
    expect((await world.run('sandbox clock --json')).stdout).toBe(own.stdout);
  });

  test('starts a fresh world each time, or resumes with the data of a file', async () => {
    const data = await seededFile(someday);
    const upcoming = async (env: Environment): Promise<{ uri: string }[]> =>
      JSON.parse((await world.run('events list --upcoming --status active --json=uri', { env })).stdout);
    const count = async (...flags: string[]) => {
      let left = 0;
      await runInside(flags, async (env) => {
        left = (await upcoming(env)).length;
        return 0;
      });
      return left;
    };
    const before = await count('--data', data);
    const canceled = await runInside(['--data', data], async (env) => {
      const [first] = await upcoming(env);
      return (await world.run(['events', 'cancel', first!.uri, '--yes'], { env })).code;
    });
    expect(canceled.code).toBe(0);
    expect(await count('--data', data)).toBe(before - 1);
    expect(await count('--now', new Date(someday).toISOString())).toBe(before);
  });

  test('reports what is wrong with the line, and starts nothing', async () => {
    let started = 0;
    const spawn = async () => {
      started += 1;
      return 0;
    };
    for (const words of [[], ['bash'], ['--'], ['bash', '--', 'true'], ['--plan', 'gold', '--', 'true']])
      expect((await world.run(['sandbox', 'run', ...words], { spawn })).code).toBe(2);
    expect(started).toBe(0);
    const words = ['sandbox', 'run', '--seed', 'empty', '--', 'no-such-program'];
    const { code, stderr } = await world.run(words, { spawn: runChild });
    expect([code, stderr]).toEqual([3, expect.stringContaining('no such program')]);
  });
});

describe('sandbox run on Windows', () => {
  test('puts a sched for cmd.exe and one for Git Bash first on the only PATH', async () => {
    const program = ['C:\\100% node\\node.exe', 'C:\\sched.js'];
    let files: Record<string, string> = {};
    let found: Environment = {};
    const inside = async (env: Environment) => {
      found = env;
      const folder = env.PATH!.split(';')[0]!;
      files = Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
      return 0;
    };
    const env = { Path: 'C:\\Windows', sched_profile: 'work', Sched_Token: 'theirs' };
    await runInside(['--seed', 'empty'], inside, { platform: 'win32', program, env });
    expect(files).toEqual({
      sched: `#!/bin/sh\nexec 'C:\\100% node\\node.exe' 'C:\\sched.js' "$@"\n`,
      'sched.cmd': `@"C:\\100%% node\\node.exe" "C:\\sched.js" %*\r\n`,
    });
    expect(found.PATH).toMatch(/^[^;]+;C:\\Windows$/);
    const names = Object.keys(found).filter((name) => /^(path|sched_(profile|token))$/i.test(name));
    expect(names).toEqual(['SCHED_TOKEN', 'PATH']);
  });
});

describe('sandbox run with faults', () => {
  test('takes them from a flag, a file and a call, and lists those that happened', async () => {
    const file = join(temporaryDirectory(), 'faults.json');
    writeFileSync(file, JSON.stringify([{ kind: 'html', operation: 'groups.list' }]));
    const seen: string[] = [];
    let log: { faults: string[] }[] = [];
    const { code } = await runInside(['--seed', 'empty', '--fault', 'users.me 418', '--faults', file], async (env) => {
      const look = async (path: string, init?: RequestInit) => {
        const reply = await ask(env, path, init);
        seen.push(`${reply.status} ${reply.headers.get('content-type')}`);
        return reply;
      };
      await look('/users/me');
      const { resource } = (await (await look('/users/me')).json()) as { resource: { current_organization: string } };
      await look(`/groups?organization=${resource.current_organization}`);
      const fault = { kind: 'status', status: 502, operation: 'users.*' };
      await look('/__sandbox/faults', { method: 'POST', body: JSON.stringify(fault) });
      await look('/users/me');
      log = ((await (await ask(env, '/__sandbox/log')).json()) as { log: typeof log }).log;
      return 0;
    });
    expect(code).toBe(0);
    expect(seen).toEqual([
      '418 application/json',
      '200 application/json',
      '200 text/html; charset=utf-8',
      '201 application/json',
      '502 application/json',
    ]);
    expect(log.flatMap(({ faults }) => faults)).toEqual(['status', 'html', 'status']);
  });

  test('reports everything that it does not understand at once', async () => {
    const faults = ['boom', 'users.me 503 at=soon', 'event.list html'].flatMap((each) => ['--fault', each]);
    const { code, stderr } = await runInside([...faults, '--faults', '/nowhere.json', '--seed', 'big'], async () => 0);
    expect(code).toBe(2);
    for (const words of ['"boom" is not a fault', 'at must be', 'event.list', '/nowhere.json', 'not "big"'])
      expect(stderr).toContain(words);
  });

  test.each(['delay ms=60000', 'drip ms=60000'])(
    'does not wait for them when the command has ended: %s',
    async (fault) => {
      let waiting = 0;
      let ended = 0;
      let allWait = () => {};
      const everybodyWaits = new Promise<void>((resolve) => {
        allWait = resolve;
      });
      // Time stands still: only the end of the command ends a sleep.
      const clock: Clock = {
        now: world.clock.now,
        sleep: (_, signal) =>
          new Promise((_resolve, reject) => {
            const end = () => {
              ended += 1;
              reject(signal!.reason);
            };
            signal?.addEventListener('abort', end, { once: true });
            waiting += 1;
            if (waiting === 12) allWait();
          }),
      };
      const asked: Promise<unknown>[] = [];
      const { code, stderr } = await runInside(
        ['--seed', 'empty', '--fault', `${fault} count=all`],
        async (env) => {
          for (let each = 0; each < 12; each += 1) asked.push(ask(env, '/users/me').then((reply) => reply.text()));
          await everybodyWaits;
          return 3;
        },
        { clock },
      );
      expect([code, stderr]).toEqual([3, '']);
      // A sleep that went on would keep the process alive.
      expect([waiting, ended]).toEqual([12, 12]);
      expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(Array(12).fill('rejected'));
    },
  );

  test('takes a file of faults as a Windows editor saves it', async () => {
    const file = join(temporaryDirectory(), 'faults.json');
    writeFileSync(file, '\ufeff[\r\n  {"kind":"status","status":418,"operation":"users.me"}\r\n]\r\n');
    const flags = ['--seed', 'empty', '--faults', file];
    const { code } = await runInside(flags, async (env) => (await ask(env, '/users/me')).status - 400);
    expect(code).toBe(18);
  });
});

describe('sandbox clock', () => {
  test('moves the clock of a service that runs on the same data', async () => {
    const data = await seededFile(someday);
    const clock = async (...words: string[]) =>
      JSON.parse((await world.run(['sandbox', 'clock', ...words, '--data', data, '--json'])).stdout);
    expect((await clock('set', 'now')).offset_seconds).toBe(0);
    const left: number[] = [];
    const { code } = await runInside(['--data', data], async (env) => {
      const look = async () => left.push(Number((await ask(env, '/users/me')).headers.get('x-ratelimit-remaining')));
      await look();
      await look();
      await clock('advance', '2m');
      await look();
      return 0;
    });
    expect([code, left[0]! - left[1]!, left[2]]).toEqual([0, 1, left[0]]);
    expect((await clock('set', '2030-01-01T00:00:00Z')).time).toBe('2030-01-01T00:00:00.000Z');
    expect((await clock('set', 'now')).offset_seconds).toBe(0);
    expect((await clock('set', '-2h')).offset_seconds).toBe(-7200);
    for (const words of [['set'], ['advance', 'soon'], ['advance', '-2h'], ['rewind', '1h']])
      expect((await world.run(['sandbox', 'clock', ...words, '--data', data])).code).toBe(2);
  });
});
