import { dirname } from 'node:path';
import type { RandomBytes } from '../base/system.ts';
import { existsSync } from '../node/files.ts';
import { ensureLastingDirectory } from './directories.ts';
import { realDisk } from './disk.ts';
import { readPrivateFile } from './files.ts';

/** The content of a file with a new key, in a form that `openssl dgst -macopt hexkey:…` accepts. */
export const newKeyText = (randomBytes: RandomBytes): string => `${Buffer.from(randomBytes(32)).toString('hex')}\n`;

/** Creates a file with a new key, unless another process creates it first. Returns whether this process did. */
export const createKeyFile = async (path: string, randomBytes: RandomBytes): Promise<boolean> => {
  try {
    await realDisk.create(path, newKeyText(randomBytes), Buffer.from(randomBytes(8)).toString('hex'));
    return true;
  } catch (error) {
    if (!existsSync(path)) throw error;
    return false;
  }
};

/** The text of a key file in the state directory. Creates the file if it is missing, and calls `onMade`. */
export const keyTextIn = async (path: string, randomBytes: RandomBytes, onMade = () => {}): Promise<string> => {
  const text = await readPrivateFile(path);
  if (text !== undefined) return text;
  ensureLastingDirectory(dirname(path));
  if (await createKeyFile(path, randomBytes)) onMade();
  return (await readPrivateFile(path))!;
};
