import { limits } from '../../api/limits.ts';
import { formats } from '../../output/formats.ts';
import type { Flag } from '../command.ts';

/** Flags with one meaning everywhere, declared on every command so that no value is ever read as consent. */
export const sharedFlags: readonly Flag[] = [
  {
    name: 'output',
    short: 'o',
    value: 'FORMAT',
    choices: formats,
    description: 'format of the answer (default table on a terminal, tsv in a pipe)',
    heading: 'Output',
  },
  {
    name: 'json',
    value: 'FIELDS',
    optional: true,
    description: 'short for -o json; --json=a,b.c chooses fields',
    heading: 'Output',
  },
  { name: 'fields', value: 'FIELDS', description: 'choose fields, as a,b.c', heading: 'Output' },
  {
    name: 'jq',
    value: 'PROGRAM',
    description: 'run jq over the answer; over each record with -o jsonl',
    heading: 'Output',
  },
  { name: 'header', description: 'begin tsv with a line of column names', heading: 'Output' },
  { name: 'raw', description: 'leave csv cells as they are, also those a spreadsheet would run', heading: 'Output' },
  { name: 'tz', value: 'ZONE', description: 'zone in which times are read and shown', heading: 'Output' },
  {
    name: 'color',
    value: 'WHEN',
    choices: ['auto', 'always', 'never'],
    description: 'when to use colour (default auto)',
    heading: 'Output',
  },
  { name: 'accessible', description: 'plain "Label: value" lines instead of tables', heading: 'Output' },
  { name: 'quiet', short: 'q', description: 'say less on stderr', heading: 'Output' },
  { name: 'verbose', short: 'v', description: 'trace requests on stderr, without secrets', heading: 'Output' },
  { name: 'dry-run', short: 'n', description: 'print the request and send no write', heading: 'Safety' },
  { name: 'curl', description: 'print the request as a curl line and do not send it', heading: 'Safety' },
  { name: 'yes', short: 'y', description: 'consent to what would be asked', heading: 'Safety' },
  { name: 'no-input', description: 'never ask', heading: 'Safety' },
  {
    name: 'profile',
    short: 'p',
    value: 'NAME',
    names: 'profiles',
    description: 'which account',
    heading: 'Connection',
  },
  { name: 'sandbox', description: 'use the embedded service: no account, no network', heading: 'Connection' },
  {
    name: 'max-wait',
    value: 'DURATION',
    description: 'longest single wait for the rate limit (default 90s)',
    heading: 'Connection',
  },
  {
    name: 'allow-refresh',
    description: 'renew a stored session in CI too, where the new one may be lost',
    heading: 'Connection',
  },
  { name: 'no-wait', description: 'fail at once when the rate limit is reached', heading: 'Connection' },
  { name: 'timeout', value: 'DURATION', description: 'limit per request (default 30s)', heading: 'Connection' },
];

/** Flags of every command that lists. */
export const listFlags: readonly Flag[] = [
  { name: 'limit', value: 'N', description: 'how many results at most', heading: 'Listing' },
  { name: 'all', description: 'every result; a terminal shows 50 otherwise', heading: 'Listing' },
  {
    name: 'page-size',
    value: 'N',
    description: `results per request, ${limits.pageSize.min} to ${limits.pageSize.max} (default 100)`,
    heading: 'Listing',
  },
];

export const bodyFlag: Flag = {
  name: 'body',
  value: 'FILE',
  description: 'the whole request as JSON from a file, or - for stdin; other flags change single fields of it',
  heading: 'Flags',
};
