import { beforeAll, describe, expect, it } from 'vitest';
import { idIn } from '../../../src/base/uri.ts';
import type { Send } from '../../../src/http/message.ts';
import { timestamp } from '../../../src/sandbox/store/names.ts';
import { openWorld, user } from '../../sandbox/world.ts';
import { createWorld, jsonOf, outputs, type TestWorld, virtualClock } from '../../support/run.ts';
import { type Case, cases, gridOf, refusalAt, storeCase } from '../../support/slot-cases.ts';
import { isDeep, sample, times } from '../../support/tier.ts';

/** A case as people without a common event type: each has one, and the first of them a second one. */
const typesOf = (given: Case): Case[] =>
  [...given.hosts, given.hosts[0]!].map((host, index) => {
    const isSecond = index === given.hosts.length;
    const hours = isSecond ? given.schedules.at(-1)! : given.schedules.find((each) => each.host === host)!;
    return {
      ...given,
      hosts: [host],
      pooling: null,
      isGroup: false,
      schedules: [{ ...hours, host }],
      events: isSecond ? [] : given.events.filter((event) => event.host === host),
    };
  });

it('offers the times at which each host could be booked, for random people', { timeout: 600_000 }, async () => {
  const world = await openWorld();
  const cli = await createWorld();
  const totals = { offered: 0, tried: 0 };
  const together = isDeep ? cases : cases.filter(({ given }) => given.hosts.length > 1);
  // One case with common free times always runs: others may have none.
  for (const { index, given } of sample(
    together,
    1,
    (each) => each.index === 5 || String(each.given.change?.isForward),
  )) {
    // Otherwise the hosts have the hours and events of other cases.
    for (const table of ['event_hosts', 'event_type_hosts', 'schedules']) world.store.run(`DELETE FROM ${table}`);
    const types = typesOf(given).map((each, number) => ({ each, id: `TOGETHER${index}x${number}` }));
    for (const { each, id } of types) storeCase(world, id, each);
    world.clock.time = given.now;
    const list = async (words: string[]) => {
      const range = ['--since', timestamp(given.since), '--until', timestamp(given.until), '-o', 'id'];
      const { code, stdout, stderr } = await cli.run(['event-types', 'slots', ...words, ...range], {
        send: async (request) => world.send(request),
        clock: virtualClock(given.now),
        env: { SCHED_TOKEN: 'sandbox_owner' },
      });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return stdout.split('\n').filter(Boolean).map(Date.parse);
    };
    const hosts = given.hosts.flatMap((host) => ['--host', user(host)]);
    const step = given.step === undefined ? [] : ['--step', String(given.step)];
    const offered = await list([...hosts, '--duration', String(given.duration), ...step]);
    const grid = gridOf({ ...given, isGroup: false, schedules: types.flatMap(({ each }) => each.schedules) });
    const isFor = (host: string) => types.filter(({ each }) => each.hosts[0] === host);
    const readable = (starts: number[]) => starts.map(timestamp);
    const why = `case ${index}: ${JSON.stringify(given)}`;

    // The booking check of the service, for each host.
    const isBookable = (start: number) => (host: string) =>
      isFor(host).some(({ id }) => refusalAt(world, id, start, given.now) === undefined);
    expect(readable(offered), why).toEqual(readable(grid.filter((start) => given.hosts.every(isBookable(start)))));

    // The free times of each host alone, at every start.
    const alone = new Map<string, Set<number>>();
    for (const { each, id } of types) {
      const host = each.hosts[0]!;
      alone.set(host, new Set([...(alone.get(host) ?? []), ...(await list([id, '--step', '5']))]));
    }
    expect(readable(offered), why).toEqual(
      readable(grid.filter((start) => [...alone.values()].every((free) => free.has(start)))),
    );
    totals.offered += offered.length;
    totals.tried += grid.length;
  }
  expect(totals.tried - totals.offered).toBeGreaterThan(times(10, 1000));
  expect(totals.offered).toBeGreaterThan(times(20, 500));
});

describe('event-types slots --host … --duration', () => {
  let world: TestWorld;
  beforeAll(async () => {
    world = await createWorld();
  });
  const jonas = 'jonas.weber@northlight.example';
  const slots = (words: string, more = {}) => world.run(`event-types slots ${words}`, more);
  const both = `--host me --host ${jonas} --duration 30`;

  it('names the hosts, and has no event type', async () => {
    const [first] = jsonOf(await slots(`${both} --first 1 --json`)) as unknown as object[];
    expect(first).toMatchObject({ event_type: null, event_memberships: [{}, { user_name: 'Jonas Weber' }] });
    expect((await slots(both, { terminals: outputs })).stdout).toContain('Amara Lindqvist and Jonas Weber');
    const text = (await slots(`${both} -o text --days 1`)).stdout;
    expect(text).toMatch(/^\w+ \d+ \w+: \d+:\d\d–.* \(Paris time\)\n$/);
    // The same host twice is one host.
    expect((await slots('--host me --host me --duration 30 -o id')).stdout).toBe(
      (await slots('--host me --duration 30 -o id')).stdout,
    );
  });

  it('says whose hours or events it could not read, and counts what it knows', async () => {
    const isHidden = (url: URL) =>
      (url.pathname === '/event_types' && url.searchParams.get('user') !== null) ||
      (url.pathname === '/scheduled_events' && !url.search.includes(idIn(user('amara'))));
    const send: Send = async (request) =>
      isHidden(new URL(request.url))
        ? { status: 403, headers: {}, body: JSON.stringify({ title: 'Permission Denied', message: 'not yours' }) }
        : world.service(request);
    const { code, stderr } = await slots(both, { send });
    expect(code).toBe(6);
    expect(stderr).toContain('The service shows no hours of these hosts');
    const onlyJonas: Send = async (request) =>
      isHidden(new URL(request.url)) && !request.url.includes(idIn(user('amara')))
        ? { status: 403, headers: {}, body: JSON.stringify({ title: 'Permission Denied', message: 'not yours' }) }
        : world.service(request);
    const partly = await slots(`${both} --first 2`, { send: onlyJonas });
    expect([partly.code, partly.stdout.trim().split('\n').length]).toEqual([0, 2]);
    expect(partly.stderr).toContain('Not checked: hours of Jonas Weber (');
    expect(partly.stderr).toContain('Not checked: events of Jonas Weber (');
  });

  it.each([
    ['--duration 30', '--duration needs --host'],
    ['--host me', 'Missing argument <event-type>'],
    ['"Intro call" --host me --duration 30', "--duration can't be used with an event type"],
    [`"Intro call" --host me --host ${jonas}`, 'With an event type, --host can be used once'],
    ['--host me --duration 0', '--duration must be a whole number from 1 to 720'],
    ['--host me --duration 721', '--duration must be a whole number from 1 to 720'],
  ])('refuses %s', async (words, problem) => {
    const { code, stderr, requests } = await slots(words);
    expect([code, stderr, requests.length]).toEqual([2, expect.stringContaining(problem), 0]);
  });
});
