import { join } from 'node:path';
import { SchedError } from '../base/errors.ts';
import type { RandomBytes } from '../base/system.ts';
import { existsSync } from '../node/files.ts';
import { ensureLastingDirectory } from './directories.ts';
import { attempt, realDisk } from './disk.ts';
import { syncDirectory, writeWholeFile } from './whole-file.ts';

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

const keyless = (path: string): SchedError =>
  new SchedError('environment', `Can't read ${path}`, {
    reason: 'it has no key',
    advice: ['delete it, and the mirrors of ', { command: ['mirror', 'status'], flags: { all: true } }],
    outcome: 'not-sent',
  });

export const fileMarks = (folder: string, randomBytes: RandomBytes): MarkStore => {
  const path = join(folder, 'forgotten');
  const read = async (): Promise<StoredMarks | undefined> => {
    const text = (await realDisk.read(path))?.toString('latin1');
    if (text === undefined) return undefined;
    const [key = '', ...lines] = text.split('\n');
    // Without the key, nobody who is marked would be known again.
    if (key === '') throw keyless(path);
    // A line that a killed process didn't finish is no mark.
    return { key, macs: lines.filter(isMark) };
  };
  return {
    read,
    add: async (marksWith) => {
      ensureLastingDirectory(folder);
      const draft = `${path}.${Buffer.from(randomBytes(8)).toString('hex')}`;
      if (!existsSync(path))
        await attempt('write', path, () =>
          writeWholeFile(path, { content: `${newMarkKey(randomBytes)}\n`, draft, stays: true }),
        ).catch((error: unknown) => {
          // Another process was faster.
          if (!existsSync(path)) throw error;
        });
      const { key, macs } = (await read())!;
      const known = new Set(macs);
      const fresh = marksWith(key).filter((mac) => !known.has(mac));
      if (fresh.length > 0) {
        const file = await realDisk.open(path);
        try {
          file.append(`\n${fresh.join('\n')}\n`);
          file.sync();
        } finally {
          await file.close();
        }
      }
      // The process that made the file may have failed to put its name on disk.
      await attempt('write', path, () => syncDirectory(folder));
    },
  };
};
