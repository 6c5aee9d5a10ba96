import type { CredentialRecord } from '../../../auth/record-schema.ts';
import type { Account } from '../../session/settings.ts';

/** The output of `auth status`: the same fields for every kind of credential. */
export interface LoginFacts {
  profile: string | null;
  base_url: string | null;
  /** Where the credential comes from: a store or an environment variable. */
  source: string;
  kind: 'oauth' | 'pat' | 'token';
  user: string | null;
  /** As the service reported it at login. */
  user_name: string | null;
  organization: string | null;
  scopes: string[] | null;
  expires_at: string | null;
  /** Null if only the service can tell. */
  usable: boolean | null;
  /** Whether the service accepts the credential, as far as known. */
  status: 'accepted' | 'refused' | 'expired' | 'not checked';
}

export const loginFields = [
  'profile',
  'base_url',
  'source',
  'kind',
  'user',
  'user_name',
  'organization',
  'scopes',
  'expires_at',
  'usable',
  'status',
] as const satisfies readonly (keyof LoginFacts)[];

/** What is known about a stored login without asking the service. */
export const describeLogin = ({ name, profile }: Account, record: CredentialRecord, now: number): LoginFacts => {
  const { kind, owner, name: userName, organization, scope, expires_at, refresh_token } = record;
  const isOver = expires_at !== undefined && expires_at <= now && refresh_token === undefined;
  return {
    profile: name,
    base_url: profile.base_url,
    source: profile.login?.store ?? 'keychain',
    kind,
    user: owner || null,
    user_name: userName ?? null,
    organization: organization || null,
    scopes: scope === '' ? null : scope.split(' '),
    expires_at: expires_at === undefined ? null : new Date(expires_at).toISOString(),
    ...(isOver ? { usable: false, status: 'expired' } : { usable: null, status: 'not checked' }),
  };
};

/** The facts of a credential that the service has just accepted. */
export const accepted = (facts: LoginFacts): LoginFacts => ({ ...facts, usable: true, status: 'accepted' });
