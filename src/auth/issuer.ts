import type { AuthorizationServer, Client } from 'oauth4webapi';
import { oauthPaths } from '../api/oauth-paths.ts';
import { SchedError } from '../errors.ts';
import { isLoopback } from '../http/proxy.ts';
import type { LoginSecrets } from './pkce.ts';

/** The server that issues tokens, and the client ID. Pinned in the profile: no discovery document changes them. */
export interface Issuer {
  /** The auth URL, without a trailing slash. */
  readonly url: string;
  readonly clientId: string;
}

/** The issuer in the form the OAuth library needs. The paths are fixed, so there is no discovery request. */
export const serverOf = ({ url, clientId }: Issuer): { server: AuthorizationServer; client: Client } => ({
  server: {
    issuer: url,
    authorization_endpoint: `${url}${oauthPaths.authorize}`,
    token_endpoint: `${url}${oauthPaths.token}`,
    revocation_endpoint: `${url}${oauthPaths.revoke}`,
  },
  client: { client_id: clientId },
});

/** Whether the issuer uses plain http. Throws unless that is on a loopback address. */
export const allowsPlainHttp = ({ url }: Issuer): boolean => {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:') return false;
  if (protocol === 'http:' && isLoopback(hostname)) return true;
  throw new SchedError('environment', 'Invalid auth URL', {
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
