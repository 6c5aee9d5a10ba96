import { copyFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/sandbox/store/database.ts';
import { type ChildProcess, spawn, spawnSync } from '../support/processes.ts';
import { temporaryFile } from '../support/temporary.ts';
import { few, sample, times } from '../support/tier.ts';
import { cleanEnvironment, farMonday, program, runner, sched, temporaryHome, usedSandbox } from './program.ts';

interface Facts {
  base_url: string;
  auth_url: string;
  mcp_url: string;
  client_id: string;
  token: string;
  tokens: Record<string, string>;
  plan: string;
  data: string;
  admin_token: string;
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
  const signals = ['SIGTERM', 'SIGINT'] as const;
  const title = 'says everything a script needs, serves the desk and its stream, and stops with 0 on %s';
  test.each(sample(signals, 1))(title, async (signal) => {
    const { facts, ask, stop } = await start(['--data', ':memory:', '--seed', 'empty']);
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
    const page = await (await ask('/', { headers: { accept: 'text/html' } })).text();
    const files = [...page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path!);
    expect(files).toContain('/assets/desk.js');
    for (const path of files) expect([path, (await ask(path)).status]).toEqual([path, 200]);
    const post = async (path: string, body: object, headers = {}): Promise<Body> =>
      (await ask(path, { method: 'POST', headers, body: JSON.stringify(body) })).json();
    const { url } = await post('/__sandbox/desk/keys', {}, { 'x-sandbox-admin': facts.admin_token });
    const { session } = await post('/__sandbox/desk/session', { key: new URL(url).hash.replace('#key=', '') });
    const { body } = await ask('/__sandbox/desk/stream', { headers: { 'x-sandbox-desk': session } });
    const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = (await reader.read()).value ?? '';
    await ask('/users/me');
    while (!text.includes('<code>/users/me</code>')) text += (await reader.read()).value;
    await reader.cancel();
    expect(await stop(signal)).toBe(0);
  });

  test('loses nothing that two processes write into one file', async () => {
    const file = await usedSandbox();
    const [one, two] = [await start(['--data', file]), await start(['--data', file])];
    const type = await one.introCall();
    const weeks = Array.from({ length: times(5, 30) }, (_, week) => farMonday(week));
    // Both processes request every slot. Each slot is booked once.
    const replies = await Promise.all(weeks.flatMap((time) => [one.book(type, time), two.book(type, time)]));
    expect(tally(replies)).toEqual({ 200: weeks.length, 409: weeks.length });
    for (const time of weeks) expect(await bookedIn(file, time)).toBe(1);
  });

  test('loses no change that it replied to if it is killed while it answers', async () => {
    const file = await usedSandbox();
    const { ask, book, introCall, stop } = await start(['--data', file, '--no-limits']);
    const type = await introCall();
    const most = times(20, 200);
    const booked: string[] = [];
    let isKilled: Promise<unknown> | undefined;
    // Four clients, each with reads between its bookings. Whoever gets the last reply kills the sandbox under the others.
    const client = async (first: number) => {
      for (let week = first; booked.length < most; week += 4) {
        for (let each = 0; each < 4; each += 1) await (await ask('/users/me')).text();
        const { status } = await book(type, farMonday(week));
        if (status === 200) booked.push(farMonday(week));
      }
      isKilled ??= stop('SIGKILL');
    };
    await Promise.allSettled([0, 1, 2, 3].map(client));
    await isKilled;
    expect(booked.length).toBeGreaterThanOrEqual(most);
    for (const time of booked) expect([time, await bookedIn(file, time)]).toEqual([time, 1]);
    const again = await start(['--data', file]);
    expect((await again.book(type, booked.at(-1)!)).status).toBe(409);
  });
});

/** Every row of every table, read from a copy: a process that has the file open changes how others close it. */
const contentOf = async (file: string): Promise<string> => {
  const copy = temporaryFile();
  for (const ending of ['', '-wal']) if (existsSync(file + ending)) copyFileSync(file + ending, copy + ending);
  const database = await openDatabase(copy);
  const tables = database.all<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");
  const content = JSON.stringify(tables.map(({ name }) => database.all(`SELECT * FROM "${name}"`)));
  database.close();
  return content;
};

describe('sandbox snapshot', () => {
  /** Which read of which file fails, and whether the ones after it fail too. */
  const failures = ['1', '2', '9', '1+'].flatMap((when) =>
    ['', '-wal', '.snapshots/base.db'].map((ending): [string, string] => [when, ending]),
  );
  const title = 'restores all or nothing, and says which, if read %s of data.db%s fails';
  test.each(sample(failures, 1))(title, { timeout: 60_000 }, async (when, ending) => {
    const home = temporaryHome();
    const file = await usedSandbox(join(home, 'data.db'));
    const data = ['--data', file];
    expect((await sched(['sandbox', 'snapshot', 'save', 'base', ...data], home)).code).toBe(0);
    const saved = await contentOf(file);
    expect((await sched(['sandbox', 'clock', 'advance', '3d', ...data], home)).code).toBe(0);
    const changed = await contentOf(file);
    const log = join(home, 'trace.txt');
    const { status, stderr } = spawnSync(
      'strace',
      [
        ...['-f', '-o', log, '-P', `${file}${ending}`, '-e', `inject=read,pread64:error=EIO:when=${when}`],
        ...[runner, ...program, 'sandbox', 'snapshot', 'restore', 'base', '--yes', ...data],
      ],
      { env: cleanEnvironment(home), encoding: 'utf8' },
    );
    expect(readFileSync(log, 'utf8')).toContain('INJECTED');
    const content = await contentOf(file);
    expect([status, content === saved, content === changed]).toEqual(
      status === 0 ? [0, true, false] : [3, false, true],
    );
    if (status !== 0) expect(stderr).toMatch(/^error: .+\ncause: ./);
  });
});

describe('sandbox data', () => {
  const reset = (home: string, ...more: string[]) => sched(['sandbox', 'reset', '--yes', ...more], home);

  few(1, {
    'is reset for a sandbox that is running on it, and for one that was killed': async () => {
      const home = temporaryHome();
      const file = await usedSandbox();
      const { book, introCall, stop } = await start(['--data', file], home);
      const type = await introCall();
      expect((await book(type, farMonday())).status).toBe(200);
      expect((await book(type, farMonday())).status).toBe(409);
      expect((await reset(home, '--data', file)).code).toBe(0);
      expect((await book(type, farMonday())).status).toBe(200);
      expect(await bookedIn(file, farMonday())).toBe(1);
      // After SIGKILL, the last writes may still be in the journal beside the file.
      expect((await book(type, farMonday(1))).status).toBe(200);
      await stop('SIGKILL');
      expect((await reset(home, '--data', file, '--seed', 'empty')).code).toBe(0);
      for (const week of [0, 1]) expect(await bookedIn(file, farMonday(week))).toBe(0);
    },
    'shrinks the file when a larger sandbox is reset': async () => {
      const file = await usedSandbox();
      const { size } = statSync(file);
      expect((await reset(temporaryHome(), '--data', file, '--seed', 'empty')).code).toBe(0);
      expect(statSync(file).size).toBeLessThan(size / 2);
    },
  });
});
