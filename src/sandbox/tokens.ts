import { hash } from 'node:crypto';
import { type Scope, scopes } from '../api/scopes.ts';
import { dayMilliseconds, timestamp } from './names.ts';
import { type Member, team, userId } from './seed-team.ts';
import type { Store } from './store.ts';

/** Tells any reader, and the scan for leaked secrets, that a secret opens nothing but a sandbox. */
type SandboxSecret = `sandbox_${string}`;

export interface ReadyToken {
  /** What it is for; the roles come first. */
  name: string;
  token: SandboxSecret;
  member: Member;
  /** `null` is full access: a legacy token, for which no scopes were recorded. */
  scopes: readonly Scope[] | null;
  /** A personal access token, which never expires, or one that a consent gave. */
  kind: 'personal' | 'oauth';
  /** Buys the next access token, once. */
  refreshToken?: SandboxSecret;
}

const allScopes = Object.keys(scopes) as Scope[];

export const clientId = 'sched-cli';

export const ownerToken = 'sandbox_owner';

/** Known to everybody, so that a script can name them. */
export const readyTokens: readonly ReadyToken[] = [
  { name: 'owner', token: ownerToken, member: 'amara', scopes: null, kind: 'personal' },
  { name: 'admin', token: 'sandbox_admin', member: 'jonas', scopes: null, kind: 'personal' },
  { name: 'user', token: 'sandbox_user', member: 'tomas', scopes: null, kind: 'personal' },
  {
    name: 'read_only',
    token: 'sandbox_read_only',
    member: 'amara',
    scopes: allScopes.filter((scope) => scope.endsWith(':read')),
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

/** Those who can log in, one per role. */
export const logins = readyTokens.slice(0, 3).map(({ member }) => team.find(({ key }) => key === member)!);

/** Secrets are long and random, or known to everybody, so one round of a fast hash is enough. */
export const fingerprint = (secret: string): string => hash('sha256', secret, 'base64url');

/** Scopes as they are kept and sent; `null` stays full access. */
export const joinScopes = (list: readonly string[] | null): string | null => list?.join(' ') ?? null;

export const seedTokens = (store: Store, now: number) => {
  const created = timestamp(now - 400 * dayMilliseconds);
  for (const { token, member, scopes: allowed, refreshToken } of readyTokens) {
    const user = userId(member);
    let family: number | null = null;
    if (refreshToken !== undefined) {
      const added = 'INSERT INTO families (client, user, scopes, created_at) VALUES (?, ?, ?, ?) RETURNING id';
      family = store.all<{ id: number }>(added, clientId, user, joinScopes(allowed), created)[0]!.id;
      const refresh = 'INSERT INTO refresh_tokens (hash, family, created_at) VALUES (?, ?, ?)';
      store.run(refresh, fingerprint(refreshToken), family, created);
    }
    store.run(
      'INSERT INTO access_tokens (hash, user, scopes, family, created_at, expires_at) VALUES (?, ?, ?, ?, ?, NULL)',
      fingerprint(token),
      user,
      joinScopes(allowed),
      family,
      created,
    );
  }
};
