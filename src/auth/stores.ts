import { type CredentialKey, credentialName } from './record.ts';
import { CredentialRecord } from './record-schema.ts';
import { DamagedCredential, type Entries, type StoreKind, unavailable, type Vault } from './vault.ts';

export interface CredentialStore {
  readonly kind: StoreKind;
  describe(): string;
  /** `undefined` if there is none; a damaged one throws, and so does a store that cannot be reached. */
  read(key: CredentialKey): Promise<CredentialRecord | undefined>;
  /** Returns only when the record was read back. */
  write(key: CredentialKey, record: CredentialRecord): Promise<void>;
  /** Whether there was one, damaged or not. */
  remove(key: CredentialKey): Promise<boolean>;
  /** Writes, reads and removes something harmless, as large as a credential. */
  probe(): Promise<void>;
  /**
   * Proves that a successor of this record can be written, and keeps the room for it until the returned function is
   * called, which never fails. Only with the lock of the credential in hand.
   */
  reserve(key: CredentialKey, record: CredentialRecord): Promise<() => Promise<void>>;
}

const parse = (text: string, where: string): CredentialRecord => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The platform's message quotes the text.
    throw new DamagedCredential(where, 'it is not JSON');
  }
  const read = CredentialRecord.safeParse(value);
  if (read.success) return read.data;
  const fields = [...new Set(read.error.issues.map(({ path }) => path.join('.') || 'the whole'))];
  throw new DamagedCredential(where, `not as expected: ${fields.join(', ')}`);
};

/** What a login brings is not known before. */
const usualLength = 1_024;

const probeName = (key: CredentialKey): string => `probe-${credentialName(key)}`;

export const createStore = (vault: Vault, randomBytes: (count: number) => Uint8Array): CredentialStore => {
  const failed = (what: string) => unavailable(`${vault.describe()} does not work`, what);
  const hex = (length: number) => Buffer.from(randomBytes(Math.ceil(length / 2))).toString('hex');
  const tryOut = async (entries: Entries, name: string, length: number): Promise<void> => {
    // By chance, so that no file system makes it smaller than it is.
    const text = hex(length);
    await entries.set(name, text);
    if ((await entries.get(name)) !== text) throw failed('a trial entry could not be read back');
  };
  return {
    kind: vault.kind,
    describe: () => vault.describe(),
    read: async (key) => {
      const text = await vault.use((entries) => entries.get(credentialName(key)));
      return text === undefined ? undefined : parse(text, vault.describe());
    },
    write: (key, record) =>
      vault.use(async (entries) => {
        const text = JSON.stringify(record);
        await entries.set(credentialName(key), text);
        const read = await entries.get(credentialName(key));
        if (read === undefined || JSON.stringify(JSON.parse(read)) !== text)
          throw failed('what was written could not be read back');
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
      // The same name each time: what a killed process left is replaced by the next one, and then removed.
      const name = probeName(key);
      await vault.use((entries) => tryOut(entries, name, JSON.stringify(record).length));
      return () =>
        vault
          .use((entries) => entries.delete(name))
          .then(
            () => {},
            () => {},
          );
    },
  };
};

interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly clock: { sleep(milliseconds: number, signal?: AbortSignal): Promise<void> };
  readonly machine: { readonly executable: string };
  randomBytes(count: number): Uint8Array;
}

/** Opens the store of that kind; nothing of a keychain is loaded before its first use. */
export const openStore = async (kind: StoreKind, world: World, configDirectory: string): Promise<CredentialStore> => {
  if (kind === 'file') {
    const { fileVault } = await import('./file-store.ts');
    return createStore(fileVault(configDirectory, world.randomBytes), world.randomBytes);
  }
  const { keychainVault } = await import('./keychain.ts');
  return createStore(keychainVault(world), world.randomBytes);
};
