import { SchedError } from '../base/errors.ts';

/** Rejects when the event loop is empty: whatever is still awaited then never comes. */
export const untilIdle = (): Promise<never> =>
  new Promise((_, reject) => {
    process.once('beforeExit', () =>
      reject(
        new SchedError('internal', 'Internal error in sched', {
          reason: 'the command stopped before its end, because nothing was left to wait for',
          advice: 'check what it has done so far, and report the bug',
          outcome: 'unknown',
        }),
      ),
    );
  });
