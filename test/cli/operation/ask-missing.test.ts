import { beforeEach, describe, expect, test } from 'vitest';
import type { Send } from '../../../src/http/message.ts';
import { joinedLines } from '../../every-command/help-lines.ts';
import { createWorld, isWrite, someday, terminals, type WorldOptions } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';

let world: Awaited<ReturnType<typeof createWorld>>;
let home: string;
beforeEach(async () => {
  world = await createWorld();
  home = temporaryDirectory('ask-missing');
});

/** Answers to the questions of `--accessible`, one per line. The last one is followed by Ctrl-D. */
const answering = (line: string, answers: string[], more: WorldOptions = {}) =>
  world.run(`${line} --accessible`, { terminals, home, stdin: answers.join('\n'), ...more });

const whole = ['Customer onboarding', '2030-12-02T15:00:00+01:00', 'ada@example.com', 'Ada Byron', 'Europe/Paris'];
/** The answers to the questions of the event type, of which the last is optional, and to the review. */
const details = ['Analytical Engines', '2', '', ''];

const printedCommand = (stderr: string): string => /For a script:\s+(sched .*)$/m.exec(joinedLines(stderr))![1]!;

describe('a required flag that is missing', () => {
  test('is asked for, until the booking is complete, and the whole command is printed', async () => {
    const { code, stderr, requests } = await answering('invitees create', [...whole, ...details]);
    expect(code).toBe(0);
    expect(JSON.parse(requests.filter(isWrite)[0]!.body!)).toMatchObject({
      start_time: '2030-12-02T14:00:00Z',
      invitee: { email: 'ada@example.com', name: 'Ada Byron', timezone: 'Europe/Paris' },
      custom_questions: [
        { question: 'Company', answer: 'Analytical Engines', position: 0 },
        { question: 'Team size', answer: '11 to 100', position: 1 },
      ],
    });
    expect(printedCommand(stderr)).toMatch(
      /^sched invitees create --accessible --event-type 'Customer onboarding' --start 2030-12-02T15:00:00\+01:00 --email ada@example\.com --name 'Ada Byron' --timezone Europe\/Paris --answer 'Company=Analytical Engines' --answer 'Team size=11 to 100'$/,
    );
  });

  test('is in the printed command, which books the same without a question', async () => {
    const { stderr } = await answering('invitees create', [...whole, ...details]);
    const words = printedCommand(stderr)
      .match(/'[^']*'|\S+/g)!
      .map((word) => word.replaceAll("'", ''));
    const fresh = await createWorld();
    const again = await fresh.run(words.slice(1), { home: temporaryDirectory('again') });
    expect(again.stderr).toContain('booked: ');
    expect(again.stderr).not.toContain('For a script');
    expect(again.code).toBe(0);
  });

  test('is asked for with short choices, whatever their names', async () => {
    const send: Send = async (request) => {
      const reply = await world.service(request);
      return { ...reply, body: reply.body.replaceAll('"Board preview"', `"${'x'.repeat(5000)}"`) };
    };
    const { stderr } = await answering('invitees create', [], { send });
    expect(stderr).toMatch(/^\d: x{200}…$/m);
    expect(stderr).toMatch(/^\d: Customer onboarding, 60 min$/m);
  });

  test('is not asked for if it was typed, and neither is an answered question', async () => {
    const words = ['invitees', 'create', '--accessible', '--event-type', 'Customer onboarding', '--first-name', 'Ada'];
    const answers = ['2030-12-02T15:00:00+01:00', 'ada@example.com', 'UTC', '3', '', ''];
    const rest = await world.run([...words, '--answer', 'Company=AE'], { terminals, home, stdin: answers.join('\n') });
    expect(rest.stderr).not.toMatch(/^(Full name|Company: $|Which event type)/m);
    expect(rest.stderr).toContain('Team size:\n1: 1 to 10');
    expect(rest.code).toBe(0);
  });

  test('is asked for again until the answer is right', async () => {
    const { code, stderr } = await answering('invitees create', [
      'no such type',
      '',
      'consult',
      'yesterday week',
      '2030-12-02T15:00:00+01:00',
      'ada',
      'ada@example.com',
      '',
      'Ada',
      'Mars/Olympus',
      '',
      '',
      '',
    ]);
    expect(stderr).toContain('Nothing matches "no such type"');
    expect(stderr).toContain('--email must be an email address, not "ada"');
    expect(stderr).toContain('Enter an answer\n');
    expect(stderr).toContain('Enter a name\n');
    expect(stderr).toMatch(/--timezone: .*Mars\/Olympus/);
    expect(stderr).toContain('yesterday week');
    expect(printedCommand(stderr)).toMatch(/--start \S+ --email .* --timezone Europe\/Paris/);
    expect(code).toBe(0);
  });

  test('narrows the choices by a part of the name', async () => {
    const { stderr } = await answering('shares create', ['call', '2']);
    expect(stderr).toContain('1: Intro call, 15 min\n2: Support call, 30 min\n');
  });

  test.each(
    sample(
      Array.from({ length: whole.length + details.length }, (_, asked) => asked),
      3,
    ),
  )('leaves nothing behind when Ctrl-D ends question %i', async (asked) => {
    const { code, stderr, requests } = await answering('invitees create', [...whole, ...details].slice(0, asked));
    expect(code).toBe(12);
    expect(stderr).toContain('Stopped. Nothing was changed.\n');
    expect(requests.filter(isWrite)).toEqual([]);
  });

  test('is asked for only after wrong values are reported', async () => {
    const { code, stderr, requests } = await answering('invitees create --email nonsense', whole);
    expect(code).toBe(2);
    expect(stderr).toContain('--email must be an email address');
    expect(stderr).not.toContain('Which event type');
    expect(requests).toEqual([]);
  });

  test.each<[string, WorldOptions]>([
    ['in a pipe', { terminals: ['stdout'] }],
    ['in CI', { env: { CI: 'true' } }],
    ['with --no-input', { env: { SCHED_NO_INPUT: '1' } }],
  ])('is reported together with the others %s', async (_, more) => {
    const { code, stderr, requests } = await answering('invitees create', whole, more);
    expect(code).toBe(2);
    expect(stderr.replace(/\n {2}/, ' ')).toContain(
      'error: Missing required flags --event-type, --start or --first-free, --email, --name or --first-name, --timezone\n',
    );
    expect(requests).toEqual([]);
  });

  test('is not asked for if a file has the whole body', async () => {
    const { code, stderr } = await answering('invitees create --body -', [], { stdin: '{}' });
    expect(code).toBe(2);
    expect(stderr).toContain('Missing required flags');
  });

  test('shows hostile names of choices as harmless text', async () => {
    const nasty = 'Evil\u001b[2J\u202e\r\n9: forged';
    const send: Send = async (request) => {
      const reply = await world.service(request);
      return { ...reply, body: reply.body.replaceAll('"Intro call"', JSON.stringify(nasty)) };
    };
    const { stderr } = await answering('shares create', [], { send });
    expect(stderr).toMatch(/^\d: Evil\\x1b/m);
    expect(stderr).not.toMatch(/[\x00-\x09\x0b-\x1f\u202e]|^9: forged/m);
  });
});

describe('a required argument that is missing', () => {
  test('is chosen among the records that have names', async () => {
    const { code, stdout, stderr } = await answering('groups get', ['2']);
    expect(stderr).toMatch(/^Which group\?\n1: /m);
    expect(printedCommand(stderr)).toMatch(/^sched groups get \w+ --accessible$/);
    expect(stdout).toContain('Customer team');
    expect(code).toBe(0);
  });

  test('is an event from today on, found by the name of a person, and read with its people', async () => {
    const { code, stdout, stderr, requests } = await answering('events get', ['nobody', 'ελενη', 'contract ελενη']);
    expect(stderr).toMatch(/Which event\?\n1: Thu 19 Nov 11:30 Contract review with Ελένη Παπαδοπούλου\n2: /);
    expect(stderr).toContain('Nothing matches "nobody"');
    expect(stderr).toMatch(
      /^20: .*\nand \d+ more: type a part of their names\nNames are shown for the first 50 events\.$/m,
    );
    expect(printedCommand(stderr)).toMatch(/^sched events get \w+ --accessible$/);
    expect(stdout).toContain('Contract review');
    expect(code).toBe(0);
    expect(requests[1]!.url).toMatch(/min_start_time=2026-11-1\dT.*sort=start_time%3Aasc/);
  });

  test('offers a hundred events, and says if there are more', async () => {
    const send: Send = async (request) => {
      const reply = await world.service(request);
      if (!/scheduled_events\?/.test(request.url)) return reply;
      const { collection, ...rest } = JSON.parse(reply.body);
      const many = Array.from({ length: 101 }, (_, index) => ({
        ...collection[0],
        uri: `${collection[0].uri}${index}`,
      }));
      return { ...reply, body: JSON.stringify({ ...rest, collection: many }) };
    };
    const { stderr } = await answering('events get', [], { send });
    expect(stderr).toContain(
      'and 80 more: type a part of their names\nOnly the first 100 events. Names are shown for ',
    );
  });

  test('names people only as far as the rate limit allows', async () => {
    world = await createWorld({ plan: 'free' });
    const { stderr, requests } = await answering('events get', []);
    expect(stderr).toMatch(/^1: Mon 16 Nov 09:00 Partner interview with 1 invitee$/m);
    expect(stderr).toContain('Few requests are left, so no names are shown.');
    expect(requests.filter(({ url }) => url.includes('/invitees'))).toEqual([]);
    expect(world.clock.now()).toBe(someday);
  });

  test('can be several events to cancel', async () => {
    const { code, stderr, requests } = await answering('events cancel', ['1, 2', '1']);
    const [, first, second] = /sched events cancel (\w+) (\w+) /.exec(printedCommand(stderr))!;
    expect(stderr).toMatch(/^Which events to cancel\?\n1: /m);
    expect(stderr).toContain('Question: Cancel 2 events');
    expect(requests.filter(isWrite).map(({ url }) => new URL(url).pathname)).toEqual(
      [first, second].map((id) => expect.stringContaining(`/scheduled_events/${id}/cancellation`)),
    );
    expect(code).toBe(0);
  });

  test('is the only active invitee of an event, without a question', async () => {
    const event = 'GK37RB2FUXGRSBMK';
    const { code, stdout, stderr } = await world.run(`invitees get ${event}`, { terminals, home });
    expect(stdout).toContain('taras@dnipro.example');
    expect(stderr).not.toContain('questions');
    expect(code).toBe(0);
    const marked = await answering(`invitees no-show ${event}`, ['1']);
    expect(marked.requests.filter(isWrite)).toHaveLength(1);
    expect(marked.stderr).toContain('arked as no-show: Тарас');
  });

  test.each(['https://other.example/scheduled_events/GK37RB2FUXGRSBMK', '../users'])(
    'is not looked up for a wrong event: %s',
    async (event) => {
      const { code, requests } = await answering(`invitees get ${event}`, ['1']);
      expect([code, requests.filter(isWrite), requests.filter(({ url }) => url.includes('invitees'))]).toEqual([
        2,
        [],
        [],
      ]);
    },
  );

  test('is an invitee to choose if the event has several', async () => {
    const send: Send = async (request) => {
      const reply = await world.service(request);
      if (!/\/invitees\?/.test(request.url)) return reply;
      const { collection, ...rest } = JSON.parse(reply.body);
      const twice = [
        collection[0],
        { ...collection[0], uri: `${collection[0].uri}X`, name: 'Canceled', status: 'canceled' },
      ];
      return { ...reply, body: JSON.stringify({ ...rest, collection: twice }) };
    };
    const { stderr } = await answering('invitees get GK37RB2FUXGRSBMK', [], { send });
    expect(stderr).toMatch(/^Which invitee\?\n1: Тарас Шевчук, taras@\S+\n2: Canceled, \S+, canceled\n/m);
    const marked = await answering('invitees no-show GK37RB2FUXGRSBMK', ['1'], { send });
    expect(marked.stderr).toContain('arked as no-show: Тарас');
  });

  test.each(
    sample<[string, string, RegExp]>(
      [
        ['webhooks get', 'crm', /^Which webhook\?\n1: https:\S+calendar, user\n2: https:\S+crm, organization$/m],
        ['webhooks delete --dry-run', 'crm', /^Which webhook\?$/m],
        ['groups relationship', '1', /^Which group relationship\?\n1: \S.+, \S.+, (admin|member)$/m],
        ['members get', '1', /^Which member\?\n1: \S.+ \(\S+@\S+\)$/m],
        ['event-types slots', 'intro', /^Which event type\?$/m],
      ],
      3,
    ),
  )('is chosen by what people know about it: %s', async (line, answer, question) => {
    const { code, stderr } = await answering(line, [answer]);
    expect(stderr).toMatch(question);
    expect(code, stderr).toBe(0);
  });

  test('is chosen among the profiles, and a setting is asked for with its value', async () => {
    for (const name of ['one', 'two'])
      await world.run(`profiles add ${name} --base-url https://${name}.example`, { home });
    const used = await answering('profiles use', ['two']);
    expect(used.stderr).toContain(
      'Which profile?\n1: one, https://one.example, default\n2: two, https://two.example\n',
    );
    await answering('profiles set', ['timezone', 'Europe/Paris']);
    const shown = await world.run('profiles show --json', { home });
    expect(JSON.parse(shown.stdout)).toMatchObject({ name: 'two', timezone: 'Europe/Paris' });
    const removed = await answering('profiles remove', ['1', '1']);
    expect(removed.stderr).toContain('Removed profile one');
  });

  test.each(
    sample(['events get', 'events cancel', 'invitees list', 'invitees get GK37RB2FUXGRSBMK', 'webhooks get'], 1),
  )('is reported in a pipe: %s', async (line) => {
    const { code, stderr, requests } = await answering(line, ['1'], { terminals: ['stdout'] });
    expect(code).toBe(2);
    expect(stderr).toContain('Missing argument <');
    expect(requests).toEqual([]);
  });

  test('is reported if there is nothing to choose from', async () => {
    const send: Send = async (request) => ({
      ...(await world.service(request)),
      ...(/scheduled_events\?/.test(request.url) ? { body: '{"collection":[],"pagination":{}}' } : {}),
    });
    const { code, stderr } = await answering('events get', ['1'], { send });
    expect(code).toBe(2);
    expect(stderr).toContain('Which event? There is nothing to choose from\nerror: Missing argument <event>');
  });
});

describe('availability update', () => {
  const update = (answers: string[]) => answering('availability update --event-type "Intro call"', answers);

  test.each(
    sample<[string, string[], string]>(
      [
        [
          'weekly hours',
          ['weekly', '1,2', '9-5', '09:00-12:00'],
          "--rule 'monday 09:00-12:00' --rule 'tuesday 09:00-12:00'",
        ],
        ['hours on a date', ['hours', 'someday', '2030-12-24', '10:00-11:00'], "--rule '2030-12-24 10:00-11:00'"],
        ['a day off', ['day off', 'tomorrow'], '--day-off tomorrow'],
        ['the time zone', ['zone', 'Mars', 'UTC'], '--timezone UTC'],
      ],
      2,
    ),
  )('asks what to change: %s', async (_, answers, flags) => {
    const { code, stderr, requests } = await update([...answers, '1']);
    expect(stderr).toContain(
      'What should change?\n1: weekly hours\n2: hours on a date\n3: a day off\n4: the time zone\n',
    );
    expect(printedCommand(stderr)).toMatch(/^sched availability update \w+ --event-type 'Intro call' --accessible /);
    expect(printedCommand(stderr).endsWith(flags), stderr).toBe(true);
    expect(stderr).toContain('Question: Change availability schedule');
    expect(requests.filter(isWrite)).toHaveLength(1);
    expect(code).toBe(0);
  });

  test('asks whose schedule to change, or all of them', async () => {
    const line = 'availability update --event-type "Support call"';
    const one = await answering(line, ['1', 'zone', 'UTC', '1']);
    expect(one.stderr).toMatch(/^Which availability schedule\?\n1: Working hours, Amara Lindqvist, Europe\/Berlin\n/m);
    expect(printedCommand(one.stderr)).toMatch(/^sched availability update \w+ --event-type/);
    const all = await answering(line, ['all', 'zone', 'UTC', '1']);
    expect(printedCommand(all.stderr)).toMatch(/^sched availability update --event-type/);
    expect(new URL(all.requests.filter(isWrite)[0]!.url).pathname).toBe('/event_type_availability_schedules');
  });

  test('reports that nothing is to change in a pipe, and asks nothing if a flag says it', async () => {
    const piped = await answering('availability update --event-type "Intro call"', [], { terminals: ['stdout'] });
    expect([piped.code, piped.requests]).toEqual([2, []]);
    expect(piped.stderr).toContain('Nothing to change. Use --rule');
    const said = await answering('availability update --event-type "Support call" --timezone UTC --yes', []);
    expect(said.stderr).not.toContain('?');
    expect(said.code).toBe(0);
  });
});
