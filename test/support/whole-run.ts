import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { seedOfCommit } from './seed.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** A directory that exists while the tests run. */
    folder: string;
    /** When the run started: worlds with the real clock are seeded for this time. */
    began: number;
    /** Chooses the cells of each matrix that run: see tier.ts. */
    seed: string;
    /** Whether `-u` writes the stored screens. It writes all of them. */
    isUpdate: boolean;
  }
}

/**
 * Where temporary files go: to memory, if there is room and programs can be run there. The tests make thousands of small
 * files, and the program waits until each is on the disk.
 */
const temporaryPlace = (): string => {
  const memory = '/dev/shm';
  if (process.env.TMPDIR) return process.env.TMPDIR;
  const probe = join(memory, `sched-tests-probe-${process.pid}`);
  try {
    const { bavail, bsize } = statfsSync(memory);
    writeFileSync(probe, '#!/bin/sh\n', { mode: 0o755 });
    execFileSync(probe);
    return bavail * bsize > 4 * 2 ** 30 ? memory : tmpdir();
  } catch {
    return tmpdir();
  } finally {
    rmSync(probe, { force: true });
  }
};

/** Setup that runs once, regardless of the number of test processes. */
export default ({ provide, config }: TestProject) => {
  const folder = mkdtempSync(join(temporaryPlace(), 'sched-tests-'));
  provide('folder', folder);
  // Hundreds of temporary homes and files are created, and all are removed with this directory.
  process.env.TMPDIR = folder;
  // Every Node that is started would read the certificates of this machine, and no test uses them.
  delete process.env.NODE_EXTRA_CA_CERTS;
  provide('began', Date.now());
  const seed = seedOfCommit();
  provide('seed', seed);
  provide('isUpdate', config.snapshotOptions.updateSnapshot === 'all');
  if (process.env.SCHED_TEST_DEEP === undefined)
    process.stdout.write(`Matrices are sampled. To repeat this run: SCHED_TEST_SEED=${seed} npm test\n`);
  return () => rmSync(folder, { recursive: true, force: true });
};
