import { catalogue } from '../../api/catalogue.ts';
import type { Command } from '../../cli/command.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import { commandsOf, type Nouns } from '../schema/command.ts';
import { type CallFacts, callFacts, offeredCommands, outputKind } from '../schema/command-facts.ts';
import { type JsonSchema, recordSchema } from '../schema/output-schema.ts';
import { type Parameter, parametersOf, schemaOf } from './parameters.ts';

export interface Tool {
  /** `event_types_slots` */
  name: string;
  /** `event-types.slots`: what `--tools` and `--allow-writes` choose by. */
  path: string;
  command: Command;
  facts: CallFacts;
  isWrite: boolean;
  isList: boolean;
  parameters: readonly Parameter[];
}

/** Rows of a list, if the client doesn't say how many. */
export const defaultRows = 20;
const mostRows = 100;

/** Facts that a command's summary leaves out, because its help shows them elsewhere. */
const details: Record<string, string> = {
  'events list':
    'Without upcoming, past, today, tomorrow, week, since or until, the list starts with the oldest event.',
  'events get': 'Use with="invitees" to get the invitees too.',
  'events agenda': 'Returns the events of one day, calendar week (default) or month.',
  'events stats':
    'Each row has key, name, booked, canceled, no_shows, hours and share (0 to 1). no_shows is null unless no_shows is true.',
  'event-types slots':
    'Give event_type, or host with duration. The service checks again when the slot is booked: it may know more than these times.',
  'config export':
    'Returns the configuration as JSON: event types, hours and webhooks. What a file leaves out is not managed.',
  'config diff': 'Returns the changes that the file would make, and their digest.',
  'config apply': 'Needs the digest of config_diff as confirm. Never creates webhooks.',
  'invitees create':
    'Give start or first_free, and name or first_name. The same booking is refused while it exists, or returned with if_absent.',
  'one-offs create': 'Give days, start_date with end_date, or spot.',
};

/** Properties without which a call can't work. The command can do without: a file or a URI may have them. */
const needed: Record<string, readonly string[]> = {
  'config apply': ['confirm'],
  'events move': ['event', 'to'],
  'invitees get': ['invitee'],
};

/** Nouns without tools. Deleting the data of people is for a person at a terminal or a job, never for a tool. */
const excludedNouns = new Set(['compliance']);

/**
 * `events follow` never ends. Text that was injected could let `webhooks create` and `webhooks backfill` send all bookings
 * to an address, or let the others change who belongs to the organization.
 */
const excludedCommands = new Set([
  'events follow',
  'webhooks backfill',
  'webhooks create',
  'invitations create',
  'invitations revoke',
  'members remove',
]);

const effects = new Set(['read', 'change', 'creation', 'deletion']);

/** A tool names each record that it changes: it reads no file and takes no filter. */
const withoutFilters = (command: Command): Command => ({
  ...command,
  flags: command.flags.filter(({ heading }) => heading !== 'Filters'),
});

/** A tool reads no file, so it gets the text of one. */
const withText = (command: Command): Command => ({
  ...command,
  arguments: command.arguments.map((argument) =>
    argument.names === 'files' ? { ...argument, description: 'text of the file, not its name' } : argument,
  ),
});

const toolFor = (name: string, given: Command): Tool => {
  const command = withText(given.flags.some((flag) => flag.name === 'from') ? withoutFilters(given) : given);
  const facts = callFacts(name, command);
  const path = name.replace(' ', '.');
  return {
    name: path.replaceAll(/[.-]/g, '_'),
    path,
    command,
    facts,
    isWrite: facts.effect !== 'read',
    isList: outputKind(command) === 'list',
    parameters: parametersOf(command, needed[name]),
  };
};

/** A tool for each command about records that the service has, sorted by name. */
export const allTools = async (registry: Nouns, dialect?: Dialect): Promise<Tool[]> => {
  const nouns = [...Object.keys(catalogue), 'config'].filter((noun) => !excludedNouns.has(noun));
  const commands = (await Promise.all(nouns.map((noun) => commandsOf(noun, registry)))).flat();
  return offeredCommands(commands, dialect)
    .filter(([name]) => !excludedCommands.has(name))
    .map(([name, command]) => toolFor(name, command))
    .filter(({ facts }) => effects.has(facts.effect))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
};

/** What a call returns: the rows of a list, or a record. Some writes return several records. */
const outputSchema = ({ command, isList }: Tool): JsonSchema => {
  const record = outputKind(command) === undefined ? { type: 'object' } : recordSchema(command);
  const text = { type: 'string' };
  return {
    type: 'object',
    properties: {
      ...(isList ? { items: { type: 'array', items: record }, next_cursor: text } : { record }),
      time_zone: text,
      left_out: { type: 'array', items: text },
      notes: { type: 'array', items: text },
      notice: text,
    },
  };
};

export const descriptionOf = ({ facts }: Tool): string => {
  const plan = facts.plan && `Needs the ${facts.plan} plan.`;
  return [`${facts.summary}.`, details[facts.command], plan].filter((part) => part !== undefined).join(' ');
};

/** A tool as `tools/list` describes it. */
export const describeTool = (tool: Tool, hasOutputSchema: boolean) => {
  const { name, facts, isWrite, isList, parameters } = tool;
  return {
    name,
    title: facts.summary,
    description: descriptionOf(tool),
    inputSchema: schemaOf(parameters, isList ? { default: defaultRows, most: mostRows } : undefined),
    ...(hasOutputSchema ? { outputSchema: outputSchema(tool) } : {}),
    annotations: {
      readOnlyHint: !isWrite,
      // A creation only adds something. Everything else replaces or removes.
      destructiveHint: isWrite && facts.effect !== 'creation',
      idempotentHint: facts.effect !== 'creation',
      openWorldHint: true,
    },
  };
};
