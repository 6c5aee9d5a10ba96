import { join } from 'node:path';
import type { RandomBytes } from '../base/system.ts';
import { existsSync } from '../node/files.ts';
import { ensureLastingDirectory } from './directories.ts';
import { realDisk } from './disk.ts';

/*
 * Marks of people whose data was deleted at the service, for the mirrors of this user: keyed hashes of their addresses,
 * one per line, after the key. The file outlives the mirrors, so nobody comes back with a new one.
 */

export interface StoredMarks {
  key: string;
  macs: readonly string[];
}

export interface MarkStore {
  /** Undefined if nobody was marked yet. */
  read(): Promise<StoredMarks | undefined>;
  /** Adds the marks that this key makes. They are kept when this resolves. */
  add(marksWith: (key: string) => readonly string[]): Promise<void>;
}

/** A key of 32 bytes, in hexadecimal digits. */
export const newMarkKey = (randomBytes: RandomBytes): string => Buffer.from(randomBytes(32)).toString('hex');

const isMark = (line: string): boolean => /^[\w-]{43}$/.test(line);

export const fileMarks = (folder: string, randomBytes: RandomBytes): MarkStore => {
  const path = join(folder, 'forgotten');
  const read = async (): Promise<StoredMarks | undefined> => {
    const text = (await realDisk.read(path))?.toString('latin1');
    const [key = '', ...lines] = text?.split('\n') ?? [];
    // A line that a killed process didn't finish is no mark.
    return key === '' ? undefined : { key, macs: lines.filter(isMark) };
  };
  return {
    read,
    add: async (marksWith) => {
      ensureLastingDirectory(folder);
      if (!existsSync(path)) {
        const unique = Buffer.from(randomBytes(8)).toString('hex');
        await realDisk.create(path, `${newMarkKey(randomBytes)}\n`, unique).catch((error: unknown) => {
          // Another process was faster.
          if (!existsSync(path)) throw error;
        });
      }
      const { key, macs } = (await read())!;
      const known = new Set(macs);
      const fresh = marksWith(key).filter((mac) => !known.has(mac));
      if (fresh.length === 0) return;
      const file = await realDisk.open(path);
      try {
        file.append(`\n${fresh.join('\n')}\n`);
        file.sync();
      } finally {
        await file.close();
      }
    },
  };
};
