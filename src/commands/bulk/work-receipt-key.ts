import { createHmac } from 'node:crypto';
import { dirname } from 'node:path';
import type { RandomBytes } from '../../base/system.ts';
import { existsSync } from '../../node/files.ts';
import { ensureLastingDirectory } from '../../state/directories.ts';
import { realDisk } from '../../state/disk.ts';
import { readPrivateFile } from '../../state/files.ts';

/** The key that hashes addresses for a receipt: 32 bytes, written as 64 hexadecimal digits. */
export interface ReceiptKey {
  /** Identifies the key without revealing it. */
  readonly id: string;
  mac(text: string): string;
}

/** The content of a file with a new key, in a form that `openssl dgst -macopt hexkey:…` accepts. */
export const newKeyText = (randomBytes: RandomBytes): string => `${Buffer.from(randomBytes(32)).toString('hex')}\n`;

/** Reads a key from its text; undefined if the text isn't a key. */
export const readKey = (text: string): ReceiptKey | undefined => {
  const hex = text.trim().toLowerCase();
  if (!/^[0-9a-f]{64}$/.test(hex)) return undefined;
  const secret = Buffer.from(hex, 'hex');
  const mac = (message: string) => createHmac('sha256', secret).update(message).digest('hex');
  return { id: mac('sched receipt key').slice(0, 16), mac };
};

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
