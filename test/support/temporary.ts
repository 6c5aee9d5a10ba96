import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string | undefined;
let files = 0;
const open = new Set<() => void>();

/** The temporary directory of this test file. TMPDIR is that of the whole run: see whole-run.ts. */
const folderOfFile = (): string => {
  folder ??= mkdtempSync(join(tmpdir(), 'file-'));
  return folder;
};

/** Creates an empty directory, which is removed after the test file. */
export const temporaryDirectory = (name = 'folder'): string => mkdtempSync(join(folderOfFile(), `${name}-`));

/** A path without a file. A file that a test creates there is removed after the test file. */
export const temporaryFile = (name = `${++files}.db`): string => join(folderOfFile(), name);

/** Closes something after the test file, or earlier with the returned function. */
export const closeLater = (close: () => void): (() => void) => {
  open.add(close);
  return () => {
    if (open.delete(close)) close();
  };
};

/**
 * A browser, shell or helper that has just been stopped may still write. Node's own retries wait, but don't remove what
 * is new.
 */
const remove = (path: string, attempts = 5): void => {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    if (attempts === 1) throw error;
    remove(path, attempts - 1);
  }
};

/**
 * A process runs many test files, so each one cleans up after itself. Returns what went wrong, after cleaning up the
 * rest: the next file must not find any of it.
 */
export const tidyUp = (): unknown[] => {
  const errors: unknown[] = [];
  const attempt = (step: () => void) => {
    try {
      step();
    } catch (error) {
      errors.push(error);
    }
  };
  const steps = [...open];
  const path = folder;
  open.clear();
  folder = undefined;
  for (const close of steps) attempt(close);
  if (path !== undefined) attempt(() => remove(path));
  return errors;
};
