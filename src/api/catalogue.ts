import type { Operation, Resource } from './operation.ts';

/**
 * The whole API by noun. A noun is known by name and summary until it is asked for, so that
 * looking at the top-level help builds no schema.
 */
export const catalogue = {
  events: {
    summary: 'Scheduled events: list, read and cancel them',
    load: async () => (await import('./events.ts')).events,
  },
  invitees: {
    summary: 'Invitees of events: list, read, book and mark as no-show',
    load: async () => (await import('./invitees.ts')).invitees,
  },
  'event-types': {
    summary: 'Event types: what can be booked, and with whom',
    load: async () => (await import('./event-types.ts')).eventTypes,
  },
  availability: {
    summary: 'The hours in which event types can be booked',
    load: async () => (await import('./availability.ts')).availability,
  },
  shares: {
    summary: 'Single-use scheduling links',
    load: async () => (await import('./shares.ts')).shares,
  },
  'one-offs': {
    summary: 'One-off meeting links with one or more hosts',
    load: async () => (await import('./one-offs.ts')).oneOffs,
  },
  locations: {
    summary: 'Meeting locations a host has connected',
    load: async () => (await import('./locations.ts')).locations,
  },
  'routing-forms': {
    summary: 'Routing forms and what was submitted to them',
    load: async () => (await import('./routing-forms.ts')).routingForms,
  },
  orgs: {
    summary: 'The organization',
    load: async () => (await import('./organizations.ts')).orgs,
  },
  members: {
    summary: 'Members of the organization and their roles',
    load: async () => (await import('./organizations.ts')).members,
  },
  invitations: {
    summary: 'People invited to join the organization',
    load: async () => (await import('./organizations.ts')).invitations,
  },
  groups: {
    summary: 'Groups, who is in them, and their events',
    load: async () => (await import('./groups.ts')).groups,
  },
  users: {
    summary: 'Users, and who you are',
    load: async () => (await import('./users.ts')).users,
  },
  activity: {
    summary: 'The activity log (Enterprise plan)',
    load: async () => (await import('./activity.ts')).activity,
  },
  compliance: {
    summary: 'Deletion of invitee data (Enterprise plan)',
    load: async () => (await import('./compliance.ts')).compliance,
  },
  mcp: {
    summary: 'Metadata of the MCP server',
    load: async () => (await import('./mcp.ts')).mcp,
  },
} satisfies Record<string, { summary: string; load: () => Promise<Record<string, Operation>> }>;

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
