import { beforeEach, describe, expect, test } from 'vitest';
import { createWorld, eventTypeNamed, jsonOf, outputs, type TestWorld } from '../support/run.ts';
import { temporaryDirectory } from '../support/temporary.ts';

let world: TestWorld;
beforeEach(async () => {
  world = await createWorld();
});

describe('event types', () => {
  test('are created for the current user and updated, sending only the given fields', async () => {
    const created = await world.run('event-types create --name "Design review" --duration 45 --json');
    const { user } = { user: jsonOf(await world.run('users me --json=uri')).uri };
    expect(JSON.parse(created.requests.at(-1)!.body!)).toEqual({ name: 'Design review', duration: 45, owner: user });
    const { uri } = jsonOf(created);
    const changed = await world.run(`event-types update ${uri} --no-active --description Short --json`);
    expect(JSON.parse(changed.requests.at(-1)!.body!)).toEqual({ active: false, description_plain: 'Short' });
    expect(jsonOf(changed)).toMatchObject({ active: false, description_plain: 'Short', duration: 45 });
  });

  test('reject an empty update, an invalid color and an invalid duration', async () => {
    const { uri } = await eventTypeNamed(world, 'Intro call');
    expect(await world.run(`event-types update ${uri}`)).toMatchObject({ code: 2, requests: [] });
    const wrong = await world.run(`event-types update ${uri} --event-color red --duration long`);
    expect(wrong).toMatchObject({ code: 2, requests: [] });
    expect(wrong.stderr).toContain('six hex digits');
    expect(wrong.stderr).toContain('--duration');
  });

  test.each([
    ['event-types update YBL6DUNR9FS4PNP6', ['0', '721']],
    ['event-types create --name Long', ['-5', '99999']],
    ['one-offs create --name Long --days 3', ['721']],
  ])('let the service judge a duration: %s', async (line, durations) => {
    for (const duration of durations) {
      const { code, stderr, requests } = await world.run(`${line} --duration=${duration}`);
      expect([code, JSON.parse(requests.at(-1)!.body!).duration]).toEqual([2, Number(duration)]);
      expect(stderr).toContain('duration: must be a whole number from 1 to 720');
    }
  });

  test('list their hosts', async () => {
    const { uri } = await eventTypeNamed(world, 'Partner interview');
    expect(jsonOf(await world.run(`event-types hosts ${uri} --json`)).length).toBeGreaterThan(1);
  });
});

describe('event-types list --unused', () => {
  const namesOf = (text: string): string[] => JSON.parse(text).map(({ name }: { name: string }) => name);

  test('lists the types without an active event since then or in the future', async () => {
    const all = namesOf((await world.run('event-types list --org current --json')).stdout);
    const events = JSON.parse((await world.run('events list --org current --status active --json')).stdout);
    for (const age of ['1d', '30d', '2y']) {
      const since = Date.parse('2026-11-15T18:00:00Z') - { '1d': 1, '30d': 30, '2y': 731 }[age]! * 86_400_000;
      const used = events.filter((each: { start_time: string }) => Date.parse(each.start_time) >= since);
      const usedNames = new Set(used.map(({ name }: { name: string }) => name));
      const { stdout, code } = await world.run(`event-types list --org current --unused ${age} --json`);
      expect([age, code, namesOf(stdout)]).toEqual([age, 0, all.filter((name) => !usedNames.has(name))]);
    }
    const active = await world.run('event-types list --active --unused 90d --json');
    expect(namesOf(active.stdout).length).toBeLessThan(all.length);
  });

  test('says whose events it could read, and what a dry run leaves out', async () => {
    const send: typeof world.service = async (request) =>
      request.url.includes('/scheduled_events?organization')
        ? { status: 403, headers: {}, body: '{"title":"Permission Denied","message":"no"}' }
        : world.service(request);
    const { code, stderr } = await world.run('event-types list --unused 90d', { send });
    expect([code, stderr]).toEqual([0, expect.stringContaining('Only your own events were read')]);
    const dry = await world.run('event-types list --unused 90d --dry-run');
    expect(dry.stderr).toContain('--unused: not part of the request');
  });

  test.each(['90', '3m', 'soon', '-1d'])('refuses the age %s', async (age) => {
    const { code, stderr, requests } = await world.run(`event-types list --unused=${age}`);
    expect([code, requests]).toEqual([2, []]);
    expect(stderr).toContain(`--unused must be an age such as 90d, 8w, 24mo or 2y, not "${age}"`);
  });
});

describe('a person reads what a write has changed, and a program the record', () => {
  const screen = async (line: string) => (await world.run(line, { terminals: outputs })).screen;

  test.each<[string, RegExp]>([
    [
      'event-types create --name Chat --duration 20',
      /^✔ Created: Chat\n {2}Length {8}20 min\n {2}Booking page {2}http\S+\n$/,
    ],
    [
      'event-types update "Intro call" --duration 20',
      /^✔ Changed: Intro call\n {2}Length {2}15 min → 20 min\n {2}Undo {4}sched event-types update \w{4} --duration 15\n$/,
    ],
    ['shares create --event-type "Intro call"', /^✔ Created a single-use booking link\n {2}Booking page {2}http\S+\n$/],
    [
      'invitations create --email eve@example.com --yes',
      /^✔ Invited: eve@example\.com\n {2}Undo {2}sched invitations revoke eve@example\.com\n$/,
    ],
    [
      'webhooks create --url http://127.0.0.1:9/ --events invitee.created',
      /\n✔ Subscribed: http:\S+\n {2}Events {2}invitee\.created\n {2}Undo {4}sched webhooks delete \w{4}\n$/,
    ],
  ])('%s', async (line, answer) => {
    expect(await screen(line)).toMatch(answer);
  });

  test('with --quiet, the link', async () => {
    expect(await screen('shares create --event-type "Intro call" --quiet')).toMatch(/^Booking page +http/);
  });

  test('with the command that puts all old values of an event type back', async () => {
    world = await createWorld({ env: { SCHED_CACHE_DIR: temporaryDirectory('answers') } });
    const { uri, ...before } = await eventTypeNamed(world, 'Intro call');
    const read = async () => jsonOf(await world.run(`event-types get ${uri} --json`));
    const changed = await screen(
      `event-types update "Intro call" --name Chat --no-active --event-color #112233 --description "Two words" --duration 20`,
    );
    const undo = /\n {2}Undo\s+sched (event-types update [\s\S]+)\n$/.exec(changed)?.[1] ?? expect.fail(changed);
    expect(await read()).toMatchObject({ name: 'Chat', active: false, duration: 20 });
    await world.run(undo.replaceAll('\\\n', ''), { terminals: ['stdin', ...outputs] });
    const { name, active, color, description_plain, duration } = before;
    expect(await read()).toMatchObject({ name, active, color, description_plain, duration });
  });

  test('with no way back if no line can show an old value, or nothing has changed', async () => {
    expect(await screen(`event-types update "Strategy session" --description 'Two\nlines'`)).toContain('Undo');
    expect(await screen('event-types update "Strategy session" --description One')).not.toContain('Undo');
    expect(await screen('event-types update "Intro call" --duration 20 --location-kind zoom_conference')).not.toContain(
      'Undo',
    );
    expect(await screen('event-types update "Board preview" --event-color "#112233"')).toContain('Undo');
    expect(await screen('event-types update "Board preview" --event-color "#112233"')).toBe(
      '✔ Unchanged: Board preview already has these settings\n',
    );
  });

  test('with the way back', async () => {
    world = await createWorld({ env: { SCHED_CACHE_DIR: temporaryDirectory('answers') } });
    const event = (await world.run('events list --past --limit 1 -o id')).stdout.trim();
    const invitee = (await world.run(`invitees list ${event} --limit 1 -o id`)).stdout.trim();
    const marked = await screen(`invitees no-show ${event} ${invitee}`);
    const [, undo] =
      /^✔ Marked as no-show: .+\n {2}Meeting .+\n {2}When .+\n {2}Undo {5}sched (.+ --undo)\n$/.exec(marked) ??
      expect.fail(marked);
    // The beginning of an ID is enough for a person who answers the question.
    const undone = await world.run(undo!, { terminals: ['stdin', ...outputs], stdin: 'y\n' });
    expect(undone.screen).toMatch(/^Undo the no-show of [\s\S]+✔ No longer marked as no-show: /);
    const line = `availability update --event-type "Intro call" --rule 'friday 09:00-12:00' --yes`;
    const changed = await screen(line);
    expect(changed).toMatch(
      /✔ Changed: Working hours[^\n]*\n {2}Undo\n {4}sched availability update [\s\S]+ --rule 'friday [^\n]+\n$/,
    );
  });
});
