import { hash } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import { SchedError } from '../../../errors.ts';
import { realDisk } from '../../../jobs/disk.ts';
import { type Counts, countOutcomes, isDone, type RunHistory, type RunLine } from '../../../jobs/receipt.ts';
import { continueReceipt, type ReceiptFile, startReceipt } from '../../../jobs/receipt-file.ts';
import { type Job, leftOf, runJob } from '../../../jobs/run.ts';
import { addToIndex, findIndexed, openReceipt, receiptEnding } from '../../../jobs/runs.ts';
import { stat } from '../../../node/files.ts';
import { formatNumber } from '../../../numbers.ts';
import { ensureLastingDirectory } from '../../../state/directories.ts';
import { createLock } from '../../../state/lock.ts';
import { timeLabel } from '../../../time/label.ts';
import { version } from '../../../version.ts';
import type { Context } from '../../session/context.ts';
import type { Requester } from '../compliance/requester.ts';
import {
  type Asked,
  earlierFailures,
  type Failure,
  failureText,
  type InputItem,
  isWatched,
  mostFailures,
  noteFailures,
  printAnswer,
} from './answer.ts';
import { type FoundRun, findRun, findRunInProgress, isRecent, otherRunError, receiptFolder } from './find-run.ts';
import type { RunOptions } from './input.ts';
import type { BulkResult } from './run-result.ts';
import { addStepSummary, reportProgress } from './show-progress.ts';

/** Bulk work, as prepared by its command. */
export interface Bulk<Item extends InputItem = InputItem> extends Omit<Job<Item>, 'batchSize'>, Asked<Item>, Requester {
  /** Noun and verb: `compliance.delete`. */
  operation: string;
  /** The key that the marks in the receipt are made with. By default, they are no hashes. */
  key?: string;
  /** A hash of the whole input. The same input is the same work. */
  input: string;
  /** How many lines of the input repeat an item. */
  duplicates?: number;
  /** How to repeat the run, if each one needs a place of its own: `name another directory with --to`. */
  elsewhere?: string;
  /** By default, one by one. */
  batchSize?: number;
  /** Asks the user for confirmation of the items that are left, and throws if it isn't given. */
  confirm(left: readonly Item[], isResumed: boolean): Promise<void>;
}

/** The work, and how it is run. */
interface Planned extends Bulk, RunOptions {
  key: string;
  batchSize: number;
}

/** The program that makes a receipt, and the dialect that it spoke. */
const toolOf = async ({ dialect }: Context): Promise<string> => {
  const used = await dialect();
  return `sched ${version}${used === undefined ? '' : ` (dialect ${used.name} ${used.digest})`}`;
};

const uniqueName = ({ runtime }: Context): string => Buffer.from(runtime.randomBytes(8)).toString('hex');

const lockOf = async ({ runtime }: Context, folder: string, bulk: Planned) => {
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

const timeNow = ({ runtime }: Context): string => new Date(runtime.clock.now()).toISOString();

/** Starts a new receipt. If the name of the run is taken, adds a number to it. */
const begin = async (context: Context, folder: string, bulk: Planned) => {
  const at = timeNow(context);
  const random = Buffer.from(context.runtime.randomBytes(3)).toString('hex');
  const first = `${at.replace(/[-:]|\.\d+/g, '')}-${random}`;
  const { operation, endpoint, owner, organization, key, input, duplicates = 0 } = bulk;
  for (let count = 1; ; count += 1) {
    const run = count === 1 ? first : `${first}-${count}`;
    const path = bulk.receipt ?? join(folder, `${run}${receiptEnding}`);
    if (bulk.receipt === undefined && (await stat(path).catch(() => undefined)) !== undefined) continue;
    if ((await findIndexed(folder, run)) !== undefined) continue;
    const line: RunLine = {
      type: 'run',
      receipt: 1,
      run,
      at,
      tool: await toolOf(context),
      operation,
      endpoint,
      owner,
      organization,
      key,
      input,
      total: bulk.items.length,
      duplicates,
      skipped: bulk.wrong.length,
    };
    return { line, file: await startReceipt(realDisk, path, line, bulk.isSandbox, uniqueName(context)) };
  }
};

const resume = async (context: Context, { path, receipt, history }: FoundRun, bulk: Planned) => {
  const file = await continueReceipt(realDisk, path, receipt);
  const { owner, organization } = bulk;
  const at = timeNow(context);
  try {
    file.write({ type: 'resumed', at, tool: await toolOf(context), owner, organization, repaired: receipt.tornBytes });
  } catch (error) {
    await file.close();
    throw error;
  }
  if (receipt.tornBytes > 0) context.notes.info('Repaired the last line of the receipt, which was incomplete');
  return { line: history.run, file };
};

/** Adds a receipt outside the folder to the list of runs. If that fails, the run continues. */
const remember = async (context: Context, folder: string, { run, at, operation }: RunLine, receipt: string) => {
  if (dirname(receipt) === folder) return;
  await addToIndex(folder, { run, at, operation, receipt }, context.runtime).catch((error: unknown) => {
    if (!(error instanceof SchedError)) throw error;
    context.notes.info(`This run won't be listed: ${error.message} (${error.facts.reason})`);
  });
};

const resultOf = (run: string, counts: Counts, receipt: string, head: string): BulkResult => ({
  run,
  ...counts,
  receipt,
  head: `sha256:${head}`,
});

/** A row for the summary page of a job. The path of the receipt is of no use there. */
const summarize = (context: Context, { operation }: Planned, { receipt: _, ...result }: BulkResult, state: string) => {
  const facts = { ...result, state };
  return addStepSummary(context, operation, Object.keys(facts), [Object.values(facts)]);
};

const finish = async (
  context: Context,
  bulk: Planned,
  result: BulkResult,
  failures: readonly Failure[],
  state: string,
): Promise<void> => {
  await summarize(context, bulk, result, state);
  // The answer may go to the same terminal.
  await context.notes.flush();
  await printAnswer(context, { asked: bulk, result, failures: [...bulk.wrong, ...failures].slice(0, mostFailures) });
};

/** The progress according to the receipt. If its last write failed, that may be less than the counts in memory. */
const recordedProgress = async (file: ReceiptFile, known: Counts): Promise<{ counts: Counts; head: string }> => {
  const opened = file.isBroken ? await openReceipt(realDisk, file.path).catch(() => undefined) : undefined;
  return opened?.ok ? { counts: opened.history.counts, head: opened.receipt.head } : { counts: known, head: file.head };
};

/** Runs the job with the receipt open. Reports the progress even if the job fails. */
const work = async (
  context: Context,
  bulk: Planned,
  run: string,
  file: ReceiptFile,
  history: RunHistory | undefined,
  left: readonly InputItem[],
) => {
  const { runtime, notes } = context;
  // An unknown outcome is not counted yet: its item is sent again.
  let counts: Counts =
    history === undefined ? countOutcomes([], bulk.items.length, bulk.wrong.length) : { ...history.counts, unknown: 0 };
  const progress = reportProgress(context, { ...counts });
  const failures = await earlierFailures(bulk, history);
  notes.ahead = () => {
    const ahead = counts.total - counts.accepted - counts.rejected - counts.unknown;
    return { requests: Math.ceil(ahead / bulk.batchSize), isMost: false };
  };
  try {
    counts = await runJob(bulk, {
      clock: runtime.clock,
      interrupted: runtime.interrupted,
      receipt: file,
      left,
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
    const result = resultOf(run, recorded.counts, file.path, recorded.head);
    await summarize(context, bulk, result, 'unfinished');
    throw error;
  } finally {
    notes.ahead = undefined;
    progress.end();
  }
  return { counts, failures };
};

const noteDone = (context: Context, bulk: Planned, { total, accepted, receipt }: BulkResult, at: string): void => {
  const { notes, settings, runtime } = context;
  const what =
    accepted === total
      ? `Already ${bulk.done}`
      : `${formatNumber(accepted)} of ${formatNumber(total)} already ${bulk.done}`;
  const isElsewhere = bulk.receipt !== undefined && bulk.receipt !== receipt;
  const where = isElsewhere ? `, and ${bulk.receipt} was not written (the receipt is ${receipt})` : '';
  // The answer has the numbers.
  const done = isWatched(context)
    ? `This was done on ${timeLabel(at, settings.zone, runtime.clock.now())}`
    : `${what} at ${at}`;
  const repeat = bulk.elsewhere === undefined ? 'Use --again to repeat the run' : `To repeat it, ${bulk.elsewhere}`;
  notes.always(`${done}: nothing was sent${where}. ${repeat}`);
};

/**
 * The unfinished run to resume, if there is one. One that has ended lately is reported, and nothing is left to do.
 * Drops a finished receipt from memory: it may be large.
 */
const chooseRun = async (context: Context, folder: string, bulk: Planned): Promise<FoundRun | 'reported' | 'none'> => {
  const now = context.runtime.clock.now();
  const found = await findRun(folder, bulk, now);
  if (found === undefined) return 'none';
  const { path, receipt, history } = found;
  if (!isDone(history)) return found;
  const endedAt = history.endedAt!;
  if (isRecent(endedAt, now) && !bulk.again) {
    const result = resultOf(history.run.run, history.counts, path, receipt.head);
    noteDone(context, bulk, result, endedAt);
    const failures = await earlierFailures(bulk, history);
    await finish(context, bulk, result, failures, `already accepted at ${endedAt}`);
    return 'reported';
  }
  if (path === bulk.receipt)
    throw otherRunError(bulk, `it contains a run that ended at ${endedAt}, and each run needs its own file`);
  return 'none';
};

/** Starts a run, resumes an unfinished one, or reports that it is already done. One process at a time. */
export const runBulk = async <Item extends InputItem>(
  context: Context,
  { receipt: path, again }: RunOptions,
  job: Bulk<Item>,
): Promise<void> => {
  const receipt = path === undefined ? undefined : resolve(path);
  const bulk: Planned = { key: 'none', batchSize: 1, ...job, receipt, again };
  const folder = receiptFolder(context);
  ensureLastingDirectory(folder);
  const lock = await lockOf(context, folder, bulk);
  const held = (await lock.acquire())!;
  try {
    const found = await chooseRun(context, folder, bulk);
    if (found === 'reported') return;
    const unfinished = found === 'none' ? undefined : found;
    const left = leftOf(bulk, unfinished?.history);
    await bulk.confirm(left, unfinished !== undefined);
    const { line, file } = await (unfinished === undefined
      ? begin(context, folder, bulk)
      : resume(context, unfinished, bulk));
    try {
      await remember(context, folder, line, file.path);
      if (unfinished !== undefined) context.notes.info(`Resuming run ${line.run}`);
      const { counts, failures } = await work(context, bulk, line.run, file, unfinished?.history, left);
      await finish(context, bulk, resultOf(line.run, counts, file.path, file.head), failures, 'finished');
    } finally {
      await file.close();
    }
  } finally {
    await held.release();
  }
};
