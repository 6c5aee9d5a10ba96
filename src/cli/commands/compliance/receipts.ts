import { join, resolve } from 'node:path';
import { SchedError } from '../../../errors.ts';
import { realDisk } from '../../../jobs/disk.ts';
import { findIndexed, type IndexedReceipt, isRunName } from '../../../jobs/receipt-index.ts';
import { firstLineOf, receiptEnding, surveyRuns } from '../../../jobs/runs.ts';
import { type Finding, verify } from '../../../jobs/verify-receipt.ts';
import { commandLine } from '../../messages/shell-line.ts';
import type { Context } from '../../session/context.ts';
import { receiptFolder } from '../bulk/find-run.ts';

export const deletionOperation = 'compliance.delete';

const missing = (word: string, place: IndexedReceipt | undefined): SchedError =>
  new SchedError('not-found', `There is no receipt ${word}`, {
    reason:
      place === undefined
        ? 'it is neither a file nor a run that is known here'
        : `it was written to ${place.receipt}, and is not there any more`,
    hint: 'sched compliance runs',
    outcome: 'not-sent',
  });

/** Where the receipt of a run may be, the likeliest place first. */
const placesOf = async (context: Context, word: string, place: IndexedReceipt | undefined): Promise<string[]> => {
  if (!isRunName(word)) return [resolve(word)];
  const isThere = place !== undefined && (await firstLineOf(place.receipt))?.run === place.run;
  return [join(receiptFolder(context), `${word}${receiptEnding}`), ...(isThere ? [place.receipt] : []), resolve(word)];
};

/** The bytes of a receipt, named by its file or by its run. */
export const loadReceipt = async (context: Context, word: string): Promise<{ path: string; bytes: Buffer }> => {
  const place = await findIndexed(receiptFolder(context), word);
  const paths = await placesOf(context, word, place);
  for (const path of paths) {
    const bytes = await realDisk.read(path).catch((error: unknown) => {
      if (path !== paths.at(-1)) return undefined;
      throw error;
    });
    if (bytes !== undefined) return { path, bytes };
  }
  throw missing(word, place);
};

/** A receipt, checked, whose history can be told; only that of a deletion. */
export const loadDeletion = async (context: Context, word: string) => {
  const { path, bytes } = await loadReceipt(context, word);
  const finding = verify(bytes);
  const { history } = finding;
  if (history === undefined) throw findingError(finding)!;
  const { operation } = history.run;
  if (operation === deletionOperation) return { path, bytes, finding, history };
  throw new SchedError('usage', `The receipt ${word} is not that of a deletion`, {
    reason: `it is of ${operation}`,
    hint: commandLine('compliance', 'verify', word),
    outcome: 'not-sent',
  });
};

/** One run as it is listed. */
export const runRecord = (path: string, { status, history, head, sandbox, finding }: Finding) => ({
  run: history?.run.run ?? null,
  started_at: history?.firstAt ?? null,
  ended_at: history?.endedAt ?? null,
  status,
  total: history?.counts.total ?? null,
  accepted: history?.counts.accepted ?? null,
  rejected: history?.counts.rejected ?? null,
  unknown: history?.counts.unknown ?? null,
  skipped: history?.counts.skipped ?? null,
  organization: history?.run.organization ?? null,
  owner: history?.run.owner ?? null,
  endpoint: history?.run.endpoint ?? null,
  tool: history?.run.tool ?? null,
  sandbox,
  finding,
  receipt: path,
  head,
});

export type RunRecord = Omit<ReturnType<typeof runRecord>, 'status'> & { status: Finding['status'] | 'missing' };

const lostRecord = ({ run, at, receipt }: IndexedReceipt): RunRecord => {
  const finding = 'missing: the receipt is not where it was written; give its file in place of the run';
  const nothing = runRecord(receipt, { status: 'edited', finding, head: '', sandbox: false });
  return { ...nothing, run, started_at: at, status: 'missing' };
};

/** A table has the widths that its first page needs. */
const mostInAPage = 100;

/** Every deletion run that is known here, the newest first; what became of a receipt elsewhere is said of it. */
export async function* deletionRuns(context: Context): AsyncGenerator<RunRecord[]> {
  const { runs, lost } = await surveyRuns(receiptFolder(context));
  const all = [
    ...runs.map(({ path, run }) => ({ path, place: run })),
    ...lost.map((place) => ({ path: undefined, place })),
  ].filter(({ place }) => place.operation === deletionOperation);
  all.sort((one, other) => (one.place.at < other.place.at ? 1 : -1));
  let page: RunRecord[] = [];
  for (const { path, place } of all) {
    const bytes = path === undefined ? undefined : await realDisk.read(path);
    if (bytes !== undefined) page.push({ ...runRecord(path!, verify(bytes)), run: place.run });
    else if (path === undefined) page.push(lostRecord(place));
    if (page.length < mostInAPage) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/** The error that a finding is, or nothing where it is none. */
export const findingError = ({ status, finding }: Finding): SchedError | undefined => {
  if (status === 'ok') return undefined;
  const words = `${finding[0]!.toUpperCase()}${finding.slice(1)}`;
  return new SchedError(status === 'incomplete' ? 'partial' : 'integrity', words, {
    outcome: 'not-sent',
    answered: true,
  });
};
