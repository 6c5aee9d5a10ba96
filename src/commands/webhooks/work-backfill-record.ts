import { join } from 'node:path';
import { SchedError } from '../../base/errors.ts';
import { isCount } from '../../base/numbers.ts';
import { stat } from '../../node/files.ts';
import { ensureLastingDirectory } from '../../state/directories.ts';
import { realDisk } from '../../state/disk.ts';
import { createLock, type LockOptions } from '../../state/lock.ts';
import { readReceipt } from '../bulk/work-receipt.ts';
import { continueReceipt, type ReceiptFile, startReceipt } from '../bulk/work-receipt-file.ts';

/*
 * What a handler has accepted from backfills, in a file per handler and choice of events. Lines are chained as in receipts,
 * and have digests and times only.
 */

export type RecordLine =
  | { type: 'begin'; backfill: 1; at: string; since: number; until: number; total: number }
  | { type: 'accepted' | 'failed'; at: string; delivery: string; attempts: number; status?: number | undefined }
  | { type: 'end'; at: string; accepted: number; failed: number };

export interface BackfillRecord {
  readonly path: string;
  /** What it has accepted, or only that of a backfill that has not ended: what `again` repeats must not begin anew. */
  readonly accepted: ReadonlySet<string>;
  /** Where the stretch of a backfill begins that has not ended. */
  readonly openSince: number | undefined;
  /** Starts or continues the file. */
  begin(line: Extract<RecordLine, { type: 'begin' }>): Promise<ReceiptFile<RecordLine>>;
  close(): Promise<void>;
}

const inUse = (pid: number, since: string): SchedError =>
  new SchedError('conflict', 'Another backfill to this handler is running', {
    reason: `process ${pid} has been running since ${since}`,
    advice: 'wait for it to finish, then run the same command again',
  });

const damaged = (path: string, line: number, problem: string): SchedError =>
  new SchedError('integrity', `The record of backfills ${path} is damaged: edited at line ${line}`, {
    reason: `${problem}; nothing is sent`,
    advice: 'move the file away: then everything of the stretch is sent again',
  });

/** Takes the lock, or throws an error that names the process that has it. */
export const openRecord = async (
  options: Pick<LockOptions, 'directory' | 'name' | 'machine' | 'clock' | 'randomBytes' | 'interrupted'>,
  { isSandbox, again }: { isSandbox: boolean; again: boolean },
): Promise<BackfillRecord> => {
  const { directory, name, randomBytes } = options;
  ensureLastingDirectory(directory);
  const path = join(directory, `${name}.jsonl`);
  const lastSeen = async () => (await stat(path).catch(() => undefined))?.mtimeMs;
  const lock = createLock({ ...options, directory: join(directory, 'locks'), waitMs: 0, lastSeen, busy: inUse });
  const held = (await lock.acquire())!;
  let file: ReceiptFile<RecordLine> | undefined;
  try {
    const bytes = await realDisk.read(path);
    const reading = bytes && readReceipt(bytes);
    if (reading?.ok === false) throw damaged(path, reading.line, reading.problem);
    const accepted = new Set<string>();
    let openSince: number | undefined;
    for (const { type, delivery, since } of reading?.lines ?? []) {
      if (type === 'accepted') accepted.add(String(delivery));
      if (type === 'begin' && isCount(since)) openSince = Math.min(openSince ?? since, since);
      if (type !== 'end') continue;
      openSince = undefined;
      if (again) accepted.clear();
    }
    return {
      path,
      accepted,
      openSince,
      begin: async (line) => {
        if (reading === undefined) {
          const unique = Buffer.from(randomBytes(8)).toString('hex');
          file = await startReceipt<RecordLine>(realDisk, path, line, isSandbox, unique);
        } else {
          file = await continueReceipt<RecordLine>(realDisk, path, reading);
          file.write(line);
        }
        return file;
      },
      close: async () => {
        await file?.close();
        await held.release();
      },
    };
  } catch (error) {
    await held.release();
    throw error;
  }
};
