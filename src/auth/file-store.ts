import { join } from 'node:path';
import { readPrivateFile, removeDrafts, removePrivateFile, writePrivateFile } from '../state/files.ts';
import type { Vault } from './vault.ts';

/** One file per credential, for its owner's eyes only. */
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
          // A credential is written under its lock, so a draft beside it belongs to a process that was killed.
          await removeDrafts(path(name));
          await writePrivateFile(path(name), text, Buffer.from(randomBytes(8)).toString('hex'));
        },
        delete: (name) => removePrivateFile(path(name)),
      }),
  };
};
