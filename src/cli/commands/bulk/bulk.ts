import type { Plan } from '../../../jobs/batch-plan.ts';
import type { RunHistory } from '../../../jobs/receipt.ts';
import type { Job } from '../../../jobs/run.ts';

/** Bulk work, as prepared by its command. */
export interface Bulk extends Job {
  /** The command as typed: `compliance delete`. */
  command: string;
  operation: string;
  endpoint: string;
  owner: string;
  organization: string;
  isSandbox: boolean;
  /** The key that the marks in the receipt are made with, or `none`. */
  key: string;
  /** A hash of the whole input. The same input is the same work. */
  input: string;
  plan: Plan;
  /** The path of the receipt, if it isn't in the state directory. */
  receipt?: string | undefined;
  /** Whether to repeat a finished run. */
  again: boolean;
  /** The plural name of the items: `addresses`. */
  things: string;
  /** The state of an item after success: `accepted`. */
  done: string;
  /** Asks the user for confirmation, and throws if it isn't given. */
  confirm(history: RunHistory | undefined): Promise<void>;
}
