import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { filesBelow, importsOf, parse, type Sources } from './support/source-files.ts';

/** What test files may use although it waits for real time or measures it, with the reason. */
const timed: Record<string, { what: string; why: string }> = {
  'sandbox/robustness.test.ts': {
    what: 'patienceMs: 5 ',
    why: 'Node disconnects slow clients by its own clock, here after 5 ms, the shortest limit that it accepts',
  },
  'commands/webhooks/work-receiver.test.ts': { what: 'patienceMs: 5 ', why: 'the same limit of Node for slow senders' },
  'support/until.ts': { what: 'setTimeout(', why: 'looks again; a busy loop would slow down what it waits for' },
  'e2e/clocked.js': { what: 'setTimeout(', why: 'the same, for programs that wait for each other' },
  'auth/support/worker.ts': { what: 'setTimeout(', why: 'the same, for processes that wait for a lock' },
  'deep.js': { what: 'setTimeout(', why: 'stops the deep tier when its time is over' },
  'support/terminal.ts': { what: 'setTimeout(', why: 'gives up if a text does not appear on the screen' },
};

/** Sleeps, timers, polls and measured durations. `Date.now()` alone is a time, not a duration. */
const realTime =
  /\b(?:setTimeout|setInterval)\s*\(|timers\/promises|\brealClock\.sleep\(|\bperformance\.now\b|\bhrtime\b|\bDate\.now\(\)\s*-\s*[a-z]|\bexpect\.poll\(|\bvi\.wait(?:For|Until)\(|\bpatienceMs\b/i;

/** In a shell command, or as a fault of a sandbox with a real clock. A process that others end can `sleep infinity`. */
const quotedTime = (path: string): RegExp =>
  path.startsWith('e2e/') ? /\bsleep(?: |', \[')\d|\b(?:delay|drip|slow-token) ms=\d/ : /\bsleep(?: |', \[')\d/;

/** Without quoted text on one line, where the words don't count. */
const unquoted = (text: string) =>
  parse(text).withoutComments.replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''");

const waiting = (sources: Sources): string[] =>
  Object.entries(sources)
    .filter(([path]) => !/^(bench|torture)\//.test(path))
    .map(([path, text]): [string, string] => [path, text.replace(timed[path]?.what ?? '', '')])
    // Most files have none of the words anywhere, and need not be parsed.
    .filter(([path, text]) => realTime.test(text) || quotedTime(path).test(text))
    .filter(
      ([path, text]) =>
        realTime.test(unquoted(text)) ||
        importsOf({ [path]: text }).some(({ to }) => realTime.test(to)) ||
        // This file contains examples.
        (path !== 'test-rules.test.ts' && quotedTime(path).test(parse(text).withoutComments)),
    )
    .map(([path]) => path);

// R12: these two files search the output of every test for secrets, so all processes must be started through them.
const onlyWay: Record<string, RegExp> = {
  'support/processes.ts': /^(node:)?(child_process|cluster)$|^(execa|tinyexec|cross-spawn|node-pty)$/,
  'support/run.ts': /\/src\/(main|cli\/invoke)\.ts$/,
};

/** Benchmarks and the start of a run are not tests, the simulator searches outputs itself, and this file contains examples. */
const roundabouts = (sources: Sources): string[] =>
  Object.entries(sources)
    .filter(([path]) => !/^(bench\/|simulation\/machine\.ts$|support\/whole-run\.ts$|test-rules\.test\.ts$)/.test(path))
    .flatMap(([path, text]) => {
      const imported = [...text.matchAll(/(?:^import\s[^;]*?from\s*|^import\s*|\bimport\(\s*)'([^']+)'/gm)];
      return Object.entries(onlyWay).flatMap(([way, what]) =>
        imported.some(([, name]) => what.test(name!)) && path !== way ? [`${path} goes around ${way}`] : [],
      );
    });

/** Directories are removed after the test file that created them. Benchmarks run without vitest, a simulated disk has this call, and whole-run.ts creates the first. */
const ownDirectories = (sources: Sources): string[] =>
  Object.entries(sources)
    .filter(([path]) => !/^bench\/|^simulation\/files\.ts$|^support\/(temporary|whole-run)\.ts$/.test(path))
    .filter(([, text]) => text.includes('mkdtemp') && /\bmkdtemp(Sync)?\b/.test(parse(text).code))
    .map(([path]) => `${path} makes temporary directories around support/temporary.ts`);

/** Folders that mirror src/. Tests of the sandbox go through its service, so they have names of their own. */
const mirrors = /^(api|auth|base|cli|client|commands|dialects|http|node|output|state|time)\//;

/** Tests that are not named after the file they test, or after it and a topic: `read.transitions.test.ts`. */
const misplaced = (paths: readonly string[], isSource: (path: string) => boolean): string[] =>
  paths.filter((path) => {
    const source = path.replace(/(\.[\w-]+)?\.test\.ts$/, '');
    return mirrors.test(path) && path.endsWith('.test.ts') && !['.ts', '.yaml'].some((end) => isSource(source + end));
  });

describe('rules for tests', () => {
  const folder = new URL('.', import.meta.url).pathname;
  const tests = filesBelow(folder, '.ts');

  test('holds: a test has the name of its source file', () => {
    const isSource = (path: string) => existsSync(new URL(`../src/${path}`, import.meta.url));
    expect(misplaced(Object.keys(tests), isSource)).toEqual([]);
  });

  test('reports a test that has the name of no source file', () => {
    const paths = ['time/read.test.ts', 'time/read.gaps.test.ts', 'time/gaps.test.ts', 'e2e/a.test.ts', 'time/gaps.ts'];
    expect(misplaced(paths, (path) => path === 'time/read.ts')).toEqual(['time/gaps.test.ts']);
  });

  test('holds: no test sleeps or measures real time', () => {
    const all = { ...tests, ...filesBelow(folder, '.js') };
    expect(waiting(all)).toEqual([]);
    for (const path of Object.keys(timed)) expect(waiting({ [`x/${path}`]: all[path]! })).toHaveLength(1);
  });

  test.each([
    'await new Promise((go) => setTimeout(go, 5));',
    'setInterval (look, 5);',
    "import { setTimeout as pause } from 'node:timers/promises';",
    'await realClock.sleep(300);',
    'expect(Date.now() - began).toBeLessThan(6_000);',
    'const began = performance.now();',
    'await expect.poll(lines).toContain(1);',
    'await vi.waitFor(() => isDone);',
    "run('sh', 'sleep 0.2; cat');",
    "spawn('sleep', ['60']);",
  ])('notices %s', (text) => {
    expect(waiting({ 'a.test.ts': text, 'torture/a.torture.ts': text })).toEqual(['a.test.ts']);
  });

  test('notices a slow fault only where the sandbox has a real clock', () => {
    const text = "start('--fault', 'oauth.token slow-token ms=60');";
    expect(waiting({ 'e2e/a.test.ts': text, 'sandbox/a.test.ts': text })).toEqual(['e2e/a.test.ts']);
  });

  test('allows a time, the word in a text, and a process that others end', () => {
    const text =
      "const now = Date.now(); const old = Date.now() - 86_400_000; run('setTimeout(f, 1)'); // setTimeout(f)";
    expect(waiting({ 'a.test.ts': `${text}\nspawn('sleep', ['infinity']);` })).toEqual([]);
  });

  test('holds: only helpers that search the output for secrets start processes or run the program', () => {
    expect(roundabouts(tests)).toEqual([]);
    const config = readFileSync(new URL('../vitest.config.ts', import.meta.url), 'utf8');
    expect(config).toContain("setupFiles: ['test/support/scan.ts', ");
  });

  test.each([
    "import { spawn } from 'node:child_process';",
    "import {\n  type ChildProcess,\n  execFile,\n} from 'child_process';",
    "const { exec } = await import('node:child_process');",
    "import { run } from '../../src/main.ts';",
  ])('reports a test that starts a process or runs the program itself: %s', (text) => {
    expect(roundabouts({ 'cli/a.test.ts': text })).toHaveLength(1);
    expect(roundabouts({ 'bench/a.bench.ts': text })).toEqual([]);
  });

  test('holds: only test files import support/tier.ts, because deep.js finds its files by that', () => {
    const importing = Object.entries(tests).filter(([, text]) => /from '.*\/tier\.ts'/.test(text));
    expect(importing.map(([path]) => path).filter((path) => !/\.(test|torture)\.ts$/.test(path))).toEqual([]);
  });

  test('holds: only support/temporary.ts creates temporary directories', () => {
    expect(ownDirectories(tests)).toEqual([]);
  });

  test.each([
    "import { mkdtempSync } from 'node:fs';",
    "import { mkdtemp } from 'node:fs/promises';",
    "import * as fs from 'node:fs';\nfs.mkdtempSync('/tmp/x-');",
  ])('reports a test that creates its own directory: %s', (text) => {
    expect(ownDirectories({ 'cli/a.test.ts': text })).toHaveLength(1);
    expect(ownDirectories({ 'bench/a.bench.ts': text })).toEqual([]);
  });
});
