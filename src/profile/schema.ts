import * as z from 'zod';
import { urlProblem } from '../http/proxy.ts';
import { formats } from '../output/formats.ts';
import { zoneProblem } from '../time/zone.ts';
import { profileName } from './name.ts';

const checked = (problemOf: (text: string) => string | undefined) =>
  z.string().superRefine((text, context) => {
    const problem = problemOf(text);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });

const url = checked(urlProblem).transform((text) => text.replace(/\/+$/, ''));

/** What is known of one account. Nothing in it is secret. */
export const Profile = z.strictObject({
  base_url: url.describe('address of the API'),
  auth_url: url.optional().describe('address of the authorization server'),
  mcp_url: url.optional().describe('address of the MCP server'),
  client_id: z.string().min(1).optional().describe('identifier of this program at the authorization server'),
  issuer: url.optional().describe('the authorization server, as it names itself'),
  user: z.string().min(1).optional().describe('user that is meant where none is named'),
  organization: z.string().min(1).optional().describe('organization that is meant where none is named'),
  timezone: checked(zoneProblem).optional().describe('zone in which times are read and shown'),
  output: z.enum(formats).optional().describe('format on a terminal'),
  uri_root: url.optional().describe('root under which the service names its records'),
  /** Where the login is kept, and under which name. */
  login: z
    .strictObject({ store: z.enum(['keychain', 'file']), issuer: z.string(), client: z.string(), user: z.string() })
    .optional(),
});

export type Profile = z.infer<typeof Profile>;

/** Keys a person may set; the rest is learnt at login. */
export const settableKeys = Object.keys(Profile.shape).filter((key) => key !== 'login') as Exclude<
  keyof Profile,
  'login'
>[];

export const Config = z.strictObject({
  version: z.literal(1),
  current: z.string().optional(),
  profiles: z.record(z.string().regex(profileName), Profile),
});

export type Config = z.infer<typeof Config>;
