import { isWebhookUrl, type WebhookEvent, webhookEvents } from '../../api/webhooks.ts';
import type { HttpRequest } from '../../http/message.ts';
import type { Clock } from '../../system.ts';
import { bodyOf } from '../admin.ts';
import { conflict, invalidParameter, notFound } from '../error-replies.ts';
import { uri } from '../store/names.ts';
import type { Store } from '../store/store.ts';
import type { Deliverer } from './deliverer.ts';
import { addSamples } from './samples.ts';

const mostListed = 100;

interface DeliveryRow {
  number: number;
  webhook: string;
  url: string;
  event: string;
  state: string;
  created_at: string;
  due_at: string | null;
  attempts: string;
  body: string;
}

const shown = ({ webhook, attempts, body, ...row }: DeliveryRow, origin: string) => ({
  ...row,
  webhook: `${origin}${uri('webhook_subscriptions', webhook)}`,
  attempts: JSON.parse(attempts),
  body: JSON.parse(body),
});

/** Deliveries with their attempts, the newest first. */
const listed = (store: Store, origin: string, condition = '1', ...params: number[]) =>
  store
    .all<DeliveryRow>(
      `SELECT d.number, d.webhook, w.callback_url AS url, d.event, d.state, d.created_at, d.due_at, d.body,
         (SELECT json_group_array(json_object('at', a.at, 'status', a.status, 'error', a.error, 'milliseconds', a.milliseconds))
          FROM (SELECT * FROM delivery_attempts WHERE delivery = d.number ORDER BY number) a) AS attempts
       FROM deliveries d JOIN webhooks w ON w.id = d.webhook WHERE ${condition} ORDER BY d.number DESC LIMIT ${mostListed}`,
      ...params,
    )
    .map((row) => shown(row, origin));

interface DeliveryAdminOptions {
  store: Store;
  clock: Pick<Clock, 'now'>;
  deliverer: Deliverer;
}

/** Admin requests about deliveries. Each returns its status and JSON body, and throws a `Refusal`. */
export const deliveryCalls = ({ store, clock, deliverer }: DeliveryAdminOptions) => {
  const originOf = ({ url }: HttpRequest): string => new URL(url).origin;
  const numbered = (number: number, request: HttpRequest) => listed(store, originOf(request), 'd.number = ?', number);

  const resend = async (request: HttpRequest) => {
    const { number } = bodyOf(request);
    if (!Number.isInteger(number)) throw invalidParameter('number', 'must be the number of a delivery');
    if (numbered(number as number, request).length === 0) throw notFound('delivery');
    if (!(await deliverer.sendNow(number as number))) throw conflict('The delivery is being sent right now.');
    return { deliveries: numbered(number as number, request) };
  };

  const trigger = async (request: HttpRequest) => {
    const { event, to } = bodyOf(request);
    if (!webhookEvents.includes(event as WebhookEvent))
      throw invalidParameter('event', `must be one of ${webhookEvents.join(', ')}`);
    if (to !== undefined && !(typeof to === 'string' && isWebhookUrl(to)))
      throw invalidParameter('to', 'must be the URL of a webhook');
    const numbers = addSamples(store, {
      event: event as WebhookEvent,
      to: to as string | undefined,
      origin: originOf(request),
      now: clock.now(),
    });
    await Promise.all(numbers.map((number) => deliverer.sendNow(number)));
    return { deliveries: numbers.flatMap((number) => numbered(number, request)) };
  };

  return {
    'GET /__sandbox/deliveries': async (request: HttpRequest) => ({ deliveries: listed(store, originOf(request)) }),
    'POST /__sandbox/deliveries': resend,
    'POST /__sandbox/trigger': trigger,
  };
};
