import { hash } from 'node:crypto';
import { knownScopes, type Scope } from '../../api/scopes.ts';
import { day } from '../../base/milliseconds.ts';
import type { Caller } from '../handler.ts';
import { timestamp } from '../store/names.ts';
import type { Store } from '../store/store.ts';

export interface ReadyToken {
  /** Purpose of the token; the roles come first. */
  name: string;
  token: string;
  /** The token belongs to the first user with this role. */
  role: Caller['role'];
  /** `null` means full access: a legacy token without recorded scopes. */
  scopes: readonly Scope[] | null;
  /** A personal access token, which never expires, or a token from an OAuth login. */
  kind: 'personal' | 'oauth';
  /** Single-use refresh token. */
  refreshToken?: string;
}

export const clientId = 'sched-cli';

export const ownerToken = 'sandbox_owner';

/** Fixed, public tokens, so that scripts can use them. Their prefix shows secret scanners where they work. */
export const readyTokens: readonly ReadyToken[] = [
  { name: 'owner', token: ownerToken, role: 'owner', scopes: null, kind: 'personal' },
  { name: 'admin', token: 'sandbox_admin', role: 'admin', scopes: null, kind: 'personal' },
  { name: 'user', token: 'sandbox_user', role: 'user', scopes: null, kind: 'personal' },
  {
    name: 'read_only',
    token: 'sandbox_read_only',
    role: 'owner',
    scopes: knownScopes.filter((scope) => scope.endsWith(':read')),
    kind: 'personal',
  },
  {
    name: 'events_only',
    token: 'sandbox_events_only',
    role: 'owner',
    scopes: ['scheduled_events:read'],
    kind: 'personal',
  },
  {
    name: 'legacy',
    token: 'sandbox_legacy',
    role: 'owner',
    scopes: null,
    kind: 'oauth',
    refreshToken: 'sandbox_legacy_refresh',
  },
];

/** A user who can log in, one per role. */
export interface Login {
  id: string;
  name: string;
  role: Caller['role'];
}

/** The first user of each role that somebody has, the owner first. */
export const loginsIn = (store: Store): Login[] =>
  (['owner', 'admin', 'user'] as const).flatMap((role) =>
    store.all<Login>(
      `SELECT u.id, u.doc ->> 'name' AS name, m.role FROM memberships m JOIN users u ON u.id = m.user
       WHERE m.role = ? ORDER BY m.rowid LIMIT 1`,
      role,
    ),
  );

/** The ready-made tokens of this data, each with the name of its user. A role that nobody has has no token. */
export const tokensIn = (store: Store): Array<ReadyToken & { user: string }> =>
  readyTokens.flatMap((token) => {
    const owner = store.first<{ user: string }>(
      "SELECT u.doc ->> 'name' AS user FROM access_tokens t JOIN users u ON u.id = t.user WHERE t.hash = ?",
      fingerprint(token.token),
    );
    return owner ? [{ ...token, ...owner }] : [];
  });

/** Secrets are long and random, or public, so one round of a fast hash is enough. */
export const fingerprint = (secret: string): string => hash('sha256', secret, 'base64url');

/** The client of the login that a token belongs to. */
export const clientOfToken = (store: Store, hash: string): string | undefined =>
  store.first<{ client: string }>(
    'SELECT f.client FROM access_tokens t JOIN families f ON f.id = t.family WHERE t.hash = ?',
    hash,
  )?.client;

/** Starts a login. Returns the ID that all its tokens have. */
export const insertFamily = (
  store: Store,
  family: { client: string; user: string; scopes: string | null; resource?: string | null; created_at: string },
): number => {
  store.add('families', family);
  return store.first<{ id: number }>('SELECT last_insert_rowid() AS id')!.id;
};

export const seedTokens = (store: Store, now: number) => {
  const created_at = timestamp(now - 400 * day);
  const logins = loginsIn(store);
  for (const { token, role, scopes: allowed, refreshToken } of readyTokens) {
    const login = logins.find((each) => each.role === role);
    if (login === undefined) continue;
    const owner = { user: login.id, scopes: allowed?.join(' ') ?? null, created_at };
    let family: number | null = null;
    if (refreshToken !== undefined) {
      family = insertFamily(store, { client: clientId, ...owner });
      store.add('refresh_tokens', { hash: fingerprint(refreshToken), family, created_at });
    }
    store.add('access_tokens', { hash: fingerprint(token), ...owner, family });
  }
};
