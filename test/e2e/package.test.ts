import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { once } from '../../src/base/once.ts';
import { writeSnippets } from '../support/page-snippets.ts';
import { execFile } from '../support/processes.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { isDeep, sample } from '../support/tier.ts';
import { describeWith, needs, pathOf } from '../support/tools.ts';
import { follow, recipes } from './cookbook.ts';
import { program, runner, usedHome } from './program.ts';

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

/** Runs a line in a shell as somebody who opens a terminal, with these programs first on the PATH. */
const inShell = async (shell: string, programs: string, line: string, home = temporaryDirectory('home')) => {
  needs(shell);
  const env = { PATH: [programs, dirname(runner), '/usr/bin', '/bin'].join(':'), HOME: home, TZ: 'UTC' };
  const words = shell === 'bash' ? ['--norc', '-c', line] : ['-i', '-c', line];
  return execFile(pathOf(shell)!, words, { env, cwd: home }).catch(
    ({ stdout, stderr }: { stdout: string; stderr: string }) => ({ stdout, stderr }),
  );
};

/** The README's first command works as it is written there, in zsh after the README's line; the second name always does. */
const expectFirstCommand = async (shell: string, programs: string): Promise<void> => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const [, command] = /^npm ci && npx (sched --sandbox .*)$/m.exec(readme)!;
  const [, line] = /`(disable sched; [^`]*)`/.exec(readme)!;
  const home = await usedHome();
  const shows = async (words: string) =>
    (await inShell(shell, programs, words, home)).stdout.includes('Partner interview');
  expect(await shows(command!.replace('sched', 'scheds'))).toBe(true);
  if (shell === 'zsh') {
    writeFileSync(join(home, '.zshrc'), '');
    expect(await shows(command!)).toBe(false);
    await inShell(shell, programs, line!, home);
  }
  expect(await shows(command!)).toBe(true);
};

describePackage('the package', () => {
  const folder = temporaryDirectory('package');
  let packed: Packed;
  beforeAll(async () => {
    // Its scripts would rebuild dist/ while other tests use it.
    const words = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
    packed = JSON.parse((await execFile('npm', words, { cwd: root, maxBuffer: 2 ** 26 })).stdout)[0];
  }, 60_000);

  test('is under 1.6 MB, and contains the program but no sources', () => {
    expect(packed.size).toBeLessThan(1.6e6);
    const paths = packed.files.map(({ path }) => path);
    const expected =
      /^((bin|dist)\/[\w/-]+\.(js|json)|dist\/THIRD-PARTY\.txt|dist\/sandbox\.d\.ts|completions\/[\w.]+|man\/s(ched[\w-]*|ked)\.[17]|package\.json|[A-Z]+(\.md)?)$/;
    expect(paths.filter((path) => !expected.test(path))).toEqual([]);
    expect(paths).toEqual(expect.arrayContaining(['bin/sched.js', 'dist/THIRD-PARTY.txt', 'LICENSE', 'README.md']));
  });

  // Code that is loaded on first use may not be covered by any test.
  test('contains no file that fails to load', async () => {
    const files = packed.files.map(({ path }) => path).filter((path) => /^dist\/.*(?<!-worker)\.js$/.test(path));
    expect(files.length).toBeGreaterThan(50);
    const load = `for (const file of ${JSON.stringify(sample(files, 20))}) require('./' + file);`;
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

  describe('in a shell', () => {
    const place = join(folder, 'bin');
    beforeAll(() => {
      const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { bin: Record<string, string> };
      mkdirSync(place);
      for (const [name, file] of Object.entries(bin)) symlinkSync(join(root, file), join(place, name));
    });

    test.each(['zsh', ...sample(['bash', 'fish'], 1)])('shows the first events of the README: %s', async (shell) => {
      await expectFirstCommand(shell, place);
    });

    test('says the name that was typed to people, and sched to programs', async () => {
      const { stdout, stderr } = await inShell(
        'bash',
        place,
        'scheds events --help; scheds events lst; scheds --json lst',
      );
      expect(stdout).toContain('Usage: scheds events <subcommand>');
      const [, hint, json] = stderr.trim().split('\n');
      expect(hint).toBe('try: scheds events list');
      expect(JSON.parse(json!).error.message).toContain('sched --help');
      expect((await inShell('bash', place, 'scheds mcp config claude-code')).stdout).toContain('bin/sched.js');
    });
  });

  test('has no install scripts', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(Object.keys(scripts).filter((name) => /^(pre|post)?(install|prepare)$/.test(name))).toEqual([]);
  });

  // npm takes longer for it than all other tests of the package: outside of CI only in the deep tier.
  describe.runIf(isDeep || process.env.CI)('installed', () => {
    const place = join(folder, 'empty');
    const install = once(async (): Promise<string | undefined> => {
      mkdirSync(place);
      const words = [
        'install',
        '--offline',
        '--no-audit',
        '--no-fund',
        '--prefix',
        place,
        join(folder, packed.filename),
      ];
      return execFile('npm', words, { cwd: place }).then(
        () => undefined,
        (error: { stderr: string }) => {
          if (process.env.CI || !error.stderr.includes('ENOTCACHED')) throw error;
          return 'its dependencies are not in the npm cache, and tests do not download anything';
        },
      );
    });
    const skipIfMissing = async (skip: (note?: string) => void) => {
      const missing = await install();
      if (missing !== undefined) skip(missing);
    };

    test('installs without scripts in an empty directory, with few dependencies, and works there', async ({ skip }) => {
      await skipIfMissing(skip);
      const { packages } = JSON.parse(
        readFileSync(join(place, 'node_modules/.package-lock.json'), 'utf8'),
      ) as Installed;
      expect(Object.keys(packages).length).toBeLessThanOrEqual(12);
      expect(Object.values(packages).filter(({ hasInstallScript }) => hasInstallScript)).toEqual([]);
      // readme.test.ts follows recipes with the built program.
      const chosen = isDeep ? recipes : [{ script: 'sched events list --limit 1' }];
      await follow(chosen, { sched: join(place, 'node_modules/.bin/sched'), others: { node: runner } });
    }, 120_000);

    test('installs its two names for everybody', async ({ skip }) => {
      await skipIfMissing(skip);
      const prefix = join(folder, 'global');
      const words = ['install', '--global', '--offline', '--no-audit', '--no-fund', '--prefix', prefix];
      await execFile('npm', [...words, join(folder, packed.filename)]);
      for (const shell of ['zsh', 'bash', 'fish']) await expectFirstCommand(shell, join(prefix, 'bin'));
    }, 120_000);

    test('has a sandbox to import and to require, which does not keep the process running', async ({ skip }) => {
      await skipIfMissing(skip);
      const script = `
      import { createRequire } from 'node:module';
      import { createSandbox } from 'sched/sandbox';
      const { createSandbox: required } = createRequire(import.meta.url)('sched/sandbox');
      const sandbox = await createSandbox({ world: 'empty' });
      const headers = { authorization: 'Bearer ' + sandbox.token() };
      const { status } = await fetch(sandbox.url + '/users/me', { headers });
      console.log(JSON.stringify({ isSame: createSandbox === required, status }));`;
      writeFileSync(join(place, 'both.mjs'), script);
      const { stdout, stderr } = await execFile(runner, ['both.mjs'], { cwd: place });
      expect([JSON.parse(stdout), stderr]).toEqual([{ isSame: true, status: 200 }, '']);
    });

    describe('with the files of docs/testing.md', () => {
      const vitest = join(root, 'node_modules/vitest');
      const files = once(() => {
        symlinkSync(vitest, join(place, 'node_modules/vitest'));
        return writeSnippets('docs/testing.md', place);
      });
      const runs = {
        'node:test': ['--test', '--test-reporter', 'tap', 'cancel.test.mjs'],
        Vitest: [join(vitest, 'vitest.mjs'), 'run', '--reporter', 'tap', 'cancel.test.ts'],
      };

      for (const [name, words] of sample(Object.entries(runs), 1))
        test(`passes those for ${name}`, { timeout: 60_000 }, async ({ skip }) => {
          await skipIfMissing(skip);
          expect(files()).toEqual(
            expect.arrayContaining(['cancel.test.ts', 'cancel.test.mjs', 'cancel.test.cjs', 'cancel.spec.ts']),
          );
          const { stdout } = await execFile(runner, words, { cwd: place });
          expect(stdout.match(/^ *ok \d - (?:cancels|begins)/gm)).toHaveLength(2);
        });
    });

    for (const module of sample(['node16', 'preserve'], 1))
      test(`has types for import and require, with --module ${module}`, async ({ skip }) => {
        await skipIfMissing(skip);
        const imported = `import { createSandbox } from 'sched/sandbox';
        export const length: number = (await createSandbox({ plan: 'free' })).url.length;`;
        const required = `import sandboxes = require('sched/sandbox');
        export const sandbox: Promise<sandboxes.Sandbox> = sandboxes.createSandbox();`;
        writeFileSync(join(place, 'use.mts'), imported);
        writeFileSync(join(place, 'use.cts'), required);
        const flags = ['--strict', '--noEmit', '--target', 'es2022', '--lib', 'es2022', '--module', module];
        const tsc = join(root, 'node_modules/typescript/bin/tsc');
        expect((await execFile(runner, [tsc, ...flags, 'use.mts', 'use.cts'], { cwd: place })).stdout).toBe('');
      });
  });
});
