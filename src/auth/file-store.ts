import { join } from 'node:path';
import { readPrivateFile, removeDrafts, removePrivateFile, writePrivateFile } from '../state/files.ts';
import type { Vault } from './vault.ts';

/** Stores each credential in its own file, which only the user can read. */
export const fileVault = (configDirectory: string, randomBytes: (count: number) => Uint8Array): Vault => {
  const folder = join(configDirectory, 'credentials');
  const path = (name: string) => join(folder, `${name}.json`);
  return {
    kind: 'file',
    describe: () => folder,
    use: (work) =>
      work({
        get: (name) => readPrivateFile(path(name)),
        set: async (name, text) => {
          // Writers hold the credential's lock, so a draft found here was left by a killed process.
          await removeDrafts(path(name));
          await writePrivateFile(path(name), text, Buffer.from(randomBytes(8)).toString('hex'));
        },
        delete: (name) => removePrivateFile(path(name)),
      }),
  };
};
