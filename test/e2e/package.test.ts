import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { execFile } from '../support/processes.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { isDeep } from '../support/tier.ts';
import { describeWith } from '../support/tools.ts';
import { follow, recipes } from './cookbook.ts';
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

const describePackage = program.length === 0 ? describe.skip : describeWith('npm');

describePackage('the package', () => {
  const folder = temporaryDirectory('package');
  let packed: Packed;
  beforeAll(async () => {
    // Its scripts would rebuild dist/ while other tests use it.
    const words = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
    packed = JSON.parse((await execFile('npm', words, { cwd: root, maxBuffer: 2 ** 26 })).stdout)[0];
  }, 60_000);

  test('is under 1.5 MB, and contains the program but no sources', () => {
    expect(packed.size).toBeLessThan(1.5e6);
    const paths = packed.files.map(({ path }) => path);
    const expected =
      /^((bin|dist)\/[\w/-]+\.(js|json)|dist\/THIRD-PARTY\.txt|dist\/sandbox\.d\.ts|completions\/[\w.]+|man\/sched[\w-]*\.[17]|package\.json|[A-Z]+(\.md)?)$/;
    expect(paths.filter((path) => !expected.test(path))).toEqual([]);
    expect(paths).toEqual(expect.arrayContaining(['bin/sched.js', 'dist/THIRD-PARTY.txt', 'LICENSE', 'README.md']));
  });

  // Code that is loaded on first use may not be covered by any test.
  test('contains no file that fails to load', async () => {
    const files = packed.files.map(({ path }) => path).filter((path) => /^dist\/.*(?<!-worker)\.js$/.test(path));
    expect(files.length).toBeGreaterThan(50);
    const load = `for (const file of ${JSON.stringify(files)}) require('./' + file);`;
    await execFile(runner, ['--eval', load], { cwd: root });
  });

  test('contains the licenses of all bundled code, including code inside packages', () => {
    const text = readFileSync(join(root, 'dist/THIRD-PARTY.txt'), 'utf8');
    for (const part of [/^undici \d/m, /^zod \d/m, /jq is copyright \(C\) 2012 Stephen Dolan/, /^Oniguruma LICENSE/m])
      expect(text).toMatch(part);
  });

  // package.json can't say which of its devDependencies end up in dist/.
  test('bundles none of the tools that CONTRIBUTING.md lists, which lists all packages', () => {
    const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
    const listed = (line: string) =>
      [
        ...new RegExp(`^- \\*\\*${line}\\*\\*[^:]*:((?:.|\\n(?!-|\\n))*)`, 'm').exec(page)![1]!.matchAll(/`([^`]+)`/g),
      ].map(([, name]) => name!);
    const tools = listed('Tools');
    const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect([...listed('Bundled'), ...tools].toSorted()).toEqual(Object.keys(devDependencies).toSorted());
    const text = readFileSync(join(root, 'dist/THIRD-PARTY.txt'), 'utf8');
    const bundled = [...text.matchAll(/^(\S+) \d\S* \(/gm)].map(([, name]) => name);
    expect(bundled).toContain('commander');
    expect(tools.filter((name) => bundled.includes(name))).toEqual([]);
  });

  test('has no install scripts', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(Object.keys(scripts).filter((name) => /^(pre|post)?(install|prepare)$/.test(name))).toEqual([]);
  });

  test('installs without scripts in an empty directory, with few dependencies, and works there', async ({ skip }) => {
    const place = join(folder, 'empty');
    mkdirSync(place);
    const words = ['install', '--offline', '--no-audit', '--no-fund', '--prefix', place, join(folder, packed.filename)];
    const missing = await execFile('npm', words, { cwd: place }).then(
      () => undefined,
      (error: { stderr: string }) => {
        if (process.env.CI || !error.stderr.includes('ENOTCACHED')) throw error;
        return 'its dependencies are not in the npm cache, and tests do not download anything';
      },
    );
    if (missing !== undefined) skip(missing);
    const { packages } = JSON.parse(readFileSync(join(place, 'node_modules/.package-lock.json'), 'utf8')) as Installed;
    expect(Object.keys(packages).length).toBeLessThanOrEqual(12);
    expect(Object.values(packages).filter(({ hasInstallScript }) => hasInstallScript)).toEqual([]);
    // readme.test.ts follows recipes with the built program.
    const chosen = isDeep ? recipes : [{ script: 'sched events list --limit 1' }];
    await follow(chosen, { sched: join(place, 'node_modules/.bin/sched'), others: { node: runner } });
  }, 120_000);
});
