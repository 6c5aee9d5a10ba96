import { beforeAll, describe, expect, test } from 'vitest';
import type { StatsRow } from '../../../src/commands/stats/counts.ts';
import { groupsOfEvent } from '../../../src/commands/stats/group-by.ts';
import { eventGroupings } from '../../../src/commands/stats/input.ts';
import type { Send } from '../../../src/http/message.ts';
import { width } from '../../../src/output/width.ts';
import { type SentEvent, sentEvent, serviceWith } from '../../support/calendar.ts';
import { createWorld, outputs, terminals, type WorldOptions } from '../../support/run.ts';
import { sample, times } from '../../support/tier.ts';

const world = await createWorld();

type Event = ReturnType<typeof sentEvent>;

const zone = 'America/New_York';

const count = times(250, 3000);

/** Events over two years, two thirds with two hosts. */
const generated: Event[] = Array.from({ length: count }, (_, index) => {
  const start = Date.parse('2025-06-01T00:00:00Z') + index * (62_100_000_000 / count);
  const hosts = ['Amara', 'Jonas', 'Mei', 'Kofi', 'Priya'];
  return sentEvent({
    name: `Type ${index % 7}`,
    type: `T${index % 7}`,
    start: new Date(start).toISOString(),
    end: new Date(start + (1 + (index % 4)) * 900_000).toISOString(),
    status: index % 11 === 0 ? 'canceled' : 'active',
    hosts: index % 3 === 0 ? [hosts[index % 5]!] : [hosts[index % 5]!, hosts[(index + 1) % 5]!],
  });
});

const format = new Intl.DateTimeFormat('en-GB', {
  timeZone: zone,
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  hourCycle: 'h23',
  weekday: 'short',
});

/** The parts of a date in the zone, computed by Intl alone. */
const partsOf = (text: string): Record<string, string> =>
  Object.fromEntries(format.formatToParts(new Date(text)).map(({ type, value }) => [type, value]));

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** The Monday of a week in place of its number, which the keys of rows are compared by. */
const mondayOf = (event: Event): string => {
  const { year, month, day, weekday } = partsOf(event.start_time);
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() - weekdays.indexOf(weekday!));
  return date.toISOString().slice(0, 10);
};

/** The plain computation of the keys, written without the code under test. */
const keysOf: Record<(typeof eventGroupings)[number], (event: Event) => string[]> = {
  host: ({ event_memberships: hosts }) => hosts.map(({ user }) => user),
  'event-type': ({ event_type: type }) => [type],
  status: ({ status }) => [status],
  day: ({ start_time: start }) => {
    const { year, month, day } = partsOf(start);
    return [`${year}-${month}-${day}`];
  },
  week: (event) => [mondayOf(event)],
  month: ({ start_time: start }) => [`${partsOf(start).year}-${partsOf(start).month}`],
  weekday: ({ start_time: start }) => [String(weekdays.indexOf(partsOf(start).weekday!) + 1)],
  hour: ({ start_time: start }) => [partsOf(start).hour!],
};

const sums = (events: readonly Event[], keys: (event: Event) => string[]) => {
  const found = new Map<string, { booked: number; canceled: number; milliseconds: number }>();
  for (const event of events)
    for (const key of keys(event)) {
      const sum = found.get(key) ?? { booked: 0, canceled: 0, milliseconds: 0 };
      sum.booked += 1;
      if (event.status === 'canceled') sum.canceled += 1;
      else sum.milliseconds += Date.parse(event.end_time) - Date.parse(event.start_time);
      found.set(key, sum);
    }
  return [...found].map(([key, { booked, canceled, milliseconds }]) => ({
    key,
    booked,
    canceled,
    hours: Math.round(milliseconds / 36_000) / 100,
    share: Math.round((booked / events.length) * 10_000) / 10_000,
    cancellation_rate: Math.round((canceled / booked) * 10_000) / 10_000,
  }));
};

const byKey = <Row extends { key: string }>(rows: readonly Row[]) => rows.toSorted((a, b) => (a.key < b.key ? -1 : 1));

const rowsOf = async (line: string, more: WorldOptions = {}): Promise<StatsRow[]> => {
  const { stdout, stderr, code } = await world.run(`${line} --json`, more);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return JSON.parse(stdout);
};

const shown = (rows: readonly StatsRow[], by: string) =>
  rows.map(({ key, name, booked, canceled, hours, share, cancellation_rate }) => ({
    booked,
    canceled,
    hours,
    share,
    cancellation_rate,
    // `Week of Mon 16 Nov 2026`
    key: by === 'week' ? new Date(`${name.slice(12)} UTC`).toISOString().slice(0, 10) : key,
  }));

describe('events stats', () => {
  const window = `--org current --since -14d --until +14d --tz ${zone}`;
  let listed: { generated: Event[]; sandbox: Event[] };
  beforeAll(async () => {
    const list = async (line: string, more?: WorldOptions) => JSON.parse((await world.run(line, more)).stdout);
    listed = {
      generated: await list('events list --json', { send: serviceWith(generated, world.service) }),
      sandbox: await list(`events list ${window} --json`),
    };
  });

  test.each(sample(eventGroupings, 2))('--by %s equals a plain computation over events list', async (by) => {
    const send = serviceWith(generated, world.service);
    expect(listed.generated).toHaveLength(count);
    const rows = await rowsOf(`events stats --by ${by} --tz ${zone}`, { send });
    expect(byKey(shown(rows, by))).toEqual(byKey(sums(listed.generated, keysOf[by])));
  });

  test.each(sample(eventGroupings, 1))('--by %s equals it on the sandbox too, in a window', async (by) => {
    expect(listed.sandbox.length).toBeGreaterThan(50);
    const rows = await rowsOf(`events stats --by ${by} ${window}`);
    expect(byKey(shown(rows, by))).toEqual(byKey(sums(listed.sandbox, keysOf[by])));
  });

  test('numbers weeks as ISO 8601 does', async () => {
    const send = serviceWith(
      ['2026-12-31T12:00:00Z', '2027-01-03T12:00:00Z', '2027-01-04T12:00:00Z'].map((start) => sentEvent({ start })),
      world.service,
    );
    const rows = await rowsOf('events stats --by week', { send });
    expect(rows.map(({ key, booked }) => [key, booked])).toEqual([
      ['2026-W53', 2],
      ['2027-W01', 1],
    ]);
  });

  test('puts times in order, and other groups with the most events first', async () => {
    const someEvents = generated.filter((_, index) => index % 10 === 0);
    const send = serviceWith(someEvents, world.service);
    for (const by of sample(['day', 'week', 'month', 'weekday', 'hour'], 2)) {
      const keys = (await rowsOf(`events stats --by ${by}`, { send })).map(({ key }) => key);
      expect(keys).toEqual(keys.toSorted());
    }
    const counts = (await rowsOf('events stats --by host --org current')).map(({ booked }) => booked);
    expect(counts).toEqual(counts.toSorted((a, b) => b - a));
  });

  test('counts the days around New Year in the year of their week', () => {
    const weeksOf = groupsOfEvent('week', (at) => at);
    const keys = ['2024-12-30', '2026-12-31', '2027-01-03', '2027-01-04'].flatMap((date) =>
      weeksOf({ start_time: `${date}T10:00:00Z` }).map(({ key }) => key),
    );
    expect(keys).toEqual(['2025-W01', '2026-W53', '2026-W53', '2027-W01']);
  });

  test('groups by event type unless told otherwise', async () => {
    expect(await rowsOf('events stats')).toEqual(await rowsOf('events stats --by event-type'));
  });

  test('counts events with missing fields as unknown', async () => {
    const event = { uri: 'http://127.0.0.1:4010/scheduled_events/E', name: null };
    const send = serviceWith([event, { ...event, event_memberships: 'x', start_time: 7 }], world.service);
    for (const by of sample(eventGroupings, 1))
      expect(await rowsOf(`events stats --by ${by}`, { send })).toEqual([
        {
          ...{ key: 'unknown', name: 'unknown', booked: 2, canceled: 0, no_shows: null, hours: 0, share: 1 },
          ...{ cancellation_rate: 0, no_show_rate: null, second_key: null, second_name: null },
        },
      ]);
  });

  test('counts a host who is listed twice once', async () => {
    const send = serviceWith([sentEvent({ start: '2026-11-16T09:00:00Z', hosts: ['Mei', 'Mei'] })], world.service);
    expect((await rowsOf('events stats --by host', { send }))[0]).toMatchObject({ booked: 1, share: 1 });
  });

  test('prints the same columns in tsv, csv and json', async () => {
    const first = ['key', 'name', 'booked', 'canceled', 'no_shows', 'hours', 'share'];
    const names = [...first, 'cancellation_rate', 'no_show_rate', 'second_key', 'second_name'];
    const tsv = (await world.run('events stats --header')).stdout.split('\n')[0];
    const csv = (await world.run('events stats -o csv')).stdout.split(/\r?\n/)[0];
    expect(tsv).toBe(names.join('\t'));
    expect(csv).toBe(names.join(','));
    expect(Object.keys((await rowsOf('events stats'))[0]!)).toEqual(names);
  });

  test('of nothing has no rows', async () => {
    const send = serviceWith([], world.service);
    expect(await rowsOf('events stats', { send })).toEqual([]);
    const { stderr, code } = await world.run('events stats', { send, terminals: outputs });
    expect(code).toBe(0);
    expect(stderr).toContain('No events for these days');
  });

  test('refuses an unknown group and suggests the nearest', async () => {
    const { code, stderr } = await world.run('events stats --by weekdays');
    expect(code).toBe(2);
    expect(stderr).toContain('--by weekday');
  });

  test.each([
    ['host,week,day', undefined],
    ['host,host', undefined],
    ['host,', undefined],
    ['hosts,weeks', 'host,week'],
  ])('refuses --by %s', async (by, meant) => {
    const { code, stderr } = await world.run(`events stats --by ${by}`);
    expect(code).toBe(2);
    expect(stderr).toContain(`or two of them such as host,week, not "${by}"`);
    if (meant !== undefined) expect(stderr).toContain(`try: sched events stats --by ${meant}`);
  });
});

describe('events stats --by two groups', () => {
  const pairs = (rows: readonly StatsRow[]) => rows.map(({ key, second_key: second }) => `${key} ${second}`);

  test('has a row for each pair that has events, equal to a plain computation', async () => {
    const send = serviceWith(generated, world.service);
    const rows = await rowsOf(`events stats --by host,month --tz ${zone}`, { send });
    const keys = (event: Event) => keysOf.host(event).map((host) => `${host} ${keysOf.month(event)}`);
    const expected = sums(generated, keys);
    expect(rows.map(({ booked, hours }, index) => [pairs(rows)[index], booked, hours]).toSorted()).toEqual(
      expected.map(({ key, booked, hours }) => [key, booked, hours]).toSorted(),
    );
    expect(rows[0]).toMatchObject({
      name: rows[0]!.key.split('/').at(-1),
      second_name: expect.stringMatching(/ 20\d\d$/),
    });
  });

  test('puts the groups with the most events first, and times in their order', async () => {
    const rows = await rowsOf(`events stats --by weekday,host`, { send: serviceWith(generated, world.service) });
    expect(rows.map(({ key }) => key)).toEqual(rows.map(({ key }) => key).toSorted());
    expect(new Set(rows.slice(0, 5).map(({ key }) => key))).toEqual(new Set(['1']));
  });
});

describe('events stats --sort', () => {
  test.each([
    ['hours', (row: StatsRow) => -row.hours],
    ['canceled', (row: StatsRow) => -row.canceled],
    ['booked', (row: StatsRow) => -row.booked],
  ] as const)('%s puts the largest first', async (sort, size) => {
    const sizes = (await rowsOf(`events stats --by day --org current --sort ${sort}`)).map(size);
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
    expect(new Set(sizes).size).toBeGreaterThan(2);
  });

  test('name follows the alphabet', async () => {
    const names = (await rowsOf('events stats --org current --sort name')).map(({ name }) => name);
    expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b, 'en')));
  });

  test('no-shows needs them to be counted', async () => {
    const { code, stderr } = await world.run('events stats --sort no-shows');
    expect(code).toBe(2);
    expect(stderr).toContain('try: sched events stats --sort no-shows --no-shows');
  });
});

describe('events stats --no-shows', () => {
  const line = 'events stats --by host --org current --since -10d --until +2d';

  test('counts the invitees that are marked', async () => {
    const listed = JSON.parse(
      (await world.run('events list --org current --since -10d --until +2d --status active --with invitees --json'))
        .stdout,
    ) as (Event & { _sched: { invitees: { no_show: object | null }[] } })[];
    const expected = new Map<string, number>();
    for (const { event_memberships: hosts, _sched } of listed)
      for (const { user } of hosts)
        expected.set(user, (expected.get(user) ?? 0) + _sched.invitees.filter(({ no_show: mark }) => mark).length);
    const rows = await rowsOf(`${line} --no-shows`);
    expect(rows.some(({ no_shows: count }) => count! > 0)).toBe(true);
    for (const { key, no_shows: count } of rows) expect([key, count]).toEqual([key, expected.get(key) ?? 0]);
    for (const { no_shows: count, no_show_rate: rate } of rows) expect(rate! > 0).toBe(count! > 0);
  });

  test('says first how many requests it takes, and takes no more', async () => {
    const { stderr, requests } = await world.run(`${line} --no-shows`);
    const [, events, stated] = /invitees of ([\d,]+) events, about ([\d,]+) requests/.exec(stderr) ?? [];
    const read = requests.filter(({ url }) => url.includes('/invitees'));
    expect(read).toHaveLength(Number(events));
    const first = requests.indexOf(read[0]!);
    expect(requests.length - first + 1).toBeLessThanOrEqual(Number(stated));
  });

  test('sends no other requests without it', async () => {
    const { requests, stdout } = await world.run(`${line} --json`);
    expect(requests.filter(({ url }) => url.includes('/invitees'))).toEqual([]);
    for (const row of JSON.parse(stdout)) expect(row.no_shows).toBeNull();
  });

  test('reads nothing if no event has started', async () => {
    const { requests, stdout } = await world.run('events stats --no-shows --since +1d --json=no_shows');
    expect(requests.filter(({ url }) => url.includes('/invitees'))).toEqual([]);
    for (const row of JSON.parse(stdout)) expect(row).toEqual({ no_shows: 0 });
  });
});

describe('events stats on a terminal', () => {
  const screen = async (flags: string, events: SentEvent[], more: WorldOptions = {}) =>
    (
      await world.run(`events stats ${flags}`, {
        terminals: outputs,
        send: serviceWith(events.map(sentEvent), world.service),
        ...more,
      })
    ).stdout;

  const events: SentEvent[] = [
    { start: '2026-11-16T09:00:00Z', end: '2026-11-16T10:00:00Z', hosts: ['Amara', 'Jonas'] },
    { start: '2026-11-16T12:00:00Z', end: '2026-11-16T12:30:00Z', hosts: ['Amara'] },
    { start: '2026-11-19T09:00:00Z', end: '2026-11-19T10:00:00Z', hosts: ['Amara'], status: 'canceled' },
  ];

  test('shows bars in parts, and a total that counts each event once', async () => {
    expect(await screen('--by host', events)).toMatchInlineSnapshot(`
      "Your events by host · Europe/Paris

      HOST   BOOKED  CANCELED   HOURS  SHARE
      Amara       3    1  33%  1 h 30   100%  ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▒▒▒▒▒▒▒▒▒▒▒▒▒
      Jonas       1    0       1 h       33%  ▄▄▄▄▄▄▄▄▄▄▄▄▄

      ▄ active  ▒ canceled
      Total: 3 events, 1 canceled (33%), 1 hour 30 minutes
      An event with several hosts counts for each of them, but once in the total
      "
    `);
  });

  test('shows days without events, and the whole window', async () => {
    expect(await screen('--by day --since 2026-11-15 --until 2026-11-20', events)).toMatchInlineSnapshot(`
      "Your events by day · Europe/Paris

      DAY         BOOKED  CANCELED   HOURS  SHARE
      Sun 15 Nov       0    0       0 h        0%
      Mon 16 Nov       2    0       1 h 30    67%  ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄
      Tue 17 Nov       0    0       0 h        0%
      Wed 18 Nov       0    0       0 h        0%
      Thu 19 Nov       1    1 100%  0 h       33%  ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒
      Fri 20 Nov       0    0       0 h        0%

      ▄ active  ▒ canceled
      Total: 3 events, 1 canceled (33%), 1 hour 30 minutes
      "
    `);
    expect(await screen('--by weekday', events)).toMatch(/^Sunday +0/m);
  });

  test('makes one line of many days without events', async () => {
    const far = { start: '2027-11-16T09:00:00Z', hosts: ['Amara'] };
    const lines = (await screen('--by day', [...events, far])).split('\n');
    expect(lines.filter((line) => /^… 361 days +0/.test(line))).toHaveLength(1);
    expect(lines.filter((line) => /^Tue 16 Nov 2027 +1/.test(line))).toHaveLength(1);
  });

  test('keeps the bars on a narrow terminal, and leaves out the share first', async () => {
    expect(await screen('--by host', events, { columns: 44 })).toMatchInlineSnapshot(`
      "Your events by host · Europe/Paris

      HOST   BOOKED  CANCELED   HOURS
      Amara       3    1  33%  1 h 30  ▄▄▄▄▄▄▄▒▒▒▒
      Jonas       1    0       1 h     ▄▄▄▄

      ▄ active  ▒ canceled
      Total: 3 events, 1 canceled (33%), 1 hour 30
      minutes
      An event with several hosts counts for each
      of them, but once in the total
      "
    `);
    for (const columns of [20, 30, 50]) expect(await screen('--by host', events, { columns })).toContain('▄▄');
  });

  test('shows two eventGroupings as a heat map, turned or in parts if it is too wide', async () => {
    expect(await screen('--by host,day', events)).toMatchInlineSnapshot(`
      "Your events by host and day · Europe/Paris

             16 Nov  17 Nov  18 Nov  19 Nov
      Amara    ██ 2       ·       ·    ▒▒ 1
      Jonas    ▒▒ 1       ·       ·       ·

      ▒ 1  █ 2

      Total: 3 events, 1 canceled (33%), 1 hour 30 minutes
      An event with several hosts counts for each of them, but once in the total
      "
    `);
    expect(await screen('--by host,day', events, { columns: 30 })).toMatchInlineSnapshot(`
      "Your events by host and day
      Europe/Paris

                  Amara  Jonas
      Mon 16 Nov   ██ 2   ▒▒ 1
      Tue 17 Nov      ·      ·
      Wed 18 Nov      ·      ·
      Thu 19 Nov   ▒▒ 1      ·

      ▒ 1  █ 2

      Total: 3 events, 1 canceled
      (33%), 1 hour 30 minutes
      An event with several hosts
      counts for each of them, but
      once in the total
      "
    `);
    const many = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eve'].map((host) => ({
      ...events[0]!,
      hosts: [host],
      type: host,
      name: host,
    }));
    expect(await screen('--by host,event-type', many, { columns: 24 })).toMatchInlineSnapshot(`
      "Your events by host and
      event type
      Europe/Paris

            Ada  Ben  Cleo
      Ada   █ 1    ·     ·
      Ben     ·  █ 1     ·
      Cleo    ·    ·   █ 1
      Dan     ·    ·     ·
      Eve     ·    ·     ·

            Dan  Eve
      Ada     ·    ·
      Ben     ·    ·
      Cleo    ·    ·
      Dan   █ 1    ·
      Eve     ·  █ 1

      █ 1

      Total: 5 events, 5 hours
      "
    `);
  });

  test('paints the bar of an event type with its color', async () => {
    const { stdout, requests } = await world.run('events stats --color always', {
      terminals: outputs,
      env: { NO_COLOR: '', COLORTERM: 'truecolor' },
    });
    expect(stdout).toMatch(/Intro call.*\x1b\[38;2;\d+;\d+;\d+m▄/);
    expect(requests.filter(({ url }) => url.includes('/event_types'))).toHaveLength(1);
  });

  test('has only ASCII characters in a locale without UTF-8', async () => {
    for (const by of sample([...eventGroupings, 'host,week', 'weekday,hour'], 2, (by) => by.includes(',')))
      expect(await screen(`--by ${by}`, events, { env: { LANG: 'C' } })).toMatch(/^[\n -~]+$/);
  });

  test('says the same in words with --accessible', async () => {
    expect(await screen('--by day --accessible', events)).toMatchInlineSnapshot(`
      "Your events by day, time zone Europe/Paris.
      Mon 16 Nov: 2 events, 1 hour 30 minutes.
      Tue 17 Nov: no events.
      Wed 18 Nov: no events.
      Thu 19 Nov: 1 event, 1 canceled (100%), 0 hours.
      Total: 3 events, 1 canceled (33%), 1 hour 30 minutes.
      "
    `);
    expect(await screen('--by host,weekday --accessible', events)).toMatchInlineSnapshot(`
      "Your events by host and weekday, time zone Europe/Paris.
      Amara, Monday: 2 events, 1 hour 30 minutes.
      Amara, Thursday: 1 event, 1 canceled (100%), 0 hours.
      Jonas, Monday: 1 event, 1 hour.
      Total: 3 events, 1 canceled (33%), 1 hour 30 minutes.
      An event with several hosts counts for each of them, but once in the total.
      "
    `);
  });

  test('keeps to the width of the screen with hostile and long names', async () => {
    const names = ['x'.repeat(500), '漢字'.repeat(80), '\u001b[2J\r\nerror: forged\u202e'];
    const long = names.map((name, index) => ({ ...events[index]!, name, hosts: [name], type: `T${index}` }));
    for (const columns of sample([40, 80, 140], 1))
      for (const by of ['host', 'event-type', 'host,event-type']) {
        const drawn = await screen(`--by ${by}`, long, { columns });
        expect(drawn).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]/);
        for (const line of drawn.split('\n')) expect(width(line)).toBeLessThanOrEqual(columns);
      }
  });
});

describe('events stats --zeros', () => {
  test('adds the event types without events, in every format', async () => {
    const line = 'events stats --since 2026-11-16 --until 2026-11-16';
    const [some, all] = [await rowsOf(line), await rowsOf(`${line} --zeros`)];
    const types = JSON.parse((await world.run('event-types list --json')).stdout) as { uri: string; name: string }[];
    expect(all.filter(({ booked }) => booked > 0)).toEqual(some);
    expect(new Set(all.map(({ key }) => key))).toEqual(
      new Set([...types, ...some.map(({ key }) => ({ uri: key }))].map(({ uri }) => uri)),
    );
    const zero = all.find(({ booked }) => booked === 0)!;
    expect(zero).toMatchObject({ canceled: 0, hours: 0, share: 0, cancellation_rate: 0, no_show_rate: null });
    const screen = await world.run(`${line} --zeros`, { terminals });
    expect(screen.stdout).toContain(zero.name);
    const one = await rowsOf(`${line} --zeros --event-type "${zero.name}"`);
    expect(one).toEqual([expect.objectContaining({ key: zero.key, booked: 0, share: 0 })]);
  });

  test.each([
    ['--by host --zeros', '--zeros only works with --by event-type'],
    ['--by event-type,week --zeros', '--zeros only works with --by event-type'],
    ['--show-emails', '--show-emails only works with --by invitee'],
  ])('%s is refused', async (flags, problem) => {
    const { code, stderr, requests } = await world.run(`events stats ${flags}`);
    expect([code, requests]).toEqual([2, []]);
    expect(stderr).toContain(problem);
  });
});

describe('events stats --by invitee', () => {
  interface Listed {
    status: string;
    start_time: string;
    _sched: { invitees: { email: string; name: string; status: string; no_show: object | null }[] };
  }
  const window = '--since 2026-10-15 --until 2026-11-14';

  test('counts the bookings and no-shows of each person, equal to a plain computation', async () => {
    const { stdout } = await world.run(`events list ${window} --org current --with invitees --json`);
    const bookings = (JSON.parse(stdout) as Listed[]).flatMap((event) =>
      event._sched.invitees.map((invitee) => ({ ...invitee, isOff: event.status === 'canceled' })),
    );
    const rows = await rowsOf(`events stats --by invitee ${window} --org current --show-emails`);
    const emails = [...new Set(bookings.map(({ email }) => email.toLowerCase()))];
    expect(byKey(rows).map(({ key, booked, canceled, no_shows: noShows }) => [key, booked, canceled, noShows])).toEqual(
      emails.sort().map((email) => {
        const own = bookings.filter((each) => each.email.toLowerCase() === email);
        const canceled = own.filter(({ status, isOff }) => isOff || status === 'canceled');
        return [email, own.length, canceled.length, own.filter((each) => each.no_show && !each.isOff).length];
      }),
    );
    expect(rows.some((row) => row.no_shows! > 0)).toBe(true);
  });

  test('shows no address without --show-emails, and tells people of one name apart', async () => {
    const send: Send = async (request) => {
      const reply = await world.service(request);
      return { ...reply, body: reply.body.replaceAll(/"name":"[^"]*","email":/g, '"name":"Ada Byron","email":') };
    };
    const line = `events stats --by invitee ${window} --org current`;
    const hidden = await rowsOf(line, { send });
    const shown = await rowsOf(`${line} --show-emails`, { send });
    expect(hidden.length).toBe(shown.length);
    expect(hidden.length).toBeGreaterThan(1);
    for (const output of ['', ' -o csv', ' --json']) {
      const { stdout, stderr } = await world.run(`${line}${output}`);
      expect(`${stdout}${stderr}`).not.toContain('@');
    }
    const screen = await world.run(line, { terminals });
    expect(screen.screen).not.toContain('@');
    expect(screen.stdout).toMatch(/Total: \d+ bookings/);
    expect((await world.run(`${line} --show-emails`, { terminals })).stdout).toMatch(/<\S+@/);
  });

  test('can be sorted by no-shows at once, and with months', async () => {
    const sizes = (await rowsOf(`events stats --by invitee ${window} --sort no-shows`)).map((row) => row.no_shows!);
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
    const [row] = await rowsOf(`events stats --by invitee,month ${window}`);
    expect(row!.second_key).toMatch(/^2026-1[01]$/);
  });
});
