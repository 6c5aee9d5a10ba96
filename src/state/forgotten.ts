import { join } from 'node:path';
import { SchedError } from '../base/errors.ts';
import type { RandomBytes } from '../base/system.ts';
import { existsSync } from '../node/files.ts';
import { ensureLastingDirectory } from './directories.ts';
import { attempt, realDisk } from './disk.ts';
import { keepChange, writeWholeFile } from './whole-file.ts';

/*
 * Marks of people whose data was deleted at the service, for the mirrors of this user: keyed hashes of their addresses,
 * with the keys, one per line. The file outlives the mirrors, so nobody comes back with a new one.
 */

/** Keeps keys and the marks that were made with them, in any order. Any mark may be of any key. */
export interface MarkStore {
  /** Empty if nobody was marked yet. */
  read(): Promise<readonly string[]>;
  /** Adds lines. They are kept when this resolves, and so are those that were read. */
  add(lines: readonly string[]): Promise<void>;
}

/** A key of 32 bytes, in hexadecimal digits. */
export const newMarkKey = (randomBytes: RandomBytes): string => Buffer.from(randomBytes(32)).toString('hex');

export const isMarkKey = (line: string): boolean => /^[\da-f]{64}$/.test(line);

/** The keys and marks in a text. A line that a killed process didn't finish is none. */
export const markLinesIn = (text = ''): string[] =>
  text.split('\n').filter((line) => isMarkKey(line) || /^[\w-]{43}$/.test(line));

const keyless = (path: string): SchedError =>
  new SchedError('environment', `Can't read ${path}`, {
    reason: 'it has no key',
    advice: ['delete it, and the mirrors of ', { command: ['mirror', 'status'], flags: { all: true } }],
    outcome: 'not-sent',
  });

export const fileMarks = (folder: string, randomBytes: RandomBytes): MarkStore => {
  const path = join(folder, 'forgotten');
  return {
    read: async () => {
      const text = (await realDisk.read(path))?.toString('latin1');
      const lines = markLinesIn(text);
      // Without a key, nobody who is marked would be known again.
      if (text !== undefined && !lines.some(isMarkKey)) throw keyless(path);
      return lines;
    },
    add: async (lines) => {
      ensureLastingDirectory(folder);
      const draft = `${path}.${Buffer.from(randomBytes(8)).toString('hex')}`;
      const content = `\n${lines.join('\n')}\n`;
      const isMade =
        !existsSync(path) &&
        (await attempt('write', path, () => writeWholeFile(path, { content, draft, stays: true })).then(
          () => true,
          (error: unknown) => {
            // Another process was faster.
            if (!existsSync(path)) throw error;
          },
        ));
      if (isMade) return;
      const file = await realDisk.open(path);
      try {
        if (lines.length > 0) file.append(content);
        // Also for lines of a process that couldn't put them on disk.
        file.sync();
      } finally {
        await file.close();
      }
      await keepChange(path, 'written');
    },
  };
};
