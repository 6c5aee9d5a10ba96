import { hash } from 'node:crypto';
import type { AuthClient, AuthServer } from './auth-server.ts';
import type { CredentialRecord } from './credential-schema.ts';
import type { Tokens } from './token-requests.ts';

/** Identifies a credential. Directories are not part of it: two of them may share one keychain. */
export interface CredentialKey {
  readonly issuer: string;
  readonly client: string;
  /** The owner's URI, if the token may read it, and a name chosen by the caller. */
  readonly user: string;
}

/** The client ID in the records of personal access tokens. */
export const patClient = 'personal-access-token';

export const credentialKey = ({ issuer, client_id, owner }: CredentialRecord, user = owner): CredentialKey => ({
  issuer,
  client: client_id,
  user,
});

/** A name made from the key alone, for files and keychain entries. */
export const credentialName = ({ issuer, client, user }: CredentialKey): string =>
  hash('sha256', JSON.stringify([issuer, client, user])).slice(0, 40);

/** The client that a credential was issued to. */
export const clientOf = ({ client_id, client_secret }: CredentialRecord, server: AuthServer): AuthClient => ({
  server,
  id: client_id,
  secret: client_secret,
});

export const recordFromToken = (token: string, { origin, now }: { origin: string; now: number }): CredentialRecord => ({
  version: 1,
  kind: 'pat',
  origin,
  issuer: origin,
  client_id: patClient,
  access_token: token,
  scope: '',
  created_at: now,
  owner: '',
  organization: '',
});

/** The record after a refresh. If the reply has no new refresh token, the old one stays. */
export const refreshedRecord = (
  record: Omit<CredentialRecord, 'access_token' | 'created_at'>,
  tokens: Tokens,
  now: number,
): CredentialRecord => ({
  ...record,
  access_token: tokens.accessToken,
  refresh_token: tokens.refreshToken ?? record.refresh_token,
  scope: tokens.scope ?? record.scope,
  expires_at: now + tokens.expiresInSeconds * 1000,
  created_at: now,
  owner: record.owner || (tokens.owner ?? ''),
  organization: tokens.organization ?? record.organization,
});

export const recordFromLogin = (
  tokens: Tokens,
  { client, origin, scopes, now }: { client: AuthClient; origin: string; scopes: readonly string[]; now: number },
): CredentialRecord => {
  const { server, id, secret } = client;
  // RFC 6749 §5.1: a reply without a scope grants the requested scopes.
  const defaults = { scope: scopes.join(' '), owner: '', organization: '' };
  const ours = { origin, issuer: server.issuer, client_id: id, client_secret: secret };
  return refreshedRecord({ version: 1, kind: 'oauth', ...ours, ...defaults }, tokens, now);
};
