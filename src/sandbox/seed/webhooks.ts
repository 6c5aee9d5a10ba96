import { dayMilliseconds, makeId, timestamp, uri } from '../store/names.ts';
import type { WebhookRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { userId } from './team.ts';

interface SeedWebhook extends Pick<WebhookRecord, 'scope' | 'events' | 'callback_url'> {
  /** The user or group whose events it reports. Without one, it is the organization. */
  owner?: string;
  /** Days since it was created. */
  made: number;
  /** Days since its deliveries fail. It was disabled then. */
  failing?: number;
}

/** The host doesn't exist: the sandbox delivers to this machine only. */
const site = 'https://hooks.northlight.example';

const seeded: readonly SeedWebhook[] = [
  {
    scope: 'organization',
    events: ['invitee.created', 'invitee.canceled', 'routing_form_submission.created'],
    callback_url: `${site}/crm`,
    made: 210,
  },
  {
    scope: 'user',
    owner: userId('amara'),
    events: ['invitee.created', 'invitee.canceled'],
    callback_url: `${site}/calendar`,
    made: 120,
  },
  {
    scope: 'group',
    owner: makeId('seed/group/Customer team'),
    events: ['invitee.created', 'invitee.canceled', 'invitee_no_show.created'],
    callback_url: `${site}/customer-chat`,
    made: 60,
    failing: 4,
  },
];

export const seedWebhooks = (store: Store, organization: string, now: number) => {
  for (const { scope, owner = organization, events, callback_url, made, failing } of seeded) {
    const id = makeId(`seed/webhook/${callback_url}`);
    const created_at = timestamp(now - made * dayMilliseconds);
    const record: WebhookRecord = {
      uri: uri('webhook_subscriptions', id),
      callback_url,
      state: failing === undefined ? 'active' : 'disabled',
      events,
      scope,
      organization: uri('organizations', organization),
      user: scope === 'user' ? uri('users', owner) : null,
      group: scope === 'group' ? uri('groups', owner) : null,
      retry_started_at: failing === undefined ? null : timestamp(now - failing * dayMilliseconds),
      created_at,
      updated_at: failing === undefined ? created_at : timestamp(now - (failing - 1) * dayMilliseconds),
    };
    store.insert('webhooks', id, record, { organization, owner });
  }
};
