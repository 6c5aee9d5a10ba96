import { beforeEach, describe, expect, test } from 'vitest';
import type { Send } from '../../src/http/message.ts';
import { machineAheadMs } from '../support/clocks.ts';
import { createWorld, jsonOf, network, outputs, someday, type TestWorld, type WorldOptions } from '../support/run.ts';
import { seededFile, usedHome } from '../support/seeded.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { sample } from '../support/tier.ts';

const minute = 60_000;
const day = 1440 * minute;

let world: TestWorld;
/** The account, as the environment names it: then no request is needed to find it, and times are read before any reply. */
let account: { SCHED_USER: string; SCHED_ORG: string };
beforeEach(async () => {
  world = await createWorld();
  const me = jsonOf(await world.run('users me --json'));
  account = { SCHED_USER: me.uri, SCHED_ORG: me.current_organization };
});

const oneOff = 'one-offs create --name Chat --duration 30 --location-kind custom --location "Room 1"';
const booking = 'invitees create --event-type "Intro call" --name Ada --email ada@engine.example --timezone UTC';

/** Commands for which it matters what time it is. They change nothing. */
const lines = [
  'events next',
  'events get next',
  'invitees list next',
  'events cancel next --dry-run',
  'events move next --to "wednesday 13:00" --tz UTC --dry-run',
  'events list',
  'events list --upcoming --limit 2',
  'events list --past --limit 2',
  'events list --today --dry-run',
  'events list --tomorrow',
  'events list --week',
  'events list --since monday --until +2w --limit 5',
  'events cancel --week --dry-run',
  'events agenda',
  'events agenda --day --accessible',
  'events agenda --month',
  'events stats',
  'events stats --since -7d --until today --no-shows',
  'events follow --once --dry-run',
  'event-types slots "Intro call" --first 3',
  'event-types why "Intro call" "monday 10:00"',
  'availability off tomorrow --dry-run',
  'availability off 2026-11-19 --dry-run',
  'availability off --list',
  'availability update --event-type "Intro call" --day-off tomorrow --day-off 2026-11-13 --dry-run',
  'activity list --since -2d',
  'config export --with dates',
  'invitations list --since -30d',
  `${booking} --start "tomorrow 10:00" --tz UTC --dry-run`,
  `${oneOff} --spot "monday 10:00/monday 11:00" --tz UTC --dry-run`,
];

describe("the service's time, not this machine's, is now", () => {
  test.each(sample(lines, 4))('for `sched %s`', async (line) => {
    const how = { env: account, terminals: outputs };
    const right = await world.run(line, { ...how, clockAheadMs: 0 });
    expect([right.code, right.stdout], right.stderr).toEqual([0, expect.stringMatching(/./)]);
    const { code, stdout, stderr } = await world.run(line, how);
    expect([code, stdout, stderr]).toEqual([0, right.stdout, right.stderr]);
  });

  test('for the age of a mirror, which no clock that was set back since then makes younger', async () => {
    const home = temporaryDirectory('home');
    expect((await world.run('mirror sync --full-speed --yes', { home })).code).toBe(0);
    await world.clock.sleep(29 * minute);
    const { age_seconds: age } = jsonOf(await world.run('mirror status --json', { home }));
    expect(age).toBeGreaterThanOrEqual(29 * 60);
    expect(age).toBeLessThan(30 * 60);
    const clockAheadMs = machineAheadMs - day;
    expect((await world.run('--mirror --max-age 28m events list', { home, clockAheadMs })).code).toBe(3);
  });
});

/** The first event of each command, after the clock was moved. */
const firstEvents = async (run: (line: string) => ReturnType<TestWorld['run']>): Promise<string[]> => [
  jsonOf(await run('events next --json')).uri,
  jsonOf(await run('events get next --json')).uri,
  jsonOf(await run('invitees list next --json'))[0].event,
  jsonOf(await run('events list --upcoming --status active --limit 1 --json'))[0].uri,
  jsonOf(await run('events cancel next --yes --json')).uri,
];

const onlyOne = (uris: readonly string[]) => expect(new Set(uris).size).toBe(1);

describe('after sandbox clock advance 3d, all commands mean the same next event', () => {
  const nextFrom = (events: { uri: string; start_time: string }[], time: number) =>
    events.find(({ start_time }) => Date.parse(start_time) >= time)!.uri;

  test('inside sandbox run', async () => {
    const home = await usedHome(someday);
    const outer: WorldOptions = { home, send: network, env: { SCHED_TOKEN: '', SCHED_BASE_URL: '' } };
    let uris: string[] = [];
    await world.run(['sandbox', 'run', '--data', await seededFile(someday), '--', 'program'], {
      ...outer,
      spawn: async (_, { env }) => {
        const run = (line: string) => world.run(line, { ...outer, env: env as Record<string, string> });
        const events = jsonOf(await run('events list --status active --json'));
        await run('sandbox clock advance 3d');
        uris = [nextFrom(events, someday + 3 * day), ...(await firstEvents(run))];
        return 0;
      },
    });
    expect(uris).toHaveLength(6);
    onlyOne(uris);
  });

  test('with --sandbox', async () => {
    const home = await usedHome(someday);
    const run = (line: string) =>
      world.run(line, { home, send: network, env: { SCHED_TOKEN: '', SCHED_BASE_URL: '', SCHED_SANDBOX: '1' } });
    const events = jsonOf(await run('events list --status active --json'));
    await run('sandbox clock advance 3d');
    onlyOne([nextFrom(events, someday + 3 * day), ...(await firstEvents(run))]);
  });
});

describe('a service that is no sandbox', () => {
  /** The same service, with a token that doesn't say that it is a sandbox. */
  const send: Send = (request) =>
    world.service({ ...request, headers: { ...request.headers, authorization: `Bearer ${world.token}` } });
  const ordinary = (line: string, more: WorldOptions = {}) =>
    world.run(line, { send, env: { ...account, SCHED_TOKEN: 'an-ordinary-token' }, clockAheadMs: 0, ...more });

  test('is not asked for its time', async () => {
    const { timeQuestions, requests, stderr } = await ordinary('events list --upcoming --limit 1 --json');
    expect([timeQuestions, requests.length, stderr]).toEqual([[], 1, '']);
    expect((await ordinary('invitees list next --json')).requests).toHaveLength(2);
  });

  test.each([-3 * day, 3 * day])(
    'tells its time with the list that next needs: clock ahead by %i ms',
    async (ahead) => {
      const { uri } = jsonOf(await ordinary('events next --json'));
      const { stdout, requests } = await ordinary('events cancel next --dry-run', { clockAheadMs: ahead });
      expect(JSON.parse(stdout).url).toBe(`${uri}/cancellation`);
      expect(requests.filter(({ url }) => url.includes('/scheduled_events?'))).toHaveLength(2);
    },
  );

  test.each<[number, string]>([
    [-3 * day, '72h 00m behind'],
    [121_000, '2m 01s ahead of'],
  ])("makes the command say that this machine's clock is wrong: %i ms", async (clockAheadMs, distance) => {
    const { code, stderr } = await ordinary('events list --upcoming --limit 1 -o tsv', { clockAheadMs });
    expect([code, stderr]).toEqual([0, expect.stringContaining(`This machine's clock is ${distance} the service's`)]);
  });

  test('hears nothing about a clock that is two minutes wrong, or about a time that was typed in full', async () => {
    for (const [line, clockAheadMs] of [
      ['events list --upcoming --limit 1 -o tsv', 120_000],
      ['events list --since 2026-11-16T00:00:00Z --limit 1 -o tsv', 3 * day],
    ] as const)
      expect(await ordinary(line, { clockAheadMs })).toMatchObject({ code: 0, stderr: '' });
  });
});

test('a sandbox is asked for its time only if the command needs it before the first reply', async () => {
  const questions = async (line: string) => (await world.run(line, { env: account })).timeQuestions.length;
  expect(await questions('events list --upcoming --until tomorrow')).toBe(1);
  expect(await questions('events get next')).toBe(1);
  expect(await questions('events list --json')).toBe(0);
  expect(await questions('events list --since 2026-11-16T00:00:00Z')).toBe(0);
  const [question] = (await world.run('events next', { env: account })).timeQuestions;
  // R11: it needs no token, so it gets none.
  expect(question).toMatchObject({ method: 'GET', headers: {} });
});
