import { beforeAll, describe, expect, it } from 'vitest';
import { width } from '../../src/output/width.ts';
import { expectGolden } from '../support/golden.ts';
import { createWorld, outputs } from '../support/run.ts';
import { sample } from '../support/tier.ts';

/**
 * The main screens as people see them, one command each. `vitest -u` writes them; review the result by eye.
 * `{event}` and other placeholders stand for the first ID printed by the command in `firsts`.
 */
const screens: Record<string, string> = {
  'events-list': 'events list --limit 12',
  'events-get': 'events get {event}',
  'events-get-accessible': 'events get {event} --accessible',
  'events-fields': 'events list --limit 5 --fields name,start_time,location.type,event_memberships.user_email',
  'invitees-list': 'invitees list {event}',
  'invitees-get': 'invitees get {invitee}',
  'event-types-list': 'event-types list',
  'event-types-get': 'event-types get {type}',
  'users-me': 'users me',
  'events-with-invitees': 'events list --week --with invitees',
  'events-list-accessible': 'events list --upcoming --limit 3 --accessible',
  'events-nothing': 'events list --search "no such words"',
  'event-types-hosts': 'event-types hosts "Support call"',
  'availability-list': 'availability list --event-type "Intro call"',
  'availability-own': 'availability list',
  'locations-list': 'locations list',
  'routing-forms-list': 'routing-forms list',
  'submissions-list': 'routing-forms submissions --limit 8',
  'submissions-of-form': 'routing-forms submissions "Talk to us" --limit 8',
  'orgs-get': 'orgs get',
  'members-list': 'members list',
  'members-get': 'members get L9UWUQHVLBD3MGX8',
  'invitations-list': 'invitations list',
  'groups-list': 'groups list',
  'groups-get': 'groups get "Customer team"',
  'groups-members': 'groups members "Customer team"',
  'groups-relationships': 'groups relationships',
  'groups-relationship': 'groups relationship HB8N8LNQ4EHPYKRQ',
  'groups-events': 'groups events "Customer team" --week',
  'activity-list': 'activity list --limit 8',
  'event-types-slots': 'event-types slots "Intro call"',
  'event-types-slots-day': 'event-types slots "Intro call" --since monday --until monday',
  'event-types-why': 'event-types why "Support call" "wednesday 12:20"',
  'events-next': 'events next',
  whoami: 'whoami',
  'auth-status': 'auth status',
  'sandbox-tokens': 'sandbox tokens',
  'mcp-metadata': 'mcp metadata',
  'help-events-list': 'events list --help',
  'help-topic-time': 'help time',
  'help-events-agenda': 'events agenda --help',
  'help-events-stats': 'events stats --help',
  'help-events-follow': 'events follow --help',
};

/** Screens on narrow terminals, where columns are shortened or dropped. */
const narrow: Record<string, string> = {
  'events-list': screens['events-list']!,
  'events-get': screens['events-get']!,
  'events-get-with-invitees': 'events get {event} --with invitees',
  'invitees-get': screens['invitees-get']!,
  'event-types-get': screens['event-types-get']!,
  'users-me': screens['users-me']!,
  'orgs-get': screens['orgs-get']!,
  'members-get': screens['members-get']!,
  'groups-get': screens['groups-get']!,
  'groups-members': screens['groups-members']!,
  'submissions-of-form': screens['submissions-of-form']!,
  'event-types-list': screens['event-types-list']!,
  'availability-list': screens['availability-list']!,
  'activity-list': screens['activity-list']!,
  'event-types-slots': screens['event-types-slots']!,
  'event-types-slots-day': screens['event-types-slots-day']!,
  'event-types-why': screens['event-types-why']!,
  'availability-own': screens['availability-own']!,
  'members-list': screens['members-list']!,
  whoami: screens.whoami!,
  'help-events-cancel': 'events cancel --help',
  'events-agenda': 'events agenda --since tomorrow',
  'events-agenda-month': 'events agenda --month',
  'events-stats-hosts': 'events stats --by host --org current',
};

/** Calendars and charts, which use the whole width. */
const pictures: Record<string, string> = {
  'events-agenda': 'events agenda --since tomorrow',
  'events-agenda-today': 'events agenda',
  'events-agenda-hosts': 'events agenda --day --org current --since tomorrow',
  'events-agenda-week-org': 'events agenda --org current --since tomorrow',
  'events-agenda-month': 'events agenda --month',
  'events-agenda-accessible': 'events agenda --since tomorrow --accessible',
  'events-stats-hosts': 'events stats --by host --org current',
  'events-stats-weeks': 'events stats --by week --org current',
  'events-stats-hours': 'events stats --by hour',
  'events-stats-heat': 'events stats --by weekday,hour',
};

/** Error messages and their exit codes. */
const errors: Record<string, [line: string, code: number]> = {
  'unknown-flag': ['events list --statsu active', 2],
  'several-problems': ['invitees create --event-type YBL6DUNR9FS4PNP6 --start 2026-02-30 --emial x', 2],
  'not-found': ['events get NOSUCHEVENT', 6],
  'no-answer': ['events cancel {event} --no-input', 12],
  'unknown-field': ['events list --fields nmae', 2],
  'no-verb': ['events', 2],
  'two-readings': [
    'invitees create --event-type YBL6DUNR9FS4PNP6 --start "2026-10-25 02:30" --email a@b.example --tz Europe/Paris',
    2,
  ],
};

/** An earlier line may be used in a later one. */
const firsts: Record<string, string> = {
  event: 'events list --status active --since tomorrow --limit 1 -o id',
  invitee: 'invitees list {event} --limit 1 -o id',
  type: 'event-types list --limit 1 -o id',
};
const ids: Record<string, string> = {};
const fill = (line: string): string => line.replace(/\{(\w+)\}/g, (_, name) => ids[name]!);

let world: Awaited<ReturnType<typeof createWorld>>;
/** Pictures read many pages. They have a sandbox of their own, so that no screen shows a wait for the rate limit. */
let pictureWorld: typeof world;
beforeAll(async () => {
  world = await createWorld({ env: { SCHED_MCP_URL: 'http://127.0.0.1:4010' } });
  pictureWorld = await createWorld();
  for (const [name, line] of Object.entries(firsts)) ids[name] = (await pictureWorld.run(fill(line))).stdout.trim();
});

const runOf = (name: string): typeof world.run => (name in pictures ? pictureWorld : world).run;

/**
 * A list of events reads the people of each. In a new sandbox, the rate limit always has room for that. The error of a
 * reply shows the number of its request.
 */
const freshRun = async (name: string): Promise<typeof world.run> =>
  /^(error-not-found|events-(list|with)|groups-events|event-types-(slots|why|get))/.test(name)
    ? (await createWorld()).run
    : runOf(name);

/** Color must not carry information of its own. */
const alsoPlain = sample(Object.keys({ ...screens, ...pictures }), 8);

describe.each(Object.entries(errors))('golden: error %s', (name, [line, end]) => {
  it.each([40, 80])('matches the stored screen at %i columns', async (columns) => {
    const run = await freshRun(`error-${name}`);
    const { code, stdout, stderr } = await run(fill(line), { terminals: outputs, columns });
    expect({ code, stdout }).toEqual({ code: end, stdout: '' });
    // A URI in a suggested command stays in one piece, so that the command can be copied.
    const lines = stderr.split('\n').filter((text) => !text.includes('://'));
    for (const text of lines) expect(width(text)).toBeLessThanOrEqual(columns);
    await expectGolden(`$ sched ${line}\n${stderr}`, `error-${name}.${columns}.txt`);
  });
});

describe.each(Object.entries(narrow))('golden: %s', (name, line) => {
  it.each(sample([40, 60], 1))('matches the stored screen at %i columns', async (columns) => {
    const run = await freshRun(name);
    const { code, stdout, stderr } = await run(`${fill(line)} --color never`, { terminals: outputs, columns });
    expect(code).toBe(0);
    await expectGolden(`$ sched ${line}\n${stdout}\n${stderr}`, `${name}.${columns}.txt`);
  });
});

describe.each([
  ...Object.entries(screens).map(([name, line]) => [name, line, [80, 120]] as const),
  ...Object.entries(pictures).map(([name, line]) => [name, line, [80, 140]] as const),
])('golden: %s', (name, line, widths) => {
  for (const columns of sample(widths, 1)) {
    it(`matches the stored screen at ${columns} columns`, async () => {
      const options = { terminals: outputs, columns };
      const run = await freshRun(name);
      const color = await run(`${fill(line)} --color always`, options);
      expect(color.code).toBe(0);
      const [plain, notes] = [color.stdout, color.stderr].map((text) => text.replace(/\x1b\[\d+m/g, ''));
      if (alsoPlain.includes(name))
        expect(await run(`${fill(line)} --color never`, options)).toMatchObject({ stdout: plain, stderr: notes });
      const wide = plain!.split('\n').filter((text) => width(text) > columns && !text.includes('://'));
      expect(wide).toEqual([]);
      const screen = (text: string) => `$ sched ${line}\n${text}\n${notes}`;
      await expectGolden(screen(plain!), `${name}.${columns}.txt`);
      await expectGolden(screen(color.stdout), `${name}.${columns}.ansi`);
    });
  }
});
