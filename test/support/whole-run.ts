import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** A directory that exists while the tests run. */
    folder: string;
    /** When the run started: worlds with the real clock are seeded for this time. */
    began: number;
  }
}

/** Setup that runs once, regardless of the number of test processes. */
export default ({ provide }: TestProject) => {
  const folder = mkdtempSync(join(tmpdir(), 'sched-tests-'));
  provide('folder', folder);
  // Hundreds of temporary homes and files are created, and all are removed with this directory.
  process.env.TMPDIR = folder;
  provide('began', Date.now());
  return () => rmSync(folder, { recursive: true, force: true });
};
