import fs, { chmodSync, cpSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Send } from '../../../src/http/message.ts';
import { openMirror } from '../../../src/sandbox/mirror/open.ts';
import { failing, patched } from '../../support/files-world.ts';
import { createWorld, type TestWorld } from '../../support/run.ts';
import { syncedHome } from '../../support/synced.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

let world: TestWorld;
let home: string;

const offline: Send = async () => {
  throw new Error('a mirror sends nothing');
};
const mirrored = (line: string, at = home) => world.run(`--mirror ${line}`, { home: at, send: offline });
const mirrorFile = (at: string) => {
  const folder = join(at, '.cache/sched/mirror');
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.db'))!);
};
const copied = () => {
  const at = temporaryDirectory('home');
  cpSync(home, at, { recursive: true });
  return at;
};

beforeAll(async () => {
  world = await createWorld();
  home = await syncedHome(world);
});

describe('a mirror refuses', () => {
  test.each<[line: string, code: number, message: string]>([
    ['events cancel JW6SHQTS78SH7TS8 --yes', 2, '--mirror only reads: leave it out to change something'],
    ['event-types create --name Chat', 2, '--mirror only reads: leave it out to change something'],
    ['config apply team.yaml', 2, '--mirror only reads: leave it out to change something'],
    ["api POST /event_types -f 'name=Chat'", 2, '--mirror only reads: leave it out to change something'],
    ['api DELETE /webhook_subscriptions/x --yes', 2, '--mirror only reads: leave it out to change something'],
    ['events follow --once', 2, "--mirror can't answer this"],
    ['webhooks list', 2, "--mirror can't answer this: it is about the service itself"],
    ['mcp metadata', 2, "--mirror can't answer this: it is about the service itself"],
    ['doctor', 2, "--mirror can't answer this: it is about the service itself"],
    ['whoami', 2, "--mirror can't answer this: it is about the service itself"],
    ['ratelimit', 2, "--mirror can't answer this"],
    ['sandbox start', 2, "--mirror can't answer this: it reads no records of the service"],
    ['invitees reconcile', 2, "--mirror can't answer this: it is about the service itself"],
    [
      'compliance export ada@engine.example --to x',
      2,
      "--mirror can't answer this: its receipt says what the service answered",
    ],
    ['api /webhook_subscriptions', 2, 'about the service itself'],
    ['events list --since 2020-01-01', 2, 'The mirror has events from'],
    ['events list --until 2040-01-01', 2, 'The mirror has events from'],
    ['events list --since 2040-01-01', 2, 'The mirror has events from'],
    ['events stats --until 2020-01-01 --org current', 2, 'The mirror has events from'],
    ['activity list --since 2020-01-01', 2, 'The mirror has events from'],
    ['events get NOSUCHEVENT23456', 6, 'event with ID NOSUCHEVENT23456 is not in the mirror'],
    ['invitees list NOSUCHEVENT23456', 6, 'event with ID NOSUCHEVENT23456 is not in the mirror'],
    ['api /no_such_path', 6, '/no_such_path is not in the mirror'],
    ['users me --max-age never', 2, '--max-age must be a duration'],
  ])('%s', async (line, code, message) => {
    const result = await mirrored(line);
    expect(result.stderr).toContain(message);
    expect(result.code).toBe(code);
    expect(result.stdout).toBe('');
  });

  test('--max-age without --mirror', async () => {
    const { code, stderr } = await world.run('users me --max-age 6h', { home });
    expect(stderr).toContain('--max-age only works with --mirror');
    expect(code).toBe(2);
  });

  test('an age above --max-age, with the command that helps', async () => {
    expect((await mirrored('users me --max-age 6h')).code).toBe(0);
    await world.clock.sleep(7 * 3_600_000);
    const { code, stderr } = await mirrored('users me --max-age 6h');
    expect(stderr).toContain('The mirror is 7 h old');
    expect(stderr).toContain('try: sched mirror sync');
    expect(code).toBe(3);
  });

  test('to answer before there is a mirror', async () => {
    const { code, stderr } = await mirrored('users me', temporaryDirectory('home'));
    expect(stderr).toContain('There is no mirror of this account yet');
    expect(stderr).toContain('try: sched mirror sync');
    expect(code).toBe(3);
  });
});

test('a list without a window is answered with a note, and the records alone are on stdout', async () => {
  const { code, stdout, stderr } = await mirrored('events list --org current -o id');
  expect(stderr).toMatch(/\[mirror, \d+ (min|h) old\]\nThe mirror has events from .* only\n/);
  expect(stdout).toBe((await world.run('events list --org current -o id', { home })).stdout);
  expect(code).toBe(0);
});

test('a report with people sends nothing, and speaks of no requests', async () => {
  const line = 'events stats --by host --no-shows --org current --since -90d -o csv';
  const { code, stdout, stderr } = await mirrored(line);
  expect(stderr).not.toContain('request');
  expect(stdout).toBe((await world.run(line, { home })).stdout);
  expect(code).toBe(0);
});

describe('a mirror is only where it is private', () => {
  const windows = (line: string, env: Record<string, string>) => world.run(line, { home, env, platform: 'win32' });

  test.each([
    ['', 'There is no mirror of this account yet'],
    ['/AppData/Local/else', 'There is no mirror of this account yet'],
    // Another user's directory, whose name begins like the own one.
    ['-else/AppData', "A mirror can't be in"],
    ['/../else', "A mirror can't be in"],
  ])('on Windows, with SCHED_CACHE_DIR at the home directory%s', async (path, message) => {
    const { code, stderr } = await windows(
      '--mirror users me',
      path === '' ? {} : { SCHED_CACHE_DIR: `${home}${path}` },
    );
    expect(stderr).toContain(message);
    expect(code).toBe(3);
  });

  test('a place where no mirror can be hinders no other command', async () => {
    const linked = temporaryDirectory('home');
    mkdirSync(join(linked, '.cache'), { mode: 0o700 });
    symlinkSync(temporaryDirectory('else'), join(linked, '.cache/sched'));
    const elsewhere = { env: { SCHED_CACHE_DIR: temporaryDirectory('else') }, platform: 'win32' };
    for (const place of [{ home: linked }, { home: temporaryDirectory('home'), ...elsewhere }]) {
      await world.run('profiles add work --base-url http://127.0.0.1:4010', place);
      const { code, stderr } = await world.run('profiles remove work --yes', place);
      expect([code, stderr]).toEqual([0, 'Removed profile work\n']);
    }
    const { code } = await windows('compliance delete ada@x.example --yes', elsewhere.env);
    expect(code).toBe(0);
  });

  test('a directory that others can read, on a disk without modes', async () => {
    const at = copied();
    chmodSync(join(at, '.cache/sched/mirror'), 0o755);
    const run = (line: string) => patched(fs, { chmodSync: () => {} }, () => world.run(line, { home: at }));
    for (const line of ['--mirror users me', 'mirror sync --yes', 'mirror status --all', "mirror sql 'SELECT 1'"]) {
      const { code, stdout, stderr } = await run(line);
      expect(stderr).toContain('its disk has no modes, so others can read it');
      expect([line, code, stdout]).toEqual([line, 3, '']);
    }
  });

  test("another user's file", async () => {
    for (const line of ['--mirror users me', 'mirror sync --yes', 'mirror status', "mirror sql 'SELECT 1'"]) {
      const { code, stdout, stderr } = await world.run(line, { home, uid: process.getuid!() + 1 });
      expect(stderr).toContain('it belongs to another user');
      expect([line, code, stdout]).toEqual([line, 3, '']);
    }
  });

  test('a directory whose mode was changed is private again', async () => {
    const at = copied();
    const folder = join(at, '.cache/sched/mirror');
    chmodSync(folder, 0o755);
    expect((await mirrored('users me', at)).code).toBe(0);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });
});

describe('a file that is no mirror', () => {
  test('damaged', async () => {
    const at = copied();
    const { readFileSync } = await import('node:fs');
    const bytes = readFileSync(mirrorFile(at));
    bytes.fill(7, 100, 20_000);
    writeFileSync(mirrorFile(at), bytes);
    const { code, stderr } = await mirrored('users me', at);
    expect(stderr).toContain("Can't use the mirror");
    expect(stderr).toContain('try: sched mirror delete');
    expect(code).toBe(3);
  });

  test('made by a newer version', async () => {
    const at = copied();
    const store = await openMirror(mirrorFile(at));
    store.setFact('format', 99);
    store.close();
    const { code, stderr } = await mirrored('users me', at);
    expect(stderr).toContain('A newer version of sched made the mirror');
    expect(stderr).toContain('try: sched mirror delete');
    expect(code).toBe(3);
  });

  test('another file', async () => {
    const at = copied();
    writeFileSync(mirrorFile(at), 'just text');
    const { code, stderr } = await mirrored('users me', at);
    expect(stderr).toContain("Can't use the mirror");
    expect(code).toBe(3);
  });
});

describe('a disk that is full, with somebody to forget', () => {
  let at: string;
  beforeAll(async () => {
    at = copied();
    const { code, stderr } = await world.run('compliance delete ada@x.example --yes', { home: at });
    if (code !== 0) throw new Error(stderr);
    const store = await openMirror(mirrorFile(at));
    store.exec(`DELETE FROM mirror_forgotten;
      CREATE TRIGGER full BEFORE INSERT ON mirror_forgotten BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`);
    store.close();
  });

  test.each(['--mirror events list', 'mirror status', "mirror sql 'SELECT 1'", 'mirror sync --yes'])(
    '%s',
    async (line) => {
      const { code, stdout, stderr } = await world.run(line, { home: at });
      expect(stderr).toContain("error: Can't use the mirror\n");
      expect(stderr).toContain('database or disk is full (');
      expect(stderr).toContain('free some space on the disk, and run the same command again: nothing is lost');
      expect([code, stdout]).toEqual([3, '']);
    },
  );
});

test('a sync on a full disk says what to do, and nothing is lost', async () => {
  const at = copied();
  const store = await openMirror(mirrorFile(at));
  const facts = store.fact('mirror');
  store.exec(`CREATE TRIGGER full BEFORE UPDATE ON meta BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END`);
  const { code, stderr } = await world.run('mirror sync', { home: at });
  expect(stderr).toContain('free some space on the disk');
  expect(code).toBe(3);
  expect(store.fact('mirror')).toBe(facts);
  store.close();
});

test('mirror delete removes the file with its side files', async () => {
  const at = copied();
  expect((await world.run('mirror delete --yes', { home: at })).code).toBe(0);
  expect(readdirSync(join(at, '.cache/sched/mirror'))).toEqual(['CACHEDIR.TAG']);
});

test('a mirror that can not be removed is no internal error', async () => {
  const { rmSync } = fs;
  const line = () => world.run('mirror delete --yes', { home: copied() });
  const { code, stderr } = await patched(fs, { rmSync: failing('EBUSY', 1, rmSync) }, line);
  expect(stderr).toContain("error: Can't remove ");
  expect(code).toBe(3);
});
