import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { SchedError } from '../../../src/base/errors.ts';
import { bookingIn } from '../../../src/commands/api/booking-body.ts';
import { bookingDigest } from '../../../src/commands/booking/work-attempt.ts';
import { NetworkFailure } from '../../../src/http/failure.ts';
import type { HttpRequest, Send } from '../../../src/http/message.ts';
import {
  bookedIn,
  bookingLine,
  breaking,
  type FaultName,
  faults,
  isBooking,
  loseAnswers,
  lost,
  monday,
  plainType,
  posts,
  rightVerdicts,
  slot,
  typesOf,
  untilProven,
  withoutEvents,
} from '../../support/lost-replies.ts';
import type { TestWorld, WorldOptions } from '../../support/run.ts';
import { createWorld, lastJson, outputs } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';
import { sample, times } from '../../support/tier.ts';

/** The same in all worlds. */
const eventType = await plainType(await createWorld());

let world: TestWorld;
let state: string;

beforeEach(async () => {
  state = temporaryDirectory('booking');
  world = await createWorld({ env: { SCHED_STATE_DIR: state, SCHED_CACHE_DIR: state } });
});

const booking = (index: number, more = '', type = eventType) => bookingLine(type, index, more);

const bookedAt = (index: number) => bookedIn(world, index);

test('a booking on a terminal says what was booked, and how to undo it', async () => {
  const { code, stderr } = await world.run(booking(0).replace(' --json', ''), { terminals: outputs });
  expect(code).toBe(0);
  const answer =
    /✔ Booked: Board preview with Ada Byron\n {2}Mon 1 Feb 2027 11:00–11:30 Europe\/Paris\n {2}Where {2}.+\n {2}Undo {3}sched (events cancel \w{4})\n$/;
  const [, undo] = answer.exec(stderr) ?? expect.fail(stderr);
  const undone = await world.run(undo!, { terminals: ['stdin', ...outputs], stdin: 'y\n' });
  expect([undone.code, await bookedAt(0)]).toEqual([0, 0]);
});

test.each([false, true])(
  'knows its booking at a service that shows invitees without their event (flat: %s)',
  async (isFlat) => {
    const send = withoutEvents(world.service, isFlat);
    expect((await world.run(booking(0), { send })).code).toBe(0);
    const { code, stdout, requests } = await world.run(booking(0), { send });
    expect([code, posts(requests)]).toEqual([0, 0]);
    expect(JSON.parse(stdout)._sched).toMatchObject({ already: true });
    expect(requests.filter(({ url }) => url.includes('undefined'))).toEqual([]);
  },
);

const meeting = '--start 2026-11-27T14:00:00Z --email ada@example.com --name Ada --timezone UTC';

test('a booking without its answers says which, with a command that has room for them', async () => {
  const line = `invitees create --event-type "Customer onboarding" ${meeting} --answer Company=X`;
  const { code, stderr } = await world.run(line, { terminals: outputs });
  expect(code).toBe(2);
  expect(stderr).toContain('error: An answer is missing: "Team size"\n');
  expect(stderr).toMatch(/try: sched [\s\S]* --answer 'Team size=…'\n$/);
});

test('a place without its kind has that of earlier meetings', async () => {
  const { requests } = await world.run(
    `invitees create --event-type Consultation ${meeting} --location "+81 3 1234" --json`,
  );
  const sent = requests.find(({ method }) => method === 'POST');
  expect(JSON.parse(sent!.body!).location).toEqual({ kind: 'outbound_call', location: '+81 3 1234' });
});

// R42
test.each(['invitees create', 'api'])(
  '%s: a signal while a booking is on its way says that it was made',
  async (command) => {
    const stop = new AbortController();
    const file = join(state, 'booking.json');
    const invitee = { email: 'ada@engine.example', name: 'Ada Byron', timezone: 'UTC' };
    writeFileSync(file, JSON.stringify({ event_type: eventType, start_time: slot(0), invitee }));
    const line = command === 'api' ? `api POST /invitees --input ${file} --json` : booking(0);
    const send: Send = (request) => {
      if (isBooking(request)) stop.abort(new SchedError('terminated', 'Terminated'));
      return world.service(request);
    };
    const { code, stderr } = await world.run(line, { send, interrupted: stop.signal });
    expect([code, lastJson(stderr).error.outcome]).toEqual([143, 'applied']);
    expect(await bookedAt(0)).toBe(1);
  },
);

// R27
describe('booking: a lost reply', () => {
  test.each(sample(Object.keys(faults) as FaultName[], 1, (name) => name.includes('after')))(
    '%s: books at most once, and every verdict is right',
    async (name) => {
      const bookings = times(2, 25);
      expect(await loseAnswers(name, bookings)).toEqual(rightVerdicts(name, bookings));
    },
  );

  test('suggests reconcile, which finds out what happened', async () => {
    const failed = await world.run(booking(0), { send: breaking(world, faults['reset before commit']) });
    expect(lastJson(failed.stderr).error).toMatchObject({
      code: 'outcome-unknown',
      hint: 'sched invitees reconcile',
      retry_after_s: 148,
    });
    const early = await world.run('invitees reconcile --json');
    expect(early.code).toBe(10);
    expect(JSON.parse(early.stdout)).toMatchObject([{ verdict: 'unknown', event_type: eventType }]);
    await untilProven(world, eventType);
    const late = await world.run('invitees reconcile --json');
    expect(late.code).toBe(0);
    expect(JSON.parse(late.stdout)).toMatchObject([{ verdict: 'not-booked' }]);
    const again = await world.run('invitees reconcile --json');
    expect([again.code, JSON.parse(again.stdout)]).toEqual([0, []]);
    expect((await world.run('invitees reconcile', { terminals: ['stderr'] })).stderr).toContain('No bookings');
  });

  test('on a second run looks first, and books only if the first attempt is proven not booked', async () => {
    const send = breaking(world, faults['500 before commit'], 1);
    expect((await world.run(booking(0), { send })).code).toBe(10);
    const soon = await world.run(booking(0), { send });
    expect([soon.code, posts(soon.requests)]).toEqual([10, 0]);
    await world.clock.sleep(140_000);
    expect((await world.run(booking(0), { send })).code).toBe(10);
    await untilProven(world, eventType);
    const late = await world.run(booking(0), { send });
    expect([late.code, posts(late.requests)]).toEqual([0, 1]);
    expect(await bookedAt(0)).toBe(1);
  });

  test('on a second run finds a booking that was made late, and does not book again', async () => {
    let pending: HttpRequest | undefined;
    const send: Send = async (request) => {
      if (!isBooking(request)) return world.service(request);
      pending = request;
      throw lost();
    };
    expect((await world.run(booking(0), { send })).code).toBe(10);
    await world.service(pending!);
    const again = await world.run(booking(0), { send });
    expect([again.code, posts(again.requests)]).toEqual([0, 0]);
    expect(JSON.parse(again.stdout)._sched).toEqual({ reconciled: true });
    expect(await bookedAt(0)).toBe(1);
  });

  test('after a wait counts the time from when the request was sent', async () => {
    // The first process has to wait, so it sends its request a minute after writing the ledger entry.
    let refusals = 1;
    const send = breaking(world, async (request) => {
      if (refusals-- > 0) return { status: 429, headers: { 'retry-after': '80' }, body: '' };
      throw new NetworkFailure('127.0.0.1:4010', `reset ${request.url}`, true);
    });
    expect((await world.run(booking(0), { send })).code).toBe(10);
    await world.clock.sleep(100_000);
    expect((await world.run(booking(0))).code).toBe(10);
  });

  test('of a paused process does not book if another process has booked in the meantime', async () => {
    let sent = 0;
    const counted: Send = async (request) => {
      if (isBooking(request)) sent += 1;
      return world.service(request);
    };
    let isStopped = false;
    const stopped: Send = async (request) => {
      if (!isBooking(request) || isStopped) return counted(request);
      // The process is paused after writing the ledger entry, before it connects, until the other one may book.
      isStopped = true;
      expect((await world.run(booking(0), { send: counted })).code).toBe(10);
      await untilProven(world, eventType);
      expect((await world.run(booking(0), { send: counted })).code).toBe(0);
      throw new NetworkFailure('127.0.0.1:4010', 'no complete reply within 30 s', false);
    };
    const { code, stdout } = await world.run(booking(0), { send: stopped });
    expect([code, sent, await bookedAt(0)]).toEqual([0, 1, 1]);
    expect(JSON.parse(stdout)._sched).toEqual({ reconciled: true });
  });

  test('is unknown if the look-up fails too', async () => {
    const send: Send = async (request) => {
      if (isBooking(request)) return faults['reset after commit'](request, world.service);
      if (request.url.includes('/scheduled_events')) throw lost();
      return world.service(request);
    };
    const { code, requests } = await world.run(booking(0), { send });
    expect([code, posts(requests)]).toEqual([10, 1]);
    const again = await world.run(booking(0));
    expect([again.code, posts(again.requests), await bookedAt(0)]).toEqual([0, 0, 1]);
  });

  test("on a second run is still unknown if the service can't be reached, with the cause", async () => {
    await world.run(booking(0), { send: breaking(world, faults['reset before commit']) });
    const send: Send = async () => {
      throw new NetworkFailure('127.0.0.1:4010', 'connection refused', false);
    };
    const again = await world.run(booking(0), { send });
    expect([again.code, posts(again.requests)]).toEqual([10, 0]);
    expect(lastJson(again.stderr).error).toMatchObject({
      cause: expect.stringMatching(/^process \d+ sent .* looking it up failed: Can't reach 127\.0\.0\.1:4010$/),
      outcome: 'unknown',
    });
  });

  test('on a second run at another base URL suggests the base URL of the first attempt', async () => {
    const env = { SCHED_BASE_URL: 'https://one.example' };
    await world.run(booking(0), { env, send: breaking(world, faults['reset before commit']) });
    const again = await world.run(booking(0), { env: { SCHED_BASE_URL: 'https://two.example' }, send: world.service });
    expect([again.code, posts(again.requests)]).toEqual([10, 0]);
    const { cause, hint } = lastJson(again.stderr).error;
    expect(cause).toMatch(
      /; run the same command again later, or run invitees reconcile against https:\/\/one\.example$/,
    );
    expect(hint).toBeUndefined();
  });

  test('stays unknown for a token that does not see every host, even if nothing is found', async () => {
    const shared = (await typesOf(world)).find(({ pooling_type }) => pooling_type === 'round_robin')!.uri;
    const env = { SCHED_TOKEN: 'sandbox_user' };
    const send = breaking(world, faults['500 before commit'], 1);
    const line = booking(0, '', shared);
    const first = await world.run(line, { send, env });
    expect(first.code).toBe(10);
    expect(first.stderr).toContain("doesn't show the events of every host");
    await world.clock.sleep(3_600_000);
    const later = await world.run(line, { send, env });
    expect([later.code, posts(later.requests)]).toEqual([10, 0]);
    expect((await world.run('invitees reconcile', { env })).code).toBe(10);
    const meant = await world.run(`${line} --allow-duplicate`, { send, env });
    expect(posts(meant.requests)).toBe(1);
  });

  test('stays unknown for a user of another organization, even if nothing is found there', async () => {
    await world.run(booking(0), { send: breaking(world, faults['reset before commit']) });
    await untilProven(world, eventType);
    const elsewhere: Send = async (request) => {
      const { pathname } = new URL(request.url);
      const reply = await world.service(request);
      if (pathname === '/scheduled_events') return { ...reply, status: 200, body: '{"collection":[]}' };
      return pathname === '/users/me' ? { ...reply, body: reply.body.replaceAll(/organizations\/\w+/g, '$&X') } : reply;
    };
    const other = { env: { SCHED_TOKEN: 'sandbox_admin' }, send: elsewhere };
    const looked = await world.run('invitees reconcile --json', other);
    expect([looked.code, JSON.parse(looked.stdout)]).toMatchObject([10, [{ verdict: 'unknown' }]]);
    const asked = await world.run(booking(0), other);
    expect([asked.code, posts(asked.requests)]).toEqual([10, 0]);
    const own = await world.run('invitees reconcile --json');
    expect([own.code, JSON.parse(own.stdout)]).toMatchObject([0, [{ verdict: 'not-booked' }]]);
  });
});

// R27: without the organization, an empty look-up would prove nothing later.
test('nothing is sent before the service has said whose token it is', async () => {
  let failures = 0;
  const send: Send = async (request) => {
    if (new URL(request.url).pathname !== '/users/me') return world.service(request);
    failures += 1;
    return { status: 503, headers: {}, body: '' };
  };
  const { code, stderr, requests } = await world.run(`${booking(0)} --json`, { send });
  expect([code, posts(requests), failures]).toEqual([9, 0, 3]);
  expect(lastJson(stderr).error.outcome).toBe('not-applied');
  expect((await world.run(booking(0))).code).toBe(0);
});

// R27: a complete 2xx means that it is booked, whatever its body.
describe('booking: a 2xx without the booking in its body', () => {
  const accepted = { status: 201, headers: { 'content-type': 'application/json' }, body: '{"ok":true}' };
  const entry = () => {
    const [file] = readdirSync(join(state, 'bookings'))
      .filter((name) => name.endsWith('.json'))
      .sort()
      .reverse();
    return JSON.parse(readFileSync(join(state, 'bookings', file!), 'utf8'));
  };
  /** A service that accepts a booking, but lists it only after `show()`. */
  const hiding = () => {
    let pending: HttpRequest | undefined;
    const send: Send = async (request) => {
      if (!isBooking(request)) return world.service(request);
      pending = request;
      return accepted;
    };
    return { send, show: () => world.service(pending!) };
  };

  test('is looked up once, recorded as booked, and printed', async () => {
    const send = breaking(world, faults['a 200 of another shape after commit']);
    const { code, stdout, stderr, requests } = await world.run(booking(0), { send });
    expect([code, posts(requests)]).toEqual([0, 1]);
    const { uri, event, _sched } = JSON.parse(stdout);
    expect(_sched).toEqual({ source: 'read' });
    expect(entry()).toMatchObject({ state: 'booked', event, invitee: uri });
    expect(stderr).toContain("The service accepted this (HTTP 200), but its reply doesn't include the record");
  });

  test('counts as booked even if the look-up finds nothing, and prints the request', async () => {
    const { code, stdout, stderr, requests } = await world.run(booking(0), { send: hiding().send });
    expect([code, posts(requests)]).toEqual([0, 1]);
    expect(JSON.parse(stdout)).toMatchObject({
      event_type: eventType,
      invitee: { email: 'ada@engine.example' },
      _sched: { source: 'request' },
    });
    expect(stderr).toContain('Showing the request instead');
    expect(entry()).toMatchObject({ state: 'booked' });
    expect(entry()).not.toHaveProperty('invitee');
    expect((await world.run('invitees reconcile --json')).stdout.trim()).toBe('[]');
  });

  test('is not booked again, whether the service lists it or not', async () => {
    const { send, show } = hiding();
    await world.run(booking(0), { send });
    for (const flag of ['', '--if-absent']) {
      const again = await world.run(booking(0, flag), { send });
      expect([again.code, posts(again.requests)]).toEqual([0, 0]);
      expect(JSON.parse(again.stdout)._sched).toEqual({ existing: true, already: true, source: 'request' });
      expect(again.stderr).toContain("the service accepted this booking. The service doesn't show it");
    }
    await show();
    const shown = await world.run(booking(0, '--if-absent'), { send });
    expect([shown.code, posts(shown.requests)]).toEqual([0, 0]);
    const { uri, _sched } = JSON.parse(shown.stdout);
    expect([_sched, entry().invitee]).toEqual([{ existing: true, already: true }, uri]);
    expect(await bookedAt(0)).toBe(1);
  });

  test('is booked again only if the first booking is proven not to exist', async () => {
    const { send } = hiding();
    await world.run(booking(0), { send });
    expect(posts((await world.run(booking(0))).requests)).toBe(0);
    await untilProven(world, eventType);
    const later = await world.run(booking(0));
    expect([later.code, posts(later.requests), await bookedAt(0)]).toEqual([0, 1, 1]);
  });

  test('is still recorded after a duplicate is refused', async () => {
    await world.run(booking(0), { send: hiding().send });
    const refusing = breaking(world, async () => ({ status: 409, headers: {}, body: '{}' }));
    expect((await world.run(booking(0, '--allow-duplicate'), { send: refusing })).code).toBe(7);
    const third = await world.run(booking(0));
    expect([third.code, posts(third.requests)]).toEqual([0, 0]);
  });

  test('counts as booked for a raw request too', async () => {
    const body = `-f event_type=${eventType} -f start_time=${slot(0)} -f invitee[email]=ada@engine.example -f invitee[name]=Ada`;
    const { code, stdout, requests } = await world.run(`api POST /invitees ${body}`, { send: hiding().send });
    expect([code, posts(requests)]).toEqual([0, 1]);
    expect(JSON.parse(stdout).resource).toMatchObject({ event_type: eventType, _sched: { source: 'request' } });
    expect(entry()).toMatchObject({ state: 'booked' });
  });
});

// R27
describe('booking: the look-up', () => {
  const elsewhere = () => ({ env: { SCHED_STATE_DIR: temporaryDirectory('booking') } });
  const unsent = () => breaking(world, faults['reset before commit'], 1);

  test('ignores a canceled booking', async () => {
    const { event } = JSON.parse((await world.run(booking(0), elsewhere())).stdout);
    await world.run(`events cancel ${event} --yes`);
    expect((await world.run(booking(0), { send: unsent() })).code).toBe(10);
  });

  test('ignores a booking of another event type', async () => {
    const all = JSON.parse((await world.run('event-types list --org current --active --json=uri')).stdout);
    const others = all.filter((type: { uri: string }) => type.uri !== eventType);
    // Books another event type that is free at that time.
    let isBooked = false;
    for (let next = others.pop(); next !== undefined && !isBooked; next = others.pop())
      isBooked = (await world.run(booking(0, '', next.uri), elsewhere())).code === 0;
    expect(isBooked).toBe(true);
    expect((await world.run(booking(0), { send: unsent() })).code).toBe(10);
  });

  test('proves nothing if the invitees of an event are hidden', async () => {
    const { event } = JSON.parse((await world.run(booking(0), elsewhere())).stdout);
    await world.run(`events cancel ${event} --yes`);
    const losing = unsent();
    const send: Send = async (request) =>
      /\/invitees\?/.test(request.url) ? { status: 403, headers: {}, body: '{}' } : losing(request);
    expect((await world.run(booking(0), { send })).code).toBe(10);
    await world.clock.sleep(151_000);
    const later = await world.run(booking(0), { send });
    expect([later.code, posts(later.requests)]).toEqual([10, 0]);
  });

  test('proves nothing if the service shows no hosts of the event type', async () => {
    const env = { SCHED_TOKEN: 'sandbox_user' };
    const [own] = JSON.parse((await world.run('event-types list --active --json', { env })).stdout);
    const losing = unsent();
    const send: Send = async (request) =>
      request.url.includes('/event_type_memberships')
        ? { status: 200, headers: {}, body: '{"collection":[],"pagination":{}}' }
        : losing(request);
    const line = booking(0, '', own.uri);
    expect((await world.run(line, { send, env })).code).toBe(10);
    await world.clock.sleep(151_000);
    const later = await world.run(line, { send, env });
    expect([later.code, posts(later.requests)]).toEqual([10, 0]);
  });
});

describe('booking: a duplicate', () => {
  test('is not sent while the first booking is active, which is checked first', async () => {
    const { uri, event } = JSON.parse((await world.run(booking(0))).stdout);
    const second = await world.run(booking(0));
    expect([second.code, posts(second.requests)]).toEqual([0, 0]);
    expect(JSON.parse(second.stdout)).toMatchObject({ uri, _sched: { already: true, existing: true } });
    expect(second.stderr).toContain(`booked by another run (process ${process.pid}, Sat 11 Oct 20:00): Mon 1 Feb 2027`);
    await world.run(`events cancel ${event} --yes`);
    const third = await world.run(booking(0));
    expect([third.code, posts(third.requests)]).toEqual([0, 1]);
  });

  // R27: a record never stands for the service.
  test.each([
    ['somebody else', booking(0).replaceAll('ada@', 'bob@')],
    ['the same person at another time', booking(1)],
  ])('is booked again after a reset of the service, where its ID is now that of %s', async (_, line) => {
    const restore = world.saveService();
    const { event } = JSON.parse((await world.run(booking(0))).stdout);
    await restore();
    const other = await world.run(line.replace(slot(0), slot(1)), {
      env: { SCHED_STATE_DIR: temporaryDirectory('other') },
    });
    expect(JSON.parse(other.stdout).event).toBe(event);
    const again = await world.run(booking(0));
    expect([again.code, posts(again.requests), JSON.parse(again.stdout)._sched]).toEqual([0, 1, undefined]);
    expect(await bookedAt(0)).toBe(1);
  });

  test('is recognized in any spelling of address and time', async () => {
    await world.run(booking(0));
    const same = booking(0)
      .replace('ada@engine.example', 'Ada@Engine.Example')
      .replace(slot(0), '2027-02-01T11:00:00+01:00');
    expect(posts((await world.run(same)).requests)).toBe(0);
    expect(posts((await world.run(booking(1))).requests)).toBe(1);
  });

  test('is sent with --allow-duplicate, and a refusal leaves the first booking recorded', async () => {
    await world.run(booking(0));
    const { code, requests } = await world.run(booking(0, '--allow-duplicate'));
    expect([code, posts(requests)]).toEqual([7, 1]);
    const third = await world.run(booking(0));
    expect([third.code, posts(third.requests)]).toEqual([0, 0]);
  });

  test('with a lost reply is not confused with the first booking', async () => {
    await world.run(booking(0));
    const line = booking(0, '--allow-duplicate');
    const lostOne = await world.run(line, { send: breaking(world, faults['reset before commit']) });
    expect([lostOne.code, posts(lostOne.requests)]).toEqual([10, 1]);
  });

  test('with a lost reply is reconciled separately, and the first booking stays recorded', async () => {
    const { uri } = JSON.parse((await world.run(booking(0))).stdout);
    const line = booking(0, '--allow-duplicate');
    await world.run(line, { send: breaking(world, faults['reset before commit']) });
    const early = await world.run('invitees reconcile --json');
    expect([early.code, JSON.parse(early.stdout)]).toMatchObject([10, [{ verdict: 'unknown' }]]);
    await untilProven(world, eventType);
    const late = await world.run('invitees reconcile --json');
    expect([late.code, JSON.parse(late.stdout)]).toMatchObject([0, [{ verdict: 'not-booked' }]]);
    const third = await world.run(booking(0));
    expect([third.code, posts(third.requests), JSON.parse(third.stdout).uri]).toEqual([0, 0, uri]);
  });

  test('that is refused leaves an unknown first attempt unknown', async () => {
    await world.run(booking(0), { send: breaking(world, faults['reset before commit']) });
    const refusing = breaking(world, async () => ({ status: 409, headers: {}, body: '{}' }));
    expect((await world.run(booking(0, '--allow-duplicate'), { send: refusing })).code).toBe(7);
    const third = await world.run(booking(0));
    expect([third.code, posts(third.requests)]).toEqual([10, 0]);
  });

  test('with --if-absent returns the existing booking, even if made on another machine', async () => {
    const elsewhere = temporaryDirectory('booking');
    const { uri } = JSON.parse((await world.run(booking(0), { env: { SCHED_STATE_DIR: elsewhere } })).stdout);
    for (let run = 0; run < 3; run += 1) {
      const { code, stdout, requests } = await world.run(booking(0, '--if-absent'));
      expect([code, posts(requests)]).toEqual([0, 0]);
      expect(JSON.parse(stdout)).toMatchObject({ uri, _sched: { existing: true } });
    }
    const fresh = await world.run(booking(1, '--if-absent'));
    expect([fresh.code, posts(fresh.requests)]).toEqual([0, 1]);
    expect(JSON.parse(fresh.stdout)).not.toHaveProperty('_sched');
    const own = await world.run(booking(1, '--if-absent'));
    expect(JSON.parse(own.stdout)._sched).toEqual({ existing: true, already: true });
  });

  test('is allowed after a definite refusal', async () => {
    const send = breaking(world, async () => ({ status: 409, headers: {}, body: '{}' }), 1);
    expect((await world.run(booking(0), { send })).code).toBe(7);
    const second = await world.run(booking(0), { send });
    expect([second.code, posts(second.requests)]).toEqual([0, 1]);
  });
});

// R27
describe('booking: a raw request', () => {
  const raw = (index: number, more = '') =>
    `api POST /invitees -f event_type=${eventType} -f start_time=${slot(index)} -f invitee[email]=ada@engine.example -f invitee[name]=Ada -f invitee[timezone]=UTC ${more}`;

  test('prints the reply unchanged', async () => {
    const { code, stdout, stderr } = await world.run(raw(0, '--include'));
    expect(code).toBe(0);
    expect(stdout).toMatch(/^HTTP\/1\.1 20[01] /);
    expect(JSON.parse(stdout.slice(stdout.indexOf('{'))).resource).toMatchObject({ email: 'ada@engine.example' });
    expect(stderr).toBe('');
  });

  test.each(sample(Object.entries(faults), 1, ([name]) => name.includes('after')))(
    '%s: is sent once, looked up, and on a second run kept or unknown',
    async (name, fault) => {
      const isDone = name.includes('after');
      // What was looked up is no reply, so it has no headers to include.
      const first = await world.run(raw(0, '--include'), { send: breaking(world, fault) });
      expect([first.code, posts(first.requests)]).toEqual([isDone ? 0 : 10, 1]);
      const facts = name.startsWith('a 200 of another shape') ? { source: 'read' } : { reconciled: true };
      if (isDone) expect(JSON.parse(first.stdout).resource).toMatchObject({ _sched: facts });
      else expect(first.stderr).toContain('sched invitees reconcile');
      const again = await world.run(raw(0));
      expect([again.code, posts(again.requests)]).toEqual([isDone ? 0 : 10, 0]);
      expect(await bookedAt(0)).toBe(isDone ? 1 : 0);
    },
  );

  test('counts as a booking, like that of invitees create', async () => {
    const send = breaking(world, async () => ({ status: 409, headers: {}, body: '{}' }));
    for (const line of [booking(0), raw(0)]) {
      const { stderr, requests } = await world.run(line, { send });
      expect(stderr).toContain("That time isn't available");
      expect(requests.filter((request) => request.isBooking).map(({ url }) => new URL(url).pathname)).toEqual([
        '/invitees',
      ]);
    }
  });

  test('and invitees create detect duplicates of each other', async () => {
    expect((await world.run(booking(0))).code).toBe(0);
    for (const flag of ['', '--if-absent']) {
      const second = await world.run(raw(0, flag));
      expect([second.code, posts(second.requests)]).toEqual([0, 0]);
      expect(JSON.parse(second.stdout).resource._sched).toEqual({ existing: true, already: true });
    }
    const meant = await world.run(raw(0, '--allow-duplicate'));
    expect([meant.code, posts(meant.requests)]).toEqual([7, 1]);
    expect(JSON.parse(meant.stdout).title).toBe('Already Exists');
    const last = await world.run(raw(0, '--if-absent --json=uri,_sched'));
    expect(JSON.parse(last.stdout)._sched).toEqual({ existing: true, already: true });
  });

  test('is recognized in every spelling of its path, and only it accepts the booking flags', async () => {
    expect((await world.run(raw(0))).code).toBe(0);
    const paths = ['/invitees/', '/Invitees', '/%69nvitees', '/invitees;x=1', '/invitees.json', '/invitees%20'];
    for (const path of [...paths, '/v2/invitees']) {
      const { code, requests } = await world.run(raw(0).replace('/invitees', path));
      expect([path, code === 0 || code === 2, posts(requests)]).toEqual([path, true, 0]);
    }
    const { code, stderr } = await world.run('api POST /shares -f a=b --if-absent');
    expect(code).toBe(2);
    expect(stderr).toContain('--if-absent works only with POST /invitees');
  });

  const bodyWith = (parts: object) => JSON.stringify({ ...asked, ...parts });
  const asked = { start_time: slot(0), invitee: { email: 'ada@engine.example', name: 'Ada', timezone: 'UTC' } };
  const line = 'api POST /invitees --input -';

  const spellings: [title: string, body: (type: string) => string][] = [
    ['the basic form of its time', (type: string) => bodyWith({ event_type: type, start_time: '20270201T100000Z' })],
    ['another offset', (type: string) => bodyWith({ event_type: type, start_time: '20270201T1130+0130' })],
    ['fractions of a second', (type: string) => bodyWith({ event_type: type, start_time: '2027-02-01T10:00:00.5Z' })],
    ['a bare ID of the event type', (type: string) => bodyWith({ event_type: type.split('/').at(-1) })],
    ['a slash after the event type', (type: string) => bodyWith({ event_type: `${type}/` })],
    ['an escaped field name', (type: string) => bodyWith({ event_type: type }).replace('start_t', 'start\\u005ft')],
  ];
  test('has the same digest in every spelling', () => {
    const digest = (body: string) => {
      const { invitee, ...facts } = bookingIn(body, []);
      return bookingDigest({ version: 2, origin: '' }, facts, invitee.email);
    };
    const plain = digest(bodyWith({ event_type: eventType }));
    for (const [title, body] of spellings) expect([title, digest(body(eventType))]).toEqual([title, plain]);
  });

  test.each(sample(spellings, 1))('is the same booking with %s', async (_, body) => {
    expect((await world.run(booking(0))).code).toBe(0);
    const { code, requests } = await world.run(line, { stdin: body(eventType) });
    expect([code, posts(requests)]).toEqual([0, 0]);
  });

  const unclear: [title: string, words: string, stdin: string][] = [
    ['an epoch', 'start_time', bodyWith({ event_type: 'X', start_time: 1_801_562_400 })],
    ['a time without an offset', 'start_time', bodyWith({ event_type: 'X', start_time: '2027-02-01T10:00:00' })],
    ['a day that does not exist', 'start_time', bodyWith({ event_type: 'X', start_time: '2027-13-01T10:00:00Z' })],
    ['no event type', 'event_type', bodyWith({})],
    ['no invitee', 'invitee.email', bodyWith({ event_type: 'X', invitee: null })],
    [
      'a field twice',
      'it contains "start_time" twice',
      `{"start_time":"${slot(1)}",${bodyWith({ event_type: 'X' }).slice(1)}`,
    ],
    [
      'a field twice in other case',
      'it contains "EMAIL" twice',
      bodyWith({ event_type: 'X' }).replace('","name', '","EMAIL":"b@x.example","name'),
    ],
    ['a list', 'is not a JSON object', '[]'],
  ];
  test.each(unclear)('with %s is rejected, and sent only with --allow-duplicate', async (_, words, stdin) => {
    const { code, stderr, requests } = await world.run(line, { stdin });
    expect([code, posts(requests)]).toEqual([2, 0]);
    expect(stderr).toContain(words);
    const meant = await world.run(`${line} --allow-duplicate`, {
      stdin,
      send: breaking(world, faults['reset before commit']),
    });
    expect([meant.code, posts(meant.requests)]).toEqual([10, 1]);
  });

  test('with a form body, or with fields in the query, is rejected', async () => {
    const form = `${line} -H 'Content-Type: application/x-www-form-urlencoded'`;
    const fields = line.replace('/invitees', `/invitees?start_time=${slot(1)}`);
    for (const each of [form, fields]) {
      const stdin = each === form ? 'start_time=x' : bodyWith({ event_type: eventType });
      const { code, requests } = await world.run(each, { stdin });
      expect([each, code, posts(requests)]).toEqual([each, 2, 0]);
    }
  });
});

describe('booking: the ledger', () => {
  const files = () => readdirSync(join(state, 'bookings')).map((file) => join(state, 'bookings', file));

  test('is written before the request is sent, readable only by its owner, without the address', async () => {
    let seen: string[] = [];
    const send: Send = async (request) => {
      if (isBooking(request)) seen = files().map((file) => readFileSync(file, 'utf8'));
      return world.service(request);
    };
    await world.run(booking(0), { send });
    expect(seen).toHaveLength(1);
    expect(JSON.parse(seen[0]!)).toMatchObject({ state: 'open', event_type: eventType });
    for (const file of files()) {
      expect(statSync(file).mode & 0o077).toBe(0);
      expect(readFileSync(file, 'utf8')).not.toMatch(/\bada|engine/i);
    }
    expect(JSON.parse(readFileSync(files()[0]!, 'utf8'))).toMatchObject({ state: 'booked' });
  });

  test('deletes an entry only long after its start, when another booking is made', async () => {
    await world.run(booking(0));
    const untilAfterStart = (days: number) => world.clock.sleep(monday + days * 86_400_000 - world.clock.now());
    await untilAfterStart(29);
    await world.run(booking(130));
    expect(files()).toHaveLength(2);
    await untilAfterStart(31);
    for (const line of ['invitees reconcile', 'doctor']) await world.run(line);
    expect(files()).toHaveLength(2);
    // Only if both clocks say so.
    await world.run(booking(131), { clockAheadMs: 0 });
    expect(files()).toHaveLength(2);
  });

  test("stops a booking if it can't be written", async () => {
    const file = join(state, 'file');
    writeFileSync(file, '');
    const { code, requests } = await world.run(booking(0), { env: { SCHED_STATE_DIR: file } });
    expect([code, posts(requests)]).toEqual([3, 0]);
  });

  test.each([
    ['damaged', () => '{"ver'],
    ['of a newer version', (text: string) => text.replace('"version":2', '"version":3')],
  ])('with an entry that is %s stops the same booking', async (_, spoil) => {
    await world.run(booking(0), { send: breaking(world, faults['reset before commit']) });
    for (const file of files()) writeFileSync(file, spoil(readFileSync(file, 'utf8')));
    const { code, requests } = await world.run(booking(0));
    expect([code, posts(requests)]).toEqual([3, 0]);
  });

  test('lets only one of several processes send the booking', async () => {
    const results = await Promise.all([1, 2, 3].map(() => world.run(booking(0), { randomBytes })));
    expect(results.reduce((sum, { requests }) => sum + posts(requests), 0)).toBe(1);
    expect(results.some(({ code }) => code === 0)).toBe(true);
    expect(await bookedAt(0)).toBe(1);
  });

  const places: [where: string, options: (folder: string) => WorldOptions][] = [
    ["the home directory doesn't exist", (folder: string) => ({ home: join(folder, 'none') })],
    ['the home directory is not an absolute path', () => ({ home: 'src' })],
    ["the home directory is Debian's /nonexistent", () => ({ home: '/nonexistent' })],
    [
      "XDG_STATE_HOME is relative and the home directory doesn't exist",
      (folder: string) => ({ home: join(folder, 'none'), env: { XDG_STATE_HOME: 'state' } }),
    ],
    ['a file is in its place', (folder: string) => ({ env: { SCHED_STATE_DIR: join(folder, 'file') } })],
    ['the directory is a symbolic link', (folder: string) => ({ env: { SCHED_STATE_DIR: join(folder, 'linked') } })],
  ];
  test.each(sample(places, 1))('is required: if %s, nothing is booked without --allow-duplicate', async (_, where) => {
    writeFileSync(join(state, 'file'), '');
    mkdirSync(join(state, 'linked'));
    symlinkSync(state, join(state, 'linked', 'bookings'));
    const none = await createWorld(where(state));
    const type = await plainType(none);
    for (let run = 0; run < 2; run += 1) {
      const { code, stderr, requests } = await none.run(booking(0, '', type));
      expect([code, posts(requests)]).toEqual([3, 0]);
      expect(lastJson(stderr).error).toMatchObject({ code: 'environment', outcome: 'not-sent' });
      expect(lastJson(stderr).error.cause).toMatch(/SCHED_STATE_DIR.*--allow-duplicate/);
    }
    expect(existsSync(join(state, 'none'))).toBe(false);
    const meant = await none.run(booking(0, '--allow-duplicate', type));
    expect([meant.code, posts(meant.requests)]).toEqual([0, 1]);
    expect(meant.stderr).toContain('Booking without the ledger');
    const send = breaking(none, faults['reset after commit']);
    const found = await none.run(booking(1, '--allow-duplicate', type), { send });
    expect([found.code, JSON.parse(found.stdout)._sched]).toEqual([0, { reconciled: true }]);
    const failing = breaking(none, faults['reset before commit']);
    const failed = await none.run(booking(2, '--allow-duplicate', type), { send: failing });
    expect(failed.code).toBe(10);
    expect(lastJson(failed.stderr).error.hint).toMatch(/^sched invitees create .* --allow-duplicate .*--if-absent$/);
  });
});
