import { hour, minute, second } from '../../base/milliseconds.ts';
import { addNotice } from '../rules/notices.ts';
import { timestamp } from '../store/names.ts';
import type { WebhookRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import type { PostResult } from './post.ts';

/**
 * How long after each failed attempt the next one follows, by the sandbox's clock.
 * Assumed (webhooks.retries): a failed delivery is repeated after 5 seconds, 30 seconds, 5 minutes, an hour and 6 hours.
 * After the last attempt, the webhook is disabled.
 */
const retryDelays: readonly number[] = [5 * second, 30 * second, 5 * minute, hour, 6 * hour];

export interface Claimed {
  number: number;
  webhook: string;
  claim: string;
  url: string;
  signing_key: string | null;
  body: string;
}

interface Attempt {
  /** By the sandbox's clock. */
  at: number;
  milliseconds: number;
  answer: PostResult;
}

export const isAccepted = ({ status }: PostResult): boolean => status !== undefined && status >= 200 && status <= 299;

const updateWebhook = (store: Store, id: string, now: number, change: Partial<WebhookRecord>) => {
  const webhook = store.get<WebhookRecord>('webhooks', id)!;
  const isChanged = Object.entries(change).some(([name, value]) => webhook[name as keyof WebhookRecord] !== value);
  if (isChanged) store.update('webhooks', id, { ...webhook, ...change, updated_at: timestamp(now) });
};

/** A disabled webhook gets nothing more, so what still waits for it has failed. */
export const disable = (store: Store, webhook: string, now: number) => {
  updateWebhook(store, webhook, now, { state: 'disabled' });
  store.run("UPDATE deliveries SET state = 'failed', due_at = NULL WHERE webhook = ? AND state = 'waiting'", webhook);
  const { url, ...notice } = store.first<{ url: string; to: string; about: string }>(
    `SELECT u.email AS "to", w.doc ->> 'uri' AS about, w.callback_url AS url FROM webhooks w, memberships m
     JOIN users u ON u.id = m.user WHERE w.id = ? ORDER BY u.id = w.owner DESC, m.role = 'owner' DESC LIMIT 1`,
    webhook,
  )!;
  addNotice(store, now, { ...notice, kind: 'webhook.disabled', subject: `Webhook disabled: ${url}` });
};

const noteFailing = (store: Store, webhook: string, now: number) => {
  if (store.get<WebhookRecord>('webhooks', webhook)!.state === 'disabled') return;
  const row = store.first<{ since: string | null }>(
    'SELECT min(failing_since) AS since FROM deliveries WHERE webhook = ? AND due_at IS NOT NULL',
    webhook,
  );
  updateWebhook(store, webhook, now, { retry_started_at: row?.since ?? null });
};

/** After a failed attempt: the next one is due later, or there is none and the webhook is disabled. */
const scheduleNext = (store: Store, { number, webhook }: Claimed, at: number, now: number) => {
  const { tries } = store.first<{ tries: number }>('SELECT tries FROM deliveries WHERE number = ?', number)!;
  const delay = retryDelays[tries];
  store.run(
    'UPDATE deliveries SET tries = tries + 1, due_at = ?, failing_since = coalesce(failing_since, ?) WHERE number = ?',
    delay === undefined ? null : timestamp(now + delay),
    timestamp(at),
    number,
  );
  if (delay === undefined) disable(store, webhook, now);
  else noteFailing(store, webhook, now);
};

/**
 * Records an attempt, and what follows from it. An attempt on request (`isExtra`) doesn't change the schedule, unless it
 * was accepted. Does nothing if the delivery is gone, because its webhook was deleted or the data was reset.
 */
export const recordAttempt = (store: Store, claimed: Claimed, attempt: Attempt, now: number, isExtra: boolean) =>
  store.transaction(() => {
    const { number, webhook, claim } = claimed;
    const { at, milliseconds, answer } = attempt;
    const mine = 'UPDATE deliveries SET claim = NULL, claimed_until = NULL WHERE number = ? AND claim = ?';
    if (store.run(mine, number, claim) === 0) return;
    store.run(
      `INSERT INTO delivery_attempts
       SELECT ?1, 1 + coalesce(max(number), 0), ?2, ?3, ?4, ?5 FROM delivery_attempts WHERE delivery = ?1`,
      number,
      timestamp(at),
      answer.status ?? null,
      answer.error ?? null,
      milliseconds,
    );
    if (isAccepted(answer)) {
      store.run("UPDATE deliveries SET state = 'delivered', due_at = NULL WHERE number = ?", number);
      noteFailing(store, webhook, now);
    } else if (!isExtra) scheduleNext(store, claimed, at, now);
  });
