import * as z from 'zod/mini';
import { integer, literal, text, word } from './field.ts';

/** The form of the code grant: `client_secret` is for confidential clients, which we are not. */
export const CodeGrant = z.object({
  grant_type: z.literal('authorization_code'),
  client_id: z.string().check(z.minLength(1)),
  code: z.string().check(z.minLength(1)),
  code_verifier: z.string().check(z.regex(/^[A-Za-z0-9\-._~]{43,128}$/)),
  redirect_uri: z.url(),
  client_secret: z.optional(z.string()),
});

/** Assumed: refresh tokens are single-use and rotate. */
export const RefreshGrant = z.object({
  grant_type: z.literal('refresh_token'),
  client_id: z.string().check(z.minLength(1)),
  refresh_token: z.string().check(z.minLength(1)),
});

/** What the token endpoint answers. */
export const AccessToken = z.strictObject({
  access_token: word('the bearer token'),
  refresh_token: word('buys the next access token, once'),
  token_type: literal('Bearer', 'how the token is sent'),
  scope: text('what the token may do, space-separated'),
  expires_in: integer('seconds the token lives'),
  created_at: integer('when the token was issued, in seconds since 1970'),
  owner: text('reference of the user it belongs to'),
  organization: text('reference of the organization of the user'),
});

/** RFC 6749 §5.2. */
export const OAuthError = z.object({
  error: z.string(),
  error_description: z.optional(z.string()),
});
