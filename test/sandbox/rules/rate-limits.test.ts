import { describe, expect, it } from 'vitest';
import { listWindows } from '../../../src/sandbox/rules/rate-limits.ts';
import { seededFile } from '../../support/seeded.ts';
import { oauthOf } from '../oauth/login.ts';
import { amara, freeMonday, noon, openWorld, organization, pathOf, type World } from '../world.ts';

type Headers = Record<string, string>;

const told = ({ headers }: { headers: Headers }) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers[`x-ratelimit-${name}`]));

const statuses = (replies: Array<{ status: number }>) => replies.map(({ status }) => status);

/** Bookings of an unknown event type: they get 404, or 429 above the limit. */
const bookMany = async (world: World, count: number, asked = {}) => {
  const replies = [];
  for (let turn = 0; turn < count; turn++) replies.push(await world.book('none', `${freeMonday}T08:00:00Z`, {}, asked));
  return replies;
};

const openLimited = async (plan: Parameters<World['setPlan']>[0], file?: string) => {
  const world = await openWorld({ limits: true, ...(file ? { file } : {}) });
  world.setPlan(plan);
  return world;
};

describe('rate limits', () => {
  it('sends limit, remaining and reset with every reply to a known token', async () => {
    const world = await openLimited('enterprise');
    const replies = [
      await world.get('/users/me'),
      await world.get('/nowhere'),
      await world.call('DELETE', '/users/me'),
      await world.get('/users/me', { a: 'b' }),
      await world.get('/.well-known/oauth-protected-resource'),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 404, 405, 400, 200]);
    expect(replies.map(told)).toEqual([499, 498, 497, 496, 495].map((left) => [500, left, 60]));
    world.store.run("UPDATE access_tokens SET expires_at = '2020-01-01T00:00:00.000Z'");
    const expired = await world.get('/users/me');
    expect([expired.status, ...told(expired)]).toEqual([401, 500, 494, 60]);
  });

  it('counts requests without a known token by address, and sends the headers with every reply', async () => {
    const world = await openLimited('free');
    const without = { token: null };
    const form = { ...without, headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'a=b' };
    const replies = [
      await world.get('/users/me', {}, without),
      await world.get('/users/me', {}, { token: 'sandbox_nobody' }),
      await world.get('/nowhere', {}, without),
      await world.get('/.well-known/oauth-protected-resource', {}, without),
      await world.get('/.well-known/oauth-authorization-server', {}, without),
      { ...(await oauthOf(world).authorize()), body: '' },
      await world.call('POST', '/oauth/token', form),
      await world.call('POST', '/oauth/revoke', form),
      await world.call('DELETE', '/oauth/token', without),
    ];
    expect(statuses(replies)).toEqual([401, 401, 404, 200, 200, 200, 400, 400, 405]);
    expect(replies.map(told)).toEqual(replies.map((_, index) => [500, 499 - index, 60]));
    world.store.run("UPDATE rate_windows SET used = 500 WHERE key LIKE 'address/%'");
    const full = await world.get('/.well-known/oauth-authorization-server', {}, without);
    expect([full.status, full.body.window, ...told(full)]).toEqual([429, 'address/minute', 500, 0, 60]);
    expect(full.body.message).toContain('500 requests per minute for this address');
    expect((await world.get('/users/me')).status).toBe(200);
  });

  it('describes the window of the token endpoint in its replies', async () => {
    const { code, redeem } = oauthOf(await openLimited('enterprise'));
    expect(told(await redeem(await code()))).toEqual([8, 7, 60]);
    expect(told(await redeem(await code()))).toEqual([8, 6, 60]);
  });

  it('counts reads without writing while no other process writes, and exactly with another process', async () => {
    const file = await seededFile(noon);
    const [world, other] = [await openLimited('enterprise', file), await openLimited('enterprise', file)];
    const left = async ({ get }: World) => told(await get('/users/me'))[1];
    expect([await left(world), await left(other)]).toEqual([499, 498]);
    world.store.counters.batch();
    world.store.counters.batch();
    const before = other.store.foreignVersion();
    expect([await left(world), await left(world), await left(world)]).toEqual([497, 496, 495]);
    expect(other.store.foreignVersion()).toBe(before);
    // The other process doesn't know the last three yet.
    expect(await left(other)).toBe(497);
    expect([await left(world), await left(other), await left(world)]).toEqual([493, 492, 491]);
  });

  it('counts each token separately', async () => {
    const world = await openLimited('enterprise');
    const { access_token: token } = await oauthOf(world).login();
    await world.get('/users/me');
    expect(told(await world.get('/users/me', {}, { token }))).toEqual([500, 499, 60]);
  });

  it('starts a window with its first request and rounds the reset up to seconds', async () => {
    const world = await openLimited('free');
    world.clock.time += 123;
    expect(told(await world.get('/users/me'))).toEqual([10, 9, 60]);
    world.clock.time += 30_001;
    expect(told(await world.get('/users/me'))).toEqual([10, 8, 30]);
    world.clock.time += 29_998;
    expect(told(await world.get('/users/me'))).toEqual([10, 7, 1]);
    world.clock.time += 1;
    expect(told(await world.get('/users/me'))).toEqual([10, 9, 60]);
  });

  it('refuses a request above the limit without effect and without counting it', async () => {
    const world = await openLimited('free');
    const path = pathOf((await world.walk('/scheduled_events', { user: amara, status: 'active' }))[0].uri);
    world.store.run('DELETE FROM rate_windows');
    for (let turn = 0; turn < 10; turn++) expect((await world.get('/users/me')).status).toBe(200);
    for (let turn = 0; turn < 3; turn++) {
      const full = await world.call('POST', `${path}/cancellation`, { body: {} });
      expect([full.status, full.body.title, full.body.window]).toEqual([429, 'Too Many Requests', 'general/minute']);
      expect(full.headers['content-type']).toBe('application/json');
      expect(told(full)).toEqual([10, 0, 60]);
    }
    expect((await world.get('/nowhere')).status).toBe(429);
    world.clock.time += 60_000;
    expect((await world.get(path)).body.resource.status).toBe('active');
  });

  it('limits bookings on a trial to five per user and day, across tokens', async () => {
    const world = await openLimited('trial');
    expect(statuses(await bookMany(world, 3))).toEqual([404, 404, 404]);
    expect(statuses(await bookMany(world, 3, { token: 'sandbox_legacy' }))).toEqual([404, 404, 429]);
    world.clock.time += 86_399_000;
    const [full] = await bookMany(world, 1);
    expect([full!.status, full!.body.window, ...told(full!)]).toEqual([429, 'create-invitee/day', 5, 0, 1]);
    expect(statuses(await bookMany(world, 1, { token: 'sandbox_admin' }))).toEqual([404]);
    world.clock.time += 1000;
    expect(statuses(await bookMany(world, 1))).toEqual([404]);
  });

  it('limits bookings on a standard plan per minute, hour and day', async () => {
    const world = await openLimited('standard');
    const refusedBy = async () => {
      const [full] = await bookMany(world, 1);
      expect([full!.status, told(full!)[1]]).toEqual([429, 0]);
      return [full!.body.window, told(full!)[0], told(full!)[2]];
    };
    const hour = async () => {
      for (let minute = 0; minute < 5; minute++) {
        if (minute > 0) world.clock.time += 60_000;
        expect(new Set(statuses(await bookMany(world, 10)))).toEqual(new Set([404]));
        if (minute < 4) expect(await refusedBy()).toEqual(['create-invitee/minute', 10, 60]);
      }
    };
    await hour();
    expect(await refusedBy()).toEqual(['create-invitee/hour', 50, 3360]);
    world.clock.time += 3_360_000;
    await hour();
    expect(await refusedBy()).toEqual(['create-invitee/day', 100, 86_400 - 3840]);
    world.clock.time += (86_400 - 3840) * 1000;
    expect(statuses(await bookMany(world, 1))).toEqual([404]);
  });

  it('reports the window with the fewest requests left', async () => {
    const world = await openLimited('standard');
    expect(told((await bookMany(world, 1))[0]!)).toEqual([10, 9, 60]);
    for (let turn = 0; turn < 4; turn++) {
      await bookMany(world, turn === 0 ? 9 : 10);
      world.clock.time += 60_000;
    }
    // Both the minute and the hour window have 7 requests left: the hour resets later.
    expect(told((await bookMany(world, 3)).at(-1)!)).toEqual([50, 7, 3360]);
    expect(told(await world.get('/users/me'))).toEqual([500, 496, 60]);
  });

  it('counts other operations, and bookings on other plans, only in the general window', async () => {
    const world = await openLimited('free');
    expect(told((await bookMany(world, 1))[0]!)).toEqual([10, 9, 60]);
    world.setPlan('enterprise');
    expect(told((await bookMany(world, 1))[0]!)).toEqual([500, 498, 60]);
    world.setPlan('trial');
    expect(told(await world.get('/event_types', { organization }))).toEqual([500, 497, 60]);
  });

  it('counts a request in all windows or in none', async () => {
    const world = await openLimited('trial');
    await bookMany(world, 5);
    expect((await bookMany(world, 3)).map(({ status }) => status)).toEqual([429, 429, 429]);
    expect(told(await world.get('/users/me'))).toEqual([500, 494, 60]);
  });

  it('is shared by two handles on one file and kept after closing', async () => {
    const one = await openLimited('free');
    const two = await openWorld({ limits: true, file: one.file });
    const replies = [];
    for (let turn = 0; turn < 12; turn++) replies.push(await (turn % 2 ? one : two).get('/users/me'));
    expect(statuses(replies)).toEqual([...Array(10).fill(200), 429, 429]);
    two.store.close();
    const three = await openWorld({ limits: true, file: one.file });
    expect((await three.get('/users/me')).status).toBe(429);
    three.store.close();
  });

  it('starts a new window when the clock is set back', async () => {
    const world = await openLimited('free');
    for (let turn = 0; turn < 11; turn++) await world.get('/users/me');
    world.clock.time -= 3_600_000;
    expect(told(await world.get('/users/me'))).toEqual([10, 9, 60]);
  });

  it('can have a number of requests a minute that no plan has, which lists of limits show too', async () => {
    const world = await openWorld({ limits: 2 });
    expect(told(await world.get('/users/me'))).toEqual([2, 1, 60]);
    await world.get('/users/me');
    expect((await world.get('/users/me')).status).toBe(429);
    expect(listWindows(world.store, world.clock.time, '', 2)).toMatchObject([{ used: 2, limit: 2 }]);
  });

  it('can be turned off', async () => {
    const world = await openWorld({ limits: false });
    world.setPlan('free');
    for (let turn = 0; turn < 12; turn++) expect((await world.get('/users/me')).status).toBe(200);
    // Without these headers, a client would slow itself down.
    expect(told(await world.get('/users/me'))).toEqual([1_000_000, 1_000_000, 60]);
  });
});
