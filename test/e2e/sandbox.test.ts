import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { AccessToken } from '../../src/api/oauth.ts';
import { openDatabase } from '../../src/sandbox/database.ts';
import { authorizeQuery, redirectUri, scope, verifier } from '../sandbox/login.ts';
import { type ChildProcess, spawn } from '../support/processes.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import {
  cleanEnvironment,
  farMonday,
  program,
  runner,
  sched,
  temporaryHome,
  usedHome,
  usedSandbox,
} from './program.ts';

interface Facts {
  base_url: string;
  auth_url: string;
  mcp_url: string;
  client_id: string;
  token: string;
  tokens: Record<string, string>;
  plan: string;
  data: string;
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads any body
type Body = any;

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

/** Starts a sandbox as a script would, and waits for the line it says. */
const start = async (args: string[], home = temporaryHome()) => {
  const child = spawn(runner, [...program, 'sandbox', 'start', '--port', '0', '--json', ...args], {
    env: cleanEnvironment(home),
  });
  running.push(child);
  const facts = await new Promise<Facts>((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (text.endsWith('\n')) resolve(JSON.parse(text));
    });
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    child.once('exit', () => reject(new Error(said)));
  });
  const stop = (signal: NodeJS.Signals) =>
    new Promise<number | null>((resolve) => {
      child.once('close', resolve);
      child.kill(signal);
    });
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(facts.base_url + path, {
      ...init,
      headers: { authorization: `Bearer ${facts.token}`, ...(init.headers as Record<string, string>) },
    });
  const read = async (path: string): Promise<Body> => (await ask(path)).json();
  const introCall = async (): Promise<string> => {
    const { resource } = await read('/users/me');
    const { collection } = await read(`/event_types?user=${encodeURIComponent(resource.uri)}`);
    return collection.find(({ name }: Body) => name === 'Intro call').uri;
  };
  const book = async (event_type: string, start_time: string) =>
    ask('/invitees', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        event_type,
        start_time,
        invitee: { email: 'ada@engine.example', name: 'Ada', timezone: 'UTC' },
      }),
    });
  return { facts, stop, ask, introCall, book };
};

const someFile = () => join(temporaryDirectory(), 'data.db');

const tally = (replies: Response[]) => {
  const counts: Record<number, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

const bookedIn = async (file: string, start: string) => {
  const database = await openDatabase(file);
  const [row] = database.all<{ n: number }>(
    'SELECT count(*) AS n FROM invitees i JOIN events e ON e.id = i.event WHERE e.start_time = ?',
    new Date(start).toISOString(),
  );
  database.close();
  return row!.n;
};

describe('sandbox start', () => {
  test('says everything a script needs, and stops with 0 on either signal', async () => {
    const { facts, stop } = await start(['--data', ':memory:']);
    expect(facts).toMatchObject({
      base_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      auth_url: facts.base_url,
      mcp_url: facts.base_url,
      client_id: 'sched-cli',
      token: 'sandbox_owner',
      tokens: { owner: 'sandbox_owner', admin: 'sandbox_admin', user: 'sandbox_user' },
      plan: 'enterprise',
      data: ':memory:',
    });
    expect(await stop('SIGTERM')).toBe(0);
    expect(await (await start(['--data', ':memory:', '--seed', 'empty'])).stop('SIGINT')).toBe(0);
  });

  test('says single fields where only those are wanted', async () => {
    const { facts } = await start(['--data', ':memory:', '--seed', 'empty', '--fields', 'base_url,tokens.admin']);
    expect(facts).toEqual({ base_url: expect.stringMatching(/^http:/), tokens: { admin: 'sandbox_admin' } });
  });

  test('gives lines for a shell', async () => {
    const child = spawn(runner, [...program, 'sandbox', 'start', '--port', '0'], {
      env: cleanEnvironment(await usedHome()),
    });
    running.push(child);
    const lines = await new Promise<string[]>((resolve) => {
      child.stdout.once('data', (text) => resolve(String(text).trim().split('\n')));
    });
    expect(lines.filter((line) => !line.startsWith('#')).map((line) => line.split('=')[0])).toEqual(
      ['BASE_URL', 'AUTH_URL', 'MCP_URL', 'CLIENT_ID', 'TOKEN'].map((name) => `export SCHED_${name}`),
    );
  });

  test('takes a plan, keeps it with the data, and counts requests by it', async () => {
    const file = await usedSandbox();
    const first = await start(['--data', file, '--plan', 'free']);
    const second = await start(['--data', file]);
    expect(second.facts.plan).toBe('free');
    const replies = [];
    for (let turn = 0; turn < 12; turn++) replies.push(await (turn % 2 ? first : second).ask('/users/me'));
    // Two processes, one counter.
    expect(replies.map(({ status }) => status)).toEqual([...Array(10).fill(200), 429, 429]);
    expect(replies[11]!.headers.get('x-ratelimit-remaining')).toBe('0');
    const third = await start(['--data', file, '--no-limits']);
    expect((await third.ask('/users/me')).headers.get('x-ratelimit-remaining')).toBe('1000000');
  });

  test('lets a script log in without a browser', async () => {
    const { facts } = await start(['--data', await usedSandbox(), '--auto-consent', '--refresh-replay-window', '10s']);
    const consent = await fetch(`${facts.auth_url}/oauth/authorize?${authorizeQuery()}`, { redirect: 'manual' });
    expect(consent.status).toBe(302);
    const answer = new URL(consent.headers.get('location')!).searchParams;
    expect([answer.get('state'), answer.get('iss')]).toEqual(['state-1', facts.auth_url]);
    const token = async (form: Record<string, string>) => {
      const body = new URLSearchParams({ client_id: facts.client_id, ...form });
      return AccessToken.parse(await (await fetch(`${facts.auth_url}/oauth/token`, { method: 'POST', body })).json());
    };
    const code = { code: answer.get('code')!, code_verifier: verifier, redirect_uri: redirectUri };
    const first = await token({ grant_type: 'authorization_code', ...code });
    expect(first.scope).toBe(scope);
    const renewal = { grant_type: 'refresh_token', refresh_token: first.refresh_token };
    expect(await token(renewal)).toEqual(await token(renewal));
  });

  test('refuses what it does not understand, all at once', async () => {
    const args = ['sandbox', 'start', '--port', '70000', '--plan', 'gold', '--refresh-replay-window', 'soon'];
    const { code, stderr } = await sched(args, temporaryHome());
    expect(code).toBe(2);
    for (const flag of ['--port', '--plan', '--refresh-replay-window']) expect(stderr).toContain(flag);
  });

  test('says when the port is busy', async () => {
    const { facts } = await start(['--data', await usedSandbox()]);
    const { port } = new URL(facts.base_url);
    const { code, stderr } = await sched(['sandbox', 'start', '--port', port], temporaryHome());
    expect(code).toBe(3);
    expect(stderr).toContain('another program listens there');
  });

  test('gives one of two hundred the slot, and the store agrees', async () => {
    const file = await usedSandbox();
    const { introCall, book } = await start(['--data', file]);
    const type = await introCall();
    const replies = await Promise.all(Array.from({ length: 200 }, () => book(type, farMonday())));
    expect(tally(replies)).toEqual({ 200: 1, 409: 199 });
    expect(await bookedIn(file, farMonday())).toBe(1);
  });

  test('loses nothing that two processes write into one file', async () => {
    const file = someFile();
    const [one, two] = [await start(['--data', file]), await start(['--data', file])];
    const type = await one.introCall();
    const weeks = Array.from({ length: 30 }, (_, week) => farMonday(week));
    // Every slot is asked for by both: each is had once, whoever was faster.
    const replies = await Promise.all(weeks.flatMap((time) => [one.book(type, time), two.book(type, time)]));
    expect(tally(replies)).toEqual({ 200: 30, 409: 30 });
    for (const time of weeks) expect(await bookedIn(file, time)).toBe(1);
  });
});

describe('sandbox tokens', () => {
  test('are listed with user, role and scopes', async () => {
    const { code, stdout } = await sched(['sandbox', 'tokens', '--json'], temporaryHome());
    expect(code).toBe(0);
    const tokens = JSON.parse(stdout);
    expect(tokens.every(({ token }: { token: string }) => token.startsWith('sandbox_'))).toBe(true);
    expect(tokens[1]).toMatchObject({ token: 'sandbox_admin', user: 'Jonas Weber', role: 'admin', scopes: null });
  });
});

describe('sandbox data', () => {
  const list = (home: string) => sched(['--sandbox', 'users', 'me', '--json=name'], home);
  const reset = (home: string, ...more: string[]) => sched(['sandbox', 'reset', '--yes', ...more], home);

  test.each([
    ['damaged', (file: string) => writeFileSync(file, 'Dear diary, '.repeat(1000)), 'not a SQLite file'],
    [
      'of a newer version',
      async (file: string) => {
        const database = await openDatabase(file);
        database.exec('PRAGMA user_version = 999');
        database.close();
      },
      'newer version',
    ],
    [
      "somebody else's",
      async (file: string) => {
        const database = await openDatabase(':memory:');
        database.exec('CREATE TABLE recipes (name)');
        database.exec(`VACUUM INTO '${file}'`);
        database.close();
      },
      'something other than a sandbox',
    ],
  ])('that is %s is refused clearly, and corrected by reset', async (_, damage, words) => {
    const home = await usedHome();
    const file = join(home, '.local/state/sched/sandbox.db');
    if (!words.startsWith('newer')) rmSync(file);
    await damage(file);
    const refused = await list(home);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain(words);
    expect(refused.stderr).toContain('sched sandbox reset');
    expect((await reset(home)).code).toBe(0);
    expect((await list(home)).code).toBe(0);
  });

  test("in a file of its own is reset there, and nobody else's file is ever removed", async () => {
    const home = temporaryHome();
    const file = await usedSandbox();
    const { book, introCall, stop } = await start(['--data', file], home);
    const type = await introCall();
    expect((await book(type, farMonday())).status).toBe(200);
    // Killed: what was written last may stand beside the file.
    await stop('SIGKILL');
    expect((await reset(home, '--data', file)).code).toBe(0);
    expect(await bookedIn(file, farMonday())).toBe(0);

    const diary = join(temporaryDirectory(), 'diary.txt');
    writeFileSync(diary, 'Dear diary');
    const refused = await reset(home, '--data', diary);
    expect([refused.code, readFileSync(diary, 'utf8')]).toEqual([3, 'Dear diary']);
  });

  test('is reset for a service that runs on it, too', async () => {
    const home = temporaryHome();
    const file = await usedSandbox();
    const { ask, book, introCall } = await start(['--data', file], home);
    const type = await introCall();
    expect((await book(type, farMonday())).status).toBe(200);
    expect((await reset(home, '--data', file)).code).toBe(0);
    expect((await book(type, farMonday())).status).toBe(200);
    expect(await bookedIn(file, farMonday())).toBe(1);

    expect((await reset(home, '--data', file, '--seed', 'empty')).code).toBe(0);
    expect((await ask(new URL(type).pathname)).status).toBe(404);
  });

  test('gives back the room of a larger world when it is reset', async () => {
    const home = temporaryHome();
    const file = someFile();
    expect((await reset(home, '--data', file, '--seed', 'large:5000')).code).toBe(0);
    const { size } = statSync(file);
    expect((await reset(home, '--data', file)).code).toBe(0);
    expect(statSync(file).size).toBeLessThan(size / 2);
  });

  test('where no file can be is trouble of the environment, and no bug of ours', async () => {
    const home = temporaryHome();
    const place = { SCHED_STATE_DIR: '/dev/null/state' };
    for (const line of ['--sandbox users me', 'sandbox clock', 'sandbox reset --yes']) {
      const { code, stderr } = await sched(line.split(' '), home, place);
      expect([line, code, stderr]).toEqual([line, 3, expect.stringContaining('SCHED_STATE_DIR names another')]);
    }
    const { code, stderr } = await reset(home, '--data', '/dev/null/file');
    expect([code, stderr]).toEqual([3, expect.stringContaining('name another file with --data')]);
    expect((await reset(home, '--data', home)).code).toBe(3);
  });
});
