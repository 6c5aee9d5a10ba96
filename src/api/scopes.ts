/**
 * What a token may be allowed to do, in words a person can consent to.
 * Assumed: the catalogue of scope names; the service documents only their domains.
 */
export const scopes = {
  'availability:read': 'read availability schedules',
  'availability:write': 'change availability schedules',
  'event_types:read': 'read event types and their hosts',
  'event_types:write': 'create and change event types',
  'locations:read': 'read connected meeting locations',
  'routing_forms:read': 'read routing forms and what was submitted to them',
  'shares:write': 'create single-use scheduling links',
  'scheduled_events:read': 'read scheduled events and their invitees',
  'scheduled_events:write': 'book, cancel and mark invitees as no-show',
  'groups:read': 'read groups and who is in them',
  'organizations:read': 'read the organization, its members and invitations',
  'organizations:write': 'change the organization and its members',
  'users:read': 'read your user record',
  'webhooks:read': 'read webhook subscriptions',
  'webhooks:write': 'create and remove webhook subscriptions',
  'activity_log:read': 'read the activity log of the organization',
  'data_compliance:write': 'delete the data of invitees',
} as const;

export type Scope = keyof typeof scopes;
