import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { openBrowser } from '../../src/auth/browser.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { until } from '../support/until.ts';

let folder: string;
let seen: string;
beforeEach(() => {
  folder = temporaryDirectory('browser');
  seen = join(folder, 'seen');
});

/** A program that writes its arguments to a file, one per line. */
const program = (name: string) => {
  const path = join(folder, name);
  writeFileSync(
    path,
    `#!/bin/sh\nfor word in "$@"; do echo "$word" >> '${seen}.part'; done\n/bin/mv '${seen}.part' '${seen}'\n`,
  );
  chmodSync(path, 0o755);
  return path;
};
const words = async () => {
  await until(() => existsSync(seen), folder);
  return readFileSync(seen, 'utf8').trim().split('\n');
};

const url = 'https://auth.example.com/oauth/authorize?a=1&b=$(touch%20x);`id`';

// R6
describe('browser', () => {
  test.each(['file:///etc/passwd', 'javascript:alert(1)', '-a', 'calc.exe', '', 'ftp://example.com'])(
    'never opens %s',
    async (address) => {
      program('xdg-open');
      const env = { BROWSER: program('browser'), PATH: folder, DISPLAY: ':0' };
      expect(await openBrowser(address, { env, platform: 'linux' })).toBe(false);
      expect(existsSync(seen)).toBe(false);
    },
  );

  test('starts $BROWSER without a shell, with its own arguments and then the URL', async () => {
    const env = { BROWSER: `${program('browser')} --new-window $HOME;echo`, PATH: folder };
    expect(await openBrowser(url, { env, platform: 'linux' })).toBe(true);
    expect(await words()).toEqual(['--new-window', '$HOME;echo', new URL(url).href]);
  });

  test('replaces %s with the URL and tries the alternatives in order', async () => {
    const env = { BROWSER: `/nonexistent/x:${program('browser')} --url=%s`, PATH: folder };
    expect(await openBrowser(url, { env, platform: 'linux' })).toBe(true);
    expect(await words()).toEqual([`--url=${new URL(url).href}`]);
  });

  test('returns false if $BROWSER cannot be started', async () => {
    expect(await openBrowser(url, { env: { BROWSER: '/nonexistent/x' }, platform: 'linux' })).toBe(false);
  });

  test('uses the program of Windows there, and no program of that name elsewhere', async () => {
    program('Windows\\System32\\rundll32.exe');
    const elsewhere = { SystemRoot: '/nonexistent', PATH: folder };
    program('rundll32.exe');
    expect(await openBrowser(url, { env: elsewhere, platform: 'win32' })).toBe(false);
    const env = { SystemRoot: join(folder, 'Windows'), PATH: folder };
    expect(await openBrowser(url, { env, platform: 'win32' })).toBe(true);
    expect(await words()).toEqual(['url.dll,FileProtocolHandler', new URL(url).href]);
  });

  test('uses xdg-open if there is a screen', async () => {
    program('xdg-open');
    expect(await openBrowser(url, { env: { PATH: folder, DISPLAY: ':0' }, platform: 'linux' })).toBe(true);
    expect(await words()).toEqual([new URL(url).href]);
  });

  test('prefers wslview under WSL', async () => {
    program('wslview');
    expect(await openBrowser(url, { env: { PATH: folder, WSL_DISTRO_NAME: 'x' }, platform: 'linux' })).toBe(true);
    expect(await words()).toEqual([new URL(url).href]);
  });

  test('opens nothing and does not fail without a screen or an opener', async () => {
    program('xdg-open');
    expect(await openBrowser(url, { env: { PATH: folder }, platform: 'linux' })).toBe(false);
    expect(await openBrowser(url, { env: { PATH: '/nonexistent', DISPLAY: ':0' }, platform: 'linux' })).toBe(false);
    expect(existsSync(seen)).toBe(false);
  });
});
