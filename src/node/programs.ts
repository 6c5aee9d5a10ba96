import { type SpawnOptions, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import type { Env } from '../base/system.ts';
import { windowsCommand } from '../base/windows.ts';
import { childEnvironment, type Pager } from '../runtime.ts';
import { isTerminal, writeTo } from './output.ts';

const spawnProgram = (command: readonly string[], env: Env, stdio: SpawnOptions['stdio'], platform: string) => {
  const { program, words, ...options } =
    platform === 'win32' ? windowsCommand(command, env, existsSync) : { program: command[0]!, words: command.slice(1) };
  return spawn(program, words, { stdio, env: env as NodeJS.ProcessEnv, ...options });
};

/** Starts the pager without a shell: the environment variable holds a command and its arguments, not a script. */
export const openPager = async (
  command: readonly string[],
  lendTerminal: (work: () => Promise<void>) => Promise<void>,
): Promise<Pager | undefined> => {
  // As git does: keep colors, don't use the alternate screen, and quit at once if everything fits.
  const env = { LESS: 'FRX', LV: '-c', ...childEnvironment(process.env) };
  const child = spawnProgram(command, env, ['pipe', 'inherit', 'inherit'], process.platform);
  const closing = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  const isStarted = await new Promise<boolean>((resolve) => {
    child.once('spawn', () => resolve(true)).once('error', () => resolve(false));
  });
  if (!isStarted) return undefined;
  const stdin = child.stdin!.on('error', () => {});
  // Most pagers ignore Ctrl-C. If sched exited first, the pager and the shell would both read from the keyboard (R42).
  void lendTerminal(() => closing);
  return {
    isTerminal: true,
    columns: process.stdout.columns ?? 80,
    write: (text) => writeTo(stdin, text),
    close: () => {
      stdin.end();
      return closing;
    },
  };
};

/** How long to wait for the terminal to send SIGHUP to the program. */
const patienceMs = 500;

export const runChild = async (
  command: readonly string[],
  { env }: { env: Env },
  platform: string = process.platform,
): Promise<number> => {
  const child = spawnProgram(command, env, 'inherit', platform);
  const isWindows = platform === 'win32';
  // A terminal sends Ctrl-C to all its processes. Many programs abort at once on a second signal. The console of Windows
  // also sends its end to all, and a signal that is passed on there kills the program.
  const passedOn: NodeJS.Signals[] = isWindows || isTerminal(0) ? ['SIGTERM'] : ['SIGTERM', 'SIGINT', 'SIGHUP'];
  const passOn = (signal: NodeJS.Signals) => child.kill(signal);
  // When a terminal closes, it sends SIGHUP only to the session leader, which sched is under `ssh -t`. If the program
  // still runs after a while, it did not get the signal.
  let late: NodeJS.Timeout | undefined;
  const passOnLate = () => {
    late ??= setTimeout(passOn, patienceMs, 'SIGHUP');
  };
  const endWithUs = () => child.kill('SIGKILL');
  for (const signal of passedOn) process.on(signal, passOn);
  if (!isWindows && isTerminal(0)) process.on('SIGHUP', passOnLate);
  process.on('exit', endWithUs);
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal!]));
    });
  } finally {
    for (const signal of passedOn) process.off(signal, passOn);
    process.off('SIGHUP', passOnLate);
    clearTimeout(late);
    process.off('exit', endWithUs);
  }
};
