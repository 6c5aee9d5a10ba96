/**
 * The OAuth 2.1 endpoints of the authorization host. No noun covers them, so they are not in the catalogue.
 * Assumed: authorize, revoke and the refresh grant; the documentation shows only the token endpoint's code grant.
 */
export const oauthPaths = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  revoke: '/oauth/revoke',
  /** RFC 8628: starts a device login. */
  device: '/oauth/device_authorization',
  /** RFC 8628: the page where the user enters the code of a device login. */
  verify: '/oauth/device',
  /** RFC 8414. */
  metadata: '/.well-known/oauth-authorization-server',
  /** The same for OpenID Connect Discovery. */
  openid: '/.well-known/openid-configuration',
} as const;
