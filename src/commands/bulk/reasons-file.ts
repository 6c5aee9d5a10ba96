import { hash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { isObject } from '../../base/json.ts';
import { readCacheFile, writeCache } from '../../cli/session/identity.ts';
import { readdir, rm } from '../../node/files.ts';
import type { HeadlessRuntime } from '../../runtime.ts';
import { attempt } from '../../state/disk.ts';
import { directory, isHomeless } from '../../state/paths.ts';

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

const fileOf = (runtime: HeadlessRuntime, run: string): string =>
  join(directory('cache', runtime), `reasons-${hash('sha256', run).slice(0, 32)}.json`);

export const keepReasons = (runtime: HeadlessRuntime, run: string, failures: readonly Failed[]): Promise<void> => {
  const lines = failures.map(({ line, problem, findFree }) => [line, { problem, isTime: findFree !== undefined }]);
  return writeCache(runtime, fileOf(runtime, run), { lines: Object.fromEntries(lines) });
};

export const recallReasons = async (
  runtime: HeadlessRuntime,
  run: string,
): Promise<(line: number) => Reason | undefined> => {
  const { lines } = await readCacheFile(fileOf(runtime, run));
  return (line) => {
    const reason = isObject(lines) ? lines[line] : undefined;
    return isObject(reason) && typeof reason.problem === 'string'
      ? { problem: reason.problem, isTime: reason.isTime === true }
      : undefined;
  };
};

/**
 * Removes all reasons, because the service's words may name people whose data is deleted. Nothing depends on them: a run
 * that is resumed says the status instead.
 */
export const forgetReasons = async (runtime: HeadlessRuntime): Promise<void> => {
  if (isHomeless('cache', runtime)) return;
  const folder = dirname(fileOf(runtime, ''));
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.startsWith('reasons-'));
  for (const path of names.map((name) => join(folder, name)))
    await attempt('remove', path, () => rm(path, { force: true }));
};
