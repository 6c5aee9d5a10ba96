import { beforeEach, describe, expect, it } from 'vitest';
import { amara, group } from '../world.ts';
import { type Deliveries, hours, openDeliveries } from './deliveries.ts';
import { openReceiver } from './receiver.ts';

let world: Deliveries;
beforeEach(async () => {
  world = await openDeliveries();
});

describe('samples', () => {
  it.each([
    ['invitee.created', { status: 'active', scheduled_event: { status: 'active' } }],
    ['invitee.canceled', { status: 'canceled', scheduled_event: { status: 'canceled' } }],
    ['invitee_no_show.created', { no_show: { created_at: '2026-03-11T12:00:00.000Z' } }],
    ['invitee_no_show.deleted', { no_show: null }],
    ['routing_form_submission.created', { questions_and_answers: expect.anything() }],
  ])('of %s are sent to the webhooks that want them, and change nothing', async (event, payload) => {
    const { url, bodies } = await openReceiver();
    await world.subscribe({ url, events: [event] });
    await world.subscribe({ url: 'http://127.0.0.1:9/', events: ['invitee.created'], scope: 'user' });
    const before = world.store.all('SELECT doc FROM invitees UNION ALL SELECT doc FROM events');
    const { deliveries: sent } = await world.calls().trigger({ event, to: url });
    expect(sent).toMatchObject([{ url, event, state: 'delivered', attempts: [{ status: 204, error: null }] }]);
    expect(bodies()).toMatchObject([{ event, created_by: amara, payload }]);
    expect(world.store.all('SELECT doc FROM invitees UNION ALL SELECT doc FROM events')).toEqual(before);
  });

  it('are not retried, and disable nothing', async () => {
    const reference = await world.subscribe({ events: ['invitee.created'] });
    const { post, attempts } = world.answering(() => 500);
    const deliverer = world.delivererOf({ post });
    for (let each = 0; each < 8; each += 1) await world.calls(deliverer).trigger({ event: 'invitee.created' });
    world.clock.time += 24 * hours;
    await deliverer.idle();
    expect(attempts).toHaveLength(8);
    expect(await world.webhook(reference)).toMatchObject({ state: 'active', retry_started_at: null });
  });

  it('need a webhook and a record', async () => {
    const deliverer = world.delivererOf();
    await expect(world.calls(deliverer).trigger({ event: 'invitee.moved' })).rejects.toMatchObject({ status: 400 });
    await expect(world.calls(deliverer).trigger({ event: 'invitee.created' })).rejects.toMatchObject({ status: 404 });
    await world.subscribe({ scope: 'group', group: group('Customer team') });
    world.store.run("UPDATE invitees SET doc = json_set(doc, '$.status', 'canceled')");
    await expect(world.calls(deliverer).trigger({ event: 'invitee.created' })).rejects.toMatchObject({ status: 404 });
  });
});
