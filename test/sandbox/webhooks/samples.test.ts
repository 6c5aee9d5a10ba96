import { beforeEach, describe, expect, it } from 'vitest';
import { amara, group, system } from '../world.ts';
import { type Deliveries, hours, openDeliveries } from './deliveries.ts';
import { isSigned, openReceiver } from './receiver.ts';

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

  describe('with values of your own', () => {
    const trigger = async (more: object) => {
      const { url, received, bodies } = await openReceiver();
      await world.subscribe({ url, signing_key: 'the-key-of-the-receiver', events: ['invitee.created'] });
      await world.calls().trigger({ event: 'invitee.created', ...more });
      expect(isSigned(received[0]!, 'the-key-of-the-receiver', system.now())).toBe(true);
      return bodies()[0];
    };

    it('have them at their paths, like the values before', async () => {
      const set = {
        'payload.name': '42',
        'payload.last_name': '7',
        'payload.rescheduled': 'true',
        'payload.scheduled_event.invitees_counter.total': '5',
        'payload.tracking': '{"utm_source":"x"}',
        'payload.no_show': 'null',
        'payload.scheduled_event.event_memberships.0.user_name': 'Zoë "Z"',
        created_by: 'someone',
      };
      const { payload, created_by } = await trigger({ set });
      const { name, last_name, rescheduled, tracking, no_show, scheduled_event } = payload;
      expect([name, last_name, rescheduled, tracking, no_show, created_by]).toEqual([
        '42',
        '7',
        true,
        { utm_source: 'x' },
        null,
        'someone',
      ]);
      expect([scheduled_event.invitees_counter.total, scheduled_event.event_memberships[0].user_name]).toEqual([
        5,
        'Zoë "Z"',
      ]);
    });

    it('can be the whole payload, also without a record in the data', async () => {
      world.store.run('DELETE FROM invitees');
      const payload = { uri: '/not/a/link', name: 'Zoe', list: [1, { deep: true }] };
      const body = await trigger({ payload, set: { 'payload.list.1.deep': 'false' } });
      expect(body.payload).toEqual({ ...payload, list: [1, { deep: false }] });
    });

    it.each([
      ['payload.nam', 'is not in the sample. Did you mean payload.name?'],
      ['payload.questions_and_answer.0.answer', 'Did you mean payload.questions_and_answers'],
      ['payload.zzzzzzzzzzzz', 'is not in the sample'],
      ['payload.scheduled_event.event_memberships.length', 'is not in the sample'],
      ['payload.__proto__.polluted', 'is not in the sample'],
    ])('are refused at %s', async (path, message) => {
      await world.subscribe({ events: ['invitee.created'] });
      const asked = world.calls().trigger({ event: 'invitee.created', set: { [path]: 'x' } });
      await expect(asked).rejects.toMatchObject({
        status: 400,
        details: [{ parameter: `set.${path}`, message: expect.stringContaining(message) }],
      });
      expect(await world.deliveries()).toEqual([]);
    });
  });
});
