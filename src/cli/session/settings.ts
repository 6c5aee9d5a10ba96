import { SchedError } from '../../errors.ts';
import { colourWanted } from '../../output/colour.ts';
import { type Format, formats } from '../../output/formats.ts';
import type { Runtime } from '../../runtime.ts';
import { readDuration } from '../../time/duration.ts';
import { type ResolvedZone, resolveZone, type ZoneSource } from '../../time/zone.ts';
import type { Profile } from './profile-schema.ts';

/** A profile and its name. */
export interface Account {
  name: string;
  profile: Profile;
}

/** How a command behaves, whatever it does: flag, then environment, then profile, then default. */
export interface Settings {
  format: Format;
  fields?: string[];
  header: boolean;
  /** Leaves cells alone that a spreadsheet would run. */
  raw: boolean;
  /** A jq program over the answer. */
  jq?: string;
  readonly zone: string;
  readonly zoneSource: ZoneSource;
  color: boolean;
  accessible: boolean;
  quiet: boolean;
  verbose: boolean;
  /** Requests are printed and writes not sent. */
  dryRun: boolean;
  /** They are printed as curl lines. */
  curl: boolean;
  yes: boolean;
  /** A person is there to answer a question. */
  canAsk: boolean;
  /** What is longer than the screen may be shown page by page. */
  mayPage: boolean;
  sandbox: boolean;
  /** The profile in use, where there is one. */
  account?: Account;
  /** A stored session may be renewed. */
  allowRefresh: boolean;
  maxWaitMs: number;
  timeoutMs: number;
}

type Typed = Readonly<Record<string, string | string[] | boolean | undefined>>;

const defaultMaxWait = 90_000;
const defaultTimeout = 30_000;

/** `a, b.c` ⇒ `['a', 'b.c']`. */
export const fieldList = (text: string): string[] =>
  text
    .split(',')
    .map((field) => field.trim())
    .filter((field) => field !== '');

const isFormat = (text: string | undefined): text is Format => (formats as readonly string[]).includes(text ?? '');

/** The format: what was typed, else by what stdout is. Only a terminal's format can be chosen from outside. */
export const formatOf = (typed: Typed, { env, stdout }: Runtime, profile?: Profile): Format => {
  if (isFormat(typed.output as string)) return typed.output as Format;
  if (typed.json !== undefined || typed.jq !== undefined) return 'json';
  if (!stdout.isTerminal) return 'tsv';
  return isFormat(env.SCHED_OUTPUT) ? env.SCHED_OUTPUT : (profile?.output ?? 'table');
};

/** Whether the embedded service is meant. The variable must not meet another account; the flag wins over all. */
export const wantsSandbox = (typed: Typed, { env }: Runtime): boolean => {
  if (typed.sandbox === true) return true;
  if (!env.SCHED_SANDBOX || env.SCHED_SANDBOX === '0') return false;
  if (!env.SCHED_TOKEN && !env.SCHED_TOKEN_FILE && !env.SCHED_BASE_URL) return true;
  throw new SchedError('usage', 'SCHED_SANDBOX is set together with a token or a base URL', {
    reason: 'it cannot be told which of the two is meant',
    hint: 'unset one of them, or say --sandbox',
    outcome: 'not-sent',
  });
};

export const resolveSettings = (
  typed: Typed,
  runtime: Runtime,
  { problem, note }: { problem(text: string): void; note(text: string): void },
  account?: Account,
): Settings => {
  const { env, stdin, stdout, stderr } = runtime;
  const text = (name: string): string | undefined => typed[name] as string | undefined;

  const choice = (name: string, value: string | undefined, allowed: readonly string[]): void => {
    if (value !== undefined && !allowed.includes(value))
      problem(`${name} '${value}' is not one of ${allowed.join(', ')}`);
  };
  choice('--output', text('output'), formats);
  choice('--color', text('color'), ['auto', 'always', 'never']);
  const isChosen = ['output', 'json', 'jq'].some((name) => typed[name] !== undefined);
  if (stdout.isTerminal && !isChosen) choice('SCHED_OUTPUT', env.SCHED_OUTPUT || undefined, formats);
  if (typed.json !== undefined && text('output') !== undefined && text('output') !== 'json') {
    problem(`--json and --output ${text('output')} ask for two formats`);
  }
  if (typed.jq !== undefined && !['json', 'jsonl'].includes(text('output') ?? 'json')) {
    problem(`--jq makes its own output: it goes with -o json or -o jsonl, not with ${text('output')}`);
  }

  const duration = (name: string, value: string | undefined, fallback: number): number => {
    if (value === undefined) return fallback;
    const read = readDuration(value);
    if (read === undefined) problem(`${name} '${value}' is not a duration such as 90s or 2m`);
    return read ?? fallback;
  };
  // Nothing is answered in no time at all, whereas a wait of none is what --no-wait says.
  const timeoutMs = duration('--timeout', text('timeout'), defaultTimeout);
  if (timeoutMs === 0) problem(`--timeout '${text('timeout')}' leaves no time for an answer`);
  const waiting = text('max-wait') ?? (env.SCHED_MAX_WAIT || undefined);
  const maxWaitMs = duration(text('max-wait') === undefined ? 'SCHED_MAX_WAIT' : '--max-wait', waiting, defaultMaxWait);

  let found: ResolvedZone | undefined;
  const zone = (): ResolvedZone => {
    if (found !== undefined) return found;
    found = resolveZone({
      flag: text('tz'),
      SCHED_TZ: env.SCHED_TZ,
      profile: account?.profile.timezone,
      TZ: env.TZ,
      system: () => runtime.systemZone,
    });
    if (found.ok && found.note !== undefined) note(found.note);
    return found;
  };
  // One that was meant for us is looked at even where no time is read or shown; others only where they are needed.
  if (text('tz') !== undefined || env.SCHED_TZ || account?.profile.timezone !== undefined) {
    const reading = zone();
    if (!reading.ok) problem(reading.problem);
  }

  if (text('fields') !== undefined && fieldList(text('fields')!).length === 0) problem('--fields names no field');

  const isSilent = typed['no-input'] === true || Boolean(env.SCHED_NO_INPUT);
  const fields = [...fieldList(text('fields') ?? ''), ...fieldList(typeof typed.json === 'string' ? typed.json : '')];
  return {
    format: formatOf(typed, runtime, account?.profile),
    ...(fields.length > 0 ? { fields } : {}),
    header: typed.header === true,
    raw: typed.raw === true,
    ...(text('jq') === undefined ? {} : { jq: text('jq')! }),
    get zone() {
      const reading = zone();
      return reading.ok ? reading.zone : 'UTC';
    },
    get zoneSource() {
      return zone().source;
    },
    color: colourWanted({
      flag: (text('color') ?? 'auto') as 'auto' | 'always' | 'never',
      env,
      isTerminal: stdout.isTerminal,
    }),
    accessible: typed.accessible === true,
    quiet: typed.quiet === true,
    verbose: typed.verbose === true,
    dryRun: typed['dry-run'] === true || typed.curl === true,
    curl: typed.curl === true,
    yes: typed.yes === true,
    canAsk: !isSilent && !env.CI && stdin.isTerminal && stderr.isTerminal,
    mayPage: !isSilent && typed.accessible !== true,
    sandbox: wantsSandbox(typed, runtime),
    ...(account === undefined ? {} : { account }),
    allowRefresh: !env.CI || typed['allow-refresh'] === true,
    maxWaitMs: typed['no-wait'] === true ? 0 : maxWaitMs,
    timeoutMs,
  };
};
