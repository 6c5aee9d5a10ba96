import { join } from 'node:path';
import { day } from '../base/milliseconds.ts';
import { onceEach } from '../base/once.ts';
import type { Clock } from '../base/system.ts';
import { lstatSync } from '../node/files.ts';
import type { BudgetState } from './budget-state.ts';
import { ensurePrivateDirectory } from './directories.ts';
import type { ServerClock } from './redis/server-clock.ts';
import { fileVersions, memoryVersions, sweepVersions, type Versions } from './versions.ts';

/** The budgets that processes share, by key. A stored state can be anything. */
export interface BudgetStore {
  /** Changes a budget in one atomic step. `change` may be called again with a newer state. */
  update<Value>(
    key: string,
    change: (before: BudgetState | undefined, now: number) => { state: BudgetState; value: Value },
  ): Promise<Value>;
  read(key: string): Promise<{ state: BudgetState | undefined; now: number }>;
  /** The clock of the store, by which `now` and the state are. */
  readonly clock: Pick<ServerClock, 'ahead' | 'doubtMs'>;
  /** The name of this machine, if the store is on another. */
  readonly host?: string;
}

/** Tokens change every two hours, so a budget that is untouched for days is useless. */
export const forgottenMs = 3 * day;

const budgetStoreOf = (open: (key: string) => Versions<BudgetState>, { now }: Pick<Clock, 'now'>): BudgetStore => {
  const versionsOf = onceEach(open);
  return {
    update: async (key, change) => versionsOf(key).update((before) => change(before, now())),
    read: async (key) => ({ state: versionsOf(key).read(), now: now() }),
    clock: { ahead: () => 0, doubtMs: () => 0 },
  };
};

/** Budgets in files, for all processes of this user on this machine. `holder` is a unique name of this process. */
export const fileBudgets = (directory: string, clock: Pick<Clock, 'now'>, holder: string): BudgetStore => {
  const open = (key: string): Versions<BudgetState> => {
    const own = join(directory, key);
    ensurePrivateDirectory(directory);
    if (lstatSync(own, { throwIfNoEntry: false }) === undefined) sweepVersions(directory, clock.now() - forgottenMs);
    return fileVersions(own, holder);
  };
  return budgetStoreOf(open, clock);
};

/** Budgets of this process alone. */
export const memoryBudgets = (clock: Pick<Clock, 'now'>): BudgetStore => budgetStoreOf(memoryVersions, clock);
