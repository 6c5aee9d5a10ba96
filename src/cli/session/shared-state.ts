import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../../api/limits.ts';
import type { Runtime } from '../../runtime.ts';
import { checkDirectory } from '../../state/directories.ts';
import { fileLedger, type Ledger, noLedger } from '../../state/ledger.ts';
import { directory, directoryPath, homeMissing, isHomeless } from '../../state/paths.ts';
import { createSharedBudget } from '../../state/shared-budget.ts';
import type { SharedState } from '../../state/shared-state.ts';
import type { Notes } from '../messages/notes.ts';
import type { Settings } from './settings.ts';

/** The user's state directory, or undefined if it would be in a home directory that doesn't exist. */
export const stateDirectory = (runtime: Runtime): string | undefined =>
  isHomeless('state', runtime) ? undefined : directory('state', runtime);

/** Prefers the OS runtime directory, which is cleared at logout: right for a budget. SCHED_STATE_DIR overrides it. */
const budgetDirectory = (runtime: Runtime): string | undefined => {
  const { XDG_RUNTIME_DIR: volatile = '', SCHED_STATE_DIR: chosen } = runtime.env;
  const isVolatile = !chosen && volatile.startsWith('/') && existsSync(volatile);
  const base = isVolatile ? join(volatile, 'sched') : stateDirectory(runtime);
  if (base !== undefined && isVolatile) checkDirectory(base, { isOurs: true, uid: runtime.uid });
  return base === undefined ? undefined : join(base, 'budget');
};

const fileLedgerOf = (runtime: Runtime): Ledger => {
  const state = stateDirectory(runtime);
  return state === undefined
    ? noLedger(directoryPath('state', runtime), homeMissing(runtime))
    : fileLedger({ directory: join(state, 'bookings'), randomBytes: runtime.randomBytes });
};

export const openSharedState = (
  runtime: Runtime,
  settings: Settings,
  notes: Notes,
  isSandbox: boolean,
): SharedState => {
  const budget = createSharedBudget({
    // The built-in sandbox has its own port and ends with the command, so there is nothing to share.
    directory: isSandbox ? undefined : budgetDirectory(runtime),
    clock: runtime.clock,
    holder: `${runtime.machine.pid}-${Buffer.from(runtime.randomBytes(6)).toString('hex')}`,
    pid: runtime.machine.pid,
    isAlive: runtime.machine.isAlive,
    timeoutMs: settings.timeoutMs,
    // Assumed: a service that states no limit has the documented one.
    pacePerMinute: limits.requestsPerMinute.paid,
    onTrouble: (reason) => {
      if (settings.verbose) notes.always(`The rate budget is not shared with other processes: ${reason}`);
    },
  });
  return {
    budget,
    get ledger() {
      return fileLedgerOf(runtime);
    },
    close: budget.close,
  };
};
