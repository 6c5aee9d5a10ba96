import { beforeEach, describe, expect, test } from 'vitest';
import { width } from '../../../src/output/width.ts';
import { type SentEvent, sentEvent, serviceWith } from '../../support/calendar.ts';
import { createWorld, outputs, type TestWorld, virtualClock, type WorldOptions } from '../../support/run.ts';
import { sample } from '../../support/tier.ts';

let world: TestWorld;
// Its clock stands still, so its rate limit never has room again.
beforeEach(async () => {
  world = await createWorld();
});

interface Scene extends WorldOptions {
  /** The time of the clock. */
  now?: string;
}

/** Runs `events agenda` on a terminal, against a service with these events. */
const agenda = async (flags: string, events: SentEvent[], { now = '2026-11-16T08:20:00Z', ...more }: Scene = {}) => {
  const { code, stdout, stderr } = await world.run(`events agenda ${flags}`, {
    terminals: outputs,
    columns: 140,
    clock: virtualClock(Date.parse(now)),
    send: serviceWith(events.map(sentEvent), world.service),
    ...more,
  });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return stdout;
};

const linesWith = (screen: string, text: string) => screen.split('\n').filter((line) => line.includes(text));

const week: SentEvent[] = [
  { name: 'Standup', start: '2026-11-16T08:00:00Z', end: '2026-11-16T08:15:00Z' },
  { name: 'Review', start: '2026-11-16T10:30:00Z', end: '2026-11-16T13:00:00Z' },
  { name: 'Called off', start: '2026-11-18T09:00:00Z', end: '2026-11-18T10:00:00Z', status: 'canceled' },
];

describe('events agenda: a week', () => {
  test('has a column for each day, but none for an empty weekend', async () => {
    expect(await agenda('', week, { columns: 100 })).toMatchInlineSnapshot(`
      "Week 47: 16–22 Nov · Europe/Paris
      2 events, 2 h 45 min, 1 canceled

             Mon 16 today       Tue 17             Wed 18             Thu 19             Fri 20
      09:00  ▎09:00–09:15       ·                  ·                  ·                  ·
             ▎Standup
             ▶09:20 now
      10:00  ·                  ·                  ×10:00–11:00       ·                  ·
                                                   ×Called off
      11:00  ▎11:30–14:00       ·                  ·                  ·                  ·
             ▎Review
      12:00  ▎                  · to 12:30         · to 12:30         · to 12:30         · to 12:30
      13:00  ▎                  ·                  ·                  ·                  ·
      14–17  ·                  ·                  ·                  ·                  ·

      · open    No events on Sat 21 and Sun 22
      "
    `);
    const saturday = { name: 'Fair', start: '2026-11-21T09:00:00Z', end: '2026-11-21T10:00:00Z' };
    const screen = await agenda('', [...week, saturday]);
    expect(screen).toMatch(/Fri 20 +Sat 21$/m);
    expect(screen).toContain('    No events on Sun 22\n');
  });

  test('is a list on a narrower terminal, with the open time between events', async () => {
    expect(await agenda('', week, { columns: 60 })).toMatchInlineSnapshot(`
      "Week 47: 16–22 Nov · Europe/Paris
      2 events, 2 h 45 min, 1 canceled

      Mon 16 Nov, today   hours 09:00–12:30, 13:00–17:00
        ▎ 09:00–09:15  Standup
        ▶ 09:20        now
          09:25–11:30  open
        ▎ 11:30–14:00  Review
          14:00–17:00  open
      Tue 17 Nov   open 09:00–12:30, 13:00–17:00
      Wed 18 Nov   open 09:00–12:30, 13:00–17:00
        × 10:00–11:00  Called off (canceled)
      Thu, Fri     open 09:00–12:30, 13:00–17:00
      Sat, Sun     no hours
      "
    `);
  });

  test('never is wider than the screen, whatever the names are', async () => {
    const names = ['x'.repeat(500), '漢字'.repeat(40), '👩‍👩‍👧‍👦'.repeat(9), 'e\u0301'.repeat(30), 'ก็'.repeat(30)];
    const long = names.map((name, index) => ({ ...week[index % 3]!, name, hosts: [name, 'Jonas'] }));
    for (const columns of sample([20, 40, 80, 140], 1, (columns) => columns > 40))
      for (const flags of ['', '--month', '--org current --day'])
        for (const line of (await agenda(flags, long, { columns })).split('\n'))
          expect(width(line)).toBeLessThanOrEqual(columns);
  });

  test('makes hostile names visible and keeps them in their cell', async () => {
    const name = '\u001b]0;owned\u0007\u001b[2J\r\nerror: forged\u202egnp\u200b\u009b1m\ttab';
    const hostile = week.map((event) => ({ ...event, name, hosts: [name] }));
    for (const columns of [40, 140])
      for (const flags of sample(['', '--accessible', '--day --org current', '--org current', '--month'], 1)) {
        const screen = await agenda(flags, hostile, { columns });
        expect(screen).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e]/);
        expect(screen).not.toMatch(/^error/m);
      }
    const harmless = await agenda('', week, { columns: 140 });
    const harmful = await agenda('', hostile, { columns: 140 });
    expect(harmful.split('\n')).toHaveLength(harmless.split('\n').length);
  });

  test('without events says once when several days are open', async () => {
    expect((await agenda('', [], { columns: 60 })).split('\n').slice(1)).toEqual([
      'no events',
      '',
      'Mon 16 Nov, today   open 09:25–12:30, 13:00–17:00',
      '  ▶ 09:20        now',
      'Tue–Fri      open 09:00–12:30, 13:00–17:00',
      'Sat, Sun     no hours',
      '',
    ]);
  });

  test('over New Year has the number and the years of ISO 8601', async () => {
    const party = { name: 'Party', start: '2026-12-31T22:30:00Z', end: '2027-01-01T01:00:00Z' };
    const screen = await agenda('--since 2027-01-01', [party], { columns: 60 });
    expect(screen).toContain('Week 53: 28 Dec – 3 Jan 2027 · Europe/Paris');
    expect(screen).toContain('1 event, 2 h 30 min\n');
    expect(linesWith(screen, 'Party')).toEqual([
      '  ▎ 23:30–24:00  Party (until 02:00)',
      '  ▎ 00:00–02:00  Party (from 23:30 the day before)',
    ]);
  });

  test('shows an event that runs into its first day, and counts it in its own week only', async () => {
    const night = { name: 'Night', start: '2026-11-15T22:30:00Z', end: '2026-11-15T23:45:00Z' };
    const screen = await agenda('', [night], { columns: 60 });
    expect(screen).toContain('no events\n');
    expect(linesWith(screen, 'Night')).toEqual(['  ▎ 00:00–00:45  Night (from 23:30 the day before)']);
    expect(await agenda('--since 2026-11-15', [night], { columns: 60 })).toContain('1 event, 1 h 15 min\n');
  });

  test('an event that ends at midnight is not on the next day', async () => {
    const late = { name: 'Late', start: '2026-11-16T22:00:00Z', end: '2026-11-16T23:00:00Z' };
    const screen = await agenda('', [late], { columns: 60 });
    expect(linesWith(screen, 'Late')).toEqual(['  ▎ 23:00–24:00  Late']);
  });

  test('shows overlapping events side by side, or with a bar for each if there is no room', async () => {
    const overlapping = [
      { name: 'A', start: '2026-11-17T09:00:00Z', end: '2026-11-17T11:00:00Z' },
      { name: 'B', start: '2026-11-17T09:30:00Z', end: '2026-11-17T10:30:00Z' },
      { name: 'C', start: '2026-11-17T10:45:00Z', end: '2026-11-17T11:30:00Z' },
    ];
    expect(await agenda('', overlapping, { columns: 100 })).toMatchInlineSnapshot(`
      "Week 47: 16–22 Nov · Europe/Paris
      3 events, 3 h 45 min

             Mon 16 today   Tue 17                        Wed 18         Thu 19         Fri 20
      09:00  ▶09:20 now     ·                             ·              ·              ·
      10:00  ·              ▎10:00–12:00   ▎10:30–11:30   ·              ·              ·
                            ▎A             ▎B
      11:00  ·              ▎              ▎              ·              ·              ·
                                           ▎11:45–12:30
                                           ▎C
      12:00  · to 12:30                    ▎              · to 12:30     · to 12:30     · to 12:30
      13–17  ·              ·                             ·              ·              ·

      · open    No events on Sat 21 and Sun 22
      "
    `);
    expect(await agenda('', overlapping, { columns: 80 })).toMatchInlineSnapshot(`
      "Week 47: 16–22 Nov · Europe/Paris
      3 events, 3 h 45 min

             Mon 16 today   Tue 17         Wed 18         Thu 19         Fri 20
      09:00  ▶09:20 now     ·              ·              ·              ·
      10:00  ·              ▎10:00–12:00   ·              ·              ·
                            ▎A
                            ▎▎10:30–11:30
                            ▎▎B
      11:00  ·              ▎▎             ·              ·              ·
                            ▎▎11:45–12:30
                            ▎▎C
      12:00  · to 12:30      ▎             · to 12:30     · to 12:30     · to 12:30
      13–17  ·              ·              ·              ·              ·

      · open    No events on Sat 21 and Sun 22
      "
    `);
    const list = await agenda('', overlapping, { columns: 60 });
    expect(linesWith(list, '▎ ')).toHaveLength(3);
    const crowd = await agenda(
      '',
      Array.from({ length: 30 }, (_, index) => ({ ...overlapping[0]!, name: `N${index}` })),
    );
    expect(crowd.match(/▎N\d+/g)).toHaveLength(30);
  });

  test('gives the bar of an event the color of its event type, in one request for the hours too', async () => {
    const { stdout, requests } = await world.run('events agenda --color always', {
      terminals: outputs,
      columns: 120,
      env: { NO_COLOR: '', COLORTERM: 'truecolor' },
    });
    expect(stdout).toMatch(/\x1b\[38;2;\d+;\d+;\d+m▎\x1b\[39m\d\d:\d\d–/);
    expect(requests.filter(({ url }) => url.includes('/event_types?'))).toHaveLength(1);
  });

  test('is drawn without color if the event types cannot be read', async () => {
    const refusing: WorldOptions['send'] = async (request) =>
      request.url.includes('/event_types')
        ? { status: 403, headers: { 'content-type': 'application/json' }, body: '{}' }
        : serviceWith(week.map(sentEvent), world.service)(request);
    const screen = await agenda('--color always', [], { columns: 120, env: { NO_COLOR: '' }, send: refusing });
    expect(screen).toContain('▎Standup');
  });

  test('dims canceled events and marks them without color too', async () => {
    const screen = await agenda('--color always', week, { columns: 60, env: { NO_COLOR: '' } });
    expect(screen).toContain('\u001b[2m× 10:00–11:00  Called off (canceled)\u001b[22m');
    expect(linesWith(screen, 'Wed 18 Nov')[0]).toContain('open 09:00–12:30, 13:00–17:00');
  });

  test('has only ASCII characters in a locale without UTF-8', async () => {
    for (const flags of sample(['', '--day', '--month', '--day --org current --since 2026-11-16'], 1))
      for (const columns of [40, 140])
        expect(await agenda(flags, week, { columns, env: { LC_ALL: 'C' } })).toMatch(/^[\n -~]+$/);
  });

  test('notes events without a readable start', async () => {
    const { stderr } = await world.run('events agenda', {
      terminals: outputs,
      send: serviceWith([{ ...sentEvent(week[0]!), start_time: null }], world.service),
    });
    expect(stderr).toContain('1 event without a readable start time not shown');
  });
});

describe('events agenda: open time', () => {
  const openWords = /\d {2}open| open \d|hours \d|no hours|day off| free/;
  const meeting = { name: 'Review', start: '2026-11-18T12:00:00Z', end: '2026-11-18T12:30:00Z' };

  test('names a day off, and marks the meetings that stay on it', async () => {
    await world.run('availability off 2026-11-18 --yes');
    const list = await agenda('', [meeting], { columns: 60 });
    expect(linesWith(list, '18 Nov')).toEqual(['Wed 18 Nov   day off']);
    expect(linesWith(list, 'Review')).toEqual(['  ▎ 13:00–13:30  Review  ! on a day off']);
    expect(linesWith(await agenda('', [meeting], { columns: 40 }), 'Review')).toEqual(['  ▎ 13:00–13:30  Review  !']);
    expect(await agenda('', [meeting], { columns: 100 })).toMatch(/Tue 17 +Wed 18 off +Thu 19/);
    const spoken = await agenda('--accessible', [meeting]);
    expect(linesWith(spoken, '18 November')).toEqual(['Wednesday 18 November 2026: 1 event, day off.']);
    expect(spoken.slice(spoken.indexOf('Review'), spoken.indexOf('Thursday'))).not.toContain('Open');
  });

  test('is not on days that are over, nor before now', async () => {
    const screen = await agenda('--accessible', [], { now: '2026-11-17T10:10:00Z' });
    expect(screen.slice(screen.indexOf('Monday 16 November 2026: no'), screen.indexOf('Wednesday'))).toBe(
      'Monday 16 November 2026: no events.\nTuesday 17 November 2026, today, now 11:10: no events.\n' +
        'Open from 11:15 to 12:30.\nOpen from 13:00 to 17:00.\n',
    );
  });

  test('is that of one event type with --event-type, apart from all events', async () => {
    const spoken = await agenda('--day --since 2026-11-18 --event-type "Intro call" --accessible', [meeting]);
    expect(spoken).not.toContain('Review');
    expect(linesWith(spoken, 'Open')).toEqual(['Open from 09:00 to 12:30.', 'Open from 13:30 to 17:00.']);
  });

  test.each([
    ['--org current', ''],
    ['--org current --day', ''],
    ['--month', ''],
    ['--status canceled', ''],
    ['', 'schedules'],
    ['', 'types'],
  ])('is not shown where the hours are not read: %s %s', async (flags, refused) => {
    const paths: Record<string, string> = { schedules: '/event_type_availability_schedules', types: '/event_types' };
    const send: WorldOptions['send'] = async (request) =>
      new URL(request.url).pathname === paths[refused]
        ? { status: 403, headers: { 'content-type': 'application/json' }, body: '{}' }
        : world.service(request);
    const options = { terminals: outputs, columns: 60, send };
    const { code, stdout, requests } = await world.run(`events agenda ${flags}`, options);
    expect(code).toBe(0);
    expect(stdout).not.toMatch(openWords);
    if (refused === '') expect(requests.filter(({ url }) => url.includes('schedules'))).toEqual([]);
  });

  test('is not shown when the rate limit has no room for the hours', async () => {
    const send: WorldOptions['send'] = async (request) => {
      const reply = await world.service(request);
      const headers = { ...reply.headers, 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '9' };
      return { ...reply, headers };
    };
    const { stdout, requests } = await world.run('events agenda --color never', {
      terminals: outputs,
      columns: 60,
      send,
    });
    expect(stdout).toContain('Sun 15 Nov');
    expect(stdout).not.toMatch(openWords);
    expect(requests.filter(({ url }) => url.includes('schedules'))).toEqual([]);
  });
});

describe('events agenda: a day when clocks change', () => {
  test('forward leaves out an hour that does not exist', async () => {
    const events = [
      { name: 'Before', start: '2026-03-29T00:30:00Z', end: '2026-03-29T00:45:00Z' },
      { name: 'Across', start: '2026-03-29T00:50:00Z', end: '2026-03-29T01:30:00Z' },
    ];
    const screen = await agenda('--since 2026-03-29', events);
    expect(screen).toContain('Sun 29 Mar has 23 hours: clocks go forward');
    expect(linesWith(screen, '01:50–03:30')).toHaveLength(1);
    expect(linesWith(screen, '02:00')[0]).toMatch(/^02:00 +–$/);
    expect(await agenda('--day --since 2026-03-29', events)).toContain('2 events, 55 min');
  });

  test('back shows the hour that occurs twice as one row', async () => {
    const events = [
      { name: 'First', start: '2026-10-25T00:15:00Z', end: '2026-10-25T00:30:00Z' },
      { name: 'Second', start: '2026-10-25T01:15:00Z', end: '2026-10-25T01:30:00Z' },
    ];
    const screen = await agenda('--since 2026-10-25', events);
    expect(screen).toContain('Sun 25 Oct has 25 hours: clocks go back');
    expect(linesWith(screen, '02:15–02:30')).toHaveLength(2);
    expect(screen.indexOf('First')).toBeLessThan(screen.indexOf('Second'));
    expect(await agenda('--day --since 2026-10-25', events)).toContain(
      ['  ▎ 02:15–02:30  First (UTC+2)', '  ▎ 02:15–02:30  Second (UTC+1)'].join('\n'),
    );
    const spoken = await agenda('--accessible --day --since 2026-10-25', events);
    expect(spoken).toContain('02:15 UTC+2 to 02:30: First.');
    expect(spoken).toContain('02:15 UTC+1 to 02:30: Second.');
  });
});

describe('events agenda: several hosts', () => {
  const shared: SentEvent[] = [
    { name: 'Demo', start: '2026-11-16T09:00:00Z', end: '2026-11-16T10:00:00Z', hosts: ['Amara', 'Jonas'] },
    { name: 'Support', start: '2026-11-16T09:30:00Z', end: '2026-11-16T10:00:00Z', hosts: ['Mei'] },
  ];

  test('a day has a column for each host', async () => {
    const screen = await agenda('--day --org current', shared);
    expect(screen).toMatch(/^ +Amara +Jonas +Mei$/m);
    expect(linesWith(screen, 'Demo')).toEqual([expect.stringMatching(/10:00–11:00 Demo +▎10:00–11:00 Demo$/)]);
    expect(screen).toContain('2 events, 1 h 30 min');
  });

  test('a day is a list for each host where the columns do not fit', async () => {
    const screen = await agenda('--day --org current', shared, { columns: 40 });
    expect(screen.match(/^(Amara|Jonas|Mei)$/gm)).toEqual(['Amara', 'Jonas', 'Mei']);
    expect(linesWith(screen, 'Demo')).toHaveLength(2);
  });

  test('a week names the hosts below each event', async () => {
    const screen = await agenda('--org current', shared);
    expect(linesWith(screen, 'Amara, Jonas')).toHaveLength(1);
    expect(await agenda('', shared)).not.toContain('Jonas');
  });

  test('time without events is not called free', async () => {
    const screen = await agenda('--org current', week, { columns: 60 });
    expect(screen).toContain('no events');
    expect(screen).not.toContain('free');
  });
});

describe('events agenda: a month', () => {
  const many = [
    ...week,
    { start: '2026-11-30T08:00:00Z', end: '2026-11-30T09:00:00Z' },
    { start: '2026-11-30T23:30:00Z', end: '2026-12-01T00:00:00Z' },
  ];

  test('is a grid with the number of events on each day', async () => {
    expect(await agenda('--month', many, { columns: 80 })).toMatchInlineSnapshot(`
      "November 2026 · Europe/Paris
      3 events, 3 h 45 min, 1 canceled

      Mon        Tue        Wed        Thu        Fri        Sat        Sun
                                                                        1
                                                                        ·

      2          3          4          5          6          7          8
      ·          ·          ·          ·          ·          ·          ·

      9          10         11         12         13         14         15
      ·          ·          ·          ·          ·          ·          ·

      16 ▶today  17         18         19         20         21         22
      ▅ 2        ·          ×1         ·          ·          ·          ·

      23         24         25         26         27         28         29
      ·          ·          ·          ·          ·          ·          ·

      30
      ▂ 1
      "
    `);
  });

  test('has only numbers on a narrow terminal, and is a list of days with events on a very narrow one', async () => {
    expect(linesWith(await agenda('--month', many, { columns: 40 }), '16▶')).toEqual([
      '16▶   17    18    19    20    21    22',
    ]);
    expect(await agenda('--month', many, { columns: 24 })).toContain(
      '\nWed 18 Nov\n  × 10:00–11:00  Called…\nMon 30 Nov\n',
    );
  });
});

describe('events agenda: who comes', () => {
  /** Nothing of its rate limit is used yet. */
  let world: TestWorld;
  beforeEach(async () => {
    world = await createWorld();
  });

  const drawn = async (flags: string, more: WorldOptions = {}) => {
    const { stdout, stderr, requests } = await world.run(`events agenda --since 2026-11-16 ${flags}`, {
      terminals: outputs,
      ...more,
    });
    return { stdout, stderr, reads: requests.filter(({ url }) => url.includes('/invitees')).length };
  };

  test('is named in a grid, in a list and in a sentence', async () => {
    const { stdout } = await world.run('events list --since 2026-11-16 --until 2026-11-22 --with invitees --json');
    const [event] = JSON.parse(stdout);
    const { name } = event._sched.invitees[0];
    expect((await drawn('--day', { columns: 60 })).stdout).toContain(`${event.name} · ${name}`);
    expect((await drawn('--day --accessible')).stdout).toContain(`${event.name}, with ${name}.`);
    const { stdout: grid, reads } = await drawn('', { columns: 140 });
    expect(grid).toContain(`▎${name}`);
    expect(reads).toBe(JSON.parse(stdout).length);
  });

  test('is not asked for where it is not shown', async () => {
    for (const flags of ['--month', '--org current', '--json']) expect((await drawn(flags)).reads).toBe(0);
  });

  test('is left out if few requests are left', async () => {
    const { stdout, stderr, reads } = await drawn('', {
      send: async (request) => {
        const reply = await world.service(request);
        return { ...reply, headers: { ...reply.headers, 'x-ratelimit-remaining': '3' } };
      },
    });
    expect(reads).toBe(0);
    expect(stdout).toContain('Week 47');
    expect(stderr).toContain('Who comes is left out');
  });
});

describe('events agenda --accessible', () => {
  test('reads as sentences', async () => {
    expect(await agenda('--accessible', week)).toMatchInlineSnapshot(`
      "Monday 16 November 2026 to Sunday 22 November 2026, time zone Europe/Paris.
      Altogether: 2 events, 2 hours 45 minutes, 1 canceled.
      Monday 16 November 2026, today, now 09:20: 2 events.
      09:00 to 09:15: Standup.
      Open from 09:25 to 11:30.
      11:30 to 14:00: Review.
      Open from 14:00 to 17:00.
      Tuesday 17 November 2026: no events.
      Open from 09:00 to 12:30.
      Open from 13:00 to 17:00.
      Wednesday 18 November 2026: no events, 1 canceled.
      Open from 09:00 to 12:30.
      Canceled: 10:00 to 11:00: Called off.
      Open from 13:00 to 17:00.
      Thursday 19 November 2026: no events.
      Open from 09:00 to 12:30.
      Open from 13:00 to 17:00.
      Friday 20 November 2026: no events.
      Open from 09:00 to 12:30.
      Open from 13:00 to 17:00.
      Saturday 21 November 2026: no events, no hours.
      Sunday 22 November 2026: no events, no hours.
      "
    `);
    expect(await agenda('--accessible --month', week)).toMatchInlineSnapshot(`
      "November 2026, time zone Europe/Paris.
      Altogether: 2 events, 2 hours 45 minutes, 1 canceled.
      Monday 16 November 2026, today: 2 events, 2 hours 45 minutes.
      Wednesday 18 November 2026: no events, 1 canceled.
      The other days have no events.
      "
    `);
  });
});

describe('events agenda for programs', () => {
  const monday = '2026-11-16';
  const spans = {
    day: ['2026-11-16', '2026-11-16'],
    week: ['2026-11-16', '2026-11-22'],
    month: ['2026-11-01', '2026-11-30'],
  };

  test.each(Object.entries(spans))(
    '--%s prints the rows of events list in these days',
    async (period, [since, until]) => {
      const formats = ['', '--json', '-o csv', '--header', '-o id', '--fields name,start_time', '--org current'];
      for (const flags of sample(formats, 1)) {
        const drawn = await world.run(`events agenda --${period} --since ${monday} ${flags}`);
        const listed = await world.run(`events list --since ${since} --until ${until} ${flags}`);
        expect(listed.stdout.length).toBeGreaterThan(100);
        expect(drawn.stdout).toBe(listed.stdout);
      }
    },
  );

  test('has no limit on a terminal', async () => {
    const events = Array.from({ length: 120 }, () => week[0]!);
    const screen = await agenda('--fields name', events);
    expect(linesWith(screen, 'Standup')).toHaveLength(120);
  });

  test('--event-type and --status filter the rows', async () => {
    const { stdout } = await world.run(
      'events agenda --month --event-type "Intro call" --status active --json=name,status',
    );
    const rows = JSON.parse(stdout);
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(row).toEqual({ name: 'Intro call', status: 'active' });
  });

  test('--dry-run prints the request', async () => {
    const { stdout } = await world.run('events agenda --since 2026-11-16 --dry-run');
    expect(JSON.parse(stdout).url).toContain(
      'min_start_time=2026-11-15T23%3A00%3A00Z&max_start_time=2026-11-22T23%3A00%3A00Z',
    );
  });
});

describe('events agenda: mistakes', () => {
  test.each([
    ['--day --week', "--day and --week can't be used together"],
    ['--since nonsense', '--since: '],
  ])('%s', async (flags, message) => {
    const { code, stderr } = await world.run(`events agenda ${flags}`);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
