import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { jsonIn } from '../json.ts';
import { readPrivateFile, writePrivateFile } from '../state/files.ts';

/** A run whose receipt is outside the state directory, which only has the path. */
export interface IndexedReceipt {
  run: string;
  at: string;
  operation: string;
  receipt: string;
}

const names = ['run', 'at', 'operation', 'receipt'] as const;
const ending = '.json';

export const isRunName = (word: string): boolean => /^[0-9A-Za-z-]{1,64}$/.test(word);

const indexFolder = 'receipt-index';
/** Version 0.1 wrote the index here. */
const folders = [indexFolder, 'elsewhere'];

const nameOf = (run: string): string => `${run}${ending}`;

const read = async (path: string): Promise<IndexedReceipt | undefined> => {
  const facts = jsonIn((await readPrivateFile(path).catch(() => undefined)) ?? '') as IndexedReceipt | undefined;
  return names.every((name) => typeof facts?.[name] === 'string') ? facts : undefined;
};

export const findIndexed = async (folder: string, run: string): Promise<IndexedReceipt | undefined> => {
  if (!isRunName(run)) return undefined;
  const found = await Promise.all(folders.map((each) => read(join(folder, each, nameOf(run)))));
  return found.find((each) => each !== undefined);
};

export const listIndexed = async (folder: string): Promise<IndexedReceipt[]> => {
  const lists = await Promise.all(folders.map((each) => readdir(join(folder, each)).catch(() => [])));
  const runs = new Set(lists.flat().filter((name) => name.endsWith(ending)));
  const found = await Promise.all([...runs].map((name) => findIndexed(folder, name.slice(0, -ending.length))));
  return found.filter((each) => each !== undefined);
};

/** Stores the path of a receipt, unless it is stored already. */
export const addToIndex = async (folder: string, facts: IndexedReceipt, unique: string): Promise<void> => {
  if (!isRunName(facts.run)) return;
  if ((await findIndexed(folder, facts.run))?.receipt === facts.receipt) return;
  await writePrivateFile(join(folder, indexFolder, nameOf(facts.run)), `${JSON.stringify(facts)}\n`, unique);
};
