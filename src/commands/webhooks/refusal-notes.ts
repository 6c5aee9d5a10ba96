import { counted } from '../../base/numbers.ts';
import { type Sentence, the, words } from '../../base/words.ts';
import type { RefusalReason } from './work-receiver.ts';

/** A hostile sender could fill the screen, so each reason is reported at most this often. */
const everyMs = 10_000;

const reasons: Record<RefusalReason, Sentence> = {
  forged: "the signature doesn't match the signing key",
  'too old': words`the time of the signature is too far from this machine's clock (see ${the('tolerance')})`,
  malformed: 'not a signed delivery',
  'too large': 'the body is larger than 1 MiB',
  'too slow': 'the sender took longer than 10 seconds',
  'not a POST': 'not a POST',
};

/** Counts refused requests, and reports them without any text of the request. */
export const createRefusalNotes = (now: () => number, warn: (text: Sentence) => void) => {
  const unreported = new Map<RefusalReason, number>();
  const reportedAt = new Map<RefusalReason, number>();
  let total = 0;
  return {
    get total() {
      return total;
    },
    add(refusal: RefusalReason): void {
      total += 1;
      const count = (unreported.get(refusal) ?? 0) + 1;
      unreported.set(refusal, count);
      if (now() - (reportedAt.get(refusal) ?? Number.NEGATIVE_INFINITY) < everyMs) return;
      reportedAt.set(refusal, now());
      unreported.set(refusal, 0);
      warn(words`Refused ${counted(count, 'request')}: ${reasons[refusal]}`);
    },
  };
};
