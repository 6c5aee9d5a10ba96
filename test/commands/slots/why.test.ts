import { beforeAll, describe, expect, test } from 'vitest';
import type { HttpReply, HttpRequest, Send } from '../../../src/http/message.ts';
import { width } from '../../../src/output/width.ts';
import { createWorld, outputs, replying, type TestWorld, type WorldOptions } from '../../support/run.ts';

describe('event-types why', () => {
  let world: TestWorld;
  beforeAll(async () => {
    world = await createWorld();
  });

  const why = (line: string, more: WorldOptions = {}) =>
    world.run(`event-types why ${line}`, { env: { SCHED_TZ: 'Europe/Berlin' }, ...more });
  const onTerminal = (line: string, more: WorldOptions = {}) => why(line, { terminals: outputs, ...more });
  const json = async (line: string, more: WorldOptions = {}) => {
    const { code, stdout } = await why(`${line} --json`, more);
    expect(code).toBe(0);
    return JSON.parse(stdout);
  };

  test('names the rule, the event and its people for each host', async () => {
    const { code, screen } = await onTerminal('"Partner interview" "mon 12:20"');
    expect(code).toBe(0);
    expect(screen).toMatchInlineSnapshot(`
      "Partner interview · Mon 16 Nov 12:20–13:20 · Europe/Berlin            ✗ not free
        ✔ active, in the future
        ✗ Amara Lindqvist  every Monday 09:00–12:30, 13:00–17:00: ends 50 minutes too
                           late
        ✗                  busy: 13:00–14:00 Partner interview · Robin 🌻 Vale
        ✗ Elif Demir       busy: 13:00–14:00 Partner interview · Robin 🌻 Vale
        ✗ Jonas Weber      every Monday 09:00–12:30, 13:00–17:00: ends 50 minutes too
                           late
        ✗                  busy: 13:00–14:00 Partner interview · Robin 🌻 Vale
        Needs all hosts. Nearest free: 11:30, Tue 17 Nov 09:00, 09:30, 13:00. The
        service checks once more when you book.
      "
    `);
  });

  test('shows who is free, and that slots does not list a time between two starts', async () => {
    const { screen } = await onTerminal('"Support call" "mon 11:05"');
    expect(screen).toMatchInlineSnapshot(`
      "Support call · Mon 16 Nov 11:05–11:35 · Europe/Berlin                     ✔ free
        ✔ active, in the future
        ✗ Amara Lindqvist  busy: 11:00–11:30 Support call · 王小明
        ✔ Kofi Mensah      free
        ✔ Sam Whitaker     free
        ✔ Tomás Ferreira   free
        Needs one host. \`event-types slots\` does not list it, because it is between
        two starts of its grid. Nearest free: 10:00, 10:30, 11:00, 11:30, 12:00,
        12:30. The service checks once more when you book.
      "
    `);
    expect((await onTerminal('"Support call" "mon 11:00"')).stdout).not.toContain('does not list');
  });

  test('has sentences for a screen reader, and an ASCII form', async () => {
    const { stdout } = await onTerminal('"Intro call" "sat 10:00" --accessible');
    expect(stdout).toMatchInlineSnapshot(`
      "Intro call, Sat 21 Nov 10:00–10:15, Europe/Berlin: not free.
      Yes: active, in the future.
      No: Amara Lindqvist, no hours on Saturdays.
      Nearest free: Fri 20 Nov 16:15, 16:30, 16:45, Mon 23 Nov 10:00, 10:15, 11:30.
      The service checks once more when you book.
      "
    `);
    const plain = await onTerminal('"Intro call" "mon 9:50"', { columns: 40, env: { LC_ALL: 'C', SCHED_TZ: 'UTC' } });
    expect(plain.stdout).toContain('x Amara Lindqvist  busy: 10:00-10:30');
    expect(plain.stdout).toContain('+ active, in the future');
    expect(Math.max(...plain.stdout.split('\n').map(width))).toBeLessThanOrEqual(40);
  });

  test('prints the verdict, the reasons, the nearest free times and what was not checked', async () => {
    const found = await json('"Intro call" "mon 12:20"');
    expect(found).toEqual({
      start_time: '2026-11-16T11:20:00Z',
      verdict: 'not-free',
      reasons: [
        {
          code: 'hours',
          host: expect.stringContaining('/users/'),
          rule: {
            timezone: 'Europe/Berlin',
            day: 'monday',
            intervals: [
              { from: '09:00', to: '12:30' },
              { from: '13:00', to: '17:00' },
            ],
          },
        },
      ],
      nearest: ['10:45', '11:00', '11:15', '13:00', '13:15', '13:30'].map((time) => `2026-11-16T${time}:00Z`),
      unchecked: [],
    });
    const [reason] = (await json('"Intro call" "mon 11:00"')).reasons;
    expect(reason).toEqual({
      code: 'busy',
      host: found.reasons[0].host,
      event: expect.stringMatching(/_events\/\w+$/),
    });
    const past = await json('"Summer office hours" "2026-11-01 10:00"');
    expect(past).toMatchObject({ verdict: 'not-free', reasons: [{ code: 'inactive' }, { code: 'past' }], nearest: [] });
  });

  test('says that people can join an event with free seats, or that it is full', async () => {
    const seats = await onTerminal('"Open workshop" 2026-12-11T08:00Z');
    expect(seats.stdout).toContain('✔ joins an event with free seats: 2\n');
    const full: Send = async (request) => {
      const reply = await world.service(request);
      return { ...reply, body: reply.body.replaceAll(/"active":\d+,"limit":\d+/g, '"active":8,"limit":8') };
    };
    expect((await onTerminal('"Open workshop" 2026-12-11T08:00Z', { send: full })).stdout).toMatch(
      /✗ Amara Lindqvist {2}full: 09:00–10:00 Open workshop · /,
    );
    expect(await json('"Open workshop" 2026-12-11T08:00Z', { send: full })).toMatchObject({
      verdict: 'not-free',
      reasons: [{ code: 'seat' }],
    });
  });

  const forbidden = replying({ status: 403, body: '{"title":"Permission Denied","message":"Not yours."}' });
  const hiding =
    (path: string): Send =>
    async (request) =>
      request.url.includes(path) ? forbidden(request) : world.service(request);

  test.each([
    ['hours', '/event_type_availability_schedules', 'hours'],
    ['events', '/scheduled_events', 'events'],
    ['hosts', '/event_type_memberships', 'hosts'],
  ])('does not know whether a time is free if %s are hidden', async (_, path, what) => {
    const send = hiding(path);
    expect(await json('"Intro call" "mon 10:00"', { send })).toMatchObject({
      verdict: 'unknown',
      reasons: [],
      unchecked: [{ what }],
    });
    const { stdout } = await onTerminal('"Intro call" "mon 10:00"', { send });
    expect(stdout).toMatch(/^Intro call .* {2}\? unknown\n/);
    expect(stdout).toContain(`not checked: ${what} (`);
    expect(stdout.includes('Amara Lindqvist  free')).toBe(what === 'hosts');
  });

  test('knows that a time is not free, whatever is hidden, if what it sees decides', async () => {
    const verdict = async (line: string, path: string) => (await json(line, { send: hiding(path) })).verdict;
    expect(await verdict('"Intro call" "mon 11:00"', '/event_type_availability_schedules')).toBe('not-free');
    expect(await verdict('"Intro call" "sat 11:00"', '/scheduled_events')).toBe('not-free');
    // Another host may be free.
    expect(await verdict('"Support call" "sat 11:00"', '/event_type_memberships')).toBe('unknown');
  });

  test('has exit code 6 for an unknown event type, and 2 for a time that it cannot read', async () => {
    const unknown = await why('"Intro cal" "mon 11:00"');
    expect([unknown.code, unknown.stderr]).toEqual([6, expect.stringContaining('Did you mean "Intro call"?')]);
    const wrong = await why('"Intro call" nonsense');
    expect([wrong.code, wrong.requests]).toEqual([2, []]);
    expect(wrong.stderr).toContain('<time>: Can\'t read "nonsense" as a time');
    const missing = await why('"Intro call"');
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('Missing argument <time>')]);
    expect((await why('')).stderr).toContain('try: sched event-types why EVENT-TYPE TIME\n');
  });

  test('makes the names of events, people and hosts safe', async () => {
    const hostile = (text: string) => text.replaceAll(/"(user_name|name)":"[^"]*"/g, '"$1":"a\\u001b[31mb\\u202e"');
    const send = async (request: HttpRequest): Promise<HttpReply> => {
      const reply = await world.service(request);
      return { ...reply, body: hostile(reply.body) };
    };
    const { code, stdout } = await onTerminal('YBL6DUNR9FS4PNP6 "mon 11:00"', { send });
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/[\x1b\u202e]/);
    expect(stdout).toContain('busy: 11:00–11:30 a\\x1b[31mb<U+202E> ·');
  });
});
