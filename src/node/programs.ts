import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { childEnvironment, type Pager, type Runtime } from '../runtime.ts';
import { isTerminal, writeTo } from './output.ts';

/** Starts the pager without a shell: the environment variable holds a command and its arguments, not a script. */
export const openPager = async (
  [program, ...words]: readonly string[],
  lendTerminal: (work: () => Promise<void>) => Promise<void>,
): Promise<Pager | undefined> => {
  const child = spawn(program!, words, {
    stdio: ['pipe', 'inherit', 'inherit'],
    // As git does: keep colors, don't use the alternate screen, and quit at once if everything fits.
    env: { LESS: 'FRX', LV: '-c', ...childEnvironment(process.env) } as NodeJS.ProcessEnv,
  });
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  const isStarted = await new Promise<boolean>((resolve) => {
    child.once('spawn', () => resolve(true)).once('error', () => resolve(false));
  });
  if (!isStarted) return undefined;
  child.stdin.on('error', () => {});
  // Most pagers ignore Ctrl-C. If sched exited first, the pager and the shell would both read from the keyboard (R42).
  void lendTerminal(() => closed);
  return {
    isTerminal: true,
    columns: process.stdout.columns ?? 80,
    write: (text) => writeTo(child.stdin, text),
    close: () => {
      child.stdin.end();
      return closed;
    },
  };
};

/** How long to wait for the terminal to send SIGHUP to the program. */
const patienceMs = 500;

export const runChild: NonNullable<Runtime['spawn']> = async ([program, ...words], { env }) => {
  const child = spawn(program!, words, { stdio: 'inherit', env: env as NodeJS.ProcessEnv });
  // A terminal sends Ctrl-C to all its processes. Many programs abort at once on a second signal.
  const passedOn: NodeJS.Signals[] = isTerminal(0) ? ['SIGTERM'] : ['SIGTERM', 'SIGINT', 'SIGHUP'];
  const passOn = (signal: NodeJS.Signals) => child.kill(signal);
  // When a terminal closes, it sends SIGHUP only to the session leader, which sched is under `ssh -t`. If the program
  // still runs after a while, it did not get the signal.
  let late: NodeJS.Timeout | undefined;
  const passOnLate = () => {
    late ??= setTimeout(passOn, patienceMs, 'SIGHUP');
  };
  const endWithUs = () => child.kill('SIGKILL');
  for (const signal of passedOn) process.on(signal, passOn);
  if (isTerminal(0)) process.on('SIGHUP', passOnLate);
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
