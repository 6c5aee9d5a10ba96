import { SchedError } from '../../../errors.ts';
import { formatNumber } from '../../../numbers.ts';

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
