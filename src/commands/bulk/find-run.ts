import { join } from 'node:path';
import { fallBack, SchedError } from '../../base/errors.ts';
import { hour } from '../../base/milliseconds.ts';
import { the, type Words, words } from '../../base/words.ts';
import type { Context } from '../../cli/session/context.ts';
import { stateDirectory } from '../../cli/session/shared-state.ts';
import { realDisk } from '../../state/disk.ts';
import { isRunDone, type RunLine } from './work-receipt.ts';
import { doneAt, firstLineOf, type KnownRun, listRuns, type OpenedReceipt, openReceipt } from './work-runs.ts';

/** The folder for receipts, unless --receipt names a file. */
export const receiptFolder = ({ runtime }: Context): string => {
  const directory = stateDirectory(runtime);
  if (directory !== undefined) return join(directory, 'receipts');
  throw new SchedError('environment', "Can't store receipts and locks", {
    reason: "the home directory doesn't exist",
    advice: 'set SCHED_STATE_DIR to a directory for them',
  });
};

const damagedReceipt = (path: string, line: number, problem: string, { elsewhere }: Work): SchedError =>
  new SchedError('integrity', `The receipt ${path} is damaged: edited at line ${line}`, {
    reason: `${problem}; the file is left unchanged, and nothing is sent`,
    advice: words`restore the receipt from a backup, or ${elsewhere ?? otherFile}`,
  });

/** The work that a run does. `receipt` is the file that --receipt names, `elsewhere` how to name another place. */
type Work = Pick<RunLine, 'operation' | 'input' | 'endpoint' | 'organization' | 'key'> & {
  receipt: string | undefined;
  elsewhere?: Words;
};

const otherFile = words`name another file with ${the('receipt')}`;

const isSameWork = (run: RunLine, work: Work): boolean =>
  run.operation === work.operation &&
  run.input === work.input &&
  run.endpoint === work.endpoint &&
  run.organization === work.organization;

export interface FoundRun extends OpenedReceipt {
  path: string;
}

const openRun = async (path: string, work: Work): Promise<FoundRun | undefined> => {
  const receipt = await openReceipt(realDisk, path);
  if (receipt === undefined) return undefined;
  if (!receipt.ok) throw damagedReceipt(path, receipt.line, receipt.problem, work);
  return { path, ...receipt };
};

export const otherRunError = ({ receipt, elsewhere }: Work, reason: string): SchedError =>
  new SchedError('conflict', `The receipt ${receipt} belongs to another run`, {
    reason,
    advice: elsewhere ?? otherFile,
  });

/** The receipt in the file that --receipt names. */
const findNamedRun = async (path: string, work: Work): Promise<FoundRun | undefined> => {
  const namedRun = await openRun(path, work);
  if (namedRun === undefined) return undefined;
  const { run } = namedRun.history;
  if (run.key !== work.key)
    throw new SchedError('environment', 'The receipt was made with another key', {
      reason: `${path} was made with key ${run.key}, but the current key is ${work.key}`,
      advice: words`restore its key file and name it with ${the('receiptKeyFile')}`,
    });
  if (!isSameWork(run, work)) throw otherRunError(work, 'its input, organization or endpoint is different');
  return namedRun;
};

/** R37: within this time, the same input counts as the same request. */
const sameRequestMs = 12 * hour;

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
const chooseKnownRun = async (folder: string, work: Work, now: number): Promise<KnownRun | undefined> => {
  let recentRun: KnownRun | undefined;
  const { runs } = await listRuns(folder);
  for (const candidate of runs) {
    if (!isSameWork(candidate.run, work)) continue;
    const endedAt = await doneAt(candidate.path);
    if (endedAt === undefined) return candidate;
    if (isRecent(endedAt, now)) recentRun ??= candidate;
  }
  return recentRun;
};

const findSameRun = async (folder: string, work: Work, now: number): Promise<FoundRun | undefined> => {
  const run = await chooseKnownRun(folder, work, now);
  return run === undefined ? undefined : openRun(run.path, work);
};

/** The unfinished or recently finished receipt of this work. Throws if --receipt names a receipt of other work. */
export const findRun = async (folder: string, work: Work, now: number): Promise<FoundRun | undefined> => {
  if (work.receipt === undefined) return findSameRun(folder, work, now);
  const namedRun = await findNamedRun(work.receipt, work);
  if (namedRun !== undefined && !isRunDone(namedRun.history)) return namedRun;
  // Ignore a damaged receipt here: naming another file is how the user gets past it.
  const sameRun = await findSameRun(folder, work, now).catch(fallBack(undefined, 'integrity'));
  if (sameRun === undefined || isRunDone(sameRun.history)) return namedRun ?? sameRun;
  throw new SchedError('conflict', 'There is an unfinished run with the same input', {
    reason: `its receipt is ${sameRun.path}`,
    hint: { flags: { receipt: false } },
  });
};

/** The receipt that another process may be writing. Reads only its first and last lines. */
export const findRunInProgress = async (folder: string, work: Work, now: number): Promise<KnownRun | undefined> => {
  const run = work.receipt === undefined ? undefined : await firstLineOf(work.receipt);
  return run === undefined ? chooseKnownRun(folder, work, now) : { path: work.receipt!, run };
};
