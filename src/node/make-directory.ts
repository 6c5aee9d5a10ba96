import { dirname, join } from 'node:path';
import { existsSync, mkdirSync } from './files.ts';

const usualDisk = { existsSync, mkdirSync };

/** Creates a directory and its parents. Node's own `recursive` never ends in /proc, where nothing can be created. */
export const makeDirectory = (path: string, mode?: number, disk = usualDisk): void => {
  const isThere = () => disk.existsSync(join(path, '.'));
  if (isThere()) return;
  if (!disk.existsSync(dirname(path))) makeDirectory(dirname(path), mode, disk);
  try {
    disk.mkdirSync(path, { mode });
  } catch (error) {
    // Another process may create it at the same time.
    if (!isThere()) throw error;
  }
};
