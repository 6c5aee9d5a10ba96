import { SchedError } from '../errors.ts';
import type { Send } from '../http/message.ts';
import { type CredentialKey, issuerOf, refreshedRecord } from './record.ts';
import type { CredentialRecord } from './record-schema.ts';
import type { CredentialStore } from './stores.ts';

interface Clock {
  now(): number;
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

export interface RefreshOptions {
  key: CredentialKey;
  store: CredentialStore;
  clock: Clock;
  /** Not cut off by a signal: the answer to a spent refresh token must not be lost. */
  sendToEnd: Send;
}

const neverSentPausesMs = [500, 1_500];

/** Waiters give up after 30 s, so the holder does not begin anew when it has become late. */
const latestRetryMs = 5_000;
const storePausesMs = [200, 1_000];

/** The protocol library is loaded when something is asked of the issuer, which is rarely. */
export const loadTokens = () => import('./tokens.ts');

export const loginExpired = (reason: string): SchedError =>
  new SchedError('auth', 'The session has ended', { reason, hint: 'sched auth login', outcome: 'not-applied' });

/** Writes until it is there: what a spent token bought exists nowhere else. */
export const storeWithRetries = async (
  { store, key, clock }: Omit<RefreshOptions, 'sendToEnd'>,
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

/** A request that never left may be sent again; the refresh token is untouched. */
const refreshFirmly = async (record: CredentialRecord, { sendToEnd, clock }: RefreshOptions) => {
  const { refresh, TokenEndpointUnavailable } = await loadTokens();
  const started = clock.now();
  for (const pause of neverSentPausesMs) {
    try {
      return await refresh(issuerOf(record), record.refresh_token!, sendToEnd);
    } catch (error) {
      const mayRepeat = error instanceof TokenEndpointUnavailable && !error.sent;
      if (!mayRepeat || clock.now() - started > latestRetryMs) throw error;
      await clock.sleep(pause);
    }
  }
  return refresh(issuerOf(record), record.refresh_token!, sendToEnd);
};

const cannotStore = (store: CredentialStore, error: SchedError): SchedError =>
  new SchedError('environment', 'The login was not refreshed, because the new token could not be stored', {
    reason: `${[error.message, error.facts.reason].filter(Boolean).join(': ')}; the refresh token is unspent`,
    hint: `make room in ${store.describe()} or allow writing there, then run the same command again`,
    outcome: 'not-sent',
  });

/** The store failed after all: the old token is spent, and the new one is gone with this process. */
const notStored = (error: SchedError): SchedError =>
  new SchedError('environment', 'The login is lost: it was refreshed, but the new token could not be stored', {
    reason: [error.message, error.facts.reason].filter(Boolean).join(': '),
    hint: 'sched auth login',
    outcome: 'applied',
  });

/** R24: a token whose successor cannot be stored is not spent. */
const reserveRoom = ({ store, key }: RefreshOptions, old: CredentialRecord): Promise<() => Promise<void>> =>
  store.reserve(key, old).catch((error: unknown) => {
    throw error instanceof SchedError ? cannotStore(store, error) : error;
  });

/** Spends a refresh token and keeps what it buys. Only with the lock in hand. */
export const refreshAndStore = async (options: RefreshOptions, old: CredentialRecord): Promise<CredentialRecord> => {
  const { key, store, clock } = options;
  const release = await reserveRoom(options, old);
  let fresh: CredentialRecord;
  try {
    fresh = refreshedRecord(old, await refreshFirmly(old, options), clock.now());
  } catch (error) {
    const { TokenRefused } = await loadTokens();
    if (!(error instanceof TokenRefused) || error.code !== 'invalid_grant') throw error;
    // Nothing is deleted: somebody without our lock may have stored a newer one, and then that is the session.
    const now = await store.read(key);
    if (now !== undefined && now.refresh_token !== old.refresh_token) return now;
    throw loginExpired('the service no longer accepts the refresh token');
  } finally {
    await release();
  }
  await storeWithRetries(options, fresh).catch((error: unknown) => {
    throw error instanceof SchedError ? notStored(error) : error;
  });
  return fresh;
};
