import { beforeEach, describe, expect, test } from 'vitest';
import { SchedError } from '../../../src/base/errors.ts';
import type { Send } from '../../../src/http/message.ts';
import { createWorld, isWrite, outputs, type Result, terminals } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';

let world: Awaited<ReturnType<typeof createWorld>>;
beforeEach(async () => {
  world = await createWorld();
});

const firstUri = async (flags = '--status active --since tomorrow') =>
  (await world.run(`events list ${flags} --limit 1 -o id`)).stdout.trim();

describe('events list', () => {
  test('prints one JSON array across pages', async () => {
    const { code, stdout, requests } = await world.run('events list --json --page-size 30');
    const events = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(events.length).toBeGreaterThan(50);
    expect(new Set(events.map((event: { uri: string }) => event.uri)).size).toBe(events.length);
    expect(requests.filter(({ url }) => url.includes('page_token')).length).toBe(Math.ceil(events.length / 30) - 1);
  });

  test('never follows next_page, and repeats the filters with the page token', async () => {
    const { requests } = await world.run('events list --status active --page-size 20 --json');
    const pages = requests.filter(({ url }) => url.includes('/scheduled_events?'));
    expect(
      pages.every(
        ({ url }) => url.startsWith('http://127.0.0.1:4010/scheduled_events?') && url.includes('status=active'),
      ),
    ).toBe(true);
  });

  test('requests no more rows than the limit', async () => {
    const { stdout, requests } = await world.run('events list --limit 5 --json=uri,name,start_time');
    expect(JSON.parse(stdout)).toHaveLength(5);
    expect(Object.keys(JSON.parse(stdout)[0])).toEqual(['uri', 'name', 'start_time']);
    expect(requests.at(-1)!.url).toContain('count=5');
  });

  test('lets --jq read the environment, except the token', async () => {
    const env = { WANTED: 'active' };
    const { stdout } = await world.run(['events', 'list', '--jq', '[.[] | select(.status == env.WANTED)] | length'], {
      env,
    });
    expect(Number(stdout)).toBeGreaterThan(0);
    const whole = await world.run(['events', 'list', '--limit', '1', '--jq', '$ENV'], { env });
    expect(JSON.parse(whole.stdout)).toEqual({
      WANTED: 'active',
      SCHED_BASE_URL: 'http://127.0.0.1:4010',
      NO_COLOR: '1',
    });
  });

  test('shows at most 50 rows on a terminal and how to see all', async () => {
    const { stdout, stderr } = await world.run('events list --any-time', { terminals: outputs, columns: 100 });
    expect(stdout.match(/^ {2}\d\d:\d\d–/gm)).toHaveLength(50);
    expect(stdout).toMatch(/^Your events · Europe\/Paris\n\w{3} \d+ \w{3}/);
    expect(stderr).toBe('Showing 50 of your events. For more: --all. For everyone: --org current\n');
  });

  describe('without a time window', () => {
    const windowOf = ({ requests }: Result) => {
      const { searchParams } = new URL(requests.find(({ url }) => url.includes('/scheduled_events?'))!.url);
      return [searchParams.get('min_start_time'), searchParams.get('max_start_time')];
    };

    test.each(
      sample<[string, string]>(
        [
          ['', '2026-11-14T23:00:00Z'],
          ['--all', '2026-11-14T23:00:00Z'],
          ['--limit 3', '2026-11-14T23:00:00Z'],
          ['--tz Asia/Tokyo', '2026-11-15T15:00:00Z'],
          ['--org current --status active', '2026-11-14T23:00:00Z'],
        ],
        2,
      ),
    )('a table on a terminal starts today in the zone that it shows: %s', async (flags, since) => {
      const result = await world.run(`events list ${flags}`, { terminals: outputs });
      expect(windowOf(result)).toEqual([since, null]);
      expect(result.stdout).toMatch(/^(Your e|E)vents from today on · /);
      expect(result.stderr.includes('For everyone: --org current')).toBe(!/--org|--limit/.test(flags));
    });

    test.each([
      '--json --limit 3',
      '-o csv --limit 3',
      '--jq length --limit 3',
      '--any-time --limit 3',
      '--any-time --all --search Intro',
    ])('gets all events on a terminal with %s', async (flags) => {
      const result = await world.run(`events list ${flags}`, { terminals: outputs });
      expect(windowOf(result)).toEqual([null, null]);
      expect(result.stderr).not.toContain('from today on');
    });

    test.each(sample(['', '-o table', '--any-time', '--json'], 1))('gets all events in a pipe: %s', async (flags) => {
      expect(windowOf(await world.run(`events list ${flags} --limit 3`))).toEqual([null, null]);
    });

    test('shows earlier events with --past, latest first', async () => {
      const past = await world.run('events list --past --limit 20 --json=start_time', { terminals: outputs });
      expect(windowOf(past)).toEqual([null, '2026-11-15T18:00:00Z']);
      const times = JSON.parse(past.stdout).map(({ start_time }: { start_time: string }) => start_time);
      expect(times).toEqual([...times].sort().reverse());
    });

    test('says that nothing was found from today on', async () => {
      const { stderr } = await world.run('events list --search nothinglikethis', { terminals: outputs });
      expect(stderr).toBe(
        'No events match. To search people too: --with invitees. Earlier: --past. For\n  everyone: --org current\n',
      );
    });

    test('rejects --any-time with another window', async () => {
      const { code, stderr, requests } = await world.run('events list --any-time --past');
      expect([code, requests]).toEqual([2, []]);
      expect(stderr).toContain("--any-time and --past can't be used together");
    });
  });

  test('reads no names, and waits for none, if the service allows 10 requests a minute', async () => {
    const limits = { 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '8', 'x-ratelimit-reset': '30' };
    const send: Send = async (request) => {
      const reply = await world.service(request);
      return { ...reply, headers: { ...reply.headers, ...limits } };
    };
    const { code, stdout, stderr, requests } = await world.run('events list --limit 8', { terminals: outputs, send });
    expect([code, requests.filter(({ url }) => url.includes('/invitees'))]).toEqual([0, []]);
    expect(stdout).toMatch(/^ {2}\d\d:\d\d–\d\d:\d\d {2}● /m);
    expect(stderr).toContain('To see who comes: --with invitees (few requests are left)');
    expect(stderr).not.toContain('waiting');
  });

  describe('the footer of a limited list', () => {
    test.each(
      sample<[string, string, number | undefined]>(
        [
          ['events list --any-time --limit 12', 'Showing 12 of your events. For more: --all or --limit N', 14],
          ['members list --limit 1', 'Showing 1 of the members. For more: --all or --limit N', 4],
          [
            'routing-forms submissions --limit 1',
            'Showing 1 of the submissions of all routing forms. For more',
            undefined,
          ],
          [
            'routing-forms submissions --sort created_at:desc --limit 1',
            'Showing 1 of the submissions of all routing forms. For more',
            undefined,
          ],
          [
            'events list --any-time --search "a" --limit 2',
            'Showing 2 of your events. For more: --all or --limit N',
            4,
          ],
          ['events list --any-time --page-size 2 --search "a" --limit 3', 'Showing 3 of your events. ', undefined],
        ],
        3,
      ),
    )('says that there is more, without a request of its own: %s', async (line, footer, count) => {
      const { stderr, requests } = await world.run(line, { terminals: outputs });
      expect(stderr).toContain(footer);
      // The list, whose it is, the people of each event, and the groups of members.
      if (count !== undefined) expect(requests).toHaveLength(count);
    });

    test('says "maybe" if rows are filtered here and the next page was not read', async () => {
      const row = (number: number) => ({
        uri: `http://127.0.0.1:4010/scheduled_events/E${number}`,
        name: `Call ${number}`,
      });
      const send: Send = async (request) =>
        request.url.includes('/scheduled_events?')
          ? {
              status: 200,
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify({ collection: [row(1), row(2)], pagination: { next_page_token: 'next' } }),
            }
          : world.service(request);
      const { stderr } = await world.run('events list --any-time --search "call 2" --limit 1', {
        terminals: outputs,
        send,
      });
      expect(stderr).toContain('Showing 1 of your events. There may be more: --all or --limit N');
    });

    test('says nothing if the limit is the number of rows', async () => {
      const { length } = JSON.parse((await world.run('event-types list --json=uri')).stdout);
      const { stderr } = await world.run(`event-types list --limit ${length}`, { terminals: outputs });
      expect(stderr).not.toContain('shown');
    });
  });

  test('lists the whole organization with --org current', async () => {
    const own = JSON.parse((await world.run('events list --json=uri')).stdout).length;
    const { stdout, requests } = await world.run('events list --org current --json=uri');
    expect(JSON.parse(stdout).length).toBeGreaterThan(own);
    expect(requests.at(-1)!.url).not.toContain('user=');
  });

  test('succeeds with an empty list', async () => {
    const { code, stdout, stderr } = await world.run('events list --since 2040-01-01 --json');
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
  });

  test.each(
    sample<[string, boolean]>(
      [
        ['--json', false],
        ['--json --since 2026-01-01T00:00:00Z', false],
        ['--json --since 2026-01-01', true],
        ['--json --today', true],
        ['-o table', true],
        ['-o table --quiet', true],
        ['-o table --tz Europe/Oslo', false],
      ],
      2,
      ([, isNoted]) => isNoted,
    ),
  )('%s: notes an unsupported TZ only if it matters: %s', async (flags, isNoted) => {
    const unsupported = { env: { TZ: 'CET-1CEST' }, systemZone: 'UTC' };
    const { code, stderr } = await world.run(`events list ${flags} --limit 3`, unsupported);
    expect(code).toBe(0);
    expect(stderr.match(/TZ=CET-1CEST is not a supported time zone; using UTC/g)).toEqual(
      isNoted ? [expect.any(String)] : null,
    );
  });

  test('cancel warns about an unknown TZ, also with --quiet', async () => {
    const { run } = await createWorld({ env: { TZ: 'CET-1CEST' }, systemZone: 'UTC' });
    const line = 'events cancel JW6SHQTS78SH7TS8 XEFT95ZZDW9SPL93 --yes --json=status';
    const note = '{"note":"TZ=CET-1CEST is not a supported time zone; using UTC"}\n';
    expect(await run(line)).toMatchObject({ code: 0, stderr: expect.stringContaining(note) });
    expect(await run(`${line} --quiet`)).toMatchObject({ code: 0, stderr: note });
  });

  test('stops fetching when the reader closes the pipe, and aborts the page in flight', async () => {
    const { code, requests } = await world.run('events list --page-size 5 -o id', { closeAfter: 100 });
    expect(code).toBe(0);
    const asked = requests.filter(({ url }) => url.includes('/scheduled_events'));
    expect(asked).toHaveLength(2);
    expect(asked[1]!.signal!.aborted).toBe(true);
  });

  test.each([
    ['--limit 5', 1],
    ['--limit 10', 2],
    ['--search e --limit 3', 1],
  ])('requests no more pages than needed for %s', async (flags, pages) => {
    const { code, requests } = await world.run(`events list --page-size 5 -o id ${flags}`);
    expect(code).toBe(0);
    expect(requests.filter(({ url }) => url.includes('/scheduled_events'))).toHaveLength(pages);
  });

  test('accepts flags before the noun, and the noun in singular', async () => {
    const { code, stdout } = await world.run('--json event list --limit 1');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveLength(1);
  });
});

describe('events get', () => {
  test('reads an ID after a bare --json as the ID', async () => {
    const uri = await firstUri();
    const { stdout } = await world.run(`events get --json ${uri.split('/').at(-1)}`);
    expect(JSON.parse(stdout).uri).toBe(uri);
  });

  test('reads a field list after --json as fields', async () => {
    const uri = await firstUri();
    const { stdout } = await world.run(`events get ${uri} --json name,location.type`);
    expect(Object.keys(JSON.parse(stdout))).toEqual(['name', 'location']);
  });

  test('rejects a URI of another record type or origin, and sends nothing there', async () => {
    const wrongKind = await world.run('events get http://127.0.0.1:4010/users/ABC');
    expect(wrongKind).toMatchObject({ code: 2, requests: [] });
    const wrongOrigin = await world.run('events get https://evil.example/scheduled_events/ABC');
    expect(wrongOrigin.code).toBe(2);
    expect(wrongOrigin.stderr).toContain('https://evil.example');
    expect(wrongOrigin.requests.map(({ url }) => url)).toEqual(['http://127.0.0.1:4010/users/me']);
  });

  test.each([
    [
      'events list --user http://127.0.0.1:4010/groups/A',
      '--user must be me, a name, an email address, an ID or a URI under /users/, not "http://127.0.0.1:4010/groups/A"',
    ],
    [
      'events list --org "North light"',
      '--org must be current, an ID or a URI under /organizations/, not "North light"',
    ],
    ['users get http://127.0.0.1:4010/groups/A', '<user> must be the URI of a user ('],
    ['events get http://127.0.0.1:4010/groups/A', '<event> must be the URI of an event ('],
  ])('rejects a reference of the wrong kind, and says what is accepted: %s', async (line, words) => {
    const { code, stderr, requests } = await world.run(line);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toContain(words);
  });

  test.each(['../users/me', 'a/b', 'a%2fb', '..', 'a?x', 'a#x', 'http://127.0.0.1:4010/scheduled_events/../users/me'])(
    'rejects an ID that would change the path: %s',
    async (id) => {
      expect(await world.run(['events', 'get', id])).toMatchObject({ code: 2, requests: [] });
    },
  );

  test('names the event that was not found', async () => {
    const { code, stderr } = await world.run('events get NOSUCHEVENT');
    expect(code).toBe(6);
    const [error, , hint] = stderr.split('\n');
    expect(error).toBe('error: No event with ID NOSUCHEVENT');
    expect(hint).toBe('try: sched events list');
  });
});

describe('events cancel', () => {
  test('does nothing without confirmation', async () => {
    const uri = await firstUri();
    const { code, requests } = await world.run(['events', 'cancel', uri, '--reason', '-your slot is gone']);
    expect(code).toBe(12);
    expect(requests.filter(isWrite)).toEqual([]);
  });

  test('cancels with --yes, and says "already" the second time', async () => {
    const uri = await firstUri();
    const first = await world.run(`events cancel ${uri} --yes --reason ill --json`);
    expect(first.code).toBe(0);
    expect(JSON.parse(first.stdout).status).toBe('canceled');
    expect(JSON.parse(first.requests.at(-1)!.body!)).toEqual({ reason: 'ill' });
    const second = await world.run(`events cancel ${uri} --yes --json`);
    expect(second.code).toBe(0);
    expect(JSON.parse(second.stdout)).toMatchObject({ status: 'canceled', _sched: { already: true } });
    expect(second.stderr).toContain('already canceled');
    const chosen = await world.run(`events cancel ${uri} --yes --json=status,_sched`);
    expect(JSON.parse(chosen.stdout)).toEqual({ status: 'canceled', _sched: { already: true } });
  });

  test.each(['403 for the canceled event', '403 for an active event'])('reads the event after a %s', async (name) => {
    const uri = await firstUri();
    const isCanceled = name.includes('the canceled');
    if (isCanceled) await world.run(`events cancel ${uri} --yes`);
    const send: Send = async (request) =>
      request.method === 'POST'
        ? { status: 403, headers: {}, body: '{"title":"Permission Denied"}' }
        : world.service(request);
    const one = await world.run(`events cancel ${uri} --yes --json`, { send });
    expect(one.code).toBe(isCanceled ? 0 : 5);
    if (isCanceled) expect(JSON.parse(one.stdout)).toMatchObject({ status: 'canceled', _sched: { already: true } });
  });

  test('asks on a terminal, and cancels only after yes', async () => {
    const uri = await firstUri();
    const no = await world.run(`events cancel ${uri}`, { terminals, stdin: 'n\n' });
    expect(no.code).toBe(12);
    const yes = await world.run(`events cancel ${uri}`, { terminals, stdin: 'y\n' });
    expect(yes.code).toBe(0);
    const span = /\w{3} \d+ \w{3} \d\d:\d\d–\d\d:\d\d/.source;
    expect(yes.stderr).toMatch(
      new RegExp(`✔ Canceled: .+, ${span} Europe/Paris\n {2}Björk \\(08:00 in Reykjavik\\) was notified\\.\n$`),
    );
    const again = await world.run(`events cancel ${uri} --accessible`, { terminals });
    expect(again.stderr).toMatch(new RegExp(`^Already canceled: .+, ${span} Europe/Paris\n$`));
  });

  test.each([
    ['EVENT1\n', 'Confirmation needed to cancel 1 event, but there is no terminal to ask on'],
    ['EVENT1\nEVENT2\n', 'Confirmation needed to cancel 2 events, but there is no terminal to ask on'],
  ])('counts the events of a file in the error without a terminal: %j', async (stdin, question) => {
    const { code, stderr } = await world.run('events cancel --from -', { stdin, home: temporaryDirectory('events') });
    expect([code, stderr]).toEqual([12, expect.stringContaining(question)]);
  });

  test('answers for each of several events, instead of showing records', async () => {
    const uriOf = async (type: string) =>
      (await world.run(`events list --event-type "${type}" --status active --upcoming --limit 1 -o id`)).stdout.trim();
    const uris = `${await uriOf('Intro call')} ${await uriOf('Customer onboarding')}`;
    const { code, stdout, stderr } = await world.run(`events cancel ${uris} --yes`, {
      terminals: outputs,
    });
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(
      /^✔ Canceled: Intro call, .+\n {2}.+ (was|were) notified\.\n✔ Canceled: Customer onboarding, .+\n/,
    );
  });

  test('cancels an event once that is named by ID and by URI', async () => {
    const uri = await firstUri();
    const { code, requests } = await world.run(`events cancel ${uri} ${uri.split('/').at(-1)} --yes`);
    expect(code).toBe(0);
    expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  test('continues after a failure, and says how many events failed', async () => {
    const uri = await firstUri();
    const { code, stdout, stderr } = await world.run(`events cancel NOSUCHEVENT ${uri} --yes -o id`);
    expect(code).toBe(11);
    expect(stdout.trim()).toBe(uri);
    expect(stderr).toContain('1 of 2 events was not canceled');
    expect(stderr).toContain('failed: NOSUCHEVENT: ');
  });

  test('names an event that it could not cancel after a prompt', async () => {
    const uris = (await world.run('events list --status active --upcoming --limit 2 -o id')).stdout.trim().split('\n');
    const send: Send = async (request) =>
      request.method === 'POST' ? { status: 403, headers: {}, body: '{}' } : world.service(request);
    const asking = { terminals, stdin: 'y\n', send };
    const { code, stderr } = await world.run(`events cancel ${uris.join(' ')}`, asking);
    expect(code).toBe(11);
    expect(stderr).toMatch(/^failed: ".+" \(\w{3} \d+ \w{3} \d\d:\d\d\): The service doesn't allow this/m);
  });

  test('prints the request and sends no write with --dry-run', async () => {
    const uri = await firstUri();
    const { code, stdout, requests } = await world.run(`events cancel ${uri} -n --reason ill`);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ method: 'POST', url: `${uri}/cancellation`, body: { reason: 'ill' } });
    expect(requests.filter(isWrite)).toEqual([]);
  });
});

test.each([
  ['events cancel JW6SHQTS78SH7TS8 --yes', 'JW6SHQTS78SH7TS8'],
  ['event-types create --name Chat --json', 'Chat'],
])('a signal during the request of %s takes effect after its reply is printed', async (line, printed) => {
  const stop = new AbortController();
  const send: Send = (request) => {
    if (request.method === 'POST') stop.abort(new SchedError('interrupted', 'Interrupted'));
    return world.service(request);
  };
  const { code, stdout } = await world.run(line, { send, interrupted: stop.signal });
  expect([code, stdout]).toEqual([130, expect.stringContaining(printed)]);
});
