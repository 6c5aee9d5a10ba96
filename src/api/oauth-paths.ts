/**
 * The OAuth 2.1 endpoints of the authorization host. No noun covers them, so they are not in the catalogue.
 * Assumed (oauth.paths): the authorization host also serves `/oauth/authorize` and `/oauth/revoke`. The documentation
 * shows only `/oauth/token`.
 * Assumed (oauth.device-paths): a device login (RFC 8628) uses `/oauth/device_authorization` and `/oauth/device`.
 * Assumed (oauth.metadata-paths): metadata of the authorization host is at `/.well-known/oauth-authorization-server`
 * (RFC 8414) or `/.well-known/openid-configuration`.
 * Assumed (oauth.register-path): MCP clients register themselves at `/oauth/register` (RFC 7591).
 * Assumed (oauth.introspect-path): clients ask at `/oauth/introspect` what a token is good for (RFC 7662).
 */
export const oauthPaths = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  revoke: '/oauth/revoke',
  /** RFC 8628: starts a device login. */
  device: '/oauth/device_authorization',
  /** RFC 8628: the page where the user enters the code of a device login. */
  verify: '/oauth/device',
  /** RFC 7591: a client registers itself. */
  register: '/oauth/register',
  /** RFC 7662: what a token is good for. */
  introspect: '/oauth/introspect',
  /** RFC 8414. */
  metadata: '/.well-known/oauth-authorization-server',
  /** The same for OpenID Connect Discovery. */
  openid: '/.well-known/openid-configuration',
} as const;
