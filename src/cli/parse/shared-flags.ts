import { limits } from '../../api/limits.ts';
import { formats } from '../../output/formats.ts';
import type { Flag } from '../command.ts';

/** Flags of every command. Each command declares them, so that another flag's value is never read as `--yes`. */
export const sharedFlags: readonly Flag[] = [
  {
    name: 'output',
    short: 'o',
    value: 'FORMAT',
    choices: formats,
    description: 'output format (default table on a terminal, tsv in a pipe)',
    heading: 'Output',
  },
  {
    name: 'json',
    value: 'FIELDS',
    optional: true,
    description: 'short for -o json; --json=a,b.c selects fields',
    heading: 'Output',
  },
  { name: 'fields', value: 'FIELDS', description: 'select fields, such as a,b.c', heading: 'Output' },
  {
    name: 'jq',
    value: 'PROGRAM',
    description: 'filter the output with jq (each record with -o jsonl)',
    heading: 'Output',
  },
  { name: 'header', description: 'start tsv with a line of column names', heading: 'Output' },
  { name: 'raw', description: "don't escape CSV cells that look like formulas", heading: 'Output' },
  { name: 'local-times', description: 'csv and tsv: times in the zone of --tz, with the offset', heading: 'Output' },
  { name: 'tz', value: 'ZONE', description: 'time zone for reading and showing times', heading: 'Output' },
  {
    name: 'color',
    value: 'WHEN',
    choices: ['auto', 'always', 'never'],
    description: 'when to use color (default auto)',
    heading: 'Output',
  },
  { name: 'accessible', description: 'plain "Label: value" lines instead of tables', heading: 'Output' },
  { name: 'quiet', short: 'q', description: 'print less on stderr', heading: 'Output' },
  { name: 'verbose', short: 'v', description: 'trace requests on stderr, without secrets', heading: 'Output' },
  { name: 'dry-run', short: 'n', description: 'print the request and change nothing', heading: 'Safety' },
  { name: 'curl', description: 'like --dry-run, but print the request as a curl command', heading: 'Safety' },
  { name: 'yes', short: 'y', description: 'answer yes to all prompts', heading: 'Safety' },
  { name: 'no-input', description: 'never prompt', heading: 'Safety' },
  {
    name: 'profile',
    short: 'p',
    value: 'NAME',
    names: 'profiles',
    description: 'profile to use',
    heading: 'Connection',
  },
  { name: 'sandbox', description: 'use the built-in sandbox: no account, no network', heading: 'Connection' },
  {
    name: 'max-wait',
    value: 'DURATION',
    description: 'longest single wait for the rate limit (default 90s)',
    heading: 'Connection',
  },
  {
    name: 'allow-refresh',
    description: 'refresh the stored login in CI (the new token may be lost with the runner)',
    heading: 'Connection',
  },
  { name: 'no-wait', description: 'fail at once when the rate limit is reached', heading: 'Connection' },
  { name: 'timeout', value: 'DURATION', description: 'time limit per request (default 30s)', heading: 'Connection' },
];

/** Flags of every list command. */
export const listFlags: readonly Flag[] = [
  { name: 'limit', value: 'N', description: 'maximum number of results', heading: 'Listing' },
  { name: 'all', description: 'show all results (default 50 on a terminal)', heading: 'Listing' },
  {
    name: 'page-size',
    value: 'N',
    description: `results per request, ${limits.pageSize.min} to ${limits.pageSize.max} (default 100)`,
    heading: 'More flags',
  },
];

export const bodyFlag: Flag = {
  name: 'body',
  value: 'FILE',
  description: 'request body as JSON from a file, or - for stdin; other flags override its fields',
  heading: 'More flags',
};
