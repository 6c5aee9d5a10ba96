import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Send } from '../../../src/http/message.ts';
import { plainType } from '../../support/lost-replies.ts';
import { createWorld, terminals } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';

let world: Awaited<ReturnType<typeof createWorld>>;
let eventType: string;
beforeAll(async () => {
  // All worlds begin with the same records.
  eventType = await plainType(await createWorld());
});
beforeEach(async () => {
  world = await createWorld({ env: { SCHED_STATE_DIR: temporaryDirectory('invitees') } });
});

/** A Monday after all seeded events. */
const start = '2027-02-01T10:00:00Z';
const booking = (more = '') =>
  `invitee create --event-type ${eventType} --start ${start} --email ada@engine.example --name "Ada Byron" --timezone Europe/Paris ${more}`;

describe('invitees create', () => {
  test('books, and later commands see the booking', async () => {
    const { code, stdout, stderr } = await world.run(booking('--json'));
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: '{"note":"booked: Mon 1 Feb 2027 11:00 Europe/Paris (10:00 UTC) for ada@engine.example"}\n',
    });
    const invitee = JSON.parse(stdout);
    const events = JSON.parse((await world.run('events list --since 2027-02-01 --until 2027-02-01 --json')).stdout);
    expect(events.map((event: { uri: string }) => event.uri)).toEqual([invitee.event]);
    const listed = JSON.parse((await world.run(`invitees list ${invitee.event} --json`)).stdout);
    expect(listed).toEqual([invitee]);
    const got = await world.run(`invitees get ${invitee.uri} --json`);
    expect(JSON.parse(got.stdout)).toEqual(invitee);
  });

  test.each(sample(['a&b/{c}=d!@x.example', 'ünal@bücher.example', '"john doe"@x.example', 'a@[IPv6:2001:db8::1]'], 2))(
    'books for %s and finds the invitee by it afterwards',
    async (email) => {
      const words = (line: string) => [...line.split(' '), email];
      const line = `invitee create --event-type ${eventType} --start ${start} --name Ada --timezone UTC --json --email`;
      const booked = await world.run(words(line));
      expect(booked.code).toBe(0);
      const { event, email: kept } = JSON.parse(booked.stdout);
      expect(kept).toBe(email);
      const events = await world.run(words('events list --json=uri --invitee'));
      expect(JSON.parse(events.stdout)).toEqual([{ uri: event }]);
      const found = await world.run(words(`invitees list ${event} --json=email --email`));
      expect(JSON.parse(found.stdout)).toEqual([{ email }]);
      const member = await world.run(words('events list --user'));
      expect(member.stderr).toContain('No member with the email address');
    },
  );

  test('exits with 7 if the slot is taken', async () => {
    expect((await world.run(booking())).code).toBe(0);
    const second = await world.run(booking().replace('ada@', 'bob@'));
    expect(second.code).toBe(7);
  });

  test('exits with 7 if the time is not offered, because a service may say so of a taken slot', async () => {
    const { code, stderr } = await world.run(booking().replace(start, start.replace('T10', 'T20')));
    expect(code).toBe(7);
    expect(stderr).toContain('outside the availability');
  });

  test('sends only what was typed', async () => {
    const { requests } = await world.run(booking('--utm-source news --location-kind custom --location "Room 5"'));
    expect(JSON.parse(requests.at(-1)!.body!)).toEqual({
      event_type: eventType,
      start_time: start,
      invitee: { email: 'ada@engine.example', name: 'Ada Byron', timezone: 'Europe/Paris' },
      location: { kind: 'custom', location: 'Room 5' },
      tracking: { utm_source: 'news' },
    });
  });

  test('reports all problems together, and sends nothing', async () => {
    const { code, stderr, requests } = await world.run(
      'invitees create --start 2026-02-30T10:00:00Z --email nobody --location-kind zom_conference --timezone Europe/Pari --nmae x',
    );
    expect(code).toBe(2);
    expect(requests).toEqual([]);
    for (const part of [
      'Unknown flag --nmae. Did you mean --name?',
      'Missing required flag --event-type',
      '--email must be an email address, not "nobody"',
      'Did you mean zoom_conference?',
      'Europe/Paris',
      'February',
    ]) {
      expect(stderr).toContain(part);
    }
    expect(stderr).toContain(
      'try: sched invitees create --start TIME --email EMAIL --location-kind zoom_conference --timezone Europe/Paris --name x --event-type NAME\n',
    );
  });

  test('requires a name or a first name', async () => {
    const line = `invitees create --event-type ${eventType} --start ${start} --email a@b.example`;
    const { code, stderr, requests } = await world.run(line);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    // Both are reported at once, so that the user doesn't fix one and then meet the other.
    expect(stderr).toMatch(/Missing required flags --name or --first-name, --timezone/);
    const body = JSON.stringify({ invitee: { timezone: 'UTC' } });
    const fromFile = await world.run(`${line} --body -`, { stdin: body });
    expect(fromFile.stderr).toContain('--name: name or first_name is required');
  });

  test("shows both readings of a time that is another one in the invitee's time zone, unless --tz or SCHED_TZ settles it", async () => {
    const line = `invitees create --event-type ${eventType} --start "2027-02-01 10:00" --email a@b.example --name A --timezone Asia/Tokyo`;
    const { code, stderr, requests } = await world.run(line, { terminals });
    expect([code, requests]).toEqual([2, []]);
    expect(stderr).toMatch(/2027-02-01T10:00:00\+01:00\s+or\s+2027-02-01T10:00:00\+09:00/);
    const given = [
      await world.run(`${line} --dry-run --tz America/New_York`),
      await world.run(`${line} --dry-run`, { env: { SCHED_TZ: 'America/New_York' } }),
    ];
    for (const { stdout } of given) expect(JSON.parse(stdout).body.start_time).toBe('2027-02-01T15:00:00Z');
  });

  test('says that answers cannot be read back if the service shows none', async () => {
    const line = (email: string) =>
      `invitees create --event-type Consultation --first-free --email ${email} --name A --timezone UTC --json`;
    const answer = " --answer 'What would you like to talk about?=Tea'";
    const send: Send = async (request) => {
      const reply = await world.service(request);
      return { ...reply, body: reply.body.replaceAll(/,"questions_and_answers":\[.*?\]/g, '') };
    };
    const shown = await world.run(line('a@b.example') + answer);
    expect(JSON.parse(shown.stdout).questions_and_answers).toMatchObject([{ answer: 'Tea' }]);
    const hidden = await world.run(line('b@b.example') + answer, { send });
    const words = "can't be read back";
    expect([hidden.code, shown.stderr.includes(words), hidden.stderr.includes(words)]).toEqual([0, false, true]);
  });

  test('reads the body from stdin, and flags override its fields', async () => {
    const body = {
      event_type: eventType,
      start_time: start,
      invitee: { email: 'a@b.example', name: 'A', timezone: 'UTC' },
    };
    const { code, stdout } = await world.run('invitees create --body - --email c@d.example -n', {
      stdin: JSON.stringify(body),
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).body.invitee).toEqual({ email: 'c@d.example', name: 'A', timezone: 'UTC' });
  });

  test('reports line and column if the body is not JSON', async () => {
    const { code, stderr, requests } = await world.run('invitees create --body -', {
      stdin: '{\n  "a": 1,\n  "b" 2\n}',
    });
    expect(code).toBe(2);
    expect(requests).toEqual([]);
    expect(stderr).toContain('stdin is not valid JSON: expected ":" at line 3, column 7');
  });

  test('rejects an answer that matches no question', async () => {
    const { stdout } = await world.run('event-types list --json');
    const asking = JSON.parse(stdout).find((type: { custom_questions: unknown[] }) => type.custom_questions.length > 0);
    const line = `invitees create --event-type ${asking.uri} --start ${start} --email a@b.example --name A --timezone UTC`;
    const wrong = await world.run([...line.split(' '), '--answer', 'Favorite color=blue']);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('matches no question of this event type');
    const right = await world.run([...line.split(' '), '--answer', `${asking.custom_questions[0].name}=Yes`, '-n']);
    expect(JSON.parse(right.stdout).body.custom_questions).toEqual([
      { question: asking.custom_questions[0].name, answer: 'Yes', position: asking.custom_questions[0].position },
    ]);
  });
});

describe('invitees no-show', () => {
  const someone = async () => {
    const [event] = JSON.parse(
      (await world.run('events list --status active --until today --limit 1 --json=uri')).stdout,
    );
    return JSON.parse((await world.run(`invitees list ${event.uri} --json=uri --status active`)).stdout)[0]
      .uri as string;
  };

  test('accepts the full URI, and says "already" the second time', async () => {
    const uri = await someone();
    const first = await world.run(`invitees no-show ${uri} --json`);
    expect(first.code).toBe(0);
    expect(JSON.parse(first.stdout).no_show).toMatchObject({ uri: expect.stringMatching(/\/invitee_no_shows\/\w+$/) });
    const second = await world.run(`invitees no-show ${uri} --json`);
    expect(second.code).toBe(0);
    expect(JSON.parse(second.stdout)._sched).toEqual({ already: true });
  });

  test('reads the invitee after a 403', async () => {
    const uri = await someone();
    const send: Send = async (request) =>
      request.method === 'POST' ? { status: 403, headers: {}, body: '{}' } : world.service(request);
    expect((await world.run(`invitees no-show ${uri}`, { send })).code).toBe(5);
    await world.run(`invitees no-show ${uri}`);
    const second = await world.run(`invitees no-show ${uri} --json`, { send });
    expect(JSON.parse(second.stdout)._sched).toEqual({ already: true });
  });

  const idsOf = (uri: string) => uri.split('/').slice(-3) as [string, string, string];

  test('accepts two IDs', async () => {
    const [event, , invitee] = idsOf(await someone());
    expect((await world.run(`invitees no-show ${event} ${invitee}`)).code).toBe(0);
  });

  test('accepts a bare invitee ID, and says "already" the second time', async () => {
    const [, , invitee] = idsOf(await someone());
    expect((await world.run(`invitees no-show ${invitee}`)).code).toBe(0);
    const second = await world.run(`invitees no-show ${invitee} --json`);
    expect([second.code, JSON.parse(second.stdout)]).toEqual([0, { _sched: { already: true } }]);
    expect(second.stderr).toContain(`already marked as no-show: ${invitee}`);
  });

  test('accepts a URI without the event, as some services write it, alone and after the event', async () => {
    const [event, , invitee] = idsOf(await someone());
    const flat = `http://127.0.0.1:4010/invitees/${invitee}`;
    const { code, requests } = await world.run(`invitees no-show ${flat}`);
    expect([code, requests.map(({ method, url }) => [method, new URL(url).pathname])]).toEqual([
      0,
      [['POST', `/invitees/${invitee}/no_show`]],
    ]);
    expect((await world.run(`invitees get ${event} ${flat}`)).code).toBe(0);
    expect((await world.run(`invitees no-show http://elsewhere.example/invitees/${invitee}`)).code).toBe(2);
    expect((await world.run(`invitees no-show ${flat.replace('/invitees/', '/users/')}`)).code).toBe(2);
  });

  test('says "already" to a service that refuses a second no-show with 403', async () => {
    const uri = await someone();
    await world.run(`invitees no-show ${uri}`);
    const send: typeof world.service = async (request) =>
      request.method === 'POST' ? { status: 403, headers: {}, body: '{}' } : world.service(request);
    const { code, stdout } = await world.run(`invitees no-show ${uri} --json`, { send });
    expect([code, JSON.parse(stdout)._sched]).toEqual([0, { already: true }]);
    const bare = await world.run(`invitees no-show ${idsOf(uri)[2]}`, { send });
    expect(bare.code).toBe(5);
  });

  test("takes an event's only invitee in a script too, also for --undo", async () => {
    const past = JSON.parse((await world.run('events list --until today --status active --json')).stdout);
    const isAlone = ({ invitees_counter: { active, total } }: { invitees_counter: Record<string, number> }) =>
      active === 1 && total === 1;
    const { uri } = past.find(isAlone);
    const event = uri.split('/').at(-1);
    const marks = async () => JSON.parse((await world.run(`invitees list ${event} --json=no_show`)).stdout);
    await world.run(`invitees no-show ${event} --undo --yes`);
    expect((await world.run(`invitees no-show ${event} --undo --yes`)).stderr).toContain('not marked as no-show: ');
    expect((await world.run(`invitees no-show ${event}`)).code).toBe(0);
    expect(await marks()).toEqual([{ no_show: expect.anything() }]);
    expect((await world.run(`invitees no-show ${event} --undo --yes`)).code).toBe(0);
    expect(await marks()).toEqual([{ no_show: null }]);
    expect((await world.run(`invitees no-show ${uri} --yes`)).code).toBe(0);
    expect((await world.run(`invitees no-show ${uri} --undo --yes`)).code).toBe(0);
  });

  test('needs the invitee of an event with several, or with none who is active', async () => {
    const several = JSON.parse((await world.run('events list --until today --status active --json')).stdout).find(
      ({ invitees_counter: count }: { invitees_counter: { active: number } }) => count.active > 1,
    );
    const canceled = JSON.parse(
      (await world.run('events list --until today --status canceled --limit 1 --json')).stdout,
    )[0];
    for (const [{ uri }, why] of [
      [several, /has \d+ invitees to choose from/],
      [canceled, /has no active invitee/],
    ] as const)
      for (const flags of ['', ' --undo --yes']) {
        const id = uri.split('/').at(-1);
        const { code, stderr, requests } = await world.run(`invitees no-show ${id}${flags}`);
        expect([code, requests.every(({ method }) => method === 'GET')]).toEqual([2, true]);
        expect(stderr).toMatch(why);
        expect(stderr).toContain(`try: sched invitees list ${id}`);
      }
  });

  test('says that --undo needs the event before the ID of an invitee', async () => {
    const [event, , invitee] = idsOf(await someone());
    const { code, stderr, requests } = await world.run(`invitees no-show ${invitee} --undo --yes`);
    expect([code, requests.every(({ method }) => method === 'GET')]).toEqual([6, true]);
    expect(stderr).toContain('if this is the ID of an invitee, --undo needs the event before it');
    expect(stderr).toContain(`try: sched invitees no-show EVENT ${invitee} --undo --yes\n`);
    const uri = `${new URL(requests[0]!.url).origin}/scheduled_events/${invitee}`;
    expect((await world.run(`invitees no-show ${uri} --undo`)).stderr).not.toContain('invitee, --undo');
    expect((await world.run(`invitees no-show ${event} ${invitee} --undo --yes`)).code).toBe(0);
  });

  test('sends nothing if it cannot find out whether a single ID is an event', async () => {
    const send: typeof world.service = async () => ({ status: 503, headers: {}, body: '' });
    const { code, requests } = await world.run('invitees no-show ANY_ID', { send });
    expect(code).toBe(9);
    expect(requests.every(({ method }) => method === 'GET')).toBe(true);
  });

  test.each([
    ['the event', 'events list --status canceled --until today --limit 1 -o id', '', 'was canceled'],
    [
      'the invitee of an active event',
      'events list --status active --until today -o id',
      ' --status canceled',
      'was canceled by this invitee',
    ],
  ])('asks before it marks somebody if %s was canceled', async (_, list, flags, why) => {
    const ids = (await world.run(list)).stdout.trim().split('\n');
    const found = await Promise.all(
      ids
        .slice(0, 40)
        .map(async (id) => (await world.run(`invitees list ${id}${flags} --limit 1 -o id`)).stdout.trim()),
    );
    const uri = found.find((each) => each !== '')!;
    const refused = await world.run(`invitees no-show ${uri}`);
    expect([refused.code, refused.requests.some(({ method }) => method === 'POST')]).toEqual([12, false]);
    expect(refused.stderr).toContain(`which ${why}, but there is no terminal`);
    const asked = await world.run(`invitees no-show ${uri}`, { terminals, stdin: 'n\n' });
    expect([asked.code, asked.stderr]).toEqual([12, expect.stringContaining(why)]);
    expect((await world.run(`invitees no-show ${uri} --yes`)).code).toBe(0);
  });

  describe('before the meeting', () => {
    let uri: string;
    beforeEach(async () => {
      uri = JSON.parse((await world.run(booking('--json'))).stdout).uri;
    });
    const posts = ({ requests }: { requests: { method: string }[] }) =>
      requests.filter(({ method }) => method === 'POST').length;

    test('needs a confirmation', async () => {
      const result = await world.run(`invitees no-show ${uri}`);
      expect([result.code, posts(result)]).toEqual([12, 0]);
      expect(result.stderr).toMatch(
        /^error: Confirmation needed to mark Ada Byron as no-show for ".+" \(Mon 1 Feb 2027 11:00\), which has not/,
      );
    });

    test.each([
      ['y', 0, 1],
      ['n', 12, 0],
    ])('asks on a terminal: %s', async (answer, code, sent) => {
      const terminals = ['stdin' as const, 'stderr' as const];
      const result = await world.run(`invitees no-show ${uri}`, { terminals, stdin: `${answer}\n` });
      expect([result.code, posts(result)]).toEqual([code, sent]);
    });

    test('trusts the clock of the service, not of this machine', async () => {
      const date = 'Mon, 01 Feb 2027 12:00:00 GMT';
      const send: typeof world.service = async (request) => {
        const reply = await world.service(request);
        return { ...reply, headers: { ...reply.headers, date } };
      };
      expect((await world.run(`invitees no-show ${uri}`, { send })).code).toBe(0);
    });
  });
});
