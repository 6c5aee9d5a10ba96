import { describe, expect, test } from 'vitest';
import { createWorld, terminals } from '../../support/run.ts';
import { sample } from '../../support/tier.ts';

/** Values to run a suggested command with, instead of its placeholders. */
const values: Record<string, string> = {
  EVENT: 'JW6SHQTS78SH7TS8',
  EMAIL: 'ada@example.com',
  NAME: "'Support call'",
  TEXT: "'Ada Byron'",
  TIME: '2026-11-16T13:00:00Z',
  ZONE: 'Europe/Paris',
};

const fillIn = (line: string): string => line.replace(/(?<= )[A-Z]+(?= |$)/g, (word) => values[word] ?? word);

/** Mistakes of newcomers, each with the command that is suggested, if any. */
const mistakes: [line: string, meant: string | undefined][] = [
  // Typos and forgotten words.
  ['evnts list', 'events list'],
  ['evnts ls --limt 3', 'events list --limit 3'],
  ['events', 'events list'],
  ['events --limit 3', 'events list --limit 3'],
  ['orgs', 'orgs get'],
  ['sched events list --limit 1', 'events list --limit 1'],
  ['events list --statsu active', 'events list --status active'],
  ['events list -limit 3', 'events list --limit 3'],
  ['event-types get "Intro cal"', "event-types get 'Intro call'"],
  ['event_types list', 'event-types list'],
  ['event-types list --nmae x', undefined],
  // The wrong order.
  ['list events', 'events list'],
  ['get event JW6SHQTS78SH7TS8', 'events get JW6SHQTS78SH7TS8'],
  ['events JW6SHQTS78SH7TS8 get', 'events get JW6SHQTS78SH7TS8'],
  ['--limit 3 events list', 'events list --limit 3'],
  ['event types list', 'event-types list'],
  // Missing quotes.
  ['availability list --event-type Intro call', "availability list --event-type 'Intro call'"],
  ['event-types get Intro call', "event-types get 'Intro call'"],
  ['events list --since tomorrow 15:00 --limit 2', "events list --since 'tomorrow 15:00' --limit 2"],
  [
    'invitees create --event-type Support call --start monday 14:00 --tz UTC --email a@b.example --name Ada --timezone UTC -n',
    "invitees create --event-type 'Support call' --start 'monday 14:00' --tz UTC --email a@b.example --name Ada --timezone UTC -n",
  ],
  // A flag whose value is missing takes the next flag as its value.
  [
    'invitees create --event-type "Support call" --start --email a@b.example --name Ada --timezone UTC -n',
    "invitees create --event-type 'Support call' --email a@b.example --name Ada --timezone UTC -n --start TIME",
  ],
  ['event-types get "Intro call" "Support call"', undefined],
  // Words of other tools.
  ['event ls', 'events list'],
  ['event show JW6SHQTS78SH7TS8', 'events get JW6SHQTS78SH7TS8'],
  ['events rm JW6SHQTS78SH7TS8 -n', 'events cancel JW6SHQTS78SH7TS8 -n'],
  ['invitee add', 'invitees create --event-type NAME --start TIME --email EMAIL --name TEXT --timezone ZONE'],
  ['meetings ls --today', 'events list --today'],
  ['agenda --week', 'events agenda --week'],
  ['slots "Intro call"', "event-types slots 'Intro call'"],
  ['why "Intro call" "tomorrow 12:00"', "event-types why 'Intro call' 'tomorrow 12:00'"],
  ['stats --by week', 'events stats --by week'],
  ['off tomorrow', 'availability off tomorrow'],
  ['vacation tomorrow', 'availability off tomorrow'],
  ['users list', 'members list'],
  ['events list -L 3', 'events list --limit 3'],
  ['events list --format json', 'events list --output json'],
  ['events list --output=JSON', 'events list --output=json'],
  ['events list --after monday --before friday', 'events list --since monday --until friday'],
  ['events list --query intro', 'events list --search intro'],
  ['events cancel JW6SHQTS78SH7TS8 --message ill --dry-run', 'events cancel JW6SHQTS78SH7TS8 --reason ill --dry-run'],
  // Settings are in profiles. A configuration is a file.
  ['config list', 'profiles list'],
  // A word that names a flag, and a short one that begins like another flag's name.
  ['events list today', 'events list --today'],
  ['events cancel JW6SHQTS78SH7TS8 --all', undefined],
  // A flag of another command, or an argument typed as a flag.
  ['routing-forms submissions --form "Talk to us"', "routing-forms submissions 'Talk to us'"],
  ['events get --event JW6SHQTS78SH7TS8', 'events get JW6SHQTS78SH7TS8'],
  [
    'event-types update "Intro call" --color "#3366ff" -n',
    "event-types update 'Intro call' --event-color '#3366ff' -n",
  ],
  ['events list --email a@b.example', 'events list --invitee a@b.example'],
  // British spelling.
  [
    'event-types update "Intro call" --colour "#3366ff" -n',
    "event-types update 'Intro call' --event-color '#3366ff' -n",
  ],
  ['events list --colour never', 'events list --color never'],
  ['events list --status cancelled', 'events list --status canceled'],
  ['events list --organisation current', 'events list --org current'],
  ['organisation get', 'orgs get'],
  // Missing or wrong values.
  ['events list --tz PST --today', 'events list --tz America/Los_Angeles --today'],
  ['events list --org', 'events list --org current'],
  ['events get', 'events get EVENT'],
  ['events cancel -n', 'events cancel EVENT -n'],
  ['events list --yes=no --limit 1', 'events list --limit 1'],
  ['events list --limit=ten', undefined],
  ['events list --since nextweek', undefined],
  ['events list Intro', undefined],
  ['events cancel --from F --confirm 1', undefined],
];

const world = await createWorld();

describe('mistakes', () => {
  test.each(sample(mistakes, 15, ([, meant]) => meant === undefined))(
    '%s gets the suggestion: %s',
    async (line, meant) => {
      const { code, stdout, stderr } = await world.run(line);
      expect([2, 6]).toContain(code);
      expect(stdout).toBe('');
      expect(stderr.split('\ntry: ')[1]?.trimEnd()).toBe(meant && `sched ${meant}`);
      if (meant === undefined) return;
      const again = await world.run(fillIn(meant));
      expect(again.code, again.stderr).not.toBe(2);
    },
  );

  test.each([
    ['login', 'sched auth login'],
    ['logout', 'sched auth logout'],
    ['config set timezone Europe/Paris', 'sched profiles set timezone Europe/Paris'],
    ['config get', 'sched profiles show'],
    ['--sandbox login --prot 80', 'sched --sandbox auth login --port 80'],
  ])('%s is not carried out, and asks no questions', async (line, meant) => {
    const { code, screen } = await world.run(line, { terminals });
    expect(code).toBe(2);
    expect(screen).toMatch(/^error: Unknown command "[a-z ]+"\. Did you mean "(auth|profiles) [a-z]+"\?/);
    expect(screen.split('\ntry: ')[1]).toBe(`${meant}\n`);
  });

  test('a misspelled request for help is not answered with exit code 0', async () => {
    const { code, stdout, stderr } = await world.run('evnts list --help');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe('error: Unknown command "evnts". Did you mean "events"?\ntry: sched events list --help\n');
  });

  test('a misspelled change is not carried out', async () => {
    const { code, requests } = await world.run('evnts delete JW6SHQTS78SH7TS8 --yes');
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
  });

  // R49: compliance commands never print an address.
  test.each(['compliance delete a@b.example --yess', 'complaince delete a@b.example'])(
    'a suggestion with an address is left out: %s',
    async (line) => {
      const { code, stderr } = await world.run(line);
      expect(code).toBe(2);
      expect(stderr).not.toMatch(/a@b|try:/);
    },
  );

  test('a flag that the command does not have brings no complaint about its value', async () => {
    const { stderr } = await world.run('events cancel --from F --quantity 1');
    expect(stderr).toBe('error: Unknown flag --quantity (see sched events cancel --help)\n');
  });

  test('all problems are reported together, and the suggestion corrects them all', async () => {
    const { stderr } = await world.run('--sandbox evnts ls --statsu cancelled --tz PST --output=JSON --org');
    expect(stderr.split('\ntry: ')[1]).toBe(
      'sched --sandbox events list --status canceled --tz America/Los_Angeles --output=json --org current\n',
    );
  });
});
