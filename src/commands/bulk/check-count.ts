import { SchedError } from '../../base/errors.ts';
import { formatNumber } from '../../base/numbers.ts';
import { type Sentence, the, words } from '../../base/words.ts';

/** The flags about the number of items. */
export interface ExpectedCount {
  confirm?: number | undefined;
  max?: number | undefined;
}

/** The error for an input that is not what the user confirmed. */
export const differs = (message: Sentence, reason: Sentence): SchedError =>
  new SchedError('conflict', message, { reason, hint: { flags: { 'dry-run': true } } });

/** Throws if the input has more items than --max allows, or another number than --confirm. */
export const checkCount = (things: string, { confirm, max }: ExpectedCount, count: number): void => {
  if (max !== undefined && count > max)
    throw differs(
      words`More ${things} than ${the('max')} allows`,
      words`the input has ${formatNumber(count)}, ${the('max')} is ${formatNumber(max)}`,
    );
  if (confirm !== undefined && confirm !== count)
    throw differs(
      words`The number of ${things} differs from ${the('confirm')}`,
      words`the input has ${formatNumber(count)}, ${the('confirm')} is ${formatNumber(confirm)}`,
    );
};
