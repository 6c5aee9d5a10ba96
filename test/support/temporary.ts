import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';

let folder: string | undefined;
let files = 0;
const open = new Set<() => void>();

/** A path for this test file; what is there is removed when the file is done. */
export const temporary = (name = `${++files}.db`): string => {
  folder ??= mkdtempSync(join(inject('folder'), 'file-'));
  return join(folder, name);
};

/** Closes something when the test file is done, or earlier by what comes back. */
export const closeLater = (close: () => void): (() => void) => {
  open.add(close);
  return () => {
    if (open.delete(close)) close();
  };
};

/** A process runs many test files, so each one tidies up behind itself. */
export const tidyUp = () => {
  for (const close of open) close();
  open.clear();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  folder = undefined;
};
