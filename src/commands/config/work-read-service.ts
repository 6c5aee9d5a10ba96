import { availability, type SentSchedule } from '../../api/availability.ts';
import { eventTypes, type SentEventType } from '../../api/event-types.ts';
import { groups } from '../../api/groups.ts';
import { members } from '../../api/organizations.ts';
import type { RecordOf } from '../../api/sent.ts';
import { type SentUser, users } from '../../api/users.ts';
import { type SentWebhook, type WebhookScope, webhooks } from '../../api/webhooks.ts';
import { fallBack } from '../../base/errors.ts';
import { isObject, textOf } from '../../base/json.ts';
import { idIn } from '../../base/uri.ts';
import type { Client } from '../../client/client.ts';
import { mapConcurrent } from '../../client/map-concurrent.ts';
import { gather } from '../../client/paginate.ts';
import { dateText } from '../../time/days.ts';
import { wallClock } from '../../time/show.ts';
import { readZone } from '../../time/zone.ts';
import type { ConfigFile } from './work-file-schema.ts';
import type { Reach, UserReach, World, WorldType, WorldUser } from './work-model.ts';

/** What to read of the service to compare a file with it. */
export const reach = ({ users = {}, organization, groups = {} }: ConfigFile): Reach => ({
  users: Object.entries(users).map(([key, { event_types, webhooks }]) => ({
    key,
    types: event_types !== undefined,
    hours: Object.values(event_types ?? {})
      .filter(({ availability, hosts }) => availability !== undefined || hosts !== undefined)
      .flatMap(({ uri, name, renamed_from }) => [uri, name, renamed_from])
      .filter((name) => name !== undefined),
    webhooks: webhooks !== undefined,
  })),
  organization: organization?.webhooks !== undefined,
  groups: Object.keys(groups),
});

export interface WorldSource {
  client: Client;
  /** The address of the service, as `serviceName` writes it. */
  origin: string;
  identity: {
    user(): Promise<string>;
    organization(): Promise<string>;
    /** Whether a user may be another than the token's. */
    mayBeOther(user: string): Promise<boolean>;
  };
  /** The service's time. */
  now(): number;
  /** Called with the number of requests to come, as far as it is known. */
  onAhead?(requests: number): void;
}

const isSameRecord = (one: unknown, other: unknown): boolean => idIn(one) === idIn(other);

const typeOwner = ({ profile }: SentEventType): unknown => (isObject(profile) ? profile.owner : undefined);

/** Deleted types can't be changed. One-offs are meetings, not configuration. */
const isManageable = ({ deleted_at, type }: SentEventType): boolean => !deleted_at && type !== 'AdhocEventType';

const typesIn = ({ client }: WorldSource, query: Record<string, string>): Promise<SentEventType[]> =>
  gather(client.pages(eventTypes.list, { query }));

/** The types that a list of this user shows: own ones and those of other owners. */
export const readTypes = async (
  source: WorldSource,
  user: string,
  organization: string,
): Promise<Pick<WorldUser, 'types' | 'shared'>> => {
  const types = await typesIn(source, {
    user,
    ...((await source.identity.mayBeOther(user)) ? { organization } : {}),
  });
  const ownTypes = types.filter((type) => isSameRecord(typeOwner(type), user));
  return {
    types: ownTypes.filter(isManageable).map((record) => ({ record })),
    shared: types.filter((type) => isManageable(type) && !ownTypes.includes(type)).map(typeOwner),
  };
};

export const readSchedules = ({ client }: WorldSource, eventType: unknown): Promise<SentSchedule[]> =>
  gather(client.pages(availability.list, { query: { event_type: String(eventType) } }));

/** The webhooks of one list. A service that ignores the filter shows others too: they are not managed. */
export const readWebhooks = async (
  { client }: WorldSource,
  organization: string,
  scope: WebhookScope,
  owner: string,
): Promise<SentWebhook[]> => {
  const whose = scope === 'organization' ? {} : { [scope]: owner };
  const all = await gather(client.pages(webhooks.list, { query: { organization, scope, ...whose } }));
  return all.filter((webhook) => (webhook.scope ?? scope) === scope && isSameRecord(webhook[scope] ?? owner, owner));
};

const readUser = ({ client }: WorldSource, uri: string): Promise<SentUser> =>
  client.call(users.get, { path: { user: idIn(uri) } });

const worldUser = (user: SentUser, key: string, types: SentEventType[] = []): WorldUser => ({
  key,
  uri: String(user.uri),
  email: String(user.email),
  types: types.map((record) => ({ record })),
  shared: [],
});

const wholeReach: Omit<UserReach, 'key'> = { types: true, hours: 'all', webhooks: true };

type ReachedUser = { user: WorldUser; reach: Omit<UserReach, 'key'> };

/** Every user who owns a type. `emails` gets the addresses of all users. */
const everyUser = async (
  source: WorldSource,
  organization: string,
  emails: Map<string, string>,
): Promise<ReachedUser[]> => {
  const types = (await typesIn(source, { organization })).filter(isManageable);
  const all = await gather(source.client.pages(members.list, { query: { organization } }));
  const people = all.map(({ user }) => user).filter(isObject);
  for (const { uri, email } of people) emails.set(String(uri), String(email));
  return people
    .map((user) =>
      worldUser(
        user,
        String(user.email),
        types.filter((type) => isSameRecord(typeOwner(type), user.uri)),
      ),
    )
    .filter((user) => user.types.length > 0)
    .map((user) => ({ user, reach: wholeReach }));
};

const isEmail = (one: unknown, other: string): boolean => textOf(one)?.toLowerCase() === other.toLowerCase();

const namedUsers = async (
  source: WorldSource,
  organization: string,
  reaches: readonly UserReach[],
): Promise<ReachedUser[]> => {
  if (reaches.length === 0) return [];
  const me = await readUser(source, await source.identity.user());
  const lists = await mapConcurrent(reaches, async (reach): Promise<ReachedUser[]> => {
    const { key } = reach;
    const isMe = key === 'me' || isEmail(me.email, key);
    const query = { organization, email: key };
    const memberRows = isMe ? [] : await gather(source.client.pages(members.list, { query }));
    const user = isMe
      ? me
      : memberRows
          .map(({ user }) => user)
          .filter(isObject)
          .find(({ email }) => isEmail(email, key));
    if (user === undefined) return [];
    const types = reach.types ? await readTypes(source, String(user.uri), organization) : {};
    return [{ user: { ...worldUser(user, key), ...types }, reach }];
  });
  return lists.flat();
};

const needsHours = ({ record }: WorldType, { hours }: Pick<UserReach, 'hours'>): boolean =>
  hours === 'all' || hours.some((nameOrUri) => nameOrUri === record.name || isSameRecord(nameOrUri, record.uri));

const namedGroups = async (
  { client }: WorldSource,
  organization: string,
  wantedGroups: Reach['groups'],
): Promise<RecordOf<typeof groups.list>[]> => {
  if (wantedGroups.length === 0) return [];
  const all = await gather(client.pages(groups.list, { query: { organization } }));
  return all.filter(({ name }) => wantedGroups === 'all' || wantedGroups.includes(String(name)));
};

/** Adds the email addresses of hosts, as far as the token may read them. */
const addHosts = async (
  source: WorldSource,
  reachedUsers: readonly ReachedUser[],
  emails: Map<string, string>,
): Promise<void> => {
  for (const { user } of reachedUsers) emails.set(user.uri, user.email);
  const schedules = reachedUsers.flatMap(({ user }) => user.types.flatMap((type) => type.schedules ?? []));
  const unknown = new Set(schedules.map(({ user }) => String(user)).filter((uri) => !emails.has(uri)));
  const userRecords = await mapConcurrent([...unknown], (uri) =>
    readUser(source, uri).catch(fallBack(undefined, 'forbidden', 'not-found')),
  );
  for (const [index, uri] of [...unknown].entries())
    if (typeof userRecords[index]?.email === 'string') emails.set(uri, userRecords[index].email);
};

/** Reads what a configuration file is compared with. */
export const readWorld = async (source: WorldSource, reach: Reach): Promise<World> => {
  const organization = await source.identity.organization();
  const emails = new Map<string, string>();
  const reachedUsers =
    reach.users === 'all'
      ? await everyUser(source, organization, emails)
      : await namedUsers(source, organization, reach.users);
  const groupRecords = await namedGroups(source, organization, reach.groups);
  const listOf = (scope: WebhookScope, owner: string) => readWebhooks(source, organization, scope, owner);
  const groupsNow: World['groups'] = [];
  let ofOrganization: SentWebhook[] | undefined;
  const reads: (() => Promise<unknown>)[] = [
    ...reachedUsers.flatMap(({ user, reach: { hours } }) =>
      user.types
        .filter((type) => needsHours(type, { hours }))
        .map((type) => async () => Object.assign(type, { schedules: await readSchedules(source, type.record.uri) })),
    ),
    ...reachedUsers
      .filter((each) => each.reach.webhooks)
      .map(
        ({ user }) =>
          async () =>
            Object.assign(user, { webhooks: await listOf('user', user.uri) }),
      ),
    ...groupRecords.map(({ name, uri }) => async () => {
      groupsNow.push({ name: String(name), uri: String(uri), webhooks: await listOf('group', String(uri)) });
    }),
    ...(reach.organization
      ? [
          async () => {
            ofOrganization = await listOf('organization', organization);
          },
        ]
      : []),
  ];
  let remaining = reads.length;
  await mapConcurrent(reads, (read) => {
    source.onAhead?.(remaining--);
    return read();
  });
  await addHosts(source, reachedUsers, emails);
  const now = source.now();
  return {
    service: source.origin,
    organization,
    users: reachedUsers.map(({ user }) => user),
    organizationWebhooks: ofOrganization,
    groups: groupsNow.sort((one, other) => (one.name < other.name ? -1 : 1)),
    emails,
    today: (zone) => {
      const reading = readZone(zone);
      return dateText(wallClock(reading.ok ? reading.zone : 'UTC')(now));
    },
  };
};
