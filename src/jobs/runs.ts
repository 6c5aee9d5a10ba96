import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, type Json } from '../json.ts';
import { noWait } from '../state/whole-file.ts';
import type { Disk } from './disk.ts';
import { type Damage, type Receipt, type RunHistory, type RunLine, readReceipt, replay } from './receipt.ts';
import { type IndexedReceipt, listIndexed } from './receipt-index.ts';

export const receiptEnding = '.jsonl';

/** Longer than the first line of any receipt, and than the last one of a finished receipt. */
const longestLine = 8192;

/** The first or the last line of a receipt, unchecked, or undefined if it can't be read. */
const lineAt = async (path: string, edge: 'start' | 'end'): Promise<Json | undefined> => {
  try {
    const handle = await open(path, constants.O_RDONLY | noWait);
    try {
      const from = edge === 'start' ? 0 : Math.max(0, (await handle.stat()).size - longestLine);
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(longestLine), 0, longestLine, from);
      const lines = buffer.toString('latin1', 0, bytesRead).split('\n');
      // What follows the last line break is empty, or a line that was cut off.
      const isWhole = lines.pop() === '';
      const line: unknown = JSON.parse((edge === 'start' ? lines[0] : lines.at(-1)) ?? '');
      return isObject(line) && (edge === 'start' || isWhole) ? line : undefined;
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
};

/** The first line of a receipt, unchecked, or undefined if it can't be read. */
export const firstLineOf = async (path: string): Promise<RunLine | undefined> => {
  const line = await lineAt(path, 'start');
  return line?.type === 'run' && typeof line.at === 'string' ? (line as unknown as RunLine) : undefined;
};

/**
 * When a run was completed according to its receipt, unchecked, or undefined if it wasn't. Reads only the last line,
 * because there may be years of daily receipts for the same input.
 */
export const doneAt = async (path: string): Promise<string | undefined> => {
  const line = await lineAt(path, 'end');
  return line?.type === 'end' && line.unknown === 0 ? String(line.at) : undefined;
};

export interface KnownRun {
  path: string;
  run: RunLine;
}

/**
 * The receipts in a folder and those elsewhere in its index, newest first. Only first lines are read, and nothing is
 * checked yet.
 */
export const listRuns = async (folder: string): Promise<{ runs: KnownRun[]; lost: IndexedReceipt[] }> => {
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
  return { runs: runs.sort((one, other) => (one.run.at < other.run.at ? 1 : -1)), lost };
};

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
