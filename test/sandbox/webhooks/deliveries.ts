import { expect } from 'vitest';
import type { Clock } from '../../../src/base/system.ts';
import { deliveryCalls } from '../../../src/sandbox/admin/delivery-admin.ts';
import { createDeliverer, type Deliverer, type DelivererOptions } from '../../../src/sandbox/webhooks/deliverer.ts';
import type { Post } from '../../../src/sandbox/webhooks/post.ts';
import { machineClock } from '../../support/clocks.ts';
import { closeLater } from '../../support/temporary.ts';
import { adminAsker, type Body } from '../admin/admin-ask.ts';
import { at, openWorld, organization, pathOf } from '../world.ts';

export const seconds = 1_000;
export const minutes = 60 * seconds;
export const hours = 60 * minutes;

/** When a delivery to a receiver that is down is sent, each after the one before. */
export const promised = [0, 5 * seconds, 30 * seconds, 5 * minutes, 1 * hours, 6 * hours];

/** Never ends by itself: only an answer, or the end of the test, ends an attempt. */
const forever: Clock['sleep'] = (_, signal) =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }));

/** Never answers. */
export const stuck: Post = (_, __, signal) =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve({ error: 'aborted' })));

/** A seeded service without webhooks, and what a test of deliveries does with it. */
export const openDeliveries = async (file?: string) => {
  const world = await openWorld(file === undefined ? {} : { file });
  if (file === undefined) world.store.run('DELETE FROM webhooks');

  /** A deliverer. */
  const delivererOf = (options: Partial<DelivererOptions> = {}): Deliverer => {
    const { store, clock } = world;
    const system = machineClock({ now: clock.now, sleep: forever });
    const deliverer = createDeliverer({
      store,
      clock,
      system,
      name: 'test',
      userAgent: 'test',
      ...options,
    });
    closeLater(() => void deliverer.close());
    return deliverer;
  };

  const subscribe = async (change: Record<string, unknown> = {}): Promise<string> => {
    const body = {
      url: 'http://127.0.0.1:9/',
      events: ['invitee.created', 'invitee.canceled', 'invitee_no_show.created'],
      organization,
      scope: 'organization',
      ...change,
    };
    const reply = await world.call('POST', '/webhook_subscriptions', { body });
    expect([reply.status, reply.body]).toEqual([201, expect.anything()]);
    return reply.body.resource.uri;
  };

  const book = async (time: string, slug = 'intro-call') => {
    const { status, body } = await world.book(slug, at(time));
    expect(status).toBe(200);
    return body.resource;
  };

  const calls = (deliverer = delivererOf()) => {
    const ask = adminAsker(deliveryCalls, { sandbox: world, deliverer });
    return {
      list: async (): Promise<Body[]> => (await ask('GET', 'deliveries')).deliveries,
      resend: (body: object) => ask('POST', 'deliveries', body),
      trigger: (body: object) => ask('POST', 'trigger', body),
    };
  };

  /** Answers each attempt as told, and notes its time. Undefined refuses the connection. */
  const answering = (answers: (number: number) => number | undefined) => {
    const attempts: number[] = [];
    const post: Post = async () => {
      attempts.push(world.clock.time);
      const status = answers(attempts.length);
      return status === undefined ? { error: 'the connection was refused' } : { status };
    };
    return { post, attempts };
  };

  return {
    ...world,
    delivererOf,
    subscribe,
    /** The webhook as the service shows it. */
    webhook: async (reference: string) => (await world.get(pathOf(reference))).body.resource,
    deliveries: () => calls().list(),
    calls,
    bookAt: book,
    cancel: (event: string) => world.call('POST', `${pathOf(event)}/cancellation`, { body: {} }),
    answering,
  };
};

export type Deliveries = Awaited<ReturnType<typeof openDeliveries>>;
