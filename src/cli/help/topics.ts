import { type Category, exitCodes } from '../../base/errors.ts';
import { type Flag, flagHeadings, headingOf } from '../command.ts';
import { listInput } from '../operation/list-input.ts';
import { optionOf } from '../parse/leaf.ts';
import { settingVariables, sharedFlags } from '../parse/shared-flags.ts';
import { type HelpLayout, optionTerm } from './help-page.ts';

/** When a command ends with each exit code. */
const exitCodeMeanings: Record<Category | 'ok', string> = {
  ok: 'done; also if nothing was found, or it was already done',
  internal: 'internal error in sched',
  usage: 'wrong flag, argument or input; nothing was sent, or the service refused it',
  environment: 'problem with the configuration, base URL, keychain, lock or disk',
  auth: 'no token, or the token is expired, revoked or refused',
  forbidden: "the scope, role or plan doesn't allow it; the error says which",
  'not-found': 'no such record',
  conflict: 'the slot is taken, another booking is in the way, or a confirmed number differs',
  'rate-limited': 'the rate limit is used up, and waiting would take longer than --max-wait; the error says how long',
  unavailable: 'the service failed or could not be reached; nothing was changed',
  'outcome-unknown': 'a write was sent, but no reply says whether it was carried out',
  partial: 'a bulk run finished, but some items were rejected or are unknown',
  'confirmation-required': 'confirmation needed, but there was no terminal to ask on, or the answer was no',
  integrity: 'unexpected reply, such as one that is not JSON, looping cursor, or damaged receipt',
  interrupted: 'stopped by Ctrl-C',
  terminated: 'stopped by SIGTERM',
};

export const exitCodeFacts = Object.entries(exitCodeMeanings).map(([name, meaning]) => ({
  code: name === 'ok' ? 0 : exitCodes[name as Category],
  name,
  meaning,
}));

const exitCodesTopic = (page: HelpLayout): string[] => [
  page.text('Exit codes of every command.'),
  page.items(exitCodeFacts.map(({ code, name, meaning }) => [`${code} ${name}`, meaning])),
  page.text('A pipeline reports only the exit code of its last command. Use set -o pipefail to see the others.'),
];

/** Which account is used, where, and for whom. */
const accountVariables: readonly (readonly [string, string])[] = [
  ['SCHED_TOKEN', 'access token for CI; used instead of any stored login'],
  ['SCHED_TOKEN_FILE', 'file with the access token'],
  ['SCHED_BASE_URL', 'URL of the API'],
  ['SCHED_AUTH_URL', 'URL of the authorization server'],
  ['SCHED_MCP_URL', 'URL of the MCP server'],
  ['SCHED_CLIENT_ID', 'OAuth client ID'],
  ['SCHED_USER', 'default user: me, name, email, ID or URI'],
  ['SCHED_ORG', 'default organization: current, ID or URI'],
];

/** What sched keeps on this machine, and what else it needs there. */
const ownVariables: readonly (readonly [string, string])[] = [
  ['SCHED_SANDBOX_ADMIN', 'set by sandbox run: secret of the running sandbox at SCHED_BASE_URL'],
  ['SCHED_RECEIPT_KEY_FILE', 'file with the key of compliance receipts'],
  ['SCHED_SHARED_STATE_PASSWORD_FILE', 'file with the password for SCHED_SHARED_STATE'],
  ['SCHED_CONFIG_DIR', 'directory of profiles'],
  ['SCHED_STATE_DIR', 'directory of receipts, the booking ledger and the sandbox'],
  ['SCHED_CACHE_DIR', 'directory of cached data'],
  ['SCHED_DEBUG', '1: print stack traces of errors'],
];

const environmentTopic = (page: HelpLayout): string[] => [
  page.text('Environment variables. A flag wins over a variable, and a variable wins over the profile.'),
  page.items([...accountVariables, ...settingVariables, ...ownVariables]),
  page.text(
    'Also used: NO_COLOR, FORCE_COLOR, CLICOLOR, TERM, COLUMNS, CI, TZ, HTTPS_PROXY, HTTP_PROXY, NO_PROXY, NODE_EXTRA_CA_CERTS, BROWSER, PAGER and the XDG directories.',
  ),
  page.text(
    "A missing SCHED_CONFIG_DIR, SCHED_STATE_DIR or SCHED_CACHE_DIR is created with mode 0700. An existing one keeps its mode. It can't be a symbolic link, belong to another user, or be writable by other users.",
  ),
];

const formattingTopic = (page: HelpLayout): string[] => [
  page.text('Output formats. Choose one with -o.'),
  page.items([
    ['table', 'for people; the default on a terminal, up to 50 rows without --limit or --all'],
    ['tsv', 'for cut and awk; the default in a pipe, all rows, no header'],
    ['json', 'one array or one object; same as --json'],
    ['jsonl', 'one object per line, printed as it arrives'],
    ['csv', 'with a header; cells that look like formulas are escaped unless --raw'],
    ['yaml', 'one list or one record'],
    ['id', 'one URI per line'],
    ['ics', 'a calendar of events (RFC 5545); --with invitees adds attendees'],
    ['text', 'free times as sentences for an email'],
  ]),
  page.text(
    "Choose fields with --fields a,b.c or --json=a,b.c. Use * for every item of a list. --jq runs a jq program on the result; in it, env and $ENV don't contain SCHED_TOKEN or SCHED_SHARED_STATE. Field names are the service's own. Fields that sched adds are under _sched.",
  ),
  page.text(
    'A write that the service accepted ends with exit code 0, whatever the reply contains. If the reply has no record, _sched.source says where the printed record comes from: read (read afterwards; stale: true if it still shows the old state) or request (what was sent).',
  ),
  page.commands([
    'sched --sandbox events list --json=name,event_memberships.*.user_email',
    'sched --sandbox events list --jq \'.[] | select(.status == "active") | .name\'',
  ]),
  page.text(
    '--accessible prints "Label: value" lines instead of tables. Nothing is aligned, shortened, redrawn or shown by color alone, and prompts are answered with a number.',
  ),
];

const timeTopic = (page: HelpLayout): string[] => [
  page.text('How to write times.'),
  page.items([
    ['2026-12-01T15:00:00+01:00', 'an exact time'],
    ['2026-12-01 15:00', 'in the zone of --tz, SCHED_TZ, the profile, TZ or the system, in this order'],
    ['2026-12-01', 'a day: --since is its start, --until its end'],
    ['today, tomorrow 9:00', 'relative to today'],
    ['monday, friday 16:00', 'the first one after today'],
    ['next monday', 'the one of next week; weeks begin on Monday'],
    ['last monday', 'the last one before today'],
    ['dec 1, 1 December 9:00', 'the first one from today on; with a year: dec 1 2026'],
    ['9am, 9:30 pm, 16:00, 16h30, noon', 'a time today; also after a day'],
    ['+2h, -7d, +1w', 'relative to now; days and weeks follow the calendar'],
    ['in 2 hours, 3 days ago', 'the same in words'],
    ['this week, next week, last month', 'a week or month: --since is its start, --until its end'],
    [
      'morning, friday afternoon',
      'for --since and --until: morning is 0:00 to 12:00, afternoon to 18:00, evening to 24:00',
    ],
  ]),
  page.text(
    "--since 'next week' alone begins next Monday and has no end. For that week only, use --since 'next week' --until 'next week'.",
  ),
  page.items(
    [
      ['--today, --tomorrow', 'that day, in the zone of --tz'],
      ['--week', 'today and the next six days'],
      ['--upcoming, --past', 'events that start from now on, or that started before now; also with --today or --week'],
    ],
    'Time windows of event lists:',
  ),
  page.text(
    "Now and today are the service's, also if sched sandbox clock moved the clock of a sandbox. Any other service tells its time with its first reply. Until then the clock of this machine counts, and a warning says if the two differ by more than two minutes.",
  ),
  page.commands([
    'sched --sandbox events list --week',
    'sched --sandbox events list --today --upcoming --tz Asia/Tokyo',
    "sched --sandbox events list --since 'next week' --until 'next week'",
  ]),
  page.text(
    "If a clock change skips or repeats a time, sched refuses it and shows both readings. A time that will be sent to the service must be unambiguous: add an offset, --tz or SCHED_TZ. On a terminal, sched also accepts a time in your own time zone, unless the invitee's differs: then it shows both readings, ready to copy.",
  ),
];

const ciTopic = (page: HelpLayout): string[] => [
  page.text('Scripts and CI jobs.'),
  page.commands([
    'export SCHED_TOKEN_FILE=/run/secrets/sched',
    'export SCHED_BASE_URL=https://api.example.com',
    'set -o pipefail',
    'sched events list --json | jq length',
  ]),
  page.text(
    'If CI is set, sched never prompts. A write that needs confirmation ends with exit code 12 and names the flag to add. With a JSON format, the last line of stderr is the error as JSON. A job without a token ends with exit code 4; it never falls back to the sandbox.',
  ),
  page.text(
    'If jobs on several machines use the same token, set SCHED_SHARED_STATE to the URL of a Redis server: they then share the rate limit, and a job that is retried on another machine books nothing twice.',
  ),
  page.text('Try a job without an account: SCHED_SANDBOX=1 sched events list'),
];

const flagsTopic = (page: HelpLayout): string[] => {
  const section = (heading: string, flags: readonly Flag[]): string =>
    page.items(
      flags.map((flag) => optionOf(flag)).map((option) => [optionTerm(option), option.description]),
      heading,
    );
  const headings = flagHeadings.filter((heading) => sharedFlags.some((flag) => headingOf(flag) === heading));
  return [
    page.text('Shared flags: every command takes them, before or after its name.'),
    ...headings.map((heading) =>
      section(
        `${heading}:`,
        sharedFlags.filter((flag) => headingOf(flag) === heading),
      ),
    ),
    section('Lists also take:', listInput.flags),
  ];
};

interface Topic {
  summary: string;
  /** Blocks of text; an empty line goes between them. */
  blocks(page: HelpLayout): string[];
}

/** Help pages about something other than one command. */
export const topics: Readonly<Record<string, Topic>> = {
  flags: { summary: 'flags that every command takes', blocks: flagsTopic },
  formatting: { summary: 'output formats, fields and jq', blocks: formattingTopic },
  time: { summary: 'how to write times', blocks: timeTopic },
  environment: { summary: 'environment variables', blocks: environmentTopic },
  'exit-codes': { summary: 'what each exit code means', blocks: exitCodesTopic },
  ci: { summary: 'scripts and CI jobs', blocks: ciTopic },
};

export const topicHelp = (name: string, page: HelpLayout): string => topics[name]!.blocks(page).join('\n\n');
