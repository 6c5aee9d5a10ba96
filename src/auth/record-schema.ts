import * as z from 'zod/mini';

const Token = z.string().check(z.regex(/^[\x21-\x7e]{1,16384}$/));

/** A credential as it is kept. Times are milliseconds since 1970 by this machine's own clock. */
export const CredentialRecord = z.object({
  version: z.literal(1),
  kind: z.enum(['oauth', 'pat']),
  /** The only origin it is ever sent to. */
  origin: z.string().check(z.minLength(1)),
  /** The auth URL that issued it; for a personal access token the API's own origin. */
  issuer: z.string().check(z.minLength(1)),
  client_id: z.string(),
  access_token: Token,
  refresh_token: z.optional(Token),
  scope: z.string(),
  /** Receipt plus lifetime, both by our clock, so that one a day wrong still works. Personal access tokens have none. */
  expires_at: z.optional(z.number()),
  /** When this access token was received. */
  created_at: z.number(),
  /** `''` where the token may not tell. */
  owner: z.string(),
  organization: z.string(),
  /** The owner's name, for people to read. */
  name: z.optional(z.string()),
});

export type CredentialRecord = z.infer<typeof CredentialRecord>;
