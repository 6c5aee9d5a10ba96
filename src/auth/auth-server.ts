import type { AuthorizationServer, Client } from 'oauth4webapi';
import { oauthPaths } from '../api/oauth-paths.ts';
import { isLoopback } from '../base/uri.ts';
import type { LoginSecrets } from './pkce.ts';

/** How a client sends its secret (RFC 6749 §2.3.1), by the word that a user types. */
export const clientAuthWords = { post: 'client_secret_post', basic: 'client_secret_basic' } as const;
type ClientAuthWord = keyof typeof clientAuthWords;
export type ClientAuthMethod = (typeof clientAuthWords)[ClientAuthWord];

/** Other text stays as it is. */
export const methodNamed = (text: unknown): unknown =>
  Object.hasOwn(clientAuthWords, String(text)) ? clientAuthWords[text as ClientAuthWord] : text;

export const wordFor = (method: ClientAuthMethod): ClientAuthWord =>
  method === 'client_secret_post' ? 'post' : 'basic';

/** R7: the addresses of an authorization server. Found at login, kept in the profile, and never changed by a document. */
export interface AuthServer {
  /** Compared with `iss` as a plain string, including a trailing slash. */
  readonly issuer: string;
  readonly authorize: string;
  readonly token: string;
  readonly revoke?: string | undefined;
  readonly device?: string | undefined;
  /** For clients with a secret. */
  readonly clientAuth: ClientAuthMethod;
  /** RFC 9207: every callback has `iss`, so one without it is forged. */
  readonly sendsIssuer?: boolean;
}

/** An authorization server, and the client that `sched` is there. */
export interface AuthClient {
  readonly server: AuthServer;
  readonly id: string;
  readonly secret?: string | undefined;
  /** The user has decided how the secret is sent. A login tries no other way. */
  readonly isMethodFixed?: boolean;
}

/** The server at an auth URL that has no metadata: fixed paths below it. */
export const usualServer = (authUrl: string, issuer = authUrl): AuthServer => ({
  issuer,
  authorize: `${authUrl}${oauthPaths.authorize}`,
  token: `${authUrl}${oauthPaths.token}`,
  revoke: `${authUrl}${oauthPaths.revoke}`,
  clientAuth: 'client_secret_post',
});

/** The same in the form the OAuth library needs. */
export const forLibrary = ({ server, id }: AuthClient): { server: AuthorizationServer; client: Client } => ({
  server: {
    issuer: server.issuer,
    authorization_endpoint: server.authorize,
    token_endpoint: server.token,
    ...(server.revoke === undefined ? {} : { revocation_endpoint: server.revoke }),
    ...(server.device === undefined ? {} : { device_authorization_endpoint: server.device }),
    authorization_response_iss_parameter_supported: server.sendsIssuer ?? false,
  },
  client: { client_id: id },
});

/** Why codes and tokens can't be sent to an address, or undefined if they can. Unlike a base URL, it may have a query. */
export const endpointProblem = (text: string): string | undefined => {
  // The URL parser would drop line breaks and spaces around the address.
  if (!/^[\x21-\x7e]{1,2000}$/.test(text) || !URL.canParse(text)) return 'not a URL';
  const { protocol, hostname, username, password } = new URL(text);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname)))
    return 'it must be https, or http on a loopback address';
  return username + password !== '' || text.includes('#') ? 'it must not have a user or fragment' : undefined;
};

/** A URL without trailing slashes. A server may send any text: a regular expression for its end takes quadratic time. */
export const withoutSlash = (url: string): string => {
  let end = url.length;
  while (url[end - 1] === '/') end -= 1;
  return url.slice(0, end);
};

/** The names of a server's addresses, in the order in which they are shown. */
export const endpointNames = ['authorize', 'token', 'revoke', 'device'] as const;

/** R7: the addresses that are not on the issuer's own origin. */
export const foreignEndpoints = (server: AuthServer): (typeof endpointNames)[number][] => {
  const { origin } = new URL(server.issuer);
  return endpointNames.filter((name) => server[name] !== undefined && new URL(server[name]).origin !== origin);
};

/**
 * Assumed (oauth.authorize): a login is asked for with `client_id`, `response_type=code`, `redirect_uri`,
 * `code_challenge`, `code_challenge_method=S256`, `scope` and `state`, as in OAuth 2.1.
 */
export const authorizationUrl = (
  { server, id }: AuthClient,
  { challenge, state }: LoginSecrets,
  redirectUri: string,
  scopes: readonly string[],
): string => {
  const url = new URL(server.authorize);
  const parameters = {
    client_id: id,
    response_type: 'code',
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    scope: scopes.join(' '),
    state,
    // OpenID Connect Core §11: without this, a server ignores the scope.
    ...(scopes.includes('offline_access') ? { prompt: 'consent' } : {}),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
};
