import type { WebhookEvent } from '../../api/webhooks.ts';
import { nearest } from '../../base/nearest.ts';
import { invalidParameter, Refusal } from '../error-replies.ts';
import { timestamp, uri } from '../store/names.ts';
import type { EventRecord, InviteeRecord, SubmissionRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { addDelivery, covers, type DeliveryBody, type Happening, type Payload, wants } from './outbox.ts';

/** What an invitee and its event look like after each kind of event. The stored records don't change. */
const changes: Record<string, (invitee: InviteeRecord, event: EventRecord, now: number) => Payload> = {
  'invitee.created': (invitee, event) => ({ ...invitee, scheduled_event: event }),
  'invitee.canceled': (invitee, event) => ({
    ...invitee,
    status: 'canceled',
    scheduled_event: { ...event, status: 'canceled' },
  }),
  'invitee_no_show.created': (invitee, event, now) => ({
    ...invitee,
    no_show: { uri: uri('invitee_no_shows', 'SAMPLE'), created_at: timestamp(now) },
    scheduled_event: event,
  }),
  'invitee_no_show.deleted': (invitee, event) => ({ ...invitee, no_show: null, scheduled_event: event }),
};

/** The newest routing form submission, or the invitee of the last event that the webhook reports. */
const sampleFor = (store: Store, webhook: string, event: WebhookEvent, now: number): Payload | undefined => {
  const change = changes[event];
  if (change === undefined) {
    const row = store.first<{ doc: string }>('SELECT doc FROM submissions ORDER BY created_at DESC, id LIMIT 1');
    return row && (JSON.parse(row.doc) as SubmissionRecord);
  }
  const row = store.first<{ invitee: string; event: string }>(
    `SELECT i.doc AS invitee, e.doc AS event FROM webhooks w JOIN events e ON e.organization = w.organization
       JOIN invitees i ON i.event = e.id
     WHERE w.id = ? AND e.status = 'active' AND i.status = 'active' AND ${covers('e.id')}
     ORDER BY e.start_time DESC, i.id LIMIT 1`,
    webhook,
  );
  return row && change(JSON.parse(row.invitee), JSON.parse(row.event), now);
};

interface Trigger extends Omit<Happening, 'payload' | 'by' | 'edit'> {
  /** Only webhooks with this URL. */
  to?: string | undefined;
  /** Sent instead of the payload of the sample. */
  payload?: Record<string, unknown> | undefined;
  /** Values by their path in the body, such as `payload.name`. */
  set?: Record<string, unknown> | undefined;
}

const isHolder = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Paths of everything in the body, for suggestions. */
const pathsIn = (value: unknown, prefix = ''): string[] =>
  isHolder(value)
    ? Object.entries(value).flatMap(([name, part]) => [`${prefix}${name}`, ...pathsIn(part, `${prefix}${name}.`)])
    : [];

/** A text becomes a value of the kind that it replaces, if it can: in a command line, everything is text. */
const likeBefore = (before: unknown, value: unknown): unknown => {
  if (typeof value !== 'string' || typeof before === 'string') return value;
  try {
    const read: unknown = JSON.parse(value);
    // Where nothing was, digits are more likely a text, such as a phone number.
    return before === null && read !== null && !isHolder(read) ? value : read;
  } catch {
    return value;
  }
};

const setAt = (body: DeliveryBody, path: string, value: unknown): void => {
  const names = path.split('.');
  const last = names.pop()!;
  const part = (holder: unknown, name: string) =>
    isHolder(holder) && Object.keys(holder).includes(name) ? holder[name] : undefined;
  const holder = names.reduce<unknown>(part, body);
  if (isHolder(holder) && part(holder, last) !== undefined) holder[last] = likeBefore(holder[last], value);
  else {
    const near = nearest(path, pathsIn(body));
    throw invalidParameter(`set.${path}`, `is not in the sample${near === undefined ? '' : `. Did you mean ${near}?`}`);
  }
};

/**
 * Adds a sample delivery for each active webhook that reports this kind of event. Samples are sent once and not retried,
 * so that they can't disable a webhook.
 */
export const addSamples = (store: Store, { event, to, payload: own, set = {}, origin, now }: Trigger): number[] =>
  store.transaction(() => {
    const webhooks = store.all<{ id: string }>(
      `SELECT w.id FROM webhooks w WHERE ${wants('?1')} AND (?2 IS NULL OR w.callback_url = ?2) ORDER BY w.created_at, w.id`,
      event,
      to ?? null,
    );
    if (webhooks.length === 0)
      throw new Refusal(404, 'Resource Not Found', `No active webhook${to ? ` to ${to}` : ''} reports ${event}.`);
    const owner = store.first<{ user: string }>("SELECT user FROM memberships WHERE role = 'owner'")!;
    const edit = (body: DeliveryBody): DeliveryBody => {
      const edited = own === undefined ? body : { ...body, payload: own };
      for (const [path, value] of Object.entries(set)) setAt(edited, path, value);
      return edited;
    };
    const added = webhooks.flatMap(({ id }) => {
      const payload = sampleFor(store, id, event, now) ?? (own as Payload | undefined);
      return payload
        ? [addDelivery(store, id, { event, payload, by: uri('users', owner.user), origin, now, edit }, false)]
        : [];
    });
    if (added.length === 0)
      throw new Refusal(404, 'Resource Not Found', `The data has no record to report as ${event}.`);
    return added;
  });
