import { SchedError } from '../../base/errors.ts';
import { once } from '../../base/once.ts';
import { type Name, otherChoice, the, words } from '../../base/words.ts';
import { defaultTimeoutMs } from '../../http/message.ts';
import { type Color, type ColorFlag, colorWanted } from '../../output/color.ts';
import { fieldList } from '../../output/fields.ts';
import { commonFormats, type Format, formats } from '../../output/formats.ts';
import type { Runtime } from '../../runtime.ts';
import { addressProblem } from '../../state/redis/address.ts';
import { readDuration } from '../../time/duration.ts';
import { resolveZone, type ZoneSource } from '../../time/zone.ts';
import type { Given } from '../input/given.ts';
import type { Notes } from '../messages/notes.ts';
import type { Problems } from '../messages/problems.ts';
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

const defaultMaxWait = 90_000;

const isFormat = (text: string | undefined, among: readonly Format[] = formats): text is Format =>
  (among as readonly string[]).includes(text ?? '');

/** The output format: as given, else by the kind of stdout. Environment and profile only affect terminals. */
const outputFormat = (given: Given, { env, stdout }: Runtime, profile?: Profile): Format => {
  if (isFormat(given.output as string)) return given.output as Format;
  if (given.json !== undefined || given.jq !== undefined) return 'json';
  if (!stdout.isTerminal) return 'tsv';
  return isFormat(env.SCHED_OUTPUT, commonFormats) ? env.SCHED_OUTPUT : (profile?.output ?? 'table');
};

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

export const resolveSettings = (
  given: Given,
  runtime: Runtime,
  problems: Problems,
  notes: Notes,
  account?: Account,
): Settings => {
  const { env, keyboard, stdout, stderr } = runtime;
  const text = (name: string): string | undefined => given[name] as string | undefined;

  const variable = (name: string, allowed: readonly string[]): void => {
    const value = env[name];
    if (value && !allowed.includes(value)) problems.add(`${name} must be one of ${allowed.join(', ')}, not "${value}"`);
  };
  const oneOf = (name: string, choices: readonly string[]): void => {
    const raw = text(name);
    if (raw === undefined || choices.includes(raw)) return;
    problems.report({ about: the(name), raw, ...otherChoice(raw, choices) });
  };
  oneOf('output', formats);
  oneOf('color', ['auto', 'always', 'never']);
  const isChosen = ['output', 'json', 'jq'].some((name) => given[name] !== undefined);
  if (stdout.isTerminal && !isChosen) variable('SCHED_OUTPUT', commonFormats);
  variable('SCHED_ERROR_FORMAT', ['json', 'text']);
  variable('SCHED_CREDENTIAL_STORE', ['keychain', 'file']);
  if (given.json !== undefined && text('output') !== undefined && text('output') !== 'json') {
    problems.add(words`${the('json')} conflicts with ${the('output')} ${text('output')!}`);
  }
  if (given.jq !== undefined && !['json', 'jsonl'].includes(text('output') ?? 'json')) {
    problems.add(words`${the('jq')} only works with -o json or -o jsonl, not with -o ${text('output')!}`);
  }

  const format = outputFormat(given, runtime, account?.profile);
  if (given['local-times'] === true && !['csv', 'tsv'].includes(format))
    problems.add(words`${the('localTimes')} only works with -o csv and -o tsv, not with ${format}`);

  const duration = (name: Name | string, value: string | undefined, fallback: number): number => {
    if (value === undefined) return fallback;
    const read = readDuration(value);
    if (read === undefined) problems.add(words`${name} must be a duration such as 90s or 2m, not "${value}"`);
    return read ?? fallback;
  };
  // A timeout of 0 can't work; a --max-wait of 0 can: it is the same as --no-wait.
  const timeoutMs = duration(the('timeout'), text('timeout'), defaultTimeoutMs);
  if (timeoutMs === 0) problems.add(words`${the('timeout')} must be more than 0, not "${text('timeout')!}"`);
  const maxWait = text('max-wait') ?? (env.SCHED_MAX_WAIT || undefined);
  const maxWaitMs = duration(
    text('max-wait') === undefined ? 'SCHED_MAX_WAIT' : the('maxWait'),
    maxWait,
    defaultMaxWait,
  );

  const wrong = env.SCHED_SHARED_STATE ? addressProblem(env.SCHED_SHARED_STATE) : undefined;
  if (wrong !== undefined) problems.add(`SCHED_SHARED_STATE can't be used: ${wrong}`);
  const isMirror = given.mirror === true;
  const maxAge = text('max-age');
  if (maxAge !== undefined && !isMirror) problems.add(words`${the('maxAge')} only works with ${the('mirror')}`);
  const mirror = { maxAgeMs: maxAge === undefined ? undefined : duration(the('maxAge'), maxAge, 0) };
  const sharedState = env.SCHED_SHARED_STATE || account?.profile.shared_state;
  const dialect = env.SCHED_DIALECT || account?.profile.dialect;

  const zone = once(() => {
    const reading = resolveZone({
      flag: text('tz'),
      SCHED_TZ: env.SCHED_TZ,
      profile: account?.profile.timezone,
      TZ: env.TZ,
      system: () => runtime.systemZone,
    });
    if (reading.ok && reading.note !== undefined) notes.warn(reading.note);
    return reading;
  });
  // Check a zone set for sched in any case; check TZ and the system's zone only if a time is read or shown.
  if (text('tz') !== undefined || env.SCHED_TZ || account?.profile.timezone !== undefined) {
    const reading = zone();
    if (!reading.ok && reading.source === '--tz')
      problems.value('tz', text('tz')!, words`${the('tz')}: ${reading.problem}`, reading.candidates[0]);
    else if (!reading.ok)
      problems.add(`${reading.source === 'profile' ? "the profile's time zone" : reading.source}: ${reading.problem}`);
  }

  if (text('fields') !== undefined && fieldList(text('fields')!).length === 0)
    problems.add(words`${the('fields')} needs at least one field`);

  const isSilent = given['no-input'] === true || Boolean(env.SCHED_NO_INPUT);
  const canAsk = !isSilent && !env.CI && stderr.isTerminal && keyboard.isTerminal;
  const profileIs = text('profile-is');
  const isProtected = account?.profile.protected === true && profileIs !== account.name;
  const fields = [...fieldList(text('fields') ?? ''), ...fieldList(typeof given.json === 'string' ? given.json : '')];
  return {
    format,
    ...(fields.length > 0 ? { fields } : {}),
    header: given.header === true,
    raw: given.raw === true,
    localTimes: given['local-times'] === true,
    ...(text('jq') === undefined ? {} : { jq: text('jq')! }),
    get zone() {
      const reading = zone();
      return reading.ok ? reading.zone : 'UTC';
    },
    get zoneSource() {
      return zone().source;
    },
    color: colorWanted({
      flag: (text('color') ?? 'auto') as ColorFlag,
      env,
      isTerminal: stdout.isTerminal,
    }),
    accessible: given.accessible === true,
    quiet: given.quiet === true,
    verbose: given.verbose === true,
    dryRun: given['dry-run'] === true || given.curl === true,
    noCheck: given['no-check'] === true,
    curl: given.curl === true,
    // A protected profile asks in any case.
    yes: given.yes === true && !isProtected,
    ...(profileIs === undefined ? {} : { profileIs }),
    ...(isProtected ? { protectedProfile: account.name } : {}),
    canAsk,
    mayPage: !isSilent && given.accessible !== true,
    sandbox: wantsSandbox(given, runtime),
    ...(isMirror ? { mirror } : {}),
    ...(account === undefined ? {} : { account }),
    here: hereOf(given, runtime, account),
    allowRefresh: !env.CI || given['allow-refresh'] === true,
    maxWaitMs: given['no-wait'] === true ? 0 : maxWaitMs,
    timeoutMs,
    ...(sharedState === undefined ? {} : { sharedState }),
    ...(dialect === undefined ? {} : { dialect }),
  };
};
