import { type Category, exitCodes } from '../../errors.ts';
import { paragraph, termRows, usualWidth } from '../messages/text-layout.ts';

/** When each exit code is given, in one line. */
const meanings: Record<Category | 'ok', string> = {
  ok: 'done; also: nothing found, already done',
  internal: 'a bug of ours',
  usage: 'a wrong flag, argument or input: nothing was sent, or the service refused it',
  environment: 'configuration, base URL, keychain, lock or disk',
  auth: 'no credential, or one that is expired, revoked or refused',
  forbidden: 'scope, role or plan does not allow it; says which',
  'not-found': 'the service knows no such thing',
  conflict: 'a slot is taken, a booking exists, a confirmed number differs',
  'rate-limited': 'the next wait is longer than --max-wait; says how long',
  unavailable: 'the service cannot be reached or fails; nothing was changed',
  'outcome-unknown': 'a write was sent and no verdict came back',
  partial: 'work on many items ended, but some were rejected or are unknown',
  'confirmation-required': 'it asked, and nobody could answer, or the answer was no',
  integrity: 'a reply of the wrong shape, a looping cursor, a damaged receipt',
  interrupted: 'Ctrl-C',
  terminated: 'SIGTERM',
};

const rows = (pairs: readonly (readonly [string, string])[]): string => termRows(pairs).join('\n');

const text = (words: string): string => paragraph(words, usualWidth);

const exitCodesTopic = (): string => {
  const pairs = [
    ['0 ok', meanings.ok] as const,
    ...Object.entries(exitCodes).map(([name, code]) => [`${code} ${name}`, meanings[name as Category]] as const),
  ];
  return `Exit codes: what a script can rely on.\n\n${rows(pairs)}\n\nIn a pipeline only the last command's code counts: set -o pipefail.`;
};

const environment: readonly (readonly [string, string])[] = [
  ['SCHED_TOKEN', 'a bearer token for CI; beats every stored login'],
  ['SCHED_TOKEN_FILE', 'a file that holds one'],
  ['SCHED_BASE_URL', 'address of the API'],
  ['SCHED_AUTH_URL', 'address of the authorization server'],
  ['SCHED_MCP_URL', 'address of the MCP server'],
  ['SCHED_CLIENT_ID', 'identifier of this program at the authorization server'],
  ['SCHED_PROFILE', 'which profile'],
  ['SCHED_USER', 'the user that is meant where none is named'],
  ['SCHED_ORG', 'the organization that is meant where none is named'],
  ['SCHED_SANDBOX', '1 means --sandbox'],
  ['SCHED_CREDENTIAL_STORE', 'keychain or file'],
  ['SCHED_RECEIPT_KEY_FILE', 'a file with the key of compliance receipts'],
  ['SCHED_OUTPUT', 'format on a terminal; a pipe is never changed from outside'],
  ['SCHED_ERROR_FORMAT', 'json: errors and notes as JSON lines'],
  ['SCHED_TZ', 'zone in which times are read and shown'],
  ['SCHED_MAX_WAIT', 'longest single wait for the rate limit'],
  ['SCHED_NO_INPUT', 'never ask'],
  ['SCHED_DEBUG', '1 shows where an error was thrown'],
  ['SCHED_CONFIG_DIR', 'where profiles are kept'],
  ['SCHED_STATE_DIR', 'where the sandbox and what is under way are kept'],
  ['SCHED_CACHE_DIR', 'where what can be asked again is kept'],
];

const environmentTopic = (): string =>
  [
    'Environment variables. A flag beats a variable, a variable the profile.',
    rows(environment),
    text(
      'Honoured too: NO_COLOR, FORCE_COLOR, CLICOLOR, TERM, COLUMNS, CI, TZ, HTTPS_PROXY, HTTP_PROXY, NO_PROXY, NODE_EXTRA_CA_CERTS, BROWSER, PAGER and the XDG directories.',
    ),
    text(
      'A directory named by SCHED_CONFIG_DIR, SCHED_STATE_DIR or SCHED_CACHE_DIR is made with mode 0700 if it is missing. One that exists keeps its mode; it is refused if it is a symbolic link, belongs to another user, or if other users can write to it.',
    ),
  ].join('\n\n');

const formattingTopic = (): string =>
  [
    'Formats of the answer, chosen with -o.',
    rows([
      ['table', 'for people; the default on a terminal, at most 50 rows unless --limit or --all'],
      ['tsv', 'for cut and awk; the default in a pipe, everything there is, no header'],
      ['json', 'one array, or one object; --json is short for it'],
      ['jsonl', 'one object a line, as it arrives'],
      ['csv', 'with a header; cells a spreadsheet would run are defused, unless --raw'],
      ['yaml', 'one list, or one record'],
      ['id', 'one URI a line'],
    ]),
    text(
      "Fields are chosen with --fields a,b.c or --json=a,b.c; * stands for every item of a list. --jq runs a jq program over the answer; its env and $ENV are the environment without SCHED_TOKEN. Names are the service's own; what we add stands under _sched.",
    ),
    text(
      'A write that the service accepted is exit code 0, whatever its reply. If the reply does not show the record, _sched.source says where the printed one comes from: read (read once afterwards; stale: true if it still shows the old state) or request (what was asked for).',
    ),
    [
      '  sched --sandbox events list --json=name,event_memberships.*.user_email',
      '  sched --sandbox events list --jq \'.[] | select(.status == "active") | .name\'',
    ].join('\n'),
    text(
      '--accessible writes "Label: value" lines in place of tables: nothing is aligned, shortened, drawn again or told by colour alone, and a question is answered with a number.',
    ),
  ].join('\n\n');

const timeTopic = (): string =>
  [
    'Times, as they can be typed.',
    rows([
      ['2026-12-01T15:00:00+01:00', 'a moment, wherever you are'],
      ['2026-12-01 15:00', 'read in --tz, else SCHED_TZ, the profile, TZ, the system'],
      ['2026-12-01', 'a day: --since means its beginning, --until its end'],
      ['today, tomorrow 9:00, monday', 'from now'],
      ['+2h, -7d, +1w', 'from now; days and weeks by the calendar'],
    ]),
    'Windows of time in one word, for lists of events:',
    rows([
      ['--today, --tomorrow', 'that day, in the zone of --tz'],
      ['--week', 'today and the six days after it, whatever day the week begins with'],
      ['--upcoming, --past', 'what starts from now on, or started before; also within a day or week'],
    ]),
    ['  sched --sandbox events list --week', '  sched --sandbox events list --today --upcoming --tz Asia/Tokyo'].join(
      '\n',
    ),
    text(
      'A time that a clock change skips or repeats is refused with both readings. What will be sent to the service must be plain: without a terminal a time needs an offset or --tz, and where the invitee lives in another zone it is refused with both readings ready to copy.',
    ),
  ].join('\n\n');

const ciTopic = (): string =>
  [
    'In CI.',
    [
      '  export SCHED_TOKEN_FILE=/run/secrets/sched',
      '  export SCHED_BASE_URL=https://api.example.com',
      '  set -o pipefail',
      '  sched events list --json | jq length',
    ].join('\n'),
    text(
      'Nothing is asked where CI is set: a write that would ask ends with exit code 12 and names the flag that answers. With a JSON format errors are one JSON object, the last line of stderr. There is no fallback to the sandbox: a job without a credential ends with exit code 4.',
    ),
    'Try a job without an account: SCHED_SANDBOX=1 sched events list',
  ].join('\n\n');

/** Pages of help that belong to no command. */
export const topics: Readonly<Record<string, { summary: string; text(): string }>> = {
  'exit-codes': { summary: 'what each exit code means', text: exitCodesTopic },
  environment: { summary: 'environment variables', text: environmentTopic },
  formatting: { summary: 'formats, fields and jq', text: formattingTopic },
  time: { summary: 'how times are read and shown', text: timeTopic },
  ci: { summary: 'scripts and CI jobs', text: ciTopic },
};
