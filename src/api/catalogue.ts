import type { Noun } from './collections.ts';
import type { Operation, Resource } from './operation.ts';

/** Headings of the noun list in help, in display order. */
export const helpGroups = ['Scheduling', 'Organization', 'Compliance', 'Account', 'Tools'] as const;

/** Facts about a noun that are available before its operations are loaded. */
interface NounEntry<N extends Noun> {
  readonly summary: string;
  readonly group: (typeof helpGroups)[number];
  /** Default scope of a list: records of the token's user, or of the whole organization. */
  readonly whose: 'user' | 'organization';
  readonly load: () => Promise<Record<string, Operation & { name: `${N}.${string}` }>>;
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
  },
  'event-types': {
    summary: 'Manage event types and list their hosts',
    group: 'Scheduling',
    whose: 'user',
    load: async () => (await import('./event-types.ts')).eventTypes,
  },
  availability: {
    summary: 'List and update availability schedules',
    group: 'Scheduling',
    whose: 'user',
    load: async () => (await import('./availability.ts')).availability,
  },
  shares: {
    summary: 'Create single-use scheduling links',
    group: 'Scheduling',
    whose: 'user',
    load: async () => (await import('./shares.ts')).shares,
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
    summary: 'List invitations to join the organization',
    group: 'Organization',
    whose: 'organization',
    load: async () => (await import('./organizations.ts')).invitations,
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

type Rows = { [N in Noun]: Catalogue[N][keyof Catalogue[N]] }[Noun];

type RecordName<Row> = Row extends { reply: { of: Resource<infer Name> } } ? Name : never;

/** Names of all records the service can return. */
export type ResourceName = RecordName<Rows>;

/** Names of the records that the service creates. */
export type CreatedName = RecordName<Extract<Rows, { effect: 'creation' }>>;

export const loadCatalogue = async (): Promise<Record<Noun, Record<string, Operation>>> => {
  const nouns = await Promise.all(Object.entries(catalogue).map(async ([noun, { load }]) => [noun, await load()]));
  return Object.fromEntries(nouns);
};

/** Every operation, also those that only some services have. */
export const allOperations = async (): Promise<Operation[]> => {
  const { availableTimes } = await import('./event-types.ts');
  return [...Object.values(await loadCatalogue()).flatMap((rows) => Object.values(rows)), availableTimes];
};
