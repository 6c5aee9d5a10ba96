import { colourWanted } from './output/colour.ts';
import { type Format, formats } from './output/formats.ts';
import type { Runtime } from './runtime.ts';
import { readDuration } from './time/duration.ts';
import { resolveZone, type ZoneSource } from './time/zone.ts';

/** How a command behaves, whatever it does: flag, then environment, then default. */
export interface Settings {
  format: Format;
  fields?: string[];
  header: boolean;
  zone: string;
  zoneSource: ZoneSource;
  color: boolean;
  accessible: boolean;
  quiet: boolean;
  verbose: boolean;
  dryRun: boolean;
  yes: boolean;
  /** A person is there to answer a question. */
  canAsk: boolean;
  sandbox: boolean;
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
export const formatOf = (typed: Typed, { env, stdout }: Runtime): Format => {
  if (isFormat(typed.output as string)) return typed.output as Format;
  if (typed.json !== undefined) return 'json';
  if (!stdout.isTerminal) return 'tsv';
  return isFormat(env.SCHED_OUTPUT) ? env.SCHED_OUTPUT : 'table';
};

export const resolveSettings = (typed: Typed, runtime: Runtime, problem: (text: string) => void): Settings => {
  const { env, stdin, stdout, stderr } = runtime;
  const text = (name: string): string | undefined => typed[name] as string | undefined;

  const choice = (name: string, value: string | undefined, allowed: readonly string[]): void => {
    if (value !== undefined && !allowed.includes(value))
      problem(`${name} '${value}' is not one of ${allowed.join(', ')}`);
  };
  choice('--output', text('output'), formats);
  choice('--color', text('color'), ['auto', 'always', 'never']);
  if (stdout.isTerminal) choice('SCHED_OUTPUT', env.SCHED_OUTPUT || undefined, formats);
  if (typed.json !== undefined && text('output') !== undefined && text('output') !== 'json') {
    problem(`--json and --output ${text('output')} ask for two formats`);
  }

  const duration = (name: string, value: string | undefined, fallback: number): number => {
    if (value === undefined) return fallback;
    const read = readDuration(value);
    if (read === undefined) problem(`${name} '${value}' is not a duration such as 90s or 2m`);
    return read ?? fallback;
  };
  const waiting = text('max-wait') ?? (env.SCHED_MAX_WAIT || undefined);
  const maxWaitMs = duration(text('max-wait') === undefined ? 'SCHED_MAX_WAIT' : '--max-wait', waiting, defaultMaxWait);

  const zone = resolveZone({ flag: text('tz'), SCHED_TZ: env.SCHED_TZ, TZ: env.TZ, system: runtime.systemZone });
  if (!zone.ok) problem(zone.problem);

  const fields = [...fieldList(text('fields') ?? ''), ...fieldList(typeof typed.json === 'string' ? typed.json : '')];
  return {
    format: formatOf(typed, runtime),
    ...(fields.length > 0 ? { fields } : {}),
    header: typed.header === true,
    zone: zone.ok ? zone.zone : 'UTC',
    zoneSource: zone.source,
    color: colourWanted({
      flag: (text('color') ?? 'auto') as 'auto' | 'always' | 'never',
      env,
      isTerminal: stdout.isTerminal,
    }),
    accessible: typed.accessible === true,
    quiet: typed.quiet === true,
    verbose: typed.verbose === true,
    dryRun: typed['dry-run'] === true,
    yes: typed.yes === true,
    canAsk: typed['no-input'] !== true && !env.SCHED_NO_INPUT && !env.CI && stdin.isTerminal && stderr.isTerminal,
    sandbox: typed.sandbox === true,
    maxWaitMs: typed['no-wait'] === true ? 0 : maxWaitMs,
    timeoutMs: duration('--timeout', text('timeout'), defaultTimeout),
  };
};
