import { catalogue, type Noun } from '../api/catalogue.ts';
import type { Command } from './command.ts';

export const groups = ['Scheduling', 'Organization', 'Compliance', 'Account', 'Tools'] as const;

/** A noun is known by name and summary; its commands load when it is asked for. */
export interface NounEntry {
  singular: string;
  group: (typeof groups)[number];
  summary: string;
  commands(): Promise<Command[]>;
}

interface Special {
  examples?: Record<string, string[]>;
  decorate?: Record<string, (generic: import('./operation-command.ts').OperationCommand) => Command>;
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
    const [{ operationCommand }, rows, { examples = {}, decorate = {} }] = await Promise.all([
      import('./operation-command.ts'),
      catalogue[noun].load(),
      special(),
    ]);
    return Object.entries(rows).map(([verb, row]) => {
      const generic = operationCommand(noun, verb, row);
      const command = { ...generic, examples: examples[verb] ?? generic.examples };
      return decorate[verb]?.(command) ?? command;
    });
  },
});

const catalogueNouns: Record<Noun, NounEntry> = {
  events: fromCatalogue('events', 'event', 'Scheduling', () => import('./commands/events.ts')),
  invitees: fromCatalogue('invitees', 'invitee', 'Scheduling', () => import('./commands/invitees.ts')),
  'event-types': fromCatalogue('event-types', 'event-type', 'Scheduling'),
  users: fromCatalogue('users', 'user', 'Organization'),
};

export const nouns: Record<string, NounEntry> = {
  ...catalogueNouns,
  sandbox: {
    singular: 'sandbox',
    group: 'Tools',
    summary: 'The embedded service: serve it, seed it anew',
    commands: async () => (await import('./commands/sandbox.ts')).commands,
  },
};

/** The noun a word names, plural or singular. */
export const findNoun = (word: string): string | undefined =>
  Object.hasOwn(nouns, word) ? word : Object.keys(nouns).find((name) => nouns[name]!.singular === word);
