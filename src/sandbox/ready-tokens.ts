import { hash } from 'node:crypto';
import { knownScopes, type Scope } from '../api/scopes.ts';
import { type Member, team, userId } from './seed/team.ts';
import { dayMilliseconds, timestamp } from './store/names.ts';
import type { Store } from './store/store.ts';

/** The prefix shows readers and secret scanners that the secret only works in a sandbox. */
type SandboxSecret = `sandbox_${string}`;

export interface ReadyToken {
  /** Purpose of the token; the roles come first. */
  name: string;
  token: SandboxSecret;
  member: Member;
  /** `null` means full access: a legacy token without recorded scopes. */
  scopes: readonly Scope[] | null;
  /** A personal access token, which never expires, or a token from an OAuth login. */
  kind: 'personal' | 'oauth';
  /** Single-use refresh token. */
  refreshToken?: SandboxSecret;
}

export const clientId = 'sched-cli';

export const ownerToken = 'sandbox_owner';

/** Fixed, public tokens, so that scripts can use them. */
export const readyTokens: readonly ReadyToken[] = [
  { name: 'owner', token: ownerToken, member: 'amara', scopes: null, kind: 'personal' },
  { name: 'admin', token: 'sandbox_admin', member: 'jonas', scopes: null, kind: 'personal' },
  { name: 'user', token: 'sandbox_user', member: 'tomas', scopes: null, kind: 'personal' },
  {
    name: 'read_only',
    token: 'sandbox_read_only',
    member: 'amara',
    scopes: knownScopes.filter((scope) => scope.endsWith(':read')),
    kind: 'personal',
  },
  {
    name: 'events_only',
    token: 'sandbox_events_only',
    member: 'amara',
    scopes: ['scheduled_events:read'],
    kind: 'personal',
  },
  {
    name: 'legacy',
    token: 'sandbox_legacy',
    member: 'amara',
    scopes: null,
    kind: 'oauth',
    refreshToken: 'sandbox_legacy_refresh',
  },
];

/** The users who can log in, one per role. */
export const logins = readyTokens.slice(0, 3).map(({ member }) => team.find(({ key }) => key === member)!);

/** Secrets are long and random, or public, so one round of a fast hash is enough. */
export const fingerprint = (secret: string): string => hash('sha256', secret, 'base64url');

/** Starts a login. Returns the ID that all its tokens have. */
export const insertFamily = (
  store: Store,
  family: { client: string; user: string; scopes: string | null; created_at: string },
): number => {
  store.add('families', family);
  return store.first<{ id: number }>('SELECT last_insert_rowid() AS id')!.id;
};

export const seedTokens = (store: Store, now: number) => {
  const created_at = timestamp(now - 400 * dayMilliseconds);
  for (const { token, member, scopes: allowed, refreshToken } of readyTokens) {
    const owner = { user: userId(member), scopes: allowed?.join(' ') ?? null, created_at };
    let family: number | null = null;
    if (refreshToken !== undefined) {
      family = insertFamily(store, { client: clientId, ...owner });
      store.add('refresh_tokens', { hash: fingerprint(refreshToken), family, created_at });
    }
    store.add('access_tokens', { hash: fingerprint(token), ...owner, family });
  }
};
