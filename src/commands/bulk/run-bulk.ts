import { hash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { SchedError } from '../../base/errors.ts';
import { formatNumber } from '../../base/numbers.ts';
import type { Sentence } from '../../base/words.ts';
import type { PictureAnswer } from '../../cli/answer/answer.ts';
import { ownPlan, type Plan, type Question, type Reader } from '../../cli/answer/plan.ts';
import { verbOf } from '../../cli/session/confirm.ts';
import type { Context } from '../../cli/session/context.ts';
import { stat } from '../../node/files.ts';
import { ensureLastingDirectory } from '../../state/directories.ts';
import { realDisk } from '../../state/disk.ts';
import { createLock } from '../../state/lock.ts';
import { type FoundRun, findRun, findRunInProgress, isRecent, otherRunError, receiptFolder } from './find-run.ts';
import type { RunOptions } from './input.ts';
import { beginReceipt, indexReceipt, resumeReceipt } from './open-run.ts';
import { reportProgress } from './progress.ts';
import { keepReasons } from './reasons-file.ts';
import { type Bulk, type BulkRun, doneSentence, finishRun, noteResumed, runResult, summarize } from './run-answer.ts';
import { earlierFailures, failureText, type InputItem, noteFailures } from './screen.ts';
import { type Counts, countOutcomes, isRunDone, type RunHistory } from './work-receipt.ts';
import type { ReceiptFile } from './work-receipt-file.ts';
import { leftOf, runJob } from './work-run.ts';
import { openReceipt } from './work-runs.ts';

/** Bulk work as a plan. */
interface Planned<Item extends InputItem>
  extends Pick<Plan, 'requests' | 'preview' | 'remarks' | 'begin' | 'final' | 'danger' | 'isAgreed'> {
  /** What to say about the items that are left, whether or not a question follows. */
  remarksOn?(remaining: readonly Item[]): Promise<readonly Sentence[]>;
  /** The question about the items that are left. Without it, nothing is written at the service. */
  question?(remaining: readonly Item[], reader: Reader, isResumed: boolean): Promise<Question> | Question;
  job(): Promise<Bulk<Item>>;
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
  const log = context.notes.problems;
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
        await noteFailures(log, bulk, items, answer, failures);
        progress.update(now);
      },
    });
  } catch (error) {
    progress.end();
    const recorded = await recordedProgress(file, counts);
    const { accepted, total } = recorded.counts;
    log.withoutAnswer(failures.map((failure) => `failed: ${failureText(bulk, failure)}`));
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

/**
 * The unfinished run to resume, if there is one. One that has ended lately is reported, and nothing is left to do.
 * Drops a finished receipt from memory: it may be large.
 */
const chooseRun = async (
  context: Context,
  folder: string,
  bulk: BulkRun,
): Promise<{ unfinished?: FoundRun; answer?: PictureAnswer }> => {
  const now = context.runtime.clock.now();
  const run = await findRun(folder, bulk, now);
  if (run === undefined) return {};
  const { path, receipt, history } = run;
  if (!isRunDone(history)) return { unfinished: run };
  const endedAt = history.endedAt!;
  if (isRecent(endedAt, now) && !bulk.again) {
    const result = runResult(history.run.run, history.counts, path, receipt.head);
    const failures = await earlierFailures(context, bulk, history);
    const state = `${bulk.done} at ${endedAt}, as the receipt says`;
    const answer = await finishRun(context, bulk, result, failures, state);
    return { answer: { ...answer, said: (isSeen) => [doneSentence(context, bulk, result, endedAt, isSeen)] } };
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
    const { unfinished, answer } = await chooseRun(context, folder, bulk);
    const remaining = leftOf({ batchSize: 1, ...job }, unfinished?.history);
    return { bulk, folder, unfinished, answer, remaining, release: () => lockHeld.release() };
  } catch (error) {
    await lockHeld.release();
    throw error;
  }
};

type Begun<Item extends InputItem> = Awaited<ReturnType<typeof beginRun<Item>>>;

interface Found<Item extends InputItem> extends Begun<Item> {
  reader: Reader;
}

const actionOf = <Item extends InputItem>({ bulk: { done, things }, remaining }: Begun<Item>): string =>
  `${verbOf(done)} ${formatNumber(remaining.length)} ${things}`;

/** Starts a run, or resumes an unfinished one. */
const work = async <Item extends InputItem>(
  context: Context,
  { bulk, folder, unfinished, remaining }: Begun<Item>,
): Promise<PictureAnswer> => {
  await bulk.prepare?.(remaining, unfinished !== undefined);
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
  let bulk: Bulk<Item> | undefined;
  let begun: Begun<Item> | undefined;
  let isConcluded = false;
  const conclude = async (): Promise<Sentence | undefined> => {
    if (isConcluded) return undefined;
    isConcluded = true;
    return bulk?.conclude?.();
  };
  /** The answer, with what follows the run. */
  const concluded = async (answer: PictureAnswer): Promise<PictureAnswer> => {
    try {
      const sentence = await conclude();
      const { warnings = [], hints = [] } = answer.failure === undefined ? (bulk!.beside?.() ?? {}) : {};
      const first = sentence === undefined ? [] : [sentence];
      return { ...answer, warnings, hints: [...first, ...(answer.hints ?? []), ...hints] };
    } catch (error) {
      if (!(error instanceof SchedError)) throw error;
      return { ...answer, failure: answer.failure ?? error };
    }
  };
  const run = ownPlan<Found<Item>>({
    read: async (reader) => {
      bulk = await job();
      begun = await beginRun(context, options, bulk);
      const { answer, remaining } = begun;
      if (answer === undefined) for (const remark of (await remarksOn?.(remaining)) ?? []) context.notes.info(remark);
      return { ...begun, reader, answer: answer && (await concluded(answer)) };
    },
    nothingToDo: ({ answer }) => answer,
    action: actionOf,
    ...(question && {
      question: ({ remaining, reader, unfinished }) => question(remaining, reader, unfinished !== undefined),
    }),
    send: async (found) => concluded(await work(context, found)),
    end: async () => {
      await begun?.release();
      await conclude().catch(() => {});
    },
  });
  return { ...parts, ...run };
};
