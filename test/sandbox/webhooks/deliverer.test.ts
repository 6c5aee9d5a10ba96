import { beforeEach, describe, expect, it } from 'vitest';
import { mostPerWebhook } from '../../../src/sandbox/webhooks/outbox.ts';
import type { Post } from '../../../src/sandbox/webhooks/post.ts';
import { amara, at, group, noon, pathOf, system, tomas } from '../world.ts';
import { type Deliveries, hours, minutes, openDeliveries, promised, seconds, stuck } from './deliveries.ts';
import { isSigned, openReceiver } from './receiver.ts';

let world: Deliveries;
beforeEach(async () => {
  world = await openDeliveries();
});

describe('deliveries', () => {
  it('report a booking, a no-show and a cancellation, signed and once each', async () => {
    const { url, received, bodies } = await openReceiver();
    await world.subscribe({ url, signing_key: 'the-key-of-the-receiver' });
    const deliverer = world.delivererOf();
    const invitee = await world.bookAt('08:00');
    await world.call('POST', `/invitees/${invitee.uri.split('/').at(-1)}/no_show`);
    expect([(await world.cancel(invitee.event)).status, (await world.cancel(invitee.event)).status]).toEqual([
      200, 409,
    ]);
    await deliverer.idle();
    expect(bodies().map(({ event }) => event)).toEqual([
      'invitee.created',
      'invitee_no_show.created',
      'invitee.canceled',
    ]);
    expect(bodies()[0]).toEqual({
      event: 'invitee.created',
      created_at: '2026-03-11T12:00:00.000Z',
      created_by: amara,
      payload: { ...invitee, scheduled_event: expect.objectContaining({ uri: invitee.event, status: 'active' }) },
    });
    expect(bodies()[1].payload.no_show).toMatchObject({ created_at: '2026-03-11T12:00:00.000Z' });
    expect(bodies()[2].payload).toMatchObject({ status: 'canceled', scheduled_event: { status: 'canceled' } });
    for (const each of received) {
      expect(each.headers['content-type']).toBe('application/json');
      expect(isSigned(each, 'the-key-of-the-receiver', system.now())).toBe(true);
      expect(isSigned(each, 'another-key', system.now())).toBe(false);
    }
  });

  it('report that a no-show was undone', async () => {
    const { url, bodies } = await openReceiver();
    await world.subscribe({ url, events: ['invitee_no_show.deleted'] });
    const deliverer = world.delivererOf();
    const { uri } = await world.bookAt('08:00');
    const marked = await world.call('POST', `/invitees/${uri.split('/').at(-1)}/no_show`);
    const mark = pathOf(marked.body.resource.no_show.uri);
    expect([(await world.call('DELETE', mark)).status, (await world.call('DELETE', mark)).status]).toEqual([204, 404]);
    await deliverer.idle();
    expect(bodies()).toMatchObject([{ event: 'invitee_no_show.deleted', payload: { uri, no_show: null } }]);
  });

  it('have links to the address that the change came to', async () => {
    const { url, bodies } = await openReceiver();
    await world.subscribe({ url });
    const { uri, event } = await world.bookAt('08:00');
    const here = 'http://localhost:8123';
    await world.call('POST', `${here}${pathOf(event)}/cancellation`, { body: {} });
    await world.delivererOf().idle();
    expect(bodies().map(({ payload }) => payload.uri)).toEqual([uri, `${here}${pathOf(uri)}`]);
    expect(bodies()[1].created_by).toBe(`${here}${pathOf(amara)}`);
  });

  it('have no signature without a key', async () => {
    const { url, received } = await openReceiver();
    await world.subscribe({ url });
    await world.bookAt('08:00');
    await world.delivererOf().idle();
    expect(received.map(({ headers }) => headers['webhook-signature'])).toEqual([undefined]);
  });

  it('report each invitee of a canceled event', async () => {
    const { url, bodies } = await openReceiver();
    await world.subscribe({ url, events: ['invitee.canceled'] });
    const first = await world.bookAt('08:00', 'open-workshop');
    const guest = { invitee: { email: 'bob@engine.example', name: 'Bob', timezone: 'UTC' } };
    expect((await world.book('open-workshop', at('08:00'), guest)).status).toBe(200);
    await world.cancel(first.event);
    await world.delivererOf().idle();
    expect(
      bodies()
        .map(({ payload }) => payload.email)
        .sort(),
    ).toEqual(['ada@engine.example', 'bob@engine.example']);
  });

  it('report only the wanted events of the scope', async () => {
    const { post } = world.answering(() => 200);
    const urls = ['whole', 'amara', 'tomas', 'team', 'leaders', 'canceled'].map((name) => `http://127.0.0.1:9/${name}`);
    await world.subscribe({ url: urls[0] });
    await world.subscribe({ url: urls[1], scope: 'user' });
    await world.subscribe({ url: urls[2], scope: 'user', user: tomas });
    await world.subscribe({ url: urls[3], scope: 'group', group: group('Customer team') });
    await world.subscribe({ url: urls[4], scope: 'group', group: group('Leadership') });
    await world.subscribe({ url: urls[5], events: ['invitee.canceled'] });
    const urlsOf = async () => (await world.deliveries()).map(({ url }) => url.split('/').at(-1)).sort();
    await world.bookAt('08:00');
    expect(await urlsOf()).toEqual(['amara', 'leaders', 'whole']);
    await world.delivererOf({ post }).idle();
    world.store.run('DELETE FROM deliveries');
    await world.bookAt('10:00', 'account-check-in');
    expect(await urlsOf()).toEqual(['team', 'tomas', 'whole']);
  });

  it('are queued in the transaction of the change', async () => {
    await world.subscribe();
    const taken = await world.bookAt('08:00');
    const again = await world.book('intro-call', at('08:00'));
    expect([again.status, (await world.deliveries()).length]).toEqual([409, 1]);
    expect((await world.deliveries())[0]).toMatchObject({ body: { payload: { uri: taken.uri } }, attempts: [] });
  });

  it('go when their webhook is deleted, and when the data of the invitee is', async () => {
    const first = await world.subscribe();
    await world.bookAt('08:00');
    await world.call('DELETE', pathOf(first));
    expect(await world.deliveries()).toEqual([]);
    await world.subscribe();
    await world.bookAt('09:00');
    const body = { emails: ['ada@engine.example'] };
    await world.call('POST', '/data_compliance/invitee_deletion', { body });
    world.clock.time += 7 * 24 * 60 * minutes;
    await world.get('/users/me');
    expect(await world.deliveries()).toEqual([]);
  });

  it('that are gone when the answer comes are not confused with new ones of the same number', async () => {
    await world.subscribe();
    await world.bookAt('08:00');
    let answer = (_: { status: number }) => {};
    const post: Post = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const deliverer = world.delivererOf({ post });
    deliverer.wake();
    await Promise.resolve();
    // As the deletion of an invitee's data does.
    world.store.run('DELETE FROM deliveries');
    await world.bookAt('09:00');
    const [fresh] = await world.deliveries();
    expect(fresh).toMatchObject({ number: 1, attempts: [] });
    answer({ status: 200 });
    await new Promise(setImmediate);
    expect(await world.deliveries()).toEqual([fresh]);
  });

  it('are limited for each webhook: the oldest are dropped', async () => {
    await world.subscribe();
    await world.bookAt('08:00');
    const copy = `INSERT INTO deliveries (webhook, event, subject, body, created_at, state, due_at)
      SELECT webhook, event, subject, body, created_at, state, due_at FROM deliveries LIMIT 1`;
    for (let each = 1; each < mostPerWebhook; each += 1) world.store.run(copy);
    await world.bookAt('09:00');
    const [row] = world.store.all('SELECT count(*) AS kept, min(number) AS first FROM deliveries');
    expect(row).toEqual({ kept: mostPerWebhook, first: 2 });
  });
});

describe('a receiver that stays down', () => {
  it('gets attempts exactly at the promised times, and is then disabled', async () => {
    const reference = await world.subscribe();
    const { post, attempts } = world.answering(() => undefined);
    const deliverer = world.delivererOf({ post });
    await world.bookAt('08:00');
    const times: number[] = [];
    let due = noon;
    for (const wait of promised) {
      due += wait;
      times.push(due);
      world.clock.time = due - 1;
      await deliverer.idle();
      expect(attempts).toEqual(times.slice(0, -1));
      world.clock.time = due;
      await deliverer.idle();
      expect(attempts).toEqual(times);
      const isLast = times.length === promised.length;
      expect(await world.webhook(reference)).toMatchObject({
        state: isLast ? 'disabled' : 'active',
        retry_started_at: '2026-03-11T12:00:00.000Z',
        updated_at: new Date(times.length === 1 || isLast ? due : noon).toISOString(),
      });
    }
    world.clock.time += 30 * 24 * hours;
    await deliverer.idle();
    expect(attempts).toHaveLength(6);
    const [delivery] = await world.deliveries();
    expect(delivery).toMatchObject({ state: 'failed', due_at: null });
    expect(delivery!.attempts.map(({ at, error }: { at: string; error: string }) => [Date.parse(at), error])).toEqual(
      times.map((time) => [time, 'the connection was refused']),
    );
    await world.bookAt('09:00');
    expect(await world.deliveries()).toHaveLength(1);
  });

  it('gives up everything else that waits when it is disabled', async () => {
    const reference = await world.subscribe();
    const { post } = world.answering(() => 500);
    const deliverer = world.delivererOf({ post });
    await world.bookAt('08:00');
    for (const wait of promised.slice(0, -1)) {
      world.clock.time += wait;
      await deliverer.idle();
    }
    await world.bookAt('09:00');
    world.clock.time += 6 * hours;
    await deliverer.idle();
    expect((await world.webhook(reference)).state).toBe('disabled');
    expect((await world.deliveries()).map(({ state, due_at }) => [state, due_at])).toEqual([
      ['failed', null],
      ['failed', null],
    ]);
  });

  it('is no longer failing once a delivery is accepted', async () => {
    const reference = await world.subscribe();
    const { post, attempts } = world.answering((number) => (number < 3 ? 503 : 200));
    const deliverer = world.delivererOf({ post });
    await world.bookAt('08:00');
    await deliverer.idle();
    expect((await world.webhook(reference)).retry_started_at).toBe('2026-03-11T12:00:00.000Z');
    world.clock.time += 5 * seconds;
    await deliverer.idle();
    world.clock.time += 30 * seconds;
    await deliverer.idle();
    expect(attempts).toHaveLength(3);
    expect(await world.webhook(reference)).toMatchObject({ state: 'active', retry_started_at: null });
    expect((await world.deliveries())[0]).toMatchObject({ state: 'delivered', due_at: null });
  });

  it('counts the wait from the end of an attempt that took long', async () => {
    await world.subscribe();
    const attempts: number[] = [];
    const post: Post = async () => {
      attempts.push(world.clock.time - noon);
      world.clock.time += 10 * seconds;
      return { error: 'no reply' };
    };
    const deliverer = world.delivererOf({ post });
    await world.bookAt('08:00');
    await deliverer.idle();
    world.clock.time += 5 * seconds;
    await deliverer.idle();
    expect(attempts).toEqual([0, 15 * seconds]);
  });

  it('gets at most two failing attempts between two polls, which others do not notice', async () => {
    await world.subscribe({ url: 'http://127.0.0.1:9/down' });
    await world.subscribe({ url: 'http://127.0.0.1:9/up' });
    const times = ['08:00', '08:15', '08:30'];
    for (const time of times) await world.bookAt(time);
    const attempts = { '/down': 0, '/up': 0 };
    const post: Post = async (url) => {
      const path = new URL(url).pathname as keyof typeof attempts;
      attempts[path] += 1;
      return { status: path === '/up' ? 200 : 500 };
    };
    const deliverer = world.delivererOf({ post });
    const settled = () => new Promise(setImmediate);
    deliverer.wake();
    await settled();
    expect(attempts).toEqual({ '/down': 2, '/up': 3 });
    deliverer.wake();
    await settled();
    expect(attempts['/down']).toBe(2);
    deliverer.poll();
    await settled();
    expect(attempts['/down']).toBe(3);
  });

  it('does not hold up the deliveries of others, nor later ones of its own', async () => {
    const up = await openReceiver();
    await world.subscribe({ url: 'http://127.0.0.1:9/' });
    await world.subscribe({ url: up.url });
    await world.bookAt('08:00');
    await world.bookAt('09:00');
    await world.delivererOf().idle();
    expect(up.received).toHaveLength(2);
    const failed = (await world.deliveries()).filter(({ state }) => state === 'waiting');
    expect(failed.map(({ attempts }) => attempts.map(({ error }: { error: string }) => error))).toEqual([
      ['the connection was refused'],
      ['the connection was refused'],
    ]);
  });
});

describe('a restart', () => {
  it('repeats an attempt that was broken off, at once after a stop and in 15 seconds after a kill', async () => {
    await world.subscribe();
    await world.bookAt('08:00');
    const { post, attempts } = world.answering(() => 200);

    const stopped = world.delivererOf({ post: stuck });
    stopped.wake();
    await stopped.close();
    expect((await world.deliveries())[0]).toMatchObject({ state: 'waiting', attempts: [] });

    // This one is never closed, as if it had been killed.
    const killed = world.delivererOf({ post: stuck, name: 'killed' });
    killed.wake();
    await Promise.resolve();
    const next = world.delivererOf({ post, name: 'next' });
    await next.idle();
    expect(attempts).toEqual([]);
    world.clock.time += 15 * seconds + 1;
    await next.idle();
    expect(attempts).toHaveLength(1);
    expect((await world.deliveries())[0]).toMatchObject({ state: 'delivered' });
    await killed.close();
    expect((await world.deliveries())[0]!.attempts).toHaveLength(1);
  });

  it('sends once if two sandboxes use the data', async () => {
    await world.subscribe();
    for (const time of ['08:00', '08:15', '08:30', '08:45']) await world.bookAt(time);
    const { post, attempts } = world.answering(() => 200);
    await Promise.all([
      world.delivererOf({ post, name: 'one' }).idle(),
      world.delivererOf({ post, name: 'two' }).idle(),
    ]);
    await world.delivererOf({ post }).idle();
    expect(attempts).toHaveLength(4);
  });
});

describe('sending again', () => {
  it('makes one more attempt, also for a webhook that is disabled', async () => {
    const reference = await world.subscribe();
    let status = 500;
    const post: Post = async () => ({ status });
    const deliverer = world.delivererOf({ post });
    await world.bookAt('08:00');
    for (const wait of promised) {
      world.clock.time += wait;
      await deliverer.idle();
    }
    const again = await world.calls(deliverer).resend({ number: 1 });
    expect(again.deliveries[0]).toMatchObject({ state: 'failed' });
    expect(again.deliveries[0]!.attempts).toHaveLength(7);
    status = 204;
    expect((await world.calls(deliverer).resend({ number: 1 })).deliveries[0]).toMatchObject({ state: 'delivered' });
    expect((await world.webhook(reference)).state).toBe('disabled');
  });

  it('does not change the schedule of one that waits', async () => {
    await world.subscribe();
    const { post, attempts } = world.answering(() => undefined);
    const deliverer = world.delivererOf({ post });
    await world.bookAt('08:00');
    await deliverer.idle();
    const [before] = await world.deliveries();
    await world.calls(deliverer).resend({ number: 1 });
    expect((await world.deliveries())[0]).toMatchObject({ state: 'waiting', due_at: before!.due_at });
    expect(attempts).toHaveLength(2);
  });

  it('refuses an unknown or unreadable number, and one that is being sent', async () => {
    await world.subscribe();
    await world.bookAt('08:00');
    const deliverer = world.delivererOf({ post: stuck });
    await expect(world.calls(deliverer).resend({ number: 99 })).rejects.toMatchObject({ status: 404 });
    await expect(world.calls(deliverer).resend({ number: 'x' })).rejects.toMatchObject({ status: 400 });
    void deliverer.idle();
    await expect(world.calls(deliverer).resend({ number: 1 })).rejects.toMatchObject({ status: 409 });
    await deliverer.close();
  });
});
