import fs, { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { windowsCommand } from '../../src/base/windows.ts';
import { createdOnWindows } from '../../src/node/machine.ts';
import { runChild } from '../../src/node/programs.ts';
import { handleSignals } from '../../src/node/signals.ts';
import { terminalOn } from '../../src/node/stdin.ts';
import { createLock } from '../../src/state/lock.ts';
import { patched } from '../support/files-world.ts';
import { temporaryDirectory } from '../support/temporary.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryDirectory('windows');
});

/** A program in the folder. Here, backslashes are part of its name. */
const program = (name: string, script = '') => {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
};

const env = { Path: 'relative;C:\\node js;D:\\tools', comspec: 'C:\\cmd.exe', SystemRoot: 'C:\\Windows', SECRET: 'x' };
const disk = ['npm.exe', 'relative\\npm.exe', 'C:\\node js\\npm', 'C:\\node js\\npm.cmd', 'C:\\node js\\node.exe'];
disk.push('D:\\tools\\both.bat', 'D:\\tools\\both.exe', '.\\import.CMD');
const start = (...command: string[]) => windowsCommand(command, env, (path) => disk.includes(path));

describe('a command on Windows', () => {
  test.each([
    ['node', 'C:\\node js\\node.exe'],
    ['both', 'D:\\tools\\both.exe'],
    ['missing', 'C:\\Windows\\System32\\missing'],
    ['.\\missing', '.\\missing'],
  ])('%s is started as %s, with the words unchanged', (name, path) => {
    const words = ['a b', '%SECRET%', '"'];
    expect(start(name, ...words)).toEqual({ program: path, words, windowsVerbatimArguments: false });
  });

  test.each([
    ['npm', '"C:\\node js\\npm.cmd"'],
    ['both.bat', '"D:\\tools\\both.bat"'],
    ['.\\import.CMD', '".\\import.CMD"'],
  ])('%s is a batch file, which needs cmd.exe', (name, path) => {
    const words = ['/d', '/e:on', '/v:off', '/s', '/c', `"${path} test"`];
    expect(start(name, 'test')).toEqual({ program: 'C:\\cmd.exe', words, windowsVerbatimArguments: true });
  });

  test.each([
    ['', '""'],
    ['a,b', '"a,b"'],
    ['x & calc | y > z ^', '"x & calc | y > z ^"'],
    ['%SECRET% 100%', '"%%cd:~,%SECRET%%cd:~,% 100%%cd:~,%"'],
    ['say "hi" & run', '"say ""hi"" & run"'],
    ['C:\\a b\\', '"C:\\a b\\\\"'],
    ['C:\\"', '"C:\\\\"""'],
  ])('a batch file gets %s as %s', (word, quoted) => {
    expect(start('npm', word).words.at(-1)).toBe(`""C:\\node js\\npm.cmd" ${quoted}"`);
    expect(() => start('npm', `${word}\n`)).toThrow('line break');
  });

  test('runs in cmd.exe if it is a batch file, and gets its signals from the console', async () => {
    program('bin\\npm.cmd');
    const ComSpec = program('cmd.exe', `printf '%s\\n' "$@" > '${folder}/seen'\nexit 7`);
    const counts = () => ['SIGINT', 'SIGHUP'].map((name) => process.listenerCount(name));
    const before = counts();
    const ended = runChild(['npm', 'a & b'], { env: { PATH: join(folder, 'bin'), ComSpec } }, 'win32');
    expect(counts()).toEqual(before);
    expect(await ended).toBe(7);
    expect(readFileSync(join(folder, 'seen'), 'utf8')).toContain(`/c\n""${join(folder, 'bin')}\\npm.cmd" "a & b""\n`);
  });
});

describe('the creation time of a process on Windows', () => {
  const powershell = 'Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe';
  const ask = () => createdOnWindows(4711, { SystemRoot: join(folder, 'Windows'), SCHED_TOKEN: 'x', sched_token: 'x' });

  test('is what PowerShell says, which gets no secrets, or unknown', async () => {
    expect(await ask()).toBe('');
    program(powershell, 'echo 13; exit 1');
    expect(await ask()).toBe('');
    const words = '-NoProfile -NonInteractive -Command (Get-Process -Id 4711).StartTime.ToFileTimeUtc()';
    program(powershell, `[ "$*$SCHED_TOKEN$sched_token" = '${words}' ] && printf '133762752001234567\\r\\n'`);
    expect(await ask()).toBe(String(Date.UTC(2024, 10, 17, 0, 0, 0, 123)));
  });
});

describe('a lock on Windows', () => {
  const then = Date.UTC(2026, 10, 17);
  /** The lock for a process, if the process with the holder's PID was created at this time. */
  const lockOf = (pid: number, created?: number, isAlive = true) => {
    let now = then;
    const clock = {
      now: () => now,
      sleep: async (milliseconds: number) => {
        now += milliseconds;
      },
    };
    const ask = vi.fn(async () => String(created ?? ''));
    const machine = { platform: 'win32', host: 'PC', pid, startedAt: then, isAlive: () => isAlive, createdAt: ask };
    const randomBytes = (count: number) => new Uint8Array(count).fill(pid);
    const interrupted = new AbortController().signal;
    return { ask, lock: createLock({ directory: folder, name: 'l', machine, clock, randomBytes, interrupted }) };
  };
  beforeEach(async () => {
    await lockOf(100).lock.acquire();
  });

  test.each([
    ['was created shortly before the holder started', then - 300],
    ['was created at a time that differs by less than a second', then + 900],
    ['has an unknown age', undefined],
  ])('is kept if the process with its PID %s', async (_, created) => {
    await expect(lockOf(200, created).lock.acquire()).rejects.toMatchObject({ category: 'environment' });
  });

  test.each([
    ['belongs to a younger process', then + 5000, true, [[100]]],
    ['belongs to no process, without a question', undefined, false, []],
  ])('is taken over if its PID %s', async (_, created, isAlive, questions) => {
    const { lock, ask } = lockOf(200, created, isAlive);
    expect(await lock.acquire()).toBeDefined();
    expect(ask.mock.calls).toEqual(questions);
  });
});

test.each([
  ['win32', '\\\\.\\CONIN$'],
  ['linux', '/dev/tty'],
])('people on %s type answers at %s if stdin is a pipe', async (platform, path) => {
  const openSync = vi.fn(() => 77);
  const closeSync = vi.fn();
  await patched(fs, { openSync, closeSync }, async () => expect(terminalOn(platform).isTerminal()).toBe(true));
  // A console that can only be read refuses to change its mode.
  expect([openSync.mock.calls, closeSync.mock.calls]).toEqual([[[path, 'r+']], [[77]]]);
});

describe('signals on Windows', () => {
  const names = ['SIGINT', 'SIGTERM', 'SIGBREAK', 'SIGHUP'] as const;
  const before = names.map((name) => process.listeners(name));
  afterEach(() => {
    vi.restoreAllMocks();
    for (const [index, name] of names.entries())
      for (const each of process.listeners(name)) if (!before[index]!.includes(each)) process.off(name, each);
  });
  /** Calls the newest listener: a real signal would also reach the test runner. */
  const receive = (name: NodeJS.Signals) => process.listeners(name).at(-1)!(name);

  test('Ctrl-Break interrupts, and a second time it ends the process', () => {
    const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
    const { interrupted } = handleSignals({ isMidLine: false }, 'win32');
    receive('SIGBREAK');
    expect([interrupted.reason.category, exit.mock.calls]).toEqual(['interrupted', []]);
    receive('SIGBREAK');
    expect(exit.mock.calls).toEqual([[130]]);
  });

  test.each([
    ['win32', [[129]], []],
    ['linux', [], [[process.pid, 'SIGHUP']]],
  ])('a closed window ends the process on %s after protected work', async (platform, exits, kills) => {
    const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    await handleSignals({ isMidLine: false }, platform).protect(async () => {
      receive('SIGHUP');
      expect([exit.mock.calls, kill.mock.calls]).toEqual([[], []]);
    });
    expect([exit.mock.calls, kill.mock.calls]).toEqual([exits, kills]);
  });
});
