import { type CredentialKey, credentialKey } from '../../auth/record.ts';
import type { CredentialRecord } from '../../auth/record-schema.ts';
import {
  createSession,
  lockOf,
  type Revocation,
  removeCredential,
  type Session,
  saveCredential,
} from '../../auth/session.ts';
import { refreshHelperFor } from '../../auth/start-refresh-helper.ts';
import { type CredentialStore, openStore } from '../../auth/stores.ts';
import type { Runtime } from '../../runtime.ts';
import { directory } from '../../state/paths.ts';
import type { Notes } from '../messages/notes.ts';
import type { Profile } from './profile-schema.ts';
import type { Account, Settings } from './settings.ts';

type StoreKind = CredentialStore['kind'];

/** The tokens of a credential are printed nowhere from now on. */
export const rememberSecret = ({ secrets }: Runtime, { access_token, refresh_token = '' }: CredentialRecord): void => {
  secrets.keep(access_token);
  secrets.keep(refresh_token, 'refresh token');
};

export const storeOf = async (kind: StoreKind, runtime: Runtime): Promise<CredentialStore> => {
  const store = await openStore(kind, runtime, directory('config', runtime));
  return {
    ...store,
    read: async (key) => {
      const record = await store.read(key);
      if (record !== undefined) rememberSecret(runtime, record);
      return record;
    },
    write: async (key, record) => {
      rememberSecret(runtime, record);
      await store.write(key, record);
    },
  };
};

/** The login of a profile as a session that renews itself; nothing where the profile has none. */
export const openLogin = async (
  { profile }: Account,
  runtime: Runtime,
  settings: Pick<Settings, 'allowRefresh'>,
  notes: Notes,
): Promise<Session | undefined> => {
  if (profile.login === undefined) return undefined;
  const { store, ...key } = profile.login;
  return createSession({
    key,
    store: await storeOf(store, runtime),
    helper: refreshHelperFor({ key, store, config: directory('config', runtime) }, runtime),
    lock: lockOf(key, runtime),
    clock: runtime.clock,
    sendToEnd: runtime.sendToEnd,
    protect: runtime.protect,
    interrupted: runtime.interrupted,
    mayRefresh: settings.allowRefresh,
    onScopeChange: (before, after) =>
      notes.warn(`the renewed token may do other things than before: ${before || 'everything'} became ${after}`),
  });
};

/** Keeps a new credential and tells under which name, for the profile to remember. */
export const saveLogin = async (
  record: CredentialRecord,
  store: CredentialStore,
  runtime: Runtime,
  profile: string,
  notes: Notes,
): Promise<CredentialKey> => {
  // Two profiles of one person may have tokens that may do different things.
  const key = credentialKey(record, `${record.owner} ${profile}`.trim());
  const { replacedDamaged } = await saveCredential(
    { key, store, lock: lockOf(key, runtime), clock: runtime.clock, protect: runtime.protect },
    record,
  );
  if (replacedDamaged) notes.warn('the credential that was kept before was damaged, and is replaced');
  return key;
};

/** Removes the login of a profile. The service is told; where that fails, so is whoever logs out. */
export const removeLogin = async (
  name: string,
  { store, ...key }: NonNullable<Profile['login']>,
  runtime: Runtime,
  notes: Notes,
): Promise<Revocation> => {
  const ending = await removeCredential({
    key,
    store: await storeOf(store, runtime),
    lock: lockOf(key, runtime),
    send: runtime.send,
  });
  if (ending.atService === 'not-told')
    notes.warn(
      `the login of ${name} is not revoked (${ending.why}): at the service it stays valid until it expires or is ended there`,
    );
  return ending;
};
