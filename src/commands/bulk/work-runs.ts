import { join } from 'node:path';
import { isObject, type Json, jsonIn } from '../../base/json.ts';
import { constants, open, readdir } from '../../node/files.ts';
import type { Disk } from '../../state/disk.ts';
import { type FileWorld, readPrivateFile, writePrivateFile } from '../../state/files.ts';
import { noWait } from '../../state/whole-file.ts';
import {
  type Damage,
  isDoneWith,
  type Receipt,
  type RunHistory,
  type RunLine,
  readReceipt,
  replay,
} from './work-receipt.ts';

export const receiptEnding = '.jsonl';

/** A run whose receipt is outside the state directory, which only has the path. */
export interface IndexedReceipt {
  run: string;
  at: string;
  operation: string;
  receipt: string;
}

const indexFields = ['run', 'at', 'operation', 'receipt'] as const;
const indexEnding = '.json';

export const isRunName = (word: string): boolean => /^[0-9A-Za-z-]{1,64}$/.test(word);

const indexFolder = 'receipt-index';
/** Version 0.1 wrote the index here. */
const folders = [indexFolder, 'elsewhere'];

const indexFileName = (run: string): string => `${run}${indexEnding}`;

const readIndexed = async (path: string): Promise<IndexedReceipt | undefined> => {
  const facts = jsonIn((await readPrivateFile(path).catch(() => undefined)) ?? '') as IndexedReceipt | undefined;
  return indexFields.every((name) => typeof facts?.[name] === 'string') ? facts : undefined;
};

export const findIndexed = async (folder: string, run: string): Promise<IndexedReceipt | undefined> => {
  if (!isRunName(run)) return undefined;
  const places = await Promise.all(folders.map((each) => readIndexed(join(folder, each, indexFileName(run)))));
  return places.find((each) => each !== undefined);
};

const listIndexed = async (folder: string): Promise<IndexedReceipt[]> => {
  const lists = await Promise.all(folders.map((each) => readdir(join(folder, each)).catch(() => [])));
  const runs = new Set(lists.flat().filter((name) => name.endsWith(indexEnding)));
  const places = await Promise.all([...runs].map((name) => findIndexed(folder, name.slice(0, -indexEnding.length))));
  return places.filter((each) => each !== undefined);
};

/** Stores the path of a receipt, unless it is stored already. */
export const addToIndex = async (folder: string, facts: IndexedReceipt, world: FileWorld): Promise<void> => {
  if (!isRunName(facts.run)) return;
  if ((await findIndexed(folder, facts.run))?.receipt === facts.receipt) return;
  await writePrivateFile(join(folder, indexFolder, indexFileName(facts.run)), `${JSON.stringify(facts)}\n`, world);
};

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
  if (line?.type !== 'end') return undefined;
  const run = line.unknown === 0 ? undefined : await firstLineOf(path);
  return isDoneWith(line.unknown, run) ? String(line.at) : undefined;
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
  const lostReceipts: IndexedReceipt[] = [];
  for (const name of names.filter((each) => each.endsWith(receiptEnding))) {
    const path = join(folder, name);
    const run = await firstLineOf(path);
    if (run !== undefined) runs.push({ path, run });
  }
  for (const place of await listIndexed(folder)) {
    const run = await firstLineOf(place.receipt);
    // The file may have been replaced by the receipt of another run.
    if (run?.run === place.run) runs.push({ path: place.receipt, run });
    else lostReceipts.push(place);
  }
  return { runs: runs.sort((one, other) => (one.run.at < other.run.at ? 1 : -1)), lost: lostReceipts };
};

export interface OpenedReceipt {
  receipt: Receipt;
  history: RunHistory;
}

/** Reads and checks a receipt; `undefined` if the file doesn't exist. */
export const openReceipt = async (
  disk: Disk,
  path: string,
): Promise<({ ok: true } & OpenedReceipt) | ({ ok: false } & Damage) | undefined> => {
  const bytes = await disk.read(path);
  if (bytes === undefined) return undefined;
  const reading = readReceipt(bytes);
  if (!reading.ok) return reading;
  const history = replay(reading);
  return history.ok ? { ok: true, receipt: reading, history } : history;
};
