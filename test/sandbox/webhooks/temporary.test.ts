import { describe, expect, it } from 'vitest';
import { clearLeftovers, subscribeTemporarily } from '../../../src/sandbox/webhooks/temporary.ts';
import { openDeliveries, stuck } from './deliveries.ts';

const isAlive = (pid: number) => pid === 2;

describe('leftovers of a killed sandbox', () => {
  it('are its webhooks, which are removed', async () => {
    const { store, clock, get } = await openDeliveries();
    for (const pid of [1, 2])
      subscribeTemporarily(store, { url: `http://127.0.0.1:${pid}/`, now: clock.now(), pid, key: undefined });
    clearLeftovers(store, isAlive);
    const left = store.all<{ callback_url: string }>('SELECT callback_url FROM webhooks');
    expect(left).toEqual([{ callback_url: 'http://127.0.0.1:2/' }]);
    expect((await get('/users/me')).status).toBe(200);
  });

  it('are its claims, so that the next sandbox sends at once', async () => {
    const world = await openDeliveries();
    await world.subscribe();
    await world.bookAt('08:00');
    const { post, attempts } = world.answering(() => 200);
    for (const [name, expected] of [
      ['2-alive', 0],
      ['1-killed', 1],
    ] as const) {
      const before = world.delivererOf({ post: stuck, name });
      before.wake();
      await Promise.resolve();
      clearLeftovers(world.store, isAlive);
      await world.delivererOf({ post, name: '3-next' }).idle();
      expect(attempts).toHaveLength(expected);
      await before.close();
    }
  });
});
