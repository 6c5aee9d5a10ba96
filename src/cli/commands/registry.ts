import { catalogue, type Noun } from '../../api/catalogue.ts';
import type { Command } from '../command.ts';
import type { GenericCommand } from '../operation/generic-command.ts';

export const groups = ['Scheduling', 'Organization', 'Compliance', 'Account', 'Tools'] as const;

/** A noun is known by name and summary; its commands load when it is asked for. */
export interface NounEntry {
  singular: string;
  group: (typeof groups)[number];
  summary: string;
  /** The noun is itself a command: it has one, of its own name, and no verb. */
  leaf?: true;
  commands(): Promise<Command[]>;
}

/** What a noun has beyond its rows. */
interface Special {
  examples?: Record<string, string[]>;
  decorate?: Record<string, (generic: GenericCommand, others: Record<string, GenericCommand>) => Command>;
  /** Commands that are no row of their own. */
  extra?: () => Command[];
}

/** A noun of the catalogue: the generic command of each row, decorated where it is special. */
const fromCatalogue = (
  noun: Noun,
  singular: string,
  group: NounEntry['group'],
  special: () => Promise<Special> = async () => ({}),
): NounEntry => ({
  singular,
  group,
  summary: catalogue[noun].summary,
  commands: async () => {
    const [{ genericCommand }, rows, { examples = {}, decorate = {}, extra = () => [] }] = await Promise.all([
      import('../operation/generic-command.ts'),
      catalogue[noun].load(),
      special(),
    ]);
    const generic: Record<string, GenericCommand> = Object.fromEntries(
      Object.entries(rows).map(([verb, row]) => [verb, genericCommand(noun, verb, row, examples[verb])]),
    );
    const own = Object.entries(generic).map(([verb, command]) => decorate[verb]?.(command, generic) ?? command);
    return [...own, ...extra()];
  },
});

const catalogueNouns: Record<Noun, NounEntry> = {
  events: fromCatalogue('events', 'event', 'Scheduling', () => import('./events.ts')),
  invitees: fromCatalogue('invitees', 'invitee', 'Scheduling', () => import('./invitees.ts')),
  'event-types': fromCatalogue('event-types', 'event-type', 'Scheduling', () => import('./event-types.ts')),
  availability: fromCatalogue('availability', 'availability', 'Scheduling', () => import('./availability.ts')),
  shares: fromCatalogue('shares', 'share', 'Scheduling', () => import('./shares.ts')),
  'one-offs': fromCatalogue('one-offs', 'one-off', 'Scheduling', () => import('./one-offs.ts')),
  locations: fromCatalogue('locations', 'location', 'Scheduling', async () => ({
    examples: (await import('./examples.ts')).locations,
  })),
  'routing-forms': fromCatalogue('routing-forms', 'routing-form', 'Scheduling', () => import('./routing-forms.ts')),
  orgs: fromCatalogue('orgs', 'org', 'Organization', () => import('./organization.ts')),
  members: fromCatalogue('members', 'member', 'Organization', async () => ({
    examples: (await import('./examples.ts')).members,
  })),
  invitations: fromCatalogue('invitations', 'invitation', 'Organization', async () => ({
    examples: (await import('./examples.ts')).invitations,
  })),
  groups: fromCatalogue('groups', 'group', 'Organization', () => import('./groups.ts')),
  users: fromCatalogue('users', 'user', 'Organization', async () => ({
    examples: (await import('./examples.ts')).users,
  })),
  activity: fromCatalogue('activity', 'activity', 'Compliance', async () => ({
    examples: (await import('./examples.ts')).activity,
  })),
  compliance: fromCatalogue('compliance', 'compliance', 'Compliance', () => import('./compliance/compliance.ts')),
  mcp: fromCatalogue('mcp', 'mcp', 'Tools', () => import('./mcp.ts')),
};

export const nouns: Record<string, NounEntry> = {
  ...catalogueNouns,
  auth: {
    singular: 'auth',
    group: 'Account',
    summary: 'Log in and out, and see who is logged in',
    commands: async () => (await import('./auth/auth.ts')).commands,
  },
  profiles: {
    singular: 'profile',
    group: 'Account',
    summary: 'Several accounts side by side',
    commands: async () => (await import('./profiles.ts')).commands,
  },
  api: {
    singular: 'api',
    group: 'Tools',
    summary: 'Any request under the base URL, as it is',
    leaf: true,
    commands: async () => [(await import('./api/api.ts')).api],
  },
  doctor: {
    singular: 'doctor',
    group: 'Tools',
    summary: 'Look at everything a command rests on, and say how to fix it',
    leaf: true,
    commands: async () => (await import('./doctor/doctor.ts')).commands,
  },
  sandbox: {
    singular: 'sandbox',
    group: 'Tools',
    summary: 'The embedded service: serve it, seed it anew',
    commands: async () => (await import('./sandbox/sandbox.ts')).commands,
  },
  ratelimit: {
    singular: 'ratelimit',
    group: 'Tools',
    summary: 'What is left of the rate limit, and who waits for it',
    leaf: true,
    commands: async () => [(await import('./ratelimit.ts')).ratelimit],
  },
  completion: {
    singular: 'completion',
    group: 'Tools',
    summary: 'Completions for bash, zsh, fish and PowerShell',
    leaf: true,
    commands: async () => [(await import('./completion.ts')).completion],
  },
};

/** The noun a word names, plural or singular. */
export const findNoun = (word: string): string | undefined =>
  Object.hasOwn(nouns, word) ? word : Object.keys(nouns).find((name) => nouns[name]!.singular === word);

/** Whether a word names a noun that is itself a command. */
export const isLeafNoun = (word: string): boolean => nouns[findNoun(word) ?? '']?.leaf === true;
