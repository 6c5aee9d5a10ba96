import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Send } from '../../src/http/message.ts';
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

/** How far this machine's clock is ahead of the service's. */
const skews = [0, -3 * day, 40 * day];

/** The home directory of somebody whose machine had this clock when it mirrored the account. */
const mirrorAt = async (clockAheadMs: number): Promise<string> => {
  const home = temporaryDirectory('home');
  const { code, stderr } = await world.run('mirror sync --full-speed --yes', { home, clockAheadMs });
  expect([code, stderr]).toEqual([0, expect.stringContaining('the mirror is complete')]);
  return home;
};

/** Those that a mirror answers. */
const mirrored = lines.filter((line) => !/--dry-run|^availability off|^config/.test(line));

describe("the service's time, not this machine's, is now", () => {
  test.each(sample(lines, 4))('for `sched %s`', async (line) => {
    const [right, ...wrong] = await Promise.all(
      skews.map((clockAheadMs) => world.run(line, { env: account, terminals: outputs, clockAheadMs })),
    );
    expect([right!.code, right!.stdout], right!.stderr).toEqual([0, expect.stringMatching(/./)]);
    for (const { code, stdout, stderr } of wrong)
      expect([code, stdout, stderr]).toEqual([0, right!.stdout, right!.stderr]);
  });

  test('for what a mirror answers', async () => {
    const homes = await Promise.all(skews.map(mirrorAt));
    for (const line of sample(mirrored, 6)) {
      const [right, ...wrong] = await Promise.all(
        skews.map((clockAheadMs, at) =>
          world.run(`--mirror ${line}`, { home: homes[at]!, env: account, terminals: outputs, clockAheadMs }),
        ),
      );
      expect([right!.code, right!.stdout], right!.stderr).toEqual([0, expect.stringMatching(/./)]);
      for (const { code, stdout, stderr } of wrong)
        expect([line, code, stdout, stderr]).toEqual([line, 0, right!.stdout, right!.stderr]);
    }
  });

  test.each(skews)('for the age of a mirror: clock ahead by %i ms', async (clockAheadMs) => {
    const home = await mirrorAt(clockAheadMs);
    const run = (line: string, ahead = clockAheadMs) => world.run(line, { home, clockAheadMs: ahead });
    await world.clock.sleep(29 * minute);
    const { age_seconds: age } = jsonOf(await run('mirror status --json'));
    expect(age).toBeGreaterThanOrEqual(29 * 60);
    expect(age).toBeLessThan(30 * 60);
    const young = await run('--mirror --max-age 30m events list');
    expect([young.code, young.stderr]).toEqual([0, expect.stringContaining('mirror, 29 min old')]);
    const old = await run('--mirror --max-age 28m events list');
    expect([old.code, old.stdout, old.stderr]).toEqual([3, '', expect.stringContaining('The mirror is 29 min old')]);
    // A clock that was set back since then makes no mirror younger.
    expect((await run('--mirror --max-age 28m events list', clockAheadMs - day)).code).toBe(3);
  });

  test('for a question about an event that has not started', async () => {
    const { uri } = jsonOf(await world.run('events next --json'));
    const { uri: invitee } = jsonOf(await world.run(['invitees', 'list', uri, '--json']))[0];
    const { code, stderr } = await world.run(['invitees', 'no-show', invitee], { clockAheadMs: 40 * day });
    expect([code, stderr]).toEqual([12, expect.stringContaining('has not started yet')]);
  });

  test('for the ages of compliance expired at a sandbox, whose clock is moved on purpose', async () => {
    const to = join(temporaryDirectory(), 'expired.txt');
    const line = `compliance expired --older-than 1d --to ${to} --json`;
    const { limit } = jsonOf(await world.run(line, { clockAheadMs: -day }));
    expect(limit).toMatch(/^2026-11-14T18:/);
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
