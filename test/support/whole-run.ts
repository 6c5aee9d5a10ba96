import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** A directory for as long as the tests run. */
    folder: string;
    /** When they began: what is seeded for the real clock is seeded for this moment. */
    began: number;
  }
}

/** What happens once, however many processes the tests run in. */
export default ({ provide }: TestProject) => {
  const folder = mkdtempSync(join(tmpdir(), 'sched-tests-'));
  provide('folder', folder);
  // Hundreds of homes and files are made for a moment, and all of them go with this one.
  process.env.TMPDIR = folder;
  provide('began', Date.now());
  return () => rmSync(folder, { recursive: true, force: true });
};
