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
  /** As far as `sched` can tell without asking the service. */
  usable: boolean;
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
] as const satisfies readonly (keyof LoginFacts)[];

export const describeLogin = ({ name, profile }: Account, record: CredentialRecord, now: number): LoginFacts => {
  const { kind, owner, name: userName, organization, scope, expires_at, refresh_token } = record;
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
    usable: expires_at === undefined || expires_at > now || refresh_token !== undefined,
  };
};
