import { execFileSync, spawn } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import { join } from 'node:path';

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
