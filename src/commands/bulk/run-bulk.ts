import { hash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { SchedError } from '../../base/errors.ts';
import { capital, formatNumber } from '../../base/numbers.ts';
import { type Sentence, the, type Words, words } from '../../base/words.ts';
import type { Answer } from '../../cli/answer/answer.ts';
import { type Plan, plan, type Question, type Reader } from '../../cli/answer/plan.ts';
import { show } from '../../cli/answer/show.ts';
import { confirmProtected, verbOf } from '../../cli/session/confirm.ts';
import { type Context, isWatched } from '../../cli/session/context.ts';
import { stat } from '../../node/files.ts';
import { ensureLastingDirectory } from '../../state/directories.ts';
import { realDisk } from '../../state/disk.ts';
import { createLock } from '../../state/lock.ts';
import { timeLabel } from '../../time/label.ts';
import { type FoundRun, findRun, findRunInProgress, isRecent, otherRunError, receiptFolder } from './find-run.ts';
import type { RunOptions } from './input.ts';
import { beginReceipt, indexReceipt, resumeReceipt } from './open-run.ts';
import { addStepSummary, reportProgress } from './progress.ts';
import { keepReasons } from './reasons-file.ts';
import type { Requester } from './requester.ts';
import type { BulkResult } from './run-result.ts';
import {
  type BulkTask,
  earlierFailures,
  type Failure,
  failureText,
  type InputItem,
  mostFailures,
  noteFailures,
  runAnswer,
} from './screen.ts';
import { type Counts, countOutcomes, isRunDone, type RunHistory, type RunLine } from './work-receipt.ts';
import type { ReceiptFile } from './work-receipt-file.ts';
import { type Job, leftOf, runJob } from './work-run.ts';
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
  /** Prints the answer, if it is another one than that of work that changes something. */
  report?(run: OpenedReceipt, path: string): Promise<void>;
}

/** Bulk work that asks by itself. */
interface AskingBulk<Item extends InputItem> extends Bulk<Item> {
  /** Asks the user for confirmation of the items that are left, and throws if it isn't given. */
  confirm(remaining: readonly Item[], isResumed: boolean): Promise<void>;
}

/** Bulk work as a plan. */
interface Planned<Item extends InputItem>
  extends Required<Pick<Plan, 'requests'>>,
    Pick<Plan, 'preview' | 'remarks' | 'isAgreed'> {
  /** What to say about the items that are left, whether or not a question follows. */
  remarksOn?(remaining: readonly Item[]): Promise<readonly Sentence[]>;
  /** The question about the items that are left. */
  question(remaining: readonly Item[], reader: Reader): Promise<Question> | Question;
  job(): Promise<Bulk<Item>>;
}

/** The work, and how it is run. */
interface BulkRun extends Bulk, RunOptions {
  key: string;
  batchSize: number;
}

const runLock = async ({ runtime }: Context, folder: string, bulk: BulkRun) => {
  const { clock, machine, randomBytes, interrupted } = runtime;
  const first = await findRunInProgress(folder, bulk, clock.now());
  const facts = [bulk.operation, bulk.input, bulk.endpoint, bulk.organization];
  const name = hash('sha256', JSON.stringify(facts)).slice(0, 40);
  return createLock({
    directory: join(folder, 'locks'),
    name,
    machine,
    clock,
    randomBytes,
    interrupted,
    waitMs: 0,
    lastSeen: async () => (first === undefined ? undefined : (await stat(first.path).catch(() => undefined))?.mtimeMs),
    busy: (pid, since) =>
      new SchedError('conflict', 'Another run with the same input is in progress', {
        reason: `process ${pid} has been running it since ${since}${first === undefined ? '' : `, run ${first.run.run}`}`,
        advice: 'wait for it to finish, then run the same command again',
      }),
  });
};

const runResult = (run: string, counts: Counts, receipt: string, head: string): BulkResult => ({
  run,
  ...counts,
  receipt,
  head: `sha256:${head}`,
});

/** A row for the summary page of a job. The path of the receipt is of no use there. */
const summarize = (context: Context, { operation }: BulkRun, { receipt: _, ...result }: BulkResult, state: string) => {
  const facts = { ...result, state };
  return addStepSummary(context, operation, Object.keys(facts), [Object.values(facts)]);
};

const finishRun = async (
  context: Context,
  bulk: BulkRun,
  result: BulkResult,
  failures: readonly Failure[],
  state: string,
): Promise<Answer | undefined> => {
  await summarize(context, bulk, result, state);
  // The answer may go to the same terminal.
  await context.notes.flush();
  const { receipt } = result;
  const run = bulk.report && (await openReceipt(realDisk, receipt));
  if (run?.ok) {
    await bulk.report!(run, receipt);
    return undefined;
  }
  return runAnswer(context, { task: bulk, result, failures: [...bulk.wrong, ...failures].slice(0, mostFailures) });
};

/** The progress according to the receipt. If its last write failed, that may be less than the counts in memory. */
const recordedProgress = async (
  file: ReceiptFile,
  countsInMemory: Counts,
): Promise<{ counts: Counts; head: string }> => {
  const receipt = file.isBroken ? await openReceipt(realDisk, file.path).catch(() => undefined) : undefined;
  return receipt?.ok
    ? { counts: receipt.history.counts, head: receipt.receipt.head }
    : { counts: countsInMemory, head: file.head };
};

/** Runs the job with the receipt open. Reports the progress even if the job fails. */
const workOnRun = async (
  context: Context,
  bulk: BulkRun,
  run: string,
  file: ReceiptFile,
  history: RunHistory | undefined,
  remaining: readonly InputItem[],
) => {
  const { runtime, notes } = context;
  // An unknown outcome is not counted yet: its item is sent again.
  let counts: Counts =
    history === undefined ? countOutcomes([], bulk.items.length, bulk.wrong.length) : { ...history.counts, unknown: 0 };
  const progress = reportProgress(context, { ...counts }, bulk.look && `not ${bulk.done}`);
  const failures = await earlierFailures(context, bulk, history);
  notes.ahead = () => {
    const ahead = counts.total - counts.accepted - counts.rejected - counts.unknown;
    return { requests: Math.ceil(ahead / bulk.batchSize), isMost: false };
  };
  try {
    counts = await runJob(bulk, {
      clock: runtime.clock,
      interrupted: runtime.interrupted,
      receipt: file,
      remaining,
      nextBatch: history?.nextBatch ?? 1,
      counts,
      onProgress: async (now, items, answer) => {
        counts = now;
        await noteFailures(context, bulk, items, answer, failures);
        progress.update(now);
      },
    });
  } catch (error) {
    progress.end();
    const recorded = await recordedProgress(file, counts);
    const { accepted, total } = recorded.counts;
    if (isWatched(context)) for (const failure of failures) notes.warn(`failed: ${failureText(bulk, failure)}`);
    notes.always(
      `Stopped with ${formatNumber(accepted)} of ${formatNumber(total)} ${bulk.done}. Run the same command again to resume. Receipt: ${file.path}`,
    );
    const result = runResult(run, recorded.counts, file.path, recorded.head);
    await summarize(context, bulk, result, 'unfinished');
    throw error;
  } finally {
    notes.ahead = undefined;
    progress.end();
    // What may not be shown isn't kept either.
    if (bulk.nameOf !== undefined && failures.length > 0) await keepReasons(runtime, run, failures);
  }
  return { counts, failures };
};

/** What looks at the service, or repeats a run. */
const looksAt = (bulk: BulkRun, run: string) =>
  bulk.elsewhere === undefined
    ? (bulk.looks?.(run) ?? words`To look at each of them, and send what is missing: ${the('again')}`)
    : words`To repeat it, ${bulk.elsewhere}`;

/** R37: the result also counts what was done before, which is the receipt's word. */
const noteResumed = ({ notes }: Context, bulk: BulkRun, { run, counts }: RunHistory): void => {
  const { accepted, total } = counts;
  const done = `${formatNumber(accepted)} of ${formatNumber(total)} ${bulk.done} before, as the receipt says`;
  const resumed = `Resuming run ${run.run}: ${done}`;
  if (accepted === 0) notes.info(resumed);
  else notes.always(words`${resumed}. ${looksAt(bulk, run.run)}`);
};

/** The receipt is no look at the service, so the note says whose word it is, and what looks. */
const noteDone = (context: Context, bulk: BulkRun, { run, total, accepted, receipt }: BulkResult, at: string): void => {
  const { notes, settings, runtime } = context;
  const repeat = looksAt(bulk, run);
  const isElsewhere = bulk.receipt !== undefined && bulk.receipt !== receipt;
  const where = isElsewhere ? `, and ${bulk.receipt} was not written (the receipt is ${receipt})` : '';
  const isAll = accepted === total;
  if (isWatched(context)) {
    const label = timeLabel(at, settings.zone, runtime.clock.now()) ?? at;
    // The answer below has the numbers, and what to do about failures.
    const when = label.replace(/ (?=\S+$)/, ' at ');
    const done = words`The receipt says that this was done on ${when}, so nothing was sent or looked up${where}.`;
    notes.always(isAll ? words`${done} ${repeat}` : done);
    return;
  }
  const what = isAll ? capital(bulk.done) : `${formatNumber(accepted)} of ${formatNumber(total)} ${bulk.done}`;
  notes.always(words`${what} at ${at}, as the receipt says: nothing was sent or looked up${where}. ${repeat}`);
};

/**
 * The unfinished run to resume, if there is one. One that has ended lately is reported, and nothing is left to do.
 * Drops a finished receipt from memory: it may be large.
 */
const chooseRun = async (
  context: Context,
  folder: string,
  bulk: BulkRun,
): Promise<{ unfinished?: FoundRun; isDone?: true; answer?: Answer | undefined }> => {
  const now = context.runtime.clock.now();
  const run = await findRun(folder, bulk, now);
  if (run === undefined) return {};
  const { path, receipt, history } = run;
  if (!isRunDone(history)) return { unfinished: run };
  const endedAt = history.endedAt!;
  if (isRecent(endedAt, now) && !bulk.again) {
    const result = runResult(history.run.run, history.counts, path, receipt.head);
    noteDone(context, bulk, result, endedAt);
    const failures = await earlierFailures(context, bulk, history);
    const state = `${bulk.done} at ${endedAt}, as the receipt says`;
    return { isDone: true, answer: await finishRun(context, bulk, result, failures, state) };
  }
  if (path === bulk.receipt)
    throw otherRunError(bulk, `it contains a run that ended at ${endedAt}, and each run needs its own file`);
  return {};
};

/** Takes the lock and finds out what is left to do. One process at a time. */
const beginRun = async <Item extends InputItem>(
  context: Context,
  { receipt: path, again }: RunOptions,
  job: Bulk<Item>,
) => {
  const receipt = path === undefined ? undefined : resolve(path);
  const bulk: BulkRun = { key: 'none', batchSize: 1, ...job, receipt, again };
  const folder = receiptFolder(context);
  ensureLastingDirectory(folder);
  const lock = await runLock(context, folder, bulk);
  const lockHeld = (await lock.acquire())!;
  try {
    const { unfinished, isDone = false, answer } = await chooseRun(context, folder, bulk);
    const remaining = leftOf({ batchSize: 1, ...job }, unfinished?.history);
    return { bulk, folder, unfinished, isDone, answer, remaining, release: () => lockHeld.release() };
  } catch (error) {
    await lockHeld.release();
    throw error;
  }
};

type Begun<Item extends InputItem> = Awaited<ReturnType<typeof beginRun<Item>>>;

const actionOf = <Item extends InputItem>({ bulk: { done, things }, remaining }: Begun<Item>): string =>
  `${verbOf(done)} ${formatNumber(remaining.length)} ${things}`;

/** Starts a run, or resumes an unfinished one. */
const work = async <Item extends InputItem>(
  context: Context,
  { bulk, folder, unfinished, remaining }: Begun<Item>,
): Promise<Answer | undefined> => {
  const { line, file } = await (unfinished === undefined
    ? beginReceipt(context, folder, bulk)
    : resumeReceipt(context, unfinished, bulk));
  try {
    await indexReceipt(context, folder, line, file.path);
    if (unfinished !== undefined) noteResumed(context, bulk, unfinished.history);
    const { counts, failures } = await workOnRun(context, bulk, line.run, file, unfinished?.history, remaining);
    return await finishRun(context, bulk, runResult(line.run, counts, file.path, file.head), failures, 'finished');
  } finally {
    await file.close();
  }
};

/** A run as a plan: it starts, or an unfinished one is resumed, or it is already done. */
export const bulkPlan = <Item extends InputItem>(
  context: Context,
  options: RunOptions,
  { remarksOn, question, job, ...parts }: Planned<Item>,
): Plan => {
  let begun: Begun<Item> | undefined;
  return plan({
    ...parts,
    read: async (reader) => {
      begun = await beginRun(context, options, await job());
      if (!begun.isDone) for (const remark of (await remarksOn?.(begun.remaining)) ?? []) context.notes.info(remark);
      return { ...begun, reader };
    },
    nothingToDo: ({ answer }) => answer,
    action: actionOf,
    question: ({ remaining, reader }) => question(remaining, reader),
    send: async (found) => (await work(context, found))!,
    end: async () => begun?.release(),
  });
};

/** Carries out a run that asks by itself. */
export const runBulk = async <Item extends InputItem>(
  context: Context,
  options: RunOptions,
  { confirm, ...job }: AskingBulk<Item>,
): Promise<void> => {
  const begun = await beginRun(context, options, job);
  const { isDone, remaining, unfinished, release } = begun;
  try {
    let { answer } = begun;
    if (!isDone) {
      await confirm(remaining, unfinished !== undefined);
      // A confirmed count is not the name of a protected profile.
      await confirmProtected(context, actionOf(begun));
      answer = await work(context, begun);
    }
    if (answer !== undefined) await show(context, answer);
  } finally {
    await release();
  }
};
