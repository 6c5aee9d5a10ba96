import { flagName, self, spell, the } from '../../base/words.ts';
import { commonFormats, formats } from '../../output/formats.ts';
import type { Runtime } from '../../runtime.ts';
import type { Flag } from '../command.ts';
import { type Entry, entry } from '../input/entry.ts';
import type { Given, Raw } from '../input/given.ts';
import { input, type Values } from '../input/input.ts';
import { accept, type How, type Kind } from '../input/kind.ts';
import { choice, duration, file, toggle, word } from '../input/kinds.ts';
import type { Problems } from '../messages/problems.ts';
import type { Profile } from '../session/profile-schema.ts';

const textWith = (value: string, offers?: Kind['offers']): Kind<string> => ({
  value,
  json: 'string',
  ...(offers && { offers }),
  read: (raw) => accept(raw),
});

const fields = textWith('FIELDS', 'fields');

const output = { heading: 'Output' } as const;
const safety = { heading: 'Safety' } as const;
const connection = { heading: 'Connection' } as const;
const such = { such: '90s or 2m' } as const;

/*
 * What every command can be told: by a flag, else by a variable of the environment, else by the profile. Each stands here with
 * its default and its words.
 */

const withFlag = {
  output: choice(formats, 'output format (default table on a terminal, tsv in a pipe)', {
    ...output,
    short: 'o',
    value: 'FORMAT',
  }),
  json: entry(fields, 'short for -o json; --json=a,b.c selects fields', { ...output, optional: true }),
  fields: entry(fields, 'select fields, such as a,b.c', output),
  jq: word('filter the output with jq (each record with -o jsonl)', { ...output, value: 'PROGRAM' }),
  header: toggle('start tsv with a line of column names', output),
  raw: toggle("don't escape CSV cells that look like formulas", output),
  localTimes: toggle('csv and tsv: times in the zone of --tz, with the offset', output),
  tz: entry(textWith('ZONE', 'zones'), 'time zone for reading and showing times', {
    ...output,
    variable: 'SCHED_TZ',
    profile: 'timezone',
  }),
  color: choice(['auto', 'always', 'never'], 'when to use color (default auto)', {
    ...output,
    value: 'WHEN',
    preset: 'auto',
  }),
  accessible: toggle('plain "Label: value" lines instead of tables', output),
  quiet: toggle('print less on stderr', { ...output, short: 'q' }),
  verbose: toggle('trace requests on stderr, without secrets', { ...output, short: 'v' }),
  dryRun: toggle('print the request and change nothing', { ...safety, short: 'n' }),
  noCheck: toggle('with --dry-run: send nothing at all, not even to look up names', safety),
  curl: toggle('like --dry-run, but print the request as a curl command', safety),
  yes: toggle('answer yes to all prompts', { ...safety, short: 'y' }),
  profileIs: entry(
    textWith('NAME', 'profiles'),
    'the name of the profile again, for writes with a protected one',
    safety,
  ),
  noInput: toggle('never prompt', { ...safety, variable: 'SCHED_NO_INPUT' }),
  profile: entry({ ...textWith('NAME', 'profiles'), isProse: true }, 'profile to use', {
    ...connection,
    short: 'p',
    variable: 'SCHED_PROFILE',
  }),
  sandbox: toggle('use the built-in sandbox: no account, no network', { ...connection, variable: 'SCHED_SANDBOX' }),
  mirror: toggle('answer from the copy that mirror sync made, without the network', connection),
  maxAge: duration('with --mirror: fail if the mirror is older', { ...connection, such: '6h or 30m' }),
  maxWait: duration('longest single wait for the rate limit (default 90s)', {
    ...connection,
    ...such,
    preset: '90s',
    variable: 'SCHED_MAX_WAIT',
  }),
  allowRefresh: toggle('refresh the stored login in CI (the new token may be lost with the runner)', connection),
  noWait: toggle('fail at once when the rate limit is reached', connection),
  timeout: duration('time limit per request (default 30s)', { ...connection, ...such, preset: '30s' }),
};

const withoutFlag = {
  screenOutput: choice(commonFormats, "output format on a terminal; doesn't change the output of a pipe", {
    variable: 'SCHED_OUTPUT',
    profile: 'output',
  }),
  errorFormat: choice(['json', 'text'], 'json: print errors and notes as JSON lines; text: never', {
    variable: 'SCHED_ERROR_FORMAT',
  }),
  credentialStore: choice(['keychain', 'file'], 'keychain or file', { variable: 'SCHED_CREDENTIAL_STORE' }),
  sharedState: entry(textWith('URL'), 'Redis URL: machines with the same one share rate budget and booking ledger', {
    variable: 'SCHED_SHARED_STATE',
    profile: 'shared_state',
  }),
  dialect: entry(textWith('DIALECT'), 'how the service differs: name of a dialect, or a file; wins over the profile', {
    variable: 'SCHED_DIALECT',
    profile: 'dialect',
  }),
};

const entries = { ...withFlag, ...withoutFlag };

/** Flags of every command. Each command declares them, so that another flag's value is never read as `--yes`. */
export const sharedFlags: readonly Flag[] = input(withFlag).flags;

/** The variables that say the same as a flag, or as a key of the profile. */
export const settingVariables: readonly [name: string, about: string][] = Object.values<Entry<unknown>>(
  entries,
).flatMap(({ variable, description, kind }) =>
  variable === undefined ? [] : [[variable, `${kind.json === 'boolean' ? '1: ' : ''}${spell(description)}`]],
);

/** What a command is told, and what told it. */
export interface Told extends Values<typeof entries> {
  from(key: keyof typeof entries): 'flag' | 'variable' | 'profile' | undefined;
}

/** No value of these kinds depends on a zone or a time, so none has to be known. */
const noTimes: Omit<How, 'runtime' | 'given'> = {
  settings: { zone: 'UTC', zoneSource: 'system', format: 'table', here: { sandbox: false } },
  now: () => Promise.reject(new Error('no shared flag is a time')),
  isTerminal: false,
  isForPeople: false,
  isNoted: false,
  canAsk: false,
  screen: undefined,
  isAsked: false,
};

/** The keys that are not asked for: the format of a terminal, in a pipe or if the flags choose one. */
const unasked = (given: Given, { stdout }: Runtime): readonly string[] => {
  const isChosen = ['output', 'json', 'jq'].some((name) => given[name] !== undefined);
  return stdout.isTerminal && !isChosen ? [] : ['screenOutput'];
};

/** Reads what a command is told. Problems are collected. */
export const readTold = async (
  given: Given,
  runtime: Runtime,
  problems: Problems,
  profile: Profile | undefined,
): Promise<Told> => {
  const { env } = runtime;
  const how: How = { ...noTimes, runtime, given };
  const left = unasked(given, runtime);
  const sources: Record<string, 'flag' | 'variable' | 'profile'> = {};
  const values: Record<string, unknown> = {};
  for (const [key, { take, kind, variable, profile: profileKey }] of Object.entries<Entry<unknown>>(entries)) {
    if (left.includes(key)) continue;
    const said = variable === undefined ? undefined : env[variable] || undefined;
    const ways = {
      flag: given[flagName(key)],
      variable: said !== undefined && kind.json === 'boolean' ? true : said,
      profile: profileKey && (profile?.[profileKey as keyof Profile] as Raw | undefined),
    };
    const source = (['flag', 'variable', 'profile'] as const).find((way) => ways[way] !== undefined);
    if (source !== undefined) sources[key] = source;
    const result = await take(source === undefined ? [] : [ways[source] as Raw], how);
    if (typeof result === 'object' && 'refusals' in result) {
      for (const { problem, correction, raw } of result.refusals)
        if (source === 'flag') problems.report({ about: the(key), raw: String(raw), words: problem, correction });
        else problems.add(problem.map((part) => (part === self ? variable! : part)));
    } else if (typeof result === 'object' && 'value' in result) values[key] = result.value;
  }
  return { ...(values as Values<typeof entries>), from: (key) => sources[key] };
};

export const [bodyFlag] = input({
  body: file('request body as JSON from a file, or - for stdin; other flags override its fields', {
    heading: 'More flags',
  }),
}).flags as [Flag];
