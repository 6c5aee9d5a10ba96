import { setMaxListeners } from 'node:events';
import { SchedError } from '../base/errors.ts';
import type { Runtime } from '../runtime.ts';
import { clearLine, isTerminal, type LineState } from './output.ts';

interface Signals extends Pick<Runtime, 'interrupted' | 'protect'> {
  /**
   * Protects work during which another program uses the terminal: nothing is written there. A signal still interrupts
   * `sched` behind a pager. A command that `sched` runs gets the signal instead, and its exit code counts.
   */
  lendTerminal<Value>(to: 'pager' | 'command', work: () => Promise<Value>): Promise<Value>;
}

/** Turns the first SIGINT, SIGBREAK (Ctrl-Break on Windows) or SIGTERM into an error. A second one ends the process at once, or after protected work. */
export const handleSignals = (stderr: LineState, platform: string = process.platform): Signals => {
  const controller = new AbortController();
  // Every connection adds a listener. Node would warn on stderr about a leak at the eleventh.
  setMaxListeners(0, controller.signal);
  let protectedWorks = 0;
  let atTheEnd: (() => void) | undefined;
  let user: 'sched' | 'pager' | 'command' = 'sched';
  const stop = (category: 'interrupted' | 'terminated', code: number) => () => {
    if (user === 'command') return;
    if (controller.signal.aborted) {
      if (stderr.isMidLine && isTerminal(2)) process.stderr.write(clearLine);
      if (protectedWorks === 0) process.exit(code);
      atTheEnd = () => process.exit(code);
    }
    // The terminal echoes ^C. Erase it together with the status line, or start the next message on a new line.
    else if (category === 'interrupted' && user === 'sched' && isTerminal(2))
      process.stderr.write(stderr.isMidLine ? clearLine : '\n');
    controller.abort(new SchedError(category, category === 'interrupted' ? 'Interrupted' : 'Terminated'));
  };
  process.on('SIGINT', stop('interrupted', 130));
  process.on('SIGBREAK', stop('interrupted', 130));
  process.on('SIGTERM', stop('terminated', 143));
  const protect: Signals['protect'] = async (work) => {
    // Without a SIGHUP listener, closing the terminal would end the process.
    const hangUp = () => {
      // Windows can't send this signal, and ends the process some seconds after its window was closed.
      const end = () => (platform === 'win32' ? process.exit(129) : process.kill(process.pid, 'SIGHUP'));
      if (user !== 'command') atTheEnd ??= end;
    };
    process.on('SIGHUP', hangUp);
    protectedWorks += 1;
    try {
      return await work();
    } finally {
      protectedWorks -= 1;
      process.off('SIGHUP', hangUp);
      if (protectedWorks === 0) atTheEnd?.();
    }
  };
  return {
    interrupted: controller.signal,
    protect,
    lendTerminal: async (to, work) => {
      user = to;
      try {
        return await protect(work);
      } finally {
        user = 'sched';
      }
    },
  };
};
