import { mkdtempSync, rmSync } from 'node:fs';
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
  }
}

/** Setup that runs once, regardless of the number of test processes. */
export default ({ provide }: TestProject) => {
  const folder = mkdtempSync(join(tmpdir(), 'sched-tests-'));
  provide('folder', folder);
  // Hundreds of temporary homes and files are created, and all are removed with this directory.
  process.env.TMPDIR = folder;
  provide('began', Date.now());
  const seed = seedOfCommit();
  provide('seed', seed);
  if (process.env.SCHED_TEST_DEEP === undefined)
    process.stdout.write(`Matrices are sampled. To repeat this run: SCHED_TEST_SEED=${seed} npm test\n`);
  return () => rmSync(folder, { recursive: true, force: true });
};
