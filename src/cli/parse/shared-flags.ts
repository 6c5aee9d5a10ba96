import { formats } from '../../output/formats.ts';
import type { Flag } from '../command.ts';
import { entry } from '../input/entry.ts';
import { input } from '../input/input.ts';
import { accept, type Kind } from '../input/kind.ts';
import { choice, duration, file, toggle, word } from '../input/kinds.ts';

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

/** Flags of every command. Each command declares them, so that another flag's value is never read as `--yes`. */
export const sharedFlags: readonly Flag[] = input({
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
  tz: entry(textWith('ZONE', 'zones'), 'time zone for reading and showing times', output),
  color: choice(['auto', 'always', 'never'], 'when to use color (default auto)', { ...output, value: 'WHEN' }),
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
  noInput: toggle('never prompt', safety),
  profile: entry({ ...textWith('NAME', 'profiles'), isProse: true }, 'profile to use', { ...connection, short: 'p' }),
  sandbox: toggle('use the built-in sandbox: no account, no network', connection),
  mirror: toggle('answer from the copy that mirror sync made, without the network', connection),
  maxAge: duration('with --mirror: fail if the mirror is older', { ...connection, such: '6h or 30m' }),
  maxWait: duration('longest single wait for the rate limit (default 90s)', { ...connection, ...such }),
  allowRefresh: toggle('refresh the stored login in CI (the new token may be lost with the runner)', connection),
  noWait: toggle('fail at once when the rate limit is reached', connection),
  timeout: duration('time limit per request (default 30s)', { ...connection, ...such }),
}).flags;

export const [bodyFlag] = input({
  body: file('request body as JSON from a file, or - for stdin; other flags override its fields', {
    heading: 'More flags',
  }),
}).flags as [Flag];
