import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { clock } from '../../src/node/clock.ts';
import type { FileWorld } from '../../src/state/files.ts';

/** The world of code that writes files. */
export const filesWith = (more: Partial<FileWorld> = {}): FileWorld => ({
  platform: process.platform,
  clock,
  randomBytes,
  ...more,
});

type DiskCalls = Partial<Pick<typeof fs.promises, 'link' | 'rename'>>;

/** Runs work on a disk that behaves differently, such as one of Windows. */
export const onDisk = async <Value>(calls: DiskCalls, work: () => Promise<Value>): Promise<Value> => {
  const { link, rename } = fs.promises;
  const use = (functions: DiskCalls) => {
    Object.assign(fs.promises, functions);
    syncBuiltinESMExports();
  };
  use(calls);
  return work().finally(() => use({ link, rename }));
};

/** A call that fails this often, as Windows lets it fail, and then works. */
export const failing = (code: string, times: number, call: typeof fs.promises.rename) => {
  let left = times;
  return async (from: fs.PathLike, to: fs.PathLike): Promise<void> => {
    left -= 1;
    if (left >= 0) throw Object.assign(new Error(code), { code });
    return call(from, to);
  };
};
