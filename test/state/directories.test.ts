import fs, { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { ensureLastingDirectory, ensurePrivateDirectory } from '../../src/state/directories.ts';
import { directory } from '../../src/state/paths.ts';
import { failing, patched, syncedDuring } from '../support/files-world.ts';
import { temporaryDirectory } from '../support/temporary.ts';

let root: string;
beforeEach(() => {
  root = temporaryDirectory('directories');
});

const modeOf = (path: string) => (lstatSync(path).mode & 0o7777).toString(8);

const made = (mode: number, name = 'd'): string => {
  const path = join(root, name);
  mkdirSync(path, { recursive: true });
  chmodSync(path, mode);
  return path;
};

const kinds = ['config', 'state', 'cache'] as const;
const named = (kind: (typeof kinds)[number], path: string, uid?: number) =>
  directory(kind, { env: { [`SCHED_${kind.toUpperCase()}_DIR`]: path }, home: root, platform: 'linux', uid });

// R16
describe.each(kinds)('a %s directory set by a variable', (kind) => {
  test.each(['700', '750', '755', '711'])('keeps mode %s and is used', (mode) => {
    const path = made(Number.parseInt(mode, 8));
    expect(named(kind, path)).toBe(path);
    ensurePrivateDirectory(path);
    expect(modeOf(path)).toBe(mode);
  });

  test.each(['777', '775', '1777', '722'])('keeps mode %s and is refused', (mode) => {
    const path = made(Number.parseInt(mode, 8));
    expect(() => named(kind, path)).toThrow(expect.objectContaining({ category: 'environment' }));
    expect(() => ensurePrivateDirectory(path)).toThrow(expect.objectContaining({ category: 'environment' }));
    expect(modeOf(path)).toBe(mode);
  });

  test('may be relative to the current directory', () => {
    const path = relative(process.cwd(), made(0o755));
    expect(named(kind, path)).toBe(path);
    expect(modeOf(path)).toBe('755');
  });

  test('is refused if it is a symbolic link, with the target in the advice', () => {
    const link = join(root, 'link');
    symlinkSync(made(0o700), link);
    expect(() => named(kind, link)).toThrow(
      expect.objectContaining({
        category: 'environment',
        facts: expect.objectContaining({ advice: `set SCHED_${kind.toUpperCase()}_DIR='${join(root, 'd')}'` }),
      }),
    );
  });

  test('is refused if it belongs to another user, unless sched runs as root', () => {
    const path = made(0o755);
    if (lstatSync(path).uid === 0) chownSync(path, 4242, 4242);
    const { uid } = lstatSync(path);
    expect(() => named(kind, path, uid + 1)).toThrow(expect.objectContaining({ category: 'environment' }));
    expect(named(kind, path, uid)).toBe(path);
    expect(named(kind, path, 0)).toBe(path);
  });

  test('is used if it belongs to root', () => {
    const path = lstatSync(root).uid === 0 ? made(0o755) : '/usr';
    expect(named(kind, path, 4242)).toBe(path);
  });

  test('is not created by the check', () => {
    expect(named(kind, join(root, 'none'))).toBe(join(root, 'none'));
    expect(existsSync(join(root, 'none'))).toBe(false);
  });
});

describe.each(kinds)('the default %s directory', (kind) => {
  const own = () =>
    directory(kind, { env: { [`XDG_${kind.toUpperCase()}_HOME`]: root }, home: '/nowhere', platform: 'linux' });

  test.each(['755', '777', '770'])('changes from mode %s to 0700, while its parent keeps its mode', (mode) => {
    const path = made(Number.parseInt(mode, 8), 'sched');
    chmodSync(root, 0o755);
    expect(own()).toBe(path);
    expect([modeOf(path), modeOf(root)]).toEqual(['700', '755']);
  });

  test('is refused if it is a symbolic link', () => {
    symlinkSync(made(0o755, 'elsewhere'), join(root, 'sched'));
    expect(own).toThrow(expect.objectContaining({ category: 'environment' }));
    expect(modeOf(join(root, 'elsewhere'))).toBe('755');
  });
});

describe('a new directory', () => {
  test('has mode 0700, as do its new parents, even with umask 0', () => {
    const before = process.umask(0);
    try {
      ensurePrivateDirectory(join(root, 'a', 'b'));
    } finally {
      process.umask(before);
    }
    expect([modeOf(join(root, 'a')), modeOf(join(root, 'a', 'b'))]).toEqual(['700', '700']);
  });

  /** The directories below the root that are synced when this one is made. */
  const syncedFor = async (path: string) => {
    const synced = await syncedDuring(async () => ensureLastingDirectory(path));
    const names = ['', ...readdirSync(root, { recursive: true, encoding: 'utf8' })];
    return synced.flatMap((ino) => names.find((name) => lstatSync(join(root, name)).ino === ino) ?? []);
  };

  // R27
  test('for files that must last has its name on disk, as do its parents, whoever made them', async () => {
    const path = join(root, 'a', 'b', 'c');
    expect(await syncedFor(path)).toEqual(['a/b', 'a', '']);
    expect(await syncedFor(path)).toEqual(['a/b', 'a', '']);
    expect(await syncedFor(relative(process.cwd(), join(root, 'e')))).toEqual(['']);
  });

  test('is used where directories cannot be synced', async () => {
    const path = join(root, 'a');
    await patched(fs, { fsyncSync: failing('EPERM', 9, fs.fsyncSync) }, async () => ensureLastingDirectory(path));
    expect(existsSync(path)).toBe(true);
  });

  test('is not created through a dangling link', () => {
    symlinkSync(join(root, 'nowhere'), join(root, 'link'));
    expect(() => ensurePrivateDirectory(join(root, 'link'))).toThrow(
      expect.objectContaining({ category: 'environment' }),
    );
    expect(existsSync(join(root, 'nowhere'))).toBe(false);
  });

  test('that cannot be created is an environment error', () => {
    expect(() => ensurePrivateDirectory('/dev/null/x')).toThrow(expect.objectContaining({ category: 'environment' }));
  });
});
