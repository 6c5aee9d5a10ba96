import { createHash } from 'node:crypto';
import type * as z from 'zod/mini';
import { limits } from '../../api/limits.ts';
import type { AccessToken, CodeGrant, RefreshGrant } from '../../api/oauth.ts';
import { scopes } from '../../api/scopes.ts';
import { day } from '../../base/milliseconds.ts';
import type { RandomBytes } from '../../base/system.ts';
import { sweepWindows } from '../rules/rate-limits.ts';
import { timestamp, uri } from '../store/names.ts';
import type { Store } from '../store/store.ts';
import type { AuthorizationRequest } from './authorization.ts';
import type { OAuthProfile } from './profiles.ts';
import { fingerprint, insertFamily } from './ready-tokens.ts';
import { type Sign, timingSafeSame } from './signing.ts';

/** The token endpoint's reply, or the reason for an error. */
export type TokenGrant = z.output<typeof AccessToken> | { refused: string; error?: string; missed?: string };

export interface GrantContext {
  store: Store;
  now: number;
  seal: Sign;
  randomBytes: RandomBytes;
  profile: OAuthProfile;
}

/** Issues a single-use code, valid for ten minutes and bound to this client, redirect URI and challenge. */
export const issueCode = (
  { store, now, randomBytes }: GrantContext,
  { client, redirectUri, challenge, scopes: allowed, resource }: AuthorizationRequest,
  user: string,
): string => {
  const code = `sandbox_code_${Buffer.from(randomBytes(32)).toString('base64url')}`;
  store.add('codes', {
    hash: fingerprint(code),
    client,
    redirect_uri: redirectUri,
    challenge,
    user,
    scopes: allowed.join(' '),
    resource,
    expires_at: timestamp(now + limits.authorizationCodeSeconds * 1000),
  });
  return code;
};

interface Family {
  id: number;
  user: string;
  scopes: string;
  /** The path of the resource that it is for; `null` for the API. */
  resource: string | null;
}

/**
 * The tokens issued for a code or refresh token. They are derived from it, so the same secret always gives the same
 * tokens, and no token has to be stored.
 */
const tokensFor = (secret: string, seal: Sign) => ({
  access_token: `sandbox_access_${seal(`access ${secret}`)}`,
  refresh_token: `sandbox_refresh_${seal(`refresh ${secret}`)}`,
});

const secondsOf = ({ accessTokenSeconds = limits.accessTokenSeconds }: OAuthProfile): number => accessTokenSeconds;

const recordOf = (
  { store, seal, profile }: GrantContext,
  { user, scopes: scope }: Family,
  secret: string,
  at: number,
): TokenGrant => {
  const [member] = store.all<{ organization: string }>('SELECT organization FROM memberships WHERE user = ?', user);
  const { access_token, refresh_token } = tokensFor(secret, seal);
  return {
    access_token,
    ...(profile.hasNoRefresh ? {} : { refresh_token }),
    token_type: 'Bearer',
    scope,
    expires_in: secondsOf(profile),
    created_at: Math.floor(at / 1000),
    owner: uri('users', user),
    organization: uri('organizations', member!.organization),
  };
};

/** Stores the hashes of the two new tokens and deletes tokens and codes that expired over a day ago. */
export const issueTokens = (world: GrantContext, login: Family, secret: string): TokenGrant => {
  const { store, now, seal, profile } = world;
  const { access_token, refresh_token } = tokensFor(secret, seal);
  const { id: family, ...owner } = login;
  const created_at = timestamp(now);
  const expires_at = timestamp(now + secondsOf(profile) * 1000);
  store.add('access_tokens', { hash: fingerprint(access_token), ...owner, family, created_at, expires_at });
  if (!profile.hasNoRefresh) store.add('refresh_tokens', { hash: fingerprint(refresh_token), family, created_at });
  const dayAgo = timestamp(now - day);
  store.run('DELETE FROM access_tokens WHERE expires_at < ?', dayAgo);
  store.run('DELETE FROM codes WHERE expires_at < ?', dayAgo);
  store.run('DELETE FROM device_codes WHERE expires_at < ?', dayAgo);
  sweepWindows(store, now);
  return recordOf(world, login, secret, now);
};

/**
 * The token with which the MCP server calls the API for a caller, as in RFC 8693: the caller's own token doesn't work
 * there. It has the same rights, and ends with the login. A personal token works at both.
 */
export const exchangeToken = ({ store, seal }: Pick<GrantContext, 'store' | 'seal'>, token: string): string => {
  const exchanged = `sandbox_exchanged_${seal(`exchange ${token}`)}`;
  store.run(
    `INSERT OR IGNORE INTO access_tokens (hash, user, scopes, family, created_at, expires_at)
     SELECT ?, user, scopes, family, created_at, expires_at FROM access_tokens WHERE hash = ?`,
    fingerprint(exchanged),
    fingerprint(token),
  );
  return exchanged;
};

/** Revokes all tokens of one login, access tokens included. */
const revokeFamily = (store: Store, family: number) => store.run('DELETE FROM families WHERE id = ?', family);

export const startFamily = (
  { store, now }: GrantContext,
  {
    client,
    user,
    scopes: allowed,
    resource = null,
  }: Omit<Family, 'id' | 'resource'> & { client: string; resource?: string | null },
): Family => {
  const login = { user, scopes: allowed, resource };
  const id = insertFamily(store, { client, ...login, created_at: timestamp(now) });
  return { id, ...login };
};

interface Code {
  client: string;
  redirect_uri: string;
  challenge: string;
  user: string;
  scopes: string;
  resource: string | null;
  expires_at: string;
  used_at: string | null;
  family: number | null;
}

export const findCode = (store: Store, code: string): Code | undefined =>
  store.all<Code>('SELECT * FROM codes WHERE hash = ?', fingerprint(code))[0];

/**
 * Redeems a code. Its client gets a single attempt. Refusals are returned, not thrown, because a throw would roll back
 * what they changed. RFC 6749 §4.1.2: using a code twice revokes the tokens issued for it.
 */
export const redeemCode = (world: GrantContext, grant: z.output<typeof CodeGrant>, code: Code): TokenGrant => {
  const { store, now } = world;
  if (code.used_at !== null) {
    if (code.family !== null) revokeFamily(store, code.family);
    return {
      refused: 'The code was already used. All tokens issued for it are revoked.',
      missed: 'RFC 6749 §4.1.2: use a code once: a second use revokes all its tokens.',
    };
  }
  const hash = fingerprint(grant.code);
  store.run('UPDATE codes SET used_at = ? WHERE hash = ?', timestamp(now), hash);
  if (code.expires_at <= timestamp(now))
    return { refused: 'The code has expired.', missed: 'RFC 6749 §4.1.2: use a code within ten minutes.' };
  if (code.redirect_uri !== grant.redirect_uri)
    return {
      refused: 'The redirect_uri differs from the one in the authorization request.',
      missed: 'RFC 6749 §4.1.3: send the redirect_uri of the authorization request.',
    };
  const challenge = createHash('sha256').update(grant.code_verifier).digest('base64url');
  if (!timingSafeSame(challenge, code.challenge))
    return {
      refused: "The code_verifier doesn't match the code_challenge.",
      missed: 'RFC 7636 §4.6: send the code_verifier whose hash was the code_challenge.',
    };
  const family = startFamily(world, code);
  store.run('UPDATE codes SET family = ? WHERE hash = ?', family.id, hash);
  return issueTokens(world, family, grant.code);
};

interface Refresh {
  family: number;
  used_at: string | null;
  client: string;
  user: string;
  scopes: string | null;
  resource: string | null;
}

export const findRefresh = (store: Store, token: string): Refresh | undefined =>
  store.all<Refresh>(
    `SELECT r.family, r.used_at, f.client, f.user, f.scopes, f.resource
     FROM refresh_tokens r JOIN families f ON f.id = r.family WHERE r.hash = ?`,
    fingerprint(token),
  )[0];

/** A legacy token has full access. Refreshing it writes down all scopes explicitly and ends its old access token. */
const convertToScopes = (store: Store, family: number): string => {
  const all = Object.keys(scopes).join(' ');
  store.run('UPDATE families SET scopes = ? WHERE id = ?', all, family);
  store.run('DELETE FROM access_tokens WHERE family = ? AND scopes IS NULL', family);
  return all;
};

/** Rotates a refresh token. Using one again, after the replay window if there is one, revokes the whole login. */
export const refreshTokens = (
  world: GrantContext,
  { refresh_token: token }: z.output<typeof RefreshGrant>,
  refresh: Refresh,
  replayMilliseconds: number,
): TokenGrant => {
  const { store, now } = world;
  const { family: id, user, resource } = refresh;
  if (refresh.used_at !== null) {
    const usedAt = Date.parse(refresh.used_at);
    if (now - usedAt < replayMilliseconds)
      return recordOf(world, { id, user, resource, scopes: refresh.scopes! }, token, usedAt);
    revokeFamily(store, id);
    return {
      refused: 'The refresh token was already used. All tokens of this login are revoked.',
      missed: 'RFC 9700 §4.14.2: use a refresh token once, and keep the new one of each reply.',
    };
  }
  store.run('UPDATE refresh_tokens SET used_at = ? WHERE hash = ?', timestamp(now), fingerprint(token));
  return issueTokens(world, { id, user, resource, scopes: refresh.scopes ?? convertToScopes(store, id) }, token);
};

interface TokenFacts {
  user: string;
  scopes: string | null;
  client: string | null;
  resource: string | null;
  created_at: string;
  expires_at: string | null;
}

/** Whether somebody still belongs to an organization. A removed member loses access, however it was given. */
export const isMember = (store: Store, user: string): boolean =>
  store.first('SELECT 1 FROM memberships WHERE user = ?', user) !== undefined;

/** What an access token or an unused refresh token is good for. */
export const describeToken = (store: Store, token: string): TokenFacts | undefined =>
  store.first<TokenFacts>(
    `SELECT t.user, t.scopes, f.client, t.resource, t.created_at, t.expires_at
     FROM access_tokens t LEFT JOIN families f ON f.id = t.family WHERE t.hash = ?1
     UNION ALL SELECT f.user, f.scopes, f.client, f.resource, r.created_at, NULL
     FROM refresh_tokens r JOIN families f ON f.id = r.family WHERE r.hash = ?1 AND r.used_at IS NULL`,
    fingerprint(token),
  );

/** RFC 7009: a refresh token ends with its whole login, an access token alone. Unknown tokens are not an error. */
export const revokeToken = (store: Store, client: string, token: string) => {
  const refresh = findRefresh(store, token);
  if (refresh?.client === client) revokeFamily(store, refresh.family);
  store.run(
    'DELETE FROM access_tokens WHERE hash = ? AND family IN (SELECT id FROM families WHERE client = ?)',
    fingerprint(token),
    client,
  );
};
