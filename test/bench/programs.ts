import { execFile, execFileSync, fork, spawn } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Spent } from './measurement.ts';

/** Benches run in the root of the repository. */
export const root = process.cwd();

export const sched = join(root, 'bin/sched.js');
export const standalone = join(root, 'dist-standalone/sched');
export const hasStandalone = existsSync(standalone);

type Environment = Record<string, string>;

/** A clean environment: NODE_EXTRA_CA_CERTS alone would more than double the start-up time of Node 20. */
export const cleanEnvironment = (home: string, more: Environment = {}): Environment => ({
  PATH: process.env.PATH ?? '',
  HOME: home,
  TZ: 'UTC',
  ...more,
});

/** Whether a program is installed and runs. One that needs an interpreter may be installed without it. */
export const isInstalled = (program: string, ...words: string[]): boolean => {
  try {
    execFileSync(program, words, { stdio: 'ignore', timeout: 20_000 });
    return true;
  } catch {
    return false;
  }
};

/** A file descriptor that discards all output. */
export const nowhere = openSync('/dev/null', 'w');

/** Milliseconds from start to end of a program. Throws if it fails. Without `stdout`, its output goes to a pipe. */
export const timed = (
  command: readonly string[],
  env: Environment,
  stdout: number | 'pipe' = 'pipe',
): Promise<number> =>
  new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(command[0]!, command.slice(1), { env, stdio: ['ignore', stdout, 'pipe'], timeout: 120_000 });
    child.stdout?.resume();
    let said = '';
    child.stderr!.on('data', (text) => {
      said += text;
    });
    child.once('error', reject).once('close', (code) => {
      const took = performance.now() - started;
      if (code === 0) resolve(took);
      else reject(new Error(`${command.join(' ')} exited with code ${code}: ${said}`));
    });
  });

/** Milliseconds until a program shows a text in a pseudo-terminal, which `script` of Linux opens. */
export const untilShown = (command: readonly string[], env: Environment, text: RegExp): Promise<number> =>
  new Promise((resolve, reject) => {
    const started = performance.now();
    const words = ['--quiet', '--return', '--flush', '--command', `exec ${command.join(' ')}`, '/dev/null'];
    const stdio = ['pipe', 'pipe', 'ignore'] as const;
    const child = spawn('script', words, { env: { SHELL: '/bin/sh', ...env }, stdio: [...stdio], timeout: 60_000 });
    let screen = '';
    let took: number | undefined;
    child.stdout!.on('data', (part) => {
      screen += part;
      if (text.test(screen)) took ??= performance.now() - started;
    });
    child.once('error', reject).once('close', () => {
      if (took !== undefined) resolve(took);
      else reject(new Error(`${command.join(' ')} did not show ${text}: ${screen}`));
    });
  });

/** Loaded before a program: it tells its CPU time in microseconds when it ends, or when its parent asks. */
export const cpuHook = `
const used = () => { const { user, system } = process.cpuUsage(); return user + system; };
if (process.send) process.on('message', () => process.send({ used: used() }));
else process.on('exit', () => require('fs').writeSync(3, String(used())));
`;

/** A Node program from start to end, in milliseconds. `hook` is a file with `cpuHook`. Throws if the program fails. */
export const spent = (hook: string, words: readonly string[], env: Environment): Promise<Spent> =>
  new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(process.execPath, ['--require', hook, ...words], {
      env,
      stdio: ['ignore', nowhere, 'pipe', 'pipe'],
      timeout: 120_000,
    });
    let told = '';
    child.stdio[3]!.on('data', (text) => {
      told += text;
    });
    let said = '';
    child.stderr!.on('data', (text) => {
      said += text;
    });
    child.once('error', reject).once('close', (code) => {
      if (code === 0) resolve({ wall: performance.now() - started, cpu: Number(told) / 1000 });
      else reject(new Error(`${words.join(' ')} exited with code ${code}: ${said}`));
    });
  });

/** A line of bash from start to end. Its CPU time is that of the programs that it runs. */
export const spentByShell = (line: string, env: Environment): Promise<Spent> =>
  new Promise((resolve, reject) => {
    const started = performance.now();
    const shell = ['-c', `set -eo pipefail; { ${line}; } > /dev/null; times`];
    execFile('bash', shell, { env }, (error, told) => {
      if (error !== null) return reject(error);
      // The second line has the children's: `0m0.123s 0m0.045s`.
      const times = told.trim().split('\n')[1]!.split(' ');
      const seconds = times
        .map((time) => time.split(/[ms]/).map(Number))
        .map(([minutes = 0, rest = 0]) => minutes * 60 + rest);
      resolve({ wall: performance.now() - started, cpu: 1000 * seconds.reduce((one, other) => one + other) });
    });
  });

export interface RunningSandbox {
  base_url: string;
  token: string;
  admin_token: string;
  /** Microseconds of CPU time so far. */
  used(): Promise<number>;
  stop(): void;
}

/** Runs `sched sandbox start` until it is stopped. `hook` is a file with `cpuHook`. */
export const startSandbox = async (
  home: string,
  hook: string,
  words: readonly string[] = ['--data', ':memory:', '--no-limits'],
  build = root,
): Promise<RunningSandbox> => {
  const child = fork(join(build, 'bin/sched.js'), ['sandbox', 'start', '--port', '0', '--json', ...words], {
    env: cleanEnvironment(home),
    execArgv: ['--require', hook],
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  });
  const line = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the sandbox of ${build} exited with code ${code}`)));
    child.stdout!.once('data', (text) => resolve(String(text)));
  });
  const used = () =>
    new Promise<number>((resolve) => {
      child.once('message', (told: { used: number }) => resolve(told.used));
      child.send('used');
    });
  // The open channel keeps a process that ends in order waiting.
  return { ...JSON.parse(line), used, stop: () => void child.kill('SIGKILL') };
};
