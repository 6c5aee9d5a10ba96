import * as z from 'zod/mini';

const Token = z.string().check(z.regex(/^[\x21-\x7e]{1,16384}$/));

/** RFC 6749 §A.2: printable ASCII, spaces included. */
export const ClientSecret = z.string().check(z.regex(/^[\x20-\x7e]{1,4096}$/));

/** A stored credential. Times are milliseconds since 1970 by this machine's clock. */
export const CredentialRecord = z.object({
  version: z.literal(1),
  kind: z.enum(['oauth', 'pat']),
  /** The only origin the token is sent to. */
  origin: z.string().check(z.minLength(1)),
  /** The issuer of the token, or the API's origin for a personal access token. */
  issuer: z.string().check(z.minLength(1)),
  client_id: z.string(),
  client_secret: z.optional(ClientSecret),
  access_token: Token,
  refresh_token: z.optional(Token),
  scope: z.string(),
  /** Receipt time plus lifetime, by this machine's clock, which may be a day off. Not in personal access tokens. */
  expires_at: z.optional(z.number()),
  /** When this access token was received. */
  created_at: z.number(),
  /** The user's URI, or `''` if the token may not read users. */
  owner: z.string(),
  organization: z.string(),
  /** The owner's display name. */
  name: z.optional(z.string()),
});

export type CredentialRecord = z.infer<typeof CredentialRecord>;
