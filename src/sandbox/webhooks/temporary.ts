import { webhookEvents } from '../../api/webhooks.ts';
import { conflict } from '../error-replies.ts';
import { newWebhook } from '../store/records.ts';
import type { Store } from '../store/store.ts';

export interface Subscriber {
  url: string;
  key?: string | undefined;
  now: number;
  /** The process that the webhook lives with. */
  pid: number;
}

/** Subscribes a URL to all events of the organization. Returns how to remove the webhook again. */
export const subscribeTemporarily = (store: Store, { url, key, now, pid }: Subscriber): (() => void) => {
  const id = store.transaction(() => {
    const { id: organization } = store.first<{ id: string }>('SELECT id FROM organizations')!;
    if (store.first("SELECT 1 FROM webhooks WHERE scope = 'organization' AND callback_url = ?", url))
      throw conflict('The organization already has a webhook with this URL.');
    // Its own counter, so that the webhook doesn't change the IDs of other records.
    const made = store.nextId('temporary-webhook', 'webhook_sequence');
    const place = { organization, scope: 'organization', owner: organization } as const;
    const webhook = newWebhook({ id: made, ...place, events: [...webhookEvents], url, now });
    store.insert('webhooks', made, webhook, { organization, owner: organization, signing_key: key ?? null, pid });
    return made;
  });
  return () => void store.run('DELETE FROM webhooks WHERE id = ?', id);
};

/** Removes the webhooks of sandboxes that were killed, and frees the deliveries that they were sending. */
export const clearLeftovers = (store: Store, isAlive: (pid: number) => boolean) =>
  store.transaction(() => {
    const owners = store.all<{ pid: number }>('SELECT DISTINCT pid FROM webhooks WHERE pid IS NOT NULL');
    for (const { pid } of owners) if (!isAlive(pid)) store.run('DELETE FROM webhooks WHERE pid = ?', pid);
    const claims = store.all<{ claim: string }>('SELECT claim FROM deliveries WHERE claim IS NOT NULL');
    for (const { claim } of claims)
      if (!isAlive(Number.parseInt(claim, 10)))
        store.run('UPDATE deliveries SET claim = NULL, claimed_until = NULL WHERE claim = ?', claim);
  });
