import { expect, it } from 'vitest';
import { idIn } from '../../../src/base/uri.ts';
import { timestamp } from '../../../src/sandbox/store/names.ts';
import { openWorld, user } from '../../sandbox/world.ts';
import { createWorld, virtualClock } from '../../support/run.ts';
import { cases, day, kindOf, minute, storeCase } from '../../support/slot-cases.ts';
import { sample, times } from '../../support/tier.ts';

/*
 * The agenda says when its person can be booked, and `event-types slots` lists the starts. For random accounts they must
 * agree, whatever the hours, zones, clock changes and events are.
 */

/** The open minutes that an agenda for screen readers names, as minutes since 1970. Its zone is UTC. */
const openMinutes = (screen: string): Set<number> => {
  const minutes = new Set<number>();
  let midnight = Number.NaN;
  for (const line of screen.split('\n')) {
    const [, date] = /^[A-Z][a-z]+day (\d+ [A-Z][a-z]+ \d{4})(?:, today[^:]*:\d\d)?: /.exec(line) ?? [];
    if (date !== undefined) midnight = Date.parse(`${date} UTC`);
    const [, ...clocks] = /^Open from (\d\d:\d\d) to (\d\d:\d\d)\.$/.exec(line) ?? [];
    const [from, to] = clocks.map((clock) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3)));
    for (let at = from!; at < to!; at += 1) minutes.add(midnight / minute + at);
  }
  return minutes;
};

const readable = (minutes: Iterable<number>) => [...minutes].map((at) => timestamp(at * minute));

it('calls exactly that time open in which slots lists a meeting, for random accounts', {
  timeout: 1_200_000,
}, async () => {
  const cli = await createWorld();
  let openInAll = 0;
  for (const { index, given } of sample(cases, 1, kindOf)) {
    const world = await openWorld();
    // Every other account has only event types of its own.
    const isAlone = index % 2 === 0;
    if (isAlone) world.store.run("UPDATE event_types SET doc = json_set(doc, '$.active', json('false'))");
    const host = given.hosts[0]!;
    storeCase(world, `FIRST${index}`, given);
    // Another event type of the same host, with hours and events in the same week.
    const { duration, schedules, events } = cases[(index + 1) % cases.length]!.given;
    const [{ timezone, rules }] = schedules as [(typeof schedules)[0]];
    const shift = given.since - cases[(index + 1) % cases.length]!.given.since;
    storeCase(world, `SECOND${index}`, {
      ...given,
      hosts: [host],
      pooling: null,
      isGroup: false,
      duration,
      schedules: [{ host, timezone, rules }],
      events: events.map((event) => ({ ...event, host, start: event.start + shift })),
    });
    world.clock.time = given.now;
    const run = async (line: string[]) => {
      const result = await cli.run([...line, '--tz', 'UTC'], { send: world.send, clock: virtualClock(given.now) });
      expect(result, line.join(' ')).toMatchObject({ code: 0 });
      return result.stdout;
    };
    const runOnTerminal = async (line: string[]) => {
      const options = { send: world.send, clock: virtualClock(given.now), terminals: ['stdout' as const] };
      return (await cli.run([...line, '--tz', 'UTC', '--accessible'], options)).stdout;
    };
    const date = timestamp(given.since).slice(0, 10);
    const screen = await runOnTerminal(['events', 'agenda', '--user', user(host), '--since', date]);
    const [monday] = [Date.parse(date) - ((new Date(date).getUTCDay() + 6) % 7) * day];
    const [first, last] = [monday / minute, monday / minute + 7 * 24 * 60];
    const open = openMinutes(screen);
    const types = JSON.parse(await run(['event-types', 'list', '--user', user(host), '--all', '--json=uri,active']));
    const bookable = new Set<number>();
    const window = ['--since', timestamp(monday - day), '--until', timestamp(monday + 7 * day)];
    for (const { uri, active } of types) {
      if (!active) continue;
      const slots = JSON.parse(await run(['event-types', 'slots', idIn(uri), ...window, '--json']));
      for (const { start_time: start, end_time: end, event, event_memberships: members } of slots) {
        if (event !== undefined || !members.some(({ user: each }: { user: string }) => each === user(host))) continue;
        for (let at = Date.parse(start) / minute; at < Date.parse(end) / minute; at += 1)
          if (at >= first && at < last) bookable.add(at);
      }
    }
    const message = `case ${index} of ${host}: ${JSON.stringify(given)}\n${screen}`;
    expect(readable([...bookable].filter((at) => !open.has(at))), message).toEqual([]);
    // With several hosts, others can be busy while this one is open, and starts depend on the hours of all.
    if (isAlone && given.pooling === null)
      expect(readable([...open].filter((at) => !bookable.has(at))), message).toEqual([]);
    openInAll += open.size;
  }
  expect(openInAll).toBeGreaterThan(times(60, 60_000));
});
