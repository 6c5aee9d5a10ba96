import * as z from 'zod/mini';
import { choice, described, integer, list, record, text, type Value } from '../../api/field.ts';
import { isWebhookUrl, webhookEvents } from '../../api/webhooks.ts';
import type { Clock } from '../../base/system.ts';
import { conflict, invalidParameter, notFound } from '../error-replies.ts';
import { finishDeletions } from '../rules/deletion.ts';
import { uri } from '../store/names.ts';
import type { Store } from '../store/store.ts';
import type { Deliverer } from '../webhooks/deliverer.ts';
import { addSamples } from '../webhooks/samples.ts';
import { disable } from '../webhooks/schedule.ts';
import { type AdminCall, callsWith } from './admin.ts';

const mostDeliveries = 100;
/** Of those after a number, which a program waits for. */
const mostLater = 1000;

const AttemptRecord = record({
  at: text('by the clock of the sandbox'),
  status: z.nullable(integer("the receiver's status code")),
  error: z.nullable(text('why there is no status code')),
  milliseconds: integer('how long it took'),
});
const DeliveryRecord = record({
  number: integer('counts deliveries'),
  webhook: text('URI of the webhook'),
  url: text('where it is sent'),
  event: choice(webhookEvents, 'kind of event'),
  state: choice(['waiting', 'delivered', 'failed'], 'what became of it'),
  created_at: text('time of the event'),
  due_at: z.nullable(text('when the next attempt is due')),
  body: described(z.unknown(), 'what is sent'),
  attempts: list(AttemptRecord, 'the first one first'),
});

/** As stored: the parts in JSON. */
type DeliveryRow = Omit<Value<typeof DeliveryRecord>, 'attempts'> & { attempts: string; body: string };

const deliveryEntry = ({ webhook, attempts, body, ...row }: DeliveryRow, origin: string) => ({
  ...row,
  webhook: `${origin}${uri('webhook_subscriptions', webhook)}`,
  attempts: JSON.parse(attempts),
  body: JSON.parse(body),
});

/** Deliveries with their attempts, the newest first. */
const listDeliveries = (store: Store, origin: string, condition = '1', param?: number, most = mostDeliveries) =>
  store
    .all<DeliveryRow>(
      `SELECT d.number, d.webhook, w.callback_url AS url, d.event, d.state, d.created_at, d.due_at, d.body,
         (SELECT json_group_array(json_object('at', a.at, 'status', a.status, 'error', a.error, 'milliseconds', a.milliseconds))
          FROM (SELECT * FROM delivery_attempts WHERE delivery = d.number ORDER BY number) a) AS attempts
       FROM deliveries d JOIN webhooks w ON w.id = d.webhook WHERE ${condition} ORDER BY d.number DESC LIMIT ${most}`,
      ...(param === undefined ? [] : [param]),
    )
    .map((row) => deliveryEntry(row, origin));

export interface DeliveryContext {
  deliverer: Deliverer;
  sandbox: { store: Store; clock: Pick<Clock, 'now'> };
}

const call = callsWith<DeliveryContext>();

/** For programs that wait for something new. */
const sinceFilter = record({ since: z.optional(integer('only those with a higher number')) });

const Deliveries = record({ deliveries: list(DeliveryRecord, 'the newest first, at most 100') });

const TriggerBody = record({
  event: choice(webhookEvents, 'kind of event'),
  to: z.optional(text('only to the webhooks with this URL')),
  payload: z.optional(described(z.record(z.string(), z.unknown()), 'sent instead of a record of the data')),
  set: z.optional(described(z.record(z.string(), z.unknown()), 'values by their path in the body: payload.name')),
});

/** Admin requests about the deliveries of a running server. */
export const deliveryCalls: readonly AdminCall<DeliveryContext>[] = [
  call(
    'GET /__sandbox/deliveries',
    'List the deliveries of webhooks with their attempts',
    { query: sinceFilter, reply: Deliveries },
    ({ url, query: { since } }, { sandbox: { store, clock } }) => {
      finishDeletions(store, clock.now());
      if (since === undefined) return { deliveries: listDeliveries(store, url.origin) };
      return { deliveries: listDeliveries(store, url.origin, 'd.number > ?', since, mostLater) };
    },
  ),
  call(
    'POST /__sandbox/deliveries',
    'Send a delivery again at once, also for a disabled webhook',
    { body: record({ number: integer('number of the delivery') }), reply: Deliveries },
    async ({ body: { number }, url }, { sandbox: { store }, deliverer }) => {
      const numbered = () => listDeliveries(store, url.origin, 'd.number = ?', number);
      if (numbered().length === 0) throw notFound('delivery');
      if (!(await deliverer.sendNow(number))) throw conflict('The delivery is being sent right now.');
      return { deliveries: numbered() };
    },
  ),
  call(
    'POST /__sandbox/webhooks/disable',
    'Disable the webhooks at a host, as the service does after too many failures',
    {
      body: record({ host: text('host of their URL, with its port: hooks.example, localhost:8080') }),
      reply: record({ disabled: integer('how many were active') }),
    },
    ({ body: { host } }, { sandbox: { store, clock } }) =>
      store.transaction(() => {
        const active = store
          .all<{ id: string; url: string }>("SELECT id, callback_url AS url FROM webhooks WHERE state = 'active'")
          .filter(({ url }) => new URL(url).host === host);
        for (const { id } of active) disable(store, id, clock.now());
        return { disabled: active.length };
      }),
  ),
  call(
    'POST /__sandbox/trigger',
    'Send a sample of a webhook event',
    { body: TriggerBody, reply: Deliveries },
    async ({ body, url }, { sandbox: { store, clock }, deliverer }) => {
      if (body.to !== undefined && !isWebhookUrl(body.to)) throw invalidParameter('to', 'must be the URL of a webhook');
      const numbers = addSamples(store, { ...body, origin: url.origin, now: clock.now() });
      await Promise.all(numbers.map((number) => deliverer.sendNow(number)));
      return { deliveries: numbers.flatMap((number) => listDeliveries(store, url.origin, 'd.number = ?', number)) };
    },
  ),
];
