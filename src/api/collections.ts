/** What is known about the records of a collection before its operations are loaded. */
interface CollectionFacts {
  /** The nouns with operations at these paths. The first one lists the records. */
  readonly nouns: readonly string[];
  /** The name of a record in messages. Undefined if no record has a path of its own. */
  readonly singular?: string;
  /** People know the records by name. Such a collection has a list to search. */
  readonly isNamed?: true;
  /** The word for the token's own record, or for the next one of its user. */
  readonly self?: 'me' | 'current' | 'next';
  /** The part of the token's owner that is a record of the collection, and the default where one is required. */
  readonly owner?: 'user' | 'organization';
}

/** All collections, by their segment in a path. A path of an operation begins with one. */
const byName = {
  scheduled_events: { nouns: ['events', 'invitees'], singular: 'event', self: 'next' },
  invitees: { nouns: ['invitees'], singular: 'invitee' },
  invitee_no_shows: { nouns: ['invitees'], singular: 'no-show' },
  event_types: { nouns: ['event-types'], singular: 'event type', isNamed: true },
  event_type_memberships: { nouns: ['event-types'], singular: 'event type host' },
  event_type_available_times: { nouns: ['event-types'] },
  event_type_availability_schedules: { nouns: ['availability'], singular: 'availability schedule', isNamed: true },
  user_availability_schedules: { nouns: ['availability'], singular: 'availability schedule' },
  user_busy_times: { nouns: ['users'] },
  shares: { nouns: ['shares'] },
  scheduling_links: { nouns: ['shares'] },
  one_off_event_types: { nouns: ['one-offs'] },
  locations: { nouns: ['locations'] },
  routing_forms: { nouns: ['routing-forms'], singular: 'routing form', isNamed: true },
  routing_form_submissions: { nouns: ['routing-forms'], singular: 'submission' },
  organizations: { nouns: ['orgs'], singular: 'organization', self: 'current', owner: 'organization' },
  organization_memberships: { nouns: ['members'], singular: 'member', isNamed: true, self: 'me' },
  organization_invitations: { nouns: ['invitations'], singular: 'invitation' },
  groups: { nouns: ['groups'], singular: 'group', isNamed: true },
  group_relationships: { nouns: ['groups'], singular: 'group relationship' },
  users: { nouns: ['users'], singular: 'user', isNamed: true, self: 'me', owner: 'user' },
  activity_log_entries: { nouns: ['activity'], singular: 'activity entry' },
  data_compliance: { nouns: ['compliance'] },
  webhook_subscriptions: { nouns: ['webhooks'], singular: 'webhook' },
  '.well-known': { nouns: ['mcp'] },
} as const satisfies Record<string, CollectionFacts>;

export type Collection = keyof typeof byName;

export type Noun = (typeof byName)[Collection]['nouns'][number];

export const collections: Readonly<Record<Collection, CollectionFacts & { nouns: readonly Noun[] }>> = byName;
