import { readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mapConcurrent } from '../../src/cli/operation/map-concurrent.ts';
import type { Send } from '../../src/http/message.ts';
import {
  applyPlan,
  type BudgetState,
  current,
  emptyState,
  grant,
  settle,
  type Window,
} from '../../src/state/budget.ts';
import { createSharedBudget } from '../../src/state/shared-budget.ts';
import { fileVersions } from '../../src/state/versions.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { limitedService, type SimulatedClock, simulatedClock, simulatedProcess } from './simulation.ts';

/** Processes that each send a number of requests, one after another. */
const busy = async (
  limit: number,
  processes: number,
  each: number,
  options: { isShared?: boolean; latency?: () => number; pauseMs?: () => number } = {},
) => {
  const { clock, run } = simulatedClock();
  const directory = options.isShared === false ? undefined : temporaryDirectory();
  const service = limitedService(clock, { limit, ...(options.latency ? { latency: options.latency } : {}) });
  const started = clock.now();
  const work = async () => {
    const client = simulatedProcess(clock, service.send, directory);
    const statuses: number[] = [];
    for (let sent = 0; sent < each; sent += 1) {
      statuses.push((await client.send()).status);
      if (options.pauseMs) await clock.sleep(options.pauseMs());
    }
    await client.budget.close();
    return statuses;
  };
  const statuses = (await run(Promise.all(Array.from({ length: processes }, work)))).flat();
  return { ...service.seen, statuses, elapsed: clock.now() - started, directory };
};

const jittery = () => 20 + Math.random() * 300;

// R30
describe('budget: shared by processes', () => {
  test('lets eight processes send 40 requests at 10 a minute without a 429', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { refused, answered, statuses, elapsed, mostBeforeFirst } = await busy(10, 8, 5, { latency: jittery });
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

  test('prevents refusals that the same eight processes get without it', async () => {
    const { refused } = await busy(10, 8, 5, { isShared: false, latency: jittery });
    expect(refused).toBeGreaterThan(0);
  });

  test.each([
    [500, 8, 375],
    [500, 1, 2000],
    [10, 1, 40],
    [10, 8, 10],
    [50, 3, 100],
  ])(
    'uses at least 95 percent of a limit of %i with %i processes, and never exceeds it',
    async (limit, processes, each) => {
      const { refused, times } = await busy(limit, processes, each, { latency: () => 20 + Math.random() * 40 });
      expect(refused).toBe(0);
      // The last window may not be full, so only the time of the windows before it counts.
      const windows = Math.ceil((processes * each) / limit) - 1;
      expect(windows).toBeGreaterThan(0);
      const elapsed = times[windows * limit]! - times[0]!;
      expect((windows * 60_000) / elapsed).toBeGreaterThanOrEqual(0.95);
    },
  );

  test('is not exceeded by slow processes across the ends of windows', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { refused } = await busy(40, 6, 60, { latency: jittery, pauseMs: () => Math.random() * 4000 });
      expect(refused).toBe(0);
    }
  });

  test('lets waiting processes return one after another', async () => {
    const { clock, run } = simulatedClock();
    const directory = temporaryDirectory();
    const { send, seen } = limitedService(clock, { limit: 20, latency: () => 40 });
    const work = async () => {
      const client = simulatedProcess(clock, send, directory, { random: () => 0 });
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

  test('serves waiting processes before one that keeps asking for more', async () => {
    const { clock, run } = simulatedClock();
    const directory = temporaryDirectory();
    const { send, seen } = limitedService(clock, { limit: 10, latency: () => 2 });
    const greedy = simulatedProcess(clock, send, directory);
    for (let sent = 0; sent < 10; sent += 1) await run(greedy.send());
    const begun = clock.now();
    const ends: number[] = [];
    const modest = Array.from({ length: 4 }, async () => {
      const client = simulatedProcess(clock, send, directory);
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

  test('keeps the order of waiting processes if they need several windows', async () => {
    const { clock, run } = simulatedClock();
    const directory = temporaryDirectory();
    const { send, seen } = limitedService(clock, { limit: 2 });
    const order: number[] = [];
    const clients = Array.from({ length: 7 }, async (_, index) => {
      const client = simulatedProcess(clock, send, directory);
      await clock.sleep(1 + index * 500);
      await client.send();
      order.push(index);
      await client.budget.close();
    });
    await run(Promise.all(clients));
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(seen).toMatchObject({ answered: 7, refused: 0 });
  });

  test('gets unused permits back when a process ends', async () => {
    const { clock, run } = simulatedClock();
    const directory = temporaryDirectory();
    const service = limitedService(clock, { limit: 100 });
    for (let client = 0; client < 48; client += 1) {
      const one = simulatedProcess(clock, service.send, directory, { maxWaitMs: 0 });
      await run(one.send());
      await run(one.send());
      await one.budget.close();
    }
    expect(service.seen).toMatchObject({ answered: 96, refused: 0 });
  });

  test('drops the permits of a killed process at the end of their window', async () => {
    const { clock, run } = simulatedClock();
    const directory = temporaryDirectory();
    const service = limitedService(clock, { limit: 32 });
    for (let killed = 0; killed < 20; killed += 1) {
      const one = simulatedProcess(clock, service.send, directory);
      await run(one.send());
      await run(one.send()).catch(() => {});
    }
    await run(clock.sleep(61_000));
    const survivor = simulatedProcess(clock, service.send, directory, { maxWaitMs: 0 });
    for (let sent = 0; sent < 10; sent += 1) expect((await run(survivor.send())).status).toBe(200);
    expect(service.seen.refused).toBe(0);
  });

  test('frees the probe after a timeout if the first process is killed before its reply', async () => {
    const { clock, run } = simulatedClock();
    const directory = temporaryDirectory();
    const { send } = limitedService(clock, { limit: 10 });
    const dead = simulatedProcess(clock, () => new Promise(() => {}), directory);
    dead.send().catch(() => {});
    await new Promise(setImmediate);
    const heir = simulatedProcess(clock, send, directory);
    const before = clock.now();
    expect((await run(heir.send())).status).toBe(200);
    expect(clock.now() - before).toBeGreaterThan(30_000);
    expect(clock.now() - before).toBeLessThan(40_000);
  });

  test('keeps the probe of one process when a request of another ends', () => {
    const state = emptyState('general');
    const pace = { most: 20, probeMs: 1000, pace: 500 };
    grant(state, 'a', 1e12, pace);
    settle(state, { holder: 'b', sentAt: 1e12, now: 1e12, unused: 0 });
    expect(grant(state, 'b', 1e12, pace)).toMatchObject({ why: 'probe' });
    settle(state, { holder: 'a', sentAt: 1e12, now: 1e12, unused: 0 });
    expect(grant(state, 'b', 1e12, pace)).toMatchObject({ permits: 1 });
  });

  test('frees the probe at once if its process is gone', async () => {
    const directory = temporaryDirectory();
    const open = (pid: number, isAlive?: (pid: number) => boolean) =>
      createSharedBudget({
        directory,
        clock: { now: () => 1e12 },
        holder: `p${pid}`,
        pid,
        ...(isAlive && { isAlive }),
        timeoutMs: 30_000,
        pacePerMinute: 500,
        onTrouble: () => {},
      });
    expect(await open(1).take('general-x', 'general')).toBeUndefined();
    expect(await open(2, (pid) => pid === 1).take('general-x', 'general')).toMatchObject({ why: 'probe' });
    expect(await open(3, (pid) => pid !== 1).take('general-x', 'general')).toBeUndefined();
    expect(await open(4, (pid) => pid === 3).take('general-x', 'general')).toMatchObject({ why: 'probe' });
  });

  test('accounts for requests of other programs', async () => {
    const { clock, run } = simulatedClock();
    const { send, seen } = limitedService(clock, { limit: 60 });
    const client = simulatedProcess(clock, send, temporaryDirectory());
    await run(client.send());
    for (let others = 0; others < 40; others += 1) await run(send({ method: 'GET', url: 'https://x/', headers: {} }));
    for (let sent = 0; sent < 40; sent += 1) await run(client.send());
    expect(seen.refused).toBe(0);
  });

  test('reports when to retry if waiting is not allowed', async () => {
    const { clock, run } = simulatedClock();
    const { send, seen } = limitedService(clock, { limit: 3 });
    const client = simulatedProcess(clock, send, temporaryDirectory(), { maxWaitMs: 0 });
    for (let sent = 0; sent < 3; sent += 1) await run(client.send());
    const error = await run(client.send()).catch((failure) => failure);
    expect(error).toMatchObject({ category: 'rate-limited', facts: { outcome: 'not-sent' } });
    expect(error.facts.retryAfterSeconds).toBeGreaterThan(50);
    expect(seen).toMatchObject({ answered: 3, refused: 0 });
  });

  test('removes an interrupted process from the queue', async () => {
    const { clock, run } = simulatedClock();
    const directory = temporaryDirectory();
    const { send } = limitedService(clock, { limit: 1 });
    const client = simulatedProcess(clock, send, directory);
    await run(client.send());
    const waiting = client.send();
    waiting.catch(() => {});
    await new Promise(setImmediate);
    const [key] = readdirSync(directory);
    const onlooker = simulatedProcess(clock, send, directory);
    expect((await onlooker.budget.look(key!, 'general')).waiting).toHaveLength(1);
    client.interrupted.abort(new Error('Interrupted'));
    await expect(waiting).rejects.toThrow('Interrupted');
    await client.budget.close();
    expect((await onlooker.budget.look(key!, 'general')).waiting).toHaveLength(0);
  });

  test('stores no token, and only in private files', async () => {
    const { directory } = await busy(10, 2, 3);
    const files = readdirSync(directory!, { recursive: true, encoding: 'utf8' }).map((file) => join(directory!, file));
    expect(files.length).toBeGreaterThan(2);
    for (const file of files) {
      const facts = statSync(file);
      expect(facts.mode & 0o077).toBe(0);
      expect(file).not.toContain('canary');
      if (facts.isFile()) expect(readFileSync(file, 'utf8')).not.toContain('canary');
    }
    expect(files.length).toBeLessThan(20);
  });
});

// R40
describe('budget: the pace for a service without a limit', () => {
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

  test.each([
    [1, 1100, 1],
    [1, 1100, 4],
    [5, 220, 1],
    [3, 200, 2],
  ])(
    'allows 500 requests a minute, one in flight (%i processes, %i requests, %i at once)',
    async (processes, each, atOnce) => {
      const { clock, run } = simulatedClock();
      const service = silentService(clock);
      const directory = temporaryDirectory();
      const work = async () => {
        const client = simulatedProcess(clock, service.send, directory);
        await mapConcurrent(Array.from({ length: each }), atOnce, () => client.send());
        await client.budget.close();
      };
      await run(Promise.all(Array.from({ length: processes }, work)));
      expect(service.times).toHaveLength(processes * each);
      // With fixed windows, the rest of one and all of the next may come close together, as on the service itself.
      expect(mostInAMinute(service.times)).toBeLessThanOrEqual(2 * 500);
      expect(service.times[500]! - service.times[0]!).toBeGreaterThanOrEqual(60_000);
      expect(service.mostAtOnce()).toBe(1);
    },
  );

  test('does not slow down a command with few requests', async () => {
    const { clock, run } = simulatedClock();
    const { send } = silentService(clock);
    const client = simulatedProcess(clock, send, temporaryDirectory());
    const started = clock.now();
    for (let sent = 0; sent < 499; sent += 1) await run(client.send());
    expect(clock.now() - started).toBe(499 * 5);
    expect(client.waits).toEqual([]);
  });

  test("reports sched's own limit if the wait is too long", async () => {
    const { clock, run } = simulatedClock();
    const { send } = silentService(clock);
    const client = simulatedProcess(clock, send, temporaryDirectory(), { maxWaitMs: 0 });
    for (let sent = 0; sent < 500; sent += 1) await run(client.send());
    const error = await run(client.send()).catch((failure) => failure);
    expect(error).toMatchObject({ category: 'rate-limited', facts: { outcome: 'not-sent', retryAfterSeconds: 58 } });
    expect(error.facts.reason).toMatch(
      /^the service states no rate limit, so requests are limited to 500 per minute; /,
    );
  });

  test('ends as soon as a reply has a limit', async () => {
    const { clock, run } = simulatedClock();
    const silent = silentService(clock);
    const limited = limitedService(clock, { limit: 2000 });
    let isSilent = true;
    const client = simulatedProcess(
      clock,
      (request) => (isSilent ? silent : limited).send(request),
      temporaryDirectory(),
    );
    await run(client.send());
    isSilent = false;
    await run(client.send());
    await run(mapConcurrent(Array.from({ length: 1000 }), 4, () => client.send()));
    expect(limited.seen.mostAtOnce).toBe(4);
    expect(client.waits).toEqual([]);
  });

  test('frees the one request in flight while a booking waits for its own window', async () => {
    const { clock, run } = simulatedClock();
    const directory = temporaryDirectory();
    const day = { 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '80' };
    const booker = simulatedProcess(clock, async () => ({ status: 200, headers: day, body: '{}' }), directory);
    const booking = { method: 'POST', url: 'https://api.example.com/invitees', body: '{}' };
    await run(booker.send(booking));
    const waiting = booker.send(booking);
    await new Promise(setImmediate);
    const { send } = silentService(clock);
    const other = simulatedProcess(clock, send, directory);
    const started = clock.now();
    await run(other.send());
    expect(clock.now() - started).toBe(5);
    booker.interrupted.abort(new Error('Interrupted'));
    await expect(waiting).rejects.toThrow('Interrupted');
  });
});

describe('budget: the end of a window', () => {
  const opened = 1_000_000_000_000;
  const window: Window = { length: 60_000, limit: 320, opened, end: opened + 60_000, isSure: true, used: 100 };
  const stateWith = (more: Partial<BudgetState>): BudgetState => ({
    ...emptyState('general'),
    told: 'limit',
    windows: [{ ...window }],
    ...more,
  });

  test('carries requests that may be in flight over to the next window', () => {
    const leases = ['a', 'b', 'c'].map((holder) => ({ holder, permits: 5, opened }));
    const next = current(stateWith({ leases }), 'general', opened + 60_001);
    const granted = grant(next, 'd', opened + 60_001, { most: 20, probeMs: 1000 });
    expect(granted).toMatchObject({ permits: 19 });
    expect(next.windows[0]).toMatchObject({ used: 3 + 19, isSure: false });
  });

  test('stops the use of a block in the last seconds, when permits could count twice', async () => {
    let now = opened;
    const budget = createSharedBudget({
      clock: { now: () => now },
      holder: 'a',
      pid: 1,
      timeoutMs: 1000,
      pacePerMinute: 500,
      onTrouble: () => {},
    });
    const used = async () => (await budget.look('general-x', 'general')).levels[0]!.used;
    await budget.take('general-x', 'general');
    const told = { limit: 320, remaining: 319, resetMs: 60_000 };
    await budget.settle('general-x', 'general', { sentAt: now, told });
    await budget.take('general-x', 'general');
    const afterBlock = await used();
    await budget.take('general-x', 'general');
    expect(await used()).toBe(afterBlock);
    now += 59_200;
    await budget.take('general-x', 'general');
    expect(await used()).toBe(afterBlock + 1);
  });

  test('is the earliest end named by a reply, and a late reply does not move it', () => {
    const state = stateWith({});
    const told = { limit: 320, remaining: 200, resetMs: 30_000 };
    const facts = { holder: 'a', unused: 0 };
    settle(state, { ...facts, told, sentAt: opened + 29_600, now: opened + 29_700 });
    expect(state.windows[0]).toMatchObject({ end: opened + 59_700, used: 120 });
    // Sent at the same time, but the reply takes five seconds.
    settle(state, { ...facts, told, sentAt: opened + 29_600, now: opened + 34_600 });
    expect(state.windows[0]!.end).toBe(opened + 59_700);
    // This reply can only come from the next window.
    settle(state, { ...facts, told: { ...told, resetMs: 59_000 }, sentAt: opened + 61_000, now: opened + 61_100 });
    expect(state.windows[0]).toMatchObject({ opened: opened + 61_000, end: opened + 120_100 });
  });
});

describe('budget: versions of a record', () => {
  test.each([0, 5])('repeat a change that was overtaken many times, from version %i', (before) => {
    const directory = join(temporaryDirectory(), 'record');
    const slow = fileVersions<{ count: number }>(directory, 'slow');
    const quick = fileVersions<{ count: number }>(directory, 'quick');
    const more = (state: { count: number } | undefined) => ({ state: { count: (state?.count ?? 0) + 1 }, value: 0 });
    for (let times = 0; times < before; times += 1) quick.update(more);
    let stalled = 0;
    slow.update((state) => {
      if (stalled++ === 0) for (let times = 0; times < 20; times += 1) quick.update(more);
      return more(state);
    });
    expect(slow.read()).toEqual({ count: before + 21 });
    expect(readdirSync(directory).length).toBeLessThan(12);
  });
});

describe('budget: bookings', () => {
  const booking = { method: 'POST', url: 'https://api.example.com/invitees', body: '{}' };
  const day = { 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '80000' };
  const general = { 'x-ratelimit-limit': '500', 'x-ratelimit-remaining': '400', 'x-ratelimit-reset': '30' };

  test('have separate windows in addition to the general one', async () => {
    const { clock, run } = simulatedClock();
    const directory = temporaryDirectory();
    let posts = 0;
    const client = simulatedProcess(
      clock,
      async ({ method }) => {
        if (method === 'POST') posts += 1;
        return { status: method === 'POST' ? 201 : 200, headers: method === 'POST' ? day : general, body: '{}' };
      },
      directory,
    );
    await run(client.send());
    await run(client.send(booking));
    const refused = await run(client.send(booking)).catch((error) => error);
    expect(refused).toMatchObject({ category: 'rate-limited', facts: { retryAfterSeconds: 80_000 } });
    expect(posts).toBe(1);
    expect((await run(client.send())).status).toBe(200);
  });

  test('are the only requests stopped by a refusal for a day', async () => {
    const { clock, run } = simulatedClock();
    const client = simulatedProcess(
      clock,
      async ({ method }) => ({
        status: method === 'POST' ? 429 : 200,
        headers: method === 'POST' ? day : general,
        body: '',
      }),
      temporaryDirectory(),
    );
    await run(client.send());
    await expect(run(client.send(booking))).rejects.toMatchObject({ facts: { retryAfterSeconds: 80_000 } });
    expect((await run(client.send())).status).toBe(200);
  });
});

describe('budget: a plan', () => {
  const opened = 1_000_000_000_000;
  const bookings = (...used: number[]): BudgetState => {
    const state = emptyState('bookings');
    for (const [index, window] of state.windows.entries())
      Object.assign(window, { opened, end: opened + window.length, used: used[index], isSure: true });
    return state;
  };
  const limitsOf = ({ windows }: BudgetState) => windows.map(({ limit }) => limit);

  test('limits windows that no reply has described yet', () => {
    for (const [isKnown, granted] of [
      [true, 3],
      [false, 10],
    ] as const) {
      const state = bookings(0, 47, 47);
      state.windows[0]!.limit = 10;
      if (isKnown) applyPlan(state, [10, 50, 100], false);
      const grants = Array.from({ length: 12 }, (_, index) =>
        grant(state, `p${index}`, opened + 1, { most: 1, probeMs: 1000 }),
      );
      expect(grants.filter((each) => 'permits' in each)).toHaveLength(granted);
    }
  });

  test('does not override limits from replies', () => {
    const state = bookings(1, 1, 1);
    state.windows[0]!.limit = 500;
    applyPlan(state, [10, 50, 100], false);
    expect(limitsOf(state)).toEqual([500, null, null]);
  });

  test('that is new overrides them, and lifts refusals under the old plan', () => {
    const state = { ...bookings(5, 5, 5), closedUntil: opened + 80_000_000 };
    applyPlan(state, [null, null, 5], false);
    expect(limitsOf(state)).toEqual([null, null, 5]);
    applyPlan(state, [500, null, null], true);
    expect([limitsOf(state), state.closedUntil]).toEqual([[500, null, null], 0]);
  });

  test('is dropped after a reply with more requests left than it allows', () => {
    const state = bookings(1, 1, 1);
    applyPlan(state, [null, null, 5], false);
    settle(state, { holder: 'a', sentAt: opened, now: opened + 1, least: 499, unused: 0 });
    expect(limitsOf(state)).toEqual([null, null, null]);
  });
});

describe('budget: the state on disk', () => {
  const directoryWith = (content: string) => {
    const directory = temporaryDirectory();
    const { clock } = simulatedClock();
    return { directory, clock, content };
  };

  const written = (windows: unknown) => JSON.stringify({ ...emptyState('general'), told: 'limit', windows });
  const unending = { ...emptyState('general').windows[0], limit: 1, used: 1, opened: 1, end: 9e15 };

  test.each([
    '',
    '{',
    '[]',
    'null',
    '{"version":1}',
    '{"version":9,"windows":[]}',
    '\u0000'.repeat(100),
    '7',
    written([null]),
    written([{}]),
    written([unending]),
  ])('is discarded if it is broken: %j', async (content) => {
    const { directory } = directoryWith(content);
    const { clock, run } = simulatedClock();
    const { send } = limitedService(clock, { limit: 10 });
    const first = simulatedProcess(clock, send, directory);
    await run(first.send());
    await first.budget.close();
    const [key] = readdirSync(directory);
    for (const file of readdirSync(join(directory, key!))) writeFileSync(join(directory, key!, file), content);
    const second = simulatedProcess(clock, send, directory);
    expect((await run(second.send())).status).toBe(200);
  });

  test('is discarded if the clock was set back', async () => {
    const directory = temporaryDirectory();
    const late = simulatedClock(Date.parse('2036-01-01T00:00:00Z'));
    const early = simulatedClock(Date.parse('2026-01-01T00:00:00Z'));
    const full = limitedService(late.clock, { limit: 1 });
    await late.run(simulatedProcess(late.clock, full.send, directory).send());
    const { send } = limitedService(early.clock, { limit: 1 });
    expect((await early.run(simulatedProcess(early.clock, send, directory, { maxWaitMs: 0 }).send())).status).toBe(200);
  });

  // R16
  test.each([
    ['cannot be written', (parent: string) => writeFileSync(join(parent, 'place'), '')],
    ['is a symbolic link', (parent: string) => symlinkSync(temporaryDirectory(), join(parent, 'place'))],
  ])('moves to memory if its directory %s', async (_, spoil) => {
    const troubles: string[] = [];
    const parent = temporaryDirectory();
    spoil(parent);
    const budget = createSharedBudget({
      directory: join(parent, 'place'),
      clock: { now: () => 1e12 },
      holder: 'a',
      pid: 1,
      timeoutMs: 1000,
      pacePerMinute: 500,
      onTrouble: (reason) => troubles.push(reason),
    });
    expect(await budget.take('general-x', 'general')).toBeUndefined();
    await budget.settle('general-x', 'general', {
      sentAt: 1e12,
      told: { limit: 1, remaining: 0, resetMs: 5000 },
    });
    expect(await budget.take('general-x', 'general')).toMatchObject({ why: 'limit' });
    expect(troubles).toHaveLength(1);
  });

  test('stops no command if it can no longer be read', async () => {
    const directory = temporaryDirectory();
    const troubles: string[] = [];
    const budget = createSharedBudget({
      directory,
      clock: { now: () => 1e12 },
      holder: 'a',
      pid: 1,
      timeoutMs: 1000,
      pacePerMinute: 500,
      onTrouble: (reason) => troubles.push(reason),
    });
    await budget.take('general-x', 'general');
    rmSync(join(directory, 'general-x'), { recursive: true });
    writeFileSync(join(directory, 'general-x'), '');
    expect(await budget.limitOf('general-x', 'general')).toBeNull();
    expect((await budget.look('general-x', 'general')).told).toBe('nothing');
    expect(troubles).toHaveLength(1);
  });

  test('is written once for many requests if no other process needs it', async () => {
    const directory = temporaryDirectory();
    const someTime = Date.parse('2026-11-15T18:00:00Z');
    const told = { limit: 500, remaining: 499, resetMs: 60_000 };
    const budget = createSharedBudget({
      directory,
      clock: { now: () => someTime },
      holder: 'a',
      pid: 1,
      timeoutMs: 30_000,
      pacePerMinute: 500,
      onTrouble: () => {},
    });
    for (let sent = 0; sent < 400; sent += 1) {
      expect(await budget.take('general-x', 'general')).toBeUndefined();
      await budget.settle('general-x', 'general', {
        sentAt: someTime,
        told: { ...told, remaining: 499 - sent },
      });
    }
    await budget.close();
    const versions = readdirSync(join(directory, 'general-x')).map(Number).filter(Number.isInteger);
    expect(Math.max(...versions)).toBeLessThanOrEqual(60);
  });
});
