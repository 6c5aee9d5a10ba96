import type { CredentialRecord } from '../../auth/credential-schema.ts';
import type { Session } from '../../auth/session.ts';
import { SchedError } from '../../base/errors.ts';
import { momentValue } from '../../cli/operation/view-values.ts';
import { environmentToken, sandboxAddress } from '../../cli/session/connection.ts';
import type { Context } from '../../cli/session/context.ts';
import type { Account } from '../../cli/session/settings.ts';
import { valueAt } from '../../output/fields.ts';
import type { Page, PageLine, TimeStyle } from '../../output/view.ts';

/** The output of `auth status`, with what is known about a token alone. Every kind of credential has these fields. */
const tokenFacts = {
  profile: null as string | null,
  base_url: null as string | null,
  /** Where the credential comes from: a store or an environment variable. */
  source: '',
  kind: 'token' as 'oauth' | 'pat' | 'token',
  user: null as string | null,
  /** As the service reported it at login. */
  user_name: null as string | null,
  organization: null as string | null,
  scopes: null as string[] | null,
  expires_at: null as string | null,
  /** Null if only the service can tell. */
  usable: null as boolean | null,
  /** Whether the service accepts the credential, as far as known. */
  status: 'not checked' as 'accepted' | 'refused' | 'expired' | 'not checked',
};

export type LoginFacts = typeof tokenFacts;

export const loginFields = Object.keys(tokenFacts);

const sources: Readonly<Record<string, string>> = { file: 'credential file' };

/** Where the token is stored. */
export const tokenSource = (path: string): PageLine => ({
  label: 'Token',
  value: (record) => sourceName(String(valueAt(record, path))),
});

const sourceName = (source: string): string => sources[source] ?? source;

const kinds: Readonly<Record<string, string>> = { oauth: 'login', pat: 'personal access token', token: 'access token' };

export const loginPage: Page = {
  title: 'user_name',
  lines: [
    { label: 'Status', value: 'status', as: 'status' },
    { label: 'Service', value: 'base_url' },
    { label: 'Profile', value: 'profile' },
    tokenSource('source'),
    { label: 'Kind', value: ({ kind }) => kinds[String(kind)] },
    { label: 'Valid until', value: momentValue('expires_at') },
    { label: 'Scopes', value: ({ scopes }) => (Array.isArray(scopes) ? scopes.join(' ') : undefined) },
    { label: 'User ID', value: 'user', as: 'id' },
    { label: 'Organization ID', value: 'organization', as: 'id' },
  ],
};

/** What a screen says about a login below its owner. A sandbox has no login of its own. */
export const shownFacts = (
  {
    profile,
    base_url: url,
    source,
    kind,
    expires_at,
  }: Pick<LoginFacts, 'profile' | 'base_url' | 'source' | 'expires_at'> & {
    kind?: LoginFacts['kind'];
  },
  time: TimeStyle,
): unknown[] => [
  profile === null ? undefined : `profile ${profile}`,
  source === 'sandbox' ? undefined : [kind === undefined ? 'token' : kinds[kind], sourceName(source)].join(' in '),
  expires_at === null ? undefined : `valid until ${momentValue('expires_at')({ expires_at }, time)}`,
  url,
];

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
    usable: isOver ? false : null,
    status: isOver ? 'expired' : 'not checked',
  };
};

/** The facts of a credential that the service has just accepted. */
export const accepted = (facts: LoginFacts): LoginFacts => ({ ...facts, usable: true, status: 'accepted' });

/** The current profile. Throws an error with the login command if it has no login. */
const accountOf = ({ settings: { account } }: Context): Account => {
  if (account?.profile.login !== undefined) return account;
  throw new SchedError('auth', account === undefined ? 'Not logged in' : `Profile "${account.name}" is not logged in`, {
    hint: { command: ['auth', 'login'] },
  });
};

export const sessionOf = async (context: Context): Promise<{ account: Account; session: Session }> => {
  const account = accountOf(context);
  const { openLogin } = await import('../../cli/session/stored-login.ts');
  return { account, session: (await openLogin(account, context.runtime, context.settings, context.notes))! };
};

/** What is known about an environment token without asking the service. */
const environmentFacts = ({ settings, runtime }: Context): LoginFacts => ({
  ...tokenFacts,
  profile: settings.account?.name ?? null,
  base_url: runtime.env.SCHED_BASE_URL ?? settings.account?.profile.base_url ?? null,
  source: runtime.env.SCHED_TOKEN ? 'SCHED_TOKEN' : 'SCHED_TOKEN_FILE',
});

/** What is known about the credential that commands use, without asking the service. */
export const localFacts = async (context: Context): Promise<LoginFacts> => {
  if (context.settings.sandbox) return { ...tokenFacts, base_url: sandboxAddress, source: 'sandbox' };
  if ((await environmentToken(context.runtime)) !== undefined) return environmentFacts(context);
  const { account, session } = await sessionOf(context);
  return describeLogin(account, await session.record(), context.runtime.clock.now());
};
