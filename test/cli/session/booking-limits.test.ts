import { describe, expect, test } from 'vitest';
import { bookingWindows } from '../../../src/cli/session/booking-limits.ts';
import type { HttpRequest, Send } from '../../../src/http/message.ts';
import type { TestWorld } from '../../support/run.ts';
import { createWorld, type WorldOptions } from '../../support/run.ts';
import { temporaryDirectory } from '../../support/temporary.ts';

const worldOn = (plan: NonNullable<WorldOptions['plan']>): Promise<TestWorld> => {
  const directory = temporaryDirectory('plan');
  return createWorld({ plan, env: { SCHED_STATE_DIR: directory, SCHED_CACHE_DIR: directory } });
};

const eventTypeIn = async ({ run }: TestWorld): Promise<string> => {
  const types = JSON.parse((await run('event-types list --active --json')).stdout);
  return types.find(({ name }: { name: string }) => name === 'Intro call').uri;
};

const openHours = ['10:00', '10:30', '13:00', '13:30', '14:00', '14:30'];
const booking = (type: string, index: number) =>
  `invitees create --event-type ${type} --start 2027-02-01T${openHours[index]}:00Z --email ada@engine.example --name Ada --timezone UTC --json`;

const asked = (requests: HttpRequest[]) =>
  requests.filter(({ method, url }) => method === 'GET' && new URL(url).pathname.startsWith('/organizations/')).length;

const limitsIn = async ({ run }: TestWorld) =>
  JSON.parse((await run('ratelimit --json=window,limit')).stdout)
    .filter(({ window }: { window: string }) => window.startsWith('bookings'))
    .map(({ window, limit }: { window: string; limit: number }) => [window, limit]);

describe('booking limits', () => {
  test.each([
    [{ plan: 'enterprise', stage: 'active' }, { minute: 500 }],
    [{ plan: 'Enterprise', stage: 'trial' }, { day: 5 }],
    [{ plan: 'trial' }, { day: 5 }],
    [
      { plan: 'teams', stage: 'active' },
      { minute: 10, hour: 50, day: 100 },
    ],
    [{ plan: 'free' }, {}],
    [{}, {}],
  ])('of the plan %j', (plan, windows) => {
    expect(bookingWindows(plan)).toEqual(windows);
  });

  test('are requested once, by the second booking', async () => {
    const world = await worldOn('standard');
    const type = await eventTypeIn(world);
    const counts: number[] = [];
    for (let index = 0; index < 3; index += 1) {
      const { code, requests } = await world.run(booking(type, index));
      expect(code).toBe(0);
      counts.push(asked(requests));
    }
    expect(counts).toEqual([0, 1, 0]);
    expect(await limitsIn(world)).toEqual([
      ['bookings a minute', 10],
      ['bookings an hour', 50],
      ['bookings a day', 100],
    ]);
  });

  test('are not requested again if the token may not read them, and bookings still work', async () => {
    const world = await worldOn('standard');
    const type = await eventTypeIn(world);
    const send: Send = async (request) =>
      new URL(request.url).pathname.startsWith('/organizations/')
        ? { status: 403, headers: {}, body: '{}' }
        : world.service(request);
    const counts: number[] = [];
    for (let index = 0; index < 3; index += 1) {
      const { code, requests } = await world.run(booking(type, index), { send });
      expect(code).toBe(0);
      counts.push(asked(requests));
    }
    expect(counts).toEqual([0, 1, 0]);
    expect(await limitsIn(world)).toEqual([['bookings a minute', 10]]);
  });

  test('stop a booking above the daily limit, and are requested again after ten minutes', async () => {
    const world = await worldOn('trial');
    const type = await eventTypeIn(world);
    for (let index = 0; index < 5; index += 1) expect((await world.run(booking(type, index))).code).toBe(0);
    const refused = await world.run(booking(type, 5));
    expect({ code: refused.code, posts: refused.requests.length }).toEqual({ code: 8, posts: 0 });
    await world.clock.sleep(11 * 60_000);
    // The plan was upgraded in the meantime, so the same command succeeds.
    const upgraded: Send = async (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === '/invitees')
        return { status: 201, headers: {}, body: JSON.stringify({ resource: { uri: 'x' } }) };
      const reply = await world.service(request);
      return pathname.startsWith('/organizations/')
        ? { ...reply, body: reply.body.replaceAll('trial', 'enterprise') }
        : reply;
    };
    const { code, requests } = await world.run(booking(type, 5), { send: upgraded });
    expect({ code, asked: asked(requests) }).toEqual({ code: 0, asked: 1 });
  });
});
