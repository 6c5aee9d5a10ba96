import { expect, test } from 'vitest';
import { dataCalls } from '../../../src/sandbox/admin/data-admin.ts';
import { openSandbox } from '../../../src/sandbox/open.ts';
import { closeLater } from '../../support/temporary.ts';
import { amara, noon, organization } from '../world.ts';
import { adminAsker } from './admin-ask.ts';

const open = async (clock = { now: () => noon }) => {
  const sandbox = await openSandbox({ file: ':memory:', clock, world: 'empty' });
  closeLater(() => sandbox.close());
  const ask = adminAsker(dataCalls, { sandbox, data: ':memory:' });
  const post = (name: string, body: unknown) => ask('POST', name, body);
  return { sandbox, ask, post };
};

test('the clock is set, advanced and restored, also in memory', async () => {
  const { sandbox, post } = await open();
  expect(await post('clock', { time: '2030-01-01T00:00:00Z' })).toMatchObject({ time: '2030-01-01T00:00:00.000Z' });
  expect(await post('clock', { advance_seconds: -60 })).toMatchObject({ time: '2029-12-31T23:59:00.000Z' });
  expect(await post('clock', { time: 'now' })).toEqual({
    time: '2026-03-11T12:00:00.000Z',
    offset_seconds: 0,
    frozen: false,
    data: ':memory:',
  });
  expect(sandbox.clock.offset).toBe(0);
});

test('the clock is advanced by exactly what was asked, though time goes on meanwhile', async () => {
  let time = noon;
  const { sandbox, post } = await open({ now: () => time++ });
  await post('clock', { advance_seconds: 1.005 });
  expect(sandbox.clock.offset).toBe(1005);
});

test('the clock is frozen and resumed, also together with a move', async () => {
  const { sandbox, post } = await open();
  expect(await post('clock', { frozen: true })).toMatchObject({ time: '2026-03-11T12:00:00.000Z', frozen: true });
  const moved = { time: '2030-01-01T00:00:00.000Z', frozen: false };
  expect(await post('clock', moved)).toMatchObject(moved);
  expect(await post('clock', { advance_seconds: 60, frozen: true })).toMatchObject({ frozen: true });
  expect([sandbox.clock.now(), sandbox.clock.isFrozen]).toEqual([Date.parse('2030-01-01T00:01:00Z'), true]);
});

test('snapshots are saved, listed, restored and deleted', async () => {
  const { ask, post } = await open();
  expect(await post('snapshots', { name: 'base' })).toMatchObject({ name: 'base' });
  expect((await ask('GET', 'snapshots')).snapshots).toMatchObject([{ name: 'base' }]);
  await post('plan', { plan: 'free' });
  await post('snapshots/base/restore', undefined);
  expect(await ask('GET', 'plan')).toEqual({ plan: 'enterprise' });
  await expect(post('snapshots/none/restore', undefined)).rejects.toMatchObject({ status: 404 });
  await expect(post('snapshots', { name: 'a/b' })).rejects.toMatchObject({ status: 400 });
  expect(await ask('DELETE', 'snapshots/base')).toEqual({ snapshots: [] });
});

test('the plan is changed for the next request', async () => {
  const { sandbox, post } = await open();
  const headers = { authorization: 'Bearer sandbox_owner' };
  const plan = async () =>
    JSON.parse((await sandbox.service({ method: 'GET', url: organization, headers })).body).resource.plan;
  expect(await plan()).toBe('enterprise');
  expect(await post('plan', { plan: 'free' })).toEqual({ plan: 'free' });
  expect(await plan()).toBe('free');
  await expect(post('plan', { plan: 'gold' })).rejects.toMatchObject({ status: 400 });
});

test('rate windows are shown and started again', async () => {
  const { sandbox, ask } = await open();
  const get = (headers: Record<string, string>) => sandbox.service({ method: 'GET', url: amara, headers });
  const owner = { authorization: 'Bearer sandbox_owner' };
  for (const headers of [owner, owner, {}]) await get(headers);
  expect((await ask('GET', 'rate_windows')).rate_windows).toEqual([
    { window: 'address/minute', whose: 'loopback', used: 1, limit: 500, reset_seconds: 60 },
    { window: 'general/minute', whose: amara, used: 2, limit: 500, reset_seconds: 60 },
  ]);
  sandbox.clock.set(sandbox.clock.now() + 60_000);
  expect((await ask('GET', 'rate_windows')).rate_windows).toEqual([]);
  await get(owner);
  expect(await ask('DELETE', 'rate_windows')).toEqual({ rate_windows: [] });
  expect((await get(owner)).headers['x-ratelimit-remaining']).toBe('499');
});

test.each([
  {},
  { frozen: 'yes' },
  { frozn: true },
  { time: 'tomorrow' },
  { time: '12345-01-01T00:00:00Z' },
  { time: 'now', advance_seconds: 1 },
  { advance_seconds: '60' },
  { advance_seconds: 1e300 },
  { advance_seconds: 1_000 * 365 * 86_400 * 9 },
])('the clock is not moved by %j', async (body) => {
  const { sandbox, post } = await open();
  await expect(post('clock', body)).rejects.toMatchObject({ status: 400 });
  expect(sandbox.clock.now()).toBe(noon);
});

test('a reset seeds new data, and refuses an unknown seed', async () => {
  const { sandbox, post } = await open();
  const events = () => sandbox.store.all('SELECT 1 FROM events').length;
  await expect(post('reset', { seed: 'moon' })).rejects.toMatchObject({ status: 400 });
  expect(events()).toBe(0);
  await post('reset', { seed: 'demo' });
  expect(events()).toBeGreaterThan(50);
});
