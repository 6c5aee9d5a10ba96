import * as z from 'zod/mini';
import { choice, described, reference, word } from '../../api/field.ts';
import { clientAuthWords, endpointProblem, methodNamed } from '../../auth/auth-server.ts';
import { urlProblem } from '../../http/proxy.ts';
import { commonFormats } from '../../output/formats.ts';
import { storedAddressProblem } from '../../state/redis/address.ts';
import { zoneProblem } from '../../time/zone.ts';

const profileName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const nameProblem = (name: string): string | undefined =>
  profileName.test(name)
    ? undefined
    : `"${name}" is not a valid profile name. Use letters, digits, dots, dashes and underscores`;

const checkedText = (problemOf: (text: string) => string | undefined) =>
  z.string().check((payload) => {
    const problem = problemOf(payload.value);
    if (problem !== undefined) payload.issues.push({ code: 'custom', message: problem, input: payload.value });
  });

const url = (description: string) =>
  described(
    z.pipe(
      checkedText(urlProblem),
      z.transform((text: string) => text.replace(/\/+$/, '')),
    ),
    description,
  );

/** Kept as given: a trailing slash is part of an issuer's name, and of an endpoint's address. */
const exactUrl = (problemOf: (text: string) => string | undefined, description: string) =>
  described(checkedText(problemOf), description);

/** The settings of a profile. None of them is secret. */
export const Profile = z.strictObject({
  base_url: url('base URL of the API'),
  auth_url: z.optional(url('URL of the authorization server')),
  mcp_url: z.optional(url('URL of the MCP server')),
  client_id: z.optional(word('client ID of sched at the authorization server')),
  issuer: z.optional(exactUrl(urlProblem, 'issuer of the authorization server, if it is not the auth URL')),
  authorize_url: z.optional(exactUrl(endpointProblem, 'where the browser logs in')),
  token_url: z.optional(exactUrl(endpointProblem, 'where tokens are issued and refreshed')),
  revoke_url: z.optional(exactUrl(endpointProblem, 'where tokens are revoked')),
  device_url: z.optional(exactUrl(endpointProblem, 'where a device login starts')),
  client_auth: z.optional(
    described(
      z.pipe(z.transform(methodNamed), z.enum(clientAuthWords)),
      'how the client sends its secret, if it has one',
    ),
  ),
  user: z.optional(reference('users', 'default user')),
  organization: z.optional(reference('organizations', 'default organization')),
  timezone: z.optional(described(checkedText(zoneProblem), 'time zone for reading and showing times')),
  output: z.optional(choice(commonFormats, 'default output format on a terminal')),
  shared_state: z.optional(
    exactUrl(storedAddressProblem, 'Redis server that keeps rate budget and booking ledger for several machines'),
  ),
  dialect: z.optional(word('how the service differs: name of a dialect, or a file')),
  protected: z.optional(
    described(
      z.pipe(
        z.transform((value: unknown) => ({ yes: true, no: false })[String(value)] ?? value),
        z.boolean('must be yes or no'),
      ),
      'ask before every write, even with --yes',
    ),
  ),
  uri_root: z.optional(url("root of the service's URIs")),
  /** Where the login is stored, and its key there. */
  login: z.optional(
    z.strictObject({
      store: z.enum(['keychain', 'file']),
      issuer: z.string(),
      client: z.string(),
      user: z.string(),
      /** The user's name at the time of the login. */
      name: z.optional(z.string()),
    }),
  ),
});

export type Profile = z.infer<typeof Profile>;

/** The settings that users can change. The login sets the rest. */
export const SettableProfile = z.omit(Profile, { login: true });

export const settableKeys = Object.keys(SettableProfile.shape) as (keyof typeof SettableProfile.shape)[];

export const Config = z.strictObject({
  version: z.literal(1),
  current: z.optional(z.string()),
  profiles: z.record(z.string().check(z.regex(profileName)), Profile),
});

export type Config = z.infer<typeof Config>;
