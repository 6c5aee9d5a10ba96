import { isOutcomeUnknown, type Outcome, SchedError, sameCommand } from '../../base/errors.ts';
import type { Clock } from '../../base/system.ts';
import type { Counts, RunHistory, Verdict, VerdictLine } from './work-receipt.ts';
import type { ReceiptFile } from './work-receipt-file.ts';

export type SendResult = Pick<VerdictLine, 'status' | 'by' | 'request'> &
  /** `error` says why an item was not accepted. It stays out of the receipt. */
  (
    | { verdict: Verdict; error?: SchedError }
    /** Refused because of one of the items, or (`isTooLarge`) because there are too many. */
    | { verdict: 'split'; isTooLarge?: true }
    /** Refused regardless of the items, so there is no point in sending more. */
    | { verdict: 'refused'; error: SchedError }
  );

/** A bulk operation: distinct items, and how to send a batch of them. */
export interface Job<Item> {
  items: readonly Item[];
  /** The name of an item in the receipt, such as a keyed hash. Computed when needed: storing all takes much memory. */
  mark(item: Item): string;
  batchSize: number;
  /**
   * Sends a batch. Must call `leaving` right before each time the request is sent. If it is never called, the answer was
   * looked up.
   */
  send(items: readonly Item[], leaving: () => Promise<void>): Promise<SendResult>;
  /**
   * What must follow a batch that the service has, or may have, carried out. It comes before the verdict is on disk: if it
   * fails or is killed, the batch is sent again.
   */
  follow?(items: readonly Item[]): Promise<void>;
}

/** The items of a job that still need a request. */
export const leftOf = <Item>({ items, mark }: Job<Item>, history: RunHistory | undefined): readonly Item[] =>
  history === undefined
    ? items
    : items.filter((item) => (history.outcomes.get(mark(item))?.verdict ?? 'unknown') === 'unknown');

interface JobWorld<Item> {
  clock: Pick<Clock, 'now'>;
  interrupted: AbortSignal;
  receipt: ReceiptFile;
  /** The items to send. */
  remaining: readonly Item[];
  nextBatch: number;
  /** The counts so far. */
  counts: Counts;
  onProgress(counts: Counts, batch: readonly Item[], answer: SendResult): Promise<void> | void;
}

/** This many lost replies in a row mean an outage, and more requests would only make it worse. */
const mostLostInARow = 3;

const halves = <Item>(batch: readonly Item[]): [readonly Item[], readonly Item[]] => {
  const middle = Math.ceil(batch.length / 2);
  return [batch.slice(0, middle), batch.slice(middle)];
};

/** Whether the error ends the run with the batch's outcome unknown: a signal, or a retry that could not be sent. */
const isCutOff = (error: SchedError): boolean =>
  error.category === 'interrupted' ||
  error.category === 'terminated' ||
  (isOutcomeUnknown(error) && error.category !== 'outcome-unknown');

/**
 * Sends the remaining items, one request after another, and ends the receipt. The line for a request is on disk before
 * the request is sent, and its verdict is written before the next request (R33).
 */
export const runJob = async <Item>(job: Job<Item>, world: JobWorld<Item>): Promise<Counts> => {
  type Batch = readonly Item[];
  const { clock, interrupted, receipt, remaining, onProgress } = world;
  const counts = { ...world.counts };
  const split: Batch[] = [];
  let { batchSize } = job;
  let { nextBatch } = world;
  let from = 0;
  let lostInARow = 0;
  /** What this run has changed so far, as far as that is known. */
  let outcome: Outcome | undefined;
  const now = () => new Date(clock.now()).toISOString();

  const take = (): Batch | undefined => {
    for (let half = split.pop(); half !== undefined; half = split.pop()) {
      if (half.length <= batchSize) return half;
      // The batch size was reduced after this half was made.
      split.push(...halves(half).reverse());
    }
    if (from >= remaining.length) return undefined;
    const batch = remaining.slice(from, from + batchSize);
    from += batch.length;
    return batch;
  };

  const judge = async (items: Batch): Promise<{ answer: SendResult; isSent: boolean }> => {
    const batch = nextBatch;
    nextBatch += 1;
    let attempt = 0;
    const leaving = async () => {
      attempt += 1;
      const first = attempt === 1 ? { items: items.map(job.mark) } : {};
      receipt.write({ type: 'sending', batch, attempt, at: now(), ...first });
    };
    const conclude = ({ verdict, status, by, request }: SendResult) =>
      receipt.add({ type: 'verdict', batch, at: now(), verdict, status, by, request });
    let answer: SendResult;
    try {
      answer = await job.send(items, leaving);
    } catch (error) {
      // A batch that was never sent needs no verdict, and a broken receipt can't store one.
      if (attempt === 0 || receipt.isBroken || !(error instanceof SchedError)) throw error;
      if (isCutOff(error)) {
        outcome ??= 'unknown';
        await job.follow?.(items);
        conclude({ verdict: 'unknown' });
        throw error;
      }
      const status = error.facts.http?.status;
      answer = isOutcomeUnknown(error) ? { verdict: 'unknown', status } : { verdict: 'refused', status, error };
    }
    if (answer.verdict === 'accepted') outcome = 'applied';
    if (answer.verdict === 'unknown') outcome ??= 'unknown';
    if (answer.verdict === 'accepted' || answer.verdict === 'unknown') await job.follow?.(items);
    if (answer.verdict === 'split' && items.length === 1) answer = { ...answer, verdict: 'rejected' };
    // A verdict needs a line that names its items, also if nothing was sent.
    if (attempt === 0) receipt.add({ type: 'sending', batch, attempt, at: now(), items: items.map(job.mark) });
    conclude(answer);
    return { answer, isSent: attempt > 0 };
  };

  try {
    for (let batch = take(); batch !== undefined; batch = take()) {
      interrupted.throwIfAborted();
      const { answer, isSent } = await judge(batch);
      if (answer.verdict === 'refused') throw answer.error;
      if (answer.verdict === 'split') {
        const [one, other] = halves(batch);
        split.push(other, one);
        if (answer.isTooLarge) batchSize = Math.min(batchSize, one.length);
        continue;
      }
      counts[answer.verdict] += batch.length;
      if (isSent) lostInARow = answer.verdict === 'unknown' ? lostInARow + 1 : 0;
      await onProgress(counts, batch, answer);
      if (lostInARow === mostLostInARow)
        throw new SchedError('outcome-unknown', `The replies to ${mostLostInARow} requests in a row were lost`, {
          reason: 'the service may be down, so nothing more was sent',
          hint: sameCommand,
          outcome: 'unknown',
        });
    }
    interrupted.throwIfAborted();
    receipt.write({ type: 'end', at: now(), ...counts });
  } catch (error) {
    // The error is about one request or the disk, and knows nothing of the requests before.
    if (!(error instanceof SchedError) || outcome === undefined) throw error;
    throw error.facts.outcome === 'unknown' ? error : error.with({ outcome });
  }
  return counts;
};
