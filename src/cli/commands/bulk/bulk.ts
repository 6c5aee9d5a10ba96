import { forbiddenBy } from '../../../client/refusal.ts';
import { SchedError } from '../../../errors.ts';
import type { BatchPlan } from '../../../jobs/batch-plan.ts';
import type { RunHistory } from '../../../jobs/receipt.ts';
import type { Job } from '../../../jobs/run.ts';
import { formatNumber } from '../../../numbers.ts';

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
  plan: BatchPlan;
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

/** Whether the service refused this item in particular. Any other refusal would also apply to the next item. */
export const isItemRefused = ({ category, facts }: SchedError): boolean =>
  facts.http !== undefined &&
  (['usage', 'not-found', 'conflict'].includes(category) ||
    (category === 'forbidden' && facts.scopes === undefined && forbiddenBy(facts.reason ?? '') === 'role'));

export const differs = (message: string, reason: string): SchedError =>
  new SchedError('conflict', message, { reason, hint: { flags: { 'dry-run': true } }, outcome: 'not-sent' });

/** Throws if the input has more items than --max allows, or another number than --confirm. */
export const checkCount = (
  things: string,
  count: number,
  { confirm, max }: { confirm: number | undefined; max: number | undefined },
): void => {
  if (max !== undefined && count > max)
    throw differs(
      `More ${things} than --max allows`,
      `the input has ${formatNumber(count)}, --max is ${formatNumber(max)}`,
    );
  if (confirm !== undefined && confirm !== count)
    throw differs(
      `The number of ${things} differs from --confirm`,
      `the input has ${formatNumber(count)}, --confirm is ${formatNumber(confirm)}`,
    );
};
