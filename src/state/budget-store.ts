import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../system.ts';
import { type BudgetKind, type BudgetState, current } from './budget.ts';
import { applyStep, type Step, type StepResult } from './budget-steps.ts';
import { ensurePrivateDirectory } from './directories.ts';
import { fileVersions, memoryVersions, sweepVersions, type Versions } from './versions.ts';

/** The budgets that processes share, by key. All times are by this machine's clock. */
export interface BudgetStore {
  /** Makes one atomic step. */
  apply<S extends Step>(key: string, kind: BudgetKind, step: S): Promise<StepResult<S>>;
  /** The current state, without changing it. */
  read(key: string, kind: BudgetKind): Promise<BudgetState>;
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
  const byKey = new Map<string, Versions<BudgetState>>();
  const versionsOf = (key: string): Versions<BudgetState> => {
    const versions = byKey.get(key) ?? open(key);
    byKey.set(key, versions);
    return versions;
  };
  return {
    apply: async (key, kind, step) =>
      versionsOf(key).update((before) => {
        const now = clock.now();
        const state = current(before, kind, now);
        // A process that was killed during its request can't clear the probe itself.
        if (state.probe?.pid !== undefined && !isAlive(state.probe.pid)) delete state.probe;
        return { value: applyStep(state, step, now), state };
      }),
    read: async (key, kind) => current(versionsOf(key).read(), kind, clock.now()),
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
export const memoryBudgets = (clock: Pick<Clock, 'now'>): BudgetStore =>
  storeOf(
    () => memoryVersions(),
    clock,
    () => true,
  );
