import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { afterReply, type BookingContext } from '../../../src/commands/booking/work-attempt.ts';
import type { HttpRequest, Send } from '../../../src/http/message.ts';
import { fileLedger, type Ledger } from '../../../src/state/ledger.ts';
import { bookings, type LedgerEntry } from '../../../src/state/ledger-entry.ts';
import { filesWith } from '../../support/files-world.ts';
import {
  bookedIn,
  bookingLine,
  breaking,
  faults,
  isBooking,
  lost,
  monday,
  plainType,
  posts,
  typesOf,
  untilProven,
} from '../../support/lost-replies.ts';
import type { TestWorld } from '../../support/run.ts';
import { createWorld, lastJson } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { sample } from '../../support/tier.ts';

let world: TestWorld;
let state: string;
let eventType: string;

beforeEach(async () => {
  state = temporaryDirectory('booking');
  world = await createWorld({ env: { SCHED_STATE_DIR: state, SCHED_CACHE_DIR: state } });
  eventType = await plainType(world);
});

const booking = (index: number, more = '', type = eventType) => bookingLine(type, index, more);

const bookedAt = (index: number) => bookedIn(world, index);
/** A service that doesn't let this token list the events of the whole organization. */
const forbidding =
  (send: Send): Send =>
  async (request) =>
    /\/scheduled_events\?.*organization=/.test(request.url) ? { status: 403, headers: {}, body: '{}' } : send(request);

// R27
describe('a booking that another process is sending', () => {
  const entry: LedgerEntry = {
    version: 2,
    digest: 'a'.repeat(64),
    origin: 'https://api.example.com',
    event_type: 'https://api.example.com/event_types/X',
    start_time: '2099-02-01T10:00:00Z',
    state: 'open',
    at: 1e12,
    timeoutMs: 30_000,
    pid: 7,
  };
  const kept = { number: 1, entry };

  /** Waits for it. `onSleep` happens between two looks. */
  const waited = async (onSleep: (ledger: Ledger, passed: number) => Promise<void>, mayBeRunning = () => true) => {
    const directory = join(temporaryDirectory(), 'bookings');
    const ledger = fileLedger({ directory, world: filesWith() }, bookings);
    await ledger.claim(kept);
    let now = 1e12;
    const clock = {
      now: () => now,
      sleep: async (milliseconds: number) => {
        now += milliseconds;
        await onSleep(ledger, now - 1e12);
      },
    };
    const interrupted = new AbortController().signal;
    const newest = await afterReply({ ledger, clock, interrupted, mayBeRunning } as unknown as BookingContext, kept);
    return { newest, passed: now - 1e12 };
  };

  test('is waited for until its verdict is in the ledger', async () => {
    const booked: LedgerEntry = { ...entry, state: 'booked', event: 'E', invitee: 'I' };
    const { newest, passed } = await waited(async (ledger, time) => {
      if (time >= 1500) await ledger.replace({ number: 1, entry: booked });
    });
    expect(newest.entry).toEqual(booked);
    expect(passed).toBeLessThan(2000);
  });

  test('is waited for no longer than its request may take', async () => {
    const { newest, passed } = await waited(async () => {});
    expect(newest.entry.state).toBe('open');
    expect(passed).toBe(30_000);
  });

  test('is not waited for if that process has ended', async () => {
    let isRunning = true;
    const ending = await waited(
      async () => {
        isRunning = false;
      },
      () => isRunning,
    );
    expect(ending.passed).toBeLessThan(1000);
    expect(
      await waited(
        async () => {},
        () => false,
      ),
    ).toEqual({ newest: kept, passed: 0 });
  });
});

// R27: the ledger removes nothing because of this machine's clock. R15: sched works with a clock that is a day off.
describe('booking with a wrong clock', () => {
  const day = 86_400_000;

  test.each(sample([day, -day, 400 * day], 1))(
    'books once if the same command runs three times, %d ms ahead',
    async (clockAheadMs) => {
      await world.clock.sleep(monday - 6 * 3_600_000 - world.clock.now());
      const codes: number[] = [];
      let sent = 0;
      for (let run = 0; run < 3; run += 1) {
        const { code, requests } = await world.run(booking(0), { clockAheadMs });
        codes.push(code);
        sent += posts(requests);
      }
      expect([codes, sent]).toEqual([[0, 0, 0], 1]);
    },
  );

  const runsAhead = [
    [day, day, day],
    [0, day, 400 * day],
    [day, 0, -day],
    [0, 0, day],
  ];
  test.each(sample(runsAhead, 1).map((clocks) => ({ clocks })))(
    'sends a booking once if its reply is lost, $clocks ms ahead',
    async ({ clocks }) => {
      const send = breaking(world, faults['reset before commit']);
      let sent = 0;
      for (const clockAheadMs of clocks) {
        const { code, requests } = await world.run(booking(0), { send, clockAheadMs });
        expect(code).toBe(10);
        sent += posts(requests);
      }
      expect(sent).toBe(1);
    },
  );

  test('keeps the ledger in reconcile and doctor', async () => {
    await world.run(booking(0), { send: breaking(world, faults['reset before commit']) });
    await world.run(booking(1));
    const before = readdirSync(join(state, 'bookings'));
    for (const line of ['doctor', 'invitees reconcile']) await world.run(line, { clockAheadMs: 400 * day });
    expect(readdirSync(join(state, 'bookings'))).toEqual(before);
    expect((await world.run(booking(0))).code).toBe(10);
    expect(posts((await world.run(booking(1))).requests)).toBe(0);
  });

  test.each([
    ["this machine's clock", 0, 400 * day],
    ["the service's clock", 400 * day, 0],
  ])('keeps the ledger if only %s is far ahead', async (_, service, clockAheadMs) => {
    const dated: Send = async (request) => {
      const reply = await world.service(request);
      return { ...reply, headers: { ...reply.headers, date: new Date(world.clock.now() + service).toUTCString() } };
    };
    for (const index of [0, 1]) await world.run(booking(index), { send: dated, clockAheadMs });
    expect(readdirSync(join(state, 'bookings'))).toHaveLength(2);
  });

  test("uses the service's clock alone if this machine's was set back after a lost reply", async () => {
    const send = breaking(world, faults['reset before commit'], 1);
    expect((await world.run(booking(0), { send, clockAheadMs: day })).code).toBe(10);
    expect((await world.run(booking(0))).code).toBe(10);
    await untilProven(world, eventType);
    const late = await world.run(booking(0));
    expect([late.code, posts(late.requests)]).toEqual([0, 1]);
  });

  test("waits no shorter if the service's clock jumps ahead", async () => {
    const losing = breaking(world, faults['reset before commit'], 1);
    let jumped = 0;
    const send: Send = async (request) => {
      const reply = await losing(request);
      const date = new Date(world.clock.now() + jumped).toUTCString();
      const created = `"created_at":"${new Date(world.clock.now() + jumped).toISOString()}"`;
      return {
        ...reply,
        headers: { ...reply.headers, date },
        body: reply.body.replaceAll(/"created_at":"[^"]*"/g, created),
      };
    };
    expect((await world.run(booking(0), { send })).code).toBe(10);
    jumped = 3_600_000;
    const soon = await world.run(booking(0), { send });
    expect([soon.code, posts(soon.requests)]).toEqual([10, 0]);
    await world.clock.sleep(151_000);
    const late = await world.run(booking(0), { send });
    expect([late.code, posts(late.requests)]).toEqual([0, 1]);
  });

  test('never takes it as proven that nothing was booked if the service sends no date', async () => {
    const losing = breaking(world, faults['reset before commit'], 1);
    const send: Send = async (request) => {
      const reply = await losing(request);
      const { date: _, ...headers } = reply.headers;
      return { ...reply, headers };
    };
    expect((await world.run(booking(0), { send })).code).toBe(10);
    await untilProven(world, eventType);
    const late = await world.run(booking(0), { send });
    expect([late.code, posts(late.requests)]).toEqual([10, 0]);
    expect(late.stderr).toContain('replies have no date');
  });

  test('finds a duplicate whose reply is lost, and does not mistake an older booking for it', async () => {
    const { uri } = JSON.parse(
      (await world.run(booking(0), { env: { SCHED_STATE_DIR: join(state, 'other') } })).stdout,
    );
    for (const clockAheadMs of [-day, day]) {
      const failed = await world.run(booking(0, '--allow-duplicate'), {
        clockAheadMs,
        send: breaking(world, faults['reset before commit']),
      });
      expect(failed.code).toBe(10);
    }
    const { stdout } = await world.run(booking(1, '--allow-duplicate'), {
      clockAheadMs: day,
      send: breaking(world, faults['reset after commit']),
    });
    expect(JSON.parse(stdout)._sched).toEqual({ reconciled: true });
    expect(uri).not.toBe(JSON.parse(stdout).uri);
  });
});

// R27
describe('booking after an empty look-up stays unknown', () => {
  const unsent = () => breaking(world, faults['reset before commit'], 1);
  const isList = ({ url }: HttpRequest) => new URL(url).pathname === '/scheduled_events';
  /** The service, with changes to its list of events. */
  const listing = (change: (rows: Record<string, unknown>[]) => unknown[]): Send => {
    const losing = unsent();
    return async (request) => {
      const reply = await losing(request);
      if (!isList(request)) return reply;
      const body = JSON.parse(reply.body);
      return { ...reply, body: JSON.stringify({ ...body, collection: change(body.collection) }) };
    };
  };
  const lose = async (send: Send) => {
    expect((await world.run(booking(0), { send })).code).toBe(10);
    await untilProven(world, eventType);
  };
  const staysOpen = async (send: Send, words: string) => {
    const again = await world.run(booking(0), { send });
    expect([again.code, posts(again.requests)]).toEqual([10, 0]);
    expect(lastJson(again.stderr).error.cause).toContain(words);
    expect((await world.run('invitees reconcile', { send })).code).toBe(10);
  };

  test('while the list shows nothing newer', async () => {
    const send = unsent();
    expect((await world.run(booking(0), { send })).code).toBe(10);
    await world.clock.sleep(3_600_000);
    await staysOpen(send, 'may lag behind');
    const meant = await world.run(booking(0, '--allow-duplicate'), { send });
    expect([meant.code, posts(meant.requests)]).toEqual([0, 1]);
  });

  test('while the list lags behind and hides the booking', async () => {
    const sentAt = world.clock.now();
    const lagging = listing((rows) => rows.filter(({ created_at }) => Date.parse(String(created_at)) < sentAt));
    const send: Send = async (request) => {
      if (isBooking(request)) await world.service(request);
      return lagging(request);
    };
    await lose(send);
    await staysOpen(send, 'may lag behind');
    const caughtUp = await world.run(booking(0));
    expect([caughtUp.code, posts(caughtUp.requests), await bookedAt(0)]).toEqual([0, 0, 1]);
  });

  test('while the list shows only events of a host that this user hosts, too', async () => {
    const me = JSON.parse((await world.run('users me --json')).stdout).uri;
    const send = listing((rows) =>
      rows.map((event) => ({ ...event, event_memberships: [{ user: me }, ...(event.event_memberships as object[])] })),
    );
    const shared = (await typesOf(world)).find(({ pooling_type }) => pooling_type === 'round_robin')!.uri;
    expect((await world.run(booking(0, '', shared), { send })).code).toBe(10);
    await untilProven(world, eventType);
    const again = await world.run(booking(0, '', shared), { send });
    expect([again.code, posts(again.requests)]).toEqual([10, 0]);
    const clear = await world.run(booking(0, '', shared));
    expect([clear.code, posts(clear.requests)]).toEqual([0, 1]);
  });

  test('for a duplicate, if the earlier bookings are unknown', async () => {
    const env = { SCHED_STATE_DIR: join(state, 'other') };
    expect((await world.run(booking(0), { env })).code).toBe(0);
    const losing = unsent();
    const send: Send = async (request) => {
      if (isList(request)) throw lost();
      return losing(request);
    };
    expect((await world.run(booking(0, '--allow-duplicate'), { send })).code).toBe(10);
    expect((await world.run('invitees reconcile')).code).toBe(10);
    await untilProven(world, eventType);
    const late = await world.run('invitees reconcile --json');
    expect([late.code, JSON.parse(late.stdout)]).toMatchObject([10, [{ verdict: 'unknown' }]]);
  });

  test('while someone else is booked into the same meeting', async () => {
    const send = unsent();
    await lose(send);
    const other = booking(0).replace('ada@engine.example', 'bob@engine.example');
    expect((await world.run(other)).code).toBe(0);
    await staysOpen(send, 'that time is booked');
  });
});

// R27
describe('booking that the service no longer shows', () => {
  const hiding: Send = async (request) => {
    if (request.method !== 'GET') return world.service(request);
    const { pathname } = new URL(request.url);
    const date = new Date(world.clock.now()).toUTCString();
    if (pathname === '/scheduled_events')
      return { status: 200, headers: { date }, body: '{"collection":[],"pagination":{}}' };
    return pathname.includes('/invitees/') ? { status: 404, headers: { date }, body: '{}' } : world.service(request);
  };
  const elsewhere = { SCHED_BASE_URL: 'https://api.example.com' };

  test('is not booked again, because it may only be late to show', async () => {
    expect((await world.run(booking(0), { env: elsewhere })).code).toBe(0);
    for (let run = 0; run < 2; run += 1) {
      const again = await world.run(booking(0), { env: elsewhere, send: hiding });
      expect([again.code, posts(again.requests)]).toEqual([10, 0]);
      expect(lastJson(again.stderr).error.cause).toContain('was booked from this machine');
      await world.clock.sleep(151_000);
    }
  });

  test('counts as gone in the sandbox if the token sees every host', async () => {
    const shared = (await typesOf(world)).find(({ pooling_type }) => pooling_type === 'round_robin')!.uri;
    expect((await world.run(booking(0, '', shared))).code).toBe(0);
    const other = await world.run(booking(0, '', shared), { send: forbidding(hiding) });
    expect([other.code, posts(other.requests)]).toEqual([10, 0]);
    const all = await world.run(booking(0, '', shared), { send: hiding });
    expect(posts(all.requests)).toBe(1);
  });
});
