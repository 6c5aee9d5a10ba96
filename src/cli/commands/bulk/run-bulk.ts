import { createHash } from 'node:crypto';
import { appendFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { SchedError, sameCommand } from '../../../errors.ts';
import { realDisk } from '../../../jobs/disk.ts';
import { type Counts, isDone, type RunHistory, type RunLine } from '../../../jobs/receipt.ts';
import { continueReceipt, type ReceiptFile, startReceipt } from '../../../jobs/receipt-file.ts';
import { addToIndex, findIndexed } from '../../../jobs/receipt-index.ts';
import { runJob } from '../../../jobs/run.ts';
import { openReceipt, receiptEnding } from '../../../jobs/runs.ts';
import { formatNumber } from '../../../numbers.ts';
import { safe } from '../../../output/sanitize.ts';
import { ensurePrivateDirectory } from '../../../state/directories.ts';
import { createLock } from '../../../state/lock.ts';
import { version } from '../../../version.ts';
import type { Context } from '../../session/context.ts';
import type { Bulk } from './bulk.ts';
import { type FoundRun, findRun, findRunInProgress, isRecent, otherRunError, receiptFolder } from './find-run.ts';
import { type BulkResult, resultOf, resultView } from './run-result.ts';
import { reportProgress } from './show-progress.ts';

const cell = (value: unknown): string => safe(String(value)).replaceAll('|', '\\|').replaceAll('`', "'");

/** Adds a table to the summary page of a GitHub Actions job, if there is one. */
export const addStepSummary = async (
  { runtime, notes }: Context,
  title: string,
  state: string,
  { receipt: _, ...result }: BulkResult,
): Promise<void> => {
  const file = runtime.env.GITHUB_STEP_SUMMARY;
  if (!file) return;
  const facts = { ...result, state };
  const rows = [Object.keys(facts), Object.keys(facts).map(() => '---'), Object.values(facts).map(cell)];
  const table = rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
  await appendFile(file, runtime.secrets.redact(`### ${title}\n\n${table}\n\n`)).catch(
    (error: NodeJS.ErrnoException) => {
      notes.info(`Can't write the step summary: ${error.code}`);
    },
  );
};

const tool = `sched ${version}`;

const lockOf = async ({ runtime }: Context, folder: string, bulk: Bulk) => {
  const { clock, machine, randomBytes, interrupted } = runtime;
  const first = await findRunInProgress(folder, bulk, clock.now());
  const facts = [bulk.operation, bulk.input, bulk.endpoint, bulk.organization];
  const name = createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 40);
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
        outcome: 'not-sent',
      }),
  });
};

const timeNow = ({ runtime }: Context): string => new Date(runtime.clock.now()).toISOString();

const newRun = ({ runtime }: Context, at: string): string =>
  `${at.replace(/[-:]|\.\d+/g, '')}-${Buffer.from(runtime.randomBytes(3)).toString('hex')}`;

/** Starts a new receipt. If the name of the run is taken, adds a number to it. */
const begin = async (context: Context, folder: string, bulk: Bulk) => {
  const at = timeNow(context);
  const first = newRun(context, at);
  const { plan, operation, endpoint, owner, organization, key, input } = bulk;
  for (let number = 1; ; number += 1) {
    const run = number === 1 ? first : `${first}-${number}`;
    const path = bulk.receipt === undefined ? join(folder, `${run}${receiptEnding}`) : resolve(bulk.receipt);
    if (bulk.receipt === undefined && (await stat(path).catch(() => undefined)) !== undefined) continue;
    if ((await findIndexed(folder, run)) !== undefined) continue;
    const line: RunLine = {
      type: 'run',
      receipt: 1,
      run,
      at,
      tool,
      operation,
      endpoint,
      owner,
      organization,
      key,
      input,
      total: plan.items.length,
      duplicates: plan.duplicates.length,
      skipped: plan.invalid.length,
    };
    const unique = Buffer.from(context.runtime.randomBytes(8)).toString('hex');
    return { line, file: await startReceipt(realDisk, path, line, bulk.isSandbox, unique) };
  }
};

const resume = async (context: Context, { path, opened }: FoundRun, bulk: Bulk) => {
  const { receipt, history } = opened;
  const file = await continueReceipt(realDisk, path, receipt);
  const { owner, organization } = bulk;
  const at = timeNow(context);
  try {
    file.write({ type: 'resumed', at, tool, owner, organization, repaired: receipt.tornBytes });
  } catch (error) {
    await file.close();
    throw error;
  }
  if (receipt.tornBytes > 0) context.notes.info('Repaired the last line of the receipt, which was incomplete');
  return { line: history.run, file };
};

/** Adds a receipt outside the folder to the list of runs. If that fails, the run continues. */
const remember = async ({ runtime, notes }: Context, folder: string, run: RunLine, path: string): Promise<void> => {
  if (dirname(path) === folder) return;
  const facts = { run: run.run, at: run.at, operation: run.operation, receipt: path };
  await addToIndex(folder, facts, Buffer.from(runtime.randomBytes(8)).toString('hex')).catch((error: unknown) => {
    if (!(error instanceof SchedError)) throw error;
    notes.info(`This run won't be listed: ${error.message} (${error.facts.reason})`);
  });
};

const partial = ({ rejected, unknown }: Counts, { things, done }: Bulk): SchedError => {
  const parts = [
    ...(rejected > 0 ? [`${formatNumber(rejected)} rejected`] : []),
    ...(unknown > 0 ? [`${formatNumber(unknown)} unknown`] : []),
  ];
  return new SchedError('partial', `Not all ${things} were ${done}: ${parts.join(', ')}`, {
    outcome: unknown > 0 ? 'unknown' : 'applied',
    answered: true,
    ...(unknown > 0 ? { hint: sameCommand } : {}),
  });
};

const finish = async (context: Context, bulk: Bulk, result: BulkResult, state: string): Promise<void> => {
  await addStepSummary(context, `sched ${bulk.command}`, state, result);
  await context.printer.one(resultView, result);
  if (result.rejected > 0 || result.unknown > 0) throw partial(result, bulk);
};

/** The progress according to the receipt. If its last write failed, that may be less than the counts in memory. */
const recordedProgress = async (file: ReceiptFile, known: Counts): Promise<{ counts: Counts; head: string }> => {
  const opened = file.isBroken ? await openReceipt(realDisk, file.path).catch(() => undefined) : undefined;
  return opened?.ok ? { counts: opened.history.counts, head: opened.receipt.head } : { counts: known, head: file.head };
};

/** Runs the job with the receipt open. Reports the progress even if the job fails. */
const work = async (context: Context, bulk: Bulk, run: string, file: ReceiptFile, history: RunHistory | undefined) => {
  const { runtime, notes } = context;
  const skipped = history?.run.skipped ?? bulk.plan.invalid.length;
  const known = [...(history?.outcomes.values() ?? [])].filter(({ verdict }) => verdict !== 'unknown');
  let counts: Counts = { total: bulk.items.length, accepted: 0, rejected: 0, unknown: 0, skipped };
  for (const { verdict } of known) counts[verdict] += 1;
  const progress = reportProgress(context, { ...counts });
  notes.ahead = () => {
    const left = counts.total - counts.accepted - counts.rejected - counts.unknown;
    return { requests: Math.ceil(left / bulk.batchSize), isMost: false };
  };
  try {
    counts = await runJob(bulk, {
      clock: runtime.clock,
      interrupted: runtime.interrupted,
      receipt: file,
      before: { outcomes: history?.outcomes ?? new Map(), nextBatch: history?.nextBatch ?? 1 },
      skipped,
      onProgress: (now) => {
        counts = now;
        progress.update(now);
      },
      afterSend: runtime.afterSend,
    });
  } catch (error) {
    progress.end();
    const recorded = await recordedProgress(file, counts);
    const { accepted, total } = recorded.counts;
    const [done, all] = [accepted, total].map((count) => formatNumber(count));
    notes.always(
      `Stopped with ${done} of ${all} ${bulk.done}. Run the same command again to resume. Receipt: ${file.path}`,
    );
    const result = resultOf(run, recorded.counts, file.path, recorded.head);
    await addStepSummary(context, `sched ${bulk.command}`, 'unfinished', result);
    throw error;
  } finally {
    notes.ahead = undefined;
    progress.end();
  }
  // The result goes to stdout, which may be the same terminal: the progress bar must be cleared first.
  await notes.flush();
  return counts;
};

type RunChoice = { done: BulkResult; endedAt: string } | { unfinished: FoundRun } | 'new';

/** Decides whether to start, resume or report a run. Drops a finished receipt from memory: it may be large. */
const choose = async ({ runtime }: Context, folder: string, bulk: Bulk): Promise<RunChoice> => {
  const now = runtime.clock.now();
  const found = await findRun(folder, bulk, now);
  if (found === undefined) return 'new';
  const { history, receipt } = found.opened;
  if (!isDone(history)) return { unfinished: found };
  const endedAt = history.endedAt!;
  if (isRecent(endedAt, now) && !bulk.again)
    return { done: resultOf(history.run.run, history.counts, found.path, receipt.head), endedAt };
  if (bulk.receipt !== undefined && found.path === resolve(bulk.receipt))
    throw otherRunError(found.path, `it contains a run that ended at ${endedAt}, and each run needs its own file`);
  return 'new';
};

/** Starts a run, resumes an unfinished one, or reports that it is already done. One process at a time. */
export const runBulk = async (context: Context, bulk: Bulk): Promise<void> => {
  const { notes } = context;
  const folder = receiptFolder(context);
  ensurePrivateDirectory(folder);
  const lock = await lockOf(context, folder, bulk);
  const held = (await lock.acquire())!;
  try {
    const choice = await choose(context, folder, bulk);
    if (choice !== 'new' && 'done' in choice) {
      const { total, accepted } = choice.done;
      const what =
        accepted === total
          ? `Already ${bulk.done}`
          : `${formatNumber(accepted)} of ${formatNumber(total)} already ${bulk.done}`;
      const { receipt } = choice.done;
      const isElsewhere = bulk.receipt !== undefined && resolve(bulk.receipt) !== receipt;
      const where = isElsewhere ? `, and ${bulk.receipt} was not written (the receipt is ${receipt})` : '';
      notes.always(`${what} at ${choice.endedAt}: nothing was sent${where}. Use --again to repeat the run`);
      return await finish(context, bulk, choice.done, `already accepted at ${choice.endedAt}`);
    }
    const history = choice === 'new' ? undefined : choice.unfinished.opened.history;
    await bulk.confirm(history);
    const { line, file } =
      choice === 'new' ? await begin(context, folder, bulk) : await resume(context, choice.unfinished, bulk);
    const { run } = line;
    try {
      await remember(context, folder, line, file.path);
      if (history !== undefined) notes.info(`Resuming run ${run}`);
      const counts = await work(context, bulk, run, file, history);
      await finish(context, bulk, resultOf(run, counts, file.path, file.head), 'finished');
    } finally {
      await file.close();
    }
  } finally {
    await held.release();
  }
};
