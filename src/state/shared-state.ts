import type { Ledger } from './ledger.ts';
import type { SharedBudget } from './shared-budget.ts';

/** The state that commands with the same token share. Commands don't know where it is kept. */
export interface SharedState {
  readonly budget: SharedBudget;
  readonly ledger: Ledger;
  /** Returns unused permits when the command ends. */
  close(): Promise<void>;
}
