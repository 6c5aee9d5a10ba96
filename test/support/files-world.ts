import { randomBytes } from 'node:crypto';
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
