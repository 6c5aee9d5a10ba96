import { beforeEach, describe, expect, test } from 'vitest';
import type { Send } from '../../src/http/message.ts';
import { createWorld, eventTypeNamed, isWrite, jsonOf, type TestWorld } from '../support/run.ts';
import { sample } from '../support/tier.ts';

let world: TestWorld;
beforeEach(async () => {
  world = await createWorld();
});

describe('shares create', () => {
  test('creates a link', async () => {
    const { uri } = await eventTypeNamed(world, 'Intro call');
    const share = jsonOf(await world.run(`shares create --event-type ${uri} --name "For Ada" --json`));
    expect(share.scheduling_links[0].booking_url).toMatch(/^http:\/\/127\.0\.0\.1:4010\/d\//);
  });

  test('keeps the time zone of the hours, from a flag or from a body', async () => {
    const { uri } = await eventTypeNamed(world, 'Intro call');
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
    const { uri } = await eventTypeNamed(world, 'Intro call');
    const { code, stderr, requests } = await world.run(`shares create --event-type ${uri} ${flags}`);
    expect(code).toBe(2);
    expect(stderr).toContain(expected);
    expect(requests.filter(isWrite)).toEqual([]);
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
    const { uri } = await eventTypeNamed(world, 'Consultation');
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
