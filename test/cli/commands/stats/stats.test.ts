import { beforeAll, describe, expect, test } from 'vitest';
import type { StatsRow } from '../../../../src/cli/commands/stats/counts.ts';
import { groupings } from '../../../../src/cli/commands/stats/group-by.ts';
import { width } from '../../../../src/output/width.ts';
import { type SentEvent, sentEvent, serviceWith } from '../../../support/calendar.ts';
import { createWorld, type WorldOptions } from '../../../support/run.ts';
import { times } from '../../../support/tier.ts';

let world: Awaited<ReturnType<typeof createWorld>>;
beforeAll(async () => {
  world = await createWorld();
});

type Event = ReturnType<typeof sentEvent>;

const zone = 'America/New_York';

const count = times(400, 3000);

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
const keysOf: Record<(typeof groupings)[number], (event: Event) => string[]> = {
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
  }));
};

const byKey = (rows: readonly { key: string }[]) => rows.toSorted((a, b) => (a.key < b.key ? -1 : 1));

const rowsOf = async (line: string, more: WorldOptions = {}): Promise<StatsRow[]> => {
  const { stdout, stderr, code } = await world.run(`${line} --json`, more);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return JSON.parse(stdout);
};

const shown = (rows: readonly StatsRow[], by: string) =>
  rows.map(({ name, no_shows: _, ...row }) => ({
    ...row,
    // `Week of Mon 16 Nov 2026`
    key: by === 'week' ? new Date(`${name.slice(12)} UTC`).toISOString().slice(0, 10) : row.key,
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

  test.each(groupings)('--by %s equals a plain computation over events list', async (by) => {
    const send = serviceWith(generated, world.service);
    expect(listed.generated).toHaveLength(count);
    const rows = await rowsOf(`events stats --by ${by} --tz ${zone}`, { send });
    expect(byKey(shown(rows, by))).toEqual(byKey(sums(listed.generated, keysOf[by])));
  });

  test.each(groupings)('--by %s equals it on the sandbox too, in a window', async (by) => {
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
    for (const by of ['day', 'week', 'month', 'weekday', 'hour']) {
      const keys = (await rowsOf(`events stats --by ${by}`, { send })).map(({ key }) => key);
      expect(keys).toEqual(keys.toSorted());
    }
    const counts = (await rowsOf('events stats --by host --org current')).map(({ booked }) => booked);
    expect(counts).toEqual(counts.toSorted((a, b) => b - a));
  });

  test('groups by event type unless told otherwise', async () => {
    expect(await rowsOf('events stats')).toEqual(await rowsOf('events stats --by event-type'));
  });

  test('counts events with missing fields as unknown', async () => {
    const event = { uri: 'http://127.0.0.1:4010/scheduled_events/E', name: null };
    const send = serviceWith([event, { ...event, event_memberships: 'x', start_time: 7 }], world.service);
    for (const by of groupings)
      expect(await rowsOf(`events stats --by ${by}`, { send })).toEqual([
        { key: 'unknown', name: 'unknown', booked: 2, canceled: 0, no_shows: null, hours: 0, share: 1 },
      ]);
  });

  test('counts a host who is listed twice once', async () => {
    const send = serviceWith([sentEvent({ start: '2026-11-16T09:00:00Z', hosts: ['Mei', 'Mei'] })], world.service);
    expect((await rowsOf('events stats --by host', { send }))[0]).toMatchObject({ booked: 1, share: 1 });
  });

  test('prints the same columns in tsv, csv and json', async () => {
    const names = ['key', 'name', 'booked', 'canceled', 'no_shows', 'hours', 'share'];
    const tsv = (await world.run('events stats --header')).stdout.split('\n')[0];
    const csv = (await world.run('events stats -o csv')).stdout.split(/\r?\n/)[0];
    expect(tsv).toBe(names.join('\t'));
    expect(csv).toBe(names.join(','));
    expect(Object.keys((await rowsOf('events stats'))[0]!)).toEqual(names);
  });

  test('of nothing has no rows', async () => {
    const send = serviceWith([], world.service);
    expect(await rowsOf('events stats', { send })).toEqual([]);
    const { stderr, code } = await world.run('events stats', { send, terminals: ['stdout', 'stderr'] });
    expect(code).toBe(0);
    expect(stderr).toContain('Nothing found');
  });

  test('refuses an unknown group and suggests the nearest', async () => {
    const { code, stderr } = await world.run('events stats --by weekdays');
    expect(code).toBe(2);
    expect(stderr).toContain('--by weekday');
  });
});

describe('events stats --no-shows', () => {
  const line = 'events stats --by host --org current --since -30d --until +7d';

  test('counts the invitees that are marked', async () => {
    const listed = JSON.parse(
      (await world.run('events list --org current --since -30d --until +7d --status active --with invitees --json'))
        .stdout,
    ) as (Event & { _sched: { invitees: { no_show: object | null }[] } })[];
    const expected = new Map<string, number>();
    for (const { event_memberships: hosts, _sched } of listed)
      for (const { user } of hosts)
        expected.set(user, (expected.get(user) ?? 0) + _sched.invitees.filter(({ no_show: mark }) => mark).length);
    const rows = await rowsOf(`${line} --no-shows`);
    expect(rows.some(({ no_shows: count }) => count! > 0)).toBe(true);
    for (const { key, no_shows: count } of rows) expect([key, count]).toEqual([key, expected.get(key) ?? 0]);
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
  const terminals = ['stdout' as const, 'stderr' as const];
  const screen = async (flags: string, events: SentEvent[], more: WorldOptions = {}) =>
    (
      await world.run(`events stats ${flags}`, {
        terminals,
        send: serviceWith(events.map(sentEvent), world.service),
        ...more,
      })
    ).stdout;

  const events: SentEvent[] = [
    { start: '2026-11-16T09:00:00Z', end: '2026-11-16T10:00:00Z', hosts: ['Amara', 'Jonas'] },
    { start: '2026-11-16T12:00:00Z', end: '2026-11-16T12:30:00Z', hosts: ['Amara'] },
    { start: '2026-11-19T09:00:00Z', end: '2026-11-19T10:00:00Z', hosts: ['Amara'], status: 'canceled' },
  ];

  test('shows bars, and a total that counts each event once', async () => {
    expect(await screen('--by host', events)).toMatchInlineSnapshot(`
      "NAME   BOOKED  CANCELED  HOURS   SHARE  CHART
      Amara       3         1   1.50  100.0%  ████████████████
      Jonas       1         0   1.00   33.3%  █████▌

      Total: 3 events, 1 canceled, 1.5 hours
      Events with several hosts are in several rows, but count once in the total
      "
    `);
  });

  test('shows the course of time with its gaps', async () => {
    expect(await screen('--by day', events)).toMatchInlineSnapshot(`
      "NAME             BOOKED  CANCELED  HOURS  SHARE  CHART
      Mon 16 Nov 2026       2         0   1.50  66.7%  ████████████████
      Thu 19 Nov 2026       1         1   0.00  33.3%  ████████

      █  ▄
      Mon 16 Nov 2026 to Thu 19 Nov 2026
      Total: 3 events, 1 canceled, 1.5 hours
      "
    `);
  });

  test('has only ASCII characters in a locale without UTF-8', async () => {
    for (const by of groupings)
      expect(await screen(`--by ${by}`, events, { env: { LANG: 'C' } })).toMatch(/^[\n -~]+$/);
  });

  test('says the same in words with --accessible', async () => {
    expect(await screen('--by day --accessible', events)).toMatchInlineSnapshot(`
      "NAME: Mon 16 Nov 2026
      BOOKED: 2
      CANCELED: 0
      HOURS: 1.50
      SHARE: 66.7%

      NAME: Thu 19 Nov 2026
      BOOKED: 1
      CANCELED: 1
      HOURS: 0.00
      SHARE: 33.3%

      Total: 3 events, 1 canceled, 1.5 hours
      "
    `);
  });

  test('keeps to the width of the screen with hostile and long names', async () => {
    const names = ['x'.repeat(500), '漢字'.repeat(80), '\u001b[2J\r\nerror: forged\u202e'];
    const long = names.map((name, index) => ({ ...events[index]!, name, hosts: [name], type: `T${index}` }));
    for (const columns of [40, 80, 140])
      for (const by of ['host', 'event-type']) {
        const drawn = await screen(`--by ${by}`, long, { columns });
        expect(drawn).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]/);
        for (const line of drawn.split('\n')) expect(width(line)).toBeLessThanOrEqual(columns);
      }
  });
});
