import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { NetworkFailure } from '../../../src/http/failure.ts';
import type { HttpRequest, Send } from '../../../src/http/message.ts';
import { width } from '../../../src/output/width.ts';
import { plainType, slot } from '../../support/lost-replies.ts';
import type { TestWorld } from '../../support/run.ts';
import { createWorld, outputs, replying } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { sample, times } from '../../support/tier.ts';
import { book, cancel, deliveries, following, isInvitees } from './following.ts';

let home: string;
let world: TestWorld;
beforeEach(async () => {
  home = temporaryDirectory('follow');
  world = await createWorld({ home });
});

const events = (stdout: string): string[] => deliveries(stdout).map(({ event, payload }) => `${event} ${payload.name}`);
const isList = ({ url }: HttpRequest) => new URL(url).pathname === '/scheduled_events';
/** A first start sends two: one for the service's clock, and one for all that is to come. Then it reads invitees. */
const firstLists = 2;
const jsonl = '-o jsonl';
const stateFile = () => {
  const folder = join(home, '.local/state/sched/follow');
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.json'))!);
};
const hour = 3_600_000;

describe('events follow', () => {
  test('prints each booking and cancellation once, in the shape of a delivery', async () => {
    let first = '';
    const { code, stdout } = await following(world, jsonl, [
      async () => {
        first = await book(world);
      },
      () => cancel(world, first),
      () => {},
    ]);
    expect(code).toBe(0);
    expect(events(stdout)).toEqual(['invitee.created Ada Byron', 'invitee.canceled Ada Byron']);
    const [created, canceled] = deliveries(stdout);
    const me = JSON.parse((await world.run('users me --json')).stdout).uri;
    const invitee = JSON.parse((await world.run(`invitees list ${first} --json`)).stdout)[0];
    const event = JSON.parse((await world.run(`events get ${first} --json`)).stdout);
    expect(canceled).toEqual({
      event: 'invitee.canceled',
      created_at: invitee.updated_at,
      created_by: me,
      payload: { ...invitee, scheduled_event: event },
    });
    expect(created).toMatchObject({ created_at: invitee.created_at, payload: { status: 'active' } });
  });

  test('tells nothing of the past at its first start', async () => {
    await book(world);
    await world.clock.sleep(1000);
    const { stdout } = await following(world, jsonl, [() => {}]);
    expect(stdout).toBe('');
  });

  test('tells the further invitee of a group event', async () => {
    await book(world, 'Open workshop', 'Mei Lin');
    await world.clock.sleep(1000);
    const { stdout } = await following(world, jsonl, [() => book(world, 'Open workshop', 'Kofi Mensah')]);
    expect(events(stdout)).toEqual(['invitee.created Kofi Mensah']);
  });

  test('tells the booking and the cancellation of a meeting that was canceled between two checks', async () => {
    const { stdout } = await following(world, jsonl, [async () => cancel(world, await book(world))]);
    expect(events(stdout)).toEqual(['invitee.created Ada Byron', 'invitee.canceled Ada Byron']);
  });

  test('reads the window in one request per check, and invitees only of events that changed', async () => {
    const { requests } = await following(world, jsonl, [() => {}, () => book(world), () => {}, () => {}]);
    const lists = requests.filter(isList);
    expect(lists).toHaveLength(firstLists + 5);
    expect(requests.filter(isInvitees)).toHaveLength(1 + 1);
    const { searchParams } = new URL(lists[firstLists]!.url);
    expect(searchParams.get('min_start_time')).toBe('2026-11-15T17:00:00Z');
    expect(searchParams.get('max_start_time')).toBe('2027-01-14T18:00:00Z');
  });

  test('says what it reads, how often, what it does not see, and that it was stopped', async () => {
    const { stderr, code } = await following(world, '--tz UTC', []);
    expect({ code, stderr: stderr.split('\n') }).toEqual({
      code: 0,
      stderr: [
        'Following your events: booked or canceled since Sun 15 Nov 18:00, and starting before Thu 14 Jan 2027 18:00 (UTC)',
        'Checks every 10s, with at most half of the rate limit. Press Ctrl-C to stop',
        "sched can't see no-shows, or changes of events that start later or started more than an hour ago",
        'Stopped. The same command continues from here',
        '',
      ],
    });
  });

  test.each([
    ['--org current', 'all events of the organization'],
    ['--org current --event-type "Intro call"', 'the chosen events'],
  ])('%s: says that it follows %s', async (flags, words) => {
    expect((await following(world, flags, [])).stderr).toContain(`Following ${words}: booked`);
  });

  test('pauses as long as --every says', async () => {
    expect((await following(world, '--every 90s', [() => {}])).pauses).toEqual([90_000, 90_000]);
  });

  test('ends when the time in --until has passed', async () => {
    const { code, stderr, pauses } = await following(world, '--until 2026-11-15T18:00:25Z', [
      () => {},
      () => {},
      () => {},
    ]);
    expect({ code, pauses: pauses.length }).toEqual({ code: 0, pauses: 3 });
    expect(stderr).toContain('Stopped: the time in --until has passed');
  });

  test('tells a booking beyond --until when the window reaches it', async () => {
    const { stdout } = await following(world, `${jsonl} --until +1h`, [
      () => book(world),
      () => {},
      () => world.clock.sleep(48 * hour),
    ]);
    expect(events(stdout)).toEqual(['invitee.created Ada Byron']);
  });

  test('only follows the event type and the group that were asked for', async () => {
    const steps = [() => book(world, 'Intro call'), () => book(world, 'Open workshop', 'Mei Lin')];
    const typed = await following(world, `${jsonl} --event-type "Open workshop"`, steps);
    expect(events(typed.stdout)).toEqual(['invitee.created Mei Lin']);
    const grouped = await following(world, '--group "Customer team"', []);
    expect(grouped.requests.filter(isList).every(({ url }) => url.includes('group='))).toBe(true);
  });
});

// R55
describe('events follow, started again', () => {
  test('continues where it stopped, also with meetings that began and ended meanwhile', async () => {
    await following(world, jsonl, []);
    const first = await book(world);
    await book(world, 'Open workshop', 'Mei Lin');
    const { start_time } = JSON.parse((await world.run(`events get ${first} --json`)).stdout);
    await world.clock.sleep(Date.parse(start_time) - world.clock.now() + 72 * hour);
    const { stdout } = await following(world, jsonl, []);
    expect(events(stdout)).toEqual(['invitee.created Ada Byron', 'invitee.created Mei Lin']);
    expect((await following(world, jsonl, [])).stdout).toBe('');
  });

  test('tells again only the line that it did not remember', async () => {
    await following(world, jsonl, []);
    for (const name of ['Ada One', 'Ada Two', 'Ada Three']) await book(world, 'Intro call', name);
    // The reader is gone before the first line is complete.
    const cut = await world.run(`events follow ${jsonl} --once`, { closeAfter: 1 });
    expect({ code: cut.code, events: events(cut.stdout) }).toEqual({ code: 0, events: ['invitee.created Ada One'] });
    const { stdout } = await world.run(`events follow ${jsonl} --once`);
    expect(events(stdout)).toEqual(['invitee.created Ada One', 'invitee.created Ada Two', 'invitee.created Ada Three']);
    expect((await world.run(`events follow ${jsonl} --once`)).stdout).toBe('');
  });

  test('remembers each line before it prints the next', async () => {
    await following(world, jsonl, []);
    const both = [await book(world, 'Intro call', 'Ada One'), await book(world, 'Intro call', 'Ada Two')];
    const remembered = () => both.map((event) => readFileSync(stateFile(), 'utf8').includes(event));
    const seen: boolean[][] = [];
    await following(world, jsonl, [() => seen.push(remembered())], { onStdout: () => seen.push(remembered()) });
    expect(seen).toEqual([
      [false, false],
      [true, false],
      [true, true],
    ]);
  });

  test('adds each line to the same file, and writes the whole file once per check', async () => {
    await following(world, jsonl, []);
    for (const name of ['Ada One', 'Ada Two', 'Ada Three']) await book(world, 'Intro call', name);
    const files: number[] = [];
    const see = () => files.push(statSync(stateFile()).ino);
    await following(world, jsonl, [see], { onStdout: see });
    expect(files).toHaveLength(4);
    expect(new Set(files.slice(0, 3)).size).toBe(1);
    expect(readFileSync(stateFile(), 'utf8').trimEnd().split('\n')).toHaveLength(1);
  });

  test('continues at --since if the first check failed', async () => {
    await book(world);
    await world.clock.sleep(60_000);
    const send: Send = (request) => (isList(request) ? replying({ status: 500 })(request) : world.service(request));
    expect((await world.run(`events follow ${jsonl} --once --since -1h`, { send })).code).toBe(9);
    expect(events((await world.run(`events follow ${jsonl} --once`)).stdout)).toEqual(['invitee.created Ada Byron']);
  });

  test('says how to continue if it was started with --since', async () => {
    const { stderr } = await following(world, '--since -1h', []);
    expect(stderr).toContain('Stopped. The same command without --since continues from here\n');
  });

  test('starts again at --since, and continues from there', async () => {
    await book(world, 'Intro call', 'Ada One');
    await world.clock.sleep(hour);
    await book(world, 'Intro call', 'Ada Two');
    await world.clock.sleep(1000);
    expect(events((await world.run(`events follow ${jsonl} --once --since -30m`)).stdout)).toEqual([
      'invitee.created Ada Two',
    ]);
    expect(events((await world.run(`events follow ${jsonl} --once --since -2h`)).stdout)).toEqual([
      'invitee.created Ada One',
      'invitee.created Ada Two',
    ]);
    expect((await world.run(`events follow ${jsonl} --once`)).stdout).toBe('');
  });

  test('has a position for each filter', async () => {
    await world.run('events follow --once');
    await book(world);
    await world.clock.sleep(1000);
    expect((await world.run('events follow --once --event-type "Intro call"')).stdout).toBe('');
    expect((await world.run('events follow --once')).stdout).toContain('Ada Byron');
  });

  test('recovers after the clock was wrong by years', async () => {
    await following(world, jsonl, []);
    await world.run(`events follow ${jsonl} --once`, { clockAheadMs: 3 * 365 * 24 * hour });
    await book(world);
    expect(events((await world.run(`events follow ${jsonl} --once`)).stdout)).toEqual(['invitee.created Ada Byron']);
  });

  describe('at a service that is no sandbox', () => {
    /** The service with another `Date`, and a token that isn't one of a sandbox. */
    const dated =
      (aheadMs: number): Send =>
      async (request) => {
        const headers = { ...request.headers, authorization: `Bearer ${world.token}` };
        const reply = await world.service({ ...request, headers });
        const date = new Date(world.clock.now() + aheadMs).toUTCString();
        return { ...reply, headers: { ...reply.headers, date } };
      };
    /** This machine's clock is that of the records. */
    const at = { env: { SCHED_TOKEN: 'an-ordinary-token' }, clockAheadMs: 0 };
    const year = 365 * 24 * hour;

    const ways = sample([-year, year], 1);
    test.each(ways)('misses nothing while its Date is wrong by %i ms', async (aheadMs) => {
      const send = dated(aheadMs);
      const { stdout } = await following(world, jsonl, [() => book(world), () => undefined], { send, ...at });
      expect(events(stdout)).toEqual(['invitee.created Ada Byron']);
    });

    test.each(ways)('stops at --until only after both clocks have passed it: Date ahead by %i ms', async (ahead) => {
      const line = `${jsonl} --until ${new Date(world.clock.now() + hour).toISOString()}`;
      const { pauses, stderr } = await following(world, line, [() => undefined], { send: dated(ahead), ...at });
      expect([pauses.length, stderr.includes('--until has passed')]).toEqual([2, false]);
    });
  });

  test('stops at --until by the clock of a sandbox', async () => {
    for (const clockAheadMs of [0, -240 * hour]) {
      const until = new Date(world.clock.now() + hour).toISOString();
      const { stderr } = await following(
        world,
        `--until ${until}`,
        Array(2).fill(() => world.clock.sleep(hour)),
        { clockAheadMs },
      );
      expect(stderr).toContain('Stopped: the time in --until has passed');
    }
  });

  test('keeps a private file without names or addresses', async () => {
    await following(world, jsonl, [() => book(world, 'Intro call', 'Zoë Müller')]);
    expect(readFileSync(stateFile(), 'utf8')).not.toMatch(/Zoë|engine|Intro/);
    expect(statSync(stateFile()).mode & 0o777).toBe(0o600);
  });

  test('refuses a second process and names the first', async () => {
    let second = { code: 0, stderr: '' };
    await following(world, '', [
      async () => {
        second = await world.run('events follow --once');
      },
    ]);
    expect(second.code).toBe(7);
    expect(second.stderr).toMatch(
      new RegExp(
        `^error: Another process follows the same bookings\ncause: process ${process.pid} has been running since 2025-10-11T18:00:00`,
      ),
    );
  });

  const damaged = [
    '{',
    '{"version":2}',
    '{"version":1,"since":1e999,"position":null,"events":[]}',
    '{"version":1,"since":1e308,"position":null,"events":[]}',
  ];
  test.each(sample(damaged, 2))('refuses a damaged state and says how to start again: %s', async (text) => {
    await following(world, '', []);
    writeFileSync(stateFile(), text);
    const { code, stderr } = await world.run('events follow --once');
    expect(code).toBe(3);
    expect(stderr).toContain('add --since TIME to start again from that time');
    expect((await world.run('events follow --once --since -1h')).code).toBe(0);
  });

  test('refuses to start without a place for its state', async () => {
    const { code, stderr } = await world.run('events follow --once', { home: '/nonexistent' });
    expect(code).toBe(3);
    expect(stderr).toContain('set SCHED_STATE_DIR');
  });
});

describe('events follow, when something fails', () => {
  /** Fails these requests of the window, counted from 1. */
  const failing = (numbers: readonly number[], fail: () => ReturnType<Send>): Send => {
    let lists = 0;
    return async (request) => {
      if (isList(request)) lists += 1;
      return isList(request) && numbers.includes(lists) ? fail() : world.service(request);
    };
  };
  const unreachable = async () => {
    throw new NetworkFailure('127.0.0.1:4010', 'the connection was refused', false);
  };
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

  const troubles: [title: string, fail: () => ReturnType<Send>, words: string][] = [
    ['a network failure', unreachable, "Can't reach"],
    ['a 503', replying({ status: 503 }) as () => ReturnType<Send>, 'status 503'],
    [
      'a 429 with a long wait',
      replying({ status: 429, headers: { 'retry-after': '120' } }) as () => ReturnType<Send>,
      'Rate limit',
    ],
  ];
  test.each(sample(troubles, 1, ([, , words]) => words === 'Rate limit'))(
    'says so once after %s, keeps trying with longer pauses, and loses nothing',
    async (_, fail, words) => {
      const steps = [() => book(world), ...Array.from({ length: 6 }, () => () => {})];
      const { code, stdout, stderr, pauses } = await following(world, jsonl, steps, {
        send: failing(range(firstLists + 2, 9), fail),
        env: { SCHED_ERROR_FORMAT: 'text' },
      });
      expect(code).toBe(0);
      expect(events(stdout)).toEqual(['invitee.created Ada Byron']);
      const lines = stderr.split('\n').filter((line) => line.includes('Nothing is lost: trying again until it works'));
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain(words);
      expect(stderr).toContain('Working again, after trouble since Sat 11 Oct 20:00');
      expect(Math.max(...pauses)).toBeGreaterThan(10_000);
    },
  );

  test('shows that it is alive in a long pause', async () => {
    const isYoung: boolean[] = [];
    const look = () => {
      isYoung.push(statSync(stateFile()).mtimeMs > 0);
      utimesSync(stateFile(), 0, 0);
    };
    await following(world, '--every 20m', [look, look, look, look, look]);
    expect(isYoung).toEqual([true, true, true, true, true]);
  });

  test('waits for at most five minutes, unless the service asks for more', async () => {
    const { pauses } = await following(
      world,
      '',
      Array.from({ length: 12 }, () => () => {}),
      {
        send: failing(range(firstLists + 1, 99), unreachable),
      },
    );
    expect(pauses.slice(0, 8)).toEqual([10, 20, 40, 80, 160, 300, 300, 300].map((seconds) => seconds * 1000));
  });

  const refusals: [status: number, code: number][] = [
    [401, 4],
    [403, 5],
    [404, 6],
  ];
  test.each(sample(refusals, 1))(
    'ends after a %i with exit %i and no note about incomplete output',
    async (status, code) => {
      const result = await following(world, jsonl, [() => book(world), () => {}], {
        send: failing([firstLists + 3], replying({ status }) as () => ReturnType<Send>),
      });
      expect(result.code).toBe(code);
      expect(events(result.stdout)).toEqual(['invitee.created Ada Byron']);
      expect(result.stderr).not.toContain('incomplete');
    },
  );

  test('with --once exits with the code of the failure', async () => {
    const { code } = await world.run('events follow --once', { send: failing(range(2, 99), unreachable) });
    expect(code).toBe(9);
  });

  test('a closed pipe ends it with exit 0', async () => {
    const { code } = await following(world, jsonl, [() => book(world), () => {}, () => {}], { closeAfter: 10 });
    expect(code).toBe(0);
  });

  test('a page token that expires during a wait is no problem', async () => {
    const stale: Send = async (request) => {
      if (!request.url.includes('page_token')) return world.service(request);
      const details = [{ parameter: 'page_token', message: 'has expired' }];
      return { status: 400, headers: {}, body: JSON.stringify({ title: 'Invalid Argument', details }) };
    };
    const small: Send = (request) => stale({ ...request, url: request.url.replace('count=100', 'count=40') });
    await following(world, jsonl, [], { send: small });
    await book(world);
    const { stdout, code } = await world.run(`events follow ${jsonl} --once`, { send: small });
    expect({ code, events: events(stdout) }).toEqual({ code: 0, events: ['invitee.created Ada Byron'] });
  });
});

describe('events follow, its output', () => {
  test('for people is a line with time, name, event type and start', async () => {
    const { stdout } = await following(
      world,
      '--tz UTC --color never',
      [() => book(world, 'Intro call', 'Zoë Müller')],
      { terminals: outputs, columns: 100 },
    );
    expect(stdout).toMatch(/^18:00:10 {2}booked {4}Zoë Müller · Intro call {33,}Mon 16 Nov \d\d:\d\d–\d\d:\d\d\n$/);
  });

  test('fits a terminal, with a heading, and a last line that says it is alive', async () => {
    const { stdout, stderr } = await following(
      world,
      '--tz UTC',
      [() => book(world, 'Intro call', 'Zoë '.repeat(30))],
      {
        terminals: outputs,
        columns: 61,
        env: { NO_COLOR: '1' },
      },
    );
    expect(stdout).toMatch(/^18:00:10 {2}booked {4}Zoë Zoë [^…]+… {2,}Mon 16 Nov \d\d:\d\d–\d\d:\d\d\n$/);
    expect(width(stdout.trimEnd())).toBeLessThanOrEqual(61);
    expect(stderr).toMatch(/Following your events at 127\.0\.0\.1:4010 since Sun 15 Nov\n {2}18:00\n/);
    for (const line of stderr.split(/\r\x1b\[K|\n/)) expect(width(line)).toBeLessThanOrEqual(61);
    expect(stderr).toContain('\r\x1b[KFollowing · 0 changes · checking · Ctrl-C to stop');
  });

  test('has the date of what happened on another day, and the hosts in an organization', async () => {
    await following(world, '--org current', []);
    await cancel(world, await book(world));
    await world.clock.sleep(30 * hour);
    const { stdout } = await following(world, '--org current --tz UTC -o table', []);
    expect(stdout).toMatch(
      /^Sun 15 Nov 18:00 {2}booked {4}Ada Byron with .+ · Intro call · .+\nSun 15 Nov 18:00 {2}canceled {2}Ada Byron with /,
    );
  });

  test('in a pipe has the columns that help lists', async () => {
    const { stdout } = await following(world, '--header', [() => book(world)]);
    const [header, row] = stdout.split('\n').map((line) => line.split('\t'));
    expect(header).toEqual([
      'event',
      'created_at',
      'payload.name',
      'payload.email',
      'payload.scheduled_event.name',
      'payload.scheduled_event.start_time',
      'payload.scheduled_event.end_time',
      'payload.uri',
      'payload.scheduled_event.uri',
    ]);
    expect(row!.slice(0, 3)).toEqual(['invitee.created', '2026-11-15T18:00:10.000Z', 'Ada Byron']);
  });

  test('shows hostile names harmlessly', async () => {
    const send: Send = async (request) => {
      const reply = await world.service(request);
      return { ...reply, body: reply.body.replaceAll('Ada Byron', '\\u001b[2JAda\\nFORGED\\u202e') };
    };
    const { stdout } = await following(world, '--color never', [() => book(world)], {
      send,
      terminals: ['stdout'],
    });
    expect(stdout).toContain('\\x1b[2JAda\\nFORGED<U+202E>');
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  });

  test('is an array with -o json --once, and csv with a header', async () => {
    await book(world);
    expect(JSON.parse((await world.run('events follow --once --json --since -1h')).stdout)).toHaveLength(1);
    const { stdout } = await world.run('events follow --once -o csv --since -1h');
    expect(stdout.split(/\r?\n/)[0]).toMatch(/^event,created_at,payload\.name/);
    expect((await world.run('events follow --once -o id --since -1h')).stdout).toMatch(/\/invitees\/\w+\n$/);
  });

  test('with --jq is the result for each line', async () => {
    const { stdout } = await following(world, '-o jsonl --jq .payload.name', [() => book(world), () => book(world)]);
    expect(stdout).toBe('Ada Byron\nAda Byron\n');
  });
});

describe('events follow refuses', () => {
  const wrong: [flags: string, words: string][] = [
    ['--every 5s', '--every must be at least 10s, not "5s"'],
    ['--every soon', '--every must be a duration such as 30s or 5m, not "soon"'],
    ['--once --every 1m', "--once and --every can't be used together"],
    ['--since +1h', '--since must be in the past'],
    ['--until -1h', '--until must be in the future'],
    ['--json', 'Use -o jsonl, or add --once'],
    ['-o table --fields event', '--fields only works with -o jsonl'],
    ['-o ics', '-o ics only works with'],
  ];
  test.each(wrong)('%s', async (flags, words) => {
    const { code, stderr, requests } = await world.run(`events follow ${flags}`, {
      env: { SCHED_ERROR_FORMAT: 'text' },
    });
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toContain(words);
  });

  test('nothing of --dry-run, which shows the request of a check', async () => {
    const { code, stdout, requests } = await world.run('events follow --dry-run');
    expect({ code, method: JSON.parse(stdout).method }).toEqual({ code: 0, method: 'GET' });
    expect(JSON.parse(stdout).url).toContain('min_start_time=2026-11-15T17');
    expect(requests.filter(isList)).toEqual([]);
  });
});

// R30, R55
describe('events follow with a token of 10 requests a minute', () => {
  test('never meets a 429, leaves half of the limit, and another command gets through at once at any moment', async () => {
    const free = await createWorld({ home, plan: 'free' });
    const type = await plainType(free);
    await free.clock.sleep(61_000);
    const statuses: number[] = [];
    const left: number[] = [];
    const send: Send = async (request) => {
      const reply = await free.service(request);
      statuses.push(reply.status);
      left.push(Number(reply.headers['x-ratelimit-remaining']));
      return reply;
    };
    const codes: number[] = [];
    const other = async () => {
      codes.push((await free.run('locations list --no-wait')).code);
    };
    let booked = 0;
    /** Somebody with another token books. Each booking costs the follower a request for its invitees. */
    const bookThree = async () => {
      for (const _ of [1, 2, 3]) {
        const body = {
          event_type: type,
          start_time: slot(booked),
          invitee: { email: `p${booked}@engine.example`, name: 'Ada', timezone: 'UTC' },
        };
        const headers = { authorization: 'Bearer sandbox_admin', 'content-type': 'application/json' };
        const url = 'http://127.0.0.1:4010/invitees';
        const reply = await free.service({ method: 'POST', url, headers, body: JSON.stringify(body) });
        expect(reply.status, reply.body).toBe(200);
        booked += 1;
      }
    };
    const pauses = times(10, 60);
    const steps = Array.from({ length: pauses }, (_, index) => async () => {
      if (index % 10 === 0) await bookThree();
      if (index % 2 === 0) await other();
    });
    const { code, stdout } = await following(free, `${jsonl} --until +200d`, steps, { send });
    expect(code).toBe(0);
    expect(deliveries(stdout)).toHaveLength(booked);
    expect([...new Set(statuses)]).toEqual([200]);
    expect(Math.min(...left)).toBeGreaterThanOrEqual(5);
    expect(codes).toEqual(Array(pauses / 2).fill(0));
  });
});
