import * as z from 'zod/mini';
import { integer, literal, text, word } from './field.ts';

/**
 * The form of the code grant. `client_secret` is for confidential clients.
 * Assumed (oauth.verifier): `code_verifier` has the form of RFC 7636 §4.1.
 */
export const CodeGrant = z.object({
  grant_type: z.literal('authorization_code'),
  client_id: z.string().check(z.minLength(1)),
  code: z.string().check(z.minLength(1)),
  code_verifier: z.string().check(z.regex(/^[A-Za-z0-9\-._~]{43,128}$/)),
  redirect_uri: z.url(),
  client_secret: z.optional(z.string()),
});

/**
 * Assumed (oauth.refresh): a login is refreshed with `grant_type` `refresh_token`, `refresh_token` and `client_id`.
 * Refresh tokens are single-use and rotate; using one again revokes the login.
 */
export const RefreshGrant = z.object({
  grant_type: z.literal('refresh_token'),
  client_id: z.string().check(z.minLength(1)),
  refresh_token: z.string().check(z.minLength(1)),
});

/**
 * RFC 8628 §3.4.
 * Assumed (oauth.device-grant): a device login ends with `grant_type` `urn:ietf:params:oauth:grant-type:device_code`,
 * `device_code` and `client_id`.
 */
export const DeviceGrant = z.object({
  grant_type: z.literal('urn:ietf:params:oauth:grant-type:device_code'),
  client_id: z.string().check(z.minLength(1)),
  device_code: z.string().check(z.minLength(1)),
});

export const AccessToken = z.strictObject({
  access_token: word('bearer token'),
  refresh_token: z.optional(word('single-use token to get the next access token')),
  token_type: literal('Bearer', 'how the token is sent'),
  scope: text('scopes of the token, space-separated'),
  expires_in: integer('lifetime of the token in seconds'),
  created_at: integer('when the token was issued, in seconds since 1970'),
  owner: text('URI of the user it belongs to'),
  organization: text("URI of the user's organization"),
});

/**
 * RFC 6749 §5.2.
 * Assumed (errors.oauth): an error of the authorization host has `error` and sometimes `error_description`.
 */
export const OAuthError = z.object({
  error: z.string(),
  error_description: z.optional(z.string()),
});
