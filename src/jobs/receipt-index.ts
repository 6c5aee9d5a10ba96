import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readPrivateFile, writePrivateFile } from '../state/files.ts';

/** A run whose receipt is outside the state directory, which only has the path. */
export interface IndexedReceipt {
  run: string;
  at: string;
  operation: string;
  /** Path of the receipt. */
  receipt: string;
}

const names = ['run', 'at', 'operation', 'receipt'] as const;
const ending = '.json';

export const isRunName = (word: string): boolean => /^[0-9A-Za-z-]{1,64}$/.test(word);

const fileOf = (folder: string, run: string): string => join(folder, 'elsewhere', `${run}${ending}`);

const read = async (path: string): Promise<IndexedReceipt | undefined> => {
  try {
    const facts = JSON.parse((await readPrivateFile(path)) ?? 'null') as IndexedReceipt | null;
    return names.every((name) => typeof facts?.[name] === 'string') ? facts! : undefined;
  } catch {
    return undefined;
  }
};

export const findIndexed = (folder: string, run: string): Promise<IndexedReceipt | undefined> =>
  isRunName(run) ? read(fileOf(folder, run)) : Promise.resolve(undefined);

export const listIndexed = async (folder: string): Promise<IndexedReceipt[]> => {
  const files = await readdir(join(folder, 'elsewhere')).catch(() => []);
  const found = await Promise.all(
    files.filter((name) => name.endsWith(ending)).map((name) => read(join(folder, 'elsewhere', name))),
  );
  return found.filter((each) => each !== undefined);
};

/** Stores the path of a receipt, unless it is stored already. */
export const addToIndex = async (folder: string, facts: IndexedReceipt, unique: string): Promise<void> => {
  if (!isRunName(facts.run)) return;
  if ((await findIndexed(folder, facts.run))?.receipt === facts.receipt) return;
  await writePrivateFile(fileOf(folder, facts.run), `${JSON.stringify(facts)}\n`, unique);
};
