/**
 * The OAuth 2.1 endpoints of the authorization host. They have no noun of their own, so they stand outside the catalogue.
 * Assumed: authorize, revoke and the refresh grant; the documentation shows the token endpoint with its code grant alone.
 */
export const oauthPaths = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  revoke: '/oauth/revoke',
  /** RFC 8414. */
  metadata: '/.well-known/oauth-authorization-server',
} as const;
