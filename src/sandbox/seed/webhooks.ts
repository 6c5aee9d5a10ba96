import { dayMilliseconds, makeId } from '../store/names.ts';
import { newWebhook, type WebhookRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { daysBefore, groupId, organizationId, userId } from './team.ts';

interface SeedWebhook extends Pick<WebhookRecord, 'scope' | 'events'> {
  url: string;
  owner: string;
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
    owner: organizationId,
    events: ['invitee.created', 'invitee.canceled', 'routing_form_submission.created'],
    url: `${site}/crm`,
    made: 210,
  },
  {
    scope: 'user',
    owner: userId('amara'),
    events: ['invitee.created', 'invitee.canceled'],
    url: `${site}/calendar`,
    made: 120,
  },
  {
    scope: 'group',
    owner: groupId('Customer team'),
    events: ['invitee.created', 'invitee.canceled', 'invitee_no_show.created'],
    url: `${site}/customer-chat`,
    made: 60,
    failing: 4,
  },
];

export const seedWebhooks = (store: Store, now: number) => {
  for (const { scope, owner, events, url, made, failing } of seeded) {
    const id = makeId(`seed/webhook/${url}`);
    const organization = organizationId;
    const webhook = newWebhook({ id, organization, scope, owner, events, url, now: now - made * dayMilliseconds });
    const failed: Partial<WebhookRecord> = failing
      ? {
          state: 'disabled',
          retry_started_at: daysBefore(now, failing),
          updated_at: daysBefore(now, failing - 1),
        }
      : {};
    store.insert('webhooks', id, { ...webhook, ...failed }, { organization, owner });
  }
};
