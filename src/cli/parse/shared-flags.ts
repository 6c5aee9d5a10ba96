import { formats } from '../../output/formats.ts';
import type { Flag } from '../command.ts';

/** Sets the heading of flags in help. */
const under = (heading: NonNullable<Flag['heading']>, flags: readonly Omit<Flag, 'heading'>[]): Flag[] =>
  flags.map((flag) => ({ ...flag, heading }));

/** Flags of every command. Each command declares them, so that another flag's value is never read as `--yes`. */
export const sharedFlags: readonly Flag[] = [
  ...under('Output', [
    {
      name: 'output',
      short: 'o',
      value: 'FORMAT',
      choices: formats,
      description: 'output format (default table on a terminal, tsv in a pipe)',
    },
    { name: 'json', value: 'FIELDS', optional: true, description: 'short for -o json; --json=a,b.c selects fields' },
    { name: 'fields', value: 'FIELDS', description: 'select fields, such as a,b.c' },
    { name: 'jq', value: 'PROGRAM', description: 'filter the output with jq (each record with -o jsonl)' },
    { name: 'header', description: 'start tsv with a line of column names' },
    { name: 'raw', description: "don't escape CSV cells that look like formulas" },
    { name: 'local-times', description: 'csv and tsv: times in the zone of --tz, with the offset' },
    { name: 'tz', value: 'ZONE', description: 'time zone for reading and showing times' },
    {
      name: 'color',
      value: 'WHEN',
      choices: ['auto', 'always', 'never'],
      description: 'when to use color (default auto)',
    },
    { name: 'accessible', description: 'plain "Label: value" lines instead of tables' },
    { name: 'quiet', short: 'q', description: 'print less on stderr' },
    { name: 'verbose', short: 'v', description: 'trace requests on stderr, without secrets' },
  ]),
  ...under('Safety', [
    { name: 'dry-run', short: 'n', description: 'print the request and change nothing' },
    { name: 'no-check', description: 'with --dry-run: send nothing at all, not even to look up names' },
    { name: 'curl', description: 'like --dry-run, but print the request as a curl command' },
    { name: 'yes', short: 'y', description: 'answer yes to all prompts' },
    { name: 'no-input', description: 'never prompt' },
  ]),
  ...under('Connection', [
    { name: 'profile', short: 'p', value: 'NAME', names: 'profiles', description: 'profile to use' },
    { name: 'sandbox', description: 'use the built-in sandbox: no account, no network' },
    { name: 'max-wait', value: 'DURATION', description: 'longest single wait for the rate limit (default 90s)' },
    {
      name: 'allow-refresh',
      description: 'refresh the stored login in CI (the new token may be lost with the runner)',
    },
    { name: 'no-wait', description: 'fail at once when the rate limit is reached' },
    { name: 'timeout', value: 'DURATION', description: 'time limit per request (default 30s)' },
  ]),
];

export const bodyFlag: Flag = {
  name: 'body',
  value: 'FILE',
  description: 'request body as JSON from a file, or - for stdin; other flags override its fields',
  heading: 'More flags',
};
