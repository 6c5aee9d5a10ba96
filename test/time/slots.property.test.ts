import { expect, it } from 'vitest';
import { eventTypes } from '../../src/api/event-types.ts';
import { idIn } from '../../src/base/uri.ts';
import type { Context } from '../../src/cli/session/context.ts';
import { createClient } from '../../src/client/client.ts';
import { gather } from '../../src/client/paginate.ts';
import { findFreeTimes } from '../../src/commands/slots/free-slots.ts';
import type { Send } from '../../src/http/message.ts';
import { dice } from '../../src/sandbox/seed/random.ts';
import { timestamp } from '../../src/sandbox/store/names.ts';
import type { EventTypeRecord } from '../../src/sandbox/store/records.ts';
import { dayOf } from '../../src/time/availability-rules.ts';
import { judge, type SlotSearch } from '../../src/time/slots.ts';
import { noon, openWorld, organization, origin } from '../sandbox/world.ts';
import { createWorld, virtualClock } from '../support/run.ts';
import {
  answersTo,
  type Case,
  cases,
  day,
  gridOf,
  kindOf,
  minute,
  refusalAt,
  storeCase,
} from '../support/slot-cases.ts';
import { isDeep, sample, times } from '../support/tier.ts';

/*
 * `event-types slots` and the sandbox's own booking check are separate code. For random event types, schedules, time
 * zones and days, they must agree on every start of the grid.
 */

/** What `event-types slots` would read about a case. */
const searchOf = ({ schedules, events, pooling, duration, isGroup, since, until, now }: Case): SlotSearch => {
  const active = events
    .filter(({ isCanceled }) => !isCanceled)
    .map((event) => ({ ...event, end: event.start + event.minutes * minute, isJoined: isGroup && event.isOfType }));
  const busyOf = (host: string) => active.filter((event) => event.host === host);
  return {
    isActive: true,
    now,
    hosts: schedules.map(({ host, timezone, rules }) => ({
      hours: [{ timezone, rules: rules.map((rule) => ({ day: dayOf(rule), intervals: rule.intervals })) }],
      busy: busyOf(host).map((event) => ({ ...event, event: {}, isFull: event.isJoined && event.seats === 2 })),
    })),
    needsAll: pooling !== 'round_robin',
    duration,
    step: 30,
    seats: active.filter(({ isJoined, seats }) => isJoined && seats < 2),
    since,
    until,
  };
};

/** Quarters of an hour of two weeks: every one in the deep tier, or every `step`th, and a few in `npm test`. */
const quartersFrom = (since: number, index: number, few: number, step = 1): number[] => {
  const quarter = 15 * minute;
  const roll = dice(index);
  const first = Math.ceil(since / quarter) * quarter;
  const all = Array.from({ length: (14 * day) / quarter }, (_, number) => first + number * quarter);
  return isDeep
    ? all.filter((_, number) => number % step === index % step)
    : Array.from({ length: few }, () => all[roll(all.length)]!);
};

/** Times of all kinds: on the grid and beside it, where events start and end, now, and before it. */
const timesOf = (given: Case, index: number): number[] => {
  const roll = dice(index);
  const { since, until, now, duration, events } = given;
  const edges = events.flatMap(({ start, minutes }) => [start, start + minutes * minute, start - duration * minute]);
  const pools = [edges, gridOf(given)].filter((pool) => pool.length > 0);
  const anywhere = () => since + roll((until - since) / minute) * minute;
  const next = () => {
    const pool = pools[roll(pools.length + 1)];
    return pool?.[roll(pool.length)] ?? anywhere();
  };
  return [now, now + minute, ...Array.from({ length: times(12, 60) }, next), ...quartersFrom(since - day, index, 3, 8)];
};

it('offers exactly the starts that the sandbox would book, for random event types', { timeout: 120_000 }, async () => {
  const world = await openWorld();
  const cli = await createWorld();
  const totals = { offered: 0, tried: 0, forward: 0, back: 0, withFreeTimes: 0 };
  // The next test judges all of them. This one also runs the command, which takes longer.
  for (const { index, given } of sample(isDeep ? cases.slice(0, 120) : cases, 1, kindOf)) {
    const id = `SLOTS${index}`;
    storeCase(world, id, given);
    world.clock.time = given.now;
    const range = ['--since', timestamp(given.since), '--until', timestamp(given.until)];
    const step = given.step === undefined ? [] : ['--step', String(given.step)];
    const { code, stdout, stderr } = await cli.run(['event-types', 'slots', id, ...range, ...step, '-o', 'id'], {
      send: async (request) => world.send(request),
      clock: virtualClock(given.now),
      env: { SCHED_TOKEN: 'sandbox_owner' },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const offered = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => Date.parse(line));
    const grid = gridOf(given);
    const bookable = grid.filter((start) => refusalAt(world, id, start, given.now) === undefined);
    const readable = (starts: number[]) => starts.map(timestamp);
    expect(readable(offered), `case ${index}: ${JSON.stringify(given)}`).toEqual(readable(bookable));
    totals.offered += offered.length;
    totals.tried += grid.length;
    totals.withFreeTimes += offered.length > 0 ? 1 : 0;
    totals.forward += given.change?.isForward === true ? 1 : 0;
    totals.back += given.change?.isForward === false ? 1 : 0;
  }
  // The cases are not trivial: most have free times, not every time is free, and both clock changes occur.
  expect(totals.withFreeTimes).toBeGreaterThan(times(2, 60));
  expect(totals.tried - totals.offered).toBeGreaterThan(times(100, 1000));
  expect(totals.offered).toBeGreaterThan(times(10, 1000));
  expect(Math.min(totals.forward, totals.back)).toBeGreaterThan(times(2, 15));
});

it('judges any time as the sandbox does, with the same first reason', { timeout: 1_200_000 }, async () => {
  const world = await openWorld();
  const seen = new Map<string, number>();
  for (const { index, given } of sample(cases, 1, kindOf)) {
    const id = `JUDGE${index}`;
    // Otherwise hosts are busy with the events of other cases.
    world.store.run('DELETE FROM event_hosts');
    storeCase(world, id, given);
    const check = (start: number, isActive: boolean) => {
      const [first] = judge({ ...searchOf(given), isActive }, start);
      const code = first?.code === 'seat' ? 'busy' : first?.code;
      const sandbox = refusalAt(world, id, start, given.now);
      expect(code, `case ${index} at ${timestamp(start)}: ${JSON.stringify(given)}`).toBe(sandbox);
      seen.set(String(first?.code), (seen.get(String(first?.code)) ?? 0) + 1);
    };
    for (const start of timesOf(given, index)) check(start, true);
    const type = world.store.get<EventTypeRecord>('event_types', id)!;
    world.store.update('event_types', id, { ...type, active: false });
    check(given.now - minute, false);
  }
  // Hours exclude most times, so few cases may have no host who is busy within them.
  for (const code of ['undefined', 'inactive', 'past', 'hours', ...(isDeep ? ['busy'] : [])])
    expect(seen.get(code), code).toBeGreaterThan(times(2, 100));
});

it('judges the event types of the demo as the sandbox does, every quarter of an hour', {
  timeout: 1_200_000,
}, async () => {
  const world = await openWorld();
  const send: Send = (request) =>
    world.send({ ...request, headers: { ...request.headers, authorization: 'Bearer sandbox_owner' } });
  const client = createClient({ baseUrl: origin, send, sendPlain: send });
  const identity = { mayBeOther: async () => true, organization: async () => organization };
  const context = { client: async () => client, identity, now: () => noon } as unknown as Context;
  const types = await gather(client.pages(eventTypes.list, { query: { organization } }));
  const seen = new Map<string, number>();
  for (const [index, type] of types.entries()) {
    const since = noon - day;
    const { judge: judged, unchecked } = await findFreeTimes(context, { type, since, until: since + 15 * day });
    const id = idIn(type.uri);
    const more = answersTo(world, id);
    for (const start of quartersFrom(since, index, 12)) {
      const [first] = judged(start);
      const code = first?.code === 'seat' ? 'busy' : String(first?.code);
      expect(code, `${type.name} at ${timestamp(start)}`).toBe(String(refusalAt(world, id, start, noon, more)));
      seen.set(code, (seen.get(code) ?? 0) + 1);
    }
    expect(unchecked).toEqual([]);
  }
  expect(types.length).toBeGreaterThan(9);
  for (const code of ['undefined', 'inactive', 'past', 'hours', 'busy'])
    expect(seen.get(code), code).toBeGreaterThan(times(0, 100));
});
