import * as z from 'zod';

/** The form of the code grant: `client_secret` is for confidential clients, which we are not. */
export const CodeGrant = z.object({
  grant_type: z.literal('authorization_code'),
  client_id: z.string().min(1),
  code: z.string().min(1),
  code_verifier: z.string().regex(/^[A-Za-z0-9\-._~]{43,128}$/),
  redirect_uri: z.url(),
  client_secret: z.string().optional(),
});

/** Assumed: refresh tokens are single-use and rotate. */
export const RefreshGrant = z.object({
  grant_type: z.literal('refresh_token'),
  client_id: z.string().min(1),
  refresh_token: z.string().min(1),
});

/** What the token endpoint answers. */
export const AccessToken = z.strictObject({
  access_token: z.string().min(1).describe('the bearer token'),
  refresh_token: z.string().min(1).describe('buys the next access token, once'),
  token_type: z.literal('Bearer').describe('how the token is sent'),
  scope: z.string().describe('what the token may do, space-separated'),
  expires_in: z.int().describe('seconds the token lives'),
  created_at: z.int().describe('when the token was issued, in seconds since 1970'),
  owner: z.string().describe('reference of the user it belongs to'),
  organization: z.string().describe('reference of the organization of the user'),
});

/** RFC 6749 §5.2. */
export const OAuthError = z.object({
  error: z.string(),
  error_description: z.string().optional(),
});
