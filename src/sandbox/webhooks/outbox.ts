import type { WebhookEvent } from '../../api/webhooks.ts';
import { idIn } from '../../base/uri.ts';
import type { ChangeContext } from '../handler.ts';
import { timestamp, uri, withOrigin } from '../store/names.ts';
import type { EventRecord, InviteeRecord, SubmissionRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';

/** Deliveries kept per webhook, those that wait and those that are done. Above this number, the oldest are dropped. */
export const mostPerWebhook = 1_000;

/** SQL: whether webhook `w` reports what happens to an event, whose ID is `id`. */
export const covers = (id: string): string => `(w.scope = 'organization'
  OR (w.scope = 'user' AND w.owner IN (SELECT h.user FROM event_hosts h WHERE h.event = ${id}))
  OR (w.scope = 'group' AND EXISTS (SELECT 1 FROM event_hosts h JOIN group_members g ON g.user = h.user
    WHERE h.event = ${id} AND g."group" = w.owner)))`;

/** SQL: whether webhook `w` is active and reports this kind of event. */
export const wants = (event: string): string =>
  `w.state = 'active' AND EXISTS (SELECT 1 FROM json_each(w.doc, '$.events') n WHERE n.value = ${event})`;

export type Payload = (InviteeRecord & { scheduled_event: EventRecord }) | SubmissionRecord;

/** The body of a delivery, before it is made to text. */
export type DeliveryBody = Record<string, unknown> & { payload: object };

export interface Happening {
  event: WebhookEvent;
  payload: Payload;
  /** The URI of the user who caused it. */
  by: string;
  /** The origin of its links. Written now, so that all attempts have the same body and a receiver can compare them. */
  origin: string;
  now: number;
  /** Changes the body, whose links are complete by then. */
  edit?: (body: DeliveryBody) => DeliveryBody;
}

/** Adds a delivery to one webhook. A waiting one is due at once; one that is not waiting is sent only on request. */
export const addDelivery = (
  store: Store,
  webhook: string,
  { event, payload, by, origin, now, edit }: Happening,
  isWaiting = true,
): number => {
  const created_at = timestamp(now);
  // Assumed (webhooks.delivery): a delivery has `event`, `created_at`, `created_by` (the user who caused the event) and
  // `payload`: the submission, or the invitee with its event as `scheduled_event`.
  const plain = withOrigin(JSON.stringify({ event, created_at, created_by: by, payload }), origin);
  const body = edit === undefined ? plain : JSON.stringify(edit(JSON.parse(plain)));
  const row = store.first<{ number: number }>(
    `INSERT INTO deliveries (webhook, event, subject, body, created_at, state, due_at) VALUES (?, ?, ?, ?, ?, ?, ?)
     RETURNING number`,
    webhook,
    event,
    // The payload of a sample can be anything.
    payload.uri ?? '',
    body,
    created_at,
    isWaiting ? 'waiting' : 'failed',
    isWaiting ? created_at : null,
  )!;
  store.run(
    `DELETE FROM deliveries WHERE webhook = ?1 AND number <=
       (SELECT number FROM deliveries WHERE webhook = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)`,
    webhook,
    mostPerWebhook,
  );
  return row.number;
};

/**
 * Queues the deliveries of an invitee event, in the transaction of the change: a sandbox that is killed afterwards sends
 * them when it starts again.
 */
export const queueInviteeEvent = (
  { store, caller, origin, now }: ChangeContext,
  event: WebhookEvent,
  invitee: InviteeRecord,
  scheduled: EventRecord,
) => {
  const webhooks = store.all<{ id: string }>(
    `SELECT w.id FROM webhooks w WHERE w.organization = ?1 AND ${wants('?2')} AND ${covers('?3')} ORDER BY w.id`,
    caller.organization,
    event,
    idIn(scheduled.uri),
  );
  const payload = { ...invitee, scheduled_event: scheduled };
  for (const { id } of webhooks) addDelivery(store, id, { event, payload, by: uri('users', caller.user), origin, now });
};
