import { catalogue, type helpGroups, rowsOf } from '../api/catalogue.ts';
import type { Noun } from '../api/collections.ts';
import { once } from '../base/once.ts';
import type { Command, LeafCommand } from '../cli/command.ts';
import type { Decorations, GenericCommand } from '../cli/operation/generic-command.ts';

/** A noun with its summary. Its commands are loaded only when they are needed. */
interface NounCommands {
  group: (typeof helpGroups)[number];
  summary: string;
  /** The noun is itself a command and has no verbs. */
  leaf?: true;
  commands(): Promise<Command[]>;
}

/** What a noun has in addition to its rows. */
interface Special {
  examples?: Record<string, string[]>;
  decorate?: Decorations;
  /** Commands that have no row. */
  extra?: () => Command[];
}

/** The commands of a noun, from several rooms. */
const joinRooms = async (...rooms: readonly Promise<Special>[]): Promise<Special> => {
  const all = await Promise.all(rooms);
  return {
    examples: Object.assign({}, ...all.map(({ examples = {} }) => examples)),
    decorate: Object.assign({}, ...all.map(({ decorate = {} }) => decorate)),
    extra: () => all.flatMap(({ extra = () => [] }) => extra()),
  };
};

/** Nouns of the catalogue that have more than examples and a generic command for each row. */
const specials: Partial<Record<Noun, () => Promise<Special>>> = {
  events: () =>
    joinRooms(
      import('./events/command.ts'),
      import('./move/command.ts'),
      import('./agenda/command.ts'),
      import('./stats/command.ts'),
      import('./follow/command.ts'),
    ),
  invitees: () => joinRooms(import('./invitees/command.ts'), import('./booking/command.ts')),
  'event-types': () => joinRooms(import('./event-types.ts'), import('./slots/command.ts')),
  availability: () => import('./availability/command.ts'),
  shares: () => import('./shares.ts'),
  'one-offs': () => import('./one-offs.ts'),
  'routing-forms': () => import('./routing-forms.ts'),
  users: () => import('./users.ts'),
  orgs: async () => (await import('./administration.ts')).ofOrganizations,
  groups: () => import('./groups.ts'),
  members: async () => (await import('./administration.ts')).ofMembers,
  invitations: async () => (await import('./administration.ts')).ofInvitations,
  activity: () => import('./activity.ts'),
  compliance: () => import('./compliance/command.ts'),
  webhooks: () => import('./webhooks/command.ts'),
  mcp: async () => {
    const { extra, ...rest } = await import('./mcp/command.ts');
    return { ...rest, extra: extra({ nouns, findNoun }) };
  },
};

/** Examples of nouns that have nothing else. The IDs exist in the sandbox. */
const examples: Partial<Record<Noun, Record<string, string[]>>> = {
  locations: { list: ['locations list', 'locations list --user jonas.weber@northlight.example --json'] },
};

/** A noun of the catalogue: a generic command for each row, replaced where `decorate` has another. */
const fromCatalogue = (noun: Noun): NounCommands => {
  const { group, summary } = catalogue[noun];
  const build = async () => {
    const [{ genericCommand }, rows, special] = await Promise.all([
      import('../cli/operation/generic-command.ts'),
      rowsOf(noun),
      specials[noun]?.(),
    ]);
    const { examples: own = {}, decorate = {}, extra = () => [] }: Special = special ?? { examples: examples[noun] };
    const generic: Record<string, GenericCommand> = Object.fromEntries(
      Object.entries(rows).map(([verb, row]) => [verb, genericCommand(verb, row, own[verb])]),
    );
    const commands = Object.entries(generic).map(
      ([verb, command]): Command => ({ ...command, ...decorate[verb]?.(command, generic) }),
    );
    const others = extra();
    const isPart = ({ operation }: Command) =>
      operation !== undefined && [...commands, ...others].some(({ alternative }) => alternative === operation);
    return [...commands.filter((command) => !isPart(command)), ...others];
  };
  // Built once: a server of tools runs many commands in one process.
  return { group, summary, commands: once(build) };
};

const leaf = (
  name: string,
  group: NounCommands['group'],
  summary: string,
  load: () => Promise<LeafCommand>,
): NounCommands => ({
  group,
  summary,
  leaf: true,
  commands: async () => [{ name, summary, ...(await load()) }],
});

const catalogueNouns = Object.fromEntries(
  (Object.keys(catalogue) as Noun[]).map((noun) => [noun, fromCatalogue(noun)]),
);

export const nouns: Record<string, NounCommands> = {
  ...catalogueNouns,
  auth: {
    group: 'Account',
    summary: 'Log in, log out and show the current login',
    commands: async () => (await import('./auth/command.ts')).authCommands,
  },
  profiles: {
    group: 'Account',
    summary: 'Manage profiles for several accounts',
    commands: async () => (await import('./profiles/command.ts')).profileCommands,
  },
  whoami: leaf(
    'whoami',
    'Account',
    'Show the logged-in user and where the token comes from',
    async () => (await import('./auth/whoami.ts')).whoami,
  ),
  config: {
    group: 'Organization',
    summary: 'Keep event types, hours and webhooks in a file',
    commands: async () => (await import('./config/command.ts')).configCommands,
  },
  mirror: {
    group: 'Tools',
    summary: 'Copy the account, for reports without the network',
    commands: async () => (await import('./mirror/command.ts')).commands,
  },
  api: leaf(
    'api',
    'Tools',
    'Send any API request and print the reply',
    async () => (await import('./api/command.ts')).api,
  ),
  doctor: leaf(
    'doctor',
    'Tools',
    'Check your setup and suggest fixes',
    async () => (await import('./doctor/command.ts')).doctor,
  ),
  sandbox: {
    group: 'Tools',
    summary: 'Run and reset the built-in sandbox',
    commands: async () => (await import('./sandbox/command.ts')).commandsWith({ nouns, findNoun }),
  },
  ratelimit: leaf(
    'ratelimit',
    'Tools',
    'Show remaining requests and waiting commands',
    async () => (await import('./ratelimit.ts')).ratelimit,
  ),
  completion: leaf(
    'completion',
    'Tools',
    'Print completion scripts for bash, zsh, fish and PowerShell',
    async () => (await import('./completion.ts')).completion,
  ),
  man: leaf('man', 'Tools', 'Show the manual page of a command or topic', async () =>
    (await import('./man.ts')).man({
      nouns: Object.keys(nouns),
      findNoun,
      verbsOf: async (noun) => (await nouns[noun]!.commands()).map(({ name }) => name),
    }),
  ),
  skill: {
    group: 'Tools',
    summary: 'Teach AI agents to use sched',
    commands: async () => (await import('./skill/command.ts')).skillCommands({ nouns, findNoun }),
  },
  schema: leaf('schema', 'Tools', 'Describe the commands as JSON, for programs', async () =>
    (await import('./schema/command.ts')).schema({ nouns, findNoun }),
  ),
};

/** `events` can be written `event`. */
export const singularOf = (noun: string): string => noun.replace(/s$/, '');

/** The noun that a word names, in plural or singular. */
export const findNoun = (word: string): string | undefined =>
  Object.hasOwn(nouns, word) ? word : Object.keys(nouns).find((name) => singularOf(name) === word);
