import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { Pager, Runtime } from '../runtime.ts';
import { isTerminal, writeTo } from './output.ts';

/** Without a shell: what the environment says is words, not a script. */
export const openPager = async (
  [program, ...words]: readonly string[],
  protect: Runtime['protect'],
): Promise<Pager | undefined> => {
  const child = spawn(program!, words, {
    stdio: ['pipe', 'inherit', 'inherit'],
    // Colour as it is, no screen of its own, and out at once where everything fits: as git does.
    env: { LESS: 'FRX', LV: '-c', ...process.env },
  });
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  const isStarted = await new Promise<boolean>((resolve) => {
    child.once('spawn', () => resolve(true)).once('error', () => resolve(false));
  });
  if (!isStarted) return undefined;
  child.stdin.on('error', () => {});
  // Ctrl-C is nothing to most pagers. If we went first, pager and shell would both read what is typed (R42).
  void protect(() => closed);
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

/** How long a program may take to hear from its terminal that this is gone. */
const patienceMs = 500;

export const runChild: NonNullable<Runtime['spawn']> = async ([program, ...words], { env }) => {
  const child = spawn(program!, words, { stdio: 'inherit', env: env as NodeJS.ProcessEnv });
  // A terminal tells everybody on it of Ctrl-C; told twice, many a program would drop everything.
  const passedOn: NodeJS.Signals[] = isTerminal(0) ? ['SIGTERM'] : ['SIGTERM', 'SIGINT', 'SIGHUP'];
  const passOn = (signal: NodeJS.Signals) => child.kill(signal);
  // But of its end it tells only whoever came first, as we are under `ssh -t`: who is still there has not heard of it.
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
