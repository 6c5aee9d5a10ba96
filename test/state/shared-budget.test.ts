import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { mapConcurrent } from '../../src/client/map-concurrent.ts';
import type { Send } from '../../src/http/message.ts';
import { budgetKey } from '../../src/http/rate-limit.ts';
import { emptyState } from '../../src/state/budget-state.ts';
import { type BudgetStore, memoryBudgets } from '../../src/state/budget-store.ts';
import { createSharedBudget } from '../../src/state/shared-budget.ts';
import { patched } from '../support/files-world.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { isDeep, random, sample, times } from '../support/tier.ts';
import { places, slowPlaces } from './places.ts';
import {
  limitedService,
  type Place,
  quiet,
  type SimulatedClock,
  simulatedClock,
  simulatedProcess,
} from './simulation.ts';

/** Processes that each send a number of requests, one after another. */
const busy = async (
  limit: number,
  processes: number,
  each: number,
  place: Place | undefined,
  options: { latency?: () => number; pauseMs?: () => number } = {},
) => {
  const { clock, run } = simulatedClock();
  const service = limitedService(clock, { limit, ...(options.latency ? { latency: options.latency } : {}) });
  const started = clock.now();
  const work = async () => {
    const client = simulatedProcess(clock, service.send, place);
    const statuses: number[] = [];
    for (let sent = 0; sent < each; sent += 1) {
      statuses.push((await client.send()).status);
      if (options.pauseMs) await clock.sleep(options.pauseMs());
    }
    await client.budget.close();
    return statuses;
  };
  const statuses = (await run(Promise.all(Array.from({ length: processes }, work)))).flat();
  return { ...service.seen, statuses, elapsed: clock.now() - started };
};

const jittery = () => 20 + random() * 300;

test('a budget of its own for each process does not prevent refusals', async () => {
  const { refused } = await busy(10, 8, 5, undefined, { latency: jittery });
  expect(refused).toBeGreaterThan(0);
});

// R30
describe.each(places)('budget in $name: shared by processes', ({ newPlace, isFast }) => {
  // The rules are the same everywhere, so that `npm test` tries only some of them where each step takes long.
  const isChosen = () => isDeep || isFast || random() < 1 / 4;
  const rule = (title: string, body: () => Promise<void>) => test.runIf(isChosen())(title, body);

  rule('takes back no more than a command has left when it ends', async () => {
    const { clock, run } = simulatedClock();
    const service = limitedService(clock, { limit: 60, latency: jittery });
    const place = await newPlace();
    const commands = async () => {
      for (let count = 0; count < 15; count += 1) {
        const client = simulatedProcess(clock, service.send, place);
        await client.send();
        await client.budget.close();
      }
    };
    await run(Promise.all(Array.from({ length: 8 }, commands)));
    expect(service.seen).toMatchObject({ refused: 0, answered: 120 });
  });

  test('lets eight processes send 40 requests at 10 a minute without a 429', async () => {
    for (let round = 0; round < times(1, isFast ? 10 : 2); round += 1) {
      const { refused, answered, statuses, elapsed, mostBeforeFirst } = await busy(10, 8, 5, await newPlace(), {
        latency: jittery,
      });
      expect({ refused, answered, done: statuses.every((status) => status === 200) }).toEqual({
        refused: 0,
        answered: 40,
        done: true,
      });
      // The requests need four windows, so three must pass.
      expect(elapsed).toBeGreaterThanOrEqual(180_000);
      expect(elapsed).toBeLessThan(190_000);
      expect(mostBeforeFirst).toBe(1);
    }
  });

  const crowds: [number, number, number][] = [
    ...((isFast
      ? [
          [500, 8, times(65, 375)],
          [500, 1, times(510, 2000)],
          [10, 1, 40],
        ]
      : []) as [number, number, number][]),
    [10, 8, times(4, 10)],
    [50, 3, times(25, 100)],
  ];
  test.runIf(isChosen()).each(sample(crowds, 1, ([, processes]) => processes > 1))(
    'uses at least 95 percent of a limit of %i with %i processes, and never exceeds it',
    async (limit, processes, each) => {
      const { refused, times: sent } = await busy(limit, processes, each, await newPlace(), {
        latency: () => 20 + random() * 40,
      });
      expect(refused).toBe(0);
      // The last window may not be full, so only the time of the windows before it counts.
      const windows = Math.ceil((processes * each) / limit) - 1;
      expect(windows).toBeGreaterThan(0);
      const elapsed = sent[windows * limit]! - sent[0]!;
      expect((windows * 60_000) / elapsed).toBeGreaterThanOrEqual(0.95);
    },
  );

  rule('is not exceeded by slow processes across the ends of windows', async () => {
    for (let round = 0; round < times(1, isFast ? 5 : 1); round += 1) {
      const { refused } = await busy(40, 6, times(10, 60), await newPlace(), {
        latency: jittery,
        pauseMs: () => random() * 4000,
      });
      expect(refused).toBe(0);
    }
  });

  rule('lets waiting processes return one after another', async () => {
    const { clock, run } = simulatedClock();
    const place = await newPlace();
    const { send, seen } = limitedService(clock, { limit: 20, latency: () => 40 });
    const work = async () => {
      const client = simulatedProcess(clock, send, place, { random: () => 0 });
      for (let sent = 0; sent < 2; sent += 1) await client.send();
      await client.budget.close();
    };
    await run(Promise.all(Array.from({ length: 20 }, work)));
    expect(seen).toMatchObject({ answered: 40, refused: 0 });
    const second = seen.times.slice(20);
    const gaps = second.slice(1).map((time, index) => time - second[index]!);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(15);
    expect(second.at(-1)! - second[0]!).toBeLessThan(2000);
  });

  rule('serves waiting processes before one that keeps asking for more', async () => {
    const { clock, run } = simulatedClock();
    const place = await newPlace();
    const { send, seen } = limitedService(clock, { limit: 10, latency: () => 2 });
    const greedy = simulatedProcess(clock, send, place);
    for (let sent = 0; sent < 10; sent += 1) await run(greedy.send());
    const begun = clock.now();
    const ends: number[] = [];
    const modest = Array.from({ length: 4 }, async () => {
      const client = simulatedProcess(clock, send, place);
      await clock.sleep(1000);
      await client.send();
      ends.push(clock.now() - begun);
      await client.budget.close();
    });
    const more = async () => {
      for (let sent = 0; sent < 30; sent += 1) await greedy.send();
    };
    await run(Promise.all([more(), ...modest]));
    // All are served in the next window, although the greedy process is back first and asks every two milliseconds.
    expect(Math.max(...ends)).toBeLessThan(62_000);
    expect(seen.refused).toBe(0);
  });

  rule('keeps the order of waiting processes if they need several windows', async () => {
    const { clock, run } = simulatedClock();
    const place = await newPlace();
    const { send, seen } = limitedService(clock, { limit: 2 });
    const order: number[] = [];
    const clients = Array.from({ length: 7 }, async (_, index) => {
      const client = simulatedProcess(clock, send, place);
      await clock.sleep(1 + index * 500);
      await client.send();
      order.push(index);
      await client.budget.close();
    });
    await run(Promise.all(clients));
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(seen).toMatchObject({ answered: 7, refused: 0 });
  });

  rule('gets unused permits back when a process ends', async () => {
    const { clock, run } = simulatedClock();
    const place = await newPlace();
    const service = limitedService(clock, { limit: 100 });
    for (let client = 0; client < 48; client += 1) {
      const one = simulatedProcess(clock, service.send, place, { maxWaitMs: 0 });
      await run(one.send());
      await run(one.send());
      await one.budget.close();
    }
    expect(service.seen).toMatchObject({ answered: 96, refused: 0 });
  });

  rule('drops its permits if a reply says that other programs have used them', async () => {
    const { clock, run } = simulatedClock();
    const service = limitedService(clock, { limit: 100 });
    const one = simulatedProcess(clock, service.send, await newPlace(), { maxWaitMs: 0 });
    for (let sent = 0; sent < 3; sent += 1) await run(one.send());
    const { answered } = service.seen;
    for (let sent = answered; sent < 98; sent += 1)
      await run(service.send({ method: 'GET', url: 'https://api.example.com/', headers: {} }));
    for (let sent = 0; sent < 10; sent += 1) await run(one.send()).catch(() => {});
    expect(service.seen.refused).toBe(0);
  });

  rule('drops the permits of a killed process at the end of their window', async () => {
    const { clock, run } = simulatedClock();
    const place = await newPlace();
    const service = limitedService(clock, { limit: 32 });
    for (let killed = 0; killed < 20; killed += 1) {
      const one = simulatedProcess(clock, service.send, place);
      await run(one.send());
      await run(one.send()).catch(() => {});
    }
    await run(clock.sleep(61_000));
    const survivor = simulatedProcess(clock, service.send, place, { maxWaitMs: 0 });
    for (let sent = 0; sent < 10; sent += 1) expect((await run(survivor.send())).status).toBe(200);
    expect(service.seen.refused).toBe(0);
  });

  rule('frees the probe after a timeout if the first process is killed before its reply', async () => {
    const { clock, run } = simulatedClock();
    const place = await newPlace();
    const { send } = limitedService(clock, { limit: 10 });
    const timeoutMs = times(1000, 30_000);
    const dead = simulatedProcess(clock, () => new Promise(() => {}), place, { timeoutMs });
    dead.send().catch(() => {});
    await quiet();
    const heir = simulatedProcess(clock, send, place);
    const before = clock.now();
    expect((await run(heir.send())).status).toBe(200);
    expect(clock.now() - before).toBeGreaterThan(timeoutMs);
    expect(clock.now() - before).toBeLessThan(timeoutMs + 10_000);
  });

  rule('accounts for requests of other programs', async () => {
    const { clock, run } = simulatedClock();
    const { send, seen } = limitedService(clock, { limit: 60 });
    const client = simulatedProcess(clock, send, await newPlace());
    await run(client.send());
    for (let others = 0; others < 40; others += 1) await run(send({ method: 'GET', url: 'https://x/', headers: {} }));
    for (let sent = 0; sent < 40; sent += 1) await run(client.send());
    expect(seen.refused).toBe(0);
  });

  rule('reports when to retry if waiting is not allowed', async () => {
    const { clock, run } = simulatedClock();
    const { send, seen } = limitedService(clock, { limit: 3 });
    const client = simulatedProcess(clock, send, await newPlace(), { maxWaitMs: 0 });
    for (let sent = 0; sent < 3; sent += 1) await run(client.send());
    const error = await run(client.send()).catch((failure) => failure);
    expect(error).toMatchObject({ category: 'rate-limited', facts: { outcome: 'not-sent' } });
    expect(error.facts.retryAfterSeconds).toBeGreaterThan(50);
    expect(seen).toMatchObject({ answered: 3, refused: 0 });
  });

  rule('removes an interrupted process from the queue', async () => {
    const { clock, run } = simulatedClock();
    const place = await newPlace();
    const { send } = limitedService(clock, { limit: 1 });
    const client = simulatedProcess(clock, send, place);
    await run(client.send());
    const waiting = client.send();
    waiting.catch(() => {});
    await quiet();
    const key = budgetKey('general', { origin: 'https://api.example.com', token: 'canary-token-0123456789' });
    const onlooker = simulatedProcess(clock, send, place);
    expect((await onlooker.budget.look(key)).waiting).toHaveLength(1);
    client.interrupted.abort(new Error('Interrupted'));
    await expect(waiting).rejects.toThrow('Interrupted');
    await client.budget.close();
    expect((await onlooker.budget.look(key)).waiting).toHaveLength(0);
  });
});

// R30
describe.each(slowPlaces)('budget in a slow $name', ({ newPlace }) => {
  const crowds = [
    [10, 8, times(3, 5)],
    [100, 6, times(18, 60)],
  ] as const;
  test.each(sample(crowds, 1))('is not exceeded: %i a minute, %i processes', async (limit, processes, each) => {
    for (let round = 0; round < times(1, 3); round += 1) {
      const { refused, answered } = await busy(limit, processes, each, await newPlace(), { latency: jittery });
      expect({ refused, answered }).toEqual({ refused: 0, answered: processes * each });
    }
  });
});

describe('budget that a store on another machine keeps', () => {
  test('falls back to this machine while that store fails, reports it once, and returns to it', async () => {
    const clock = { now: () => 1e12 };
    const elsewhere = memoryBudgets(clock);
    let isAway = false;
    const remote: BudgetStore = {
      ...elsewhere,
      update: (...words) => (isAway ? Promise.reject(new Error('away')) : elsewhere.update(...words)),
      read: (...words) => (isAway ? Promise.reject(new Error('away')) : elsewhere.read(...words)),
    };
    const troubles: string[] = [];
    const directory = temporaryDirectory();
    const open = () =>
      createSharedBudget({
        remote,
        directory,
        clock,
        holder: 'a',
        pid: 1,
        timeoutMs: 1000,
        pacePerMinute: 500,
        onTrouble: (reason) => troubles.push(`files: ${reason}`),
        onRemoteTrouble: (reason) => troubles.push(reason),
      });
    const budget = open();
    const told = { limit: 10, remaining: 0, resetMs: 60_000 };
    await budget.take('general-x');
    await budget.settle('general-x', { sentAt: 1e12, told });
    expect(await budget.take('general-x')).toMatchObject({ why: 'limit' });
    isAway = true;
    expect(await budget.take('general-x')).toBeUndefined();
    await budget.settle('general-x', { sentAt: 1e12, told: { ...told, limit: 20 } });
    expect(await budget.limitOf('general-x')).toBe(20);
    // Another process of this machine shares the fallback.
    expect(await open().limitOf('general-x')).toBe(20);
    isAway = false;
    expect(await budget.limitOf('general-x')).toBe(10);
    expect(troubles).toEqual(['away', 'away']);
  });

  test('keeps no permits of a change that another machine has overtaken', async () => {
    const clock = { now: () => 1e12 };
    const elsewhere = memoryBudgets(clock);
    const remote: BudgetStore = {
      ...elsewhere,
      update: async (key, change) => {
        change({ ...emptyState('general'), told: 'limit' }, 1e12);
        return elsewhere.update(key, change);
      },
    };
    const options = { remote, clock, pid: 1, timeoutMs: 1000, pacePerMinute: 500, onTrouble: () => {} };
    const [first, second] = ['a', 'b'].map((holder) => createSharedBudget({ ...options, holder }));
    await first!.take('general-x');
    const told = { limit: 10, remaining: 0, resetMs: 60_000 };
    await first!.settle('general-x', { sentAt: 1e12, told });
    for (let time = 0; time < 2; time += 1) expect(await second!.take('general-x')).toMatchObject({ why: 'limit' });
  });
});

// R65: a store that fails once must not make a request wait for itself.
describe('budget whose store fails once', () => {
  const moments = ['before', 'after'] as const;
  const wheres = ['files', 'another machine'];
  const cells = [1, 2, 3, 4, 5, 6].flatMap((change) =>
    moments.flatMap((moment) =>
      wheres.flatMap((where) => [true, false].map((isLimited) => ({ change, moment, where, isLimited }))),
    ),
  );
  test.each(sample(cells, 2, ({ moment, where }) => `${moment} ${where}`))(
    'lets all requests through: $moment change $change in $where (limit known: $isLimited)',
    async ({ change, moment, where, isLimited }) => {
      const { clock, run } = simulatedClock();
      let changes = 0;
      const failOnce = <Value>(work: () => Value): Value => {
        changes += 1;
        if (changes !== change) return work();
        if (moment === 'after') work();
        throw new Error('once');
      };
      const { linkSync } = fs;
      const link = (...words: Parameters<typeof linkSync>) => failOnce(() => linkSync(...words));
      const elsewhere = memoryBudgets(clock);
      const remote: BudgetStore = {
        ...elsewhere,
        update: async (...words) => failOnce(() => elsewhere.update(...words)),
      };
      const place = where === 'files' ? temporaryDirectory() : { machine: () => ({ clock, remote }) };
      const service = limitedService(clock, { limit: 20 });
      const send: Send = async (request) => ({
        ...(await service.send(request)),
        ...(isLimited ? {} : { headers: {} }),
      });
      const troubles: string[] = [];
      const client = simulatedProcess(clock, send, place, { onTrouble: (reason) => troubles.push(reason) });
      const work = async () => {
        for (let round = 0; round < 3; round += 1) await Promise.all([client.send(), client.send()]);
        await client.budget.close();
      };
      const started = clock.now();
      await patched(fs, where === 'files' ? { linkSync: link } : {}, () => run(work()));
      expect(service.seen).toMatchObject({ answered: 6, refused: 0 });
      expect(troubles).toEqual(changes < change ? [] : ['once']);
      expect(clock.now() - started).toBeLessThan(1000);
    },
  );
});

// R55
// The rules are the same everywhere, so that one place is enough for `npm test`.
describe.each(sample(places, 1))('budget in $name: a process in the background', ({ newPlace }) => {
  /** Processes in the background that send all the time, beside others. */
  const beside = async (count: number) => {
    const { clock, run } = simulatedClock();
    const place = await newPlace();
    const service = limitedService(clock, { limit: 10, latency: jittery });
    let isOver = false;
    const sent: number[] = [];
    const followers = Array.from({ length: count }, async () => {
      const follower = simulatedProcess(clock, service.send, place, { isBackground: true });
      while (!isOver) {
        await follower.send();
        sent.push(clock.now());
      }
    });
    const other = (maxWaitMs = 90_000) => simulatedProcess(clock, service.send, place, { maxWaitMs });
    const end = () => {
      isOver = true;
    };
    return { clock, run, service, followers, other, sent, end };
  };

  test('leaves half of the limit to a command that must not wait, at any moment', async () => {
    const { clock, run, service, followers, other, end } = await beside(1);
    const work = async () => {
      for (let minute = 0; minute < times(5, 20); minute += 1) {
        await clock.sleep(40_000 + random() * 50_000);
        // A new process each time, as a command is. At most four of them are in one window.
        for (let sent = 0; sent < 2; sent += 1) expect((await other(0).send()).status).toBe(200);
      }
      end();
    };
    await run(Promise.all([work(), ...followers]));
    expect(service.seen.refused).toBe(0);
  });

  test('comes after a command that waits, so that a hungry one gets everything it can use', async () => {
    const { clock, run, service, followers, other, end } = await beside(1);
    const started = clock.now();
    const work = async () => {
      const hungry = Array.from({ length: 4 }, () => other());
      await Promise.all(
        hungry.map(async (client) => {
          for (let sent = 0; sent < 10; sent += 1) expect((await client.send()).status).toBe(200);
          await client.budget.close();
        }),
      );
      const elapsed = clock.now() - started;
      end();
      return elapsed;
    };
    const [elapsed] = await run(Promise.all([work(), ...followers]));
    // Alone, 40 requests take four windows. At half speed, they would take eight.
    expect(elapsed).toBeLessThan(5 * 61_000);
    expect(service.seen.refused).toBe(0);
  });

  test('never blocks another one in the background', async () => {
    const { clock, run, service, followers, sent, end } = await beside(3);
    const windows = times(4, 10);
    const work = async () => {
      await clock.sleep(windows * 60_000);
      end();
    };
    await run(Promise.all([work(), ...followers]));
    expect(service.seen.refused).toBe(0);
    // Five requests a window, and a window may begin a little later than the one before has ended.
    expect(sent.length).toBeGreaterThanOrEqual(5 * (windows - 1));
  });
});

// R40
describe.each(sample(places, 1))('budget in $name: the pace for a service without a limit', ({ newPlace }) => {
  const pacePerMinute = 50;

  /** A service without rate-limit headers that records its requests. */
  const silentService = (clock: SimulatedClock) => {
    const times: number[] = [];
    let flying = 0;
    let mostAtOnce = 0;
    const send: Send = async () => {
      flying += 1;
      mostAtOnce = Math.max(mostAtOnce, flying);
      times.push(clock.now());
      await clock.sleep(5);
      flying -= 1;
      return { status: 200, headers: {}, body: '{}' };
    };
    return { send, times, mostAtOnce: () => mostAtOnce };
  };
  const mostInAMinute = (times: number[]) =>
    Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + 60_000).length));

  const crowds = [
    [1, 110, 1],
    [1, 110, 4],
    [5, 22, 1],
    [3, 20, 2],
  ] as const;
  test.each(sample(crowds, 1, ([, , atOnce]) => atOnce > 1))(
    'allows 50 requests a minute, one in flight (%i processes, %i requests, %i at once)',
    async (processes, each, atOnce) => {
      const { clock, run } = simulatedClock();
      const service = silentService(clock);
      const place = await newPlace();
      const work = async () => {
        const client = simulatedProcess(clock, service.send, place, { pacePerMinute });
        await mapConcurrent(Array.from({ length: each }), () => client.send(), atOnce);
        await client.budget.close();
      };
      await run(Promise.all(Array.from({ length: processes }, work)));
      expect(service.times).toHaveLength(processes * each);
      // With fixed windows, the rest of one and all of the next may come close together, as on the service itself.
      expect(mostInAMinute(service.times)).toBeLessThanOrEqual(2 * pacePerMinute);
      expect(service.times[pacePerMinute]! - service.times[0]!).toBeGreaterThanOrEqual(60_000);
      expect(service.mostAtOnce()).toBe(1);
    },
  );

  test('does not slow down a command with few requests', async () => {
    const { clock, run } = simulatedClock();
    const { send } = silentService(clock);
    const client = simulatedProcess(clock, send, await newPlace(), { pacePerMinute });
    const started = clock.now();
    for (let sent = 0; sent < 49; sent += 1) await run(client.send());
    expect(clock.now() - started).toBe(49 * 5);
    expect(client.waits).toEqual([]);
  });

  test("reports sched's own limit if the wait is too long", async () => {
    const { clock, run } = simulatedClock();
    const { send } = silentService(clock);
    const client = simulatedProcess(clock, send, await newPlace(), { maxWaitMs: 0, pacePerMinute });
    for (let sent = 0; sent < 50; sent += 1) await run(client.send());
    await run(clock.sleep(2000));
    const error = await run(client.send()).catch((failure) => failure);
    expect(error).toMatchObject({ category: 'rate-limited', facts: { outcome: 'not-sent', retryAfterSeconds: 58 } });
    expect(error.facts.reason).toMatch(/^the service states no rate limit, so requests are limited to 50 per minute; /);
  });

  test('ends as soon as a reply has a limit', async () => {
    const { clock, run } = simulatedClock();
    const silent = silentService(clock);
    const limited = limitedService(clock, { limit: 200 });
    let isSilent = true;
    const either: Send = (request) => (isSilent ? silent : limited).send(request);
    const client = simulatedProcess(clock, either, await newPlace(), { pacePerMinute });
    await run(client.send());
    isSilent = false;
    await run(client.send());
    await run(mapConcurrent(Array.from({ length: 100 }), () => client.send(), 4));
    expect(limited.seen.mostAtOnce).toBe(4);
    expect(client.waits).toEqual([]);
  });

  test('frees the one request in flight while a booking waits for its own window', async () => {
    const { clock, run } = simulatedClock();
    const place = await newPlace();
    const day = { 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '80' };
    const booker = simulatedProcess(clock, async () => ({ status: 200, headers: day, body: '{}' }), place);
    const booking = { method: 'POST', url: 'https://api.example.com/invitees', body: '{}', isBooking: true };
    await run(booker.send(booking));
    const waiting = booker.send(booking);
    await quiet();
    const { send } = silentService(clock);
    const other = simulatedProcess(clock, send, place);
    const started = clock.now();
    await run(other.send());
    expect(clock.now() - started).toBe(5);
    booker.interrupted.abort(new Error('Interrupted'));
    await expect(waiting).rejects.toThrow('Interrupted');
  });

  test('lets another request of the same process go first while a booking waits', async () => {
    const { clock, run } = simulatedClock();
    const day = { 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '80' };
    let headers: Record<string, string> = day;
    const client = simulatedProcess(clock, async () => ({ status: 200, headers, body: '{}' }), await newPlace());
    const booking = { method: 'POST', url: 'https://api.example.com/invitees', body: '{}', isBooking: true };
    await run(client.send(booking));
    headers = {};
    const started = clock.now();
    const waiting = client.send(booking);
    // Asks while the booking still has the one request that may be in flight.
    expect((await run(client.send())).status).toBe(200);
    expect(clock.now()).toBe(started);
    client.interrupted.abort(new Error('Interrupted'));
    await expect(waiting).rejects.toThrow('Interrupted');
  });
});
