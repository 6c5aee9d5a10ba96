import { SchedError, throwIfInterrupted } from '../base/errors.ts';
import { the, words } from '../base/words.ts';
import type { Credential, Credentials } from '../http/authorize.ts';
import type { Send } from '../http/message.ts';
import { accountLock, type HeldLock, type Lock, type LockWorld } from '../state/lock.ts';
import type { AuthServer } from './auth-server.ts';
import { type CredentialKey, clientOf, credentialName } from './credential.ts';
import type { CredentialRecord } from './credential-schema.ts';
import { loadTokens, loginExpired, type RefreshOptions, refreshAndStore, storeWithRetries } from './refresh.ts';
import { DamagedCredential } from './vault.ts';

/** Lets a process that outlives this one spend the token under the given lock. Returns how that ended. */
export type RefreshHelper = (heldLock: HeldLock) => Promise<'done' | 'ended early' | 'not started'>;

export interface SessionOptions extends RefreshOptions {
  lock: Lock;
  /** Without a helper, or if it can't be started, this process refreshes the token. */
  helper?: RefreshHelper | undefined;
  /** Keeps the process alive until the work is done, even if signals arrive. */
  protect<Value>(work: () => Promise<Value>): Promise<Value>;
  interrupted: AbortSignal;
  /** False in CI: the new token would be lost with the runner. */
  mayRefresh: boolean;
  /** Called when a refresh changed the token's scopes. */
  onScopeChange?(before: string, after: string): void;
}

export interface Session extends Credentials {
  /** The stored credential, without refreshing it. */
  record(): Promise<CredentialRecord>;
  refresh(credential: Credential): Promise<Credential>;
  /** A credential that is valid for at least that long; refreshed first if needed. */
  lasting(milliseconds: number): Promise<CredentialRecord>;
}

/** Tokens are refreshed this long before they expire, so that none expires during a request. */
const longestMarginMs = 60_000;

/** How many helpers may end early before the command refreshes the token itself. */
const mostHelpers = 2;

/** Shorter for short-lived tokens: one that lives for seconds would be refreshed before every request. */
const marginOf = ({ expires_at = 0, created_at }: CredentialRecord): number =>
  Math.min(longestMarginMs, Math.max(0, expires_at - created_at) / 10);

/** The lock of a credential. */
export const credentialLock = (key: CredentialKey, world: LockWorld): Lock => accountLock(credentialName(key), world);

const notRefreshedHere = (): SchedError =>
  new SchedError('auth', "The access token needs a refresh, but sched doesn't refresh a stored login in CI", {
    reason: 'a refresh uses up the stored refresh token, and the new one would be lost with this runner',
    // Not a command to copy: --allow-refresh is right only on a machine that keeps its files.
    advice: words`set SCHED_TOKEN or SCHED_TOKEN_FILE, or add ${the('allowRefresh')} if this machine keeps its files`,
    outcome: 'not-sent',
  });

const credentialOf = ({ access_token, origin }: CredentialRecord): Credential => ({ token: access_token, origin });

/** A stored credential, refreshed by one process for all. */
export const createSession = (options: SessionOptions): Session => {
  const { key, store, lock, clock, protect, interrupted, mayRefresh, helper, onScopeChange } = options;
  let latest: CredentialRecord | undefined;
  let refreshing: Promise<CredentialRecord> | undefined;

  const load = async (): Promise<CredentialRecord> => {
    const record = await store.read(key);
    if (record === undefined) {
      throw new SchedError('auth', 'Not logged in', {
        reason: `there is no credential in ${store.describe()}`,
        hint: { command: ['auth', 'login'] },
        outcome: 'not-sent',
      });
    }
    latest = record;
    return record;
  };

  const record = async () => latest ?? load();

  const lives = ({ expires_at }: CredentialRecord, milliseconds: number): boolean =>
    expires_at === undefined || expires_at - clock.now() > milliseconds;

  /** Caller must hold the lock. Undefined if the helper ended early and its result is unknown. */
  const refreshUnder = async (
    heldLock: HeldLock,
    old: CredentialRecord,
    by?: RefreshHelper,
  ): Promise<CredentialRecord | undefined> => {
    const end = (await by?.(heldLock)) ?? 'not started';
    if (end === 'ended early') return undefined;
    latest = end === 'done' ? await load() : await refreshAndStore(options, old);
    if (latest.scope !== old.scope) onScopeChange?.(old.scope, latest.scope);
    return latest;
  };

  const refreshUntil = async (isUsable: (record: CredentialRecord) => boolean): Promise<CredentialRecord> => {
    const before = await load();
    if (isUsable(before)) return before;
    if (before.kind === 'pat') throw loginExpired("the service doesn't accept the personal access token");
    if (before.refresh_token === undefined) throw loginExpired('the login has no refresh token');
    if (!mayRefresh) throw notRefreshedHere();
    for (let helpers = 0; ; helpers += 1) {
      const heldLock = await lock.acquire(async () => !isUsable(await load()));
      if (heldLock === undefined) return latest!;
      try {
        const now = await load();
        interrupted.throwIfAborted();
        if (isUsable(now)) return now;
        const fresh = await protect(() => refreshUnder(heldLock, now, helpers < mostHelpers ? helper : undefined));
        if (fresh !== undefined) return fresh;
      } finally {
        await heldLock.release();
      }
    }
  };

  /** Requests of one process that need a refresh at the same time share it. */
  const refreshOnce = async (isUsable: (record: CredentialRecord) => boolean): Promise<CredentialRecord> => {
    if (latest !== undefined && isUsable(latest)) return latest;
    refreshing ??= refreshUntil(isUsable).finally(() => {
      refreshing = undefined;
    });
    const fresh = await refreshing;
    throwIfInterrupted(interrupted, 'applied');
    return fresh;
  };

  return {
    record,
    current: async () => {
      const current = await record();
      // The clock may be wrong. If a token looks expired but can't be refreshed, let the service decide.
      if (lives(current, marginOf(current)) || !mayRefresh || current.refresh_token === undefined)
        return credentialOf(current);
      try {
        return credentialOf(await refreshOnce((each) => lives(each, marginOf(each))));
      } catch (error) {
        if (interrupted.aborted || !lives(current, 0)) throw error;
        return credentialOf(current);
      }
    },
    refresh: async ({ token }) =>
      credentialOf(await refreshOnce((each) => each.access_token !== token && lives(each, 0))),
    lasting: async (milliseconds) => {
      const current = await record();
      return lives(current, milliseconds) ? current : refreshOnce((each) => lives(each, milliseconds));
    },
  };
};

/** The stored credential. A login or a logout replaces a damaged one. */
const readOrDamaged = ({ store, key }: Pick<SessionOptions, 'key' | 'store'>) =>
  store.read(key).catch((error: unknown) => {
    if (error instanceof DamagedCredential) return 'damaged' as const;
    throw error;
  });

/** Stores a new credential under the lock, so that a refresh of the previous one can't overwrite it. */
export const saveCredential = async (
  options: Pick<SessionOptions, 'key' | 'store' | 'lock' | 'clock' | 'protect'>,
  record: CredentialRecord,
): Promise<{ replacedDamaged: boolean }> => {
  const heldLock = await options.lock.acquire();
  try {
    const before = await readOrDamaged(options);
    await options.protect(() => storeWithRetries(options, record));
    return { replacedDamaged: before === 'damaged' };
  } finally {
    await heldLock?.release();
  }
};

/** Whether the service revoked a removed credential. `why` tells the user why not. */
export type Revocation =
  | { atService: 'revoked' }
  | { atService: 'nothing-to-revoke'; why: string }
  | { atService: 'not-told'; why: string };

const revokeAtService = async (
  record: CredentialRecord | undefined | 'damaged',
  { server, send }: { server: AuthServer; send: Send },
): Promise<Revocation> => {
  if (record === undefined) return { atService: 'nothing-to-revoke', why: 'no credential was stored' };
  if (record === 'damaged') return { atService: 'not-told', why: 'the stored credential is damaged' };
  if (record.kind === 'pat')
    return { atService: 'nothing-to-revoke', why: "personal access tokens are revoked in the service's settings" };
  const { requestRevocation: revoke } = await loadTokens();
  const { refresh_token, access_token } = record;
  const reasons: (string | undefined)[] = [];
  for (const token of refresh_token === undefined ? [access_token] : [refresh_token, access_token])
    reasons.push(await revoke(clientOf(record, server), token, send));
  const why = reasons.find((reason) => reason !== undefined);
  return why === undefined ? { atService: 'revoked' } : { atService: 'not-told', why };
};

/** Removes a credential and revokes it at the service, if that can be reached. Safe to call twice. */
export const removeCredential = async (
  options: Pick<SessionOptions, 'key' | 'server' | 'store' | 'lock'> & { send: Send },
): Promise<{ isRemoved: boolean } & Revocation> => {
  const { key, store, lock } = options;
  const heldLock = await lock.acquire();
  try {
    const ending = await revokeAtService(await readOrDamaged(options), options);
    return { isRemoved: await store.remove(key), ...ending };
  } finally {
    await heldLock?.release();
  }
};
