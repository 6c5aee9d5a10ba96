import { SchedError } from '../errors.ts';
import { isOutcomeUnknown } from './outcome-unknown.ts';
import { type Counts, countOutcomes, type ItemOutcome, isFinal, type Verdict } from './receipt.ts';
import type { ReceiptFile } from './receipt-file.ts';

/** What a request for some items came to. */
export type Answer = { status?: number; request?: string } & (
  | { verdict: Verdict; by?: string }
  /** Refused because of one of them, or (`isTooLarge`) because there are too many. */
  | { verdict: 'split'; isTooLarge?: true }
  /** Refused whoever they are: going on makes no sense. */
  | { verdict: 'refused'; error: SchedError }
);

/** Bulk work: distinct items, and how some of them are sent. */
export interface Job {
  items: readonly string[];
  /** What stands for an item in the receipt. Asked again where needed: many items are a lot to remember twice. */
  mark(item: string): string;
  batchSize: number;
  /** `leaving` is to be done each time right before the request leaves. */
  send(items: readonly string[], leaving: () => Promise<void>): Promise<Answer>;
}

export interface JobWorld {
  clock: { now(): number };
  interrupted: AbortSignal;
  receipt: ReceiptFile;
  /** What an earlier process came to know. */
  before: { outcomes: ReadonlyMap<string, ItemOutcome>; nextBatch: number };
  skipped: number;
  onProgress(counts: Counts): void;
  /** Comes back when a request that is just being made has left, unless it has to wait for something. */
  afterSend(): Promise<void>;
}

/** So many answers lost in a row are an outage, and every further request adds to it. */
const mostLostInARow = 3;

type Batch = readonly string[];

const halves = (batch: Batch): [Batch, Batch] => {
  const middle = Math.ceil(batch.length / 2);
  return [batch.slice(0, middle), batch.slice(middle)];
};

/** Items that have no final verdict yet. */
const leftOf = ({ items, mark }: Job, outcomes: ReadonlyMap<string, ItemOutcome>): Batch =>
  outcomes.size === 0
    ? items
    : items.filter((item) => {
        const outcome = outcomes.get(mark(item));
        return outcome === undefined || !isFinal(outcome.verdict);
      });

/** Whether it ends the run and leaves open what became of the batch: a signal, or a repetition that could not be made. */
const isCutOff = (error: SchedError): boolean =>
  error.category === 'interrupted' ||
  error.category === 'terminated' ||
  (isOutcomeUnknown(error) && error.category !== 'outcome-unknown');

/**
 * Sends what is left, one request after another, and ends the receipt. A line that says what is sent is on disk before
 * the request leaves, and its verdict is written before the next one does (R33).
 */
export const runJob = async (job: Job, world: JobWorld): Promise<Counts> => {
  const { clock, interrupted, receipt, before, skipped, onProgress, afterSend } = world;
  const total = job.items.length;
  const known = [...before.outcomes.values()].filter(({ verdict }) => isFinal(verdict));
  const counts = countOutcomes(known, total, skipped);
  const left = leftOf(job, before.outcomes);
  const split: Batch[] = [];
  let { batchSize } = job;
  let from = 0;
  let { nextBatch } = before;
  let lostInARow = 0;
  const now = () => new Date(clock.now()).toISOString();
  const ahead = new Map<string, string>();

  /** Marks of what comes next, made while the request that is about to leave is answered: then they cost next to no time. */
  const markAhead = async () => {
    await afterSend();
    for (const item of left.slice(from, from + batchSize)) if (!ahead.has(item)) ahead.set(item, job.mark(item));
  };

  const marksOf = (batch: Batch): string[] =>
    batch.map((item) => {
      const mark = ahead.get(item) ?? job.mark(item);
      ahead.delete(item);
      return mark;
    });

  const take = (): Batch | undefined => {
    for (let half = split.pop(); half !== undefined; half = split.pop()) {
      if (half.length <= batchSize) return half;
      // A smaller size was found since.
      split.push(...halves(half).reverse());
    }
    if (from >= left.length) return undefined;
    const batch = left.slice(from, from + batchSize);
    from += batch.length;
    return batch;
  };

  const judge = async (items: Batch): Promise<Answer> => {
    const batch = nextBatch;
    nextBatch += 1;
    let attempt = 0;
    const leaving = async () => {
      attempt += 1;
      const line = {
        type: 'sending',
        batch,
        attempt,
        at: now(),
        ...(attempt === 1 ? { items: marksOf(items) } : {}),
      } as const;
      receipt.write(line);
      // What goes wrong with a mark is told when its batch has its turn.
      markAhead().catch(() => {});
    };
    const conclude = ({ verdict, ...facts }: Omit<Answer, 'error'>) => {
      receipt.add({ type: 'verdict', batch, at: now(), verdict, ...facts });
      // Mostly the next request leaves at once and the line before it takes this one along. What fails here is told by
      // whoever adds the next line.
      afterSend()
        .then(receipt.settle)
        .catch(() => {});
    };
    let answer: Answer;
    try {
      answer = await job.send(items, leaving);
    } catch (error) {
      // What never left needs no verdict, and what cannot be written has none.
      if (attempt === 0 || receipt.isBroken || !(error instanceof SchedError)) throw error;
      if (isCutOff(error)) {
        conclude({ verdict: 'unknown' });
        throw error;
      }
      answer = isOutcomeUnknown(error) ? { verdict: 'unknown' } : { verdict: 'refused', error };
      const { status } = error.facts.http ?? {};
      if (status !== undefined) answer.status = status;
    }
    if (answer.verdict === 'split' && items.length === 1) {
      const { isTooLarge: _, ...facts } = answer;
      answer = { ...facts, verdict: 'rejected' };
    }
    const facts: Record<string, unknown> = { ...answer };
    for (const name of ['error', 'isTooLarge']) delete facts[name];
    conclude(facts as Omit<Answer, 'error'>);
    return answer;
  };

  try {
    for (let batch = take(); batch !== undefined; batch = take()) {
      interrupted.throwIfAborted();
      const answer = await judge(batch);
      if (answer.verdict === 'refused') throw answer.error;
      if (answer.verdict === 'split') {
        const [one, other] = halves(batch);
        split.push(other, one);
        if (answer.isTooLarge) batchSize = Math.min(batchSize, one.length);
        continue;
      }
      counts[answer.verdict] += batch.length;
      lostInARow = answer.verdict === 'unknown' ? lostInARow + 1 : 0;
      onProgress(counts);
      if (lostInARow === mostLostInARow)
        throw new SchedError('outcome-unknown', `The answers to ${mostLostInARow} requests in a row were lost`, {
          reason: 'the service does not answer, so nothing more was sent',
          outcome: 'unknown',
        });
    }
  } finally {
    receipt.settle();
  }
  interrupted.throwIfAborted();
  receipt.write({ type: 'end', at: now(), ...counts });
  return counts;
};
