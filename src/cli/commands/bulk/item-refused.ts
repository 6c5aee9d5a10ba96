import { forbiddenBy } from '../../../client/refusal.ts';
import type { SchedError } from '../../../errors.ts';

/** Whether the service refused this item in particular. Any other refusal would also apply to the next item. */
export const isItemRefused = ({ category, facts }: SchedError): boolean =>
  facts.http !== undefined &&
  (['usage', 'not-found', 'conflict'].includes(category) ||
    (category === 'forbidden' && facts.scopes === undefined && forbiddenBy(facts.reason ?? '') === 'role'));
