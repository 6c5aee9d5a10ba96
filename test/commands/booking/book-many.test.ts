import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HttpRequest, Send } from '../../../src/http/message.ts';
import {
  breaking,
  faults,
  isBooking,
  plainType,
  posts,
  slot,
  typesOf,
  untilProven,
} from '../../support/lost-replies.ts';
import type { TestWorld } from '../../support/run.ts';
import { createWorld, type Result, terminals, type WorldOptions } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { isDeep, sample } from '../../support/tier.ts';

const columns = ['event_type', 'start', 'email', 'name', 'timezone'];

/** The same in all worlds. */
const type = await plainType(await createWorld());

/** A world with its own home, and a function that runs `invitees create --from` with a file. */
const prepare = async (options: WorldOptions = {}) => {
  const home = temporaryDirectory('bookings');
  const state = join(home, 'state');
  const world = await createWorld({ home, ...options, env: { SCHED_STATE_DIR: state, SCHED_CACHE_DIR: state } });
  const path = join(home, 'bookings.csv');
  const write = (rows: readonly (readonly string[])[], header = columns) =>
    writeFileSync(path, [header, ...rows].map((row) => row.join(',')).join('\n'));
  const row = (index: number, email = `guest.${index}@engine.example`) => [type, slot(index), email, 'Ada', 'UTC'];
  const rows = (count: number) => Array.from({ length: count }, (_, index) => row(index));
  const create = (flags = '--yes', more: WorldOptions = {}) =>
    world.run(`invitees create --from ${path} --json ${flags}`, more);
  return { world, state, type, path, write, row, rows, create };
};

const resultOf = ({ code, stdout }: Result) => ({ code, ...JSON.parse(stdout) });

const receiptsIn = (state: string) =>
  readdirSync(join(state, 'receipts'))
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => readFileSync(join(state, 'receipts', name), 'utf8'));

const bodiesOf = ({ stdout }: Result): Record<string, unknown>[] => [JSON.parse(stdout)].flat().map(({ body }) => body);

const notesOf = ({ stderr }: Result): string[] =>
  stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map(({ note, warning, error }) => note ?? warning ?? error.message);

const bookingsAt = async (world: TestWorld, count: number): Promise<number[]> => {
  const since = slot(0);
  const until = new Date(Date.parse(slot(count - 1)) + 60_000).toISOString();
  const { stdout } = await world.run(
    `events list --org current --status active --since ${since} --until ${until} --json=start_time,invitees_counter`,
  );
  const events: { start_time: string; invitees_counter: { active: number } }[] = JSON.parse(stdout);
  return Array.from({ length: count }, (_, index) =>
    events
      .filter(({ start_time }) => Date.parse(start_time) === Date.parse(slot(index)))
      .reduce((sum, { invitees_counter }) => sum + invitees_counter.active, 0),
  );
};

describe('invitees create --from', () => {
  test('books every line once, and its receipt has no name or address', async () => {
    const { world, state, write, rows, create } = await prepare();
    write(rows(4));
    const first = await create();
    expect(resultOf(first)).toMatchObject({ code: 0, total: 4, accepted: 4, rejected: 0, unknown: 0, skipped: 0 });
    expect(Object.keys(JSON.parse(first.stdout))).toEqual(
      'run total accepted rejected unknown skipped receipt head'.split(' '),
    );
    expect(await bookingsAt(world, 4)).toEqual([1, 1, 1, 1]);
    const [receipt] = receiptsIn(state);
    expect(receipt).toContain(`"items":["2 `);
    expect(receipt).not.toMatch(/guest|engine\.example|Ada/);
    const again = await create();
    expect([again.code, posts(again.requests)]).toEqual([0, 0]);
    expect(again.stderr).toContain('as the receipt says: nothing was sent or looked up. To look at each of them');
  });

  test('reads CSV, JSON and JSONL alike, from a file or stdin', async () => {
    const { world, type, path, create } = await prepare();
    const records = [0, 1].map((index) => ({
      event_type: type,
      start: slot(index),
      email: `guest.${index}@engine.example`,
      name: 'Ada; "Byron"',
      timezone: 'Europe/Paris',
    }));
    const expected = records.map(({ event_type, start, email, name, timezone }) => ({
      event_type,
      start_time: expect.stringContaining(start.slice(0, 19)),
      invitee: { email, name, timezone },
    }));
    const csv = [
      'Timezone;Start time;E-mail;name;event-type',
      ...records.map(
        ({ event_type, start, email, timezone }) => `${timezone};${start};${email};"Ada; ""Byron""";${event_type}`,
      ),
    ].join('\n');
    writeFileSync(path, csv.replace('E-mail', 'Email'));
    expect(bodiesOf(await create('--dry-run'))).toEqual(expected);
    for (const stdin of [JSON.stringify(records), records.map((each) => JSON.stringify(each)).join('\n')])
      expect(bodiesOf(await world.run('invitees create --from - --dry-run', { stdin }))).toEqual(expected);
  });

  test('uses flags for lines without a value of their own, and looks up each event type once', async () => {
    const { world } = await prepare();
    const stdin = [
      'email,name,event_type,timezone',
      'a@engine.example,Ada,,',
      'b@engine.example,Bob,Intro call,',
      'c@engine.example,Cyd,Intro call,Asia/Tokyo',
      'd@engine.example,Dan,Intro call,',
    ].join('\n');
    const line = `invitees create --from - --event-type "Support call" --start ${slot(0)} --timezone Europe/Paris --dry-run`;
    const { requests, ...result } = await world.run(line, { stdin });
    const bodies = bodiesOf({ requests, ...result });
    const types = bodies.map(({ event_type }) => event_type);
    expect(types[1]).toBe(types[2]);
    expect(types[0]).not.toBe(types[1]);
    expect(bodies.map(({ invitee }) => (invitee as { timezone: string }).timezone)).toEqual([
      'Europe/Paris',
      'Europe/Paris',
      'Asia/Tokyo',
      'Europe/Paris',
    ]);
    const reads = requests.filter(({ url }) => new URL(url).pathname.startsWith('/event_types/'));
    expect(reads.length).toBe(2);
    expect(requests.every(({ method }) => method === 'GET')).toBe(true);
  });

  test('reads answers from a column, a JSON object or a column for each question', async () => {
    const { world } = await prepare();
    const types = (await typesOf(world)) as unknown as {
      uri: string;
      custom_questions: { name: string; position: number; required: boolean; answer_choices: string[] }[];
    }[];
    const { uri, custom_questions } = types.find(({ custom_questions: all }) => all.length > 1)!;
    const answerTo = ({ answer_choices: choices }: (typeof custom_questions)[number]) => choices[0] ?? 'Because';
    const pairs = custom_questions.map((question) => [question.name, answerTo(question)] as const);
    const expected = custom_questions.map((question) => ({
      question: question.name,
      answer: answerTo(question),
      position: question.position,
    }));
    const base = { event_type: uri, start: slot(0), name: 'Ada', timezone: 'UTC' };
    const records = [
      { ...base, email: 'a@engine.example', answers: Object.fromEntries(pairs) },
      { ...base, email: 'b@engine.example', answers: pairs.map((pair) => pair.join('=')).join('; ') },
      { ...base, email: 'c@engine.example', answers: JSON.stringify(Object.fromEntries(pairs)) },
      {
        ...base,
        email: 'd@engine.example',
        ...Object.fromEntries(pairs.map(([name, answer]) => [`answers.${name}`, answer])),
      },
    ];
    const read = await world.run('invitees create --from - --dry-run', { stdin: JSON.stringify(records) });
    expect(bodiesOf(read).map((body) => body.custom_questions)).toEqual(records.map(() => expected));
    const required = custom_questions.find((question) => question.required)!;
    const stdin = JSON.stringify([base, { ...base, answers: { Nonsense: 'x' } }, { ...base, answers: 7 }]);
    const wrong = await world.run('invitees create --from - --email e@engine.example --json', { stdin });
    expect(notesOf(wrong)).toEqual([
      expect.stringMatching(new RegExp(`^items? 1.*no answer to the required question "${required.name}"`)),
      expect.stringContaining('item 2: answers "Nonsense=x" matches no question'),
      expect.stringContaining("item 3: answers must be an object of texts, or 'Question=Answer; …'"),
      '3 of 3 items have a problem. Nothing was sent',
    ]);
  });

  test('reports all wrong lines together, with their numbers, and sends nothing', async () => {
    const { type, write, row, create } = await prepare();
    const [, start, email] = row(0) as [string, string, string];
    write([
      row(0),
      ['Nonsense', start, email, 'Ada', 'UTC'],
      [type, '', 'no address', '', 'CET'],
      [type, 'tomorrow 10:00', email, 'Ada', 'UTC'],
      [type, '24.11.2026 09:00', email, 'Ada', 'UTC'],
      [type, slot(1)],
      [type, start.replace('T10:00:00.000Z', ' 11:00+01:00'), email.toUpperCase(), 'Other', 'UTC'],
      ['Nonsense', slot(3), email, 'Ada', 'UTC'],
    ]);
    const result = await create();
    expect([result.code, posts(result.requests)]).toEqual([2, 0]);
    expect(notesOf(result)).toEqual([
      'lines 3, 9: No event type with ID or name "Nonsense"',
      'line 4: email must be an email address, not "no address"',
      expect.stringContaining('line 4: timezone: "CET" is an abbreviation'),
      'line 4: missing start, name or first_name',
      expect.stringContaining(
        'line 5: start: "tomorrow 10:00" depends on the day it is read. In a file, write a date with a year: 20',
      ),
      'line 6: start: Can\'t read "24.11.2026 09:00" as a time. Write the date as year-month-day: 2026-11-24 09:00',
      'line 7: it has 2 cells, but the first line has 5',
      'line 8: it books the same event type, start and email as line 2',
      '6 of 8 lines have a problem, and 1 repeats another one. Nothing was sent; use --skip-invalid to skip them',
    ]);
  });

  const refused = (count: number) =>
    Array.from({ length: count }, (_, index) => `2027-02-01T03:${String(10 + index)}:00Z`);

  test.runIf(isDeep)('offers free times instead of the first ten that were refused', async () => {
    const { world, path, type, write } = await prepare();
    write(refused(12).map((start) => [type, start, 'ada@example.com', 'Ada', 'UTC']));
    const { stdout } = await world.run(`invitees create --from ${path} --yes`, { terminals, columns: 120 });
    expect(stdout.match(/that time isn't available · free: 09:00, 09:30\n/g)).toHaveLength(10);
    expect(stdout.match(/that time isn't available\n/g)).toHaveLength(2);
  });

  test('offers no free times if few requests are left', async () => {
    const { world, path, type, write } = await prepare();
    write(refused(1).map((start) => [type, start, 'ada@example.com', 'Ada', 'UTC']));
    const left = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '19', 'x-ratelimit-reset': '60' };
    const send: Send = async (request) => {
      const reply = await world.service(request);
      return { ...reply, headers: { ...reply.headers, ...left } };
    };
    await world.run('users me', { send });
    const { stdout, requests } = await world.run(`invitees create --from ${path} --yes`, { terminals, send });
    expect(stdout).toContain("that time isn't available\n");
    expect(requests.at(-1)!.method).toBe('POST');
  });

  test('--skip-invalid books the other lines, and a terminal gets an answer in words', async () => {
    const { world, state, path, type, write, row, create } = await prepare();
    const [, start, email] = row(0) as [string, string, string];
    write([
      row(0),
      [type, start, email, 'Ada', 'Europe/Pairs'],
      [type, '2027-02-01T03:00:00Z', email, '王小明', 'UTC'],
      row(0),
    ]);
    const line = `invitees create --from ${path} --yes --skip-invalid`;
    const first = await world.run(line, { terminals, columns: 80 });
    expect([first.code, posts(first.requests)]).toEqual([11, 2]);
    const [receipt] = readdirSync(join(state, 'receipts')).filter((name) => name.endsWith('.jsonl'));
    expect(first.stdout).toBe(
      [
        '✔ 1 of 3 booked',
        '✗ line 4  Mon 1 Feb 2027 04:00  王小明',
        "  that time isn't available · free: 09:00, 09:30",
        '✗ line 3  timezone: "Europe/Pairs" is not a time zone. Did you mean Europe/Pari…',
        'Change lines 3, 4 in bookings.csv and run this again: only lines 3, 4 are sent.',
        `Receipt: ~/state/receipts/${receipt}`,
        '',
      ].join('\n'),
    );
    expect(first.stderr).not.toMatch(/failed:|error:/);
    const narrow = await world.run(line, { terminals, columns: 44 });
    expect(narrow.stdout).toContain(
      "✗ line 4  Mon 1 Feb 2027 04:00  王小明\n  that time isn't available\n  free: 09:00, 09:30\n",
    );
    expect(narrow.stdout).toContain(`\nReceipt:\n~/state/receipts/${receipt}\n`);
    const spoken = await world.run(`${line} --accessible`, { terminals, columns: 80 });
    expect(spoken.stdout).toMatch(
      /^1 of 3 booked\nFailed: line 4, Mon 1 Feb 2027 04:00, 王小明: that time isn't available, free:\n09:00, 09:30\n/,
    );
    const ascii = await world.run(line, { terminals, columns: 80, env: { LANG: 'C' } });
    expect(ascii.stdout).toMatch(/^ok 1 of 3 booked\nx line 4 {2}/);
    // A pipe has the numbers.
    const again = await create('--yes --skip-invalid --again');
    expect(resultOf(again)).toMatchObject({ code: 11, total: 2, accepted: 1, rejected: 1, skipped: 1 });
  });

  test('--skip-invalid leaves out a line twice in the file without failing, because its meeting is booked', async () => {
    const { write, row, create } = await prepare();
    write([row(0), row(1), row(0)]);
    expect(resultOf(await create('--yes --skip-invalid'))).toMatchObject({ code: 0, accepted: 2, skipped: 0 });
  });

  test('reports wrong lines even if the service is down', async () => {
    const { write, row, create } = await prepare();
    write([row(0), row(1, 'no address')]);
    const result = await create('--yes', { send: async () => ({ status: 503, headers: {}, body: '' }) });
    expect([result.code, notesOf(result)[0]]).toEqual([2, 'line 3: email must be an email address, not "no address"']);
  });

  const unreadable: [stdin: string, problem: string][] = [
    ['phone,email\n1,a@b.example', 'unknown column "phone"; the known ones are event_type, start, email, name, '],
    ['name,email,Name\na,b,c', 'the column "Name" is there twice'],
    ['a@b.example,Ada\n', 'line 1 must have the column names; the known ones are event_type, '],
    ['', 'No bookings in the input'],
    ['[{]', "can't read stdin (it is not JSON"],
  ];
  test.each(sample(unreadable, 2))('refuses a file that it cannot read: %j', async (stdin, problem) => {
    const { world } = await prepare();
    const { code, stderr, requests } = await world.run('invitees create --from - --yes', { stdin });
    expect([code, stderr, requests.length]).toEqual([2, expect.stringContaining(problem), 0]);
  });

  test.each(['--body x.json', '--allow-duplicate'])('refuses %s', async (flag) => {
    const { write, rows, create } = await prepare();
    write(rows(1));
    const { code, stderr } = await create(`--yes ${flag}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${flag.split(' ')[0]} can't be used with --from`)]);
  });

  const needing = ['--confirm 1', '--max 1', '--receipt x', '--again', '--skip-invalid'];
  test.each(sample(needing, 2))('is needed by %s', async (flag) => {
    const { world } = await prepare();
    const { code, stderr } = await world.run(`invitees create ${flag}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${flag.split(' ')[0]} needs --from`)]);
  });

  test.each([
    [
      '--tz Europe/Paris',
      'Asia/Tokyo',
      '2027-02-01T10:00:00Z',
      '1 start has no offset, and is read in --tz: Europe/Paris',
    ],
    [
      '',
      'Asia/Tokyo',
      '2027-02-01T02:00:00Z',
      "1 start has no offset, and is read in the invitee's time zone: Asia/Tokyo",
    ],
  ])(
    'reads a start without an offset in --tz, else in the zone of its line: %s',
    async (flags, zone, instant, note) => {
      const { type, write, create } = await prepare();
      const options = { env: { SCHED_TZ: 'America/New_York' } };
      write([
        [type, '2027-02-01 11:00', 'a@engine.example', 'Ada', zone],
        [type, '2027-02-02T11:00:00Z', 'a@engine.example', 'Ada', zone],
      ]);
      const result = await create(`--dry-run ${flags}`);
      expect(bodiesOf(result).map(({ start_time }) => start_time)).toEqual([instant, '2027-02-02T11:00:00Z']);
      expect(notesOf(result)).toContain(note);
      const booked = await create(`--yes ${flags}`, options);
      expect(notesOf(booked)).toContain(note);
    },
  );

  test('says once that answers cannot be read back if the service shows none', async () => {
    const { world, write, create } = await prepare();
    const starts = await world.run(
      'event-types slots Consultation --since 2026-11-23 --until 2026-11-27 --step 60 -o id',
    );
    const [first, second] = starts.stdout.split('\n').filter((_, index) => index % 2 === 0);
    write(
      [first!, second!].map((start, index) => ['Consultation', start, `${index}@engine.example`, 'Ada', 'UTC', 'Tea']),
      [...columns, 'answers.What would you like to talk about?'],
    );
    const send: Send = async (request) => {
      const reply = await world.service(request);
      return { ...reply, body: reply.body.replaceAll(/,"questions_and_answers":\[.*?\]/g, '') };
    };
    const result = await create('--yes', { send });
    expect(resultOf(result)).toMatchObject({ code: 0, accepted: 2 });
    expect(notesOf(result).filter((note) => note.includes("can't be read back"))).toHaveLength(1);
  });

  test('reports a start that a clock change skips in the zone of its line', async () => {
    const { type, write, create } = await prepare();
    write([[type, '2027-03-28 02:30', 'a@engine.example', 'Ada', 'Europe/Paris']]);
    const { code, stderr } = await create('--dry-run');
    expect([code, stderr]).toEqual([2, expect.stringContaining("doesn't exist in Europe/Paris")]);
  });
});

describe('invitees create --from, confirmation', () => {
  test('asks on a terminal with five lines, the count and the account', async () => {
    const { write, rows, create } = await prepare();
    write(rows(7));
    const no = await create('', { terminals, stdin: 'n\n' });
    expect([no.code, posts(no.requests)]).toEqual([12, 0]);
    expect(no.stderr).toContain('Book 7 meetings and notify 7 people?');
    expect(no.stderr.match(/ · Ada <guest\.\d@engine\.example>/g)?.length).toBe(5);
    expect(no.stderr).toContain('and 2 more');
    expect(no.stderr).toMatch(/\nNorthlight Advisory · token from the environment · 127.0.0.1:4010 · .+\n\[y\/N\] /);
    const yes = await create('', { terminals, stdin: 'y\n' });
    expect(resultOf(yes)).toMatchObject({ code: 0, accepted: 7 });
  });

  test('without a terminal needs --yes or the right --confirm', async () => {
    const { write, rows, create } = await prepare();
    write(rows(2));
    const none = await create('');
    expect(none.code).toBe(12);
    expect(none.stderr).toContain('Confirmation needed to book 2 meetings, but there is no terminal to ask on');
    expect(none.stderr).toContain('--confirm 2');
    for (const flags of ['--confirm 3', '--max 1 --yes']) {
      const differing = await create(flags);
      expect([differing.code, posts(differing.requests)]).toEqual([7, 0]);
    }
    expect(resultOf(await create('--confirm 2 --max 2'))).toMatchObject({ code: 0, accepted: 2 });
  });

  test('--dry-run prints the requests and the time, and sends nothing', async () => {
    const { write, rows, create } = await prepare({ plan: 'standard' });
    write(rows(30));
    const { code, stderr, requests, ...rest } = await create('--dry-run');
    expect([code, posts(requests)]).toEqual([0, 0]);
    expect(bodiesOf({ code, stderr, requests, ...rest }).length).toBe(30);
    expect(stderr).toContain('30 bookings take about 2 minutes: your plan allows 10 a minute');
  });
});

describe('invitees create --from, outcomes', () => {
  test('a taken slot is a rejected line', async () => {
    const { world, type, state, write, row, create } = await prepare();
    await world.run(
      `invitees create --event-type ${type} --start ${slot(1)} --email x@engine.example --name X --timezone UTC`,
    );
    write([row(0), row(1), row(2)]);
    const first = await create();
    expect(resultOf(first)).toMatchObject({ code: 11, total: 3, accepted: 2, rejected: 1 });
    expect(first.stderr).toContain("failed: line 3, Mon 1 Feb 2027 11:30, Ada: That time isn't available");
    const finished = await create();
    expect([finished.code, posts(finished.requests)]).toEqual([11, 0]);
    // Lines that are booked already are not sent again.
    const again = await create('--yes --again');
    expect([resultOf(again), posts(again.requests)]).toMatchObject([{ code: 11, accepted: 2, rejected: 1 }, 1]);
    expect(receiptsIn(state).join()).toContain('"by":"booked already"');
    expect(await bookingsAt(world, 3)).toEqual([1, 1, 1]);
  });

  test('a run that stops on a terminal names the lines that failed so far', async () => {
    const { world, path, type, write, row } = await prepare();
    write([[type, '2027-02-01T03:00:00Z', 'a@engine.example', 'Ada', 'UTC'], row(1)]);
    const refusal = { status: 403, headers: {}, body: '{"required_scopes":["scheduled_events:write"]}' };
    const send: Send = async (request) =>
      isBooking(request) && !request.body!.includes('a@engine') ? refusal : world.service(request);
    const { code, stderr } = await world.run(`invitees create --from ${path} --yes`, { terminals, columns: 200, send });
    expect(code).toBe(5);
    expect(stderr).toMatch(/failed: line 2, Mon 1 Feb 2027 04:00, Ada: that time isn't available\nStopped with 0 of 2/);
  });

  test('a changed file books only its new lines', async () => {
    const { world, write, row, create } = await prepare();
    write([row(0), row(1)]);
    await create();
    write([row(2), row(1), row(0)]);
    const second = await create();
    expect([resultOf(second), posts(second.requests)]).toMatchObject([{ code: 0, total: 3, accepted: 3 }, 1]);
    expect(await bookingsAt(world, 3)).toEqual([1, 1, 1]);
  });

  test('--if-absent keeps a booking that was made elsewhere', async () => {
    const { world, write, row, create } = await prepare();
    write([row(0), row(1)]);
    await create();
    const elsewhere = temporaryDirectory('elsewhere');
    const env = { SCHED_STATE_DIR: elsewhere, SCHED_CACHE_DIR: elsewhere };
    const second = await create('--yes --if-absent', { env });
    expect([resultOf(second), posts(second.requests)]).toMatchObject([{ code: 0, accepted: 2 }, 0]);
    expect(await bookingsAt(world, 2)).toEqual([1, 1]);
  });

  // R27
  test('a lost reply is looked up, and a booking that was made counts as accepted', async () => {
    const { world, state, write, rows, create } = await prepare();
    write(rows(3));
    const result = await create('--yes', { send: breaking(world, faults['reset after commit'], 1) });
    expect([resultOf(result), posts(result.requests)]).toMatchObject([{ code: 0, accepted: 3 }, 3]);
    expect(receiptsIn(state)[0]).toContain('"by":"looked up"');
    expect(await bookingsAt(world, 3)).toEqual([1, 1, 1]);
  });

  // R27
  test('an unknown outcome is looked up at the next run, and sent only when it is proven that nothing was booked', async () => {
    const { world, type, write, rows, create } = await prepare();
    write(rows(3));
    const first = await create('--yes', { send: breaking(world, faults['reset before commit'], 1) });
    expect([resultOf(first), posts(first.requests)]).toMatchObject([{ code: 11, accepted: 2, unknown: 1 }, 3]);
    expect(first.stderr).toContain("unknown: line 2, Mon 1 Feb 2027 11:00, Ada: Can't tell whether this was booked");
    const tooEarly = await create();
    expect([resultOf(tooEarly), posts(tooEarly.requests)]).toMatchObject([{ code: 11, accepted: 2, unknown: 1 }, 0]);
    await untilProven(world, type);
    const proven = await create();
    expect([resultOf(proven), posts(proven.requests)]).toMatchObject([{ code: 0, accepted: 3, unknown: 0 }, 1]);
    expect(await bookingsAt(world, 3)).toEqual([1, 1, 1]);
  });

  /** The process ends here, without a chance to note anything. */
  const dying =
    (world: TestWorld, at: number, isDone: boolean): Send =>
    async (request: HttpRequest) => {
      if (!isBooking(request) || at-- > 1) return world.service(request);
      if (isDone) await world.service(request);
      throw new Error('killed');
    };

  // R27
  test('a run that ended right after a booking was made is resumed, and the line is not sent again', async () => {
    const { world, write, rows, create } = await prepare();
    write(rows(4));
    expect((await create('--yes', { send: dying(world, 2, true) })).code).toBe(1);
    const resumed = await create();
    expect([resultOf(resumed), posts(resumed.requests)]).toMatchObject([{ code: 0, total: 4, accepted: 4 }, 2]);
    expect(resumed.stderr).toContain('Resuming run');
    expect(await bookingsAt(world, 4)).toEqual([1, 1, 1, 1]);
  });

  // R27
  test('a run that ended before the service got a booking leaves that line unknown', async () => {
    const { world, type, write, rows, create } = await prepare();
    write(rows(4));
    expect((await create('--yes', { send: dying(world, 2, false) })).code).toBe(1);
    const resumed = await create();
    expect([resultOf(resumed), posts(resumed.requests)]).toMatchObject([{ code: 11, accepted: 3, unknown: 1 }, 2]);
    await untilProven(world, type);
    const proven = await create();
    expect([resultOf(proven), posts(proven.requests)]).toMatchObject([{ code: 0, accepted: 4 }, 1]);
    expect(await bookingsAt(world, 4)).toEqual([1, 1, 1, 1]);
  });

  test('without a place for the ledger nothing is sent', async () => {
    const { write, rows, create } = await prepare();
    write(rows(1));
    const result = await create('--yes', { env: { SCHED_STATE_DIR: '', HOME: '' }, home: '/dev/null/home' });
    expect([result.code, posts(result.requests)]).toEqual([3, 0]);
  });
});

describe('invitees create --from, rate limits', () => {
  test('tells the time before anything is sent, keeps to the windows of the plan, and resumes', async () => {
    const { world, write, rows, create } = await prepare({ plan: 'standard' });
    write(rows(52));
    let refused = 0;
    const send: Send = async (request) => {
      const reply = await world.service(request);
      if (reply.status === 429) refused += 1;
      return reply;
    };
    const first = await create('--yes', { send });
    expect([first.code, posts(first.requests), refused]).toEqual([8, 50, 0]);
    expect(notesOf(first).slice(0, 2)).toEqual([
      '52 bookings take about 1 hour: your plan allows 50 an hour',
      'The run stops before a wait longer than 90 seconds (--max-wait). To resume it, run the same command again, or add --max-wait 1h',
    ]);
    expect(first.stderr).toContain('Stopped with 50 of 52 booked. Run the same command again to resume');
    const resumed = await create('--yes --max-wait 1h', { send });
    expect([resultOf(resumed), posts(resumed.requests), refused]).toMatchObject([{ code: 0, accepted: 52 }, 2, 0]);
  });
});
