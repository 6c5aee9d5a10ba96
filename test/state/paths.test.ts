import { describe, expect, test } from 'vitest';
import { directory, isHomeless } from '../../src/state/paths.ts';

const at = (kind: 'config' | 'state' | 'cache', platform: string, env: Record<string, string> = {}) =>
  directory(kind, { env, home: '/home/ada', platform });

describe('paths', () => {
  test.each([
    ['config', '/home/ada/.config/sched'],
    ['state', '/home/ada/.local/state/sched'],
    ['cache', '/home/ada/.cache/sched'],
  ] as const)('of %s on Linux follow the XDG specification', (kind, path) => {
    expect(at(kind, 'linux')).toBe(path);
    const variable = `XDG_${kind.toUpperCase()}_HOME`;
    expect(at(kind, 'linux', { [variable]: '/data' })).toBe('/data/sched');
    for (const relative of ['', 'data', './data', '~/data'])
      expect(at(kind, 'linux', { [variable]: relative })).toBe(path);
  });

  test.each([
    ['config', '/home/ada/Library/Application Support/sched'],
    ['state', '/home/ada/Library/Application Support/sched'],
    ['cache', '/home/ada/Library/Caches/sched'],
  ] as const)('of %s on macOS are below Library', (kind, path) => {
    expect(at(kind, 'darwin')).toBe(path);
  });

  test.each(['config', 'state', 'cache'] as const)('of %s on Windows are below LOCALAPPDATA', (kind) => {
    expect(at(kind, 'win32', { LOCALAPPDATA: '/local' })).toBe(`/local/sched/${kind}`);
    expect(at(kind, 'win32')).toBe(`/home/ada/AppData/Local/sched/${kind}`);
  });

  test.each(['config', 'state', 'cache'] as const)(
    'of %s are set by SCHED_…_DIR, which overrides all other variables',
    (kind) => {
      const name = kind.toUpperCase();
      for (const platform of ['linux', 'darwin', 'win32'])
        expect(at(kind, platform, { [`SCHED_${name}_DIR`]: '/mine', [`XDG_${name}_HOME`]: '/x' })).toBe('/mine');
      expect(at(kind, 'linux', { [`SCHED_${name}_DIR`]: '' })).toContain('/home/ada/');
    },
  );

  test('are homeless if they would be below a home directory that does not exist', () => {
    const homeless = (home: string, env: Record<string, string> = {}) =>
      isHomeless('state', { env, home, platform: 'linux' });
    expect(homeless(process.cwd())).toBe(false);
    for (const home of ['', 'src', '/nonexistent', '/no/such/home']) {
      expect([home, homeless(home)]).toEqual([home, true]);
      expect([home, homeless(home, { XDG_STATE_HOME: 'relative' })]).toEqual([home, true]);
      expect([home, homeless(home, { XDG_STATE_HOME: '/data' })]).toEqual([home, false]);
      expect([home, homeless(home, { SCHED_STATE_DIR: '/mine' })]).toEqual([home, false]);
    }
  });
});
