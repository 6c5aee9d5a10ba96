import { join } from 'node:path';
import { fallBack, SchedError } from '../../../errors.ts';
import { realDisk } from '../../../jobs/disk.ts';
import { isDone, type RunLine } from '../../../jobs/receipt.ts';
import { doneAt, firstLineOf, type KnownRun, listRuns, type OpenedReceipt, openReceipt } from '../../../jobs/runs.ts';
import type { Context } from '../../session/context.ts';
import { stateDirectory } from '../../session/shared-state.ts';

/** The folder for receipts, unless --receipt names a file. */
export const receiptFolder = ({ runtime }: Context): string => {
  const directory = stateDirectory(runtime);
  if (directory !== undefined) return join(directory, 'receipts');
  throw new SchedError('environment', "Can't store receipts and locks", {
    reason: "the home directory doesn't exist",
    advice: 'set SCHED_STATE_DIR to a directory for them',
  });
};

const damaged = (path: string, line: number, problem: string, { elsewhere }: Work): SchedError =>
  new SchedError('integrity', `The receipt ${path} is damaged: edited at line ${line}`, {
    reason: `${problem}; the file is left unchanged, and nothing is sent`,
    advice: `restore the receipt from a backup, or ${elsewhere ?? otherFile}`,
  });

/** The work that a run does. `receipt` is the file that --receipt names, `elsewhere` how to name another place. */
type Work = Pick<RunLine, 'operation' | 'input' | 'endpoint' | 'organization' | 'key'> & {
  receipt: string | undefined;
  elsewhere?: string;
};

const otherFile = 'name another file with --receipt';

const isSame = (run: RunLine, work: Work): boolean =>
  run.operation === work.operation &&
  run.input === work.input &&
  run.endpoint === work.endpoint &&
  run.organization === work.organization;

export interface FoundRun extends OpenedReceipt {
  path: string;
}

const open = async (path: string, work: Work): Promise<FoundRun | undefined> => {
  const opened = await openReceipt(realDisk, path);
  if (opened === undefined) return undefined;
  if (!opened.ok) throw damaged(path, opened.line, opened.problem, work);
  return { path, ...opened };
};

export const otherRunError = ({ receipt, elsewhere }: Work, reason: string): SchedError =>
  new SchedError('conflict', `The receipt ${receipt} belongs to another run`, {
    reason,
    advice: elsewhere ?? otherFile,
  });

/** The receipt in the file that --receipt names. */
const findNamed = async (path: string, work: Work): Promise<FoundRun | undefined> => {
  const found = await open(path, work);
  if (found === undefined) return undefined;
  const { run } = found.history;
  if (run.key !== work.key)
    throw new SchedError('environment', 'The receipt was made with another key', {
      reason: `${path} was made with key ${run.key}, but the current key is ${work.key}`,
      advice: 'restore its key file and name it with --receipt-key-file',
    });
  if (!isSame(run, work)) throw otherRunError(work, 'its input, organization or endpoint is different');
  return found;
};

/** R37: within this time, the same input counts as the same request. */
const sameRequestMs = 12 * 3_600_000;

/** Two correct clocks may differ by this much. */
const skewMs = 5 * 60_000;

/** Whether a run ended recently. An end further in the future doesn't count: its clock was wrong. */
export const isRecent = (endedAt: string, now: number): boolean => {
  const age = now - Date.parse(endedAt);
  return age >= -skewMs && age < sameRequestMs;
};

/**
 * The known run of the same work to resume or report: an unfinished one of any date, or else one that ended within the
 * last 12 hours.
 */
const choose = async (folder: string, work: Work, now: number): Promise<KnownRun | undefined> => {
  let recent: KnownRun | undefined;
  const { runs } = await listRuns(folder);
  for (const known of runs) {
    if (!isSame(known.run, work)) continue;
    const endedAt = await doneAt(known.path);
    if (endedAt === undefined) return known;
    if (isRecent(endedAt, now)) recent ??= known;
  }
  return recent;
};

const findKept = async (folder: string, work: Work, now: number): Promise<FoundRun | undefined> => {
  const known = await choose(folder, work, now);
  return known === undefined ? undefined : open(known.path, work);
};

/** The unfinished or recently finished receipt of this work. Throws if --receipt names a receipt of other work. */
export const findRun = async (folder: string, work: Work, now: number): Promise<FoundRun | undefined> => {
  if (work.receipt === undefined) return findKept(folder, work, now);
  const named = await findNamed(work.receipt, work);
  if (named !== undefined && !isDone(named.history)) return named;
  // Ignore a damaged receipt here: naming another file is how the user gets past it.
  const kept = await findKept(folder, work, now).catch(fallBack(undefined, 'integrity'));
  if (kept === undefined || isDone(kept.history)) return named ?? kept;
  throw new SchedError('conflict', 'There is an unfinished run with the same input', {
    reason: `its receipt is ${kept.path}`,
    hint: { flags: { receipt: false } },
  });
};

/** The receipt that another process may be writing. Reads only its first and last lines. */
export const findRunInProgress = async (folder: string, work: Work, now: number): Promise<KnownRun | undefined> => {
  const run = work.receipt === undefined ? undefined : await firstLineOf(work.receipt);
  return run === undefined ? choose(folder, work, now) : { path: work.receipt!, run };
};
