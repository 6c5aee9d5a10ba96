import { members, orgs, type SentMember } from '../../api/organizations.ts';
import { type SentUser, User, users } from '../../api/users.ts';
import { hasCategory } from '../../base/errors.ts';
import { isObject, textOf } from '../../base/json.ts';
import { idIn } from '../../base/uri.ts';
import type { Answer } from '../../cli/answer/answer.ts';
import type { LeafCommand } from '../../cli/command.ts';
import { type Call, input, taking } from '../../cli/input/input.ts';
import { aboutService } from '../../cli/mirror-answer.ts';
import { momentValue } from '../../cli/operation/view-values.ts';
import { withFacts } from '../../cli/operation/write-result.ts';
import { type Connection, shownUrl } from '../../cli/session/connection.ts';
import type { Client } from '../../client/client.ts';
import type { Page, View } from '../../output/view.ts';
import { localFacts, shownFacts, tokenSource } from './login-facts.ts';
import { loginAnswer } from './screen.ts';

const organizationOf = (record: object): unknown => {
  const { current_organization: own, _sched } = record as SentUser & { _sched: { organization: unknown } };
  const { organization } = _sched;
  return isObject(organization) && organization.name ? organization.name : own && idIn(own);
};

const page: Page = {
  title: 'name',
  lines: [
    { label: 'Email', value: 'email' },
    { label: 'Role', value: '_sched.role' },
    { label: 'Organization', value: organizationOf },
    { label: 'Plan', value: '_sched.organization.plan' },
    { label: 'Service', value: '_sched.base_url' },
    { label: 'Profile', value: '_sched.profile' },
    { label: 'Protected', value: ({ _sched: own }) => (isObject(own) && own.protected === true ? 'yes' : undefined) },
    tokenSource('_sched.source'),
    { label: 'Valid until', value: momentValue('_sched.expires_at') },
  ],
};

const whoamiView: View = {
  columns: [
    { header: 'NAME', path: 'name', priority: 3 },
    { header: 'EMAIL', path: 'email', priority: 2 },
    { header: 'ROLE', path: '_sched.role', priority: 1 },
  ],
  page,
};

/** The operation that reads each part of the answer. */
const parts = { user: users.me, role: members.list, organization: orgs.get };
type IdentityPart = keyof typeof parts;

/** Parts that could not be read, and why. */
type Unread = Map<IdentityPart, string>;

/** Reads a part. If that is not possible, adds it to `unread` and returns an empty record. */
const readPart = async <Fields>(
  name: IdentityPart,
  unread: Unread,
  read: () => Promise<Fields | undefined>,
): Promise<Partial<Fields>> => {
  try {
    const record = await read();
    if (record !== undefined) return record;
    unread.set(name, `The service doesn't say what your ${name} is`);
  } catch (error) {
    if (!hasCategory(error, 'forbidden', 'not-found')) throw error;
    const isForbidden = error.category === 'forbidden';
    const scope = `This token may not read its ${name} (scope ${parts[name].scope})`;
    unread.set(name, isForbidden ? scope : `No ${name}: ${error.message}`);
  }
  return {};
};

const membershipOf = async (client: Client, user: string, organization: string): Promise<SentMember | undefined> => {
  const query = { user, organization };
  // The service may ignore the filter by user.
  const keep = ({ user: member }: SentMember) => isObject(member) && idIn(member.uri) === idIn(user);
  for await (const [row] of client.pages(members.list, { query }, { limit: 1, keep })) return row;
  return undefined;
};

/** Asks the service about the owner of the token. The login knows who that is if the token may not read its own user. */
const askService = async (client: Client, { owner }: Connection) => {
  const unreadParts: Unread = new Map();
  const me = await readPart('user', unreadParts, () => client.call(users.me, {}));
  const user = textOf(me.uri, owner?.user);
  const ownOrganization = textOf(me.current_organization, owner?.organization);
  const organization = await readPart('organization', unreadParts, async () =>
    ownOrganization === undefined
      ? undefined
      : client.call(orgs.get, { path: { organization: idIn(ownOrganization) } }),
  );
  const { role } = await readPart('role', unreadParts, async () =>
    ownOrganization === undefined || user === undefined ? undefined : membershipOf(client, user, ownOrganization),
  );
  return {
    user: {
      ...(user === undefined ? {} : { uri: user }),
      ...(ownOrganization === undefined ? {} : { current_organization: ownOrganization }),
      ...me,
    },
    organization: organization.uri === undefined ? null : organization,
    role: textOf(role) ?? null,
    unread: unreadParts,
  };
};

const runWhoami = async (_: object, { context }: Call): Promise<Answer> => {
  const { settings } = context;
  const connection = await context.connection();
  const { user, organization, role, unread } = await askService(await context.client(), connection);
  // Read after the requests: they may have refreshed the token.
  const { source, expires_at } = await localFacts(context);
  const base_url = shownUrl(connection.baseUrl, connection);
  const record = withFacts(user, {
    role,
    organization,
    profile: settings.account?.name ?? null,
    protected: settings.account?.profile.protected === true,
    base_url,
    source,
    expires_at,
    unread: [...unread.keys()],
  });
  const plan = organization?.plan === undefined ? undefined : `${organization.plan} plan`;
  const { name, email } = record;
  const who = [textOf(name) ?? [], textOf(email) === undefined ? [] : `<${email}>`].flat().join(' ');
  const answer = loginAnswer(context, whoamiView, record, (time) => ({
    status: 'accepted',
    who: textOf(who),
    facts: [
      [role, organizationOf(record)].filter((part) => part).join(' of '),
      plan,
      settings.account?.profile.protected === true ? 'protected' : undefined,
      ...shownFacts({ profile: settings.account?.name ?? null, base_url, source, expires_at }, time),
    ],
  }));
  return { ...answer, hints: [...unread.values()] };
};

export const whoami: LeafCommand = {
  ...taking(input({}), runWhoami),
  examples: ['whoami', 'whoami --json=name,email,_sched.role'],
  notes: [
    "Asks the service for your user, your role and your organization with its plan. Parts that the token may not read are left out, and a note names them. JSON has the service's own user, and the rest in _sched: role, organization, profile, protected, base_url, source (keychain, file, SCHED_TOKEN, SCHED_TOKEN_FILE or sandbox), expires_at and unread.",
    'If the service refuses the token, the exit code is 4.',
  ],
  effect: 'read',
  mirror: aboutService,
  fields: [...Object.keys(User.record.shape), '_sched'],
};
