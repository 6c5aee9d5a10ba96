import { readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { applyPlan, grantPermits, settleRequest } from '../../src/state/budget.ts';
import { type BudgetState, type BudgetWindow, current, emptyState } from '../../src/state/budget-state.ts';
import { createSharedBudget, type SharedBudgetOptions } from '../../src/state/shared-budget.ts';
import { fileVersions } from '../../src/state/versions.ts';
import { temporaryDirectory } from '../support/temporary.ts';
import { limitedService, simulatedClock, simulatedProcess } from './simulation.ts';

const budgetOf = (options: Partial<SharedBudgetOptions>) =>
  createSharedBudget({
    clock: { now: () => 1e12 },
    holder: 'a',
    pid: 1,
    timeoutMs: 30_000,
    pacePerMinute: 500,
    onTrouble: () => {},
    ...options,
  });

// R30
describe('budget: shared by processes', () => {
  test('keeps the probe of one process when a request of another ends', () => {
    const state = emptyState('general');
    const pace = { most: 20, probeMs: 1000, pace: 500 };
    grantPermits(state, 'a', 1e12, pace);
    settleRequest(state, { holder: 'b', sentAt: 1e12, now: 1e12, unused: 0 });
    expect(grantPermits(state, 'b', 1e12, pace)).toMatchObject({ why: 'probe' });
    settleRequest(state, { holder: 'a', sentAt: 1e12, now: 1e12, unused: 0 });
    expect(grantPermits(state, 'b', 1e12, pace)).toMatchObject({ permits: 1 });
  });

  test('frees the probe at once if its process is gone', async () => {
    const directory = temporaryDirectory();
    const open = (pid: number, isAlive?: (pid: number) => boolean) =>
      budgetOf({ directory, holder: `p${pid}`, pid, ...(isAlive && { isAlive }) });
    expect(await open(1).take('general-x')).toBeUndefined();
    expect(await open(2, (pid) => pid === 1).take('general-x')).toMatchObject({ why: 'probe' });
    expect(await open(3, (pid) => pid !== 1).take('general-x')).toBeUndefined();
    expect(await open(4, (pid) => pid === 3).take('general-x')).toMatchObject({ why: 'probe' });
  });

  test('stores no token, and only in private files', async () => {
    const { clock, run } = simulatedClock();
    const directory = temporaryDirectory();
    const { send } = limitedService(clock, { limit: 10 });
    const clients = [1, 2].map(() => simulatedProcess(clock, send, directory));
    for (const client of [...clients, ...clients, ...clients]) await run(client.send());
    await Promise.all(clients.map(({ budget }) => budget.close()));
    const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((file) => join(directory, file));
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

// R55
describe('budget: a process in the background', () => {
  // R55
  test('sends one request if the limit is no longer known, which it learns from that', () => {
    const state = { ...emptyState('general'), told: 'limit' as const };
    const options = { most: 1, probeMs: 30_000, pace: 500, isBackground: true };
    expect(grantPermits(state, 'follower', 1000, options)).toMatchObject({ permits: 1 });
  });

  test('opens no window while another command waits for its turn', () => {
    const state = emptyState('general');
    state.waiting = [{ holder: 'other', pid: 1, since: 0, until: 1000 }];
    const options = { most: 1, probeMs: 30_000, pace: 500, isBackground: true };
    expect(grantPermits(state, 'follower', 1000, options)).toEqual({ until: 6000, why: 'pace', perMinute: 500 });
    expect(state.windows[0]!.opened).toBe(0);
  });
});

describe('budget: the end of a window', () => {
  const opened = 1_000_000_000_000;
  const window: BudgetWindow = { length: 60_000, limit: 320, opened, end: opened + 60_000, isSure: true, used: 100 };
  const stateWith = (more: Partial<BudgetState>): BudgetState => ({
    ...emptyState('general'),
    told: 'limit',
    windows: [{ ...window }],
    ...more,
  });

  test('carries requests that may be in flight over to the next window', () => {
    const leases = ['a', 'b', 'c'].map((holder) => ({ holder, permits: 5, opened }));
    const next = current(stateWith({ leases }), 'general', opened + 60_001);
    const granted = grantPermits(next, 'd', opened + 60_001, { most: 20, probeMs: 1000 });
    expect(granted).toMatchObject({ permits: 19 });
    expect(next.windows[0]).toMatchObject({ used: 3 + 19, isSure: false });
  });

  test('stops the use of a block in the last seconds, when permits could count twice', async () => {
    let now = opened;
    const budget = budgetOf({ clock: { now: () => now } });
    const used = async () => (await budget.look('general-x')).levels[0]!.used;
    await budget.take('general-x');
    const told = { limit: 320, remaining: 319, resetMs: 60_000 };
    await budget.settle('general-x', { sentAt: now, told });
    await budget.take('general-x');
    const afterBlock = await used();
    await budget.take('general-x');
    expect(await used()).toBe(afterBlock);
    now += 59_200;
    await budget.take('general-x');
    expect(await used()).toBe(afterBlock + 1);
  });

  test('is the earliest end named by a reply, and a late reply does not move it', () => {
    const state = stateWith({});
    const told = { limit: 320, remaining: 200, resetMs: 30_000 };
    const facts = { holder: 'a', unused: 0 };
    settleRequest(state, { ...facts, told, sentAt: opened + 29_600, now: opened + 29_700 });
    expect(state.windows[0]).toMatchObject({ end: opened + 59_700, used: 120 });
    // Sent at the same time, but the reply takes five seconds.
    settleRequest(state, { ...facts, told, sentAt: opened + 29_600, now: opened + 34_600 });
    expect(state.windows[0]!.end).toBe(opened + 59_700);
    // This reply can only come from the next window.
    settleRequest(state, {
      ...facts,
      told: { ...told, resetMs: 59_000 },
      sentAt: opened + 61_000,
      now: opened + 61_100,
    });
    expect(state.windows[0]).toMatchObject({ opened: opened + 61_000, end: opened + 120_100 });
  });

  test('is not moved by a reply to a request from before the window', () => {
    const state = stateWith({});
    const told = { limit: 320, remaining: 10, resetMs: 1000 };
    settleRequest(state, { holder: 'a', unused: 0, told, sentAt: opened - 1, now: opened + 100 });
    expect(state.windows[0]).toEqual(window);
  });

  test('is unknown until a reply names it, which takes at most 30 seconds', () => {
    const state = { ...emptyState('general'), told: 'limit' as const };
    grantPermits(state, 'a', opened, { most: 20, probeMs: 1000 });
    expect(state.windows[0]).toMatchObject({ end: opened + 90_000, isSure: false });
  });

  test('counts as ten seconds away while no limit is known', () => {
    const state = { ...emptyState('general'), told: 'limit' as const };
    expect(grantPermits(state, 'a', opened, { most: 20, probeMs: 1000 })).toMatchObject({ end: opened + 10_000 });
  });

  test('leaves one request to each other process that may have one in flight in the next window', () => {
    const leases = ['a', 'b', 'c'].map((holder) => ({ holder, permits: 5, opened }));
    const state = stateWith({ leases });
    const told = { limit: 320, remaining: 319, resetMs: 60_000 };
    settleRequest(state, { holder: 'a', unused: 4, told, sentAt: opened + 61_000, now: opened + 61_100 });
    expect(state.windows[0]).toMatchObject({ opened: opened + 61_000, used: 1 + 4 + 2 });
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
  const booking = { method: 'POST', url: 'https://api.example.com/invitees', body: '{}', isBooking: true };
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
        grantPermits(state, `p${index}`, opened + 1, { most: 1, probeMs: 1000 }),
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
    settleRequest(state, { holder: 'a', sentAt: opened, now: opened + 1, least: 499, unused: 0 });
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
    written([{ ...unending, end: 0, opened: 0, used: 0, limit: 0 }]),
    written([{ ...unending, end: 0, used: 0 }]).replace('"used":0', '"used":1e999'),
    JSON.stringify({ ...emptyState('general'), probe: { holder: 'x', until: 9e15 } }),
    JSON.stringify({ ...emptyState('general'), waiting: [{ holder: 'x', until: 'later' }] }),
    JSON.stringify({ ...emptyState('general'), leases: [null] }),
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

  test('lets requests through again after a service has named a limit of 0', async () => {
    const budget = budgetOf({ clock: { now: () => now } });
    let now = 1e12;
    expect(await budget.take('general-x')).toBeUndefined();
    await budget.settle('general-x', { sentAt: now, told: { limit: 0, remaining: 0, resetMs: 5000 } });
    expect(await budget.take('general-x')).toMatchObject({ until: now + 5000 });
    now += 5001;
    expect(await budget.take('general-x')).toBeUndefined();
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
    const budget = budgetOf({ directory: join(parent, 'place'), onTrouble: (reason) => troubles.push(reason) });
    expect(await budget.take('general-x')).toBeUndefined();
    await budget.settle('general-x', {
      sentAt: 1e12,
      told: { limit: 1, remaining: 0, resetMs: 5000 },
    });
    expect(await budget.take('general-x')).toMatchObject({ why: 'limit' });
    expect(troubles).toHaveLength(1);
  });

  test('stops no command if it can no longer be read', async () => {
    const directory = temporaryDirectory();
    const troubles: string[] = [];
    const budget = budgetOf({ directory, onTrouble: (reason) => troubles.push(reason) });
    await budget.take('general-x');
    rmSync(join(directory, 'general-x'), { recursive: true });
    writeFileSync(join(directory, 'general-x'), '');
    expect(await budget.limitOf('general-x')).toBeNull();
    expect((await budget.look('general-x')).told).toBe('nothing');
    expect(troubles).toHaveLength(1);
  });

  test('is written once for many requests if no other process needs it', async () => {
    const directory = temporaryDirectory();
    const someTime = Date.parse('2026-11-15T18:00:00Z');
    const told = { limit: 500, remaining: 499, resetMs: 60_000 };
    const budget = budgetOf({ directory, clock: { now: () => someTime } });
    for (let sent = 0; sent < 400; sent += 1) {
      expect(await budget.take('general-x')).toBeUndefined();
      await budget.settle('general-x', {
        sentAt: someTime,
        told: { ...told, remaining: 499 - sent },
      });
    }
    await budget.close();
    const versions = readdirSync(join(directory, 'general-x')).map(Number).filter(Number.isInteger);
    expect(Math.max(...versions)).toBeLessThanOrEqual(60);
  });
});
