import { SchedError } from '../../base/errors.ts';
import { the, words } from '../../base/words.ts';
import type { Color } from '../../output/color.ts';
import type { Format } from '../../output/formats.ts';
import type { Runtime } from '../../runtime.ts';
import type { ZoneSource } from '../../time/zone.ts';
import type { Given } from '../input/given.ts';
import type { Here } from '../messages/suggested-line.ts';
import type { Profile } from './profile-schema.ts';

export interface Account {
  name: string;
  profile: Profile;
  /** There is no other profile. */
  isOnly?: boolean;
}

/** Settings that all commands share. A flag wins over the environment, then the profile, then the default. */
export interface Settings {
  format: Format;
  fields?: string[];
  header: boolean;
  /** Don't escape CSV cells that a spreadsheet would run as formulas. */
  raw: boolean;
  /** Times in csv and tsv are local, with their offset. */
  localTimes: boolean;
  /** A jq program for the output. */
  jq?: string;
  readonly zone: string;
  readonly zoneSource: ZoneSource;
  color: Color | undefined;
  accessible: boolean;
  quiet: boolean;
  verbose: boolean;
  /** Prints requests and sends no writes. */
  dryRun: boolean;
  /** Doesn't even send reads. */
  noCheck: boolean;
  /** Prints them as curl commands. */
  curl: boolean;
  yes: boolean;
  /** `--profile-is`: the name of the profile, repeated for a write. */
  profileIs?: string;
  /** The protected profile in use, as long as nobody has confirmed that the command may write with it. */
  protectedProfile?: string;
  /** Prompts are possible: there is a terminal, and they are not turned off. */
  canAsk: boolean;
  /** Long output may go through a pager. */
  mayPage: boolean;
  sandbox: boolean;
  /** Answers come from the mirror of the account, and how old it may be. */
  mirror?: { maxAgeMs: number | undefined };
  account?: Account;
  /** What a command line for pasting must name. */
  here: Here;
  /** The stored login may be refreshed. */
  allowRefresh: boolean;
  maxWaitMs: number;
  timeoutMs: number;
  /** The URL of the Redis server that keeps the shared state. It may hold a password. */
  sharedState?: string;
  /** The dialect that the service speaks: its name or file. */
  dialect?: string;
}

/** The settings that are no mode of the shell. */
export type RoomSettings = Pick<
  Settings,
  | 'zone'
  | 'zoneSource'
  | 'account'
  | 'here'
  | 'sandbox'
  | 'mirror'
  | 'dialect'
  | 'sharedState'
  | 'timeoutMs'
  | 'maxWaitMs'
  | 'allowRefresh'
  | 'color'
  | 'verbose'
>;

/** Whether errors and notes are printed as JSON. */
export const wantsJson = ({ json, output }: Given, { env, stderr }: Runtime): boolean => {
  if (env.SCHED_ERROR_FORMAT === 'json') return true;
  if (env.SCHED_ERROR_FORMAT === 'text' || stderr.isTerminal) return false;
  return json !== undefined || output === 'json' || output === 'jsonl';
};

const isSandboxSet = ({ SCHED_SANDBOX: value }: Runtime['env']): boolean => Boolean(value) && value !== '0';

const isServiceSet = (env: Runtime['env']): boolean =>
  Boolean(env.SCHED_TOKEN || env.SCHED_TOKEN_FILE || env.SCHED_BASE_URL);

/** Whether to use the built-in sandbox. The flag always wins; the variable conflicts with a token or a base URL. */
export const wantsSandbox = (given: Given, { env }: Runtime): boolean => {
  if (given.sandbox === true) return true;
  if (!isSandboxSet(env)) return false;
  if (!isServiceSet(env)) return true;
  throw new SchedError('usage', 'SCHED_SANDBOX is set together with a token or a base URL', {
    reason: "sched can't tell which one you mean",
    advice: words`unset one of them, or add ${the('sandbox')}`,
  });
};

/** The account that the environment chose. A line for pasting names it: the variable may be set for one command only. */
export const hereIn = (env: Runtime['env']): Here => ({
  sandbox: isSandboxSet(env) && !isServiceSet(env),
  profile: env.SCHED_PROFILE || undefined,
});

/** The account and the zone of a command. Local commands load no account, but may name one. */
export const hereOf = (given: Given, { env }: Runtime, account?: Account): Here => {
  const fromEnv = hereIn(env);
  const profileName = (given.profile as string | undefined) ?? fromEnv.profile;
  return {
    sandbox: given.sandbox === true || fromEnv.sandbox,
    profile: account?.name ?? profileName,
    isOnly: profileName === undefined && account?.isOnly === true,
    zone: given.tz as string | undefined,
  };
};
