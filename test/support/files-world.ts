import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
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

/** Runs work with other functions in a module such as `fs`. */
export const patched = async <Value>(module: object, functions: object, work: () => Promise<Value>): Promise<Value> => {
  const before = Object.fromEntries(Object.entries(module).filter(([name]) => name in functions));
  const use = (these: object) => {
    Object.assign(module, these);
    syncBuiltinESMExports();
  };
  use(functions);
  return work().finally(() => use(before));
};

/** A call that fails this often, and then works. */
export const failing = <Call extends (...words: never[]) => unknown>(code: string, times: number, call: Call): Call => {
  let left = times;
  return ((...words: Parameters<Call>) => {
    left -= 1;
    if (left < 0) return call(...words);
    const error = Object.assign(new Error(code), { code, syscall: call.name.replace('Sync', '') });
    if (call.name.endsWith('Sync')) throw error;
    return Promise.reject(error);
  }) as Call;
};

/** The inodes of files and directories that are put on disk during the work, in this order. */
export const syncedDuring = async (work: () => Promise<unknown>): Promise<number[]> => {
  const synced: number[] = [];
  const { fsyncSync } = fs;
  const handle = await fs.promises.open(process.cwd());
  const methods = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const { sync } = methods;
  async function syncHandle(this: FileHandle) {
    synced.push((await this.stat()).ino);
    return sync.call(this);
  }
  const syncNow = (descriptor: number) => {
    synced.push(fs.fstatSync(descriptor).ino);
    fsyncSync(descriptor);
  };
  methods.sync = syncHandle;
  await patched(fs, { fsyncSync: syncNow }, work).finally(() => {
    methods.sync = sync;
  });
  return synced;
};
