import type { AuthorizationServer, Client } from 'oauth4webapi';
import { oauthPaths } from '../api/oauth-paths.ts';
import { SchedError } from '../errors.ts';
import { isLoopback } from '../http/proxy.ts';
import type { LoginSecrets } from './pkce.ts';

/** Who issues tokens, and to which client. Pinned in the profile: no discovery document changes it. */
export interface Issuer {
  /** The auth URL, without a slash at the end. */
  readonly url: string;
  readonly clientId: string;
}

/** The issuer as the protocol library knows it. The paths are ours, so nothing is looked up. */
export const serverOf = ({ url, clientId }: Issuer): { server: AuthorizationServer; client: Client } => ({
  server: {
    issuer: url,
    authorization_endpoint: `${url}${oauthPaths.authorize}`,
    token_endpoint: `${url}${oauthPaths.token}`,
    revocation_endpoint: `${url}${oauthPaths.revoke}`,
  },
  client: { client_id: clientId },
});

/** Plain http is for this machine alone. */
export const allowsPlainHttp = ({ url }: Issuer): boolean => {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:') return false;
  if (protocol === 'http:' && isLoopback(hostname)) return true;
  throw new SchedError('environment', 'The auth URL is not usable', {
    reason: 'it must be https, or http on a loopback address',
    outcome: 'not-sent',
  });
};

export const authorizationUrl = (
  issuer: Issuer,
  { challenge, state }: LoginSecrets,
  redirectUri: string,
  scopes: readonly string[],
): string => {
  const url = new URL(`${issuer.url}${oauthPaths.authorize}`);
  const parameters = {
    client_id: issuer.clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    scope: scopes.join(' '),
    state,
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
};
