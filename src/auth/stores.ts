import { join } from 'node:path';
import { jsonIn } from '../base/json.ts';
import type { RandomBytes } from '../base/system.ts';
import { type FileWorld, readPrivateFile, removeDrafts, removePrivateFile, writePrivateFile } from '../state/files.ts';
import { type CredentialKey, credentialName } from './credential.ts';
import { CredentialRecord } from './credential-schema.ts';
import type { KeychainWorld } from './keychain.ts';
import { DamagedCredential, type Entries, type StoreKind, unavailable, type Vault } from './vault.ts';

/** Stores each credential in its own file, which only the user can read. */
export const fileVault = (configDirectory: string, world: FileWorld): Vault => {
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
          await writePrivateFile(path(name), text, world);
        },
        delete: (name) => removePrivateFile(path(name)),
      }),
  };
};

export interface CredentialStore {
  readonly kind: StoreKind;
  describe(): string;
  /** `undefined` if there is none. Throws if the credential is damaged or the store can't be reached. */
  read(key: CredentialKey): Promise<CredentialRecord | undefined>;
  /** Resolves only after the record was read back. */
  write(key: CredentialKey, record: CredentialRecord): Promise<void>;
  /** Returns whether there was a credential, damaged or not. */
  remove(key: CredentialKey): Promise<boolean>;
  /** Writes, reads and removes a test entry as large as a credential. */
  probe(): Promise<void>;
  /**
   * Checks that the next record can be written, and reserves space for it until the returned function is called. That
   * function never fails. Caller must hold the credential's lock.
   */
  reserve(key: CredentialKey, record: CredentialRecord): Promise<() => Promise<void>>;
}

const parseCredential = (text: string, where: string): CredentialRecord => {
  const value = jsonIn(text);
  if (value === undefined) throw new DamagedCredential(where, 'it is not JSON');
  const read = CredentialRecord.safeParse(value);
  if (read.success) return read.data;
  const fields = [...new Set(read.error.issues.map(({ path }) => path.join('.') || 'the whole record'))];
  throw new DamagedCredential(where, `invalid fields: ${fields.join(', ')}`);
};

/** The usual length of a credential: before a login the real one isn't known. */
const usualLength = 1_024;

const probeName = (key: CredentialKey): string => `probe-${credentialName(key)}`;

export const createStore = (vault: Vault, randomBytes: RandomBytes): CredentialStore => {
  const failure = (what: string) => unavailable(`Can't use ${vault.describe()}`, what);
  const hex = (length: number) => Buffer.from(randomBytes(Math.ceil(length / 2))).toString('hex');
  const tryOut = async (entries: Entries, name: string, length: number): Promise<void> => {
    // Random, so that no file system can compress it.
    const text = hex(length);
    await entries.set(name, text);
    if ((await entries.get(name)) !== text) throw failure('a test entry could not be read back');
  };
  return {
    kind: vault.kind,
    describe: () => vault.describe(),
    read: async (key) => {
      const text = await vault.use((entries) => entries.get(credentialName(key)));
      return text === undefined ? undefined : parseCredential(text, vault.describe());
    },
    write: (key, record) =>
      vault.use(async (entries) => {
        const text = JSON.stringify(record);
        await entries.set(credentialName(key), text);
        const read = await entries.get(credentialName(key));
        if (read === undefined || JSON.stringify(JSON.parse(read)) !== text)
          throw failure('the credential could not be read back');
      }),
    remove: (key) =>
      vault.use(async (entries) => {
        await entries.delete(probeName(key));
        return entries.delete(credentialName(key));
      }),
    probe: () =>
      vault.use(async (entries) => {
        const name = `probe-${hex(16)}`;
        await tryOut(entries, name, usualLength);
        await entries.delete(name);
      }),
    reserve: async (key, record) => {
      // Always the same name: an entry left by a killed process is replaced by the next one, then removed.
      const name = probeName(key);
      await vault.use((entries) => tryOut(entries, name, JSON.stringify(record).length));
      return async () => {
        await vault.use((entries) => entries.delete(name)).catch(() => {});
      };
    },
  };
};

/** Opens a store. The keychain code is loaded only if it is needed. */
export const openCredentialStore = async (
  kind: StoreKind,
  world: KeychainWorld,
  configDirectory: string,
): Promise<CredentialStore> => {
  if (kind === 'file') {
    return createStore(fileVault(configDirectory, world), world.randomBytes);
  }
  const { keychainVault } = await import('./keychain.ts');
  return createStore(keychainVault(world), world.randomBytes);
};
