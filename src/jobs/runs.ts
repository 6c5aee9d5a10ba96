import { constants } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { noWait } from '../state/whole-file.ts';
import type { Disk } from './disk.ts';
import {
  type Damage,
  type EndLine,
  type Receipt,
  type RunHistory,
  type RunLine,
  readReceipt,
  replay,
} from './receipt.ts';
import { type IndexedReceipt, listIndexed } from './receipt-index.ts';

export const receiptEnding = '.jsonl';

const opened = (path: string): Promise<FileHandle | undefined> =>
  open(path, constants.O_RDONLY | noWait).catch(() => undefined);

/** Longer than any first line. */
const longestFirstLine = 8192;

/** The first line of a receipt, unchecked, or undefined if it can't be read. */
export const firstLineOf = async (path: string): Promise<RunLine | undefined> => {
  const handle = await opened(path);
  if (handle === undefined) return undefined;
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(longestFirstLine), 0, longestFirstLine, 0);
    const end = buffer.indexOf(0x0a);
    if (end < 0 || end >= bytesRead) return undefined;
    const line = JSON.parse(buffer.toString('latin1', 0, end)) as Partial<RunLine> | null;
    return line?.type === 'run' && typeof line.at === 'string' ? (line as RunLine) : undefined;
  } catch {
    return undefined;
  } finally {
    await handle.close();
  }
};

/** Longer than any last line of a finished receipt. */
const longestEnd = 1024;

/**
 * When a run was completed according to its receipt, unchecked, or undefined if it wasn't. Reads only the last line,
 * because there may be years of daily receipts for the same input.
 */
export const doneAt = async (path: string): Promise<string | undefined> => {
  const handle = await opened(path);
  if (handle === undefined) return undefined;
  try {
    const { size } = await handle.stat();
    const { bytesRead, buffer } = await handle.read(
      Buffer.alloc(longestEnd),
      0,
      longestEnd,
      Math.max(0, size - longestEnd),
    );
    const text = buffer.toString('latin1', 0, bytesRead);
    if (!text.endsWith('\n')) return undefined;
    const line = JSON.parse(text.slice(text.lastIndexOf('\n', text.length - 2) + 1)) as Partial<EndLine> | null;
    return line?.type === 'end' && line.unknown === 0 ? line.at : undefined;
  } catch {
    return undefined;
  } finally {
    await handle.close();
  }
};

export interface KnownRun {
  path: string;
  run: RunLine;
}

const isNewer = (one: KnownRun, other: KnownRun): number => (one.run.at < other.run.at ? 1 : -1);

/** The receipts in a folder and those elsewhere in its index. Only first lines are read, and nothing is checked yet. */
export const surveyRuns = async (folder: string): Promise<{ runs: KnownRun[]; lost: IndexedReceipt[] }> => {
  const names = await readdir(folder).catch(() => []);
  const runs: KnownRun[] = [];
  const lost: IndexedReceipt[] = [];
  for (const name of names.filter((each) => each.endsWith(receiptEnding))) {
    const path = join(folder, name);
    const run = await firstLineOf(path);
    if (run !== undefined) runs.push({ path, run });
  }
  for (const place of await listIndexed(folder)) {
    const run = await firstLineOf(place.receipt);
    // The file may have been replaced by the receipt of another run.
    if (run?.run === place.run) runs.push({ path: place.receipt, run });
    else lost.push(place);
  }
  return { runs: runs.sort(isNewer), lost };
};

/** All known runs, newest first. */
export const listRuns = async (folder: string): Promise<KnownRun[]> => (await surveyRuns(folder)).runs;

export type Opened = { ok: true; receipt: Receipt; history: RunHistory } | ({ ok: false } & Damage);

/** Reads and checks a receipt; `undefined` if the file doesn't exist. */
export const openReceipt = async (disk: Disk, path: string): Promise<Opened | undefined> => {
  const bytes = await disk.read(path);
  if (bytes === undefined) return undefined;
  const reading = readReceipt(bytes);
  if (!reading.ok) return reading;
  const history = replay(reading);
  return history.ok ? { ok: true, receipt: reading, history } : history;
};
