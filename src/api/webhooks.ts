import * as z from 'zod/mini';
import { isLoopbackUrl } from '../base/uri.ts';
import { choice, dateTime, described, list, record, reference, text } from './field.ts';
import { deleteOne, one, operations, readMany, readOne, resource } from './operation.ts';
import type { Sent } from './sent.ts';

// Assumed (webhooks.record): a webhook has `uri`, `callback_url`, `state` (`active` or `disabled`), `events`, `scope`
// (`organization`, `user` or `group`), `organization`, `user`, `group`, `retry_started_at`, `created_at` and
// `updated_at`. The documentation only says that webhook subscriptions exist.

/**
 * What a webhook can report.
 * Assumed (webhooks.events): webhooks can report `invitee.created`, `invitee.canceled`, `invitee_no_show.created`,
 * `invitee_no_show.deleted` and `routing_form_submission.created`.
 */
export const webhookEvents = [
  'invitee.created',
  'invitee.canceled',
  'invitee_no_show.created',
  'invitee_no_show.deleted',
  'routing_form_submission.created',
] as const;

export type WebhookEvent = (typeof webhookEvents)[number];

/** Whose events a webhook reports. */
const webhookScopes = ['organization', 'user', 'group'] as const;

export type WebhookScope = (typeof webhookScopes)[number];

/** Whether deliveries may be sent to this URL: by https, or by http on this machine. */
export const isWebhookUrl = (value: string): boolean => {
  if (!URL.canParse(value) || /[\s#]/.test(value)) return false;
  const { protocol, username, password } = new URL(value);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopbackUrl(value));
  return isSafe && username + password === '';
};

const webhookUrl = (description: string) =>
  described(
    z
      .string()
      .check(
        z.maxLength(2048),
        z.refine(isWebhookUrl, 'must be an https URL, or http on a loopback address, without a user or fragment'),
      ),
    description,
  );

const events = list(choice(webhookEvents, 'event to report'), 'events to report').check(
  z.minLength(1),
  z.refine((names) => new Set(names).size === names.length, 'must not repeat an event'),
);

export const Webhook = resource('webhook', {
  uri: text('URI of the webhook'),
  callback_url: text('URL that receives the deliveries'),
  state: choice(['active', 'disabled'], 'active, or disabled after failed deliveries'),
  events: list(text('event'), 'events that are reported'),
  scope: choice(webhookScopes, 'whose events are reported'),
  organization: text('URI of the organization'),
  user: z.nullable(text('URI of the user, if the scope is user')),
  group: z.nullable(text('URI of the group, if the scope is group')),
  retry_started_at: z.nullable(dateTime('since when deliveries fail')),
  created_at: dateTime('when it was created'),
  updated_at: dateTime('when it was last changed'),
});

export type SentWebhook = Sent<typeof Webhook>;

const path = '/webhook_subscriptions';

// Assumed (webhooks.paths): webhooks are listed at `GET /webhook_subscriptions` by `organization`, `scope`, `user` and
// `group`, of which the first two are required, and can be sorted by `sort=created_at`. One is shown at
// `GET /webhook_subscriptions/{webhook}`, created by `POST /webhook_subscriptions` (`201`) and deleted by
// `DELETE /webhook_subscriptions/{webhook}` (`204`). Assumed (webhooks.create): a webhook is created with `url` (at most
// `2048` characters), `events`, `organization` and `scope`, and optionally `user`, `group` and `signing_key`.
export const webhooks = operations('webhooks', 'webhooks', {
  list: readMany(Webhook, {
    summary: 'List webhooks of a user, a group or the organization',
    path,
    assumed: true,
    filters: {
      organization: reference('organizations', 'organization of the webhooks'),
      scope: choice(webhookScopes, 'whose webhooks to list'),
      user: z.optional(reference('users', 'only webhooks of this user')),
      group: z.optional(reference('groups', 'only webhooks of this group')),
    },
    sortedBy: ['created_at'],
  }),
  get: { ...readOne('Show a webhook', `${path}/{webhook}`, Webhook), assumed: true },
  create: {
    summary: 'Subscribe a URL to events',
    method: 'POST',
    path,
    effect: 'creation',
    assumed: true,
    body: record({
      url: webhookUrl('URL that receives the deliveries'),
      events,
      organization: reference('organizations', 'organization of the webhook'),
      scope: choice(webhookScopes, 'whose events to report'),
      user: z.optional(reference('users', 'user whose events to report')),
      group: z.optional(reference('groups', 'group whose events to report')),
      signing_key: z.optional(described(z.string().check(z.minLength(1)), 'key that signs the deliveries')),
    }),
    reply: one(Webhook, 201),
  },
  delete: { ...deleteOne('Delete a webhook', `${path}/{webhook}`), assumed: true },
});
