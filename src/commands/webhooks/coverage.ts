import { groups } from '../../api/groups.ts';
import type { Operation } from '../../api/operation.ts';
import { orgs } from '../../api/organizations.ts';
import type { RecordOf } from '../../api/sent.ts';
import { users } from '../../api/users.ts';
import { type SentWebhook, type WebhookScope, webhooks } from '../../api/webhooks.ts';
import { hasCategory } from '../../base/errors.ts';
import { isObject, textOf } from '../../base/json.ts';
import { counted } from '../../base/numbers.ts';
import { idIn } from '../../base/uri.ts';
import { type Plan, plan } from '../../cli/answer/plan.ts';
import type { Context } from '../../cli/session/context.ts';
import { readIfPossible } from '../../client/change.ts';
import { rowFilter } from '../../client/filter.ts';
import { gather } from '../../client/paginate.ts';
import type { Query } from '../../client/wire.ts';
import type { View } from '../../output/view.ts';
import { coverage, type Listened } from './work-coverage.ts';

const coverageView: View = {
  columns: [
    { header: 'SCOPE', path: 'scope', priority: 4 },
    { header: 'OF', path: 'owner_name', priority: 3 },
    { header: 'EVENT', path: 'event', shrink: false, priority: 6 },
    { header: 'PROBLEM', path: 'problems', as: 'list', priority: 5 },
    { header: 'FAILING SINCE', path: 'failing_since', as: 'time', blank: true, priority: 1 },
    { header: 'URL', path: 'heard_by.*.callback_url', as: 'list', priority: 2 },
  ],
  id: 'owner',
};

/** Whose webhooks are read, as queries. Those of all groups are one list. */
const queriesOf = async ({ identity }: Context): Promise<Record<string, string>[]> => {
  const organization = await identity.organization();
  const user = await identity.user();
  return [
    { organization, scope: 'organization' },
    { organization, scope: 'group' },
    { organization, scope: 'user', user },
  ];
};

type Unread = Set<WebhookScope>;

/** The rows of a list, or none if the token or the service can't: then a note says what was not checked. */
const readOrMiss = async <Row extends Operation>(
  context: Context,
  [scope, what]: [WebhookScope, string],
  unread: Unread,
  list: Row,
  query: Query,
): Promise<RecordOf<Row>[]> => {
  try {
    return await gather((await context.client()).pages(list, { query }, { keep: rowFilter(list, query) }));
  } catch (error) {
    if (!hasCategory(error, 'forbidden', 'not-found', 'usage')) throw error;
    context.notes.warn(`Not checked: ${what} (${error.facts.reason ?? error.message})`);
    unread.add(scope);
    return [];
  }
};

const readWebhooks = async (context: Context, unread: Unread): Promise<SentWebhook[]> => {
  const rows: SentWebhook[] = [];
  for (const query of await queriesOf(context)) {
    const what = [query.scope, `webhooks of scope ${query.scope}`] as [WebhookScope, string];
    const read = await readOrMiss(context, what, unread, webhooks.list, query);
    // The list tells whose they are, even if the rows don't.
    rows.push(...read.map((row) => ({ user: query.user, ...row, scope: query.scope })));
  }
  return rows;
};

/** The organization, its groups, and the user with the groups. */
const readOwners = async (context: Context, unread: Unread): Promise<Listened[]> => {
  const { identity } = context;
  const client = await context.client();
  const [organization, user] = [await identity.organization(), await identity.user()];
  const query = { organization };
  const all = await readOrMiss(context, ['group', 'groups'], unread, groups.list, query);
  const who: [WebhookScope, string] = ['group', 'who is in which group'];
  const members = all.length === 0 ? [] : await readOrMiss(context, who, unread, groups.relationships, query);
  const nameOf = async (read: () => Promise<{ readonly name?: unknown }>) =>
    textOf((await readIfPossible(read))?.name) ?? null;
  const organizationName = await nameOf(() => client.call(orgs.get, { path: { organization: idIn(organization) } }));
  const isOwn = ({ owner }: RecordOf<typeof groups.relationships>) =>
    isObject(owner) && idIn(owner.user) === idIn(user);
  return [
    { scope: 'organization', owner: organization, name: organizationName },
    ...all.map(({ uri, name }) => ({ scope: 'group' as const, owner: String(uri), name: textOf(name) ?? null })),
    {
      scope: 'user',
      owner: user,
      name: await nameOf(() => client.call(users.get, { path: { user: idIn(user) } })),
      groups: members.filter(isOwn).map(({ group }) => idIn(group)),
    },
  ];
};

/** Which events no webhook hears, which are heard twice, and which deliveries fail. */
export const listCoverage = (context: Context, limit: number | undefined): Plan =>
  plan({
    requests: async () => ({
      operation: webhooks.list,
      inputs: (await queriesOf(context)).map((query) => ({ query })),
    }),
    send: async () => {
      const unread: Unread = new Set();
      const rows = coverage(await readWebhooks(context, unread), await readOwners(context, unread), unread);
      const unheard = rows.filter(({ problems }) => problems.includes('unheard')).length;
      const sum =
        unheard === 0
          ? 'Each event is heard by a webhook'
          : `${counted(unheard, 'event')} of ${rows.length} without a webhook`;
      return { kind: 'rows', view: coverageView, pages: [rows.slice(0, limit)], below: async () => [sum] };
    },
  });
