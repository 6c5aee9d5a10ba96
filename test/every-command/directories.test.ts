import { chmodSync, lstatSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createWorld, isWrite } from '../support/run.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { sample } from '../support/tier.ts';

const world = await createWorld();

const modeOf = (path: string) => (lstatSync(path).mode & 0o7777).toString(8);

/** The kind and mode of everything below a directory. */
const below = (folder: string): [string, string][] =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return [entry.isDirectory() ? 'directory' : 'file', modeOf(path)];
  });

const book =
  'invitees create --event-type "Intro call" --start 2026-12-07T09:00:00Z --email a@x.example --name A --timezone UTC';

/** For each variable, a command that writes to its directory. */
const writers = [
  ['SCHED_CONFIG_DIR', 'profiles add one --base-url https://api.example.com'],
  ['SCHED_STATE_DIR', book],
  ['SCHED_CACHE_DIR', 'events list --limit 1'],
] as const;

const prepared = (mode?: number) => {
  const home = temporaryDirectory('named');
  const folder = join(home, 'named');
  if (mode !== undefined) {
    mkdirSync(folder);
    chmodSync(folder, mode);
  }
  return { home, folder };
};

// R16
describe.each(writers)('%s', (variable, line) => {
  test.each([
    ['that is missing is created with mode 700', undefined, '700'],
    ['of mode 700 is used', 0o700, '700'],
    ['of mode 755 is used and not changed', 0o755, '755'],
  ])('%s', async (_, mode, after) => {
    const at = await createWorld();
    const { home, folder } = prepared(mode);
    const umask = process.umask(0);
    const { code } = await at.run(line, { home, env: { [variable]: folder } }).finally(() => process.umask(umask));
    expect([code, modeOf(folder)]).toEqual([0, after]);
    const kept = below(folder);
    expect(kept.length).toBeGreaterThan(0);
    for (const [kind, found] of kept) expect(found).toBe(kind === 'directory' ? '700' : '600');
  });

  test.each(sample(['777', '775', '1777'], 1))('of mode %s is rejected and not changed', async (mode) => {
    const { home, folder } = prepared(Number.parseInt(mode, 8));
    const { code, stderr, requests } = await world.run(line, { home, env: { [variable]: folder } });
    expect([code, modeOf(folder), readdirSync(folder)]).toEqual([3, mode, []]);
    expect(stderr).toContain(`Can't use the directory ${folder}`);
    expect(stderr).toContain(`${variable}='${folder}/sched'`);
    expect(requests.filter(isWrite)).toEqual([]);
  });

  test('that is a symbolic link is rejected', async () => {
    const { home, folder } = prepared(0o700);
    symlinkSync(folder, join(home, 'link'));
    const { code } = await world.run(line, { home, env: { [variable]: join(home, 'link') } });
    expect([code, readdirSync(folder)]).toEqual([3, []]);
  });
});

test('the current directory keeps its mode when it is used', async () => {
  const { home, folder } = prepared(0o755);
  const before = process.cwd();
  process.chdir(folder);
  try {
    const env = { SCHED_CONFIG_DIR: '.', SCHED_STATE_DIR: '.', SCHED_CACHE_DIR: '.' };
    for (const line of ['profiles add one --base-url https://api.example.com', 'profiles list'])
      expect((await world.run(line, { home, env })).code).toBe(0);
  } finally {
    process.chdir(before);
  }
  expect([modeOf(folder), modeOf(join(folder, 'config.json'))]).toEqual(['755', '600']);
});

describe('a symbolic link instead of a sched directory', () => {
  test.each([
    ['.config/sched', 'profiles add one --base-url https://api.example.com'],
    ['.local/state/sched', book],
    ['.local/state/sched/bookings', book],
    ['.local/state/sched', '--sandbox users me'],
    ['.cache/sched', 'events list --limit 1'],
  ])('at %s is rejected: %s', async (path, line) => {
    const { home, folder } = prepared(0o755);
    mkdirSync(join(home, path, '..'), { recursive: true, mode: 0o700 });
    symlinkSync(folder, join(home, path));
    const { code, stderr } = await world.run(line, {
      home,
      env: line.startsWith('--sandbox') ? { SCHED_TOKEN: '' } : {},
    });
    expect([code, readdirSync(folder), modeOf(folder)]).toEqual([3, [], '755']);
    expect(stderr).toContain("it is a symbolic link, which sched doesn't follow");
  });
});
