import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { onceEach } from '../once.ts';
import type { Clock } from '../system.ts';
import { type BudgetKind, type BudgetState, current } from './budget.ts';
import { ensurePrivateDirectory } from './directories.ts';
import type { ServerClock } from './redis/server-clock.ts';
import { fileVersions, memoryVersions, sweepVersions, type Versions } from './versions.ts';

/** The budgets that processes share, by key. */
export interface BudgetStore {
  /** Changes a budget in one atomic step. `change` modifies the state; it may be called again with a newer one. */
  update<Value>(key: string, kind: BudgetKind, change: (state: BudgetState, now: number) => Value): Promise<Value>;
  /** The current state by this machine's clock, without changing it. */
  read(key: string, kind: BudgetKind): Promise<BudgetState>;
  /** The clock of the store, by which `now` and the state are. */
  readonly clock: Pick<ServerClock, 'ahead' | 'doubtMs'>;
  /** The name of this machine, if the store is on another. */
  readonly host?: string;
}

interface FileOptions {
  directory: string;
  clock: Pick<Clock, 'now'>;
  /** Unique name of this process. */
  holder: string;
  /** Whether a process of this machine is running, as far as known. */
  isAlive(pid: number): boolean;
}

/** Tokens change every two hours, so a budget that is untouched for days is useless. */
export const forgottenMs = 3 * 24 * 3_600_000;

const storeOf = (
  open: (key: string) => Versions<BudgetState>,
  clock: Pick<Clock, 'now'>,
  isAlive: (pid: number) => boolean,
): BudgetStore => {
  const versionsOf = onceEach(open);
  return {
    update: async (key, kind, change) =>
      versionsOf(key).update((before) => {
        const now = clock.now();
        const state = current(before, kind, now);
        // A process that was killed during its request can't clear the probe itself.
        if (state.probe?.pid !== undefined && !isAlive(state.probe.pid)) delete state.probe;
        return { value: change(state, now), state };
      }),
    read: async (key, kind) => current(versionsOf(key).read(), kind, clock.now()),
    clock: { ahead: () => 0, doubtMs: () => 0 },
  };
};

/** Budgets in files, for all processes of this user on this machine. */
export const fileBudgets = ({ directory, clock, holder, isAlive }: FileOptions): BudgetStore => {
  const open = (key: string): Versions<BudgetState> => {
    const own = join(directory, key);
    ensurePrivateDirectory(directory);
    if (lstatSync(own, { throwIfNoEntry: false }) === undefined) sweepVersions(directory, clock.now() - forgottenMs);
    return fileVersions(own, holder);
  };
  return storeOf(open, clock, isAlive);
};

/** Budgets of this process alone. */
export const memoryBudgets = (clock: Pick<Clock, 'now'>): BudgetStore => storeOf(memoryVersions, clock, () => true);
