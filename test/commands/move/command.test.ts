import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Send } from '../../../src/http/message.ts';
import { isBooking, lost, withoutEvents } from '../../support/lost-replies.ts';
import { connect } from '../../support/mcp-client.ts';
import {
  createWorld,
  jsonOf,
  lastJson,
  outputs,
  type Result,
  type TestWorld,
  terminals,
  type WorldOptions,
  writes,
} from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { few, sample } from '../../support/tier.ts';

const idOf = (uri: string): string => uri.split('/').at(-1)!;

let world: TestWorld;
let home: string;
beforeEach(async () => {
  world = await createWorld();
  home = temporaryDirectory('move');
});

const run = (line: string, more: WorldOptions = {}) => world.run(line, { home, ...more });
const sent = (result: Result): string[] => writes(result).map(({ url }) => new URL(url).pathname.split('/').at(-1)!);

/** Books Amara on 1 December, when she has no other meetings, and returns the ID of the event. */
const book = async (clock: string, more = '--email ada@example.com --name "Ada Byron"', type = 'Intro call') => {
  const flags = `--event-type "${type}" --start 2026-12-01T${clock}:00Z --timezone Europe/London ${more} --json`;
  return idOf(jsonOf(await run(`invitees create ${flags}`)).event);
};

const activeStarts = async (): Promise<string[]> => {
  const flags = '--since 2026-12-01 --until 2026-12-02 --status active --invitee ada@example.com --json=start_time';
  return jsonOf(await run(`events list ${flags} --tz UTC`)).map((event: { start_time: string }) =>
    event.start_time.slice(11, 16),
  );
};

describe('events move', () => {
  test.each([
    [false, 'already moved: Intro call', 0],
    // Nothing tells which event was booked.
    [true, "doesn't say what was booked", 10],
  ])('at a service that shows invitees without their event (flat: %s)', async (isFlat, secondTime, code) => {
    const id = await book('09:00');
    const send = withoutEvents(world.service, isFlat);
    const line = `events move ${id} --to 2026-12-01T14:00:00Z --yes`;
    const first = await run(line, { send, terminals: outputs });
    const again = await run(line, { send });
    expect([first.code, sent(first)]).toEqual([0, ['invitees', 'cancellation']]);
    expect(first.stderr).toContain('Moved: Intro call to ');
    expect([again.code, writes(again)]).toEqual([code, []]);
    expect(again.stderr).toContain(secondTime);
    for (const { stdout, stderr, requests } of [first, again])
      expect(`${stdout}${stderr}${requests.map(({ url }) => url)}`).not.toMatch(/\bunde(fined)?\b/);
    expect(await activeStarts()).toEqual(['14:00']);
  });

  test('books the new time, cancels the old event, and prints the new one', async () => {
    const id = await book('09:00');
    const result = await run(`events move ${id} --to 2026-12-01T14:00:00Z --yes --json`);
    expect(sent(result)).toEqual(['invitees', 'cancellation']);
    expect(JSON.parse(writes(result)[1]!.body!)).toEqual({ reason: 'Moved to Tue 1 Dec 14:00 Europe/London' });
    const event = jsonOf(result);
    expect(event).toMatchObject({ status: 'active', start_time: '2026-12-01T14:00:00.000Z', name: 'Intro call' });
    expect(event._sched).toMatchObject({ host_changed: false, invitees: [{ email: 'ada@example.com' }] });
    expect(idOf(event._sched.moved_from)).toBe(id);
    expect(await activeStarts()).toEqual(['14:00']);

    const again = await run(`events move ${id} --to 2026-12-01T14:00:00Z --yes --json`);
    expect(writes(again)).toEqual([]);
    expect(jsonOf(again)).toMatchObject({ uri: event.uri, _sched: { already: true, host_changed: false } });
    expect(again.stderr).toContain('already moved: Intro call, Tue 1 Dec 15:00 Europe/Paris (14:00 UTC)');
    expect(jsonOf(await run(`events move ${id} --to 2026-12-01T14:00:00Z -n`))).toEqual([]);
    const elsewhere = await run(`events move ${id} --to 2026-12-01T15:00:00Z --yes`);
    expect(elsewhere.code).toBe(7);
    expect(elsewhere.stderr).toContain(`try: sched events move ${idOf(event.uri)} --to 2026-12-01T15:00:00Z`);
  });

  // R56
  test('asks again where the service shows an earlier state, and says what stands after a cancellation', async () => {
    const id = await book('09:00');
    const restore = world.saveService();
    const line = `events move ${id} --to 2026-12-01T14:00:00Z`;
    await run(`${line} --yes`);
    await restore();
    const requests = jsonOf(await run(`${line} -n`)) as { url: string }[];
    expect(requests.map(({ url }) => url.split('/').at(-1))).toEqual(['invitees', 'cancellation']);
    const asked = await run(line, { terminals, stdin: 'y\n' });
    expect([asked.stderr, sent(asked)]).toEqual([
      expect.stringContaining('Move "Intro call" and notify Ada Byron'),
      ['invitees', 'cancellation'],
    ]);
    const [moved] = (
      await run('events list --since 2026-12-01 --until 2026-12-02 --status active --invitee ada@example.com -o id')
    ).stdout.split('\n');
    jsonOf(await run(`events cancel ${idOf(moved!)} --yes --json`));
    for (const flags of ['--yes', '-n']) {
      const again = await run(`${line} ${flags}`);
      expect([again.code, writes(again)], flags).toEqual([7, []]);
      expect(again.stderr).toContain(
        'but that booking no longer stands\ncause: the old event is canceled, and the new event',
      );
    }
  });

  test('asks at a terminal, with the local time of both sides, and tells how to undo it', async () => {
    const id = await book('09:00');
    const line = `events move ${id} --to "2026-12-01 15:00" --reason "The host is ill"`;
    const no = await run(line, { terminals, stdin: 'n\n' });
    expect([no.code, writes(no)]).toEqual([12, []]);
    expect(no.stderr.slice(0, no.stderr.indexOf('[y/N]'))).toBe(
      [
        'Move "Intro call" and notify Ada Byron (a cancellation and a new invitation)?',
        '  from    Tue 1 Dec 10:00–10:15',
        '  to      Tue 1 Dec 15:00–15:15 Europe/Paris · free',
        '  who     Ada Byron (14:00 in London)',
        '  same    place',
        '  new     ID, join link, cancel and reschedule links',
        '  reason  The host is ill',
        'Northlight Advisory · token from the environment · 127.0.0.1:4010',
        '',
      ].join('\n'),
    );
    const yes = await run(line, { terminals, stdin: 'y\n' });
    expect([yes.code, yes.stdout]).toEqual([0, '']);
    const after = yes.stderr.slice(yes.stderr.indexOf('[y/N]') + 6);
    expect(after).toMatch(
      /^✔ Moved: Intro call to Tue 1 Dec 15:00–15:15 Europe\/Paris\n {2}Ada Byron \(14:00 in London\) was notified\.\n {2}Join {2}https:\S+\n {2}Undo {2}sched events move \w+ --to 2026-12-01T10:00:00\+01:00\n$/,
    );
    const undo = /Undo {2}sched (.*)/.exec(after)![1]!;
    expect((await run(undo, { terminals, stdin: 'y\n' })).code).toBe(0);
    expect(await activeStarts()).toEqual(['09:00']);
  });

  test('cancels first only if that is allowed, and names the order', async () => {
    const id = await book('09:00');
    const line = `events move ${id} --to 2026-12-01T09:10:00Z`;
    const refused = await run(`${line} --yes`);
    expect([refused.code, writes(refused)]).toEqual([12, []]);
    expect(refused.stderr).toContain('The new time overlaps the old one, so sched must cancel first');
    expect(refused.stderr).toContain(`try: sched ${line} --yes --cancel-first`);
    const asked = await run(line, { terminals, stdin: 'n\n' });
    expect(asked.stderr.replaceAll('\n', ' ')).toContain(
      'The new time overlaps the old one. sched must cancel first; for a moment nobody is booked, and the time can be lost. Cancel first?',
    );
    expect([asked.code, writes(asked)]).toEqual([12, []]);
    const dry = jsonOf(await run(`${line} --yes --cancel-first -n`)).map(({ url }: { url: string }) => idOf(url));
    expect(dry).toEqual(['cancellation', 'invitees']);
    expect(sent(await run(`${line} --yes --cancel-first`))).toEqual(dry);
    expect(await activeStarts()).toEqual(['09:10']);
  });

  // R56
  describe('while another process moves the event, between the reads of it and of its people', () => {
    /** Something happens after the event was read, right before its people are. */
    const beforePeople = (happen: () => Promise<unknown>): Send => {
      let isFirst = true;
      return async (request) => {
        if (isFirst && request.method === 'GET' && /scheduled_events\/\w+\/invitees/.test(request.url)) {
          isFirst = false;
          await happen();
        }
        return world.service(request);
      };
    };

    test('says that it is moved already', async () => {
      const line = `events move ${await book('09:00')} --to 2026-12-01T09:10:00Z --cancel-first --yes`;
      const second = await run(line, { send: beforePeople(() => run(line)) });
      expect([second.code, second.stderr]).toEqual([0, expect.stringContaining('already moved: Intro call')]);
      expect([writes(second), await activeStarts()]).toEqual([[], ['09:10']]);
    });

    test('takes over from one that was killed', async () => {
      const line = `events move ${await book('09:00')} --to 2026-12-01T09:10:00Z --cancel-first --yes`;
      const killed: Send = async (request) => {
        if (request.method === 'GET' && new URL(request.url).pathname.endsWith('/invitees') && isCanceled)
          throw new Error('killed');
        isCanceled ||= request.url.endsWith('/cancellation');
        return world.service(request);
      };
      let isCanceled = false;
      const second = await run(line, { send: beforePeople(() => run(line, { send: killed })) });
      expect([second.code, sent(second)], second.stderr).toEqual([0, ['invitees']]);
      expect(await activeStarts()).toEqual(['09:10']);
    });
  });

  // R27
  test('names the way out if nothing that sched can read settles a booking', async () => {
    const line = `events move ${await book('09:00')} --to 2026-12-01T14:00:00Z --yes`;
    const down: Send = async (request) => {
      if (request.method === 'POST') throw lost();
      return world.service(request);
    };
    expect((await run(line, { send: down })).code).toBe(10);
    for (const minutes of [3, 10]) {
      await world.clock.sleep(minutes * 60_000);
      const again = await run(line);
      expect([again.code, writes(again)]).toEqual([10, []]);
      expect(again.stderr.replaceAll(/\s+/g, ' ')).toMatch(
        /the old event stands; .* shows nothing newer .* check the calendar; if it isn't booked, add --allow-duplicate/,
      );
      expect(again.stderr).toContain(`try: sched ${line} --allow-duplicate`);
    }
    expect((await run(`${line} --allow-duplicate`)).code).toBe(0);
    expect(await activeStarts()).toEqual(['14:00']);
  });

  test('offers free times around one that is not free: in the error, or to choose from', async () => {
    const id = await book('09:00');
    await book('14:00', '--email bob@example.com --name Bob');
    const line = `events move ${id} --to 2026-12-01T14:00:00Z`;
    const taken = await run(`${line} --yes --json`);
    expect([taken.code, writes(taken)]).toEqual([7, []]);
    expect(lastJson(taken.stderr).error).toMatchObject({
      message: "Tue 1 Dec 15:00 isn't free: Amara Lindqvist (busy: 15:00–15:15 Intro call)",
      free_times: expect.arrayContaining(['2026-12-01T13:45:00Z', '2026-12-01T14:15:00Z']),
    });
    const chosen = await run(`${line} --accessible`, { terminals, stdin: ['15:15', '1', '1'].join('\n') });
    expect(chosen.code, chosen.stderr).toBe(0);
    expect(await activeStarts()).toEqual(['14:15']);
  });

  test.each([
    ['--yes', "but the invitee's is Europe/London"],
    ['--yes --tz Europe/London', ''],
  ])('without an offset, %s', async (flags, problem) => {
    const id = await book('09:00');
    const { code, stderr } = await run(`events move ${id} --to "2026-12-01 14:00" ${flags}`, { terminals });
    expect([code, stderr]).toEqual([problem === '' ? 0 : 2, expect.stringContaining(problem)]);
  });

  describe('refuses', () => {
    const paid = '--since 2026-11-20 --status active --search "contract review"';
    const refused: [state: string, filters: string, exit: number, problem: string][] = [
      ['canceled', '--since 2026-11-20 --status canceled', 7, "is canceled, so it can't be moved"],
      ['begun', '--until 2026-11-10 --status active', 2, "has begun, so it can't be moved"],
      ['paid', paid, 2, 'is paid, and a new booking has no payment'],
    ];
    test.each(sample(refused, 1))('an event that is %s', async (_, filters, exit, problem) => {
      const id = (await run(`events list ${filters} --limit 1 -o id`)).stdout.trim();
      const result = await run(`events move ${id} --to 2026-12-07T09:00:00Z --yes`);
      expect([result.code, result.stderr, writes(result)]).toEqual([exit, expect.stringContaining(problem), []]);
    });

    test('an event of an inactive type, and one that does not exist', async () => {
      const id = await book('09:00');
      await run('event-types update "Intro call" --no-active --yes');
      const inactive = await run(`events move ${id} --to 2026-12-01T14:00:00Z --yes`);
      expect([inactive.code, inactive.stderr]).toEqual([2, expect.stringContaining('its event type is not active')]);
      expect((await run('events move NOSUCHEVENT99999 --to 2026-12-01T14:00:00Z --yes')).code).toBe(6);
    });

    test('flags that do not fit together', async () => {
      const { code, stderr } = await run('events move X --from a.csv --to 15:00 --since today --max 3');
      expect(code).toBe(2);
      for (const problem of [
        "--to and --from can't be used together",
        "An event can't be used with",
        '--since needs --shift',
      ])
        expect(stderr.replaceAll('\n  ', ' ')).toContain(problem);
      expect((await run('events move --timezone Nowhere --location-kind moon')).stderr).toMatch(
        /--timezone: "Nowhere" is not a time zone.*; --location-kind must be one of .*, not "moon"/s,
      );
    });
  });

  test('a time that is taken meanwhile is replaced at a terminal, once the new one is confirmed', async () => {
    const id = await book('09:00');
    let isTaken = false;
    const send: Send = async (request) => {
      if (isBooking(request) && !isTaken) {
        isTaken = true;
        await book('14:00', '--email bob@example.com --name Bob');
      }
      return world.service(request);
    };
    const line = `events move ${id} --to 2026-12-01T14:00:00Z --accessible`;
    const moved = await run(line, { send, terminals, stdin: '1\n1\n1\n' });
    expect(moved.code, moved.stderr).toBe(0);
    expect(moved.stderr).toMatch(
      /isn't free[\s\S]*Another time[\s\S]*Question: Move "Intro call"[\s\S]*Moved: Intro call/,
    );
    expect(moved.stderr).toMatch(/For a script:[\s\S]* --to 2026-12-01T\d\d:\d\d:00\+01:00 --accessible\n$/);
  });

  test('says also with --quiet that a move could not be recorded', async () => {
    const id = await book('09:00');
    const state = temporaryDirectory('state');
    const send: Send = async (request) => {
      const reply = await world.service(request);
      if (request.url.endsWith('/cancellation')) {
        rmSync(state, { recursive: true });
        writeFileSync(state, '');
      }
      return reply;
    };
    const line = `events move ${id} --to 2026-12-01T14:00:00Z --yes --quiet`;
    const { code, stderr } = await run(line, { send, env: { SCHED_STATE_DIR: state } });
    expect([code, stderr]).toEqual([0, expect.stringContaining('The move is done, but this could not be recorded')]);
  });

  few(2, {
    'asks in words for a screen reader': async () => {
      const id = await book('09:00');
      const { stderr } = await run(`events move ${id} --to 2026-12-01T14:00:00Z --accessible`, {
        terminals,
        stdin: '2\n',
      });
      expect(stderr).toMatch(/^Question: Move "Intro call" .*\nFrom: Tue 1 Dec 10:00–10:15\nTo: .*\nWho: Ada Byron \(/);
    },
    'lets a terminal choose the event and the new time': async () => {
      await book('09:00', '--email ada@example.com --name "Zoe Zander"');
      const result = await run('events move --accessible', { terminals, stdin: ['zander', '1', '1', '1'].join('\n') });
      expect(result.code, result.stderr).toBe(0);
      expect(result.stderr).toMatch(
        /Which event to move\?[\s\S]*Day:[\s\S]*for Zoe\)[\s\S]*Move "Intro call"[\s\S]*Moved: /,
      );
      expect(result.stderr).toMatch(
        /For a script:\n {2}sched events move \w+ --accessible --to 2026-11-16T10:00:00\+01:00\n$/,
      );
    },
    'hides nothing in a name from the network': async () => {
      const id = await book(
        '09:00',
        ['--email eve@example.com --name', JSON.stringify('Eve\x1b[2J\u202e\nmallory')].join(' '),
      );
      const { stderr } = await run(`events move ${id} --to 2026-12-01T14:00:00Z`, { terminals, stdin: 'n\n' });
      expect(stderr).toMatch(/ {2}who +Eve/);
      expect(stderr).not.toMatch(/\x1b\[2J|\u202e|\nmallory/);
    },
    'moves a whole group, and prints every request with --dry-run': async () => {
      const id = await book('09:00', '--email ada@example.com --name "Ada Byron"', 'Open workshop');
      await book('09:00', '--email bob@example.com --first-name Bob', 'Open workshop');
      const line = `events move ${id} --to 2026-12-01T14:00:00Z`;
      const dry = jsonOf(await run(`${line} -n`));
      expect(
        dry.map(({ url, body }: { url: string; body: Record<string, unknown> }) => [idOf(url), body.start_time]),
      ).toEqual([
        ['invitees', '2026-12-01T14:00:00Z'],
        ['invitees', '2026-12-01T14:00:00Z'],
        ['cancellation', undefined],
      ]);
      const asked = await run(line, { terminals, stdin: 'y\n' });
      expect(asked.stderr).toContain('Move "Open workshop" and notify 2 people (a cancellation and a new invitation)?');
      expect(asked.stderr).toContain(' were notified.\n');
      expect(sent(asked)).toEqual(['invitees', 'invitees', 'cancellation']);
    },
    'refuses to join an event with too few seats': async () => {
      const id = await book('09:00', '--email ada@example.com --name Ada', 'Open workshop');
      await book('09:00', '--email bob@example.com --name Bob', 'Open workshop');
      for (let seat = 0; seat < 7; seat += 1)
        await book('14:00', `--email seat${seat}@example.com --name Seat`, 'Open workshop');
      const full = await run(`events move ${id} --to 2026-12-01T14:00:00Z --yes`);
      expect([full.code, writes(full)]).toEqual([7, []]);
      expect(full.stderr).toContain('"Open workshop" (Tue 1 Dec 15:00) has 1 free seat for 2 people');
    },
    'finishes from its record what was stopped between cancellation and booking': async () => {
      const id = await book('09:00');
      const line = `events move ${id} --to 2026-12-01T09:10:00Z --cancel-first --yes`;
      const down: Send = async (request) =>
        request.method === 'POST' && request.url.endsWith('/invitees')
          ? { status: 503, headers: {}, body: '' }
          : world.service(request);
      const stopped = await run(`${line} --no-wait`, { send: down });
      expect([stopped.code, await activeStarts()]).toEqual([10, []]);
      // Until then, the booking that got no reply may still be carried out.
      await world.clock.sleep(200_000);
      const other = await book('15:00', '--email bob@example.com --name Bob');
      const noted = await run(`events move ${other} --to 2026-12-01T15:30:00Z -n`);
      expect(noted.stderr).toContain(
        `A move is not finished. To finish it: sched events move ${id} --to 2026-12-01T09:10:00Z`,
      );
      const asked = await run(`events move ${id} --to 2026-12-01T09:10:00Z`, { terminals, stdin: 'y\n' });
      expect(asked.stderr.replace(/\s+/g, ' ')).toContain(
        'Finish moving "Intro call" and notify Ada Byron (a cancellation and a new invitation)?',
      );
      expect([asked.code, await activeStarts()]).toEqual([0, ['09:10']]);
    },
    'offers them too if the service refuses the time': async () => {
      const id = await book('09:00');
      const taken: Send = async (request) =>
        request.method === 'POST' && request.url.endsWith('/invitees')
          ? { status: 409, headers: {}, body: '{"title":"Conflict","message":"This time is no longer available."}' }
          : world.service(request);
      const result = await run(`events move ${id} --to 2026-12-01T14:00:00Z --yes --json`, { send: taken });
      expect(result.code).toBe(7);
      expect(lastJson(result.stderr).error.free_times).toContain('2026-12-01T13:45:00Z');
      expect(await activeStarts()).toEqual(['09:00']);
    },
    'names the flag for a place that the event type no longer offers': async () => {
      const id = await book('09:00');
      await run('event-types update "Intro call" --location-kind zoom_conference --yes');
      const line = `events move ${id} --to 2026-12-01T14:00:00Z --yes`;
      const { code, stderr } = await run(line);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/must be one of: zoom_conference.*--location-kind/)]);
      expect((await run(`${line} --location-kind zoom_conference`)).code).toBe(0);
    },
    'reads a bare time as today, and offers the day of the event': async () => {
      const id = await book('09:00');
      const { code, stderr } = await run(`events move ${id} --to 15:00 --tz Europe/Paris --yes`);
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining(`try: sched events move ${id} --to 2026-12-01T15:00:00+01:00 --tz Europe/Paris --yes`),
      ]);
      expect(stderr).toContain("Sun 15 Nov 15:00 isn't free: in the past");
    },
    'has nothing to do for the same time': async () => {
      const id = await book('09:00');
      const result = await run(`events move ${id} --to 2026-12-01T09:00:00Z --yes --json`);
      expect([jsonOf(result)._sched, writes(result)]).toEqual([{ already: true }, []]);
      expect(result.stderr).toContain('already at that time: \\"Intro call\\" (Tue 1 Dec 10:00)');
    },
    'names the new host of a round robin': async () => {
      const before = await book('14:30', '--email ada@example.com --name Ada', 'Support call');
      const { uri, event_memberships: hosts } = jsonOf(await run(`events get ${before} --json`));
      const moved = await run(`events move ${idOf(uri)} --to 2026-12-01T14:45:00Z --yes --json`);
      const after = jsonOf(moved);
      expect(after._sched.host_changed).toBe(true);
      expect(after.event_memberships[0].user).not.toBe(hosts[0].user);
    },
  });
});

describe('events move of many', () => {
  const file = (text: string, name = 'moves.csv'): string => {
    const path = join(home, name);
    writeFileSync(path, text);
    return path;
  };
  const day = '--since 2026-12-01 --until 2026-12-01 --event-type "Intro call" --tz UTC';
  const starts = async (): Promise<string[]> =>
    jsonOf(await run(`events list ${day} --status active --json=start_time`)).map((event: { start_time: string }) =>
      event.start_time.slice(11, 16),
    );

  test('moves a file in the order of need, once', async () => {
    const [first, second] = [await book('09:00'), await book('09:15', '--email bob@example.com --name Bob')];
    const path = file(`event,to\n${first},2026-12-01T09:15:00Z\n${second},2026-12-01T09:30:00Z\n`);
    const unconfirmed = await run(`events move --from ${path}`);
    expect([unconfirmed.code, writes(unconfirmed)]).toEqual([12, []]);
    expect((await run(`events move --from ${path} --confirm 3`)).code).toBe(7);
    const moved = await run(`events move --from ${path} --confirm 2 --json`);
    expect(jsonOf(moved)).toMatchObject({ total: 2, accepted: 2 });
    expect(
      writes(moved)
        .filter(({ url }) => url.includes('cancel'))
        .map(({ url }) => url.split('/').at(-2)),
    ).toEqual([second, first]);
    expect(await starts()).toEqual(['09:15', '09:30']);
    const again = await run(`events move --from ${path} --yes --json`);
    expect([jsonOf(again).accepted, writes(again)]).toEqual([2, []]);
    const receipt = await run(`events move --from ${path} --yes --again --json`);
    expect([jsonOf(receipt).accepted, writes(receipt)]).toEqual([2, []]);
  });

  test('shifts a day in the direction of the shift, and only once', async () => {
    for (const [at, clock] of ['10:30', '10:45', '11:00'].entries())
      await book(clock, `--email p${at}@example.com --name P${at}`);
    const asked = await run(`events move ${day} --shift +30m`, { terminals, stdin: 'n\n' });
    // 11:00 to 11:15 ends in time, but after the shift 11:30 is lunch.
    expect([asked.code, asked.stderr]).toEqual([
      2,
      expect.stringMatching(/item 1: "Intro call" \(Tue 1 Dec 11:00\): Tue 1 Dec 11:30 isn't free/),
    ]);
    const back = await run(`events move ${day} --shift -30m`, { terminals, stdin: 'y\n' });
    expect(back.code, back.stderr).toBe(0);
    expect(back.stderr).toContain(
      'Move 3 events and notify 3 people (a cancellation and a new invitation)?\n  Tue 1 Dec 10:30–10:45 → Tue 1 Dec 10:00–10:15  Intro call · P0\n',
    );
    expect(back.stdout).toContain('3 of 3 moved');
    expect(await starts()).toEqual(['10:00', '10:15', '10:30']);
    const again = await run(`events move ${day} --shift -30m --yes`);
    expect([again.code, writes(again)]).toEqual([2, []]);
    expect(again.stderr.match(/Left out: "Intro call" \(Tue 1 Dec 10:\d\d\) was made by a move lately/g)).toHaveLength(
      3,
    );
    expect((await run(`events move ${day} --shift -30m --yes --again`)).code).toBe(0);
    expect(await starts()).toEqual(['09:30', '09:45', '10:00']);
  });

  const wrong: [flags: string, problem: string][] = [
    ['--shift 1h', '--shift must be an offset such as +1h'],
    ['--shift +1h --event-type "Intro call"', '--shift needs a time window'],
    ['--shift +1h --today', 'No events to move'],
  ];
  test.each(sample(wrong, 1))('needs a shift and a window: %s', async (flags, problem) => {
    const { code, stderr } = await run(`events move ${flags}${flags.includes('1h --') ? '' : ' --week'}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
  });

  few(2, {
    'names every wrong line before anything is sent': async () => {
      const [id, other] = [await book('09:00'), await book('10:00', '--email bob@example.com --name Bob')];
      const list = [
        { event: id, to: '2026-12-01T03:00:00Z' },
        { event: other, to: '09:15' },
        { event: other, to: '2026-12-01 09:15' },
        { event: 'NOSUCHEVENT99999', to: '2026-12-01T09:15:00Z' },
        { event: id, to: '2026-12-01T09:15:00Z' },
      ];
      const path = file(JSON.stringify(list), 'moves.json');
      const result = await run(`events move --from ${path} --yes`);
      expect([result.code, writes(result)]).toEqual([2, []]);
      for (const problem of [
        /item 1: "Intro call" \(Tue 1 Dec 10:00\): Tue 1 Dec 04:00 isn't free: Amara Lindqvist \(every Tuesday/,
        /item 2: to: "09:15" has no date/,
        /item 3: to: "2026-12-01 09:15" is ambiguous/,
        /item 4: No event with ID/,
        /item 5: an earlier line moves the same event/,
        /5 of 5 items have a problem. Nothing was sent/,
      ])
        expect(result.stderr).toMatch(problem);
      // Only the new time is a column. Other values are flags, for all lines.
      const { stderr } = await run(`events move --from ${path} --answer Topic=x --yes`);
      expect(stderr).toContain('items 1, 3: --answer "Topic=x": this event type has no questions');
    },
    'refuses a circle, and a shift over the own time without --cancel-first': async () => {
      const [first, second] = [await book('09:00'), await book('09:15', '--email bob@example.com --name Bob')];
      const path = file(`event,to\n${first},2026-12-01T09:15:00Z\n${second},2026-12-01T09:00:00Z\n`);
      const circle = await run(`events move --from ${path} --yes`);
      expect([circle.code, circle.stderr, writes(circle)]).toEqual([
        2,
        expect.stringContaining('"Intro call" (Tue 1 Dec 10:00), "Intro call" (Tue 1 Dec 10:15)'),
        [],
      ]);
      const own = await run(`events move ${day} --shift +5m --yes`);
      expect([own.code, own.stderr]).toEqual([
        12,
        expect.stringContaining('The new time of 2 events overlaps the old one'),
      ]);
      expect((await run(`events move ${day} --shift +5m --yes --cancel-first`)).code).toBe(0);
      expect(await starts()).toEqual(['09:05', '09:20']);
    },
    'leaves in place what can not move, and what needs its place': async () => {
      for (const [at, clock] of ['11:00', '11:15', '09:00'].entries())
        await book(clock, `--email p${at}@example.com --name P${at}`);
      const line = `events move ${day} --shift +15m`;
      const stuck = await run(`${line} --yes`);
      expect(stuck.stderr).toMatch(
        /item 1: .*11:30 isn't free: Amara Lindqvist \(every Tuesday[\s\S]*item 2: .*11:15 isn't free: Amara Lindqvist \(busy: 11:15/,
      );
      const rest = await run(`${line} --yes --skip-invalid --json`);
      expect([rest.code, JSON.parse(rest.stdout)]).toMatchObject([11, { accepted: 1, skipped: 2 }]);
      expect(await starts()).toEqual(['09:15', '11:00', '11:15']);
    },
    'freezes a plan as a file for --from': async () => {
      const id = await book('09:00');
      const plan = await run(`events move ${day} --shift +1d -n -o csv`);
      expect(plan.stdout.replace(/http:\S*\//, '')).toBe(
        `event,to,from,name\r\n${id},2026-12-02T09:00:00Z,2026-12-01T09:00:00Z,Intro call\r\n`,
      );
      expect(jsonOf(await run(`events move --from ${file(plan.stdout)} --yes --json`)).accepted).toBe(1);
      expect(await starts()).toEqual([]);
    },
    'stops before a move for which the plan leaves too few bookings': async () => {
      world = await createWorld({ plan: 'trial' });
      const id = await book('09:00', '--email ada@example.com --name Ada', 'Open workshop');
      await book('09:00', '--email bob@example.com --name Bob', 'Open workshop');
      for (const clock of ['11:00', '11:15']) await book(clock);
      const path = file(`event,to\n${id},2026-12-01T14:00:00Z\n`);
      const stopped = await run(`events move --from ${path} --cancel-first --yes`);
      expect([stopped.code, writes(stopped)]).toEqual([8, []]);
      expect(stopped.stderr).toContain('Your plan leaves too few bookings for 2 people now');
    },
  });
});

test.each<[string, string, RegExp[]]>([
  [
    'one question',
    '2026-12-01T14:00:00Z',
    [/^Move "Intro call" and notify Ada Byron \(a cancellation and a new invitation\)\?\n {2}from /],
  ],
  [
    'two questions, once each, if the times overlap',
    '2026-12-01T09:05:00Z',
    [/^The new time overlaps the old one\./, /^Move "Intro call"/],
  ],
])('a tool that moves an event asks the person %s', async (_, to, expected) => {
  const id = await book('09:00');
  const questions: string[] = [];
  const { client, close } = await connect(world, '--allow-writes=events.move', {
    home,
    answer: (question) => {
      questions.push(question);
      return questions.length > 5 ? 'no' : 'yes';
    },
  });
  const { structuredContent } = await client.callTool({ name: 'events_move', arguments: { event: id, to } });
  expect(questions).toEqual(expected.map((words) => expect.stringMatching(words)));
  const time = to.replace('Z', '.000Z');
  expect(structuredContent).toMatchObject({ record: { start_time: time, _sched: { host_changed: false } } });
  await close();
});
