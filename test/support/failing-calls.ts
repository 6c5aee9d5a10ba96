import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

type Call = 'openSync' | 'readdirSync' | 'rm' | 'rmSync' | 'mkdtemp';

/** Lets a call of the disk fail with EACCES for some paths while work is done. */
export const whileFailing = async <Result>(
  call: Call,
  isHit: (path: string) => boolean,
  work: () => Promise<Result>,
): Promise<Result> => {
  const calls = (call.endsWith('Sync') ? fs : promises) as unknown as Record<Call, (...words: unknown[]) => unknown>;
  const real = calls[call];
  const fail = () => {
    throw Object.assign(new Error('EACCES'), { code: 'EACCES', syscall: call.replace('Sync', '') });
  };
  const failLater = async () => fail();
  calls[call] = (...words) => {
    if (!isHit(String(words[0]))) return real(...words);
    return call.endsWith('Sync') ? fail() : failLater();
  };
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    calls[call] = real;
    syncBuiltinESMExports();
  }
};
