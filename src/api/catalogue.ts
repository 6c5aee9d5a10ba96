import type { Noun } from './collections.ts';
import type { Operation, Resource } from './operation.ts';

/** Headings of the noun list in help, in display order. */
export const helpGroups = ['Scheduling', 'Organization', 'Compliance', 'Account', 'Tools'] as const;

type Rows<N extends Noun> = Record<string, Operation & { name: `${N}.${string}` }>;

/** Facts about a noun that are available before its operations are loaded. */
interface NounEntry<N extends Noun> {
  readonly summary: string;
  readonly group: (typeof helpGroups)[number];
  /** Default scope of a list: records of the token's user, or of the whole organization. */
  readonly whose: 'user' | 'organization';
  readonly load: () => Promise<Rows<N>>;
  /** What only some services have. */
  readonly optional?: () => Promise<Rows<N>>;
}

/** The whole API by noun. The operations of a noun load on first use. */
export const catalogue = {
  events: {
    summary: 'List, show and cancel events',
    group: 'Scheduling',
    whose: 'user',
    load: async () => (await import('./events.ts')).events,
  },
  invitees: {
    summary: 'Book meetings, list invitees and mark no-shows',
    group: 'Scheduling',
    whose: 'user',
    load: async () => (await import('./invitees.ts')).invitees,
    optional: async () => (await import('./invitees.ts')).moreInvitees,
  },
  'event-types': {
    summary: 'Manage event types and list their hosts',
    group: 'Scheduling',
    whose: 'user',
    load: async () => (await import('./event-types.ts')).eventTypes,
    optional: async () => (await import('./event-types.ts')).moreEventTypes,
  },
  availability: {
    summary: 'List and update availability schedules',
    group: 'Scheduling',
    whose: 'user',
    load: async () => (await import('./availability.ts')).availability,
    optional: async () => (await import('./availability.ts')).moreAvailability,
  },
  shares: {
    summary: 'Create single-use scheduling links',
    group: 'Scheduling',
    whose: 'user',
    load: async () => (await import('./shares.ts')).shares,
    optional: async () => (await import('./shares.ts')).moreShares,
  },
  'one-offs': {
    summary: 'Create one-off meeting links',
    group: 'Scheduling',
    whose: 'user',
    load: async () => (await import('./one-offs.ts')).oneOffs,
  },
  locations: {
    summary: 'List meeting locations a host has connected',
    group: 'Scheduling',
    whose: 'user',
    load: async () => (await import('./locations.ts')).locations,
  },
  'routing-forms': {
    summary: 'List routing forms and their submissions',
    group: 'Scheduling',
    whose: 'organization',
    load: async () => (await import('./routing-forms.ts')).routingForms,
    optional: async () => (await import('./routing-forms.ts')).moreRoutingForms,
  },
  orgs: {
    summary: 'Show your organization',
    group: 'Organization',
    whose: 'organization',
    load: async () => (await import('./organizations.ts')).orgs,
  },
  members: {
    summary: 'List members of the organization and their roles',
    group: 'Organization',
    whose: 'organization',
    load: async () => (await import('./organizations.ts')).members,
  },
  invitations: {
    summary: 'Invite people to the organization',
    group: 'Organization',
    whose: 'organization',
    load: async () => (await import('./organizations.ts')).invitations,
    optional: async () => (await import('./organizations.ts')).moreInvitations,
  },
  groups: {
    summary: 'List groups, their members and their events',
    group: 'Organization',
    whose: 'organization',
    load: async () => (await import('./groups.ts')).groups,
  },
  users: {
    summary: 'Show yourself or another user',
    group: 'Organization',
    whose: 'user',
    load: async () => (await import('./users.ts')).users,
    optional: async () => (await import('./users.ts')).moreUsers,
  },
  activity: {
    summary: 'Read the activity log (Enterprise plan)',
    group: 'Compliance',
    whose: 'organization',
    load: async () => (await import('./activity.ts')).activity,
  },
  compliance: {
    summary: 'Delete and export invitee data, and check receipts',
    group: 'Compliance',
    whose: 'organization',
    load: async () => (await import('./compliance.ts')).compliance,
  },
  webhooks: {
    summary: 'Subscribe URLs to bookings and cancellations',
    group: 'Tools',
    whose: 'user',
    load: async () => (await import('./webhooks.ts')).webhooks,
  },
  mcp: {
    summary: 'Offer commands to AI clients as MCP tools',
    group: 'Tools',
    whose: 'user',
    load: async () => (await import('./mcp.ts')).mcp,
  },
} as const satisfies { [N in Noun]: NounEntry<N> };

/** The type of every operation by noun and verb. Handlers and views are checked against it. */
export type Catalogue = { [N in Noun]: Awaited<ReturnType<(typeof catalogue)[N]['load']>> };

type LoadedRows<Load> = Load extends () => Promise<infer Rows> ? Rows[keyof Rows] : never;

type AnyRow = { [N in Noun]: LoadedRows<(typeof catalogue)[N]['load']> }[Noun];

type OptionalRow = {
  [N in Noun]: (typeof catalogue)[N] extends { optional: infer Load } ? LoadedRows<Load> : never;
}[Noun];

type RecordName<Row> = Row extends { reply: { of: Resource<infer Name> } } ? Name : never;

/** Names of all records a service can return. */
export type ResourceName = RecordName<AnyRow | OptionalRow>;

/** Names of the records that the service creates. */
export type CreatedName = RecordName<Extract<AnyRow | OptionalRow, { effect: 'creation' }>>;

/** The optional operations by name. */
export type OptionalRows = { [Name in OptionalRow['name']]: Extract<OptionalRow, { name: Name }> };

export const loadCatalogue = async (): Promise<Record<Noun, Record<string, Operation>>> => {
  const nouns = await Promise.all(Object.entries(catalogue).map(async ([noun, { load }]) => [noun, await load()]));
  return Object.fromEntries(nouns);
};

/** The operations of a noun, also those that only some services have. */
export const rowsOf = async (noun: Noun): Promise<Record<string, Operation>> => {
  const { load, optional }: NounEntry<Noun> = catalogue[noun];
  return { ...(await load()), ...(await optional?.()) };
};

/** Every operation, also those that only some services have. */
export const allOperations = async (): Promise<Operation[]> =>
  (await Promise.all((Object.keys(catalogue) as Noun[]).map(rowsOf))).flatMap((rows) => Object.values(rows));
