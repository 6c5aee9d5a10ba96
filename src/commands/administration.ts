import { collections } from '../api/collections.ts';
import { foldAddress } from '../api/email-address.ts';
import { Invitation, invitations, Membership, members, type SentMember } from '../api/organizations.ts';
import type { RecordOf } from '../api/sent.ts';
import { SchedError, usageError } from '../base/errors.ts';
import { isObject, textOf } from '../base/json.ts';
import { idIn } from '../base/uri.ts';
import { words } from '../base/words.ts';
import type { Done } from '../cli/answer/answer.ts';
import { type Plan, plan, type Question } from '../cli/answer/plan.ts';
import type { ChoiceList, Invocation } from '../cli/command.ts';
import { type Input, taking } from '../cli/input/input.ts';
import { commandHere } from '../cli/messages/suggested-line.ts';
import { deleteRecord } from '../cli/operation/change-record.ts';
import { type Decorations, operationInput, withScreen } from '../cli/operation/generic-command.ts';
import { type RequestValues, requestInput } from '../cli/operation/input.ts';
import { isEmail } from '../cli/operation/references.ts';
import type { OperationInput } from '../cli/operation/run-operation.ts';
import { writeAndRead } from '../cli/operation/write-result.ts';
import type { Context } from '../cli/session/context.ts';
import type { Facts } from '../cli/session/prompt.ts';
import { readIfPossible } from '../client/change.ts';
import { rowFilter } from '../client/filter.ts';
import { gather } from '../client/paginate.ts';
import type { View } from '../output/view.ts';
import { textIn, upcomingMeetings } from './events/screen.ts';
import { addGroups } from './groups.ts';

/** A member who may be removed, and what the questions call them. */
const readRemovable = async (context: Context, read: () => Promise<SentMember>, id: string | undefined) => {
  const member = await read();
  const { uri, name, email } = isObject(member.user) ? member.user : {};
  const who = textIn(name, email) ?? `member ${id}`;
  if (member.role === 'owner') throw usageError([`${who} is the owner of the organization and can't be removed`]);
  // A token that may not read its own user can still remove others, and the service refuses the rest.
  const own = await readIfPossible(() => context.identity.user());
  if (own !== undefined && idIn(uri) === idIn(own)) throw usageError(["You can't remove yourself"]);
  return { member, who, user: String(uri) };
};

const removeMember = async ({ path = {} }: RequestValues, context: Context, view: View): Promise<Plan> => {
  const client = await context.client();
  const read = () => client.call(members.get, { path });
  return plan({
    requests: () => ({ operation: members.remove, inputs: [{ path }] }),
    read: async (reader) => {
      const { member, who, user } = await readRemovable(context, read, path.membership);
      const facts: Facts =
        reader === 'asked'
          ? [
              ['role', textOf(member.role) ?? 'unknown'],
              ['upcoming events', await upcomingMeetings(context, user)],
            ]
          : [];
      return { member, who, facts };
    },
    question: ({ who, facts }) => ({
      question: `Remove ${who} from the organization?`,
      isFinal: true,
      action: `remove ${who} from the organization`,
      facts,
    }),
    send: async ({ member, who }) => {
      await deleteRecord(context, members.remove, path, read);
      // The reply to the removal is empty.
      return { kind: 'record', view, record: member, before: member, done: { log: `removed: ${who}` } };
    },
  });
};

export const ofMembers = {
  examples: {
    list: ['members list', 'members list --role admin --json=user.name,user.email'],
    get: ['members get L9UWUQHVLBD3MGX8', 'members get L9UWUQHVLBD3MGX8 --json'],
    remove: ['members remove "Kofi Mensah"', 'members remove L9UWUQHVLBD3MGX8 --yes'],
  },
  decorate: {
    list: (generic) => withScreen(generic, addGroups),
    remove: (generic, { get }) => ({
      view: get!.view,
      fields: Object.keys(Membership.record.shape),
      notes: [
        'Shows the role and the upcoming events of the member, and asks for confirmation. Nobody can remove themselves or the owner. What becomes of the events is up to the service: move or cancel them first.',
      ],
      run: taking(operationInput(generic), ({ request }, { context }) => removeMember(request, context, get!.view)).run,
    }),
  } satisfies Decorations,
};

/** The invitations of the organization, or only the pending ones. */
const listInvitations = async (context: Context, status?: string): Promise<RecordOf<typeof invitations.list>[]> => {
  const query = { organization: await context.identity.organization(), ...(status === undefined ? {} : { status }) };
  const keep = rowFilter(invitations.list, query);
  return gather((await context.client()).pages(invitations.list, { query }, { keep }));
};

const offerInvitations = async ({ context }: Invocation): Promise<ChoiceList> => ({
  question: 'Which invitation?',
  choices: (await listInvitations(context, 'pending')).map(({ uri, email }) => ({
    value: idIn(uri),
    label: textOf(email) ?? idIn(uri),
  })),
});

const invitationNotFound = (whose: string): SchedError =>
  new SchedError('not-found', `No ${whose}`, { hint: { command: ['invitations', 'list'] }, outcome: 'not-sent' });

/** The ID of the pending invitation of a person. */
const invitationOf = async (context: Context, email: string): Promise<string> => {
  const invitation = (await listInvitations(context, 'pending')).find(
    (each) => foldAddress(each.email) === foldAddress(email),
  );
  if (invitation === undefined) throw invitationNotFound(`pending invitation of ${email}`);
  return idIn(invitation.uri);
};

/** An invitation by its ID or URI, or by the person. */
const revokeInput: Input<OperationInput> = {
  flags: [],
  arguments: [],
  draft: async (invocation, how) => {
    const who = String(how.given.invitation ?? '');
    if (!isEmail(who)) return requestInput(invitations.revoke, []).draft(invocation, how);
    return async (context) => ({ request: { path: { invitation: await invitationOf(context, who) } } });
  },
};

const revokeInvitation = ({ path = {} }: RequestValues, context: Context, view: View): Plan => {
  const find = async () => (await listInvitations(context)).find(({ uri }) => idIn(uri) === path.invitation);
  const read = async () => {
    const invitation = await find();
    if (invitation === undefined) throw invitationNotFound(`invitation with the ID ${path.invitation}`);
    return { invitation, whose: `the invitation of ${textIn(invitation.email) ?? path.invitation}` };
  };
  return plan({
    requests: () => ({ operation: invitations.revoke, inputs: [{ path }] }),
    check: read,
    read,
    question: ({ whose }) => ({ question: `Revoke ${whose}?`, isFinal: true, action: `revoke ${whose}` }),
    send: async ({ invitation, whose }) => {
      await deleteRecord(context, invitations.revoke, path, find);
      const record = { ...invitation, status: 'revoked' };
      return { kind: 'record', view, record, before: record, done: { log: `revoked: ${whose}` } };
    },
  });
};

export const inviteQuestion = (who: string): Question => ({
  question: `Invite ${who} to join the organization and send an email?`,
  action: `invite ${who} to join the organization`,
});

const invite = (input: RequestValues, context: Context, view: View): Plan => {
  const who = String(input.body!.email);
  const done: Done = { log: `invited: ${who}`, undo: commandHere(context, 'invitations', 'revoke', who) };
  return plan({
    requests: () => ({ operation: invitations.create, inputs: [input] }),
    question: () => inviteQuestion(who),
    send: async () => {
      const record = await writeAndRead(context, invitations.create, input);
      return { kind: 'record', view, record, done, isNew: true };
    },
  });
};

export const ofInvitations = {
  examples: {
    list: ['invitations list', 'invitations list --status pending --json=email'],
    get: [
      'invitations get $(sched invitations list --limit 1 -o id)',
      'invitations get $(sched invitations list --limit 1 -o id) --json=email,status',
    ],
    create: ['invitations create --email ada@example.com', 'invitations create --email eve@example.com --yes --json'],
    revoke: ['invitations revoke 3PABCQTLPV8QJY3E', 'invitations revoke ada@example.com --yes'],
  },
  decorate: {
    create: (generic) => ({
      notes: ['Asks for confirmation: the service sends an email.'],
      run: taking(operationInput(generic), async ({ request }, { context }) => invite(request, context, generic.view))
        .run,
    }),
    revoke: (generic, { list }) => ({
      arguments: generic.arguments.map((argument) => ({
        ...argument,
        description: 'email, ID or URI of an invitation',
        offer: offerInvitations,
      })),
      view: list!.view,
      fields: Object.keys(Invitation.record.shape),
      notes: ['Shows the invitation and asks for confirmation. On a terminal, it can be chosen from the pending ones.'],
      run: taking(revokeInput, async ({ request }, { context }) => revokeInvitation(request, context, list!.view)).run,
    }),
  } satisfies Decorations,
};

export const ofOrganizations = {
  examples: { get: ['orgs get', 'orgs get current --json=name,plan'] },
  decorate: {
    get: (generic) => ({
      arguments: generic.arguments.map((argument) => ({
        ...argument,
        description: words`${argument.description} (default: your own)`,
        required: false,
      })),
      run: ({ given, ...invocation }) =>
        generic.run({ ...invocation, given: { organization: collections.organizations.self, ...given } }),
    }),
  } satisfies Decorations,
};
