import { execFileSync, spawn } from 'node:child_process';
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
      stdio: ['ignore', nowhere, 'inherit', 'pipe'],
      timeout: 120_000,
    });
    let told = '';
    child.stdio[3]!.on('data', (text) => {
      told += text;
    });
    child.once('error', reject).once('close', (code) => {
      if (code === 0) resolve({ wall: performance.now() - started, cpu: Number(told) / 1000 });
      else reject(new Error(`${words.join(' ')} exited with code ${code}`));
    });
  });

export interface RunningSandbox {
  base_url: string;
  token: string;
  stop(): void;
}

/** Runs `sched sandbox start` without limits until it is stopped. */
export const startSandbox = async (home: string): Promise<RunningSandbox> => {
  const words = ['sandbox', 'start', '--port', '0', '--data', ':memory:', '--no-limits', '--json'];
  const child = spawn(process.execPath, [sched, ...words], {
    env: cleanEnvironment(home),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const line = await new Promise<string>((resolve, reject) => {
    child.once('close', () => reject(new Error('the sandbox did not start')));
    child.stdout.once('data', (text) => resolve(String(text)));
  });
  return { ...JSON.parse(line), stop: () => child.kill() };
};
