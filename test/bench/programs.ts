import { execFileSync, spawn } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { join } from 'node:path';

declare const BENCH_ROOT: string;

export const sched = join(BENCH_ROOT, 'bin/sched.js');
export const standalone = join(BENCH_ROOT, 'dist-standalone/sched');
export const hasStandalone = existsSync(standalone);

type Environment = Record<string, string>;

/** Nothing of the caller's own: a set NODE_EXTRA_CA_CERTS alone would more than double the start of Node 20. */
export const cleanEnvironment = (home: string, more: Environment = {}): Environment => ({
  PATH: process.env.PATH ?? '',
  HOME: home,
  TZ: 'UTC',
  ...more,
});

/** Where a program is, or nothing where it is not installed; one that needs an interpreter may lack it. */
export const isInstalled = (program: string, ...words: string[]): boolean => {
  try {
    execFileSync(program, words, { stdio: 'ignore', timeout: 20_000 });
    return true;
  } catch {
    return false;
  }
};

/** A descriptor that takes everything. */
export const nowhere = openSync('/dev/null', 'w');

/** Milliseconds from start to end of a program; one that fails ends the bench. Without `stdout` a pipe takes its output. */
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
      else reject(new Error(`${command.join(' ')} ended with ${code}: ${said}`));
    });
  });

export interface RunningSandbox {
  base_url: string;
  token: string;
  stop(): void;
}

/** `sched sandbox start` without limits, until it is stopped. */
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
