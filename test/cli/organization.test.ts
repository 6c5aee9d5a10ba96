import { beforeEach, describe, expect, test } from 'vitest';
import type { Send } from '../../src/http/message.ts';
import { createWorld, jsonOf, type Result } from '../support/run.ts';
import { sample } from '../support/tier.ts';

let world: Awaited<ReturnType<typeof createWorld>>;
beforeEach(async () => {
  world = await createWorld();
});

const typeNamed = async (name: string) =>
  jsonOf(await world.run('event-types list --org current --json')).find((type: { name: string }) => type.name === name);

describe('the organization', () => {
  test("is the token's own by default", async () => {
    const own = jsonOf(await world.run('orgs get --json'));
    expect(own.plan).toBe('enterprise');
    expect(jsonOf(await world.run(`org get ${own.uri} --json=uri`))).toEqual({ uri: own.uri });
  });

  test.each(
    sample(
      [
        'members list',
        'invitations list',
        'groups list',
        'groups relationships',
        'routing-forms list',
        'activity list --limit 30',
      ],
      3,
    ),
  )('is the default scope of %s', async (line) => {
    const { requests, code, stdout } = await world.run(`${line} --json`);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).length).toBeGreaterThan(1);
    expect(requests.at(-1)!.url).toContain('organization=');
    expect(requests.at(-1)!.url).not.toContain('user=');
  });

  test('has members that can be named by email address', async () => {
    const { requests } = await world.run('events list --user jonas.weber@northlight.example --limit 1 --json');
    const { searchParams } = new URL(requests.at(-1)!.url);
    expect(searchParams.get('user')).toMatch(/\/users\//);
    expect(searchParams.get('organization')).toMatch(/\/organizations\//);
    expect((await world.run('events list --user nobody@northlight.example')).code).toBe(6);
  });

  test.each(['me', 'Amara.Lindqvist@northlight.example'])(
    'lists group relationships of the owner %s',
    async (owner) => {
      const [member] = jsonOf(await world.run('members list --user me --json'));
      const relationships = jsonOf(await world.run(`groups relationships --owner ${owner} --json`));
      expect(relationships.length).toBeGreaterThan(0);
      expect(relationships).toEqual(jsonOf(await world.run(`groups relationships --owner ${member.uri} --json`)));
      expect((await world.run('groups relationships --owner nobody@northlight.example')).code).toBe(6);
    },
  );

  test('lists the events of a group', async () => {
    const [group] = jsonOf(await world.run('groups list --json=uri'));
    const events = jsonOf(await world.run(`groups events ${group.uri} --json=uri`));
    expect(events.length).toBeGreaterThan(0);
    expect((await world.run('groups events')).code).toBe(2);
  });

  test('lists the form submissions of one form, and of all', async () => {
    const forms = jsonOf(await world.run('routing-forms list --json=uri'));
    let sum = 0;
    for (const { uri } of forms) sum += jsonOf(await world.run(`routing-forms submissions ${uri} --json=uri`)).length;
    expect(sum).toBeGreaterThan(10);
    expect(jsonOf(await world.run('routing-forms submissions --json=uri --page-size 7'))).toHaveLength(sum);
    expect(jsonOf(await world.run('routing-forms submissions --json=uri --limit 5'))).toHaveLength(5);
    expect(await world.run('routing-forms submissions --sort name')).toMatchObject({ code: 2, requests: [] });
  });
});

describe('event types', () => {
  test('are created for the current user and updated, sending only the given fields', async () => {
    const created = await world.run('event-types create --name "Design review" --duration 45 --json');
    const { user } = { user: jsonOf(await world.run('users me --json=uri')).uri };
    expect(JSON.parse(created.requests.at(-1)!.body!)).toEqual({ name: 'Design review', duration: 45, owner: user });
    const { uri } = jsonOf(created);
    const changed = await world.run(`event-types update ${uri} --no-active --description Short --json`);
    expect(JSON.parse(changed.requests.at(-1)!.body!)).toEqual({ active: false, description_plain: 'Short' });
    expect(jsonOf(changed)).toMatchObject({ active: false, description_plain: 'Short', duration: 45 });
  });

  test('reject an empty update, an invalid color and an invalid duration', async () => {
    const { uri } = await typeNamed('Intro call');
    expect(await world.run(`event-types update ${uri}`)).toMatchObject({ code: 2, requests: [] });
    const wrong = await world.run(`event-types update ${uri} --event-color red --duration long`);
    expect(wrong).toMatchObject({ code: 2, requests: [] });
    expect(wrong.stderr).toContain('six hex digits');
    expect(wrong.stderr).toContain('--duration');
  });

  test.each([
    ['event-types update YBL6DUNR9FS4PNP6', ['0', '721']],
    ['event-types create --name Long', ['-5', '99999']],
    ['one-offs create --name Long --days 3', ['721']],
  ])('let the service judge a duration: %s', async (line, durations) => {
    for (const duration of durations) {
      const { code, stderr, requests } = await world.run(`${line} --duration=${duration}`);
      expect([code, JSON.parse(requests.at(-1)!.body!).duration]).toEqual([2, Number(duration)]);
      expect(stderr).toContain('duration: must be a whole number from 1 to 720');
    }
  });

  test('list their hosts', async () => {
    const { uri } = await typeNamed('Partner interview');
    expect(jsonOf(await world.run(`event-types hosts ${uri} --json`)).length).toBeGreaterThan(1);
  });
});

describe('availability update', () => {
  const schedule = async () => {
    const type = await typeNamed('Intro call');
    const [first] = jsonOf(await world.run(`availability list --event-type ${type.uri} --json`));
    return { type: type.uri as string, ...first };
  };

  test('adds a day off and keeps the other rules', async () => {
    const before = await schedule();
    const { code, stdout, stderr } = await world.run(
      `availability update ${before.uri} --event-type ${before.type} --day-off 2027-12-24 --yes --json`,
    );
    expect(code).toBe(0);
    expect(stderr).toContain('Fri 24 Dec 2027: 09:00–12:30, 13:00–17:00 → off');
    expect(JSON.parse(stdout).rules).toEqual([...before.rules, { type: 'date', date: '2027-12-24', intervals: [] }]);
  });

  test('says that a weekday is taken off every week', async () => {
    const { uri, type } = await schedule();
    const { stderr } = await world.run(`availability update ${uri} --event-type ${type} --day-off friday --dry-run`);
    expect(stderr).toContain('every Friday: 09:00–12:30, 13:00–17:00 → off');
  });

  test.each([
    ['', 'Tue 17 Nov'],
    ['--timezone America/Los_Angeles', 'Mon 16 Nov'],
  ])("reads tomorrow in the schedule's time zone, not in the user's: %s", async (flags, date) => {
    const { uri, type, timezone } = await schedule();
    expect(timezone).toBe('Europe/Berlin');
    // After midnight in Berlin, but not in New York.
    const late = await createWorld({ start: Date.parse('2026-11-15T23:30:00Z') });
    const line = `availability update ${uri} --event-type ${type} --day-off tomorrow ${flags} --tz America/New_York`;
    const { code, stderr } = await late.run(`${line} --dry-run`);
    expect(code).toBe(0);
    expect(stderr).toContain(`${date}: 09:00–12:30, 13:00–17:00 → off`);
  });

  test('takes off each date of a range, and removes their rules again', async () => {
    const { uri, type, rules } = await schedule();
    const line = `availability update ${uri} --event-type ${type} --yes --json`;
    const off = jsonOf(await world.run(`${line} --day-off 2027-12-24..2027-12-26`)).rules.slice(rules.length);
    expect(off.map(({ date }: { date: string }) => date)).toEqual(['2027-12-24', '2027-12-25', '2027-12-26']);
    expect(jsonOf(await world.run(`${line} --remove 2027-12-24..2027-12-26`)).rules).toEqual(rules);
  });

  test('rejects a date that is also in a range', async () => {
    const flags = '--day-off 2027-12-24..2027-12-26 --remove 2027-12-25';
    const { code, stderr } = await world.run(`availability update S --event-type T ${flags}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining('2027-12-25 is given twice')]);
  });

  test('asks for confirmation, and reports if there is nothing to change', async () => {
    const before = await schedule();
    const line = `availability update ${before.uri} --event-type ${before.type} --day-off 2027-12-24`;
    expect((await world.run(line)).code).toBe(12);
    expect((await world.run(`${line} --yes`)).code).toBe(0);
    const again = await world.run(`${line} --json`);
    expect(jsonOf(again)._sched).toEqual({ already: true });
  });

  test('with --dry-run shows the whole difference before the request', async () => {
    const { uri, type } = await schedule();
    const { stdout, stderr, screen } = await world.run(
      `availability update ${uri} --event-type ${type} --day-off fri --day-off sat --dry-run`,
    );
    expect(stderr).toBe('every Friday: 09:00–12:30, 13:00–17:00 → off\nevery Saturday: no hours → off\n');
    expect(screen).toBe(stderr + stdout);
  });

  test('replaces all rules with --replace', async () => {
    const before = await schedule();
    const { requests } = await world.run([
      'availability',
      'update',
      before.uri,
      '--event-type',
      before.type,
      '--replace',
      '--rule',
      'monday 09:00-12:00,13:00-17:00',
      '--yes',
    ]);
    expect(JSON.parse(requests.findLast(({ method }) => method === 'PATCH')!.body!)).toEqual({
      rules: [
        {
          type: 'wday',
          wday: 'monday',
          intervals: [
            { from: '09:00', to: '12:00' },
            { from: '13:00', to: '17:00' },
          ],
        },
      ],
    });
  });

  test('reports all problems together, and sends nothing', async () => {
    const wrong = await world.run(
      'availability update S --rule "mnoday 09:00-10:00" --day-off 2026-02-30 --timezone CET',
    );
    expect(wrong).toMatchObject({ code: 2, requests: [] });
    for (const part of [
      'Did you mean monday?',
      '"2026-02-30" is not a day',
      'CET',
      'Missing required flag --event-type',
    ]) {
      expect(wrong.stderr).toContain(part);
    }
  });
});

describe('shares create', () => {
  test('creates a link', async () => {
    const { uri } = await typeNamed('Intro call');
    const share = jsonOf(await world.run(`shares create --event-type ${uri} --name "For Ada" --json`));
    expect(share.scheduling_links[0].booking_url).toMatch(/^http:\/\/127\.0\.0\.1:4010\/d\//);
  });

  test('keeps the time zone of the hours, from a flag or from a body', async () => {
    const { uri } = await typeNamed('Intro call');
    const line = `shares create --event-type ${uri} --rule "monday 09:00-12:00"`;
    const monday = { type: 'wday', wday: 'monday', intervals: [{ from: '09:00', to: '12:00' }] };
    for (const [more, stdin] of [
      ['--timezone Asia/Tokyo', ''],
      ['--body -', '{"availability_rule":{"rules":[],"timezone":"Asia/Tokyo"}}'],
    ] as const) {
      const { code, requests } = await world.run(`${line} ${more}`, { stdin });
      expect(code).toBe(0);
      expect(JSON.parse(requests.at(-1)!.body!).availability_rule).toEqual({ rules: [monday], timezone: 'Asia/Tokyo' });
    }
  });

  test.each(
    sample<[string, string]>(
      [
        [
          '--duration-option 15 --duration-option 30 --duration-option 45 --duration-option 60 --duration-option 90',
          '--duration-option must have at most 4 values',
        ],
        ['--duration-option 15 --duration-option 15', '--duration-option must not repeat a value'],
        ['--duration-option 15 --duration 30', 'must be one of the duration options'],
        ['--duration-option 721', '--duration-option'],
      ],
      2,
    ),
  )('rejects %s before anything is sent', async (flags, expected) => {
    const { uri } = await typeNamed('Intro call');
    const { code, stderr, requests } = await world.run(`shares create --event-type ${uri} ${flags}`);
    expect(code).toBe(2);
    expect(stderr).toContain(expected);
    expect(requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('reports all problems together, and sends no request', async () => {
    const { code, stderr, requests } = await world.run(
      'shares create --duration x --rule "mon 9-12" --location Berlin',
    );
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    for (const part of ['flag --event-type', '--duration must be', '--rule "9-12"', '--location needs --location-kind'])
      expect(stderr).toContain(part);
  });

  test('lets the service check the durations of the event type, because its record does not show them', async () => {
    const { uri } = await typeNamed('Consultation');
    const share = `shares create --event-type ${uri} --duration`;
    expect(jsonOf(await world.run(`${share} 45 --json`)).share_override).toEqual({ duration: 45 });
    const { code, stderr, requests } = await world.run(`${share} 44`);
    expect(code).toBe(2);
    expect(stderr).toContain('duration options: 30, 15, 45, 60');
    expect(requests.filter(({ url }) => url.includes('/event_types/'))).toEqual([]);
  });
});

describe('a created link in a reply of another shape', () => {
  const answering =
    (path: string, body: unknown): Send =>
    async (request) =>
      request.method === 'POST' && request.url.endsWith(path)
        ? { status: 201, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
        : world.service(request);
  const link = 'https://book.example/abc';

  test.each([
    [{ booking_url: link }, { booking_url: link, _sched: { source: 'reply' } }],
    [{ resource: { url: link } }, { url: link }],
    [link, { _sched: { source: 'reply', reply: link } }],
    [{}, { event_type: expect.any(String), _sched: { source: 'request' } }],
  ])('shares create shows %j', async (reply, shown) => {
    const send = answering('/shares', reply);
    const made = await world.run('shares create --event-type "Intro call" --json', { send });
    expect([made.code, jsonOf(made)]).toEqual([0, shown]);
    if (JSON.stringify(reply) === '{}') return;
    const { screen } = await world.run('shares create --event-type "Intro call"', { send, terminals: ['stdout'] });
    expect(screen).toContain(link);
  });

  test('shares create -o id has the link in its error if the reply has no known field for it', async () => {
    const send = answering('/shares', { booking_url: link });
    const { code, stderr } = await world.run('shares create --event-type "Intro call" -o id', { send });
    expect([code, stderr]).toEqual([13, expect.stringContaining(link)]);
    expect(stderr).not.toContain('try:');
  });

  test('one-offs create shows what came if the event type that it finds is another one', async () => {
    const line = 'one-offs create --name Planning --duration 45 --days 7 --json';
    const send = answering('/one_off_event_types', { resource: { name: 'Planning', scheduling_url: link } });
    const alone = await world.run(line, { send });
    expect(jsonOf(alone)).toEqual({ name: 'Planning', scheduling_url: link, _sched: { source: 'reply' } });
    expect(alone.stderr).toContain(`created: Planning, ${link}`);
    await world.run(line);
    expect(jsonOf(await world.run(line, { send }))).toMatchObject({
      scheduling_url: link,
      _sched: { source: 'reply' },
    });
    const nameless = await world.run(line, { send: answering('/one_off_event_types', { resource: { link } }) });
    expect(jsonOf(nameless)).toMatchObject({ link, uri: expect.any(String), _sched: { source: 'read' } });
  });
});

describe('invitations list', () => {
  test('shows the fields that came if they are those of the documentation', async () => {
    const item = {
      uri: 'http://127.0.0.1:4010/organization_invitations/I1',
      name: 'Acme',
      kind: 'individual',
      plan: 'pro',
    };
    const body = JSON.stringify({ collection: [{ ...item, created_at: '2026-11-01T09:00:00Z' }], pagination: {} });
    const send: Send = async (request) =>
      request.url.includes('/organization_invitations') ? { status: 200, headers: {}, body } : world.service(request);
    const { screen } = await world.run('invitations list', { send, terminals: ['stdout'], columns: 120 });
    expect(screen).toBe(
      'Invitations\nNAME  KIND        PLAN  CREATED AT (Europe/Paris)  ID\nAcme  individual  pro   Sun 1 Nov 10:00            I1\n',
    );
  });
});

describe('one-offs create', () => {
  test('creates a link for the current user and a co-host', async () => {
    const created = await world.run(
      'one-offs create --name Planning --duration 45 --days 7 --weekdays-only --co-host jonas.weber@northlight.example --json',
    );
    expect(jsonOf(created).type).toBe('AdhocEventType');
    expect(JSON.parse(created.requests.at(-1)!.body!)).toMatchObject({
      date_setting: { type: 'days_in_future', days: 7, only_weekdays: true },
      co_hosts: [expect.stringContaining('/users/')],
    });
  });

  test.each([
    ['--host me --host jonas.weber@northlight.example', 1],
    ['--host me --host jonas.weber@northlight.example --co-host lucia.romero@northlight.example', 2],
    ['--host me', 0],
  ])('takes the first host as the host and the others as co-hosts: %s', async (hosts, others) => {
    const line = `one-offs create --name Planning --duration 45 --days 7 ${hosts} --dry-run`;
    const { host, co_hosts: coHosts = [] } = jsonOf(await world.run(line)).body;
    expect(host).toContain('/users/');
    expect(coHosts).toHaveLength(others);
    expect(new Set([host, ...coHosts]).size).toBe(others + 1);
  });

  test('rejects an eleventh host before anything is sent', async () => {
    const coHosts = Array.from({ length: 10 }, (_, index) => `--co-host http://127.0.0.1:4010/users/U${index}`).join(
      ' ',
    );
    const { code, stderr, requests } = await world.run(`one-offs create --name P --duration 45 --days 7 ${coHosts}`);
    expect(code).toBe(2);
    expect(stderr).toContain('at most 10 hosts');
    expect(requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('shows how it read a time, because the reply does not', async () => {
    const words = [
      '--name',
      'P',
      '--duration',
      '30',
      '--tz',
      'Asia/Tokyo',
      '--spot',
      '2027-01-04 10:00/2027-01-04 11:00',
    ];
    for (const more of [['--dry-run'], []]) {
      const { stderr } = await world.run(['one-offs', 'create', ...words, ...more]);
      expect(stderr).toContain(
        'Bookable: Mon 4 Jan 2027 10:00 Asia/Tokyo (01:00 UTC) to Mon 4 Jan 2027 11:00 Asia/Tokyo (02:00 UTC)\n',
      );
    }
  });

  test.each([
    ['--days 7 --spot 2027-01-04T10:00:00Z/2027-01-04T11:00:00Z', "can't be used together"],
    ['--start-date 2027-01-05', 'Missing required flag --end-date'],
    ['--start-date 2027-01-05 --end-date 2027-01-04', '--end-date 2027-01-04 is before --start-date 2027-01-05'],
    [
      '--start-date tomorrow --end-date 2027-02-30',
      '--start-date must be a date such as 2026-12-01, not "tomorrow"; --end-date must be a date',
    ],
    ['--spot 2027-01-04T10:00:00Z/2027-01-04T10:00:00Z', '10:00:00Z" must end after it starts'],
    ['--spot 2027-01-04T10:00:00Z', '--spot must be START/END'],
    ['', 'Missing required flag --days, --start-date with --end-date, or --spot'],
  ])('rejects the dates "%s"', async (flags, expected) => {
    const { code, stderr, requests } = await world.run(`one-offs create --name P --duration 45 ${flags}`);
    expect(code).toBe(2);
    expect(stderr).toContain(expected);
    expect(requests).toEqual([]);
  });
});

describe('mcp metadata', () => {
  const env = { SCHED_MCP_URL: 'http://127.0.0.1:4010' };

  test('is requested without a token', async () => {
    const { code, stdout, requests } = await world.run('mcp metadata --json', { env });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).resource).toBe('http://127.0.0.1:4010');
    expect(requests).toHaveLength(1);
    expect(Object.keys(requests[0]!.headers)).not.toContain('authorization');
  });

  describe('of a server with a path', () => {
    const at = { SCHED_MCP_URL: 'http://127.0.0.1:4010/v1/mcp/' };
    const [own, host] = ['/.well-known/oauth-protected-resource/v1/mcp', '/.well-known/oauth-protected-resource'];
    /** A server with these documents, and a page for every other path. */
    const serving =
      (documents: Record<string, string>, status = 404): Send =>
      async ({ url }) => {
        const resource = documents[new URL(url).pathname];
        return resource === undefined
          ? { status, headers: { 'content-type': 'text/html' }, body: '<p>no</p>' }
          : { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ resource }) };
      };
    /** Without repetitions: a page instead of JSON is asked for again. */
    const paths = ({ requests }: Result) => [...new Set(requests.map(({ url }) => new URL(url).pathname))];
    const root = 'http://127.0.0.1:4010';

    test('comes after the path of the metadata', async () => {
      const found = await world.run('mcp metadata', { env: at, send: serving({ [own]: `${root}/v1/mcp` }) });
      expect([found.code, paths(found)]).toEqual([0, [own]]);
      const planned = await world.run('mcp metadata --dry-run', { env: at });
      expect(JSON.parse(planned.stdout).url).toBe(`${root}${own}`);
    });

    test.each([
      [404, root],
      [200, `${root}/v1/mcp`],
    ])('falls back to the metadata of its host after a page with status %i', async (status, resource) => {
      const found = await world.run('mcp metadata', { env: at, send: serving({ [host]: resource }, status) });
      expect([found.code, paths(found)]).toEqual([0, [own, host]]);
    });

    test('must describe it, and is not replaced by that of the host if it may exist', async () => {
      const other = await world.run('mcp metadata', { env: at, send: serving({ [own]: root, [host]: root }) });
      expect([other.code, paths(other)]).toEqual([13, [own]]);
      const away = await world.run('mcp metadata', { env: at, send: serving({ [host]: root }, 501) });
      expect([away.code, paths(away)]).toEqual([9, [own]]);
    });
  });

  test('must describe the requested resource', async () => {
    const send = async () => ({ status: 200, headers: {}, body: '{"resource":"https://other.example"}' });
    expect((await world.run('mcp metadata', { env, send })).code).toBe(13);
  });

  test('needs the URL of the MCP server', async () => {
    expect((await world.run('mcp metadata')).code).toBe(3);
  });
});
