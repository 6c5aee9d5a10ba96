import { beforeAll, describe, expect, test } from 'vitest';
import type { Send } from '../../../src/http/message.ts';
import type { TestWorld } from '../../support/run.ts';
import { createWorld, outputs, virtualClock } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';

const world = await createWorld();

interface Event {
  uri: string;
  name: string;
  start_time: string;
  event_type: string;
  _sched?: { invitees: { name: string; email: string }[] };
}

const listOf = async (line: string, more: Parameters<TestWorld['run']>[1] = {}, at = world) => {
  const result = await at.run(`${line} --json`, more);
  expect(result.stderr).not.toContain('"error"');
  return { ...result, events: JSON.parse(result.stdout) as Event[] };
};

const queriesOf = (requests: { url: string }[], path = '/scheduled_events') =>
  requests.map(({ url }) => new URL(url)).filter(({ pathname }) => pathname === path);

/** The same service, but it ignores one parameter. */
const ignoring =
  (parameter: string, at = world): Send =>
  (request) => {
    const url = new URL(request.url);
    if (url.searchParams.has(parameter) && !url.searchParams.has('user'))
      url.searchParams.set('organization', 'http://127.0.0.1:4010/organizations/GHDAK7KT3RW2W9R9');
    url.searchParams.delete(parameter);
    return at.service({ ...request, url: url.toString() });
  };

describe('events list: time window flags', () => {
  // A service of its own, whose clock no rate limit has moved: Sunday 15 November 2026, 19:00 in Paris and 16 November,
  // 03:00 in Tokyo.
  let fresh: TestWorld;
  beforeAll(async () => {
    fresh = await createWorld();
  });
  test.each(
    sample<[string, string | null, string | null]>(
      [
        ['--today', '2026-11-14T23:00:00Z', '2026-11-15T23:00:00Z'],
        ['--tomorrow', '2026-11-15T23:00:00Z', '2026-11-16T23:00:00Z'],
        ['--week', '2026-11-14T23:00:00Z', '2026-11-21T23:00:00Z'],
        ['--upcoming', '2026-11-15T18:00:00Z', null],
        ['--past', null, '2026-11-15T18:00:00Z'],
        ['--today --upcoming', '2026-11-15T18:00:00Z', '2026-11-15T23:00:00Z'],
        ['--week --past', '2026-11-14T23:00:00Z', '2026-11-15T18:00:00Z'],
        ['--upcoming --until 2026-11-20', '2026-11-15T18:00:00Z', '2026-11-20T23:00:00Z'],
        ['--past --since 2026-11-10', '2026-11-09T23:00:00Z', '2026-11-15T18:00:00Z'],
        ['--today --tz Asia/Tokyo', '2026-11-15T15:00:00Z', '2026-11-16T15:00:00Z'],
        ['--week --tz UTC', '2026-11-15T00:00:00Z', '2026-11-22T00:00:00Z'],
      ],
      5,
    ),
  )('%s set the window', async (flags, since, until) => {
    for (const line of ['events list', 'groups events 4UJ8LXFLWJYWQTRF']) {
      const { requests, events } = await listOf(`${line} ${flags}`, {}, fresh);
      const { searchParams } = queriesOf(requests).at(-1)!;
      expect([searchParams.get('min_start_time'), searchParams.get('max_start_time')]).toEqual([since, until]);
      for (const { start_time } of events) {
        if (since !== null) expect(Date.parse(start_time)).toBeGreaterThanOrEqual(Date.parse(since));
        if (until !== null) expect(Date.parse(start_time)).toBeLessThan(Date.parse(until));
      }
    }
  });

  test.each([
    [
      'Atlantic/Azores',
      '2027-10-31T12:00:00Z',
      ['2027-10-30T00:00:00Z', '2027-10-31T00:00:00Z', '2027-11-01T01:00:00Z'],
    ],
    [
      'America/Havana',
      '2027-11-07T17:00:00Z',
      ['2027-11-06T04:00:00Z', '2027-11-07T04:00:00Z', '2027-11-08T05:00:00Z'],
    ],
  ])('a day ends at the first midnight where it comes twice: %s', async (zone, now, [first, midnight, last]) => {
    const windows = [
      ['--since yesterday --until yesterday', [first, midnight]],
      ['--today', [midnight, last]],
    ] as const;
    for (const [flags, window] of windows) {
      const clock = virtualClock(Date.parse(now));
      const { requests } = await world.run(`events list ${flags} --tz ${zone}`, { clock });
      const { searchParams } = queriesOf(requests).at(-1)!;
      expect(['min_start_time', 'max_start_time'].map((name) => searchParams.get(name))).toEqual(window);
    }
  });

  test('a day has 25 hours when daylight saving time ends', async () => {
    const clock = virtualClock(Date.parse('2026-10-25T12:00:00Z'));
    const { requests } = await world.run('events list --today', { clock });
    const { searchParams } = queriesOf(requests).at(-1)!;
    expect(searchParams.get('min_start_time')).toBe('2026-10-24T22:00:00Z');
    expect(searchParams.get('max_start_time')).toBe('2026-10-25T23:00:00Z');
  });

  test('--past lists the latest first, unless --sort is given', async () => {
    const { events } = await listOf('events list --past --limit 5');
    expect(events.map(({ start_time }) => start_time)).toEqual(
      events.map(({ start_time }) => start_time).sort((a, b) => b.localeCompare(a)),
    );
    const { requests } = await listOf('events list --past --sort start_time --limit 5');
    expect(queriesOf(requests)[0]!.searchParams.get('sort')).toBe('start_time');
  });

  test.each(
    sample<[string, string]>(
      [
        ['--today --tomorrow --week', "--today, --tomorrow and --week can't be used together"],
        ['--upcoming --past', "--upcoming and --past can't be used together"],
        ['--tomorrow --past', "--tomorrow and --past can't be used together"],
        ['--today --since monday --until friday', "--today, --since and --until can't be used together"],
        ['--upcoming --since monday', "--upcoming and --since can't be used together"],
      ],
      2,
    ),
  )('%s is refused', async (flags, problem) => {
    const { code, stderr, requests } = await world.run(`events list ${flags} --status done --limit none`);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toContain(problem);
    expect(stderr).toContain('--status must be one of active, canceled, not "done"');
    expect(stderr).toContain('--limit must be a whole number from 1 up, not "none"');
    expect(stderr).not.toContain('try:');
  });
});

describe('events list --event-type', () => {
  test('accepts a name, an ID or a URI, and filters the rows', async () => {
    const all = (await listOf('events list')).events;
    const wanted = all.filter(({ event_type }) => event_type.endsWith('/YBL6DUNR9FS4PNP6'));
    expect(wanted.length).toBeGreaterThan(1);
    for (const word of [
      'Intro call',
      'intro CALL',
      'YBL6DUNR9FS4PNP6',
      'http://127.0.0.1:4010/event_types/YBL6DUNR9FS4PNP6',
    ]) {
      const { events, requests } = await listOf(`events list --event-type "${word}"`);
      expect(events).toEqual(wanted);
      expect(requests.some(({ url }) => url.includes('event_type='))).toBe(false);
    }
  });

  test('reads as many pages as the limit needs', async () => {
    const { events, requests } = await listOf('events list --event-type "Intro call" --limit 2 --page-size 10');
    expect(events.map(({ name }) => name)).toEqual(['Intro call', 'Intro call']);
    expect(queriesOf(requests).every(({ searchParams }) => searchParams.get('count') === '10')).toBe(true);
  });

  test('works if the URIs of the service have another origin', async () => {
    const send: Send = async (request) => {
      const reply = await world.service({
        ...request,
        url: request.url.replace('https%3A%2F%2Fown.example', 'http%3A%2F%2F127.0.0.1%3A4010'),
      });
      return {
        ...reply,
        body: reply.body.replaceAll('http://127.0.0.1:4010/event_types/', 'https://own.example/event_types/'),
      };
    };
    const { events } = await listOf('events list --event-type "Intro call" --limit 1', { send });
    expect(events[0]!.event_type).toBe('https://own.example/event_types/YBL6DUNR9FS4PNP6');
  });

  test('rejects the URI of another service', async () => {
    const { code, stderr } = await world.run(
      'events list --event-type https://evil.example/event_types/YBL6DUNR9FS4PNP6',
    );
    expect([code, stderr.includes('https://evil.example')]).toEqual([2, true]);
  });
});

describe('events list --search', () => {
  test.each(sample(['strategy', 'STRATEGY', 'stratégy', '  lindenallee   12 '], 1))('finds %j', async (text) => {
    const { events } = await listOf(`events list --search "${text}"`);
    expect(events.length).toBeGreaterThan(0);
    expect(new Set(events.map(({ name }) => name))).toEqual(new Set(['Strategy session']));
  });

  test('searches hosts and notes', async () => {
    expect((await listOf('events list --org current --search "lucia romero" --limit 1')).events).toHaveLength(1);
    expect((await listOf('events list --search "figures of last quarter" --limit 1')).events).toHaveLength(1);
    expect((await listOf('events list --search "no such words"')).events).toEqual([]);
  });

  test('says on a terminal how to search people, and nothing of the next event', async () => {
    const screen = async (line: string) => (await world.run(line, { terminals: outputs, columns: 200 })).screen;
    const hints = 'To search people too: --with invitees. Earlier: --past. For everyone: --org current\n';
    expect(await screen('events list --search "no such words"')).toMatch(`No events match. ${hints}`);
    expect(await screen('events list --search workshop')).toMatch(`Showing your events from today on. ${hints}`);
    expect(await screen('events list --search "no such words" --with invitees')).not.toContain('To search people');
  });

  test('rejects blank text', async () => {
    expect(await world.run(['events', 'list', '--search', '  '])).toMatchObject({ code: 2, requests: [] });
  });
});

describe('events list --invitee', () => {
  const line = 'events list --invitee zoe.mueller@lindenbaum.example';

  test('uses the filter of the service after checking that it works', async () => {
    const home = temporaryDirectory('finding');
    const first = await listOf(line, { home });
    expect(first.events.length).toBeGreaterThan(1);
    const [probe, real] = queriesOf(first.requests);
    expect(probe!.searchParams.get('invitee_email')).toMatch(/@sched\.invalid$/);
    expect(real!.searchParams.get('invitee_email')).toBe('zoe.mueller@lindenbaum.example');
    // Another token writes to the cache too, and deletes nothing that is still in use.
    await listOf('events list', { home, env: { SCHED_TOKEN: 'sandbox_user' } });
    const second = await listOf(line, { home });
    expect(queriesOf(second.requests)).toHaveLength(1);
    expect(second.events).toEqual(first.events);
  });

  test.each(['ignores it', 'refuses it'])('reads the invitees of each event if the service %s', async (fault) => {
    const home = temporaryDirectory('finding');
    const blind = ignoring('invitee_email');
    const refusing: Send = async (request) =>
      request.url.includes('invitee_email=')
        ? {
            status: 400,
            headers: {},
            body: '{"title":"Invalid Argument","details":[{"parameter":"invitee_email","message":"is unknown"}]}',
          }
        : world.service(request);
    const send = fault.includes('ignores') ? blind : refusing;
    const right = (await listOf(line)).events;
    const { events, requests, stderr } = await listOf(line, { send, home });
    expect(events).toEqual(right);
    expect(stderr).toContain('sched reads the invitees of each event');
    expect(requests.some(({ url }) => /\/invitees\?email=zoe/.test(url))).toBe(true);
    const again = await listOf(`${line} --limit 1`, { send, home });
    expect(again.events).toEqual(right.slice(0, 1));
    expect(queriesOf(again.requests).every(({ searchParams }) => !searchParams.has('invitee_email'))).toBe(true);
  });

  test('remembers that the filter works only after it has returned rows', async () => {
    const home = temporaryDirectory('finding');
    const nobody = 'events list --invitee nobody@nowhere.example';
    expect((await listOf(nobody, { home })).events).toEqual([]);
    expect(queriesOf((await listOf(nobody, { home })).requests)).toHaveLength(2);
  });
});

describe('events of a group', () => {
  test.each(['groups events "Customer team"', 'events list --group 4UJ8LXFLWJYWQTRF'])(
    '%s needs the group filter',
    async (line) => {
      const { events } = await listOf(`${line} --limit 3`);
      expect(events).toHaveLength(3);
      const { code, stdout, stderr } = await world.run(line, { send: ignoring('group') });
      expect([code, stdout]).toEqual([9, '']);
      expect(stderr).toContain("The service can't filter events by group");
      const isCommand = line.startsWith('groups');
      expect(stderr).toContain(
        `try: sched ${isCommand ? 'groups members 4UJ8LXFLWJYWQTRF' : 'events list --org current'}`,
      );
    },
  );
});

describe('a name instead of an ID', () => {
  test.each([
    ['groups get "Customer team"', '4UJ8LXFLWJYWQTRF'],
    ['groups get "customer TEAM"', '4UJ8LXFLWJYWQTRF'],
    ['event-types get "Intro call"', 'YBL6DUNR9FS4PNP6'],
    ['event-types get Consultation', undefined],
  ])('is accepted by %s', async (line, id) => {
    const { code, stdout } = await world.run(`${line} -o id`);
    expect(code).toBe(0);
    if (id !== undefined) expect(stdout.trim().endsWith(`/${id}`)).toBe(true);
  });

  test.each([
    ['shares create --event-type "Intro call" -n', 'http://127.0.0.1:4010/event_types/YBL6DUNR9FS4PNP6'],
    ['availability list --event-type "Intro call" -n', 'YBL6DUNR9FS4PNP6'],
    ['event-types hosts "Support call" -n', 'K2C8C7DLAMCWKYZ7'],
    ['groups relationships --group "Customer team" -n', '4UJ8LXFLWJYWQTRF'],
    ['availability update "Working hours" --event-type "Intro call" --day-off friday -n', '7XMLWK4XT9XSSFB2'],
  ])('is accepted in %s', async (line, id) => {
    const { code, stdout } = await world.run(line);
    expect([code, stdout.includes(id)]).toEqual([0, true]);
  });

  test('is accepted for routing forms', async () => {
    const [form] = JSON.parse((await world.run('routing-forms list --json=uri,name')).stdout);
    const byName = await world.run(['routing-forms', 'submissions', form.name, '--json']);
    const byId = await world.run(['routing-forms', 'submissions', form.uri, '--json']);
    expect(byName.stdout).toBe(byId.stdout);
  });

  test("is read as an ID if the token can't list the forms", async () => {
    const send: Send = async (request) =>
      new URL(request.url).pathname === '/routing_forms'
        ? { status: 403, headers: {}, body: '{"title":"Permission Denied","message":"No"}' }
        : world.service(request);
    const { code, requests } = await world.run('routing-forms submissions nope', { send });
    expect(code).toBe(6);
    expect(new URL(requests.at(-1)!.url).searchParams.get('form')).toMatch(/\/routing_forms\/nope$/);
  });

  test('is read as an ID if the list has such an ID', async () => {
    const send: Send = async (request) => {
      const { pathname } = new URL(request.url);
      if (!pathname.startsWith('/routing_form')) return world.service(request);
      const form = { uri: 'http://127.0.0.1:4010/routing_forms/intake', name: 'Contact us' };
      const collection = pathname === '/routing_forms' ? [form] : [];
      const pagination = { count: collection.length, next_page: null, next_page_token: null };
      return { status: 200, headers: {}, body: JSON.stringify({ collection, pagination }) };
    };
    const { code, requests } = await world.run('routing-forms submissions intake', { send });
    expect(code).toBe(0);
    expect(new URL(requests.at(-1)!.url).searchParams.get('form')).toMatch(/\/routing_forms\/intake$/);
  });

  test('is rejected if two records have it, and both are listed', async () => {
    const at = await createWorld();
    for (const _ of [1, 2]) await at.run('event-types create --name Twin');
    const { code, stderr } = await at.run('event-types update Twin --duration 20');
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: 2 event types are named "Twin": Twin \([A-Z0-9]+\), Twin \([A-Z0-9]+\)\n/);
    expect(stderr.split('\n')).toHaveLength(3);
  });

  test('prefers an exact match over one in other case', async () => {
    const at = await createWorld();
    await at.run('event-types create --name chat');
    const { stdout } = await at.run('event-types create --name CHAT -o id');
    expect((await at.run('event-types get CHAT -o id')).stdout).toBe(stdout);
    expect((await at.run('event-types get Chat -o id')).code).toBe(2);
  });

  test.each(
    sample<[string, string]>(
      [
        ['event-types get "Into call"', 'No event type with the name "Into call". Did you mean "Intro call"?'],
        ['events list --event-type Nothing', 'No event type with ID or name "Nothing"'],
        ['groups get "Costumer team"', 'No group with the name "Costumer team". Did you mean "Customer team"?'],
        ['routing-forms submissions "No such form"', 'No routing form with the name "No such form"'],
        ['routing-forms submissions nope', 'No routing form with ID or name "nope"'],
        [
          'availability update Night --event-type "Intro call" --day-off friday',
          'No availability schedule with ID or name "Night"',
        ],
      ],
      3,
    ),
  )('exits with 6 if no record has it: %s', async (line, message) => {
    const { code, stdout, stderr } = await world.run(line);
    expect([code, stdout]).toEqual([6, '']);
    expect(stderr).toContain(message);
    expect(stderr).toContain('try: sched ');
  });

  test('does not bypass the check of URIs', async () => {
    for (const word of ['https://evil.example/groups/ABC', 'http://127.0.0.1:4010/users/ABC', ''])
      expect((await world.run(['groups', 'get', word])).code).toBe(2);
  });
});

describe('--with invitees', () => {
  test('adds them in _sched, in the order of the events', async () => {
    const plain = (await listOf('events list --limit 12')).events;
    const { events } = await listOf('events list --limit 12 --with invitees');
    expect(events.map(({ _sched, ...event }) => event)).toEqual(plain);
    for (const { uri, _sched } of events) {
      const { stdout } = await world.run(`invitees list ${uri} --json`);
      expect(_sched).toEqual({ invitees: JSON.parse(stdout) });
    }
  });

  test('reads at most four events at a time, and only those shown', async () => {
    let now = 0;
    let most = 0;
    const send: Send = async (request) => {
      const isOne = request.url.includes('/invitees');
      now += isOne ? 1 : 0;
      most = Math.max(most, now);
      await new Promise((resolve) => setImmediate(resolve));
      const reply = await world.service(request);
      now -= isOne ? 1 : 0;
      return reply;
    };
    const { requests } = await listOf('events list --limit 20 --with invitees', { send });
    expect(requests.filter(({ url }) => url.includes('/invitees'))).toHaveLength(20);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(4);
  });

  test('adds a last column and a selectable field', async () => {
    const { stdout } = await world.run('events list --upcoming --status active --limit 1 --with invitees');
    const plain = await world.run('events list --upcoming --status active --limit 1');
    expect(stdout.startsWith(plain.stdout.trimEnd())).toBe(true);
    expect(stdout.trimEnd().split('\t').length).toBe(plain.stdout.trimEnd().split('\t').length + 1);
    const chosen = await world.run('events list --limit 1 --with invitees --json=name,_sched.invitees.*.email');
    expect(chosen.code).toBe(0);
    expect(Object.keys(JSON.parse(chosen.stdout)[0])).toEqual(['name', '_sched']);
    const table = await world.run('events list --upcoming --limit 3 --with invitees --color never', {
      terminals: outputs,
      columns: 120,
    });
    expect(table.stdout).toMatch(
      /^Your events · Europe\/Paris\nTomorrow, Mon 16 Nov\n {2}09:00–10:00 {2}● Partner interview +\S/,
    );
  });

  test.each(['-o tsv', '-o csv', '-o table --accessible', '-o table --color never'])(
    'marks canceled invitees beside the count of active ones: %s',
    async (format) => {
      const invitees = [
        { uri: 'http://127.0.0.1:4010/scheduled_events/E/invitees/1', name: 'Ada Byron', status: 'canceled' },
        { uri: 'http://127.0.0.1:4010/scheduled_events/E/invitees/2', name: 'Bo Diaz', status: 'active' },
      ];
      const send: Send = async (request) => {
        if (!request.url.includes('/invitees')) return world.service(request);
        return { status: 200, headers: {}, body: JSON.stringify({ collection: invitees, pagination: {} }) };
      };
      const { stdout } = await world.run(`events list --limit 1 --with invitees ${format}`, { send, columns: 200 });
      expect(stdout).toMatch(/Ada Byron \(canceled\), ?Bo Diaz(?! \()/);
    },
  );

  test('works with events get', async () => {
    const uri = (await world.run('events list --upcoming --limit 1 -o id')).stdout.trim();
    const event = JSON.parse((await world.run(`events get ${uri} --with invitees --json`)).stdout) as Event;
    expect(event._sched!.invitees.length).toBeGreaterThan(0);
  });

  test('is the only value of --with', async () => {
    const { code, stderr } = await world.run('events list --with hosts');
    expect([code, stderr.includes('--with must be invitees, not "hosts"')]).toEqual([2, true]);
  });
});
