import { beforeAll, describe, expect, test } from 'vitest';
import { onceEach } from '../../../src/base/once.ts';
import type { HttpRequest, Send } from '../../../src/http/message.ts';
import { faults, lost } from '../../support/lost-replies.ts';
import { callTool, connect } from '../../support/mcp-client.ts';
import { createWorld, lastJson, someday, type TestWorld, terminals } from '../../support/run.ts';
import { usedHome } from '../../support/seeded.ts';
import { splitCommandLine } from '../../support/shell-words.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { sample, times } from '../../support/tier.ts';

interface Rule {
  type: string;
  wday?: string;
  date?: string;
  intervals: { from: string; to: string }[];
}
interface Schedule {
  uri: string;
  user: string;
  timezone: string;
  rules: Rule[];
  _sched?: { already?: boolean; reconciled?: boolean; replaced: string[] };
}

const isPatch = ({ method }: HttpRequest) => method === 'PATCH';
const off = (date: string): Rule => ({ type: 'date', date, intervals: [] });
const isOff = ({ type, intervals }: Rule) => type === 'date' && intervals.length === 0;

const json = async ({ run }: TestWorld, ...words: string[]) => JSON.parse((await run([...words, '--json'])).stdout);

const ask = async ({ service, token }: TestWorld, path: string) => {
  const headers = { authorization: `Bearer ${token}` };
  return JSON.parse((await service({ method: 'GET', url: `http://127.0.0.1:4010${path}`, headers })).body);
};

/** All schedules of the event types that the members of the team host, and which of them are the user's own. */
const schedulesOf = async (world: TestWorld): Promise<{ own: Schedule[]; others: Schedule[] }> => {
  const { resource: me } = await ask(world, '/users/me');
  const types = await ask(world, `/event_types?organization=${me.current_organization}&count=100`);
  const found = new Map<string, Schedule>();
  for (const { uri } of types.collection)
    for (const each of (await ask(world, `/event_type_availability_schedules?event_type=${uri}&count=100`)).collection)
      found.set(each.uri, each);
  const all = [...found.values()];
  return { own: all.filter(({ user }) => user === me.uri), others: all.filter(({ user }) => user !== me.uri) };
};

const patch = (world: TestWorld, { uri }: Schedule, body: Partial<Schedule>) =>
  world.service({
    method: 'PATCH',
    url: uri,
    headers: { authorization: `Bearer ${world.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('availability off', () => {
  let refusing: TestWorld;
  beforeAll(async () => {
    refusing = await createWorld();
  });

  test('takes the dates off on all own schedules, and --undo gives them back', async () => {
    const world = await createWorld({ columns: 80 });
    const before = await schedulesOf(world);
    const done = await world.run("availability off 2026-12-24..2026-12-25 'jan 4' --yes --json");
    expect([done.code, done.requests.filter(isPatch)]).toEqual([
      0,
      expect.objectContaining({ length: before.own.length }),
    ]);
    const after = await schedulesOf(world);
    const dates = ['2026-12-24', '2026-12-25', '2027-01-04'].map(off);
    expect(after.own.map(({ rules }) => rules)).toEqual(before.own.map(({ rules }) => [...rules, ...dates]));
    expect(after.others).toEqual(before.others);
    expect(JSON.parse(done.stdout)).toHaveLength(before.own.length);
    expect(JSON.parse(done.stdout)[0]).toEqual({
      ...after.own.find(({ uri }) => uri === JSON.parse(done.stdout)[0].uri),
      _sched: {
        replaced: [],
        undo: 'sched availability off 2026-12-24..2026-12-25 2027-01-04 --undo',
        stays: expect.arrayContaining([expect.objectContaining({ start_time: '2026-12-24T10:00:00.000Z' })]),
      },
    });
    const again = await world.run('availability off 2026-12-24 --yes');
    expect([again.code, again.requests.filter(isPatch)]).toEqual([0, []]);
    expect(again.stderr).toContain('Nothing to change: all schedules are off on Thu 24 Dec');
    const listed = await world.run('availability off --list');
    expect(listed.stdout).toContain(
      '2026-12-24\tall schedules\n2026-12-25\tall schedules\n2027-01-04\tall schedules\n',
    );
    expect((await world.run('availability off 2026-12-24..2027-01-04 --undo --yes')).code).toBe(0);
    expect(await schedulesOf(world)).toEqual(before);
  });

  test('takes a weekday off every week, and the line it prints brings the hours back', async () => {
    const world = await createWorld({ columns: 200, home: temporaryDirectory('home') });
    const before = await schedulesOf(world);
    const done = await world.run('availability off --every friday', { terminals, stdin: 'y\n' });
    expect(done.screen).toContain('Take every Friday off on 10 schedules (10 event types)?\n');
    expect(done.screen).toContain('  every Friday: 09:00–12:30, 13:00–17:00 → off\n  hours in Europe/Berlin\n');
    expect((await world.run('availability off --list')).stderr).toContain('Off every week: Fri–Sun');
    const after = await schedulesOf(world);
    const friday = ({ wday }: Rule) => wday === 'friday';
    expect(after.own.map(({ rules }) => rules.filter(friday))).toEqual(
      after.own.map(() => [{ type: 'wday', wday: 'friday', intervals: [] }]),
    );
    expect(after.others).toEqual(before.others);
    expect((await world.run('availability off --every fri --yes')).requests.filter(isPatch)).toEqual([]);
    const [, undo] = /Off: every Friday .*\n {2}Undo {2}sched (.+)\n/.exec(done.screen)!;
    expect(undo).toBe("availability update --all --rule 'friday 09:00-12:30,13:00-17:00'");
    expect((await world.run(`${undo} --yes`)).code).toBe(0);
    expect(await schedulesOf(world)).toEqual(before);
  });

  test('changes days of all own schedules that differ, and prints how to undo each', async () => {
    const world = await createWorld({ home: temporaryDirectory('home') });
    const [first] = (await schedulesOf(world)).own;
    const rules = first!.rules.filter(({ wday }) => wday !== 'monday');
    await patch(world, first!, { rules });
    const before = await schedulesOf(world);
    const done = await world.run("availability update --all --rule 'monday 10:00-11:00' --day-off 2026-12-24 --yes");
    expect(done.code).toBe(0);
    expect(done.requests.filter(isPatch)).toHaveLength(before.own.length);
    const undo = [...done.stderr.matchAll(/^Undo: sched (.+)$/gm)].map(([, line]) => line!);
    expect(undo).toHaveLength(before.own.length);
    for (const line of undo) expect((await world.run(`${line} --yes`)).code).toBe(0);
    expect(await schedulesOf(world)).toEqual(before);
  });

  test.each([
    ['off --every friday --undo', 'use the line that --every has printed'],
    ['off --every 2026-12-24', '"2026-12-24" is not a weekday'],
    ['off 2026-12-24 --every friday', "--every can't be used with dates"],
    ['update --all --timezone UTC', "--all can't be used with --timezone"],
    ["update X --all --rule 'monday off'", "--all can't be used with a schedule"],
  ])('refuses %s', async (line, problem) => {
    const { code, stderr, requests } = await refusing.run(`availability ${line} --yes`);
    expect([code, requests, stderr]).toEqual([2, [], expect.stringContaining(problem)]);
  });

  test('never says that a day changes from off to off', async () => {
    const world = await createWorld();
    for (const schedule of (await schedulesOf(world)).own)
      await patch(world, schedule, { rules: [...schedule.rules, { type: 'wday', wday: 'sunday', intervals: [] }] });
    const { stderr } = await world.run('availability off 2026-11-22 -n');
    expect(stderr).toContain('Sun 22 Nov: off as every week\n');
    expect(stderr).not.toContain('off → off');
  });

  test('--undo leaves special hours on those dates', async () => {
    const world = await createWorld();
    const [first] = (await schedulesOf(world)).own;
    const special = { type: 'date', date: '2026-12-23', intervals: [{ from: '09:00', to: '12:00' }] };
    await patch(world, first!, { rules: [...first!.rules, special, off('2026-12-24')] });
    expect((await world.run('availability off 2026-12-23..2026-12-24 --undo --yes')).code).toBe(0);
    const after = (await schedulesOf(world)).own.find(({ uri }) => uri === first!.uri);
    expect(after!.rules).toEqual([...first!.rules, special]);
  });

  test('asks with what is lost, what was off before, and the meetings that stay', async () => {
    const world = await createWorld({ columns: 100 });
    const [first] = (await schedulesOf(world)).own;
    const special = { type: 'date', date: '2026-11-19', intervals: [{ from: '09:00', to: '12:00' }] };
    await patch(world, first!, { rules: [...first!.rules, special, off('2026-11-20')] });
    const { screen, requests } = await world.run('availability off 2026-11-18..2026-11-20', {
      terminals,
      stdin: 'n\n',
    });
    for (const line of [
      'Take 18–20 Nov off on 10 schedules (10 event types)?\n',
      '  18–20 Nov, 3 working days: 09:00–12:30, 13:00–17:00 → off (9 of 10 schedules)\n',
      "  --undo can't restore the special hours of 2026-11-19: 09:00–12:00 (1 of 10 schedules)\n",
      '  already off: Fri 20 Nov (1 of 10 schedules)\n',
      '  5 meetings stay: Wed 18 Nov 11:00 Partner interview, ',
      // The demo has a day off on 27 November.
      '  move: sched events move --since 2026-11-18 --until 2026-11-20 --tz Europe/Berlin --shift +2w\n',
      '  cancel: sched events cancel --since 2026-11-18 --until 2026-11-20 --tz Europe/Berlin\n',
    ])
      expect(screen).toContain(line);
    expect(requests.filter(isPatch)).toEqual([]);
    const folded = await world.run('--sandbox availability off 2026-11-18..2026-11-20', {
      terminals,
      stdin: 'n\n',
      columns: 60,
      home: await usedHome(someday),
    });
    expect(folded.screen).toContain(
      '  move:\n' +
        '    sched --sandbox events move --since 2026-11-18 \\\n' +
        '        --until 2026-11-20 --tz Europe/Berlin --shift +2w\n' +
        '  cancel:\n' +
        '    sched --sandbox events cancel --since 2026-11-18 \\\n' +
        '        --until 2026-11-20 --tz Europe/Berlin\n',
    );
    const done = await world.run('availability off 2026-11-18..2026-11-20', { terminals, stdin: 'y\n' });
    expect(done.screen).toContain("--rule '2026-11-19 09:00-12:00'");
    expect(done.screen).toMatch(/✔ Off: 18–20 Nov on 10 schedules \(10 event types\)\n {2}Undo {2}sched .+ --undo\n/);
    expect(done.screen).toContain('sched availability off 2026-11-18..2026-11-20 --undo');
  });

  test('suggests to move the meetings past the absence, and only those in it', async () => {
    const world = await createWorld({ columns: 120 });
    const waysOf = async (words: string) => {
      const { screen } = await world.run(`availability off ${words} --tz Europe/Berlin`, { terminals, stdin: 'n\n' });
      return [...screen.matchAll(/^ {2}move: sched events move (.*) --tz Europe\/Berlin$/gm)].map(([, way]) => way);
    };
    expect(await waysOf('2026-11-16..2026-11-29')).toEqual(['--since 2026-11-16 --until 2026-11-26 --shift +2w']);
    // Meetings between the two dates stay where they are. The demo has a day off on 27 November.
    expect(await waysOf('2026-11-16 2026-11-20')).toEqual([
      '--since 2026-11-16 --until 2026-11-16 --shift +1w',
      '--since 2026-11-20 --until 2026-11-20 --shift +2w',
    ]);
    expect(await waysOf('2026-11-16 2026-11-23')).toEqual([
      '--since 2026-11-16 --until 2026-11-16 --shift +2w',
      '--since 2026-11-23 --until 2026-11-23 --shift +1w',
    ]);
    await world.run('availability off 2026-11-16 --yes');
    expect(await waysOf('2026-11-16 --undo')).toEqual([]);
  });

  test.each([
    ['off 2026-12-24', '2026-12-24'],
    ['off --every thursday', '2026-12-24'],
    ["update --all --rule 'monday 10:00-11:00' --day-off 2026-12-24", '2026-12-24'],
  ])('says in a script which meetings stay, and how to undo it: %s', async (line, date) => {
    const world = await createWorld({ home: temporaryDirectory('home') });
    const before = (await schedulesOf(world)).own.map(({ rules }) => rules);
    const active = JSON.parse(
      (await world.run(`events list --since ${date} --until ${date} --status active --json`)).stdout,
    );
    expect(active.length).toBeGreaterThan(0);
    const staying = active.map(({ uri }: { uri: string }) => expect.objectContaining({ uri }));
    for (const flags of ['--dry-run', '--yes']) {
      const { code, stdout, stderr } = await world.run(`availability ${line} ${flags} --json`);
      expect(code).toBe(0);
      const [record] = JSON.parse(stdout);
      expect(record._sched.stays).toEqual(expect.arrayContaining(staying));
      expect(stderr).toMatch(/\d+ meetings? stays?: /);
      if (flags === '--dry-run') continue;
      expect(stderr).toContain(JSON.stringify({ note: `Undo: ${record._sched.undo}` }));
      const undo = splitCommandLine(record._sched.undo).slice(1);
      expect((await world.run([...undo, '--yes'])).code).toBe(0);
    }
    expect((await schedulesOf(world)).own.map(({ rules }) => rules)).toEqual(before);
  });

  test("reads tomorrow in the schedule's time zone, and says which date that is", async () => {
    const world = await createWorld({ home: temporaryDirectory('home') });
    // 23:30 in UTC is the next day in Berlin.
    await world.clock.sleep(Date.parse('2026-11-16T23:30:00Z') - world.clock.now());
    const { stderr } = await world.run('availability off tomorrow --tz UTC --yes');
    expect(stderr).toMatch(
      /^Wed 18 Nov: .* → off\nhours in Europe\/Berlin\n(?:\d meetings? stays?: .*\nmove: .*\ncancel: .*\n)?off: Wed 18 Nov on 10 schedules \(10 event types\)\nUndo: sched availability off 2026-11-18 --undo --tz UTC\n$/,
    );
    expect((await schedulesOf(world)).own[0]!.rules.at(-1)).toEqual(off('2026-11-18'));
  });

  test.each([
    ['dec 24', ['2026-12-24']],
    ['dec 24..dec 26 next monday 2027-01-04', ['2026-11-16', '2026-12-24', '2026-12-25', '2026-12-26', '2027-01-04']],
    ["24 dec 'dec 24' friday 1 jan 2028", ['2026-11-20', '2026-12-24', '2028-01-01']],
  ])('reads %s, with or without quotes', async (words, dates) => {
    const { stdout } = await refusing.run(`availability off ${words} --dry-run --jq .[0].body.rules`);
    expect(JSON.parse(stdout).slice(-dates.length)).toEqual(dates.map(off));
  });

  test('changes the others if one fails, and completes them when it is run again', async () => {
    const world = await createWorld();
    let patches = 0;
    const some = await world.run('availability off 2026-12-24 --yes --json', {
      send: async (request) =>
        isPatch(request) && ++patches === 2
          ? { status: 403, headers: { 'content-type': 'application/json' }, body: '{"message":"No"}' }
          : world.service(request),
    });
    expect(some.code).toBe(11);
    const failed = { uri: expect.any(String), name: 'Working hours', code: 'forbidden', message: expect.any(String) };
    const records: Schedule[] = JSON.parse(some.stdout);
    expect(records.map(({ _sched }) => _sched)).toEqual(
      Array(9).fill(expect.objectContaining({ failed: [failed], undo: 'sched availability off 2026-12-24 --undo' })),
    );
    expect(some.stderr).toContain('1 of 10 schedules not changed');
    expect(some.stderr.match(/Undo: /g)).toHaveLength(1);
    const rest = await world.run('availability off 2026-12-24 --yes --json');
    expect([rest.code, rest.requests.filter(isPatch).length]).toEqual([0, 1]);
  });

  test('has failed, and not in part, if all schedules are refused', async () => {
    const world = await createWorld();
    const refused = { status: 403, headers: { 'content-type': 'application/json' }, body: '{"message":"No"}' };
    const none = await world.run('availability off 2026-12-24 --yes --json', {
      send: async (request) => (isPatch(request) ? refused : world.service(request)),
    });
    expect([none.code, none.stdout]).toEqual([5, '']);
    expect(lastJson(none.stderr).error).toMatchObject({ code: 'forbidden', outcome: 'not-applied' });
    expect(none.stderr.match(/failed: /g)).toHaveLength(10);
  });

  test('has an unknown outcome if that of one schedule is unknown and no other is changed', async () => {
    const world = await createWorld();
    let patches = 0;
    const refused = { status: 403, headers: { 'content-type': 'application/json' }, body: '{"message":"No"}' };
    const send: Send = async (request) => {
      if (isPatch(request) && ++patches === 2) throw lost();
      // The schedule can't be read after that.
      if (patches === 2 || (isPatch(request) && patches !== 2)) return refused;
      return world.service(request);
    };
    const none = await world.run('availability off 2026-12-24 --yes --json', { send });
    expect([none.code, none.stdout, lastJson(none.stderr).error.outcome]).toEqual([10, '', 'unknown']);
  });

  test('finds out at the end what a lost reply has left unknown', async () => {
    const world = await createWorld();
    let [patches, reads] = [0, 0];
    const send: Send = async (request) => {
      const isFirst = isPatch(request) && ++patches === 1;
      const reply = await world.service(request);
      if (isFirst) throw lost();
      // It can't be read at once.
      return patches === 1 && !isPatch(request) && ++reads === 1 ? { status: 403, headers: {}, body: '{}' } : reply;
    };
    const { code, stdout } = await world.run('availability off 2026-12-24 --yes --json', { send });
    const records: Schedule[] = JSON.parse(stdout);
    expect([code, records.length, records[0]!._sched]).toMatchObject([0, 10, { reconciled: true, replaced: [] }]);
  });

  const losses = ['reset after commit', '500 after commit', 'reset before commit'] as const;
  test.each(sample(losses, 1, (name) => name.includes('after')))('reads back: %s', async (name) => {
    const world = await createWorld();
    let patches = 0;
    const { code, stdout } = await world.run('availability off 2026-12-24 --yes --json', {
      send: (request) =>
        isPatch(request) && ++patches === 1 ? faults[name](request, world.service) : world.service(request),
    });
    expect(code).toBe(0);
    const records: Schedule[] = JSON.parse(stdout);
    expect(records.every(({ rules }) => rules.some(({ date }) => date === '2026-12-24'))).toBe(true);
    expect(records[0]!._sched!.reconciled).toBe(name === 'reset before commit' ? undefined : true);
  });

  test('keeps what others change right before', async () => {
    const world = await createWorld();
    const { own } = await schedulesOf(world);
    let reads = 0;
    const { code } = await world.run('availability off 2026-12-24 --yes', {
      send: async (request) => {
        // All schedules are read once to plan, then each once more.
        if (request.url.includes('/event_type_availability_schedules?') && ++reads === 11)
          for (const each of own) await patch(world, each, { rules: [...each.rules, off('2026-12-30')] });
        return world.service(request);
      },
    });
    const after = (await schedulesOf(world)).own;
    expect([code, after.map(({ rules }) => rules.slice(-2))]).toEqual([
      0,
      own.map(() => [off('2026-12-30'), off('2026-12-24')]),
    ]);
  });

  test('does not send what others have done right before', async () => {
    const world = await createWorld();
    let reads = 0;
    const { code, stdout, requests } = await world.run('availability off 2026-12-24 --yes --json', {
      send: async (request) => {
        if (request.url.includes('/event_type_availability_schedules?') && ++reads === 11)
          for (const each of (await schedulesOf(world)).own)
            await patch(world, each, { rules: [...each.rules, off('2026-12-24')] });
        return world.service(request);
      },
    });
    expect([code, requests.filter(isPatch)]).toEqual([0, []]);
    expect(JSON.parse(stdout)[0]._sched).toEqual({ already: true, replaced: [] });
  });

  const wrong: [words: string, problem: string][] = [
    ['', 'Missing argument <date>'],
    ['--undo', 'Missing argument <date>'],
    ['--list tomorrow', "--list can't be used with dates or --undo"],
    ['--list --undo', "--list can't be used with dates or --undo"],
    ['2026-02-30', '"2026-02-30" is not a date from today on'],
    ['yesterday', '"yesterday" is not a date from today on'],
    ['2026-11-14', '"2026-11-14" is before today'],
    ['2026-12-31..2026-12-24', 'ends before it starts'],
    ['2026-12-01..2028-12-01', 'is longer than a year'],
    ['mon-fri', '"mon-fri" is not a date from today on (2026-12-24, dec 24, tomorrow, friday or'],
  ];
  test.each(wrong)('refuses %j before any request', async (words, problem) => {
    const { code, stderr, requests } = await refusing.run(`availability off ${words}`);
    expect([code, requests, stderr]).toEqual([2, [], expect.stringContaining(problem)]);
  });

  test('as a tool asks what a terminal would ask', async () => {
    const world = await createWorld();
    const questions: string[] = [];
    const answer = (question: string) => {
      questions.push(question);
      return 'no' as const;
    };
    const { client, close } = await connect(world, '--allow-writes=availability.off', { answer });
    const { error } = await callTool(client, 'availability_off', { date: ['2026-11-20'] });
    await close();
    expect(error).toMatchObject({ code: 'confirmation-required', message: 'Not confirmed. Nothing was sent' });
    expect(questions).toEqual([expect.stringContaining('1 meeting stays: 15:00 Board preview')]);
  });

  test('changes nothing if the rules of a schedule have an unknown form', async () => {
    const world = await createWorld();
    const { code, requests, stderr } = await world.run('availability off 2026-12-24 --yes', {
      send: async (request) => {
        const reply = await world.service(request);
        return { ...reply, body: reply.body.replaceAll('"intervals"', '"spans"') };
      },
    });
    expect([code, requests.filter(isPatch)]).toEqual([13, []]);
    expect(stderr).toContain('set its hours first: sched availability update KESGWCQUND3DVJZ3 --event-type ');
  });
});

/** A generator of numbers below `limit`, the same for the same account. */
const numbersOf = (account: number) => {
  let state = account * 2_654_435_761 + 1;
  return (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
};

const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland', 'America/Santiago'];
const hours = [
  [{ from: '09:00', to: '17:00' }],
  [{ from: '00:00', to: '24:00' }],
  [
    { from: '08:00', to: '12:00' },
    { from: '12:00', to: '23:45' },
  ],
  [],
];
const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const dateAfter = (days: number) => new Date(someday + days * 86_400_000).toISOString().slice(0, 10);
const datesOf = onceEach((zone: string) => new Intl.DateTimeFormat('sv-SE', { timeZone: zone }));

/** Gives the own schedules of an account other zones, hours, special hours and days off. */
const scramble = async (world: TestWorld, number: (limit: number) => number) => {
  for (const schedule of (await schedulesOf(world)).own) {
    const weekly = weekdays.filter(() => number(5) > 0);
    const rules: Rule[] = [
      ...weekly.map((wday) => ({ type: 'wday', wday, intervals: hours[number(hours.length)]! })),
      ...Array.from({ length: number(6) }, (_, index) => ({
        type: 'date',
        date: dateAfter(2 + index * 3 + number(3)),
        intervals: hours[number(hours.length)]!,
      })),
    ];
    const { status } = await patch(world, schedule, { rules, timezone: zones[number(zones.length)]! });
    expect(status).toBe(200);
  }
};

test('on the demo and generated accounts, nobody can book the user on a day off, and only what was said is lost', {
  timeout: 600_000,
}, async () => {
  let checked = 0;
  for (let account = times(1, 0); account <= times(1, 50); account += 1) {
    const world = await createWorld();
    const number = numbersOf(account);
    if (account > 0) await scramble(world, number);
    const [first, length] = [2 + number(20), number(6)];
    const args = [`${dateAfter(first)}..${dateAfter(first + length)}`, dateAfter(first + length + 1 + number(5))];
    const dates = [...Array.from({ length: length + 1 }, (_, index) => dateAfter(first + index)), args[1]!];
    const before = await schedulesOf(world);
    const done = await world.run(['availability', 'off', ...args, '--yes', '--json']);
    const after = await schedulesOf(world);
    expect([account, done.code, after.others]).toEqual([account, 0, before.others]);

    const { uri: me } = await json(world, 'users', 'me');
    for (const type of (await json(world, 'event-types', 'list', '--active')).slice(number(3), 3 + number(3))) {
      const schedules: Schedule[] = await json(world, 'availability', 'list', '--event-type', type.uri);
      const { timezone } = schedules.find(({ user }) => user === me)!;
      const window = ['--since', dateAfter(first - 2), '--until', dateAfter(first + length + 8)];
      const slots = await json(world, 'event-types', 'slots', type.uri, ...window);
      for (const { start_time: start, end_time: end, event, event_memberships: hosts } of slots) {
        if (event || !hosts.some(({ user }: { user: string }) => user === me)) continue;
        checked += 1;
        for (const at of [Date.parse(start), Date.parse(end) - 1])
          expect([account, type.name, dates.includes(datesOf(timezone).format(at))]).toEqual([
            account,
            type.name,
            false,
          ]);
      }
    }

    const records: Schedule[] = JSON.parse(done.stdout);
    const undone = await world.run(['availability', 'off', ...args, '--undo', '--yes']);
    expect([account, undone.code]).toEqual([account, 0]);
    const restored = await schedulesOf(world);
    expect(restored.others).toEqual(before.others);
    for (const [index, { uri, rules }] of before.own.entries()) {
      const said = records.find((record) => record.uri === uri)?._sched?.replaced ?? [];
      const lost = ({ date = '' }: Rule) => said.some((text) => text.startsWith(date) && date !== '');
      const kept = rules.filter((rule) => !lost(rule) && !(isOff(rule) && dates.includes(rule.date!)));
      expect([account, uri, restored.own[index]!.rules]).toEqual([account, uri, kept]);
    }
  }
  // The days around them can be booked.
  expect(checked).toBeGreaterThan(0);
});
