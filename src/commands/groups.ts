import { events } from '../api/events.ts';
import { groups } from '../api/groups.ts';
import type { RecordOf } from '../api/sent.ts';
import { hasCategory } from '../base/errors.ts';
import { isObject, type Json } from '../base/json.ts';
import { idIn } from '../base/uri.ts';
import type { Stage } from '../cli/answer/answer.ts';
import type { ChoiceList, Command, Flag, Invocation } from '../cli/command.ts';
import { related, taking } from '../cli/input/input.ts';
import { apart } from '../cli/input/relations.ts';
import {
  type Decorations,
  type GenericCommand,
  genericCommand,
  operationInput,
  positional,
  withScreen,
} from '../cli/operation/generic-command.ts';
import { runOperation } from '../cli/operation/run-operation.ts';
import { withFacts } from '../cli/operation/write-result.ts';
import type { Context } from '../cli/session/context.ts';
import { hasRoom } from '../cli/session/network.ts';
import { gather } from '../client/paginate.ts';
import { valueAt } from '../output/fields.ts';
import type { View } from '../output/view.ts';
import { eventsListRun, localFilterNote, withSearch } from './events/list-and-get.ts';

export const examples = {
  list: ['groups list', 'groups list --json=uri,name'],
  get: ['groups get "Customer team"', 'groups get 4UJ8LXFLWJYWQTRF --json'],
  relationships: [
    'groups relationships',
    'groups relationships --owner me',
    'groups relationships --group "Customer team"',
  ],
  relationship: ['groups relationship HB8N8LNQ4EHPYKRQ', 'groups relationship HB8N8LNQ4EHPYKRQ --json'],
};

// Assumed (groups.one-filter): group relationships are listed by exactly one of `organization`, `owner` and `group`.
const exclusive = apart(['org', 'owner', 'group']);

/** The members of each group, and the names of groups, for a screen. Nothing if the token or the rate limit forbids it. */
const readGroups = async (context: Context) => {
  const names = new Map<string, unknown>();
  const members = new Map<string, string[]>();
  if (!(await hasRoom(context, 2))) return { names, members };
  try {
    const client = await context.client();
    const query = { organization: await context.identity.organization() };
    for (const { uri, name } of await gather(client.pages(groups.list, { query }))) names.set(idIn(uri), name);
    for (const { group, owner } of await gather(client.pages(groups.relationships, { query })))
      members.set(idIn(group), [...(members.get(idIn(group)) ?? []), idIn(isObject(owner) ? owner.uri : owner)]);
  } catch (error) {
    if (!hasCategory(error, 'forbidden', 'not-found', 'usage')) throw error;
  }
  return { names, members };
};

/** Adds to each row a fact about groups. */
const addOfGroups =
  (factOf: (row: Json, groups: Awaited<ReturnType<typeof readGroups>>) => Json) =>
  (context: Context): Stage =>
  async (page) => {
    const groups = await readGroups(context);
    return page.map((row) => withFacts(row, factOf(row, groups)));
  };

/** The names of a member's groups. */
export const addGroups = addOfGroups(({ uri }, { names, members }) => ({
  groups: [...members].filter(([, ids]) => ids.includes(idIn(uri))).map(([group]) => names.get(group)),
}));

const addMemberCounts = addOfGroups(({ uri }, { members }) => ({ members: members.get(idIn(uri))?.length ?? null }));

const addGroupNames = addOfGroups(({ group }, { names }) => ({ group: names.get(idIn(group)) ?? null }));

/** Who is in which group. For the name of an owner, see the assumption groups.owner. */
const offerRelationships = async ({ context }: Invocation): Promise<ChoiceList> => {
  const client = await context.client();
  const { names } = await readGroups(context);
  const query = { organization: await context.identity.organization() };
  const relationships = await gather(client.pages(groups.relationships, { query }, { limit: 500 }));
  const labelOf = ({ owner, group, role }: RecordOf<typeof groups.relationships>): string =>
    [
      valueAt({ owner }, 'owner.name') ?? idIn(valueAt({ owner }, 'owner.uri')),
      names.get(idIn(group)) ?? idIn(group),
      role,
    ].join(' · ');
  const choices = relationships.map((each) => ({ value: idIn(each.uri), label: labelOf(each) }));
  return { question: 'Which group relationship?', choices };
};

export const decorate = {
  relationship: (generic) => ({
    arguments: generic.arguments.map((argument) => ({ ...argument, offer: offerRelationships })),
  }),
  list: (generic) => withScreen(generic, addMemberCounts),
  relationships: (plain) => {
    const generic = withScreen(plain, addGroupNames);
    return {
      ...generic,
      notes: ['Use only one of --org, --owner and --group.'],
      run: taking(related(operationInput(generic), exclusive), (values, { context }) =>
        runOperation(generic, values, context),
      ).run,
    };
  },
} satisfies Decorations;

// For the name and email of an owner, see the assumption groups.owner.
const membersView: View = {
  columns: [
    { header: 'NAME', path: 'owner.name', priority: 5 },
    { header: 'EMAIL', path: 'owner.email', priority: 4, least: 32 },
    { header: 'ROLE', path: 'role', priority: 3 },
    { header: 'MEMBER', path: 'owner.uri', as: 'id', priority: 1 },
  ],
  id: 'owner.uri',
  rows: 'group members',
};

/** `groups members`: the relationships of one group, as people. */
const membersCommand = (): Command => {
  const list = genericCommand('members', groups.relationships);
  const groupCommand: GenericCommand = {
    ...list,
    summary: 'List the members of a group',
    fieldFlags: list.fieldFlags
      .filter(({ name }) => name === 'group')
      .map((flag) => ({ ...flag, description: 'group whose members to list', required: true })),
    flags: list.flags.filter(({ name }) => !['org', 'owner'].includes(name)),
    view: membersView,
    notes: ['With -o id, prints the URIs of the members, as `sched members get` takes them.'],
    examples: ['groups members "Customer team"', 'groups members 4UJ8LXFLWJYWQTRF --json=owner,role'],
  };
  return positional(groupCommand, 'group', true);
};

/** `groups events`: the command `events list`, limited to one group. */
const eventsCommand = (): Command => {
  const list = withSearch(genericCommand('events', events.list));
  const isOfGroup = ({ name }: Flag) => !['user', 'org', 'invitee'].includes(name);
  const groupCommand: GenericCommand = {
    ...list,
    summary: 'List the scheduled events of a group',
    fieldFlags: list.fieldFlags
      .filter(isOfGroup)
      .map((flag) => (flag.name === 'group' ? { ...flag, required: true } : flag)),
    flags: list.flags.filter(isOfGroup),
    // This command has no --invitee, so its note is left out.
    notes: list.notes!.map((note) => (note.startsWith(localFilterNote) ? localFilterNote : note)),
    examples: ['groups events "Customer team" --week', 'groups events 4UJ8LXFLWJYWQTRF --json=name,start_time'],
  };
  return positional(groupCommand, 'group', true, eventsListRun);
};

export const extra = (): Command[] => [membersCommand(), eventsCommand()];
