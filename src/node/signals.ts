import { setMaxListeners } from 'node:events';
import { SchedError } from '../errors.ts';
import type { Runtime } from '../runtime.ts';
import { isTerminal } from './output.ts';

/** Turns the first SIGINT or SIGTERM into an error. A second one ends the process at once, or after protected work. */
export const handleSignals = (): Pick<Runtime, 'interrupted' | 'protect'> => {
  const controller = new AbortController();
  // Every connection adds a listener. Node would warn on stderr about a leak at the eleventh.
  setMaxListeners(0, controller.signal);
  let protectedWorks = 0;
  let atTheEnd: (() => void) | undefined;
  const stop = (category: 'interrupted' | 'terminated', code: number) => () => {
    if (controller.signal.aborted) {
      if (protectedWorks === 0) process.exit(code);
      atTheEnd = () => process.exit(code);
    }
    // The terminal echoes ^C, so start the next message on a new line.
    else if (category === 'interrupted' && isTerminal(2)) process.stderr.write('\n');
    controller.abort(new SchedError(category, category === 'interrupted' ? 'Interrupted' : 'Terminated'));
  };
  process.on('SIGINT', stop('interrupted', 130));
  process.on('SIGTERM', stop('terminated', 143));
  return {
    interrupted: controller.signal,
    protect: async (work) => {
      // Without a SIGHUP listener, closing the terminal would end the process.
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
