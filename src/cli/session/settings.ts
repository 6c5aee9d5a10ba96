import { SchedError } from '../../errors.ts';
import { defaultTimeoutMs } from '../../http/message.ts';
import { once } from '../../once.ts';
import { type Color, type ColorFlag, colorWanted } from '../../output/color.ts';
import { fieldList } from '../../output/fields.ts';
import { commonFormats, type Format, formats } from '../../output/formats.ts';
import type { Runtime } from '../../runtime.ts';
import { addressProblem } from '../../state/redis/address.ts';
import { readDuration } from '../../time/duration.ts';
import { resolveZone, type ZoneSource } from '../../time/zone.ts';
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
  /** Prompts are possible: there is a terminal, and they are not turned off. */
  canAsk: boolean;
  /** Long output may go through a pager. */
  mayPage: boolean;
  sandbox: boolean;
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

/** Raw values by flag name, only for flags that were typed. */
export type Typed = Readonly<Record<string, string | string[] | boolean | undefined>>;

const defaultMaxWait = 90_000;

const isFormat = (text: string | undefined, among: readonly Format[] = formats): text is Format =>
  (among as readonly string[]).includes(text ?? '');

/** The output format: as typed, else by the kind of stdout. Environment and profile only affect terminals. */
const formatOf = (typed: Typed, { env, stdout }: Runtime, profile?: Profile): Format => {
  if (isFormat(typed.output as string)) return typed.output as Format;
  if (typed.json !== undefined || typed.jq !== undefined) return 'json';
  if (!stdout.isTerminal) return 'tsv';
  return isFormat(env.SCHED_OUTPUT, commonFormats) ? env.SCHED_OUTPUT : (profile?.output ?? 'table');
};

const isSandboxSet = ({ SCHED_SANDBOX: value }: Runtime['env']): boolean => Boolean(value) && value !== '0';

const isServiceSet = (env: Runtime['env']): boolean =>
  Boolean(env.SCHED_TOKEN || env.SCHED_TOKEN_FILE || env.SCHED_BASE_URL);

/** Whether to use the built-in sandbox. The flag always wins; the variable conflicts with a token or a base URL. */
export const wantsSandbox = (typed: Typed, { env }: Runtime): boolean => {
  if (typed.sandbox === true) return true;
  if (!isSandboxSet(env)) return false;
  if (!isServiceSet(env)) return true;
  throw new SchedError('usage', 'SCHED_SANDBOX is set together with a token or a base URL', {
    reason: "sched can't tell which one you mean",
    advice: 'unset one of them, or add --sandbox',
  });
};

/** The account that the environment chose. A line for pasting names it: the variable may be set for one command only. */
export const hereIn = (env: Runtime['env']): Here => ({
  sandbox: isSandboxSet(env) && !isServiceSet(env),
  profile: env.SCHED_PROFILE || undefined,
});

/** The account and the zone of a command. Local commands load no account, but may name one. */
export const hereOf = (typed: Typed, { env }: Runtime, account?: Account): Here => {
  const chosen = hereIn(env);
  const named = (typed.profile as string | undefined) ?? chosen.profile;
  return {
    sandbox: typed.sandbox === true || chosen.sandbox,
    profile: account?.name ?? named,
    isOnly: named === undefined && account?.isOnly === true,
    zone: typed.tz as string | undefined,
  };
};

export const resolveSettings = (
  typed: Typed,
  runtime: Runtime,
  problems: Problems,
  notes: Notes,
  account?: Account,
): Settings => {
  const { env, keyboard, stdout, stderr } = runtime;
  const text = (name: string): string | undefined => typed[name] as string | undefined;

  const variable = (name: string, allowed: readonly string[]): void => {
    const value = env[name];
    if (value && !allowed.includes(value)) problems.add(`${name} must be one of ${allowed.join(', ')}, not "${value}"`);
  };
  problems.choice('output', typed.output, formats);
  problems.choice('color', typed.color, ['auto', 'always', 'never']);
  const isChosen = ['output', 'json', 'jq'].some((name) => typed[name] !== undefined);
  if (stdout.isTerminal && !isChosen) variable('SCHED_OUTPUT', commonFormats);
  variable('SCHED_ERROR_FORMAT', ['json', 'text']);
  variable('SCHED_CREDENTIAL_STORE', ['keychain', 'file']);
  if (typed.json !== undefined && text('output') !== undefined && text('output') !== 'json') {
    problems.add(`--json conflicts with --output ${text('output')}`);
  }
  if (typed.jq !== undefined && !['json', 'jsonl'].includes(text('output') ?? 'json')) {
    problems.add(`--jq only works with -o json or -o jsonl, not with -o ${text('output')}`);
  }

  const format = formatOf(typed, runtime, account?.profile);
  if (typed['local-times'] === true && !['csv', 'tsv'].includes(format))
    problems.add(`--local-times only works with -o csv and -o tsv, not with ${format}`);

  const duration = (name: string, value: string | undefined, fallback: number): number => {
    if (value === undefined) return fallback;
    const read = readDuration(value);
    if (read === undefined) problems.add(`${name} must be a duration such as 90s or 2m, not "${value}"`);
    return read ?? fallback;
  };
  // A timeout of 0 can't work; a --max-wait of 0 can: it is the same as --no-wait.
  const timeoutMs = duration('--timeout', text('timeout'), defaultTimeoutMs);
  if (timeoutMs === 0) problems.add(`--timeout must be more than 0, not "${text('timeout')}"`);
  const waiting = text('max-wait') ?? (env.SCHED_MAX_WAIT || undefined);
  const maxWaitMs = duration(text('max-wait') === undefined ? 'SCHED_MAX_WAIT' : '--max-wait', waiting, defaultMaxWait);

  const wrong = env.SCHED_SHARED_STATE ? addressProblem(env.SCHED_SHARED_STATE) : undefined;
  if (wrong !== undefined) problems.add(`SCHED_SHARED_STATE can't be used: ${wrong}`);
  const sharedState = env.SCHED_SHARED_STATE || account?.profile.shared_state;
  const dialect = env.SCHED_DIALECT || account?.profile.dialect;

  const zone = once(() => {
    const found = resolveZone({
      flag: text('tz'),
      SCHED_TZ: env.SCHED_TZ,
      profile: account?.profile.timezone,
      TZ: env.TZ,
      system: () => runtime.systemZone,
    });
    if (found.ok && found.note !== undefined) notes.info(found.note);
    return found;
  });
  // Check a zone set for sched in any case; check TZ and the system's zone only if a time is read or shown.
  if (text('tz') !== undefined || env.SCHED_TZ || account?.profile.timezone !== undefined) {
    const reading = zone();
    if (!reading.ok && reading.source === '--tz')
      problems.value('tz', text('tz')!, reading.problem, reading.candidates[0]);
    else if (!reading.ok) problems.add(reading.problem);
  }

  if (text('fields') !== undefined && fieldList(text('fields')!).length === 0)
    problems.add('--fields needs at least one field');

  const isSilent = typed['no-input'] === true || Boolean(env.SCHED_NO_INPUT);
  const canAsk = !isSilent && !env.CI && stderr.isTerminal && keyboard.isTerminal;
  const fields = [...fieldList(text('fields') ?? ''), ...fieldList(typeof typed.json === 'string' ? typed.json : '')];
  return {
    format,
    ...(fields.length > 0 ? { fields } : {}),
    header: typed.header === true,
    raw: typed.raw === true,
    localTimes: typed['local-times'] === true,
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
    accessible: typed.accessible === true,
    quiet: typed.quiet === true,
    verbose: typed.verbose === true,
    dryRun: typed['dry-run'] === true || typed.curl === true,
    noCheck: typed['no-check'] === true,
    curl: typed.curl === true,
    yes: typed.yes === true,
    canAsk,
    mayPage: !isSilent && typed.accessible !== true,
    sandbox: wantsSandbox(typed, runtime),
    ...(account === undefined ? {} : { account }),
    here: hereOf(typed, runtime, account),
    allowRefresh: !env.CI || typed['allow-refresh'] === true,
    maxWaitMs: typed['no-wait'] === true ? 0 : maxWaitMs,
    timeoutMs,
    ...(sharedState === undefined ? {} : { sharedState }),
    ...(dialect === undefined ? {} : { dialect }),
  };
};
