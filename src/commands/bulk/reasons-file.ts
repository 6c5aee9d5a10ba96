import { hash } from 'node:crypto';
import { join } from 'node:path';
import { isObject } from '../../base/json.ts';
import { readCacheFile, writeCache } from '../../cli/session/identity.ts';
import type { Runtime } from '../../runtime.ts';
import { directory } from '../../state/paths.ts';

/*
 * Why lines of a run failed, for the same command again. A receipt has no words of the service, so they are kept in the
 * cache. Without them, the status has to do.
 */

export interface Reason {
  problem: string;
  /** The time was refused, so free ones can be found instead. */
  isTime: boolean;
}

interface Failed {
  line: number;
  problem: string;
  findFree?: unknown;
}

const fileOf = (runtime: Runtime, run: string): string =>
  join(directory('cache', runtime), `reasons-${hash('sha256', run).slice(0, 32)}.json`);

export const keepReasons = (runtime: Runtime, run: string, failures: readonly Failed[]): Promise<void> => {
  const lines = failures.map(({ line, problem, findFree }) => [line, { problem, isTime: findFree !== undefined }]);
  return writeCache(runtime, fileOf(runtime, run), { lines: Object.fromEntries(lines) });
};

export const recallReasons = async (runtime: Runtime, run: string): Promise<(line: number) => Reason | undefined> => {
  const { lines } = await readCacheFile(fileOf(runtime, run));
  return (line) => {
    const reason = isObject(lines) ? lines[line] : undefined;
    return isObject(reason) && typeof reason.problem === 'string'
      ? { problem: reason.problem, isTime: reason.isTime === true }
      : undefined;
  };
};
