/**
 * What a token with each scope may do, as shown on the consent page.
 * Assumed (oauth.scopes): the scopes are `availability:read`, `availability:write`, `event_types:read`,
 * `event_types:write`, `locations:read`, `routing_forms:read`, `shares:write`, `scheduled_events:read`,
 * `scheduled_events:write`, `groups:read`, `organizations:read`, `organizations:write`, `users:read`, `webhooks:read`,
 * `webhooks:write`, `activity_log:read` and `data_compliance:write`, and `scheduling_links:write` where a dialect offers
 * `shares create-link`. The documentation names only their domains: scheduling, user management, webhooks, and security
 * and compliance.
 */
export const scopes = {
  'availability:read': 'read availability schedules',
  'availability:write': 'change availability schedules',
  'event_types:read': 'read event types and their hosts',
  'event_types:write': 'create and change event types',
  'locations:read': 'read connected meeting locations',
  'routing_forms:read': 'read routing forms and their submissions',
  'shares:write': 'create single-use scheduling links',
  'scheduling_links:write': 'create single-use scheduling links without settings of their own',
  'scheduled_events:read': 'read events and their invitees',
  'scheduled_events:write': 'book and cancel events, and mark invitees as no-show',
  'groups:read': 'read groups and their members',
  'organizations:read': 'read the organization, its members and invitations',
  'organizations:write': 'change the organization and its members',
  'users:read': 'read your user record',
  'webhooks:read': 'read webhook subscriptions',
  'webhooks:write': 'create and delete webhook subscriptions',
  'activity_log:read': 'read the activity log of the organization',
  'data_compliance:write': 'delete invitee data',
} as const;

export type Scope = keyof typeof scopes;

export const knownScopes = Object.keys(scopes) as Scope[];
