import { SchedError } from '../base/errors.ts';
import type { Clock } from '../base/system.ts';
import type { Send } from '../http/message.ts';
import type { AuthServer } from './auth-server.ts';
import { type CredentialKey, clientOf, refreshedRecord } from './credential.ts';
import type { CredentialRecord } from './credential-schema.ts';
import type { CredentialStore } from './stores.ts';

export interface RefreshOptions {
  key: CredentialKey;
  /** Where to refresh it. From the profile: a refresh never looks for addresses (R7). */
  server: AuthServer;
  store: CredentialStore;
  clock: Clock;
  /** Not aborted by signals: the reply to a spent refresh token must not be lost. */
  sendToEnd: Send;
}

const neverSentPausesMs = [500, 1_500];

/** No retry starts later than this: processes that wait for the lock give up after 30 s. */
const latestRetryMs = 5_000;
const storePausesMs = [200, 1_000];

/** Loads the OAuth library only when the issuer is contacted, which is rare. */
export const loadTokens = async () => ({
  ...(await import('./token-requests.ts')),
  ...(await import('./oauth-request.ts')),
});

export const loginExpired = (reason: string): SchedError =>
  new SchedError('auth', 'The login is no longer valid', {
    reason,
    hint: { command: ['auth', 'login'] },
    outcome: 'not-applied',
  });

/** Retries the write: the tokens from a refresh exist nowhere else. */
export const storeWithRetries = async (
  { store, key, clock }: Pick<RefreshOptions, 'store' | 'key' | 'clock'>,
  record: CredentialRecord,
): Promise<void> => {
  for (const pause of storePausesMs) {
    try {
      return await store.write(key, record);
    } catch {
      await clock.sleep(pause);
    }
  }
  await store.write(key, record);
};

/** Retries a request that was never sent: the refresh token is still unspent. */
const refreshWithRetries = async (record: CredentialRecord, { server, sendToEnd, clock }: RefreshOptions) => {
  const { requestRefresh: refresh, TokenEndpointUnavailable } = await loadTokens();
  const client = clientOf(record, server);
  const start = clock.now();
  for (const pause of neverSentPausesMs) {
    try {
      return await refresh(client, record.refresh_token!, sendToEnd);
    } catch (error) {
      const mayRepeat = error instanceof TokenEndpointUnavailable && !error.sent;
      if (!mayRepeat || clock.now() - start > latestRetryMs) throw error;
      await clock.sleep(pause);
    }
  }
  return refresh(client, record.refresh_token!, sendToEnd);
};

const cannotStore = (store: CredentialStore, error: SchedError): SchedError =>
  new SchedError('environment', 'The login was not refreshed, because the new token could not be stored', {
    reason: `${[error.message, error.facts.reason].filter(Boolean).join(': ')}; the refresh token was not used`,
    advice: `free up space in ${store.describe()} or make it writable`,
    outcome: 'not-sent',
  });

/** The write failed after the refresh: the old token is spent, and the new one is lost with this process. */
const notStored = (error: SchedError): SchedError =>
  new SchedError('environment', 'The login is lost: it was refreshed, but the new token could not be stored', {
    reason: [error.message, error.facts.reason].filter(Boolean).join(': '),
    hint: { command: ['auth', 'login'] },
    outcome: 'applied',
  });

/** R24: don't spend a refresh token if the new one can't be stored. */
const reserveRoom = ({ store, key }: RefreshOptions, old: CredentialRecord): Promise<() => Promise<void>> =>
  store.reserve(key, old).catch((error: unknown) => {
    throw error instanceof SchedError ? cannotStore(store, error) : error;
  });

/** Spends a refresh token and stores the new tokens. Caller must hold the lock. */
export const refreshAndStore = async (options: RefreshOptions, old: CredentialRecord): Promise<CredentialRecord> => {
  const { key, store, clock } = options;
  const release = await reserveRoom(options, old);
  let fresh: CredentialRecord;
  try {
    fresh = refreshedRecord(old, await refreshWithRetries(old, options), clock.now());
  } catch (error) {
    const { TokenRefused } = await loadTokens();
    if (!(error instanceof TokenRefused) || error.code !== 'invalid_grant') throw error;
    // Delete nothing: a process without this lock may have stored a newer login. If so, use it.
    const now = await store.read(key);
    if (now !== undefined && now.refresh_token !== old.refresh_token) return now;
    throw loginExpired('it was revoked or has expired: the service no longer accepts the refresh token');
  } finally {
    await release();
  }
  await storeWithRetries(options, fresh).catch((error: unknown) => {
    throw error instanceof SchedError ? notStored(error) : error;
  });
  return fresh;
};
