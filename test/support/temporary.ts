import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder: string | undefined;
let files = 0;
const open = new Set<() => void>();

/** Everything temporary of this test file. The directory of the whole run is the TMPDIR, see whole-run.ts. */
const folderOfFile = (): string => {
  folder ??= mkdtempSync(join(tmpdir(), 'file-'));
  return folder;
};

/** A new, empty directory. It is removed when the test file is done. */
export const temporaryDirectory = (name = 'folder'): string => mkdtempSync(join(folderOfFile(), `${name}-`));

/** A path without a file. What a test puts there is removed when the test file is done. */
export const temporaryFile = (name = `${++files}.db`): string => join(folderOfFile(), name);

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
  // A browser or a helper that was just ended may still write: retry until the directory is empty.
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  folder = undefined;
};
