import { beforeAll, describe, expect, it } from 'vitest';
import { spokenSlots } from '../../../src/commands/slots/screen.ts';
import type { HttpRequest } from '../../../src/http/message.ts';
import { width } from '../../../src/output/width.ts';
import { createWorld, outputs, type Result, replying, type TestWorld, type WorldOptions } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';

describe('event-types slots', () => {
  let world: TestWorld;
  beforeAll(async () => {
    world = await createWorld();
  });

  const rowsOf = ({ stdout }: Result) =>
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'));

  it('prints one start per line in a pipe, in order, for the next seven days', async () => {
    const result = await world.run('event-types slots "Intro call"');
    expect(result.code).toBe(0);
    const starts = rowsOf(result).map(([start]) => start!);
    expect(starts[0]).toBe('2026-11-16T09:00:00Z');
    expect(starts).toEqual([...starts].sort());
    expect(starts.every((start) => start > '2026-11-15T18' && start < '2026-11-22T18')).toBe(true);
    expect(rowsOf(result)[0]).toEqual(['2026-11-16T09:00:00Z', '2026-11-16T09:15:00Z', 'Amara Lindqvist']);
  });

  it('counts events that begin before the window or after its last start, for each of their hosts', async () => {
    const own = await createWorld({ home: temporaryDirectory() });
    const book = (type: string, time: string) =>
      own.run(`invitees create --event-type "${type}" --start ${time} --email z@example.com --name Z --timezone UTC`);
    const startsOf = async (type: string, since: string, until: string) =>
      rowsOf(await own.run(`event-types slots "${type}" --since ${since} --until ${until}`)).map(([start]) => start);
    const at = (time: string) => `2027-02-01T${time}:00Z`;
    expect([
      (await book('Strategy session', at('10:00'))).code,
      (await book('Partner interview', at('13:00'))).code,
    ]).toEqual([0, 0]);
    expect(await startsOf('Intro call', at('10:30'), at('11:15'))).toEqual([at('11:00')]);
    // It would last until 10:30.
    expect(await startsOf('Strategy session', at('09:30'), at('09:31'))).toEqual(['']);
    expect(await startsOf('Strategy session', at('09:00'), at('09:01'))).toEqual([at('09:00')]);
    const why = `event-types why "Partner interview" ${at('13:00')} --json`;
    const withoutHosts = async (request: HttpRequest) => {
      const reply = await own.service(request);
      return { ...reply, body: reply.body.replaceAll('"event_memberships":[', '"event_memberships":[],"others":[') };
    };
    for (const send of [own.service, withoutHosts]) {
      const { reasons } = JSON.parse((await own.run(why, { send })).stdout);
      expect(reasons.map(({ code }: { code: string }) => code)).toEqual(['busy', 'busy', 'busy']);
    }
  });

  const onTerminal = (line: string, more: WorldOptions = {}) =>
    world.run(`event-types slots ${line}`, { terminals: outputs, ...more });

  it('shows a terminal a bar for each day with free times', async () => {
    const { screen } = await onTerminal('"Intro call" --tz Europe/Berlin');
    expect(screen).toMatchInlineSnapshot(`
      "Intro call · 15 min · Europe/Berlin · 120 free times on 5 of 8 days
      █ free  ▌ partly free  ░ taken or closed
                        9   10  11  12  13  14  15  16  17
      Mon 16 Nov   20   ░░░░████░░████░░░░░░████████████
      Tue 17 Nov   26   ██████░░░░████░░████████████████
      Wed 18 Nov   20   ████████░░░░░░░░░░░░████████████
      Thu 19 Nov   26   ██████████░░░░░░████████████████
      Fri 20 Nov   28   ██████████████░░████████░░██████
      Times of a day: --since mon --until mon
      Book: sched invitees create --event-type 'Intro call' --tz Europe/Berlin
      "
    `);
  });

  it('shows the exact times of one day, or of few', async () => {
    const day = await onTerminal('"Intro call" --tz Europe/Berlin --until tomorrow');
    expect(day.screen).toMatchInlineSnapshot(`
      "Intro call · 15 min · Europe/Berlin · 20 free times on 1 of 2 days
      Mon 16 Nov  10:00  10:15  10:30  10:45                11:30  11:45
                  12:00  12:15                14:00  14:15  14:30  14:45
                  15:00  15:15  15:30  15:45  16:00  16:15  16:30  16:45
      Book: sched invitees create --event-type 'Intro call' --tz Europe/Berlin
      "
    `);
    const few = await onTerminal('"Intro call" --first 40 --tz Europe/Berlin');
    expect(few.stdout).toContain('first 40 free times\nMon 16 Nov  10:00  10:15');
    expect(few.stdout).toContain('\nTue 17 Nov  09:00');
    expect((await onTerminal('"Intro call" --first 41')).stdout).toContain('█');
  });

  it('draws a narrow and an ASCII terminal, and speaks to a screen reader', async () => {
    const until = '"Customer onboarding" --step 10 --until 2026-11-18 --tz Asia/Kolkata';
    const narrow = await onTerminal(until, { columns: 40, env: { LC_ALL: 'C' } });
    expect(narrow.stdout).toMatchInlineSnapshot(`
      "Customer onboarding . 60 min
      Asia/Kolkata
      59 free times on 3 of 4 days
      # free  = partly free  - taken or closed
                        13  15  17  19  21
      Mon 16 Nov   15   ---##-##---######-
      Tue 17 Nov   24   -###--##-########-
      Wed 18 Nov   20   -####------######-
      "
    `);
    const spoken = await onTerminal(`${until} --accessible`);
    expect(spoken.stdout).toMatchInlineSnapshot(`
      "Customer onboarding, 60 min, Asia/Kolkata, 59 free times on 3 of 4 days.
      Monday 16 November 2026, 15 free times: 14:30 to 15:30, 16:00 to 17:00, 18:30 to
      21:30.
      Tuesday 17 November 2026, 24 free times: 13:30 to 15:00, 16:00 to 17:00, 17:30
      to 21:30.
      Wednesday 18 November 2026, 20 free times: 13:30 to 15:30, 18:30 to 21:30.
      "
    `);
  });

  it('fits any window and terminal', async () => {
    for (const columns of sample([20, 40, 60, 80, 200], 1)) {
      const { stdout } = await onTerminal('"Customer onboarding" --until +60d --tz Pacific/Auckland', { columns });
      const bars = stdout.split('\n').filter((line) => /[█░]$/.test(line));
      expect(bars.length).toBeGreaterThan(30);
      if (columns > 30) expect(Math.max(...stdout.split('\n').map(width))).toBeLessThanOrEqual(columns);
    }
  });

  it('shows both times if the clocks show a time twice', () => {
    // In Berlin, the clocks go from 03:00 back to 02:00.
    const starts = ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z', '2026-10-25T02:30:00Z'];
    const slots = starts.map((start) => ({ start_time: start, end_time: start.replace(':30:', ':45:') }));
    const [since, until] = [Date.parse(starts[0]!), Date.parse('2026-10-25T12:00:00Z')];
    const type = { name: 'Tea', duration: 15 };
    const screen = { type, slots, since, until, isCut: false, zone: 'Europe/Berlin', now: since };
    expect(spokenSlots(screen, {})).toBe(
      'Tea, 15 min, Europe/Berlin, 3 free times.\nSunday 25 October 2026: 02:30+02:00, 02:30+01:00, 03:30.\n',
    );
  });

  it('says that it cannot read hours of another form', async () => {
    const rule = '{"day":"mon","hours":["9-17"]}';
    const { code, stderr } = await world.run('event-types slots "Intro call"', {
      send: async (request) => {
        const reply = await world.service(request);
        return { ...reply, body: reply.body.replaceAll(/"rules":\[.*?\]\}\]/g, `"rules":[${rule}]`) };
      },
    });
    expect([code, stderr]).toEqual([13, expect.stringContaining("Can't read the hours of this event type")]);
    expect(stderr).toContain(rule);
  });

  it('prints records with the names of the service as JSON', async () => {
    const { stdout } = await world.run('event-types slots "Support call" --first 1 --json');
    const [slot] = JSON.parse(stdout);
    expect(Object.keys(slot)).toEqual(['start_time', 'end_time', 'event_type', 'event_memberships']);
    expect(slot.event_memberships.length).toBeGreaterThan(1);
  });

  it('narrows a round-robin event type to one host', async () => {
    const { stdout } = await world.run('event-types slots "Support call" --host me --first 1 --json');
    expect(JSON.parse(stdout)[0].event_memberships).toHaveLength(1);
    const refused = await world.run('event-types slots "Intro call" --host "Kofi Mensah"');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('is not a host of this event type')]);
  });

  it('lists several event types in order of time, with the event type as the last column', async () => {
    const line = 'event-types slots "Partner interview" "Intro call" YBL6DUNR9FS4PNP6 --tz Europe/Berlin';
    const rows = rowsOf(await world.run(`${line} --first 6`));
    expect(rows.map(([start, , , type]) => [start, type])).toEqual([
      ['2026-11-16T09:00:00Z', 'Intro call'],
      ['2026-11-16T09:15:00Z', 'Intro call'],
      ['2026-11-16T09:30:00Z', 'Intro call'],
      ['2026-11-16T09:45:00Z', 'Intro call'],
      ['2026-11-16T10:30:00Z', 'Partner interview'],
      ['2026-11-16T10:30:00Z', 'Intro call'],
    ]);
    const { stdout } = await world.run(`${line} --first 1 --json`);
    expect(JSON.parse(stdout)).toMatchObject([
      { event_type: expect.stringMatching(/YBL6/), event_type_name: 'Intro call' },
    ]);
    const few = await onTerminal('"Partner interview" "Intro call" --first 2 --tz UTC');
    expect(few.stdout).toMatch(/^START \(UTC\) +END +HOSTS +EVENT TYPE\nMon 16 Nov 09:00 .* {2}Intro call\n/);
    const whole = await onTerminal('"Partner interview" "Intro call" --until 2026-11-18 --tz Europe/Berlin');
    expect(whole.stdout).toMatch(/^Partner interview · 60 min (.*\n)+Intro call · 15 min .*\n█ free/);
    expect(whole.stderr).toContain('Times of a day: --since mon --until mon');
  });

  it('advises quotes for a name of several words, and names an event type that does not exist', async () => {
    const unquoted = await world.run('event-types slots Intro call --first 1');
    expect([unquoted.code, unquoted.stderr]).toEqual([
      2,
      'error: Put quotes around "Intro call"\ntry: sched event-types slots \'Intro call\' --first 1\n',
    ]);
    const { code, stderr } = await world.run('event-types slots "Intro call" Nonsense');
    expect([code, stderr]).toEqual([6, expect.stringContaining('No event type with ID or name "Nonsense"')]);
  });

  it('names all problems of its event types and flags before it sends anything', async () => {
    const { code, stderr, requests } = await world.run('event-types slots "Intro call" a://b --first 0');
    expect([code, requests]).toEqual([2, []]);
    expect(stderr).toContain('--first must be a whole number from 1 up, not "0"');
    expect(stderr).toContain('must be the URI of an event type');
  });

  it('prints only the start with -o id, ready for invitees create', async () => {
    const { stdout } = await world.run('event-types slots "Intro call" --first 1 -o id');
    expect(stdout).toBe('2026-11-16T09:00:00Z\n');
  });

  it('offers nothing in the past', async () => {
    const { stdout } = await world.run('event-types slots "Intro call" --since -30d --until -1d');
    expect(stdout).toBe('');
  });

  it('uses --step as the distance between starts', async () => {
    const { stdout } = await world.run('event-types slots "Intro call" --step 60 --first 2 -o id --since 2026-11-18');
    expect(stdout).toBe('2026-11-18T08:00:00Z\n2026-11-18T09:00:00Z\n');
  });

  it('refuses a wrong number or window before it sends anything', async () => {
    const { code, stderr, requests } = await world.run('event-types slots "Intro call" --step 0 --first none');
    expect([code, requests]).toEqual([2, []]);
    expect(stderr).toContain('--step must be a whole number from 1 to 720, not "0"');
    expect(stderr).toContain('--first must be a whole number from 1 up, not "none"');
    const long = await world.run('event-types slots "Intro call" --until 2036-01-01');
    expect([long.code, long.stderr]).toEqual([2, expect.stringContaining('at most 366 days')]);
  });

  it('says that an inactive event type has no free times', async () => {
    const { code, stdout, stderr } = await world.run('event-types slots "Summer office hours" --json');
    expect([code, stdout]).toEqual([0, '[]\n']);
    expect(stderr).toContain("Summer office hours is not active, so it can't be booked");
  });

  it('reports hosts whose events the token may not read', async () => {
    const send = async (request: HttpRequest) =>
      request.url.includes('/scheduled_events') && request.url.includes('organization=')
        ? replying({ status: 403, body: '{"title":"Permission Denied","message":"Only for admins."}' })(request)
        : world.service(request);
    const { code, stdout, stderr } = await world.run('event-types slots "Partner interview" --first 1 -o json', {
      send,
    });
    expect(code).toBe(0);
    expect(stderr).toMatch(/Not checked: events of .* \(Permission Denied: Only for admins\.\)/);
    const [slot] = JSON.parse(stdout);
    expect(slot._sched.unchecked[0]).toMatchObject({ what: 'events', user: expect.stringContaining('/users/') });
  });

  it('works without the list of hosts, and says so', async () => {
    const send = async (request: HttpRequest) =>
      request.url.includes('/event_type_memberships')
        ? replying({ status: 404, body: '{}' })(request)
        : world.service(request);
    const { code, stdout, stderr } = await world.run('event-types slots "Intro call" --first 1 -o id', { send });
    expect([code, stdout]).toEqual([0, '2026-11-16T09:00:00Z\n']);
    expect(stderr).toContain('Not checked: hosts');
  });

  it.each(sample(['1e9', '-30', '0.5', 'null'], 2))('refuses an event type that takes %s minutes', async (minutes) => {
    const send = async (request: HttpRequest) => {
      const reply = await world.service(request);
      return { ...reply, body: reply.body.replaceAll(/"duration":\d+/g, `"duration":${minutes}`) };
    };
    const { code, stderr } = await world.run('event-types slots "Intro call"', { send });
    expect([code, stderr]).toEqual([13, expect.stringContaining('an event type without a usable duration')]);
  });

  it('says that the dates of a one-off event type are not shown', async () => {
    const made = await world.run('one-offs create --name Planning --duration 30 --days 3 -o id --yes');
    const { stderr } = await world.run(['event-types', 'slots', made.stdout.trim(), '--first', '1']);
    expect(stderr).toContain('Not checked: dates (the service does not show the dates of a one-off event type)');
  });

  it('refuses --curl and --dry-run, because it sends several requests', async () => {
    for (const flag of ['--curl', '--dry-run']) {
      const { code, requests } = await world.run(['event-types', 'slots', 'YBL6DUNR9FS4PNP6', flag]);
      expect([code, requests]).toEqual([2, []]);
    }
  });
});
