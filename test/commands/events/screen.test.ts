import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Send } from '../../../src/http/message.ts';
import { createWorld, terminals, writes } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const upcoming = async (count: number) => {
  const world = await createWorld();
  const flags = `--org current --upcoming --status active --limit ${count} -o id`;
  const ids = (await world.run(`events list ${flags}`)).stdout
    .trim()
    .split('\n')
    .map((uri) => uri.split('/').at(-1)!);
  return { world, ids };
};

describe('the question before events are canceled', () => {
  test('shows time, name, people, reason, organization, profile and service', async () => {
    const { world, ids } = await upcoming(1);
    const line = `events cancel ${ids[0]} --reason "The host is ill"`;
    const result = await world.run(line, { terminals, stdin: 'n\n', columns: 120 });
    expect([result.code, writes(result)]).toEqual([12, []]);
    expect(result.screen).toMatch(
      new RegExp(
        [
          '^Cancel "(.+)" and notify [^?]+\\?',
          ' {2}× Mon 16 Nov \\d\\d:\\d\\d–\\d\\d:\\d\\d {2}\\1 · \\S.+',
          'Reason: The host is ill',
          'Northlight Advisory · token from the environment · 127\\.0\\.0\\.1:4010 · Europe/Paris',
          '\\[y/N\\] Nothing canceled\\.',
        ].join('\\n'),
      ),
    );
    const colored = await world.run(`${line} --color always`, { terminals, stdin: 'n\n', columns: 120 });
    expect(colored.stderr).toMatch(/^\x1b\[31m\x1b\[1mCancel ".+\?\x1b/);
    expect(colored.stderr).toContain('\x1b[2mNorthlight Advisory · ');
    const ascii = await world.run(line, { terminals, stdin: 'n\n', env: { LANG: 'C' } });
    expect(ascii.stderr).toMatch(/\n {2}x Mon 16 Nov [\d:]+-/);
  });

  test('names the event and its time in the error if there is no terminal', async () => {
    const { world, ids } = await upcoming(1);
    const { code, stderr, ...result } = await world.run(`events cancel ${ids[0]}`);
    expect([code, writes({ code, stderr, ...result })]).toEqual([12, []]);
    expect(stderr).toMatch(
      /^error: Confirmation needed to cancel "[^"]+" \(Mon 16 Nov \d\d:\d\d\), but there is no terminal to ask on\n/,
    );
  });

  test.each(['on a terminal', 'without one'])('is not asked about an event that does not exist, %s', async (where) => {
    const { world, ids } = await upcoming(1);
    const more = where === 'on a terminal' ? { terminals, stdin: 'y\n' } : {};
    const result = await world.run(`events cancel ${ids[0]} NOSUCHEVENT`, more);
    expect([result.code, writes(result)]).toEqual([6, []]);
    expect(result.stderr).toMatch(/^error: No event with ID NOSUCHEVENT\n/);
  });

  test('costs no request with --yes', async () => {
    const { world, ids } = await upcoming(1);
    const { code, requests } = await world.run(`events cancel ${ids[0]} --yes`);
    expect([code, requests.map(({ method }) => method)]).toEqual([0, ['POST']]);
  });

  test('is not asked about an event that is already canceled, which is not sent again', async () => {
    const { world, ids } = await upcoming(1);
    await world.run(`events cancel ${ids[0]} --yes`);
    const again = await world.run(`events cancel ${ids[0]} --json`);
    expect([again.code, writes(again)]).toEqual([0, []]);
    expect(JSON.parse(again.stdout)).toMatchObject({ status: 'canceled', _sched: { already: true } });
  });

  test.each(['arguments', 'a file'])('lists five of several events and counts the rest, from %s', async (source) => {
    const { world, ids } = await upcoming(7);
    const home = temporaryDirectory('questions');
    const file = join(home, 'events.txt');
    writeFileSync(file, ids.join('\n'));
    const line = source === 'a file' ? ['--from', file] : ids;
    const result = await world.run(['events', 'cancel', ...line], { terminals, stdin: 'n\n', home, columns: 300 });
    expect([result.code, writes(result)]).toEqual([12, []]);
    const lines = result.stderr.slice(result.stderr.indexOf('Cancel 7')).split('\n');
    expect(lines[0]).toBe('Cancel 7 events and notify their invitees?');
    for (const each of lines.slice(1, 6)) expect(each).toMatch(/^ {2}× \w{3} \d+ Nov [\d:–]+ {2}\w.+ · \S/);
    expect(lines.slice(1, 6).join()).toContain(' · with ');
    expect(lines[6]).toBe('  and 2 more');
    expect(lines[7]).toMatch(/ · Europe\/Paris$/);
  });

  test('says which events of a file do not exist', async () => {
    const { world, ids } = await upcoming(1);
    const home = temporaryDirectory('questions');
    const result = await world.run('events cancel --from -', {
      terminals: ['stderr'],
      stdin: `${ids[0]}\nNOSUCHEVENT1\n`,
      home,
    });
    // No prompt is possible, because stdin holds the events.
    expect(result.code).toBe(12);
    const file = join(home, 'events.txt');
    writeFileSync(file, `${ids[0]}\nNOSUCHEVENT1\n`);
    const asked = await world.run(['events', 'cancel', '--from', file], { terminals, stdin: 'n\n', home });
    expect(asked.stderr).toContain('\n  × event NOSUCHEVENT1: not found\n');
  });

  test('shows no raw control character and fits the screen, whatever the service sends', async () => {
    const { world, ids } = await upcoming(1);
    const hostile = `\x1b]0;x\x07\u202E\nContinue? [y/N] y\n${'long '.repeat(1000)}`;
    const send: Send = async (request) => {
      const reply = await world.service(request);
      const poison = (key: string, value: unknown) =>
        ['name', 'user_name', 'first_name'].includes(key) ? hostile : value;
      return { ...reply, body: JSON.stringify(JSON.parse(reply.body, poison)) };
    };
    for (const way of ['', '--accessible']) {
      const { stderr, code } = await world.run(`events cancel ${ids[0]} ${way}`, { terminals, stdin: 'n\n', send });
      expect(code).toBe(12);
      expect(stderr.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202E]/u);
      expect(stderr).not.toMatch(/^(Continue\? )?\[y\/N\] y/m);
      const lines = stderr.split('\n');
      expect(lines.length).toBeLessThan(40);
      if (way === '') for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    }
  });

  test('counts the invitees that it does not name', async () => {
    const { world, ids } = await upcoming(1);
    const invitee = (number: number) => ({
      uri: `http://127.0.0.1:4010/i/${number}`,
      name: `N${number}`,
      status: 'active',
    });
    const send: Send = async (request) => {
      const reply = await world.service(request);
      if (new URL(request.url).pathname.endsWith('/invitees')) {
        const collection = [1, 2, 3, 4, 5, 6].map(invitee);
        return { ...reply, body: JSON.stringify({ collection, pagination: { count: 6, next_page_token: 'more' } }) };
      }
      const counted = (key: string, value: unknown) => (key === 'invitees_counter' ? { active: 1200 } : value);
      return { ...reply, body: JSON.stringify(JSON.parse(reply.body, counted)) };
    };
    const { stderr } = await world.run(`events cancel ${ids[0]}`, { terminals, stdin: 'n\n', send });
    expect(stderr).toMatch(/ · N1, N2, N3, N4, N5 \+1,195( |$)/m);
  });

  test('names the organization by ID if the token may not read it', async () => {
    const { world, ids } = await upcoming(1);
    const send: Send = async (request) =>
      request.url.includes('/organizations/') ? { status: 403, headers: {}, body: '{}' } : world.service(request);
    const { stderr } = await world.run(`events cancel ${ids[0]}`, { terminals, stdin: 'n\n', send });
    expect(stderr).toMatch(/^\w+ · token from the environment · /m);
  });
});

test('api reads the event before it asks about a cancellation, and nothing without a terminal', async () => {
  const { world, ids } = await upcoming(1);
  const line = `api POST /scheduled_events/${ids[0]}/cancellation`;
  const asked = await world.run(line, { terminals, stdin: 'n\n' });
  expect(asked.stderr).toMatch(/^Cancel "[^"]+" and notify [^?]+\?\n {2}× Mon 16 Nov /);
  const unasked = await world.run(line);
  expect([unasked.code, unasked.requests]).toEqual([12, []]);
  expect(unasked.stderr).toContain(`Confirmation needed to cancel event ${ids[0]}, but there is no terminal to ask on`);
  const missing = await world.run('api POST /scheduled_events/NOSUCH/cancellation', { terminals, stdin: 'y\n' });
  expect([missing.code, writes(missing)]).toEqual([6, []]);
});

test('availability update shows what changes in its question, even with --quiet', async () => {
  const { world } = await upcoming(1);
  const [{ uri }] = JSON.parse((await world.run('availability list --event-type "Intro call" --json')).stdout);
  const line = `availability update ${uri} --event-type "Intro call" --day-off friday`;
  for (const way of ['', ' --quiet']) {
    const { stderr, code } = await world.run(line + way, { terminals, stdin: 'n\n' });
    expect(code).toBe(12);
    expect(stderr).toMatch(
      /^Change availability schedule .+\?\n {2}every Friday: 09:00–12:30, 13:00–17:00 → off\nNorthlight Advisory · /,
    );
  }
});

test('a day off shows its hours and the meetings that stay, and many days are a range', async () => {
  const { world } = await upcoming(1);
  const [{ uri }] = JSON.parse((await world.run('availability list --event-type "Intro call" --json')).stdout);
  const [{ name, start_time }] = JSON.parse(
    (await world.run('events list --status active --since 2026-11-17 --json')).stdout,
  );
  const line = `availability update ${uri} --event-type "Intro call" --tz UTC --day-off`;
  const one = await world.run(`${line} ${start_time.slice(0, 10)}`, { terminals, stdin: 'n\n', columns: 200 });
  expect(one.stderr).toMatch(
    new RegExp(`Nov: 09:00–12:30, 13:00–17:00 → off · \\d meetings? stays?: \\d\\d:\\d\\d ${name}`),
  );
  const many = await world.run(`${line} 2026-12-24..2026-12-31`, { terminals, stdin: 'n\n', columns: 200 });
  expect(many.stderr).toMatch(/\n {2}24–31 Dec, 6 working days.* → off\n/);
});

test('a no-show before the meeting shows the meeting', async () => {
  const { world, ids } = await upcoming(1);
  const [{ uri, name }] = JSON.parse((await world.run(`invitees list ${ids[0]} --json`)).stdout);
  const { stderr, code } = await world.run(`invitees no-show ${uri}`, { terminals, stdin: 'n\n' });
  expect(code).toBe(12);
  expect(stderr).toMatch(/^Mark .+ as no-show\? ".+" has not started yet\.\n {2}Mon 16 Nov .+ · /);
  expect(stderr).toContain(name);
});
