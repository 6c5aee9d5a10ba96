import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { type FollowSource, readRound } from '../../../src/commands/follow/read-news.ts';
import { beginState, entryText, readState, rememberNews, stateText } from '../../../src/commands/follow/work-state.ts';
import { type Bookings, createBookings, serveBookings } from '../../support/bookings.ts';
import type { TestWorld } from '../../support/run.ts';
import { createWorld, someday, type WorldOptions } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { runs, sample, times } from '../../support/tier.ts';
import { deliveries, following, isInvitees } from './following.ts';

const hour = 3_600_000;
const day = 24 * hour;

let world: TestWorld;
let bookings: Bookings;
beforeEach(async () => {
  world = await createWorld({ home: temporaryDirectory('follow') });
  bookings = createBookings();
});

const now = () => world.clock.now();
const lines = (stdout: string): string[] =>
  deliveries(stdout).map(({ event, payload }) => `${event.replace('invitee.', '')} ${payload.uri}`);
const follow = async (steps: readonly (() => unknown)[], more: WorldOptions) => {
  // Of a sandbox, only its own clock counts. This service is none.
  const env = { SCHED_ERROR_FORMAT: 'text', SCHED_TOKEN: 'an-ordinary-token' };
  const result = await following(world, '-o jsonl', steps, { env, ...more });
  expect(result.code, result.stderr).toBe(0);
  return { ...result, told: lines(result.stdout) };
};
const nothing = () => {};
const repeat = (count: number, step: (index: number) => unknown) =>
  Array.from({ length: count }, (_, index) => () => step(index));

/** Events that somebody may still book or cancel. */
const open = (): number[] =>
  bookings.events.flatMap(({ event }, index) => (Date.parse(String(event.start_time)) > now() ? [index] : []));

/** Books, joins and cancels, a different mix each time. */
const change = (index: number): void => {
  bookings.book(now(), (1 + ((index * 7) % 480)) * hour);
  const others = open();
  if (index % 2 === 0) bookings.join(others[(index * 3) % others.length]!, now());
  if (index % 3 === 0) bookings.cancel(others[(index * 5) % others.length]!, index, now());
};

// R55
describe('a list of invitees that does not match its event', () => {
  const empty = { body: '{"collection":[],"pagination":{}}' };
  const notFound = { status: 404 };

  test('is read again, if it was empty or not found once, however long ago the event changed', async () => {
    const seen = new Set<string>();
    /** Each change of an event is hidden once. */
    const invitees = (id: string) => {
      const { event } = bookings.events[Number(id.slice(1))]!;
      const key = `${id} ${event.updated_at}`;
      if (seen.has(key)) return undefined;
      seen.add(key);
      return seen.size % 2 === 0 ? empty : notFound;
    };
    const steps = repeat(times(15, 1000), async (index) => {
      change(index);
      // Some have started, or are long over, when they are first read.
      await world.clock.sleep(((index * 11) % 60) * hour);
    });
    const { told, stderr } = await follow([...steps, nothing, nothing], {
      send: serveBookings(bookings, { now, invitees }),
    });
    expect(told.toSorted()).toEqual(bookings.happened.toSorted());
    expect(stderr).not.toContain('counter');
  });

  test('is reported after ten checks, and its booking is printed when it is listed', async () => {
    let isListed = false;
    const send = serveBookings(bookings, { now, invitees: () => (isListed ? undefined : empty) });
    const steps = [
      () => bookings.book(now(), 9 * day),
      ...repeat(8, nothing),
      () => expect(said()).toBe(''),
      ...repeat(14, nothing),
      () => {
        isListed = true;
      },
      ...repeat(25, nothing),
    ];
    let stderr = '';
    const said = () => stderr;
    const result = await follow(steps, {
      send,
      onStderr: (text) => {
        if (text.includes('counter')) stderr += text;
      },
    });
    expect(said()).toBe(
      "In 10 checks, the invitees listed for event E0 didn't match the counter. Looking again, less often\n",
    );
    expect(result.told).toEqual(bookings.happened);
    // Ten checks, then after 10, 20 and 40 more. It matches in the last one.
    expect(result.requests.filter(isInvitees)).toHaveLength(13);
  });

  test('is reported in one line for all events', async () => {
    const send = serveBookings(bookings, { now, invitees: () => empty });
    const bookThree = () => [1, 2, 3].map((days) => bookings.book(now(), days * day));
    const { stderr } = await follow([bookThree, ...repeat(12, nothing)], { send });
    expect(stderr.match(/.*counter.*/g)).toEqual([
      "In 10 checks, the invitees listed for event E0 and 2 other events didn't match the counter. Looking again, less often",
    ]);
  });

  test('is read again, if it shows a cancellation later than the event', async () => {
    let old: string | undefined;
    const send = serveBookings(bookings, { now, invitees: () => (old === undefined ? undefined : { body: old }) });
    const cancel = () => {
      old = JSON.stringify({ collection: bookings.events[0]!.invitees });
      bookings.cancel(0, 0, now());
    };
    const show = async () => {
      await world.clock.sleep(hour);
      old = undefined;
    };
    const { told, requests } = await follow([() => bookings.book(now(), day), cancel, show, nothing], { send });
    expect(told).toEqual(bookings.happened);
    expect(requests.filter(isInvitees)).toHaveLength(3);
  });

  test('prints each invitee once, if its pages overlap', async () => {
    const bookMany = () => {
      const event = bookings.book(now(), day);
      for (let count = 1; count < 150; count += 1) bookings.join(event, now());
    };
    const { told } = await follow([bookMany, nothing], { send: serveBookings(bookings, { now, overlap: 1 }) });
    expect(told).toEqual(bookings.happened);
    expect(told).toHaveLength(150);
  });
});

// R55
describe('a clock that is wrong by two days', () => {
  const cells = ['the service', 'this machine'].flatMap((whose) =>
    [2 * day, -2 * day].flatMap((aheadMs) =>
      ['at the first start', 'later', 'always', 'now and then'].map((when) => ({ whose, aheadMs, when })),
    ),
  );
  const named = cells.map((cell) => ({ ...cell, how: cell.aheadMs > 0 ? 'ahead' : 'behind' }));

  test.each(sample(named, 1, ({ whose }) => whose))(
    'misses nothing, and prints nothing twice: that of $whose, $how, $when',
    async ({ whose, aheadMs, when }) => {
      // Meetings of the past: long ago, yesterday, and to come. That of yesterday was booked last.
      bookings.book(now() - 20 * day, 2 * day);
      bookings.book(now() - 10 * day, 40 * day);
      bookings.book(now() - 9 * day, 70 * day);
      bookings.book(now() - 30 * hour, 10 * hour);
      bookings.happened.length = 0;
      let session = 0;
      let checks = 0;
      const isWrong = () => {
        if (when === 'at the first start') return session === 0;
        if (when === 'later') return session > 0;
        return when === 'always' || checks % 2 === 0;
      };
      const ahead = () => (isWrong() ? aheadMs : 0);
      const isService = whose === 'the service';
      const send = serveBookings(bookings, { now, ...(isService ? { dateAheadMs: ahead } : {}) });
      const told: string[] = [];
      for (; session < times(2, 4); session += 1) {
        const steps = repeat(5, async (index) => {
          checks += 1;
          change(session * 5 + index);
          await world.clock.sleep(((index * 5) % 12) * hour);
        });
        const more = { send, ...(isService ? {} : { clockAheadMs: ahead() }) };
        told.push(...(await follow([nothing, ...steps], more)).told);
        // Somebody books while it is stopped, also a meeting that is over when it starts again.
        for (const hours of [1, 30, 90]) bookings.book(now(), hours * hour);
        await world.clock.sleep((1 + session) * day);
      }
      told.push(...(await follow([nothing], { send })).told);
      // The window reaches what was booked before the first start, too.
      await world.clock.sleep(30 * day);
      told.push(...(await follow([], { send })).told);
      expect(told.toSorted()).toEqual(bookings.happened.toSorted());
    },
  );
});

/** A process with the state on disk. `killAt` counts the steps that it takes before it is killed. */
const createProcess = (service: Bookings, since: number) => {
  let disk = stateText(beginState(since));
  const told: string[] = [];
  let repeatable = 0;
  return {
    told,
    /** Kills between printing an item and remembering it: only they may lead to a second line. */
    get repeatable() {
      return repeatable;
    },
    round: async (now: number, killAt = Number.POSITIVE_INFINITY): Promise<void> => {
      let steps = 0;
      const isKilled = () => ++steps > killAt;
      const send = serveBookings(service, { now: () => now });
      const client = createClient({ baseUrl: 'http://127.0.0.1:4010', send, sendPlain: send });
      const source: FollowSource = { client, query: {}, keep: () => true, serviceNow: () => now };
      const state = readState(disk)!;
      disk = stateText(state);
      for await (const change of readRound(source, state, { now, until: now + 60 * day, onShort: nothing })) {
        if (isKilled()) return;
        const isNews = change.kind !== 'read';
        if (isNews) told.push(`${change.kind} ${change.invitee.uri}`);
        const entry = entryText(rememberNews(state, change));
        const written = [0, entry.length / 2, entry.length].find(() => isKilled()) ?? entry.length;
        disk += entry.slice(0, written);
        if (written === entry.length) continue;
        if (isNews) repeatable += 1;
        return;
      }
      if (isKilled()) return;
      disk = stateText(state);
    },
  };
};

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('book' as const), ahead: fc.integer({ min: 1, max: 50 * day }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('join' as const), which: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel' as const), which: fc.nat(), who: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('round' as const), killAt: fc.option(fc.nat(12)) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 3 * hour }) }) },
);

// R55
describe('a follower that is killed at any moment', () => {
  test('tells everything that happens in its window, in order, and twice only if killed before it remembers', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const service = createBookings();
        const follower = createProcess(service, someday);
        let now = someday;
        /** Nobody books or cancels an event that has started. */
        const unstarted = () =>
          service.events.flatMap(({ event }, index) => (Date.parse(String(event.start_time)) > now ? [index] : []));
        for (const each of steps) {
          const indexes = unstarted();
          if (each.do === 'wait') now += each.ms;
          if (each.do === 'book') service.book(now, each.ahead);
          if (each.do === 'round') await follower.round(now, each.killAt ?? undefined);
          if (indexes.length === 0) continue;
          if (each.do === 'join') service.join(indexes[each.which % indexes.length]!, now);
          if (each.do === 'cancel') service.cancel(indexes[each.which % indexes.length]!, each.who, now);
        }
        await follower.round(now);
        const { told, repeatable } = follower;
        expect([...new Set(told)].toSorted()).toEqual(service.happened.toSorted());
        expect(told.length - new Set(told).size).toBeLessThanOrEqual(repeatable);
        for (const line of told.filter((each) => each.startsWith('canceled')))
          expect(told.indexOf(line.replace('canceled', 'created'))).toBeLessThan(told.indexOf(line));
        // A further round finds nothing, also if a clock shows the past again.
        const before = told.length;
        for (const later of [now, now + 100 * day, now]) await follower.round(later);
        expect(told).toHaveLength(before);
      }),
      runs(30, 500),
    );
  });
});
