import { capital, formatNumber } from '../../base/numbers.ts';
import { type Sentence, the, type Words, words } from '../../base/words.ts';
import type { PictureAnswer } from '../../cli/answer/answer.ts';
import type { Context } from '../../cli/session/context.ts';
import { realDisk } from '../../state/disk.ts';
import { timeLabel } from '../../time/label.ts';
import type { RunOptions } from './input.ts';
import { addStepSummary } from './progress.ts';
import type { Requester } from './requester.ts';
import type { BulkResult } from './run-result.ts';
import { type BulkTask, type Failure, type InputItem, mostFailures, runAnswer } from './screen.ts';
import type { Counts, RunHistory, RunLine } from './work-receipt.ts';
import type { Job } from './work-run.ts';
import { type OpenedReceipt, openReceipt } from './work-runs.ts';

/** Bulk work, as prepared by its command. */
export interface Bulk<Item extends InputItem = InputItem>
  extends Omit<Job<Item>, 'batchSize'>,
    BulkTask<Item>,
    Requester {
  /** Noun and verb: `compliance.delete`. */
  operation: string;
  /** The key that the marks in the receipt are made with. By default, they are no hashes. */
  key?: string;
  /** A hash of the whole input. The same input is the same work. */
  input: string;
  /** How many lines of the input repeat an item. */
  duplicates?: number;
  /** How to repeat the run, if each one needs a place of its own: `name another directory with --to`. */
  elsewhere?: Words;
  /** What looks at the service for the items of a run that is done, if `--again` only sends them again. */
  looks?(run: string): Words;
  /** By default, one by one. */
  batchSize?: number;
  /** The run that this one looks at again. */
  after?: RunLine['after'];
  /** What comes first when the run begins, or goes on with what is left. */
  prepare?(remaining: readonly Item[], isResumed: boolean): Promise<void>;
  /** What follows the run, however it ends, and what to say of it. Its error counts if nothing else failed. */
  conclude?(): Promise<Sentence | undefined>;
  /** What to know about a run without failures. */
  beside?(): Pick<PictureAnswer, 'warnings' | 'hints'>;
  /** The answer, if it is another one than that of work that changes something. */
  report?(run: OpenedReceipt, path: string): Promise<PictureAnswer>;
}

/** The work, and how it is run. */
export interface BulkRun extends Bulk, RunOptions {
  key: string;
  batchSize: number;
}

export const runResult = (run: string, counts: Counts, receipt: string, head: string): BulkResult => ({
  run,
  ...counts,
  receipt,
  head: `sha256:${head}`,
});

/** A row for the summary page of a job. The path of the receipt is of no use there. */
export const summarize = (
  context: Context,
  { operation }: BulkRun,
  { receipt: _, ...result }: BulkResult,
  state: string,
) => {
  const facts = { ...result, state };
  return addStepSummary(context, operation, Object.keys(facts), [Object.values(facts)]);
};

export const finishRun = async (
  context: Context,
  bulk: BulkRun,
  result: BulkResult,
  failures: readonly Failure[],
  state: string,
): Promise<PictureAnswer> => {
  await summarize(context, bulk, result, state);
  const { receipt } = result;
  const run = bulk.report && (await openReceipt(realDisk, receipt));
  if (run?.ok) return bulk.report!(run, receipt);
  return runAnswer(context, { task: bulk, result, failures: [...bulk.wrong, ...failures].slice(0, mostFailures) });
};

/** What looks at the service, or repeats a run. */
const looksAt = (bulk: BulkRun, run: string) =>
  bulk.elsewhere === undefined
    ? (bulk.looks?.(run) ?? words`To look at each of them, and send what is missing: ${the('again')}`)
    : words`To repeat it, ${bulk.elsewhere}`;

/** R37: the result also counts what was done before, which is the receipt's word. */
export const noteResumed = ({ notes }: Context, bulk: BulkRun, { run, counts }: RunHistory): void => {
  const { accepted, total } = counts;
  const done = `${formatNumber(accepted)} of ${formatNumber(total)} ${bulk.done} before, as the receipt says`;
  const resumed = `Resuming run ${run.run}: ${done}`;
  if (accepted === 0) notes.info(resumed);
  else notes.always(words`${resumed}. ${looksAt(bulk, run.run)}`);
};

/** The receipt is no look at the service, so it says whose word it is, and what looks. */
export const doneSentence = (
  { settings, runtime }: Context,
  bulk: BulkRun,
  { run, total, accepted, receipt }: BulkResult,
  at: string,
  isSeen: boolean,
): Sentence => {
  const repeat = looksAt(bulk, run);
  const isElsewhere = bulk.receipt !== undefined && bulk.receipt !== receipt;
  const where = isElsewhere ? `, and ${bulk.receipt} was not written (the receipt is ${receipt})` : '';
  const isAll = accepted === total;
  if (isSeen) {
    const label = timeLabel(at, settings.zone, runtime.clock.now()) ?? at;
    // The answer has the numbers, and what to do about failures.
    const when = label.replace(/ (?=\S+$)/, ' at ');
    const done = words`The receipt says that this was done on ${when}, so nothing was sent or looked up${where}.`;
    return isAll ? words`${done} ${repeat}` : done;
  }
  const what = isAll ? capital(bulk.done) : `${formatNumber(accepted)} of ${formatNumber(total)} ${bulk.done}`;
  return words`${what} at ${at}, as the receipt says: nothing was sent or looked up${where}. ${repeat}`;
};
