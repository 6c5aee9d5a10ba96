import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { ensurePrivateDirectory } from '../../src/state/directories.ts';
import { directory } from '../../src/state/paths.ts';
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
describe.each(kinds)('a %s directory that a variable names', (kind) => {
  test.each(['700', '750', '755', '711'])('is used as it is with mode %s', (mode) => {
    const path = made(Number.parseInt(mode, 8));
    expect(named(kind, path)).toBe(path);
    ensurePrivateDirectory(path);
    expect(modeOf(path)).toBe(mode);
  });

  test.each(['777', '775', '1777', '722'])('is refused with mode %s, which is left', (mode) => {
    const path = made(Number.parseInt(mode, 8));
    expect(() => named(kind, path)).toThrow(expect.objectContaining({ category: 'environment' }));
    expect(() => ensurePrivateDirectory(path)).toThrow(expect.objectContaining({ category: 'environment' }));
    expect(modeOf(path)).toBe(mode);
  });

  test('may be relative to the current one', () => {
    const path = relative(process.cwd(), made(0o755));
    expect(named(kind, path)).toBe(path);
    expect(modeOf(path)).toBe('755');
  });

  test('is refused where it is a symbolic link, and the target is named', () => {
    const link = join(root, 'link');
    symlinkSync(made(0o700), link);
    expect(() => named(kind, link)).toThrow(
      expect.objectContaining({
        category: 'environment',
        facts: expect.objectContaining({ hint: `SCHED_${kind.toUpperCase()}_DIR='${join(root, 'd')}'` }),
      }),
    );
  });

  test('is refused where it belongs to another user, but not to root', () => {
    const path = made(0o755);
    if (lstatSync(path).uid === 0) chownSync(path, 4242, 4242);
    const { uid } = lstatSync(path);
    expect(() => named(kind, path, uid + 1)).toThrow(expect.objectContaining({ category: 'environment' }));
    expect(named(kind, path, uid)).toBe(path);
    expect(named(kind, path, 0)).toBe(path);
  });

  test('is used where it belongs to root', () => {
    const path = lstatSync(root).uid === 0 ? made(0o755) : '/usr';
    expect(named(kind, path, 4242)).toBe(path);
  });

  test('is not made by being looked for', () => {
    expect(named(kind, join(root, 'none'))).toBe(join(root, 'none'));
    expect(existsSync(join(root, 'none'))).toBe(false);
  });
});

describe.each(kinds)('our own %s directory', (kind) => {
  const own = () =>
    directory(kind, { env: { [`XDG_${kind.toUpperCase()}_HOME`]: root }, home: '/nowhere', platform: 'linux' });

  test.each(['755', '777', '770'])(
    'becomes 0700 where it has mode %s, and the one around it does not change',
    (mode) => {
      const path = made(Number.parseInt(mode, 8), 'sched');
      chmodSync(root, 0o755);
      expect(own()).toBe(path);
      expect([modeOf(path), modeOf(root)]).toEqual(['700', '755']);
    },
  );

  test('is refused where it is a symbolic link', () => {
    symlinkSync(made(0o755, 'elsewhere'), join(root, 'sched'));
    expect(own).toThrow(expect.objectContaining({ category: 'environment' }));
    expect(modeOf(join(root, 'elsewhere'))).toBe('755');
  });
});

describe('a directory that is made', () => {
  test('is 0700 with its parents, also under umask 0', () => {
    const before = process.umask(0);
    try {
      ensurePrivateDirectory(join(root, 'a', 'b'));
    } finally {
      process.umask(before);
    }
    expect([modeOf(join(root, 'a')), modeOf(join(root, 'a', 'b'))]).toEqual(['700', '700']);
  });

  test('is not made behind a link to nowhere', () => {
    symlinkSync(join(root, 'nowhere'), join(root, 'link'));
    expect(() => ensurePrivateDirectory(join(root, 'link'))).toThrow(
      expect.objectContaining({ category: 'environment' }),
    );
    expect(existsSync(join(root, 'nowhere'))).toBe(false);
  });

  test('is an error of the environment where it cannot be', () => {
    expect(() => ensurePrivateDirectory('/dev/null/x')).toThrow(expect.objectContaining({ category: 'environment' }));
  });
});
