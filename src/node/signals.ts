import { setMaxListeners } from 'node:events';
import { SchedError } from '../errors.ts';
import type { Runtime } from '../runtime.ts';
import { isTerminal } from './output.ts';

/** SIGINT and SIGTERM, once each as an error to report; a second one ends the process at once, or after protected work. */
export const handleSignals = (): Pick<Runtime, 'interrupted' | 'protect'> => {
  const controller = new AbortController();
  // Every connection listens to it, and Node would take the eleventh for a leak and say so on stderr.
  setMaxListeners(0, controller.signal);
  let protectedWorks = 0;
  let atTheEnd: (() => void) | undefined;
  const stop = (category: 'interrupted' | 'terminated', code: number) => () => {
    if (controller.signal.aborted) {
      if (protectedWorks === 0) process.exit(code);
      atTheEnd = () => process.exit(code);
    }
    // The terminal shows ^C where Ctrl-C was typed, and what is said now begins a line of its own.
    else if (category === 'interrupted' && isTerminal(2)) process.stderr.write('\n');
    controller.abort(new SchedError(category, category === 'interrupted' ? 'Interrupted' : 'Terminated'));
  };
  process.on('SIGINT', stop('interrupted', 130));
  process.on('SIGTERM', stop('terminated', 143));
  return {
    interrupted: controller.signal,
    protect: async (work) => {
      // A closed terminal ends a process unless it listens.
      const hangUp = () => {
        atTheEnd ??= () => process.kill(process.pid, 'SIGHUP');
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
    },
  };
};
