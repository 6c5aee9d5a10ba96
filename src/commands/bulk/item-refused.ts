import { isOutcomeUnknown, SchedError } from '../../base/errors.ts';
import { forbiddenBy } from '../../client/refusal.ts';
import type { SendResult } from './work-run.ts';

/** Whether the service refused this item in particular. Any other refusal would also apply to the next item. */
export const isItemRefused = ({ category, facts }: SchedError): boolean =>
  facts.http !== undefined &&
  (['usage', 'not-found', 'conflict'].includes(category) ||
    (category === 'forbidden' && facts.scopes === undefined && forbiddenBy(facts.reason ?? '') === 'role'));

/** The answer for an item that failed. Throws an error that ends the run. */
export const failedItem = (error: unknown, isRefused: (error: SchedError) => boolean = isItemRefused): SendResult => {
  if (!(error instanceof SchedError)) throw error;
  const isUnknown = isOutcomeUnknown(error) && error.category === 'outcome-unknown';
  if (!isUnknown && !isRefused(error)) throw error;
  return { verdict: isUnknown ? 'unknown' : 'rejected', status: error.facts.http?.status, error };
};
