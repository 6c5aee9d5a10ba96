import { expect, test } from 'vitest';
import { dataCalls } from '../../src/sandbox/data-admin.ts';
import { openSandbox } from '../../src/sandbox/open.ts';
import { closeLater } from '../support/temporary.ts';
import { noon } from './world.ts';

const open = async () => {
  const sandbox = await openSandbox({ file: ':memory:', clock: { now: () => noon }, world: 'empty' });
  closeLater(() => sandbox.close());
  const calls = dataCalls(sandbox, ':memory:');
  const post = (name: 'clock' | 'reset', body: unknown) =>
    calls[`POST /__sandbox/${name}`]({ method: 'POST', url: '', headers: {}, body: JSON.stringify(body) });
  return { sandbox, post };
};

test('the clock is set, advanced and restored, also in memory', async () => {
  const { sandbox, post } = await open();
  expect(await post('clock', { time: '2030-01-01T00:00:00Z' })).toMatchObject({ time: '2030-01-01T00:00:00.000Z' });
  expect(await post('clock', { advance_seconds: -60 })).toMatchObject({ time: '2029-12-31T23:59:00.000Z' });
  expect(await post('clock', { time: 'now' })).toEqual({
    time: '2026-03-11T12:00:00.000Z',
    offset_seconds: 0,
    data: ':memory:',
  });
  expect(sandbox.clock.offset).toBe(0);
});

test.each([
  {},
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
