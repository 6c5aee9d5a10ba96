import type { Operation, Resource } from './operation.ts';

/** The headings under which help lists nouns, in this order. */
export const helpGroups = ['Scheduling', 'Organization', 'Compliance', 'Account', 'Tools'] as const;

/** Everything there is to know about a noun before its rows are loaded. */
interface NounEntry {
  readonly singular: string;
  readonly summary: string;
  readonly group: (typeof helpGroups)[number];
  /** First segments of its paths: a request to the sandbox loads the rows of its own noun only. */
  readonly paths: readonly string[];
  /** Whose records a list shows when nobody is named: the token's own user's, or the whole organization's. */
  readonly whose: 'user' | 'organization';
  readonly load: () => Promise<Record<string, Operation>>;
}

/** The whole API by noun: the one place that says what a noun is. Its rows load when it is asked for. */
export const catalogue = {
  events: {
    singular: 'event',
    summary: 'Scheduled events: list, read and cancel them',
    group: 'Scheduling',
    paths: ['scheduled_events'],
    whose: 'user',
    load: async () => (await import('./events.ts')).events,
  },
  invitees: {
    singular: 'invitee',
    summary: 'Invitees of events: list, read, book and mark as no-show',
    group: 'Scheduling',
    paths: ['scheduled_events', 'invitees'],
    whose: 'user',
    load: async () => (await import('./invitees.ts')).invitees,
  },
  'event-types': {
    singular: 'event-type',
    summary: 'Event types: what can be booked, and with whom',
    group: 'Scheduling',
    paths: ['event_types', 'event_type_memberships'],
    whose: 'user',
    load: async () => (await import('./event-types.ts')).eventTypes,
  },
  availability: {
    singular: 'availability',
    summary: 'The hours in which event types can be booked',
    group: 'Scheduling',
    paths: ['event_type_availability_schedules'],
    whose: 'user',
    load: async () => (await import('./availability.ts')).availability,
  },
  shares: {
    singular: 'share',
    summary: 'Single-use scheduling links',
    group: 'Scheduling',
    paths: ['shares'],
    whose: 'user',
    load: async () => (await import('./shares.ts')).shares,
  },
  'one-offs': {
    singular: 'one-off',
    summary: 'One-off meeting links with one or more hosts',
    group: 'Scheduling',
    paths: ['one_off_event_types'],
    whose: 'user',
    load: async () => (await import('./one-offs.ts')).oneOffs,
  },
  locations: {
    singular: 'location',
    summary: 'Meeting locations a host has connected',
    group: 'Scheduling',
    paths: ['locations'],
    whose: 'user',
    load: async () => (await import('./locations.ts')).locations,
  },
  'routing-forms': {
    singular: 'routing-form',
    summary: 'Routing forms and what was submitted to them',
    group: 'Scheduling',
    paths: ['routing_forms', 'routing_form_submissions'],
    whose: 'organization',
    load: async () => (await import('./routing-forms.ts')).routingForms,
  },
  orgs: {
    singular: 'org',
    summary: 'The organization',
    group: 'Organization',
    paths: ['organizations'],
    whose: 'organization',
    load: async () => (await import('./organizations.ts')).orgs,
  },
  members: {
    singular: 'member',
    summary: 'Members of the organization and their roles',
    group: 'Organization',
    paths: ['organization_memberships'],
    whose: 'organization',
    load: async () => (await import('./organizations.ts')).members,
  },
  invitations: {
    singular: 'invitation',
    summary: 'People invited to join the organization',
    group: 'Organization',
    paths: ['organization_invitations'],
    whose: 'organization',
    load: async () => (await import('./organizations.ts')).invitations,
  },
  groups: {
    singular: 'group',
    summary: 'Groups, who is in them, and their events',
    group: 'Organization',
    paths: ['groups', 'group_relationships'],
    whose: 'organization',
    load: async () => (await import('./groups.ts')).groups,
  },
  users: {
    singular: 'user',
    summary: 'Users, and who you are',
    group: 'Organization',
    paths: ['users'],
    whose: 'user',
    load: async () => (await import('./users.ts')).users,
  },
  activity: {
    singular: 'activity',
    summary: 'The activity log (Enterprise plan)',
    group: 'Compliance',
    paths: ['activity_log_entries'],
    whose: 'organization',
    load: async () => (await import('./activity.ts')).activity,
  },
  compliance: {
    singular: 'compliance',
    summary: 'Deletion of invitee data (Enterprise plan)',
    group: 'Compliance',
    paths: ['data_compliance'],
    whose: 'organization',
    load: async () => (await import('./compliance.ts')).compliance,
  },
  mcp: {
    singular: 'mcp',
    summary: 'Metadata of the MCP server',
    group: 'Tools',
    paths: ['.well-known'],
    whose: 'user',
    load: async () => (await import('./mcp.ts')).mcp,
  },
} as const satisfies Record<string, NounEntry>;

export type Noun = keyof typeof catalogue;

/** Every row by noun and verb, as types: what handlers and views are checked against. */
export type Catalogue = { [N in Noun]: Awaited<ReturnType<(typeof catalogue)[N]['load']>> };

type Rows = { [N in Noun]: Catalogue[N][keyof Catalogue[N]] }[Noun];

/** The names of all records the service can answer with. */
export type ResourceName = Rows extends infer Row
  ? Row extends { reply: { of: Resource<infer Name> } }
    ? Name
    : never
  : never;

export const loadCatalogue = async (): Promise<Record<Noun, Record<string, Operation>>> => {
  const nouns = await Promise.all(Object.entries(catalogue).map(async ([noun, { load }]) => [noun, await load()]));
  return Object.fromEntries(nouns);
};
