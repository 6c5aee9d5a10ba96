import { SchedError } from '../../../errors.ts';
import { formatNumber } from '../../../numbers.ts';

/** The flags about the number of items. */
export interface ExpectedCount {
  confirm?: number | undefined;
  max?: number | undefined;
}

/** The error for an input that is not what the user confirmed. */
export const differs = (message: string, reason: string): SchedError =>
  new SchedError('conflict', message, { reason, hint: { flags: { 'dry-run': true } } });

/** Throws if the input has more items than --max allows, or another number than --confirm. */
export const checkCount = (things: string, { confirm, max }: ExpectedCount, count: number): void => {
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
