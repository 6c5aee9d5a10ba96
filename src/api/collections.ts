/** What is known about the records of a collection before its operations are loaded. */
interface CollectionFacts {
  /** The name of a record in messages. Undefined if no record has a path of its own. */
  readonly singular?: string;
  /** People know the records by name. Such a collection has a list to search. */
  readonly isNamed?: true;
  /** The word for the token's own record. */
  readonly self?: 'me' | 'current';
  /** The part of the token's owner that is a record of the collection, and the default where one is required. */
  readonly owner?: 'user' | 'organization';
}

/** All collections, by their segment in a path. A path of an operation begins with one. */
const known = {
  scheduled_events: { singular: 'event' },
  invitees: { singular: 'invitee' },
  event_types: { singular: 'event type', isNamed: true },
  event_type_memberships: { singular: 'event type host' },
  event_type_availability_schedules: { singular: 'availability schedule', isNamed: true },
  shares: {},
  one_off_event_types: {},
  locations: {},
  routing_forms: { singular: 'routing form', isNamed: true },
  routing_form_submissions: { singular: 'submission' },
  organizations: { singular: 'organization', self: 'current', owner: 'organization' },
  organization_memberships: { singular: 'member', isNamed: true, self: 'me' },
  organization_invitations: { singular: 'invitation' },
  groups: { singular: 'group', isNamed: true },
  group_relationships: { singular: 'group relationship' },
  users: { singular: 'user', isNamed: true, self: 'me', owner: 'user' },
  activity_log_entries: { singular: 'activity entry' },
  data_compliance: {},
  webhook_subscriptions: { singular: 'webhook' },
  '.well-known': {},
} as const satisfies Record<string, CollectionFacts>;

export type Collection = keyof typeof known;

export const collections: Readonly<Record<Collection, CollectionFacts>> = known;
