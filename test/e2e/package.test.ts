import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { execFile } from '../support/processes.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { followCookbook } from './cookbook.ts';
import { program, runner } from './program.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

interface Packed {
  filename: string;
  size: number;
  files: { path: string }[];
}

interface Installed {
  packages: Record<string, { hasInstallScript?: boolean }>;
}

describe.skipIf(program.length === 0)('the package', () => {
  const folder = temporaryDirectory('package');
  let packed: Packed;
  beforeAll(async () => {
    // Its scripts would build dist/ anew under the hands of other tests.
    const words = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
    packed = JSON.parse((await execFile('npm', words, { cwd: root, maxBuffer: 2 ** 26 })).stdout)[0];
  }, 60_000);

  test('is under 1.5 MB, and holds the program and nothing that it was made from', () => {
    expect(packed.size).toBeLessThan(1.5e6);
    const paths = packed.files.map(({ path }) => path);
    const expected =
      /^((bin|dist)\/[\w/-]+\.(js|json)|dist\/THIRD-PARTY\.txt|completions\/[\w.]+|package\.json|[A-Z]+(\.md)?)$/;
    expect(paths.filter((path) => !expected.test(path))).toEqual([]);
    expect(paths).toEqual(expect.arrayContaining(['bin/sched.js', 'dist/THIRD-PARTY.txt', 'LICENSE', 'README.md']));
  });

  // What is loaded on first use may never be in a test.
  test('holds no file that fails to load', async () => {
    const files = packed.files.map(({ path }) => path).filter((path) => /^dist\/.*(?<!-worker)\.js$/.test(path));
    expect(files.length).toBeGreaterThan(50);
    const load = `for (const file of ${JSON.stringify(files)}) require('./' + file);`;
    await execFile(runner, ['--eval', load], { cwd: root });
  });

  test('says under which terms the parts inside it are passed on, also those inside of packages', () => {
    const text = readFileSync(join(root, 'dist/THIRD-PARTY.txt'), 'utf8');
    for (const part of [/^undici \d/m, /^zod \d/m, /jq is copyright \(C\) 2012 Stephen Dolan/, /^Oniguruma LICENSE/m])
      expect(text).toMatch(part);
  });

  test('has no script that npm would run, or ask about, where it is installed', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(Object.keys(scripts).filter((name) => /^(pre|post)?(install|prepare)$/.test(name))).toEqual([]);
  });

  test('installs without scripts in an empty directory, with few others; the tour works there', async ({ skip }) => {
    const place = join(folder, 'empty');
    mkdirSync(place);
    const words = ['install', '--offline', '--no-audit', '--no-fund', '--prefix', place, join(folder, packed.filename)];
    const missing = await execFile('npm', words, { cwd: place }).then(
      () => undefined,
      (error: { stderr: string }) => {
        if (process.env.CI || !error.stderr.includes('ENOTCACHED')) throw error;
        return 'what it needs was never installed here, and nothing is fetched by tests';
      },
    );
    if (missing !== undefined) skip(missing);
    const { packages } = JSON.parse(readFileSync(join(place, 'node_modules/.package-lock.json'), 'utf8')) as Installed;
    expect(Object.keys(packages).length).toBeLessThanOrEqual(12);
    expect(Object.values(packages).filter(({ hasInstallScript }) => hasInstallScript)).toEqual([]);
    await followCookbook(join(place, 'node_modules/.bin/sched'), { node: runner });
  }, 120_000);
});
