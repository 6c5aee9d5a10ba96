import type { Plan } from '../../../jobs/batch-plan.ts';
import type { RunHistory } from '../../../jobs/receipt.ts';
import type { Job } from '../../../jobs/run.ts';

/** Bulk work as its command prepares it. */
export interface Bulk extends Job {
  /** As it is typed: `compliance delete`. */
  command: string;
  operation: string;
  endpoint: string;
  owner: string;
  organization: string;
  isSandbox: boolean;
  /** Which key the marks were made under, or `none`. */
  key: string;
  /** Stands for all items together. */
  input: string;
  plan: Plan;
  /** Where the receipt is wanted, in place of the state directory. */
  receipt?: string | undefined;
  /** Whether a finished run is done once more. */
  again: boolean;
  /** Words for what is counted: `addresses`. */
  things: string;
  /** What became of them where all went well: `accepted`. */
  done: string;
  consent(history: RunHistory | undefined): Promise<void>;
}
