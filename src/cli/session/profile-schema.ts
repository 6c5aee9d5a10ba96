import * as z from 'zod/mini';
import { choice, described, word } from '../../api/field.ts';
import { urlProblem } from '../../http/proxy.ts';
import { formats } from '../../output/formats.ts';
import { zoneProblem } from '../../time/zone.ts';
import { profileName } from './profile-name.ts';

const checked = (problemOf: (text: string) => string | undefined) =>
  z.string().check((payload) => {
    const problem = problemOf(payload.value);
    if (problem !== undefined) payload.issues.push({ code: 'custom', message: problem, input: payload.value });
  });

const url = (description: string) =>
  described(
    z.pipe(
      checked(urlProblem),
      z.transform((text: string) => text.replace(/\/+$/, '')),
    ),
    description,
  );

/** What is known of one account. Nothing in it is secret. */
export const Profile = z.strictObject({
  base_url: url('address of the API'),
  auth_url: z.optional(url('address of the authorization server')),
  mcp_url: z.optional(url('address of the MCP server')),
  client_id: z.optional(word('identifier of this program at the authorization server')),
  issuer: z.optional(url('the authorization server, as it names itself')),
  user: z.optional(word('user that is meant where none is named')),
  organization: z.optional(word('organization that is meant where none is named')),
  timezone: z.optional(described(checked(zoneProblem), 'zone in which times are read and shown')),
  output: z.optional(choice(formats, 'format on a terminal')),
  uri_root: z.optional(url('root under which the service names its records')),
  /** Where the login is kept, and under which name. */
  login: z.optional(
    z.strictObject({
      store: z.enum(['keychain', 'file']),
      issuer: z.string(),
      client: z.string(),
      user: z.string(),
    }),
  ),
});

export type Profile = z.infer<typeof Profile>;

/** What a person may set; the rest is learnt at login. */
export const SettableProfile = z.omit(Profile, { login: true });

export const settableKeys = Object.keys(SettableProfile.shape) as (keyof typeof SettableProfile.shape)[];

export const Config = z.strictObject({
  version: z.literal(1),
  current: z.optional(z.string()),
  profiles: z.record(z.string().check(z.regex(profileName)), Profile),
});

export type Config = z.infer<typeof Config>;
