import { type CredentialKey, credentialKey } from '../../auth/credential.ts';
import type { CredentialRecord } from '../../auth/credential-schema.ts';
import { refreshHelperFor } from '../../auth/refresh-helper.ts';
import {
  createSession,
  credentialLock,
  type Revocation,
  removeCredential,
  type Session,
  saveCredential,
} from '../../auth/session.ts';
import { type CredentialStore, openCredentialStore } from '../../auth/stores.ts';
import type { StoreKind } from '../../auth/vault.ts';
import type { HeadlessRuntime } from '../../runtime.ts';
import { directory } from '../../state/paths.ts';
import type { WorkNotes } from '../messages/notes.ts';
import { serverOf } from './server-addresses.ts';
import type { Account, RoomSettings } from './settings.ts';

/** Registers the secrets of a credential, so that they are never printed. */
export const rememberSecret = ({ secrets }: HeadlessRuntime, record: CredentialRecord): void => {
  const { access_token, refresh_token = '', client_secret } = record;
  secrets.keep(access_token);
  secrets.keep(refresh_token, 'refresh token');
  if (client_secret !== undefined) rememberClientSecret({ secrets }, client_secret);
};

/** In a header, the secret is sent in the encoding of forms (RFC 6749 §2.3.1). */
export const rememberClientSecret = ({ secrets }: Pick<HeadlessRuntime, 'secrets'>, secret: string): void => {
  secrets.keep(secret, 'client secret');
  secrets.keep(String(new URLSearchParams({ '': secret })).slice(1), 'client secret');
};

export const credentialStoreOf = async (kind: StoreKind, runtime: HeadlessRuntime): Promise<CredentialStore> => {
  const store = await openCredentialStore(kind, runtime, directory('config', runtime));
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

/** Opens a profile's login as a session that refreshes itself. Returns undefined if the profile has no login. */
export const openLogin = async (
  { profile }: Account,
  runtime: HeadlessRuntime,
  settings: Pick<RoomSettings, 'allowRefresh'>,
  notes: Pick<WorkNotes, 'warn'>,
): Promise<Session | undefined> => {
  if (profile.login === undefined) return undefined;
  const { store, ...key } = profile.login;
  const server = serverOf(profile, profile.login);
  return createSession({
    key,
    server,
    store: await credentialStoreOf(store, runtime),
    helper: refreshHelperFor({ key, server, store, config: directory('config', runtime) }, runtime),
    lock: credentialLock(key, runtime),
    clock: runtime.clock,
    sendToEnd: runtime.sendToEnd,
    protect: runtime.protect,
    interrupted: runtime.interrupted,
    mayRefresh: settings.allowRefresh,
    onScopeChange: (before, after) =>
      notes.warn(`The refreshed token has different scopes: ${after} (before: ${before || 'all'})`),
  });
};

/** Stores a new credential and returns its key, which the profile stores. */
export const saveLogin = async (
  record: CredentialRecord,
  store: CredentialStore,
  runtime: HeadlessRuntime,
  profile: string,
  notes: WorkNotes,
): Promise<CredentialKey> => {
  // Includes the profile: two profiles of one user may have tokens with different scopes.
  const key = credentialKey(record, `${record.owner} ${profile}`.trim());
  const { replacedDamaged } = await saveCredential(
    { key, store, lock: credentialLock(key, runtime), clock: runtime.clock, protect: runtime.protect },
    record,
  );
  if (replacedDamaged) notes.warn('Replaced a damaged credential from an earlier login');
  return key;
};

/** Removes the login of a profile that has one, and revokes it at the service. Warns if the revocation fails. */
export const removeLogin = async (
  { name, profile }: Account,
  runtime: HeadlessRuntime,
  notes: WorkNotes,
): Promise<Revocation> => {
  const { store, ...key } = profile.login!;
  const ending = await removeCredential({
    key,
    server: serverOf(profile, profile.login!),
    store: await credentialStoreOf(store, runtime),
    lock: credentialLock(key, runtime),
    send: runtime.send,
  });
  if (ending.atService === 'not-told')
    notes.warn(
      `The login of ${name} was not revoked (${ending.why}): it stays valid until it expires or you revoke it at the service`,
    );
  return ending;
};
