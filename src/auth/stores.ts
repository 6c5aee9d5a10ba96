import { type CredentialKey, isPlainRecord, nameOf } from './record.ts';
import type { CredentialRecord } from './record-schema.ts';
import { DamagedCredential, type StoreKind, unavailable, type Vault } from './vault.ts';

export interface CredentialStore {
  readonly kind: StoreKind;
  describe(): string;
  /** `undefined` if there is none; a damaged one throws, and so does a store that cannot be reached. */
  read(key: CredentialKey): Promise<CredentialRecord | undefined>;
  /** Returns only when the record was read back. */
  write(key: CredentialKey, record: CredentialRecord): Promise<void>;
  /** Whether there was one, damaged or not. */
  remove(key: CredentialKey): Promise<boolean>;
  /** Writes, reads and removes something harmless. */
  probe(): Promise<void>;
}

const parse = async (text: string, where: string): Promise<CredentialRecord> => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The platform's message quotes the text.
    throw new DamagedCredential(where, 'it is not JSON');
  }
  if (isPlainRecord(value)) return value;
  const { CredentialRecord } = await import('./record-schema.ts');
  const read = CredentialRecord.safeParse(value);
  if (read.success) return read.data;
  const fields = [...new Set(read.error.issues.map(({ path }) => path.join('.') || 'the whole'))];
  throw new DamagedCredential(where, `not as expected: ${fields.join(', ')}`);
};

const probeName = 'probe';

export const createStore = (vault: Vault, randomBytes: (count: number) => Uint8Array): CredentialStore => {
  const failed = (what: string) => unavailable(`${vault.describe()} does not work`, what);
  return {
    kind: vault.kind,
    describe: () => vault.describe(),
    read: async (key) => {
      const text = await vault.use((entries) => entries.get(nameOf(key)));
      return text === undefined ? undefined : parse(text, vault.describe());
    },
    write: (key, record) =>
      vault.use(async (entries) => {
        const text = JSON.stringify(record);
        await entries.set(nameOf(key), text);
        const read = await entries.get(nameOf(key));
        if (read === undefined || JSON.stringify(JSON.parse(read)) !== text)
          throw failed('what was written could not be read back');
      }),
    remove: (key) => vault.use((entries) => entries.delete(nameOf(key))),
    probe: () =>
      vault.use(async (entries) => {
        const name = `${probeName}-${Buffer.from(randomBytes(8)).toString('hex')}`;
        await entries.set(name, probeName);
        const read = await entries.get(name);
        await entries.delete(name);
        if (read !== probeName) throw failed('a trial entry could not be read back');
      }),
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
