import { join, resolve } from 'node:path';
import { SchedError } from '../../errors.ts';
import { realDisk } from '../../jobs/disk.ts';
import { type Finding, verify } from '../../jobs/evidence.ts';
import { listRuns, receiptEnding } from '../../jobs/runs.ts';
import { receiptFolder } from '../bulk/run.ts';
import type { Context } from '../context.ts';

export const deletionOperation = 'compliance.delete';

const missing = (word: string): SchedError =>
  new SchedError('not-found', `There is no receipt ${word}`, {
    reason: 'it is neither a file nor a run in the state directory',
    hint: 'sched compliance runs',
    outcome: 'not-sent',
  });

/** The bytes of a receipt, named by its file or by its run. */
export const loadReceipt = async (context: Context, word: string): Promise<{ path: string; bytes: Buffer }> => {
  const isRun = /^[0-9A-Za-z-]{1,64}$/.test(word);
  const paths = [...(isRun ? [join(receiptFolder(context), `${word}${receiptEnding}`)] : []), resolve(word)];
  for (const path of paths) {
    const bytes = await realDisk.read(path).catch((error: unknown) => {
      if (isRun && path !== paths.at(-1)) return undefined;
      throw error;
    });
    if (bytes !== undefined) return { path, bytes };
  }
  throw missing(word);
};

/** One run as it is listed. */
export const runRecord = (path: string, { status, story, head, sandbox, finding }: Finding) => ({
  run: story?.run.run ?? null,
  started_at: story?.firstAt ?? null,
  ended_at: story?.endedAt ?? null,
  status,
  total: story?.counts.total ?? null,
  accepted: story?.counts.accepted ?? null,
  rejected: story?.counts.rejected ?? null,
  unknown: story?.counts.unknown ?? null,
  skipped: story?.counts.skipped ?? null,
  organization: story?.run.organization ?? null,
  owner: story?.run.owner ?? null,
  endpoint: story?.run.endpoint ?? null,
  tool: story?.run.tool ?? null,
  sandbox,
  finding,
  receipt: path,
  head,
});

export type RunRecord = ReturnType<typeof runRecord>;

/** Every deletion run whose receipt is in the state directory, the newest first. */
export async function* deletionRuns(context: Context): AsyncGenerator<RunRecord[]> {
  for (const { path, run } of await listRuns(receiptFolder(context))) {
    if (run.operation !== deletionOperation) continue;
    const bytes = await realDisk.read(path);
    if (bytes !== undefined) yield [{ ...runRecord(path, verify(bytes)), run: run.run }];
  }
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
